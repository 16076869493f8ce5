"""Compute instructions: run on operands that find mistakes, once forwards, once backwards, and by two threads at a time."""

from __future__ import annotations

from dataclasses import replace
from math import prod

import numpy as np
import sympy as sp

from isamap_smt.ir.expr import Inside, written
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.indirect import drawn, index_tensors
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.move_form import MAIN
from isamap_smt.ir.scalar import Read, rewrite_reads
from isamap_smt.runtime.conformance import source
from isamap_smt.runtime.conformance.arena import Arena
from isamap_smt.runtime.conformance.operands import random_values, same_bits, simple_values, within
from isamap_smt.runtime.conformance.outcome import NotRunnableError, Step, example, overwritten
from isamap_smt.runtime.conformance.rounding import judged_by, only_rounding, right
from isamap_smt.runtime.conformance.spots import as_cells, as_memory

Arrays = dict[str, np.ndarray]
ROUNDS = (
    "\nall of them are within the error bound of the sum: it may be right but for rounding={!r}; 'fused' rounds a product and its "
    "sum once, 'unfused' each, and other words are held to that bound"
)
_TABLE = 61  # elements of a table in main memory
_SIMPLE = 16  # executions on small numbers, which come first, so that a counterexample reads well
_TOGETHER = 512  # executions of each thread, which it repeats


def sampled(i: Instruction) -> Instruction:
    """The same instruction on short tables: what lies in main memory has as many cells as an index reaches."""
    far = {t.name for t in i.kernel.tensors if dict(i.places).get(t.name) == MAIN}
    if not far:
        return i

    def short(r: Read) -> Read:
        return Read(r.args[0], *(Inside(written(x), sp.Integer(_TABLE)) for x in r.index)) if r.tensor in far else r

    def cut(k: Kernel) -> Kernel:
        tensors = tuple(replace(t, shape=(sp.Integer(_TABLE),)) if t.name in far else t for t in k.tensors)
        statements = tuple(replace(s, value=rewrite_reads(s.value, short)) for s in k.statements)
        return replace(k, tensors=tensors, statements=statements)

    return replace(i, kernel=cut(i.kernel), exact=None if i.exact is None else cut(i.exact))


