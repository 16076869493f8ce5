"""Results worth keeping on disk: one form of record, and one store of records."""
