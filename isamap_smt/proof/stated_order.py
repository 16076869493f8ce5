"""Sums of floating point in the order of an instruction: `exact` is a function of its accumulator.

    contract  c[i] += a[i,k] * b[k]        exact  c[i] = ((c[i] + a[i,0]*b[0]) + a[i,1]*b[1]) + a[i,2]*b[2]

Over the reals this is the contract, in any order. An `ordered` sum demands more: the same bits as adding one term after
the other, in the kernel's order. This holds if `exact` is that chain, with each operation rounded, and if the points of
one execution follow each other in the kernel, too.
"""

from __future__ import annotations

from typing import Any

from isamap_encodings.ranges import Question
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.fibres import fibres
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.scalar import SAdd, read
from isamap_smt.ir.typed import HOLDS, plain, typed_value
from isamap_smt.proof.scalar_trees import accumulation, contributions, kind, leaves, naming, unrolled


def states_order(instruction: Instruction) -> bool:
    """Whether `exact` is a function of a floating-point accumulator, and the contract adds to that accumulator."""
    i = instruction
    if i.exact is None or len(i.exact.statements) != 1 or len(i.kernel.statements) != 1:
        return False
    really, contract = i.exact.statements[0], i.kernel.statements[0]
    if really.guard or contract.guard or really.op != "=" or really.target not in really.inputs:
        return False
    if not i.kernel.tensor(contract.target.tensor).dtype.is_float or really.target != contract.target:
        return False
    try:
        ours, theirs = (accumulation(k, k.statements[0])[0] for k in (i.kernel, i.exact))
    except IsamapError:
        return False
    return ours == "+" and theirs in ("+", "=") and not really.reduction_axes


def order_question(instruction: Instruction) -> tuple[Question, dict[str, str]]:
    """The accumulator and the terms, one after the other in the order of the contract's axes, against `exact`; leaf -> operand."""
    assert instruction.exact is not None
    contract, really = instruction.kernel.statements[0], instruction.exact.statements[0]
    name, found = naming()
    chain: Any = read(contract.target.tensor, *contract.target.index)
    value = unrolled(
        plain(typed_value(instruction.exact, really), {t.name: t.dtype for t in instruction.exact.tensors})
    )
    for term in contributions(instruction.kernel, contract)[1]:
        chain = SAdd(chain, term)
    ours, theirs = leaves(chain, name), leaves(value, name)
    types = {n: kind(instruction.kernel.tensor(t).dtype) for n, t in found.items()}
    return Question(ours, theirs, types, kind(instruction.kernel.tensor(contract.target.tensor).dtype), {}), found


def follow_each_other(mapping: Mapping) -> Verdict:
    """Whether one execution adds consecutive points of the kernel's sum to a cell, in the instruction's order."""
    s, groups = mapping.statement, dict(mapping.groups)
    inside = fibres(mapping.instruction.kernel, mapping.instruction.kernel.statements[0]).axes
    several = [t for t in inside if mapping.instruction.axes[t] > 1 and groups.get(t)]
    if not mapping.groups or len(several) > 1:
        return Unknown(
            "the order of the points that one execution adds is not derived of several axes, or of expressions"
        )
    taken = groups[several[0]] if several else ()
    order = tuple(a.name for a in s.axes if a.name in s.reduction_axes and a.extent != 1)
    taken = tuple(a for a in taken if a in order)
    if taken == order[len(order) - len(taken) :]:
        return Proved()
    later = next(a for a in reversed(order) if a not in taken) if set(order) - set(taken) else order[-1]
    out = mapping.kernel.tensor(s.target.tensor).dtype
    number = out.numpy.type
    big, one = number(HOLDS[out.name]), number(1)
    kernel, instruction = number(number(big + one) - big), number(number(big - big) + one)
    text = (
        f"{mapping.instruction.name} adds the next points of {'.'.join(taken)} in one execution, and the kernel the next ones of "
        f"{later} first\n  kernel       ({float(big):.0f} + 1) - {float(big):.0f} = {float(kernel):.0f}\n"
        f"  instruction  ({float(big):.0f} - {float(big):.0f}) + 1 = {float(instruction):.0f}   in {out}"
    )
    return Refuted(
        {
            "terms": f"{float(big):.0f}, 1, -{float(big):.0f}",
            "kernel": float(kernel),
            "instruction": float(instruction),
        },
        text,
    )


__all__ = ["follow_each_other", "order_question", "states_order"]
