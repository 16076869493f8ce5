"""Exit statuses. `prove` adds 0 proved, 1 refuted, 2 unknown."""

MISUSE, FAULT, INTERRUPTED = 3, 4, 130
