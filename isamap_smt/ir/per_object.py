"""What is computed of a frozen value is kept for that very object: equal ones may be written differently, as 4 and 4.0 are."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, update_wrapper
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")


class _Same:
    """The object itself, whatever it is equal to. It lives as long as this does, so no other one has its address."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.value is self.value


def per_object(most: int) -> Callable[[Callable[[A], B]], Callable[[A], B]]:
    """The function of one frozen value, computed once for each object; the `most` that were asked for last are kept.

    >>> asked = []
    >>> @per_object(most=2)
    ... def text(value):
    ...     asked.append(value)
    ...     return repr(value)
    >>> whole, real = (4, 1), (4.0, 1)
    >>> whole == real, text(whole), text(real), text(whole), len(asked)
    (True, '(4, 1)', '(4.0, 1)', '(4, 1)', 2)
    """

    def decorated(work: Callable[[A], B]) -> Callable[[A], B]:
        kept = lru_cache(maxsize=most)(lambda same: work(same.value))

        def found(value: A) -> B:
            return kept(_Same(value))

        update_wrapper(found, work)
        return found

    return decorated
