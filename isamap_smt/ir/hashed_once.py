"""The hash of a frozen value is computed once: kernels, instructions and machines are keys of many tables, and deep."""

from __future__ import annotations

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