def operands(i: Instruction, results: int, random: np.random.Generator) -> Arrays:
    """Operands of at least so many accumulators, and of a whole number of blocks of executions.

    If the description assumes a range, all values lie in it, unless it states the real computation. What is an index
    names a cell.
    """
    target = i.kernel.tensor(i.kernel.outputs[0])
    batch = -(-max(results, 1) // prod(int(e) for e in target.shape))
    batch = max(2 * _SIMPLE, -(-batch // source.AT_ONCE) * source.AT_ONCE)
    assumed = {o: (low, high) for o, low, high in i.assume} if i.exact is None else {}
    arrays = {}
    for t in i.kernel.tensors:
        cells, data = prod(int(e) for e in t.shape), t.name in index_tensors(i.kernel)
        if t.name in assumed or data:
            ends = assumed.get(t.name) or drawn(i.kernel, t.name, t.dtype.low, t.dtype.high)
            values = within(t.dtype, *ends, batch * cells, random)
        else:
            first = simple_values(t.dtype, _SIMPLE * cells, random)
            values = np.concatenate([first, random_values(t.dtype, (batch - _SIMPLE) * cells, random)])
        arrays[t.name] = values.reshape(batch, *(int(e) for e in t.shape))
    return arrays


def function(i: Instruction, machine: Hardware, number: int) -> str:
    """The instruction as C. Raises NotRunnableError."""
    if not judged_by(i):
        raise NotRunnableError(
            f"how it rounds is said in words that no check knows: {i.rounding!r}; say 'exact', 'unfused' or 'fused' if one is meant"
        )
    if i.numbered:
        return source.numbered_compute(number, i, machine, *numbered_moves(i, machine))
    i, held = sampled(i), dict(i.places)
    untyped = [t.name for t in i.kernel.tensors if t.name not in dict(i.c_types) and held[t.name] != MAIN]
    if untyped:
        raise NotRunnableError(f"operand {untyped[0]} has no C type; add c_types={{..., {untyped[0]!r}: ...}}")
    return source.compute(number, i, machine)


def numbered_moves(i: Instruction, machine: Hardware) -> tuple[dict[str, Instruction], Instruction]:
    """The machine's own moves to fill the operands' registers and empty the result's. Raises NotRunnableError."""
    loads: dict[str, Instruction] = {}
    for t in i.kernel.tensors:
        load = source.whole_move(machine, i, t.name, store=False)
        if load is None:
            raise NotRunnableError(f"{machine.name} has no load of all cells of its operand {t.name}")
        loads[t.name] = load
    store = source.whole_move(machine, i, i.kernel.outputs[0], store=True)
    if store is None:
        raise NotRunnableError(f"{machine.name} has no store of all cells of its result")
    return loads, store


def steps(
    i: Instruction, machine: Hardware, number: int, results: int, random: np.random.Generator, arena: Arena
) -> list[Step]:
    """The steps to run, laid out in the arena."""
    i = sampled(i)
    arrays = operands(i, results, random)
    runs = numbered_runs if i.numbered else plain_runs
    return runs(i, machine, source.FUNCTION.format(number), arrays, arena)


def plain_runs(i: Instruction, machine: Hardware, name: str, arrays: Arrays, arena: Arena) -> list[Step]:
    """Runs with registers in C variables: their bytes are their cells, in order."""
    backwards = {n: a[::-1].copy() for n, a in arrays.items()}
    few = {n: a[:_TOGETHER] for n, a in arrays.items()}
    others = {n: a[-len(few[n]) :] for n, a in arrays.items()}

    def call(given: Arrays) -> tuple[tuple[int, ...], tuple[int, ...], int, int]:
        begin = tuple(arena.array(given[t.name]) for t in i.kernel.tensors)
        end = tuple(arena.room(given[t.name].nbytes) for t in i.kernel.tensors)
        return begin, end, len(given[i.kernel.outputs[0]]), arena.end - min(end)

    def step(where: str, said: str, *givens: Arrays) -> Step:
        placed = [call(g) for g in givens]

        def verify(a: Arena) -> str:
            for given, (_, end, _, _) in zip(givens, placed, strict=True):
                after = {
                    t.name: a.read(at, given[t.name].nbytes).view(t.dtype.numpy).reshape(given[t.name].shape)
                    for t, at in zip(i.kernel.tensors, end, strict=True)
                }
                if found := _wrong(i, given, after):
                    return said + found
            return ""

        cells = sum(g[i.kernel.outputs[0]].size for g in givens)
        return Step(tuple((name, b, e, (), n, n, size) for b, e, n, size in placed), verify, where, cells)

    return [
        step("on random and edge operands", "", arrays),
        step("when it is run again", "right when it was run first, wrong when it is run again: it keeps something\n", backwards),
        step(
            "when two threads run it",
            "right in one thread, wrong when two run it at a time: they share something\n",
            few, others,
        ),
    ]  # fmt: skip


def _wrong(i: Instruction, before: Arrays, after: Arrays) -> str:
    target = i.kernel.outputs[0]
    found, wanted = right(i, before, after[target])
    for n, cells in before.items():
        same = same_bits(after[n], cells)
        if n != target and not same.all():
            return overwritten(n, cells, after[n], same)
    if found.all():
        return ""
    told = example(i, before, after[target], wanted, found)
    return told + ROUNDS.format(i.rounding) if only_rounding(i, before, after[target], found) else told


def numbered_runs(i: Instruction, machine: Hardware, name: str, arrays: Arrays, arena: Arena) -> list[Step]:
    """Runs with registers called by number in the C: the machine's own moves fill and empty them."""
    loads, store = numbered_moves(i, machine)
    target = i.kernel.outputs[0]
    count = len(arrays[target])
    begin = tuple(
        arena.array(np.stack([as_memory(loads[t.name], cells) for cells in arrays[t.name]])) for t in i.kernel.tensors
    )
    end = tuple(arena.room(arrays[target].nbytes) for _ in range(2))

    def verify(a: Arena) -> str:
        given = arrays
        for at, said in zip(
            end, ("", "right at first, wrong when it is run again on the same registers\n"), strict=True
        ):
            image = a.read(at, arrays[target].nbytes).view(arrays[target].dtype).reshape(count, -1)
            got = np.stack([as_cells(store, row) for row in image])
            found, wanted = right(i, given, got)
            if not found.all():
                return said + example(i, given, got, wanted, found)
            given = {**given, target: got}
        return ""

    where = "on operands that the machine's own moves bring"
    return [Step(((name, begin, end, (), count, count, 0),), verify, where, 2 * arrays[target].size)]
