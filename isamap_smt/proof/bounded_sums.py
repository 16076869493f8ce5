"""Instructions that saturate their accumulator, or keep it in fewer bits: `exact` is `acc[l] = sat_i32(acc[l] + ...)`.

Such an instruction is no `+=`, and its additions may not be reordered. But it does add if no partial sum of the
kernel's terms leaves its exact range, in any order and however the sum is divided: an accumulator begun at 0 holds the
sum of some terms before and after each execution. Two questions are asked, for the assumed values of the operands and
the number of terms:

- sums stay: every sum of at most so many terms lies between bounds within the type (induction over the number of
  terms);
- the instruction adds: if accumulator and result lie between these bounds, `exact` is the accumulator plus the
  contract's contribution (bit-vectors).

The start at 0 is an assumption about the output, checked at each call, unless the output is a temporary.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import sympy as sp

from isamap_encodings.bounded_sums import adds
from isamap_encodings.overflow import TermRange, largest_count, sums_stay
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.expr import evaluate, is_constant
from isamap_smt.ir.fibres import Fibres, fibres
from isamap_smt.ir.hypotheses import Range
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.scalar import reads
from isamap_smt.proof.overflow import term_of
from isamap_smt.proof.scalar_replay import run_cell
from isamap_smt.proof.scalar_trees import accumulation, contributions, kind, leaves, naming, whole_reduction

Ranges = tuple[tuple[str, int, int], ...]
STEPS = 2  # terms beyond those that fit with which a difference is looked for
NARROW = 16  # bits of an input for which the range that would fit is looked for


def carries(instruction: Instruction) -> bool:
    """Whether `exact` is a function of the instruction's integer accumulator, other than a sum with it."""
    if instruction.exact is None or len(instruction.exact.statements) != 1:
        return False
    s = instruction.exact.statements[0]
    if instruction.exact.tensor(s.target.tensor).dtype.is_float:
        return False  # of an order, which isamap_smt.proof.stated_order asks about
    if len(instruction.kernel.statements) != 1 or s.guard or s.op != "=" or s.target not in s.inputs:
        return False
    try:
        ours, theirs = (
            accumulation(k, k.statements[0])[0] for k in (instruction.kernel, instruction.exact)
        )  # fmt: skip
    except IsamapError:
        return False
    return (ours, theirs) == ("+", "=") and not instruction.kernel.statements[0].guard


def beginning(mapping: Mapping) -> tuple[Range, ...]:
    """The assumption of such an instruction's sum about the output: it begins at 0; each call checks it."""
    name = mapping.statement.target.tensor
    if not carries(mapping.instruction) or name in mapping.kernel.temporaries:
        return ()
    return (Range(name, 0, 0),)


def adds_exactly(mapping: Mapping, operands: Ranges, tensors: dict[str, tuple[int, int]]) -> Verdict:
    """Whether the instruction, which carries(), adds in this mapping. Refuted with a number of terms.

    The refutation also names the largest number that fits.

    operands: possible values of their cells. tensors: assumed values of the kernel's inputs.
    """
    kernel, number = mapping.kernel, mapping.statement_index
    return _verdict(_Sum(_assuming(kernel, tensors), number, mapping.instruction, operands, mapping.binding))


def widest(mapping: Mapping, name: str, cells: Callable[[Kernel], Ranges | Unknown]) -> tuple[int, int, bool] | None:
    """A largest range of one input under which the instruction adds in this mapping, as (low, high, tight).

    The other inputs stay as they are. tight: each end, moved one further out, is refuted. None if no range is found.

    The other inputs stay as they are. The third result tells whether each end, moved one further out, is refuted.

    cells: the possible values of the operands' cells in a mapping of the given kernel.
    """
    d = mapping.kernel.tensor(name).dtype
    low, high = next(((x, y) for n, x, y in mapping.kernel.ranges if n == name), (d.low, d.high))
    if d.bits > NARROW:
        return None

    def decided(least: int, most: int) -> Verdict:
        least, most = max(low, least), min(high, most)
        if least > most:
            return Proved()  # there is no such value
        kernel = _assuming(mapping.kernel, {name: (least, most)})
        held = cells(kernel)
        if isinstance(held, Unknown):
            return held
        return _verdict(_Sum(kernel, mapping.statement_index, mapping.instruction, held, mapping.binding))

    def holds(least: int, most: int) -> bool:
        return isinstance(decided(least, most), Proved)

    n = _greatest(max(-low, high), lambda b: holds(-b, b))
    if not n or low > n or high < -n:
        return None
    least, most = max(low, -n), min(high, n)
    most = _greatest(high, lambda b: b <= most or holds(least, b)) if high > 0 else high
    least = -_greatest(-low, lambda b: b <= -least or holds(-b, most)) if low < 0 else low
    further = [(least - 1, most)] * (least > low) + [(least, most + 1)] * (most < high)
    return least, most, all(isinstance(decided(*r), Refuted) for r in further)


