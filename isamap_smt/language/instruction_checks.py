"""What an instruction's description may say beside its contract: nothing is rounded, cut into letters or left for later."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from isamap_smt.ir.conditions import parse_condition
from isamap_smt.ir.errors import LanguageError, did_you_mean
from isamap_smt.ir.expr import symbols_of
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.whole import whole

PRECONDITIONS = (
    "'contiguous m', 'rows m', 'aligned m 32', a relation such as 'ld(m) % 16 == 0', 'offset(m) % 4 == 0' or 'active <= 8', "
    "'state NAME set by INSTRUCTION'"
)


def whole_axes(name: str, axes: Any) -> dict[str, int]:
    """The number of points of each axis, whole and at least 1. Raises LanguageError."""
    if not isinstance(axes, Mapping):
        raise LanguageError(f"instruction {name}: axes={axes!r}: pass names and numbers of points, such as {{'l': 8}}")
    return {n: _points(name, n, extent) for n, extent in axes.items()}


def _points(name: str, axis: str, extent: Any) -> int:
    points = whole(extent, f"instruction {name}: points of axis {axis}", LanguageError, -(2**63))
    if points < 1:
        raise LanguageError(f"instruction {name}: axis {axis} has {points} points; it needs at least 1")
    return points


def texts(name: str, what: str, given: Any, example: str) -> tuple[str, ...]:
    """The texts of a sequence. Raises LanguageError, also for one text in place of several: its letters are not meant."""
    if isinstance(given, str):
        raise LanguageError(f"instruction {name}: {what}={given!r} is one text; write {what}=({given!r},)")
    if not isinstance(given, Iterable) or isinstance(given, Mapping):
        raise LanguageError(f"instruction {name}: {what}={given!r}: pass a tuple of texts, such as ({example!r},)")
    found = tuple(given)
    for text in found:
        if not isinstance(text, str) or not text.strip():
            raise LanguageError(f"instruction {name}: {what} holds {text!r}: pass texts, such as {example!r}")
    return found


def check_cost(name: str, latency: Any, per_cycle: Any) -> None:
    """Nothing happens for a latency of at least 0 and a positive rate. Raises LanguageError."""
    for what, value, means in (
        ("latency", latency, "cycles, 0 or more"),
        ("per_cycle", per_cycle, "executions started each cycle, more than 0 (0.5: one in two cycles)"),
    ):
        number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        if not number or value < 0 or (what == "per_cycle" and value == 0):
            raise LanguageError(f"instruction {name}: {what}={value!r}: pass a number of {means}")


def ranges(name: str, contract: Kernel, assume: Any) -> tuple[tuple[str, int, int], ...]:
    """(operand, low, high) of integer operands, within their types. Raises LanguageError."""
    form = "write assume=[('a', 0, 127)], one (operand, low, high) for each range"
    if isinstance(assume, str) or not isinstance(assume, Iterable):
        raise LanguageError(f"instruction {name}: assume={assume!r}: {form}")
    return tuple(_range(name, contract, given, form) for given in assume)


def _range(name: str, contract: Kernel, given: Any, form: str) -> tuple[str, int, int]:
    if not isinstance(given, tuple | list) or len(given) != 3:
        raise LanguageError(f"instruction {name}: assume holds {given!r}: {form}")
    operand, low, high = given
    operands = [t.name for t in contract.tensors]
    if operand not in operands:
        raise LanguageError(f"instruction {name}: assume names {operand!r}; {did_you_mean(str(operand), operands)}")
    d = contract.tensor(operand).dtype
    if d.is_float:
        raise LanguageError(f"instruction {name}: {operand} is {d}: a range of values is assumed of integers only")
    low, high = (whole(v, f"instruction {name}: assume {operand}", LanguageError, -(2**64)) for v in (low, high))
    if low > high:
        raise LanguageError(f"instruction {name}: assume {operand} in [{low}, {high}] holds for nothing")
    if low < d.low or high > d.high:
        raise LanguageError(
            f"instruction {name}: assume {operand} in [{low}, {high}] is not within {d}, which holds {d.low} to {d.high}"
        )
    return operand, low, high


def preconditions(name: str, contract: Kernel, kind: str, given: Any) -> tuple[str, ...]:
    """Texts of a form that the prover has a rule for, on operands that exist. Raises LanguageError."""
    found = texts(name, "preconditions", given, "contiguous m")
    # A move's preconditions speak of its memory operand: what a load reads, what a store writes.
    written = contract.statements[0].target.tensor
    operands = [t.name for t in contract.tensors]
    if kind in ("load", "broadcast"):
        operands = [n for n in operands if n != written]
    elif kind == "store":
        operands = [written]
    for text in found:
        named = _operands_of(text)
        if text.split()[0] == "rows" and kind in ("load", "store"):
            _check_rows(name, contract, kind)
        if named is None:
            raise LanguageError(f"instruction {name}: precondition {text!r} is of no known form: {PRECONDITIONS}")
        for n in named:
            if n not in operands:
                lies = "" if kind == "compute" else f" in memory, which a {kind} reads or writes,"
                known = f"operands{lies}: {', '.join(operands) or 'none'}"
                raise LanguageError(f"instruction {name}: precondition {text!r} speaks of {n!r}; {known}")
    return found


def _check_rows(name: str, contract: Kernel, kind: str) -> None:
    """The memory operand has rows: its first index is an axis that no other index of it mentions."""
    s = contract.statements[0]
    access = s.target if kind == "store" else next(iter(s.inputs), None)
    if access is None or len(access.index) < 2 or not access.index[0].is_Symbol:
        raise LanguageError(
            f"instruction {name}: precondition 'rows' is for a memory operand such as m[i,j], whose rows i counts"
        )
    if symbols_of(access.index[1:]) & symbols_of(access.index[:1]):
        raise LanguageError(
            f"instruction {name}: precondition 'rows': axis {access.index[0]} also moves along the rows of m"
        )


def masks(name: str, given: Any, axes: Mapping[str, int]) -> bool | int:
    """How many axes a move masks: at most two, and no more than it has. Raises LanguageError."""
    if isinstance(given, bool) or (isinstance(given, int) and 0 <= given <= min(2, len(axes))):
        return given if given not in (0, 1) else bool(given)
    raise LanguageError(
        f"instruction {name}: masked={given!r}: pass how many of its first axes are masked, 0 to {min(2, len(axes))}"
    )


def preludes(name: str, given: Any) -> tuple[str, ...]:
    """The texts of a prelude, which may be one. Raises LanguageError."""
    if isinstance(given, str):
        return (given,) if given.strip() else ()
    return texts(name, "prelude", given, "static inline int twice(int n) { return 2 * n; }")


def state(name: str, given: Any) -> tuple[()] | tuple[str, str]:
    """The C that enters a state and the C that leaves it, or nothing. Raises LanguageError."""
    found = texts(name, "state", given, "enter()")
    if found and len(found) != 2:
        raise LanguageError(
            f"instruction {name}: state holds {len(found)} texts: pass the C that enters it and the C that leaves it"
        )
    return (found[0], found[1]) if found else ()


def _operands_of(text: str) -> list[str] | None:
    """The operands that a precondition speaks of; None for text of no known form."""
    match text.split():
        case ["contiguous" | "rows", operand]:
            return [operand]
        case ["aligned", operand, multiple] if multiple.isdecimal() and int(multiple) > 0:
            return [operand]
        case ["state", _] | ["state", _, "set", "by", _, *_]:
            return []
    named = re.findall(r"\b(?:ld|offset)\((\w+)\)", text)
    calls = {f"{call}({n})": 0 for call in ("ld", "offset") for n in named}
    return None if parse_condition(text, calls) is None else named
