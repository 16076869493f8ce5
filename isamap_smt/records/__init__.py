"""What was found once and is worth keeping: one form of record, and one store of records."""
