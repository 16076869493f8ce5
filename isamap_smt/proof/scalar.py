"""Scalar: the kernel's value equals the instruction's, operand by operand, in exact machine arithmetic.

Four obligations: the operator is the same; the element types fit; the kernel's value is the contract's; and the
contract, summed over the instruction's own reduction, is the value really computed (intermediate widths and saturation
included). Floating-point values are compared over the reals. A kernel with a fixed order of its reduction (`ordered`)
is refused if the instruction rounds or adds otherwise.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

import numpy as np
import sympy as sp

from isamap_encodings import scalar as encoding
from isamap_encodings.ranges import Question
from isamap_encodings.solve import is_recording
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.dtypes import DTYPES, DType, widens
from isamap_smt.ir.errors import DTypeError
from isamap_smt.ir.expr import is_constant, symbols_of
from isamap_smt.ir.fibres import fibres
from isamap_smt.ir.fused import fma
from isamap_smt.ir.hypotheses import Hypothesis, Range, Stated
from isamap_smt.ir.instruction import Instruction, SelectedInstruction
from isamap_smt.ir.instruction_checks import ROUNDINGS
from isamap_smt.ir.kernel import REDUCTIONS, Access, Kernel, Statement
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.proof import ClaimResult
from isamap_smt.ir.rules import Rule
from isamap_smt.ir.scalar import Cast, Read, Relu, Round, Scalar, SMax, SMin, SMul, index_values
from isamap_smt.ir.typed import HOLDS
from isamap_smt.language.printer import value_text
from isamap_smt.mapping.fuse import bindings
from isamap_smt.proof.bounded_sums import adds_exactly, beginning, carries
from isamap_smt.proof.scalar_bits import equal_bits
from isamap_smt.proof.scalar_numbers import differ
from isamap_smt.proof.scalar_replay import run_cell
from isamap_smt.proof.scalar_rules import by_rules
from isamap_smt.proof.scalar_trees import (
    access_of,
    accumulation,
    fill_value,
    kind,
    leaves,
    naming,
    whole_reduction,
)
from isamap_smt.proof.stated_order import follow_each_other, order_question, states_order

# ---- Ordered reductions: floating point added one product at a time, in the kernel's order, each operation rounded.
#
# An instruction that adds several points in one execution, or rounds a*b + c once instead of twice, gives other bits; a
# concrete example of numbers is the witness.


def order_verdict(mapping: Mapping) -> Verdict:
    """Whether one execution adds one point to each cell, with the kernel's rounding."""
    contract = mapping.instruction.kernel.statements[0]
    groups = dict(mapping.groups)
    if states_order(mapping.instruction):
        if mapping.instruction.rounding in ("exact", "unfused"):
            return follow_each_other(mapping)
        return Unknown(
            f"{mapping.instruction.name} states an order, and rounds {mapping.instruction.rounding}: no rule says which"
        )
    for axis in fibres(mapping.instruction.kernel, contract).axes:
        n = mapping.instruction.axes[axis]
        single = (axis in groups and not groups[axis]) or n == 1
        if not single and accumulation(mapping.kernel, mapping.statement)[0] in ("+", "*"):
            return _several(mapping, axis, n)
    out = mapping.kernel.tensor(mapping.statement.target.tensor).dtype
    match mapping.instruction.rounding:
        case "exact" | "unfused":
            return Proved()
        case "fused":
            return _fused(mapping, out)
    return Unknown(
        f"{mapping.instruction.name} rounds in a way that is not described exactly: {mapping.instruction.rounding}"
    )


def _several(mapping: Mapping, axis: str, n: int) -> Verdict:
    """A sum whose value depends on the order, among the terms of one execution."""
    out = mapping.kernel.tensor(mapping.statement.target.tensor).dtype
    kind = out.numpy.type
    big, one = kind(HOLDS[out.name]), kind(1)
    left, right = kind(kind(big + one) + one), kind(big + kind(one + one))
    if left == right:
        return Unknown(f"{mapping.instruction.name} adds {n} points of {axis} at once, in an order it does not state")
    text = (
        f"the kernel adds one product at a time, {mapping.instruction.name} adds {n} points of {axis} in one execution\n"
        f"  kernel       ({float(big):.0f} + 1) + 1 = {float(left):.0f}\n"
        f"  instruction  {float(big):.0f} + (1 + 1) = {float(right):.0f}   in {out}, as it may add them"
    )
    return Refuted(
        {"accumulator": float(big), "products": "1, 1", "kernel": float(left), "instruction": float(right)}, text
    )


