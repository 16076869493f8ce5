"""What was found, proved, scheduled and measured, as text and as one HTML page."""
