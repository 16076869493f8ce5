"""One result that is not what the description says: the operands that it is computed from, the contract's value, and what came."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel

_SHOWN = 8  # operand cells of one result


def example(
    i: Instruction,
    arrays: dict[str, np.ndarray],
    got: np.ndarray,
    wanted: np.ndarray,
    right: np.ndarray,
    verb: str = "gave",
) -> str:
    """The first wrong accumulator, with its operands; arrays have a leading dimension of executions."""
    wrong = np.argwhere(~right)
    x, *cell = (int(n) for n in wrong[0])
    kernel = i.exact or i.kernel
    target = kernel.outputs[0]
    lines = [
        f"{len(wrong):,} of {right.size:,} results are wrong, such as this one:",
        f"{'really computes' if i.exact else 'contract'}: {kernel.text.strip()}",
    ]
    told = [f"{n} = {shown(arrays[t][(x, *at)])}" for n, t, at in _cells(kernel, tuple(cell)) if t in arrays]
    more = f", and {len(told) - _SHOWN} more" if len(told) > _SHOWN else ""
    lines.append(f"operands: {', '.join(told[:_SHOWN])}{more}")
    here = named(target, tuple(cell))
    lines.append(f"the description gives {here} = {shown(wanted[(x, *cell)])}")
    lines.append(f"the instruction {verb} {here} = {shown(got[(x, *cell)])}")
    return "\n".join(lines)


def overwritten(name: str, before: np.ndarray, after: np.ndarray, same: np.ndarray) -> str:
    """An input that the instruction has changed."""
    at = tuple(int(n) for n in np.argwhere(~same)[0])
    cell = named(name, at[1:])
    return (
        f"it overwrites its input {name}, which its description only reads\n"
        f"{cell} was {shown(before[at])} before, and is {shown(after[at])} after"
    )


def named(tensor: str, at: tuple[int, ...]) -> str:
    """An element as kernel text writes it.

    >>> named("a", (0, 3)), named("b", ())
    ('a[0,3]', 'b[]')
    """
    return f"{tensor}[{','.join(map(str, at))}]"


def shown(value: Any) -> str:
    """A number with all its digits."""
    number = value.item() if hasattr(value, "item") else value
    if isinstance(number, int):
        return str(number)
    return f"{float(value):.9g}" if np.asarray(value).dtype != np.float64 else repr(float(value))


def _cells(kernel: Kernel, cell: tuple[int, ...]) -> list[tuple[str, str, tuple[int, ...]]]:
    """(name, tensor, index) of each cell that the contract reads for this one of its output, the old value of that last."""
    s = kernel.statements[0]
    known = {str(e): n for e, n in zip(s.target.index, cell, strict=True) if e.is_Symbol}
    free = [(a.name, int(a.extent)) for a in s.axes if a.name not in known]
    found: dict[str, tuple[str, tuple[int, ...]]] = {}
    for values in product(*(range(n) for _, n in free)):
        env = {**known, **{name: v for (name, _), v in zip(free, values, strict=True)}}
        if any(not evaluate(g, env) for g in s.guard):
            continue
        for access in s.inputs:
            try:
                at = tuple(int(evaluate(e, env)) for e in access.index)
            except (KeyError, TypeError):  # an axis of a sum inside the value
                continue
            found.setdefault(named(access.tensor, at), (access.tensor, at))
    if s.op != "=":
        found.setdefault(named(s.target.tensor, cell), (s.target.tensor, cell))
    return [(name, tensor, at) for name, (tensor, at) in found.items()]