def _fused(mapping: Mapping, out: DType) -> Verdict:
    """a*b + c rounded once against rounded twice, in the type of the accumulator."""
    _, value = accumulation(mapping.kernel, mapping.statement)
    if not isinstance(value, SMul):
        return Unknown("a fused rounding is compared for products only")
    if all(_narrow(a, mapping) for a in value.args):
        return Proved()  # f16 * f16 is exact in f32: 11 + 11 bits fit 24, and the exponents fit, too
    if out.name not in ("f32", "f64"):
        return Unknown(f"no fused multiply-add is described for {out}")
    kind = out.numpy.type
    a = kind(1 + 2.0 ** -(27 if out.bits == 64 else 12))
    c = kind(-(a * a))
    once = fma(np.array([a]), np.array([a]), np.array([c]))[0]
    twice = kind(kind(a * a) + c)
    exact = Fraction(float(a)) ** 2 + Fraction(float(c))
    if once == twice or Fraction(float(once)) != exact or not _any_value(value, mapping, out):
        return Unknown("no example was found where rounding once differs from rounding twice")
    text = (
        f"{mapping.instruction.name} rounds a*b + c once, the kernel rounds a*b first\n"
        f"  a = b = {float(a)!r}, c = {float(c)!r}\n"
        f"  kernel       {float(twice)!r}\n  instruction  {float(once)!r}"
    )
    return Refuted(
        {"a": float(a), "b": float(a), "c": float(c), "kernel": float(twice), "instruction": float(once)}, text
    )


def _narrow(e: Any, mapping: Mapping) -> bool:
    return (
        isinstance(e, Cast)
        and str(e.args[0]) == "f32"
        and isinstance(e.args[1], Read)
        and mapping.kernel.tensor(e.args[1].tensor).dtype.name == "f16"
    )


def _any_value(e: Any, mapping: Mapping, out: DType) -> bool:
    """Whether both factors are plain elements of the accumulator's type, so the example can occur."""
    return all(isinstance(a, Read) and mapping.kernel.tensor(a.tensor).dtype == out for a in e.args)


ZEROS = Stated("of +0 and -0, max and min may give either: results are equal as values, the sign of a zero is not kept")
FIRST = 1_000_000  # steps of a direct question about integers, before rules are asked
Ranges = dict[str, tuple[int, int]]  # tensor -> least and greatest value


def scalar_claims(mapping: Mapping) -> tuple[ClaimResult, ...]:
    """All scalar obligations of the mapping."""
    contract = _contract_verdict(mapping)
    results = [
        ClaimResult("scalar", "operands", _operands(mapping), _fitting(mapping)),
        ClaimResult("scalar", "value", _value(mapping), "the kernel's value is the contract's"),
        ClaimResult("scalar", "instruction", contract, _computes(contract)),
    ]
    if mapping.statement.ordered and mapping.kernel.tensor(mapping.statement.target.tensor).dtype.is_float:
        results.append(
            ClaimResult(
                "scalar", "order", order_verdict(mapping), "the reduction keeps the kernel's order and rounding"
            )
        )
    return tuple(results)


def _computes(contract: Verdict) -> str:
    """Statement of the claim about the instruction; a chain of rules is named."""
    text = "the instruction computes its contract"
    return f"{text}, by {contract.how}" if isinstance(contract, Proved) and contract.how else text


def _fitting(mapping: Mapping) -> str:
    """Statement of the claim about operands; conversions are named."""
    words = ["element types and operator fit"]
    for operand, access in mapping.binding:
        wanted = _converted(mapping, operand)
        if wanted is not None:
            words.append(
                f"{access.tensor} is converted from {mapping.element(operand)} to {wanted}, which has all its values"
            )
    return "; ".join(dict.fromkeys(words))


def arithmetic(mapping: Mapping) -> str:
    """'exact', 'ordered' or 'reassociate': the meaning of 'equal' in this mapping's proof."""
    return _arithmetic(mapping.kernel, mapping.statement, mapping.instruction.rounding)


