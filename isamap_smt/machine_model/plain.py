"""Plain data, as JSON holds it, back into frozen dataclasses: every field there, of its type, and in its range."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

Ranges = Mapping[
    str, tuple[float, float]
]  # field -> least and greatest of its numbers, at any depth; "" for all others
_KINDS = {str: "a text", int: "a whole number", float: "a number", list: "a list", dict: "an object"}


class PlainError(ValueError):
    """What is wrong with the data, and where."""


def read(kind: Any, value: Any, ranges: Ranges, name: str = "", where: str = "it") -> Any:
    """The value as `kind`: a dataclass (an object), a tuple (a list), or str, int or float. Raises PlainError.

    name: of the field, for its range; where: the way to it, for people.
    """
    if is_dataclass(kind):
        make: Any = kind
        return make(**read_fields(get_type_hints(kind), value, ranges, where))
    if get_origin(kind) is tuple:
        return _read_tuple(get_args(kind), _of_type(list, value, where), ranges, name, where)
    found = _of_type(kind, value, where)
    if kind is str:
        if any("\ud800" <= c <= "\udfff" for c in found):
            raise PlainError(f"{where} holds half a character")
        return found
    low, high = ranges.get(name, ranges[""])
    if not low <= found <= high:
        raise PlainError(f"{where} is {_words(found)}, not {_KINDS[kind]} from {low:g} to {high:g}")
    return kind(found)


def read_fields(kinds: Mapping[str, Any], value: Any, ranges: Ranges, where: str = "") -> dict[str, Any]:
    """Field -> its value, of an object that has these fields and no others. Raises PlainError."""
    found = _of_type(dict, value, where or "it")
    for name in (*kinds, *found):
        if name not in found or name not in kinds:
            told = "lacks" if name in kinds else "has an unknown"
            raise PlainError(f"{where or 'it'} {told} {_words(name)}")
    before = f"{where}." if where else ""
    return {name: read(kind, found[name], ranges, name, before + name) for name, kind in kinds.items()}


def _read_tuple(kinds: tuple[Any, ...], values: list[Any], ranges: Ranges, name: str, where: str) -> tuple[Any, ...]:
    if kinds[1:] == (...,):
        kinds = kinds[:1] * len(values)
    if len(kinds) != len(values):
        raise PlainError(f"{where} has {len(values)} parts, not {len(kinds)}")
    return tuple(read(k, v, ranges, name, f"{where}[{n}]") for n, (k, v) in enumerate(zip(kinds, values, strict=True)))


def _of_type(kind: type, value: Any, where: str) -> Any:
    """The value itself. A whole number is a number too, and a truth value is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float) if kind is float else kind):
        raise PlainError(f"{where} is {_words(value)}, not {_KINDS[kind]}")
    return value


def _words(value: Any) -> str:
    """A value on one short line."""
    if isinstance(value, list | dict):
        return _KINDS[type(value)]
    said = ascii(value)
    return said if len(said) <= 40 else f"{said[:36]}..."
