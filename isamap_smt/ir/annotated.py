"""Check the fields of a dataclass, and of dataclasses in it, against their annotations.

Python does not ask. A hand-made program with a field of another kind would end a proof in an error of Python's.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any


def misfit(value: Any, owners: tuple[type, ...]) -> str:
    """The first field that does not fit its annotation, in words; '' if all fit. owners: dataclasses to look into."""
    return next(_misfits(value, owners), "")


def _misfits(value: Any, owners: tuple[type, ...]) -> Iterator[str]:
    if type(value) is tuple:
        for part in value:
            yield from _misfits(part, owners)
    elif isinstance(value, owners):
        for name, kind in next(_annotated(o) for o in owners if isinstance(value, o)):
            held = getattr(value, name)
            if not _fits(held, kind):
                yield f"the field {name} of a {type(value).__name__} holds {_words(held)}, and takes {_kind_words(kind)}"
            else:
                yield from _misfits(held, owners)


@cache
def _annotated(owner: Any) -> tuple[tuple[str, Any], ...]:
    hints = typing.get_type_hints(owner)
    return tuple((f.name, hints[f.name]) for f in fields(owner))


def _fits(value: Any, kind: Any) -> bool:
    if kind is Any:
        return True
    parts = typing.get_args(kind)
    if typing.get_origin(kind) in (types.UnionType, typing.Union):
        return any(_fits(value, k) for k in parts)
    if typing.get_origin(kind) is tuple:
        if type(value) is not tuple:
            return False
        every = (parts[0],) * len(value) if parts[1:] == (...,) else parts
        return len(value) == len(every) and all(_fits(v, k) for v, k in zip(value, every, strict=True))
    return isinstance(value, kind) and not (kind is int and isinstance(value, bool))


def _words(value: Any) -> str:
    return type(value).__name__ if is_dataclass(value) or isinstance(value, tuple) else f"{value!s:.40}"


def _kind_words(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) and not typing.get_args(kind) else str(kind).replace("typing.", "")
