"""Programs for engines: the content of each cell, the order of uses, and freedom from deadlock."""
