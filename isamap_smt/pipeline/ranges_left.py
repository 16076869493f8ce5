"""A selected instruction may leave its type's range where the kernel's own text does not: a note names the cause.

Over the reals `x * (y * z)` is `(x * y) * z`; of 1e30, 1e-30 and 1e-30 the first underflows in f32, the second does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import ml_dtypes
import sympy as sp

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.instruction import Instruction, SelectedInstruction
from isamap_smt.ir.program import Program
from isamap_smt.ir.scalar import Scalar, reads
from isamap_smt.mapping.rewriting import may_leave_range


def ranges_left(program: Program) -> tuple[str, ...]:
    """A note for each cover by rules if numbers on the way may be too large, or too small, for their type."""
    found = (range_left(s.proved.mapping.instruction) for s in program.schedules)
    return tuple(dict.fromkeys(filter(None, found)))


def range_left(i: Instruction) -> str:
    """The note on an instruction; '' for none."""
    if not isinstance(i, SelectedInstruction) or i.exact is None:
        return ""
    kind = i.kernel.tensor(i.kernel.outputs[0]).dtype
    if not kind.is_float:
        return ""
    ways = [f"`{r.name}` ({r})" for r in i.rules if may_leave_range(r, kind.name)]
    ways += [f"the number {n}" for n in _numbers(i.exact.statements[0].value, kind)]
    if not ways:
        return ""
    computed, by = i.exact.text.strip().splitlines()[-1], " and ".join(dict.fromkeys(ways))
    return (
        f"{i.told} computes {computed} by {by}: on the way numbers may be too large, or too small, for {kind} where those of the "
        "text are not"
    )


def _numbers(tree: Any, kind: DType) -> Iterator[str]:
    """Constant parts outside the normal numbers of the type."""
    if not isinstance(tree, Scalar) or any(True for _ in reads(tree)):
        for a in getattr(tree, "args", ()) if isinstance(tree, Scalar) else ():
            yield from _numbers(a, kind)
        return
    value = _value(tree)
    limits = ml_dtypes.finfo(kind.numpy)  # type: ignore[no-untyped-call]
    if value is not None and value and not float(limits.smallest_normal) <= abs(float(value)) <= float(limits.max):
        yield f"{float(value):g}"


def _value(tree: Any) -> Fraction | None:
    """Of sums, products and quotients of numbers."""
    if isinstance(tree, sp.Integer | sp.Float | sp.Rational):
        return Fraction(*map(int, sp.Rational(tree).as_numer_denom()))
    parts = [_value(a) for a in tree.args]
    if not parts or any(p is None for p in parts):
        return None
    a, *rest = parts
    assert a is not None
    match type(tree).__name__, rest:
        case "SNeg", _:
            return -a
        case "SAdd", [Fraction() as b]:
            return a + b
        case "SSub", [Fraction() as b]:
            return a - b
        case "SMul", [Fraction() as b]:
            return a * b
        case "SDiv", [Fraction() as b] if b:
            return a / b
    return None


__all__ = ["range_left", "ranges_left"]