def _greatest(top: int, holds: Callable[[int], bool]) -> int:
    """The greatest number from 0 to `top` that `holds`, a predicate true up to some number; 0 is not asked about."""
    low = 0
    if top > 0 and holds(top):
        return top
    while low < top:
        middle = (low + top + 1) // 2
        low, top = (middle, top) if holds(middle) else (low, middle - 1)
    return low


def _assuming(kernel: Kernel, tensors: dict[str, tuple[int, int]]) -> Kernel:
    return kernel.with_ranges({n: r for n, r in tensors.items() if n in kernel.inputs})


@dataclass(frozen=True)
class _Sum:
    """One statement of a kernel on an instruction."""

    kernel: Kernel
    number: int
    instruction: Instruction
    operands: Ranges
    binding: tuple[tuple[str, Any], ...]

    @property
    def statement(self) -> Statement:
        return self.kernel.statements[self.number]

    @property
    def name(self) -> str:
        """The number of terms of one element, as the user may write it."""
        return "*".join(self.meeting.axes) if self.meeting.axes and not self.meeting.how else "terms"

    @cached_property
    def meeting(self) -> Fibres:
        """The terms of one element."""
        return fibres(self.kernel, self.statement)

    @property
    def points(self) -> int | None:
        """The largest number of terms of one element; None if a size is open."""
        return self.meeting.number

    @cached_property
    def term(self) -> TermRange | None:
        found = _term(self.kernel, self.number)
        return found if found is not None and isinstance(found.verdict, Proved) and not found.wraps else None

    def adds(self, terms: int) -> Verdict:
        """Whether the instruction adds in sums of at most so many terms."""
        assert self.term is not None
        bounds = min(0, terms * self.term.low), max(0, terms * self.term.high)
        return _adds(self.instruction, self.operands, bounds)


@lru_cache(maxsize=512)
def _term(kernel: Kernel, number: int) -> TermRange | None:
    return term_of(kernel, kernel.statements[number])


@lru_cache(maxsize=4096)
def _adds(instruction: Instruction, operands: Ranges, sums: tuple[int, int]) -> Verdict:
    """The bit-vector question, for sums within these bounds; the bounds lie within the type."""
    assert instruction.exact is not None
    contract, really = instruction.kernel.statements[0], instruction.exact.statements[0]
    name, found = naming()
    _, parts = contributions(instruction.kernel, contract)
    _, value = accumulation(instruction.exact, really)
    accumulator = f"{contract.target.tensor}[{','.join(map(str, contract.target.index))}]"
    terms, exact = [leaves(p, name) for p in parts], leaves(value, name)
    whole = leaves(whole_reduction(instruction.kernel, contract), name)
    if [n for n, t in found.items() if t == contract.target.tensor] != [accumulator]:
        return Unknown("`exact` computes an accumulator from others")
    types = {n: kind(instruction.kernel.tensor(t).dtype) for n, t in found.items()}
    ranges = {n: (low, high) for o, low, high in operands for n, t in found.items() if t == o}
    return adds(exact, accumulator, whole, terms, types, ranges, sums)


def _unfit(x: _Sum) -> str:
    """The reason why nothing is known about this sum; '' if the questions apply."""
    s, target = x.statement, x.statement.target
    contract, really = x.instruction.kernel.statements[0], x.instruction.exact.statements[0]  # type: ignore[union-attr]
    if x.instruction.engine:
        return "an engine's accumulators may begin at anything"
    if really.reduction_axes or not all(is_constant(a.extent) for a in (*contract.axes, *really.axes)):
        return "`exact` runs over an axis that its accumulator has not, or the instruction's sizes are not numbers"
    same = [a for a in really.axes if a not in contract.axes] == [] and really.target == contract.target
    if not same or any(r.tensor == contract.target.tensor for r in reads(contract.value)):
        return "`exact` and the contract compute other lanes"
    writers = [w for w in x.kernel.statements if w.target.tensor == target.tensor]
    if (
        len(writers) > 1
        or x.kernel.recurrence_of(x.number) is not None
        or any(a.tensor == target.tensor for a in s.inputs)
    ):
        return f"{target.tensor} has more than the terms of one sum, and {x.instruction.short} is a sum only from 0"
    if x.term is None:
        return f"the terms that {target.tensor} adds have no known bounds"
    return ""