def _arithmetic(kernel: Kernel, s: Statement, rounding: str) -> str:
    if not kernel.tensor(s.target.tensor).dtype.is_float:
        return "exact"
    if s.ordered:
        return "ordered"
    if accumulation(kernel, s)[0] in ("=", "max", "min") and rounding in ("exact", "unfused"):
        return "exact"
    return "reassociate"


def computed_arithmetic(kernel: Kernel) -> tuple[str, tuple[Hypothesis, ...]]:
    """(the meaning of 'equal', the hypotheses) for statements computed in the kernel's own operations."""
    kinds = [_arithmetic(kernel, s, "unfused") for s in kernel.statements]
    listed = [
        _any_order(kernel, s)
        for s, kind in zip(kernel.statements, kinds, strict=True)
        if kind == "reassociate" and not fibres(kernel, s).apart and accumulation(kernel, s)[0] in ("+", "*")
    ]
    listed += [ZEROS for s in kernel.statements if _zeros_meet(kernel, s)]
    return "; ".join(dict.fromkeys(kinds)), tuple(dict.fromkeys(listed))


def scalar_hypotheses(mapping: Mapping) -> tuple[Hypothesis, ...]:
    """Hypotheses of the scalar claim: value ranges, and rounding and order, invisible over the reals."""
    i = mapping.instruction
    ranges = [*mapping.kernel.ranges, *((mapping.operand_access(o).tensor, low, high) for o, low, high in i.assume)]
    listed: list[Hypothesis] = [*(Range(*r) for r in dict.fromkeys(ranges)), *beginning(mapping)]
    s = mapping.statement
    if arithmetic(mapping) == "reassociate":
        if not fibres(mapping.kernel, s).apart and accumulation(mapping.kernel, s)[0] in ("+", "*"):
            listed.append(_any_order(mapping.kernel, s))
        if i.rounding == "fused":
            listed.append(Stated(f"{i.name} rounds a product and its sum once"))
        if isinstance(i, SelectedInstruction) and i.rules:
            names = ", ".join(f"`{r.name}`" for r in i.rules)
            listed.append(
                Stated(f"{i.name} computes the same real numbers otherwise, and rounds those results: {names}")
            )
    if _zeros_meet(mapping.kernel, s):
        listed.append(ZEROS)
    if i.rounding not in ROUNDINGS:
        listed.append(Stated(f"{i.name}: {i.rounding}"))
    return tuple(listed)


def _any_order(kernel: Kernel, s: Statement) -> Stated:
    over = ", ".join(fibres(kernel, s).axes)
    return Stated(f"terms over {over} may be combined in any order, each result rounded to nearest even")


def _zeros_meet(kernel: Kernel, s: Statement) -> bool:
    """Whether a floating-point max or min may choose between +0 and -0."""
    out = kernel.tensor(s.target.tensor).dtype
    op, value = accumulation(kernel, s)
    return out.is_float and (op in ("max", "min") or value.has(SMax, SMin, Relu))


def _operands(mapping: Mapping) -> Verdict:
    kernel, instruction = mapping.kernel, mapping.instruction
    contract, s = instruction.kernel.statements[0], mapping.statement
    try:
        theirs, ours = accumulation(instruction.kernel, contract)[0], accumulation(kernel, s)[0]
    except DTypeError as e:
        return Refuted({}, str(e))
    if theirs != ours:
        text = f"{kernel.name} combines with {REDUCTIONS[ours]}, {instruction.name} with {REDUCTIONS[theirs]}"
        return Refuted({"kernel": REDUCTIONS[ours], "instruction": REDUCTIONS[theirs]}, text)
    for operand, access in mapping.binding:
        wanted, held = instruction.kernel.tensor(operand).dtype, kernel.tensor(access.tensor).dtype
        # what is written back must be the type itself; what is read may be converted on the way if nothing is lost
        if wanted != held and (operand == contract.target.tensor or not widens(held, wanted)):
            text = f"operand {operand} of {instruction.name} is {wanted}, {access.tensor} holds {held}"
            return Refuted({operand: str(wanted), access.tensor: str(held)}, text)
    return Proved()


def _converted(mapping: Mapping, operand: str) -> DType | None:
    """The operand's type if elements of another type are converted to it, else None."""
    wanted, held = mapping.instruction.kernel.tensor(operand).dtype, mapping.element(operand)
    return wanted if wanted != held and widens(held, wanted) else None


