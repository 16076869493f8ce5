"""Runs the program of a core: computes its results, and finds what no correct program does.

Findings are results dependent on poison, accesses outside a tensor or buffer, writes to an input, lanes in another
layout than their instruction takes, states other than an instruction needs, and two iterations of a parallel loop on
one element.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from isamap_smt.ir.arguments import valid_sizes
from isamap_smt.ir.errors import LanguageError, SizeError
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.folds import folded, laid_out
from isamap_smt.ir.hypotheses import require_assumed
from isamap_smt.ir.indirect import index_tensors
from isamap_smt.ir.interpret import neutral
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.program import FRESH, Program
from isamap_smt.ir.program_at import at_own_values
from isamap_smt.ir.used import require_used
from isamap_smt.simulator.core import Core, Space, races
from isamap_smt.simulator.findings import POISON, RACE, UNDEFINED, Finding, Stop
from isamap_smt.simulator.iterations import in_order, standings

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Run:
    """outputs by tensor name; poison masks of the same shapes; findings in the order they happened."""

    outputs: Arrays
    poisoned: Arrays
    findings: tuple[Finding, ...]

    @property
    def clean(self) -> bool:
        """Whether nothing was found."""
        return not self.findings


def run_program(
    program: Program, arrays: Arrays, out: Arrays | np.ndarray | None = None, sizes: Mapping[str, int] | None = None,
    poison: bool = True, seed: int = 0,
) -> Run:  # fmt: skip
    """Run `ahead`, then `body`. Outputs start at `out`, or at the reduction's neutral element; inputs are not changed.

    Unfilled tensors (Program.unfilled) start with any content: temporaries, and outputs if `out` is not given. Free
    sizes are read off the arrays' shapes if a dimension is a size by itself; the others come from `sizes`. A program
    with machine parameters is run at the values its schedules were made for.

    Parallel loops run in an order drawn from `seed`. With poison=False memory starts as zeros and poison is not
    reported. Raises SizeError if a size is unknown, an array's shape does not fit the kernel, or an index made of data
    is invalid; AssumedError if sizes or elements are not as the program assumes.
    """
    kept = folded(program)  # in blocks of their own; the tensor's memory holds anything
    program = laid_out(at_own_values(program))
    kernel = program.kernel
    known = _sizes(kernel, arrays, valid_sizes(sizes))
    require_assumed(kernel, program.hypotheses, known, arrays)
    if index_tensors(kernel):
        require_used(kernel.with_sizes(known), {n: np.asarray(arrays[n]) for n in kernel.inputs if n in arrays})
    env = {**known, FRESH.name: int(out is None)}
    random = np.random.default_rng(seed)
    core = _begun(program, arrays, out, env, Core(kernel, {}, poison, random))
    findings = _carried_out(program, env, core, random)
    outputs = {n: core.tensors[n] for n in kernel.outputs}
    shaped = {n: core.data[s].reshape(s.shape) for n, s in outputs.items()}
    masks = {n: core.mask[s].reshape(s.shape) for n, s in outputs.items()}
    for name, mask in masks.items() if poison and not findings else ():
        # what a run that was stopped did not come to is no finding, nor elements that nobody needs
        if mask.any() and name not in kept and name in kernel.results:
            where = [int(i) for i in np.argwhere(mask)[0]]
            findings.append(Finding(POISON, f"{name}{where} depends on memory nobody wrote"))
    return Run(shaped, masks, tuple(findings))


def _carried_out(program: Program, env: dict[str, int], core: Core, random: np.random.Generator) -> list[Finding]:
    """Everything in order, up to the first finding."""
    at: dict[str, int] = {}
    try:
        found = standings((*program.ahead, *program.body), env, random)
        acts = [core.act(n, s) if s.rows.count else None for n, s in enumerate(found)]
        if met := races(core.touches):
            raise Stop(RACE, met)
        with np.errstate(all="ignore"):
            for n, row in zip(*in_order(found), strict=True):
                act = acts[n]
                if act is not None:
                    at = {"": n, "row": row}
                    act(row)
    except KeyError as e:
        return [Finding(UNDEFINED, f"nothing defines {e.args[0]} where it is used")]
    except LanguageError as e:
        return [Finding(UNDEFINED, str(e))]
    except Stop as e:
        return [Finding(e.kind, e.text, found[at[""]].rows.at(at["row"]) if at else {})]
    return []


def _sizes(kernel: Kernel, arrays: Arrays, env: dict[str, int]) -> dict[str, int]:
    for t in kernel.tensors:
        if t.name in arrays:
            for e, n in zip(t.shape, np.shape(arrays[t.name]), strict=False):
                if getattr(e, "is_Symbol", False):
                    env.setdefault(e.name, int(n))
    missing = sorted({*kernel.free_sizes, *(p.name for p in kernel.parameters)} - set(env))
    if missing:
        raise SizeError(f"{kernel.name} needs a value for {', '.join(missing)}; pass sizes=")
    return env


def _begun(program: Program, arrays: Arrays, out: Arrays | np.ndarray | None, env: dict[str, int], core: Core) -> Core:
    """Makes the kernel's tensors arrays in memory; unwritten ones hold anything, like a new buffer."""
    kernel = program.kernel
    unwritten = {n for n in program.unfilled if out is None or n in kernel.temporaries}
    ops = {s.target.tensor: s.op for s in reversed(kernel.statements)}
    given = out if isinstance(out, Mapping) else {} if out is None else {kernel.outputs[0]: out}
    for t in kernel.tensors:
        shape = tuple(int(evaluate(e, env)) for e in t.shape)
        if t.name not in ops:
            data = np.ascontiguousarray(arrays[t.name], dtype=t.dtype.numpy).reshape(np.shape(arrays[t.name]))
        elif t.name in given and t.name not in kernel.temporaries:
            data = given[t.name].copy()
        else:
            data = np.full(shape, neutral(ops[t.name], t.dtype), t.dtype.numpy)
        if data.shape != shape:
            raise SizeError(f"{t.name} has shape {data.shape}, the kernel needs {shape}")
        space = core.tensors[t.name] = Space(t.name, -1, shape, t.dtype, readonly=t.name not in ops)
        poisoned = core.poisoning and t.name in unwritten
        core.put(space, core.fresh(space.size, t.dtype) if poisoned else data.reshape(-1), poisoned)
    return core
