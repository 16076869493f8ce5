"""Exit statuses. `prove` adds 0 proved, 1 refuted, 2 unknown; `check-hardware` 2 if an instruction could not be run."""

UNKNOWN = 2  # of `map`: the time was over
MISUSE, FAULT, INTERRUPTED = 3, 4, 130
WRONG_DESCRIPTION, WRONG_RESULT = 5, 6  # what was run does not do what its description, or its kernel, says