def _limits(x: _Sum) -> int | None:
    """The largest number of terms with all sums within the type; None if every number is fine."""
    assert x.term is not None
    return largest_count(x.term.low, x.term.high, kind(x.kernel.tensor(x.statement.target.tensor).dtype))


def _all(x: _Sum) -> Verdict:
    """Both parts for all terms of the kernel's sum."""
    assert x.term is not None
    most, of = _limits(x), kind(x.kernel.tensor(x.statement.target.tensor).dtype)
    if most is None:  # every term is 0
        return x.adds(0)
    if x.points is None or x.points > most:
        return Unknown("sums may leave the type")
    stay = sums_stay(x.term.low, x.term.high, x.points, of)
    return x.adds(x.points) if isinstance(stay, Proved) else Unknown("that sums stay is not proved")


@lru_cache(maxsize=1024)
def _verdict(x: _Sum) -> Verdict:
    if why := _unfit(x):
        return Unknown(why)
    verdict = _all(x)
    if isinstance(verdict, Proved):
        return verdict
    most = _limits(x)
    top = (most if most is not None else 1) if x.points is None else min(x.points, most or 0)
    largest = _greatest(top, lambda n: isinstance(x.adds(n), Proved))
    return _told(x, largest) or Unknown(f"sums of more than {largest} terms may not be what {x.instruction.short} adds")


def _told(x: _Sum, largest: int) -> Refuted | None:
    """One term more than fit, shown in the interpreter, and the largest number that fits; None if nothing is shown."""
    assert x.term is not None
    if largest == 0 and (found := _at_once(x)) is not None:
        return found
    if not x.meeting.exact or (x.points is not None and x.points <= largest):
        return None
    for term, at in ((x.term.high, x.term.greatest), (x.term.low, x.term.least)):
        if at is None or len({n.partition("[")[0] for n in at}) < len(at):
            continue
        cells, target = _cells(x, at), _first(x.instruction.kernel.statements[0].target)
        held = largest * term
        for terms in range(largest, largest + STEPS if x.points is None else min(largest + STEPS, x.points)):
            before = {**cells, target: held}
            want, got = run_cell(replace(x.instruction, exact=None), before), run_cell(x.instruction, before)
            if want != got:
                shown = " and ".join(f"{n} = {v}" for n, v in at.items())
                text = (
                    f"{x.instruction.short} adds at most {largest} of these terms: after {terms} of {shown} the accumulator is "
                    f"{held}, the contract then gives {want}, the instruction {got}; {_fitting(x, largest)}"
                )
                witness = {
                    x.name: terms + 1 if x.points is None else x.points,
                    **at,
                    "contract": want,
                    "instruction": got,
                }
                return Refuted(witness, text)
            held = int(want)
    return None


def _at_once(x: _Sum) -> Refuted | None:
    """Elements with a wrong result after one execution from 0, shown in the interpreter."""
    target = x.instruction.kernel.statements[0].target.tensor
    alone = replace(x, operands=(*x.operands, (target, 0, 0)))
    verdict = alone.adds(1)
    if not isinstance(verdict, Refuted):
        return None
    cells = dict(verdict.witness)
    want, got = run_cell(replace(x.instruction, exact=None), cells), run_cell(x.instruction, cells)
    shown = " ".join(f"{n}={v}" for n, v in verdict.witness.items())
    text = f"{x.instruction.short} at {shown}: the contract gives {want}, the instruction {got}"
    return None if want == got else Refuted({**verdict.witness, "contract": want, "instruction": got}, text)


def _cells(x: _Sum, at: Any) -> dict[str, int]:
    """Values of the operands' first cells for these elements of the kernel; all other cells are 0."""
    found = {}
    by_operand = {a.tensor: a for a in x.instruction.kernel.statements[0].inputs}
    for operand, access in x.binding:
        name = f"{access.tensor}[{','.join(map(str, access.index))}]"
        if name in at and operand in by_operand:
            found[_first(by_operand[operand])] = at[name]
    return found


def _first(access: Any) -> str:
    """The access at the first point, as the name of a cell."""
    names = {s.name: 0 for i in access.index for s in sp.sympify(i).free_symbols}
    return f"{access.tensor}[{','.join(str(int(evaluate(i, names))) for i in access.index)}]"


def _fitting(x: _Sum, largest: int) -> str:
    """The largest fitting number of terms, in words."""
    if not largest:
        return "no sum of such terms fits"
    return f"{x.name} <= {largest} would fit"


__all__ = ["adds_exactly", "beginning", "carries", "widest"]
