"""Tables of Exo and TVM, imported in seconds.

Both ask for the whole stack at each function that they parse. `inspect.stack` then goes through every module of the process for
each frame whose file does not exist, as those of imports are: minutes for TVM's tables, and more below a test runner.
"""

from __future__ import annotations

import inspect
import linecache
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType


def imported(name: str) -> ModuleType:
    """The module of that name. Raises ImportError."""
    with quick_stacks():
        return import_module(name)


@contextmanager
def quick_stacks() -> Iterator[None]:
    """Inside, `inspect.stack` says of each frame what it says outside, with one line of source where the file has it."""
    usual = inspect.stack
    inspect.stack = _stack
    try:
        yield
    finally:
        inspect.stack = usual


def _stack(context: int = 1) -> list[inspect.FrameInfo]:
    frame = sys._getframe(1)
    found = []
    while frame is not None:
        file, line = frame.f_code.co_filename, frame.f_lineno
        text = linecache.getline(file, line, frame.f_globals)
        found.append(
            inspect.FrameInfo(frame, file, line, frame.f_code.co_name, [text] if text else None, 0 if text else None)
        )
        frame = frame.f_back  # type: ignore[assignment]
    return found
