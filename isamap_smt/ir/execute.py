"""What a lowered program does, run in NumPy with poisoned memory.

Every cell of a buffer is poison from its Alloc until something is written to it. Poison spreads through loads, stores
and executions; a result that depends on it is a finding. So are an access outside a tensor or buffer, a write to an
input, lanes that are not consecutive in memory, and two iterations of a parallel loop that touch the same element.
What each node does is in steps.py and transfer_steps.py, the state of a run in machine.py.
"""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import dataclass

import numpy as np

from isamap_smt.ir.compiled import integers
from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.interpret import neutral
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.machine import (
    BOUNDS,
    LANES,
    POISON,
    RACE,
    UNDEFINED,
    WRITE,
    Finding,
    Machine,
    Memory,
    Stop,
    garbage,
)
from isamap_smt.ir.program import FRESH, Program
from isamap_smt.ir.steps import body_of


@dataclass(frozen=True)
class Run:
    """outputs by tensor name; poison masks of the same shapes; findings in the order they happened."""

    outputs: Dict[str, np.ndarray]
    poisoned: Dict[str, np.ndarray]
    findings: tuple[Finding, ...]

    @property
    def clean(self) -> bool:
        """Whether nothing was found."""
        return not self.findings


def run_program(
    program: Program,
    arrays: Dict[str, np.ndarray],
    out: Dict[str, np.ndarray] | np.ndarray | None = None,
    sizes: Dict[str, int] | None = None,
    poison: bool = True,
    seed: int = 0,
) -> Run:
    """Run `ahead`, then `body`. Outputs start at `out`, or at the reduction's neutral element; inputs are not changed.

    What the program starts by itself (Program.starts) holds anything before: temporaries, and outputs where `out` is
    not given. Free sizes are read off the arrays' shapes where a dimension is a size by itself; the others come from `sizes`.
    Parallel loops run in an order drawn from `seed`. With poison=False memory starts as zeros and poison is not
    reported. Raises SizeError when a size is unknown or an array's shape does not fit the kernel.
    """
    kernel = program.kernel
    env = {**_sizes(kernel, arrays, dict(sizes or {})), FRESH.name: int(out is None)}
    m = Machine(kernel, env, poison, seed)
    _bind(m, arrays, out, {n for n in program.starts if out is None or n in kernel.temporaries})
    held = {n: m.memory[n] for n in kernel.outputs}
    run = body_of((*program.ahead, *program.body))
    whole = True
    try:
        with np.errstate(all="ignore"):
            run(m)
    except Stop:
        whole = False
    except KeyError as e:
        m.findings.append(Finding(UNDEFINED, f"nothing defines {e.args[0]} where it is used"))
    for name, array in held.items():
        mask = array.mask.reshape(array.shape)
        if poison and whole and mask.any():  # what a run that was stopped did not come to is no finding
            where = [int(i) for i in np.argwhere(mask)[0]]
            m.findings.append(Finding(POISON, f"{name}{where} depends on memory nobody wrote"))
    outputs = {n: a.data.reshape(a.shape) for n, a in held.items()}
    return Run(outputs, {n: a.mask.reshape(a.shape) for n, a in held.items()}, tuple(m.findings))


def _sizes(kernel: Kernel, arrays: Dict[str, np.ndarray], env: dict[str, int]) -> dict[str, int]:
    for t in kernel.tensors:
        if t.name in arrays:
            for e, n in zip(t.shape, np.shape(arrays[t.name]), strict=False):
                if getattr(e, "is_Symbol", False):
                    env.setdefault(e.name, int(n))
    missing = sorted({*kernel.free_sizes, *(p.name for p in kernel.parameters)} - set(env))
    if missing:
        raise SizeError(f"{kernel.name} needs a value for {', '.join(missing)}; pass sizes=")
    return env


def _bind(
    m: Machine, arrays: Dict[str, np.ndarray], out: Dict[str, np.ndarray] | np.ndarray | None, unwritten: set[str]
) -> None:
    """Make the kernel's tensors arrays in memory; those that are unwritten hold anything, as a new buffer does."""
    ops = {s.target.tensor: s.op for s in reversed(m.kernel.statements)}
    given = out if isinstance(out, Dict) else {} if out is None else {m.kernel.outputs[0]: out}
    given = {n: a for n, a in given.items() if n not in m.kernel.temporaries}
    for t in m.kernel.tensors:
        shape = integers(t.shape)(m.env)
        if t.name in ops:
            data = given.get(t.name)
            data = np.full(shape, neutral(ops[t.name], t.dtype), t.dtype.numpy) if data is None else data.copy()
        else:
            data = np.ascontiguousarray(arrays[t.name], dtype=t.dtype.numpy).reshape(np.shape(arrays[t.name]))
        if data.shape != shape:
            raise SizeError(f"{t.name} has shape {data.shape}, the kernel needs {shape}")
        poisoned = m.poisoning and t.name in unwritten
        flat = m.fresh(shape, t.dtype) if poisoned else data.reshape(-1)
        m.memory[t.name] = Memory(t.name, flat, shape, t.dtype, poisoned, readonly=t.name not in ops)


__all__ = ["BOUNDS", "LANES", "POISON", "RACE", "UNDEFINED", "WRITE", "Finding", "Run", "garbage", "run_program"]