def _value(mapping: Mapping) -> Verdict:
    """The kernel's value against the contract, with every access under one name on both sides."""
    held = assumed_ranges(mapping)
    if isinstance(held, Unknown):
        return held
    if values := index_values(mapping.statement.value):
        return Refuted({}, f"{values[0]} is a value in it, which no instruction is given")
    try:
        asked, _ = value_question(mapping, held)
    except DTypeError as e:
        return Refuted({}, str(e))
    except KeyError as e:
        return Refuted({}, f"{mapping.instruction.name} has no operand for {_text(e)} of {mapping.kernel.name}")
    verdict = _up_to_names(asked, arithmetic(mapping) != "reassociate")
    if isinstance(verdict, Refuted):
        what = ", ".join(f"{k} = {v}" for k, v in verdict.witness.items())
        sides = value_text(asked.left), value_text(asked.right)
        text = f"the values differ at {what}\n  kernel       {sides[0]}\n  instruction  {sides[1]}"
        return Refuted(verdict.witness, text, verdict.seconds)
    return verdict


def may_compute(kernel: Kernel, instruction: Instruction, statement: int = 0) -> bool:
    """Whether operator, element types and value are proved to be the instruction's, in some order of operands.

    These claims do not depend on the placement of axes: without such an order no mapping is legal, and none need be
    looked for.
    """
    return any(
        isinstance(_operands(m), Proved) and isinstance(_value(m), Proved)
        for binding in bindings(kernel, instruction, "any", statement)
        for m in (Mapping(kernel, instruction, binding, (), (), (), (), (), statement),)
    )


def _up_to_names(q: Question, bits: bool) -> Verdict:
    """compare(), asked once per process for questions equal up to the names of leaves.

    The new names sort like the old ones and stand only for them. A question whose text is recorded is asked in its own
    names.
    """
    if is_recording():
        return compare(q, bits)
    names = {old: f"isamap_leaf_{k:04d}" for k, old in enumerate(sorted(q.types))}
    own = {new: old for old, new in names.items()}
    table = {sp.Symbol(old): sp.Symbol(new) for old, new in names.items()}
    verdict = _compared(
        q.left.xreplace(table), q.right.xreplace(table), tuple((names[n], k) for n, k in q.types.items()), q.result,
        tuple((names[n], r) for n, r in q.ranges.items()), bits,
    )  # fmt: skip

    def said(text: str) -> str:
        return re.sub(r"isamap_leaf_\d{4}", lambda found: own[found[0]], text)

    match verdict:
        case Proved():
            return replace(verdict, how=said(verdict.how))
        case Refuted():
            witness = {own.get(n, n): v for n, v in verdict.witness.items()}
            return replace(verdict, witness=witness, text=said(verdict.text))
        case Unknown():
            return replace(verdict, reason=said(verdict.reason))


@lru_cache(maxsize=4096)
def _compared(
    left: Any, right: Any, types: tuple[Any, ...], result: Any, ranges: tuple[Any, ...], bits: bool
) -> Verdict:
    return compare(Question(left, right, dict(types), result, dict(ranges)), bits)


def value_question(mapping: Mapping, held: Ranges) -> tuple[Question, dict[str, str]]:
    """The kernel's value against the contract's, for these values of tensors; and leaf -> tensor.

    Raises DTypeError, and KeyError with an access that has no operand.
    """
    kernel, instruction = mapping.kernel, mapping.instruction
    names = {a: _written(a) for _, a in mapping.binding}
    ours = leaves(accumulation(kernel, mapping.statement)[1], lambda r: names[access_of(r)])
    bound = dict(mapping.binding)
    contract = instruction.kernel.statements[0]
    sums = [k.tensor(x.target.tensor).dtype for k, x in ((kernel, mapping.statement), (instruction.kernel, contract))]
    theirs = leaves(
        accumulation(instruction.kernel, contract)[1],
        lambda r: names[bound[r.tensor]],
        lambda r: _converted(mapping, r.tensor) if sums[0] == sums[1] else None,
    )
    types = {n: kind(kernel.tensor(a.tensor).dtype) for a, n in names.items()}
    out = kind(kernel.tensor(mapping.statement.target.tensor).dtype)
    ranges = {n: held[a.tensor] for a, n in names.items() if a.tensor in held}
    return Question(ours, theirs, types, out, ranges), {n: a.tensor for a, n in names.items()}


