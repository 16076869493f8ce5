"""Whether each use of an engine finds its states as its instruction needs them: every use of the run, in its engine's order.

A state is one engine's, so no order of the engines changes what a use finds. Cells hold anything until they are written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from isamap_smt.ir.engine_states import needed_value
from isamap_smt.ir.engines import KEPT
from isamap_smt.ir.program import Configure, Ref
from isamap_smt.simulator.sites import Elaborated, Site

Cells = Sequence[Any]  # numbers, or (tensor, index ...) of an element whose bits a cell holds


def misconfigured(elaborated: Elaborated, unknown_at_first: bool = False) -> tuple[str, ...]:
    """The first use of each engine to find a cell with another number than it needs, in words.

    unknown_at_first: unwritten cells may hold the needed number: an earlier phase may have left it.
    """
    found = (_of_engine(elaborated, n, unknown_at_first) for n in range(len(elaborated.queues)))
    return tuple(x for x in found if x)


def _of_engine(elaborated: Elaborated, engine: int, unknown_at_first: bool) -> str:
    queue, shapes = elaborated.queues[engine], {t.name: t.shape for t in elaborated.program.kernel.tensors}
    writes = {n: _written(s) for n, s in enumerate(elaborated.sites) if s.engine == engine and s.use.state}
    needs = {n: _needed(s, shapes) for n, s in enumerate(elaborated.sites) if s.engine == engine}
    states: dict[tuple[str, int], Cells] = {}
    machine = elaborated.program.machine
    several = {m.name for m in machine.memories if m.count > 1} if machine else set()
    for n, iteration in zip(queue.sites, queue.iterations, strict=True):
        site = elaborated.sites[n]
        if n in writes:
            sets = dict(site.use.sets)
            states[site.use.state, sets.get(site.use.state, 0)] = [column[iteration] for column in writes[n]]
        for memory, number, cell, text, values in needs[n] if _at_work(site, iteration) else ():
            held = states.get((memory, number))
            if held is None and unknown_at_first:
                continue
            if held is None or cell >= len(held) or held[cell] != values[iteration]:
                has = "nothing has written it" if held is None else f"it is {_told(held[cell : cell + 1])}"
                where = " ".join(f"{k}={v}" for k, v in site.at(iteration).items())
                set_ = f" of set {number}" if memory in several else ""
                wanted = f"{memory}[{cell}] = {_told([values[iteration]])}{set_} ('{text}')"
                said = f"{site.use.instruction.name} {iteration} needs {wanted}, and {has}"
                return said + (f" ({where})" if where else "")
    return ""


def _at_work(site: Site, iteration: int) -> bool:
    """Whether it does anything: a use with no active point leaves all as it is, unless it clears those."""
    i = site.use.instruction
    return i.beyond != KEPT or all(_points(site, a, iteration) > 0 for a, _ in i.counted)


def _points(site: Site, axis: str, iteration: int) -> int:
    return int(site.active[axis][iteration]) - (int(site.front[axis][iteration]) if axis in site.front else 0)


def _told(cell: Cells) -> str:
    if not cell:
        return "no cell that was written"
    return f"{cell[0][0]}{list(cell[0][1:])}" if isinstance(cell[0], tuple) else str(cell[0])


def _written(site: Site) -> list[list[Any]]:
    return [_column(site, e) for e in site.use.cells] if isinstance(site.use, Configure) else []


def _needed(site: Site, shapes: Mapping[str, Sequence[Any]]) -> list[tuple[str, int, int, str, list[Any]]]:
    """(state, set, cell, the need in words, the value in each iteration)."""
    sets = dict(site.use.sets)
    return [
        (n.memory, sets.get(n.memory, 0), n.at(0), n.text, _column(site, needed_value(site.use, n, shapes)))
        for n in site.use.instruction.cells_needed
    ]


def _column(site: Site, e: Any) -> list[Any]:
    name = site.use.instruction.name
    if isinstance(e, Ref):
        columns = [site.rows.column(i, f"{name}: an element of {e.name}").tolist() for i in e.index]
        return list(zip([e.name] * site.count, *columns, strict=True))
    found: list[Any] = site.rows.column(e, f"{name}: a cell of a state").tolist()
    return found


__all__ = ["misconfigured"]
