"""How points outside the guard become harmless: the operand cells to fill, their values, and the conditions."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from isamap_encodings.neutral_element import FILLS, neutral_element, zero_product
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.hypotheses import Finite, Hypothesis, Stated
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.scalar import Read, SMul
from isamap_smt.proof.scalar_trees import accumulation, kind
from isamap_smt.proof.witness import neutral, search
from isamap_smt.proof.witness_points import Instance, at_model
from isamap_smt.proof.witness_text import tell
from isamap_smt.proof.zero_products import Zeros, any_zero_is_enough

FILL = {"+": "0", "*": "1", "max": "the least value of their type", "min": "the greatest value of their type"}
Reached = Callable[[Sequence[str], bool], Verdict]


@dataclass(frozen=True)
class Neutral:
    """The verdict, and the hypotheses it stands on."""

    verdict: Verdict
    hypotheses: tuple[Hypothesis, ...] = ()


def harmless(op: str, value: Any, dead: frozenset[str]) -> bool:
    """Whether a contribution is the neutral element when the operands in `dead` hold the fill, whatever the others hold."""
    match op:
        case "+":
            return Zeros(dead).of(value)
        case "*":
            return _filled(value, dead, SMul)
        case "max" | "min":
            return _filled(value, dead, None)
    return False


def _filled(v: Any, dead: frozenset[str], combine: Any) -> bool:
    if isinstance(v, Read):
        return v.tensor in dead
    return combine is not None and isinstance(v, combine) and all(_filled(a, dead, combine) for a in v.args)


def neutral_claim(mapping: Mapping, reached: Reached, among: Sequence[Instance]) -> Neutral:
    """Claim 6 and its time. See _neutral."""
    started = time.perf_counter()
    result = _neutral(mapping, reached, among)
    seconds = round(time.perf_counter() - started, 6)
    return replace(result, verdict=replace(result.verdict, seconds=seconds))


def _neutral(mapping: Mapping, reached: Reached, among: Sequence[Instance]) -> Neutral:
    """Claim 6. `reached(operands)` is Proved when no point outside the guard shares its output cell and the cells
    of these operands with guarded points; with True it may answer Unknown sooner.
    """
    contract = mapping.instruction.kernel.statements[0]
    out = contract.target.tensor
    operands = [o for o, _ in mapping.binding if o != out]
    if isinstance(reached([], True), Proved):
        return Neutral(Proved())  # every such point has an output cell of its own, which is never stored
    op = accumulation(mapping.kernel, mapping.statement)[0]
    value = accumulation(mapping.instruction.kernel, contract)[1]
    for live in let_through(mapping):
        verdict = reached(live, False)
        if not isinstance(verdict, Proved):
            return Neutral(_refute(mapping, out, live, among, verdict))
    return _assumed(mapping, op, value, operands, reached)


def let_through(mapping: Mapping) -> list[tuple[str, ...]]:
    """The smallest sets of operands that, live, let something through.

    Raises DTypeError if the statement or the contract is no accumulation.
    """
    contract = mapping.instruction.kernel.statements[0]
    operands = [o for o, _ in mapping.binding if o != contract.target.tensor]
    op = accumulation(mapping.kernel, mapping.statement)[0]
    value = accumulation(mapping.instruction.kernel, contract)[1]
    found: list[tuple[str, ...]] = []
    asked = [(frozenset[str](), 0)]  # operands that are live, and from which on each other one may be
    while asked:
        live, at = asked.pop()
        if harmless(op, value, frozenset(operands) - live - set(operands[at:])):
            continue  # whatever else is live
        if not harmless(op, value, frozenset(operands) - live):
            found.append(tuple(o for o in operands if o in live))
            continue
        asked += [(live, at + 1), (live | {operands[at]}, at + 1)]
    found.sort(key=lambda live: (len(live), [operands.index(o) for o in live]))
    return [x for n, x in enumerate(found) if not any(set(smaller) <= set(x) for smaller in found[:n])]


def _refute(mapping: Mapping, out: str, live: tuple[str, ...], among: Sequence[Instance], verdict: Verdict) -> Verdict:
    fused = any(i.fused for i in among)
    found = search(mapping, neutral(live), out, (*among, *at_model(mapping, fused, verdict)))
    if found is not None:
        return Refuted(found.values, tell(mapping, found), verdict.seconds)
    reason = verdict.reason if isinstance(verdict, Unknown) else f"no small counterexample was found: {_words(verdict)}"
    return Unknown(reason, verdict.seconds)


def _words(verdict: Verdict) -> str:
    return verdict.text if isinstance(verdict, Refuted) else verdict.word


def _assumed(mapping: Mapping, op: str, value: Any, operands: list[str], reached: Reached) -> Neutral:
    """Proved, with its hypotheses about the cells and the other operand."""
    tensors = {o: mapping.operand_access(o).tensor for o in operands}
    out = mapping.kernel.tensor(mapping.statement.target.tensor).dtype
    ordered = mapping.statement.ordered and out.is_float
    listed: list[Hypothesis] = [Stated(f"operand cells that no guarded point reads are filled with {FILL[op]}")]
    alive = [o for o in operands if not isinstance(reached([o], True), Proved)]
    if out.is_float and op == "+":
        if ordered and alive:
            text = f"0 * {tensors[alive[0]]} is +0 or -0, and -0 + 0 = +0: an accumulator of -0 would change its sign"
            return Neutral(Refuted({"accumulator": "-0.0", tensors[alive[0]]: "1.0"}, text))
        if ordered:
            stays = f"of these, {operands[0]} holds +0 and the others -0, so that an accumulator of -0 stays"
            listed.append(Stated(stays))
            if len(operands) != 2 or not isinstance(value, SMul):
                return Neutral(Unknown("only products of two operands are padded in an ordered reduction"))
        else:
            listed.append(Stated("padding may turn a sum of -0 into +0"))
        if alive and not any_zero_is_enough(mapping.instruction.kernel):
            return Neutral(
                Unknown("0 is multiplied by what may be infinite though its elements are finite, which is NaN")
            )
        listed += [Finite(t) for o in alive if mapping.kernel.tensor(t := tensors[o]).dtype.is_float]
    verdict = _arithmetic(op, kind(out), bool(ordered), bool(alive))
    if not isinstance(verdict, Proved):
        text = verdict.reason if isinstance(verdict, Unknown) else "the fill is not neutral"
        return Neutral(Unknown(f"padding with {FILL[op]} under {op} in {out}: {text}"))
    return Neutral(Proved(), tuple(dict.fromkeys(listed)))


def _arithmetic(op: str, of: tuple[str, int], ordered: bool, alive: bool) -> Verdict:
    """Whether the fill is neutral in the machine's own arithmetic, for every accumulator; asked once per process.

    A sum without a fixed order need not keep the sign of a zero either.
    """
    if op == "+" and of[0] in ("f", "bf"):
        if ordered:
            return zero_product(of, "0", "-0")
        return zero_product(of, "0", "finite" if alive else "0", signs=False)
    if op == "+" and alive:
        return zero_product(of, "0", "any")
    return neutral_element(op, of, FILLS[op])