@lru_cache(maxsize=1024)
def _written(a: Access) -> str:
    return f"{a.tensor}[{','.join(map(str, a.index))}]"


def _text(e: KeyError) -> str:
    a = e.args[0]
    return _written(a) if isinstance(a, Access) else str(a)


def compare(q: Question, bits: bool, rules: tuple[Rule, ...] = ()) -> Verdict:
    """Whether both values are equal; an integer computed from floating point is always compared bit for bit.

    bits: floating-point values agree bit for bit, NaN included, beyond equality over the reals. rules: rewrite rules to
    decide a question the solver gives up.
    """
    if q.result[0] in ("f", "bf"):
        verdict = encoding.equal_reals(q.left, q.right, q.types)
        if not bits and rules and isinstance(verdict, Unknown):
            chain = by_rules(q, rules, reals=True)
            return chain if isinstance(chain, Proved) else verdict
        if not bits and isinstance(verdict, Unknown) and (shown := differ(q)) is not None:
            return shown
        if not bits or isinstance(verdict, Refuted) or encoding.same_tree(_by_maxima(q.left), _by_maxima(q.right)):
            return verdict
        exactly = equal_bits(q, rules)
        return verdict if isinstance(verdict, Unknown) and isinstance(exactly, Unknown) else exactly
    if encoding.same_tree(q.left, q.right):
        return Proved()
    if any(_has_floats(e, q) for e in (q.left, q.right)):
        return equal_bits(q, rules)
    if rules:
        direct = encoding.equal_integers(q.left, q.right, q.types, q.result, q.ranges, FIRST)
        if not isinstance(direct, Unknown) or isinstance(chain := by_rules(q, rules, reals=False), Proved):
            return direct if not isinstance(direct, Unknown) else chain
    return encoding.equal_integers(q.left, q.right, q.types, q.result, q.ranges)


def _by_maxima(e: Any) -> Any:
    """The tree with each relu as a maximum with 0, its meaning in every arithmetic, NaN and signs of zero included."""
    if not isinstance(e, Scalar) or isinstance(e, Read):
        return e
    args = [_by_maxima(a) for a in e.args]
    return SMax(args[0], sp.Integer(0)) if isinstance(e, Relu) else e.func(*args)


def _has_floats(e: Any, q: Question) -> bool:
    """Whether any part of a value is floating point."""
    parts = list(sp.preorder_traversal(e))
    kinds = [str(p.args[0]) for p in parts if isinstance(p, Cast)]
    read = [q.types[p.name][0] for p in parts if p.is_Symbol and p.name in q.types]
    return any(DTYPES[k].is_float for k in kinds) or any(k not in ("i", "u") for k in read) or e.has(Round)


def assumed_ranges(mapping: Mapping) -> Ranges | Unknown:
    """Tensor -> its assumed values, within the element type; Unknown if no value satisfies them all."""
    found: Ranges = {}
    own = [(mapping.operand_access(o).tensor, low, high) for o, low, high in mapping.instruction.assume]
    for name, low, high in (*mapping.kernel.ranges, *own):
        d = mapping.kernel.tensor(name).dtype
        if d.is_float:
            continue  # over the reals any value will do
        before = found.get(name, (d.low, d.high))
        found[name] = max(low, before[0]), min(high, before[1])
        if found[name][0] > found[name][1]:
            return Unknown(
                f"no value of {name} satisfies the assumed ranges, and nothing is proved from a contradiction"
            )
    return found


def _contract_verdict(mapping: Mapping) -> Verdict:
    """Whether the instruction computes its contract; the proof is made once per instruction, ranges and process.

    An operand's cells hold elements in the assumed range, or the neutral value of padding.
    """
    held = assumed_ranges(mapping)
    if isinstance(held, Unknown):
        return held
    if carries(mapping.instruction):
        return adds_exactly(mapping, cell_ranges(mapping, held), held)
    return _contract(mapping.instruction, cell_ranges(mapping, held), arithmetic(mapping) != "reassociate")


