"""Results kept for frozen values: a hash, once for the process, and functions of the value, for that very object.

Kernels, instructions and machines are keys of many tables, and deep.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, update_wrapper
from typing import Any, TypeVar

C = TypeVar("C")
_KEPT = "_hash"


def hashed_once(cls: type[C]) -> type[C]:
    """The same frozen dataclass; each of its values keeps its hash. It stays in the process: text hashes differently in the next.

    >>> from dataclasses import dataclass
    >>> @hashed_once
    ... @dataclass(frozen=True)
    ... class Pair:
    ...     left: tuple
    ...     right: int
    >>> p = Pair(("a",), 2)
    >>> hash(p) == hash(Pair(("a",), 2)) == hash((("a",), 2)), p == Pair(("a",), 2), p.__getstate__()
    (True, True, {'left': ('a',), 'right': 2})
    """
    computed = cls.__hash__

    def __hash__(self: Any) -> int:
        known = self.__dict__
        if _KEPT not in known:
            known[_KEPT] = computed(self)
        return int(known[_KEPT])

    def __getstate__(self: Any) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != _KEPT}

    cls.__hash__ = __hash__  # type: ignore[method-assign]
    cls.__getstate__ = __getstate__  # type: ignore[method-assign]
    return cls


# ---- Functions are kept for that very object: equal ones may be written differently, as 4 and 4.0 are.


A = TypeVar("A")
B = TypeVar("B")


class _Same:
    """The object itself, compared by identity. It lives as long as this does, so no other one has its address."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.value is self.value


def per_object(most: int) -> Callable[[Callable[[A], B]], Callable[[A], B]]:
    """The function of one frozen value, computed once for each object; the last `most` results are kept.

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
