"""Python's search for cycles among objects, held back while very many lasting objects are made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

OBJECTS = 200_000  # made until a search begins, some tens of megabytes; Python's own number is 700


@contextmanager
def seldom_searched() -> Iterator[None]:
    """Within it, and in functions decorated with it, searches are rare: they take a tenth of a plan's time, and find little."""
    before = gc.get_threshold()
    gc.set_threshold(max(before[0], OBJECTS) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