def cell_ranges(mapping: Mapping, held: Ranges) -> tuple[tuple[str, int, int], ...]:
    """(operand, low, high) of the possible values of its cells: the tensor's assumed values and the fill of padding."""
    contract = mapping.instruction.kernel.statements[0]
    op = accumulation(mapping.instruction.kernel, contract)[0]
    ranges = []
    for operand, access in mapping.binding:
        own, wanted = mapping.element(operand), _converted(mapping, operand)
        narrow = wanted is not None and not own.is_float and not wanted.is_float
        if access.tensor in held or narrow:
            fill = fill_value(op, wanted or own)
            low, high = held.get(access.tensor, (own.low, own.high))
            ranges.append((operand, min(low, fill), max(high, fill)))
    return tuple(ranges)


@cache
def _contract(instruction: Instruction, assumed: tuple[tuple[str, int, int], ...], bits: bool) -> Verdict:
    if len(instruction.kernel.statements) != 1 or instruction.kernel.statements[0].guard:
        return Unknown("a contract is one statement without a guard; this one is not")
    if instruction.exact is None:
        return Proved()
    if len(instruction.exact.statements) != 1:
        return Unknown("`exact` is more than one statement")
    if instruction.exact.statements[0].guard:
        return Unknown("`exact` has a guard: at points where it fails nothing is computed")
    if set(instruction.exact.tensors) != set(instruction.kernel.tensors):
        return Unknown("`exact` and the contract speak of other operands")
    contract, really = instruction.kernel.statements[0], instruction.exact.statements[0]
    if not all(is_constant(a.extent) for a in (*contract.axes, *really.axes)):
        return Unknown("the instruction's sizes are not numbers")
    if states_order(instruction):
        verdict = compare(order_question(instruction)[0], bits)
        return _replayed(instruction, verdict) if isinstance(verdict, Refuted) else verdict
    op, _ = accumulation(instruction.kernel, contract)
    other, _ = accumulation(instruction.exact, really)
    if op != other or contract.target != really.target:
        return Refuted({}, f"the contract combines with {REDUCTIONS[op]}, the instruction with {REDUCTIONS[other]}")
    lanes = symbols_of(contract.target.index)
    if any(contract.axis(a).extent != next((x.extent for x in really.axes if x.name == a), None) for a in lanes):
        return Unknown("`exact` and the contract compute other numbers of lanes")
    asked, _ = contract_question(instruction, assumed)
    verdict = compare(asked, bits, instruction.rules if isinstance(instruction, SelectedInstruction) else ())
    return _replayed(instruction, verdict) if isinstance(verdict, Refuted) else verdict


def contract_question(
    instruction: Instruction, assumed: tuple[tuple[str, int, int], ...]
) -> tuple[Question, dict[str, str]]:
    """The contract against the value really computed, its own reduction written out; and leaf -> operand.

    assumed: (operand, low, high). The instruction has `exact`, of one statement.
    """
    assert instruction.exact is not None
    contract, really = instruction.kernel.statements[0], instruction.exact.statements[0]
    name, found = naming()
    ours = leaves(whole_reduction(instruction.kernel, contract), name)
    theirs = leaves(whole_reduction(instruction.exact, really), name)
    types = {n: kind(instruction.kernel.tensor(t).dtype) for n, t in found.items()}
    ranges = {n: (low, high) for o, low, high in assumed for n, t in found.items() if t == o}
    out = kind(instruction.kernel.tensor(contract.target.tensor).dtype)
    return Question(ours, theirs, types, out, ranges), found


def _replayed(instruction: Instruction, verdict: Refuted) -> Verdict:
    """The witness run through the interpreter: once by the contract, once by the instruction itself."""
    elements = {n: v for n, v in verdict.witness.items() if "[" in n}
    want = run_cell(replace(instruction, exact=None), elements)
    got = run_cell(instruction, elements)
    shown = " ".join(f"{n}={v}" for n, v in elements.items() if v)
    if repr(want) == repr(got):
        return Unknown(f"internal error: the witness {shown} does not replay in the interpreter", verdict.seconds)
    text = f"{instruction.short} at {shown}: the contract gives {want}, the instruction {got}"
    witness = {**elements, "contract": want, "instruction": got}
    return Refuted(witness, text, verdict.seconds)


__all__ = [
    "Ranges",
    "arithmetic",
    "assumed_ranges",
    "cell_ranges",
    "contract_question",
    "may_compute",
    "scalar_claims",
    "scalar_hypotheses",
    "value_question",
]
