"""From a schedule of stages to a program of uses, with its buffers, slots and counters.

Around the tiles of one stage:

    load engine      await released >= n + 1 - slots;  fill each tile;  signal filled
    execute engine   await filled >= n + 1;  use them;  signal released

where n counts the iterations of the innermost loop around the stage. A stage filled further inside (Stage.filled) does

    if first iteration of the loops between without its tiles: fill these tiles
    signal filled

in each iteration of the loops around its fills, and n counts these. If tiles pass through a further memory, its stage
is filled and released in the same way, by the engines that bring tiles there and take them on. It is released with the
last move if the stage filled from it stands at its depth, else at the end of the loops inside the stage. The output's
tiles are begun by the computing engine, or by loads that signal `begun`, once `stored` has reached the same; updated by
the computing engine; and stored once `finished` has.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import sympy as sp

from isamap_encodings.staging_problem import Numbers, Sliding
from isamap_smt.ir.epilogue import Epilogue, epilogue_of
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import FloorDiv, FloorMod, free_name, substitute, sym, symbols_of
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.hypotheses import Relation
from isamap_smt.ir.instruction import Instruction, signal
from isamap_smt.ir.kernel import Access
from isamap_smt.ir.layouts import COLUMN, ROW, cells_of, elements_at, rows_of
from isamap_smt.ir.program import (
    Alloc,
    Buffer,
    Command,
    If,
    IndexType,
    Issued,
    Node,
    Program,
    Ref,
    Serial,
    Signal,
    number_of,
)
from isamap_smt.ir.reach import needed_sizes
from isamap_smt.ir.scalar import Read
from isamap_smt.ir.schedule import Schedule, Stage
from isamap_smt.ir.staging import active_points, counts, guards, passed_points, steps
from isamap_smt.ir.states import CODE
from isamap_smt.mapping.epilogue import Cover
from isamap_smt.mapping.instances import computing, given_to
from isamap_smt.mapping.named_cells import of_tiles, whole_tiles
from isamap_smt.mapping.overlaps import overlap_in
from isamap_smt.mapping.patterns import Step
from isamap_smt.mapping.runs import Runs, point_of, runs_of
from isamap_smt.scheduling.staged_ends import fitting_covers


def lower_stages(schedule: Schedule, hardware: Hardware) -> Program:
    """The program of one statement. Nothing of it is trusted: prove_program() checks it."""
    return _Lowering(schedule, hardware).program()


@dataclass(frozen=True)
class _Lowering:
    schedule: Schedule
    machine: Hardware

    @cached_property
    def proved(self) -> Any:
        """The mapping carried out."""
        return self.schedule.proved.mapping

    @cached_property
    def mapping(self) -> Any:
        """The same for whoever moves tiles."""
        return of_tiles(self.proved)

    @cached_property
    def compute(self) -> Instruction:
        """The computing instruction, with the numbers of the mapping in its contract, for whoever moves tiles."""
        return whole_tiles(computing(self.proved, self.machine))

    @cached_property
    def output(self) -> Stage:
        return self.schedule.stage(self.mapping.instruction.kernel.statements[0].target.tensor)

    @cached_property
    def ends(self) -> Stage:
        """The stage of finished sums, for updates and stores: that of the sums, or the one they are taken on to."""
        return self.schedule.outer(self.output) or self.output

    @property
    def _is_stored(self) -> bool:
        """Whether the result goes to main memory."""
        return self.ends.stored or not self.ends.stays

    @cached_property
    def inputs(self) -> tuple[Stage, ...]:
        """Stages with more slots first: their engine goes on with them while it waits for the others. A stage filled
        from another at its depth stands behind it, and counts at most that one's slots."""

        def ahead(stage: Stage) -> int:
            outer = self.schedule.outer(stage)
            return min(stage.slots, outer.slots) if outer and outer.depth == stage.depth else stage.slots

        found = [s for s in self.schedule.stages if s.operand != self.output.operand]
        return tuple(sorted(found, key=lambda s: (-ahead(s), not self._is_outer(s))))

    def _runs(self, stage: Stage) -> Runs:
        """The runs in which the stage's tiles are moved: of one tile, or those that its tiles share."""
        return self._shared[stage][1] if stage in self._shared else self._runs_of[stage.operand]

    @cached_property
    def _shared(self) -> dict[Stage, tuple[Sliding, Runs]]:
        """Stages whose tiles share runs, and these."""
        found = {}
        for stage in self.schedule.stages:
            overlap = overlap_in(self.mapping, self.schedule.loops, stage, self.schedule.blocks)
            runs = None if overlap is None else overlap[0].runs(*overlap[1:])
            if overlap is not None and runs is not None:
                found[stage] = overlap[0].sliding, runs
        return found

    def _first_run(self, stage: Stage, inside: bool) -> Any:
        """The first run of a tile among those that tiles share: in its visit of the stage, or of the visit in the tensor."""
        sliding, _ = self._shared[stage]
        around = self._outer[: stage.depth]
        loops = tuple(x for x in (*self._outer, *self._inner) if (x not in around) == inside)
        at = self._tiles_along(loops) if inside else self._from_block(self._tiles_along(loops))
        return sp.expand(sliding.step * at[sliding.along] + at[sliding.over])

    def _rounds(self, stage: Stage, mark: str) -> TileLoop:
        """The loop over rounds of the runs that tiles share."""
        overlap = overlap_in(self.mapping, self.schedule.loops, stage, self.schedule.blocks)
        assert overlap is not None
        found, _, over = overlap
        return TileLoop(f"{found.number}_from", int(found.sliding.rounds(Numbers(), over)), 0, mark)

    @cached_property
    def _runs_of(self) -> dict[str, Runs]:
        return {o.name: runs_of(self.mapping, o.name, str(o.row)) for o in self.compute.operands}

    @cached_property
    def _needed(self) -> dict[str, set[str]]:
        """Operand -> the loops its tiles depend on."""
        return {o.name: symbols_of(self.mapping.coordinates(o.name)) for o in self.compute.operands}

    def _in_pieces(self, stage: Stage) -> bool:
        """Whether each run is a content of its own. An output begun at a number or assigned is not: a whole tile at once."""
        if not self._runs(stage).several:
            return False
        return stage.operand != self.output.operand or self._cover.begun_by_elements

    def _rows(self, stage: Stage) -> int:
        """Rows of a tile, as the computing instruction takes it."""
        return rows_of(self.compute, self.compute.operand(stage.operand))

    def _is_outer(self, stage: Stage) -> bool:
        """Whether its tiles are taken on to another memory."""
        return self.schedule.stage(stage.operand) is not stage

    def program(self) -> Program:
        buffers = tuple(Alloc(b) for b in (*(self._buffer(s) for s in self.schedule.stages), *self._beside.values()))
        kernel = self.proved.kernel if self.proved.split is None else self.proved.split.origin
        return Program(
            None,
            kernel,
            (),
            (*buffers, *self._in_blocks(self._body(0))),
            tuple(map(Relation, needed_sizes(kernel))),
            machine=self.machine,
        )

    def _in_blocks(self, body: tuple[Node, ...]) -> tuple[Node, ...]:
        """The body in the loops over blocks shared with neighbouring phases."""
        for x in reversed(self._blocks):
            body = (x.loop(body),)
        return body

    def _body(self, depth: int) -> tuple[Node, ...]:
        """The nodes inside the first `depth` outer loops."""
        begun = [s for s in self.inputs if s.depth == depth and not s.stays]
        filled = [s for s in self.inputs if _filled_inside(s) == depth and not s.stays]
        nodes: list[Node] = []
        if self.output.depth == depth and self._cover.begin is not None:
            nodes += self._nest(self.output, "begin", self._begin)
            if self._begun_apart:
                nodes.append(Signal(signal(self.compute.engine), awaits=(("begun", self._number(self.output) + 1),)))
        for s in filled:
            nodes += self._nest(s, "fill", self._fill)
        inner = self._rest(depth)
        done = [f"released_{self._key(s)}" for s in begun if depth and not self._is_outer(s)]
        if self.output.depth == depth:
            taken_on = () if self.ends is self.output else self._nest(self.ends, "onward", self._onward)
            after = (*taken_on, *self._updates())
            finished = ("finished",) if self._is_stored else ()
            nodes += self._signalled(inner, tuple(done) if after else (*done, *finished), self.compute.engine)
            nodes += self._signalled(after, finished, self.compute.engine) if after else ()
        else:
            nodes += self._signalled(inner, tuple(done), self.compute.engine)
        for s in begun if depth else ():
            inner_stage = self.schedule.stage(s.operand)
            if inner_stage is not s and inner_stage.depth != depth:
                onward = self.machine.instruction(inner_stage.via)
                nodes.append(Signal(signal(onward.engine), signals=(f"released_{self._key(s)}",)))
        if self.output.depth == depth and self._is_stored:
            nodes += self._nest(self.ends, "store", self._store)
        return tuple(nodes)

    def _rest(self, depth: int) -> tuple[Node, ...]:
        """The loops from this depth on, around the computing use."""
        last = max(s.depth or 0 for s in self.schedule.stages)
        outer = self._outer
        if depth < last:
            return (outer[depth].loop(self._body(depth + 1)),)
        loops = [x for x in (*outer[depth:], *self._inner) if x.count != 1]
        body: tuple[Node, ...] = (self._compute(),)
        for x in reversed(loops):
            body = (x.loop(body),)
        return body

    @cached_property
    def _blocks(self) -> tuple[TileLoop, ...]:
        extents = {a.name: a.extent for a in self.mapping.outer}
        return tuple(TileLoop(x.axis, steps(extents[x.axis], x.step), 2) for x in self.schedule.blocks)

    @cached_property
    def _outer(self) -> tuple[TileLoop, ...]:
        of = counts(self.mapping, self.schedule.loops, self.schedule.blocks)
        return tuple(TileLoop(x.axis, of[x.axis], 1) for x in self.schedule.loops)

    @cached_property
    def _inner(self) -> tuple[TileLoop, ...]:
        """Loops over the tiles of a step, those of sums first: an accumulator is then used again after others."""
        target = symbols_of(self.mapping.coordinates(self.output.operand))
        found = [TileLoop(x.axis, x.step, 0) for x in self.schedule.loops]
        return tuple(sorted(found, key=lambda x: x.axis in target))

    def _tile(self, stage: Stage, mark: str) -> Tile:
        """The tiles of a stage, with the loops over them, marked."""
        found = self._tiles.get((stage, mark))
        if found is None:
            found = self._tiles[stage, mark] = self._tile_made(stage, mark)
        return found

    @cached_property
    def _tiles(self) -> dict[tuple[Stage, str], Tile]:
        """Of stages and marks that were asked for before."""
        return {}

    def _tile_made(self, stage: Stage, mark: str) -> Tile:
        needed, runs = self._needed[stage.operand], self._runs(stage)
        if stage in self._shared:
            sliding, _ = self._shared[stage]
            needed = needed - {sliding.along, sliding.over}
        loops = [x for x in (*self._outer[stage.depth or 0 :], *self._inner) if x.axis in needed and x.count != 1]
        loops += [x for x in ([self._rounds(stage, mark)] if stage in self._shared else []) if x.count != 1]
        inside, own = _filled_inside(stage), mark in (f"_{self._key(stage)}", f"_fill_{self._key(stage)}")
        between = self._outer[stage.depth or 0 : inside]
        around = loops_around((*self._blocks, *self._outer[: stage.depth]))
        around += tuple(x.var if own or x.axis in needed else sp.S.Zero for x in between)
        run, pieces, spare = None, 1, 0
        if self._in_pieces(stage):
            run, pieces = TileLoop(runs.number, runs.count, 0, mark), runs.count
            spare = runs.spare(self._rows(stage))
        apart = sum(x in between for x in loops)
        loops = [x if n < apart else x.marked(mark) for n, x in enumerate(loops)]
        return Tile(tuple(loops), around, run, pieces, spare, apart)

    def _run(self, stage: Stage, mark: str) -> TileLoop | None:
        """The loop over the runs of a tile; None for a single run."""
        runs = self._runs(stage)
        return TileLoop(runs.number, runs.count, 0, mark) if runs.several else None

    def _key(self, stage: Stage) -> str:
        """Part of names of counters and loops: the operand, with the memory unless it is the operand's own."""
        return f"{stage.operand}@{stage.memory}" if self._is_outer(stage) else stage.operand

    def _name(self, stage: Stage) -> str:
        """The stage's buffer: its key, or a similar name free of tensors and other stages."""
        name = self._key(stage)
        taken = (
            {CODE}
            | {t.name for t in self.mapping.kernel.tensors}
            | {self._key(s) for s in self.schedule.stages if s != stage}
        )
        return free_name(name, taken)

    def _at(self, stage: Stage, mark: str, inside: Stage | None = None, whole: bool = False) -> Ref:
        """The stage's tile of this iteration, in its slot. inside: the stage this tile is taken to, with the loops of
        that stage.
        whole: the first run of the tile; the others lie behind it."""
        tile = self._tile(stage, mark)
        if inside is not None:
            here = self._outer[: inside.depth]
            loops = tuple(x.marked("") if x.marked("") in here else x for x in tile.loops)
            tile = replace(tile, loops=loops)
        around = self._outer[stage.depth - 1].number if stage.depth else sp.S.Zero
        first, rounds = sp.S.Zero, {}
        if whole and stage in self._shared:
            apart = self._shared[stage][0].apart
            first = self._first_run(stage, True)
            if apart > 1:
                rounds = {self._rounds(stage, mark).name: FloorMod(first, apart)}
                first = FloorDiv(first, apart)
        run = [] if tile.run is None else [first if whole else tile.run.var]
        slot = FloorMod(around, stage.slots) * tile.size + tile_index(self._in_order(stage, tile)) + sum(run)
        version = (substitute(v, rounds) for v in tile.version)
        return Ref(self._name(stage), (substitute(slot, rounds),), (*version, *run))

    def _in_order(self, stage: Stage, tile: Tile) -> Tile:
        """The tile with its loops in memory order. A stage that stays between phases has one order for all of them."""
        if not stage.stays:
            return tile
        of = {a: n for n, e in enumerate(self.mapping.coordinates(stage.operand)) for a in symbols_of([e])}
        return replace(tile, loops=tuple(sorted(tile.loops, key=lambda x: of[x.axis])))

    def _tiles_at(self, loops: tuple[TileLoop, ...]) -> dict[str, Any]:
        """Outer axis of the mapping -> number of the tile along it, inside these loops and the outer ones."""
        return self._from_block(self._tiles_along((*self._outer, *loops)))

    def _from_block(self, tiles: dict[str, Any]) -> dict[str, Any]:
        """Numbers of tiles in a block, as numbers in the tensor."""
        begin = {b.axis: b.step * x.var for b, x in zip(self.schedule.blocks, self._blocks, strict=True)}
        return {axis: begin.get(axis, 0) + tile for axis, tile in tiles.items()}

    def _tiles_along(self, loops: tuple[TileLoop, ...]) -> dict[str, Any]:
        """The same inside these loops alone, from the beginning of a block."""
        at = {(x.axis, x.level): x.var for x in loops if x.count != 1}
        return {x.axis: x.step * at.get((x.axis, 1), sp.S.Zero) + at.get((x.axis, 0), 0) for x in self.schedule.loops}

    def _index(self, stage: Stage, mark: str) -> dict[str, Any]:
        """The same inside the loops over a stage's tiles with this mark, and over their runs."""
        found = self._indices.get((stage, mark))
        if found is None:
            run = self._run(stage, mark)
            number = {} if run is None else {run.axis: run.var}
            if run is not None and stage in self._shared:
                rounds = self._rounds(stage, mark)
                begins = self._first_run(stage, False) + (rounds.var if rounds.count != 1 else 0)
                number = {run.axis: begins + self._shared[stage][0].apart * run.var}
            found = self._tiles_at(self._tile(stage, mark).loops) | number
            self._indices[stage, mark] = found
        return found

    @cached_property
    def _indices(self) -> dict[tuple[Stage, str], dict[str, Any]]:
        """Of stages and marks that were asked for before."""
        return {}

    def _coordinates(self, stage: Stage, mark: str, cells: dict[str, Any], whole: bool = False) -> tuple[Any, ...]:
        """Coordinates of an element of a run; whole: of an element of a tile."""
        of = self.mapping if whole else self._runs(stage).view
        found = [substitute(e, self._index(stage, mark)) for e in of.coordinates(stage.operand)]
        return tuple(sp.expand(substitute(e, cells)) for e in found)

    def _buffer(self, stage: Stage) -> Buffer:
        mark = f"_{self._key(stage)}"
        tile, operand = self._tile(stage, mark), self.compute.operand(stage.operand)
        cells = cells_of(self.compute, operand) or {}
        index = self._index(stage, mark)
        runs, pieces = self._runs(stage), self._in_pieces(stage)
        limits = guards(runs.view if pieces else self.mapping, stage.operand, index, cells)
        at = self._coordinates(stage, mark, cells, whole=not pieces)
        held = IndexType(self.schedule.tensor(stage), at, tuple(limits), "0")
        dtype = self.mapping.instruction.kernel.tensor(stage.operand).dtype
        rows = runs.points if pieces else self._rows(stage)
        shape = (rows, self.machine.memory(stage.memory).row // dtype.bytes)
        version = tile.version if tile.run is None else (*tile.version, tile.run.var)
        return Buffer(
            self._name(stage), dtype, (ROW, COLUMN), shape, held, stage.memory,
            offset=stage.offset, slots=stage.slots * tile.size, version=version,
        )  # fmt: skip

    def _nest(self, stage: Stage, what: str, use: Any, which: str = "") -> tuple[Node, ...]:
        """A use for each run of each tile, or for each tile if it is updated; then the signal of completion."""
        mark = f"_{what}{which}_{self._key(stage)}"
        begun = ("begun",) if self._begun_apart and what == "begin" else ()
        own = {"begin": begun, "fill": self._filled(stage), "store": ("stored",)}
        signals = own.get(what, ())
        made = use(stage, mark)
        body: tuple[Node, ...] = made if isinstance(made, tuple) else (made,)
        engine = body[-1].instruction.engine if isinstance(body[-1], Issued) else ""
        tile = self._tile(stage, mark)
        run = tile.run if what in ("begin", "onward") else None if what == "update" else self._run(stage, mark)
        runs = () if run is None else (run,)
        for x in reversed((*tile.inner, *runs)):
            body = (x.loop(body),)
        if what == "fill":
            body = self._at_first(stage, body, engine)
        return self._signalled(body, signals, engine)

    def _at_first(self, stage: Stage, body: tuple[Node, ...], engine: str) -> tuple[Node, ...]:
        """The fills under the condition that no earlier iteration of the loops between has made them; what these wait
        for stands in front."""
        first = self._first(stage)
        if not first:
            return body
        waits = self._freed_by_uses(stage)
        return (*((Signal(signal(engine), awaits=waits),) if waits else ()), If(first, body))

    def _filled(self, stage: Stage) -> tuple[str, ...]:
        """Counters signalled by a stage's last fill: `filled`, and `released` of an outer stage at its depth, now taken on."""
        outer = self.schedule.outer(stage)
        taken = outer is not None and outer.depth == stage.depth and stage.depth
        return (f"filled_{self._key(stage)}", *([f"released_{self._key(outer)}"] if outer and taken else ()))

    def _signalled(self, body: tuple[Node, ...], counters: tuple[str, ...], engine: str) -> tuple[Node, ...]:
        """The body, with a signal on completion: from its only use, or from a node behind its loops."""
        if not counters:
            return body
        last = body[-1]
        if len(body) == 1 and isinstance(last, Issued):
            return (replace(last, signals=counters),)
        return (*body, Signal(signal(engine), signals=counters))

    def _first(self, stage: Stage) -> tuple[Any, ...]:
        """The conditions of fills inside loops that the tiles do not depend on: their first iterations."""
        between = self._outer[stage.depth or 0 : _filled_inside(stage)]
        if between and stage in self._shared:
            raise ScheduleError(f"{stage.operand}: tiles that share elements are filled where the stage begins")
        return tuple(sp.Eq(x.var, 0) for x in between if x.axis not in self._needed[stage.operand] and x.count != 1)

    def _filled_number(self, stage: Stage) -> Any:
        """The number of the innermost loop around a stage's fills."""
        inside = _filled_inside(stage)
        return self._outer[inside - 1].number if inside > (stage.depth or 0) else self._number(stage)

    def _freed_by_uses(self, stage: Stage) -> tuple[tuple[str, Any], ...]:
        """The wait for the last uses of the slot's earlier tiles."""
        return ((f"released_{self._key(stage)}", self._number(stage) + 1 - stage.slots),) if stage.depth else ()

    def _number(self, stage: Stage) -> Any:
        if not stage.depth and self._blocks:
            return self._blocks[-1].number
        return self._outer[stage.depth - 1].number if stage.depth else sp.S.Zero

    def _fill(self, stage: Stage, mark: str) -> Command:
        move, outer = self.machine.instruction(stage.via), self.schedule.outer(stage)
        awaits = () if self._first(stage) else self._freed_by_uses(stage)
        if outer is None:
            return self._moved(stage, mark, move, awaits, True)
        awaits = (*awaits, (f"filled_{self._key(outer)}", self._filled_number(outer) + 1))
        target = move.kernel.statements[0].target.tensor
        places = (
            (o.name, self._at(stage, mark) if o.name == target else self._at(outer, mark, stage)) for o in move.operands
        )
        whole = tuple(sp.Integer(move.axes[axis]) for axis, _ in move.active)
        none = (sp.S.Zero,) * len(move.front)
        return Command(move, tuple(places), whole, none, awaits=awaits, begins=True)

    def _store(self, stage: Stage, mark: str) -> Command:
        return self._ended(stage, mark, self._cover.store, (("finished", self._number(stage) + 1),), False)

    @cached_property
    def _epilogue(self) -> Epilogue:
        return epilogue_of(self.proved.kernel)

    @cached_property
    def _cover(self) -> Cover:
        """How sums begin and end."""
        o, ends = self.output, self.ends
        wanted = o.begin, "" if ends is o else o.via, ends.updates, ends.via
        for c in fitting_covers(self.mapping, self.machine, self.compute, self._epilogue):
            updates, onward = tuple(u.instruction.name for u in c.updates), c.onward.name if c.onward else ""
            begin = next((s.instruction.name for s in c.begins), "")
            if (begin, onward, updates, c.store.instruction.name) == wanted:
                return c
        raise ScheduleError(
            f"no cover of the epilogue by {', '.join(filter(None, [o.begin, *ends.updates, ends.via]))}"
        )

    @cached_property
    def _begun_apart(self) -> bool:
        """Whether an engine other than the computing one begins the output's tiles."""
        return any(s.instruction.engine != self.compute.engine for s in self._cover.begins)

    def _updates(self) -> tuple[Node, ...]:
        """Updates of each finished tile, one after the other."""
        nodes: list[Node] = []
        for n, step in enumerate(self._cover.updates):

            def use(stage: Stage, mark: str, step: Step = step, n: int = n) -> tuple[Node, ...]:
                return self._update(stage, mark, step, n)

            nodes += self._nest(self.ends, "update", use, str(n))
        return tuple(nodes)

    def _update(self, stage: Stage, mark: str, step: Step, n: int) -> tuple[Node, ...]:
        """The n-th update of a tile, behind the moves of the elements it reads. If another engine moves them, each
        waits for the other."""
        lie = {o: self._beside[n, o].name for o, _ in step.brought}
        inner = self._tile(stage, mark).loops
        number = inner[-1].number if inner else self._number(stage)
        nodes: list[Node] = []
        apart = [lie[o] for o, move in step.brought if move.engine != self.compute.engine]
        for (o, move), moved in zip(step.brought, step.moves, strict=True):
            there = lie[o] in apart
            freed = ((f"used_{lie[o]}", number),) if there else ()
            there_too = {move.kernel.statements[0].target.tensor: lie[o]}
            made = self._ended(stage, mark, moved, freed, True, there_too, whole=True)
            nodes.append(replace(made, signals=(f"brought_{lie[o]}",)) if there else made)
        awaits = tuple((f"brought_{b}", number + 1) for b in apart)
        made = self._ended(stage, mark, step, awaits, False, lie, whole=True)
        return (*nodes, replace(made, signals=tuple(f"used_{b}" for b in apart)))

    @cached_property
    def _beside(self) -> dict[tuple[int, str], Buffer]:
        """(number of an update, operand) -> buffer of its other operand: one tile, behind all stages of its memory."""
        found: dict[tuple[int, str], Buffer] = {}
        if not any(step.brought for step in self._cover.updates):
            return found
        ends, mark, home = self.ends, "_beside", self.compute.operand(self.output.operand)
        cells = cells_of(self.compute, home) or {}
        tile, at = self._tile(ends, mark), self._coordinates(ends, mark, cells, whole=True)
        limits = tuple(guards(self.mapping, ends.operand, self._index(ends, mark), cells))
        places = [self._buffer(s) for s in self.schedule.stages if not s.stays]
        for n, step in enumerate(self._cover.updates):
            for name, _ in step.brought:
                access, operand = dict(step.bound)[name], step.instruction.operand(name)
                dtype = step.instruction.kernel.tensor(name).dtype
                here = [b for b in (*places, *found.values()) if b.memory == operand.memory]
                held = IndexType(access.tensor, self._epilogue.index(access, at), limits, "0")
                found[n, name] = Buffer(
                    f"{access.tensor}@{operand.memory}", dtype, (ROW, COLUMN),
                    (self._rows(ends), self.machine.memory(operand.memory).row // dtype.bytes), held, operand.memory,
                    offset=max((b.offset + b.slots * b.rows for b in here), default=0), slots=1, version=tile.version,
                )  # fmt: skip
        return found

    def _ended(
        self, stage: Stage, mark: str, step: Step, awaits: Any, begins: bool, lie: dict[str, str] | None = None,
        whole: bool = False,
    ) -> Command:  # fmt: skip
        """The command to begin or store a run of the output, or to update a whole tile. lie: operands -> buffers with a
        tile of another tensor."""
        i, lie = step.instruction, lie or {}
        target = i.kernel.statements[0].target.tensor
        held = next(o for o in sorted(i.operands, key=lambda o: o.name != target) if o.row is not None)
        home = self.compute.operand(stage.operand)
        index = self._index(stage, mark)
        at = self._coordinates(stage, mark, elements_at((self.compute, home), (i, held)), whole)
        places = {o: Ref(b, (sp.S.Zero,), self._tile(stage, mark).version) for o, b in lie.items()}
        place, run = self._at(stage, mark, whole=whole), self._run(stage, mark)
        if run is not None and target != held.name and not self._in_pieces(stage):
            place = replace(place, index=(*place.index, run.var * self._runs(stage).points))
        places.setdefault(held.name, place)
        if target != held.name:
            places[target] = Ref(self._epilogue.result, self._epilogue.stored(at))
        for name, element in (pair for pair in step.bound if pair[0] not in lie):
            constant = not isinstance(element, Access)
            places[name] = Ref(CODE, (sp.sympify(element),)) if constant else self._element(element, at)
        of = self.mapping if whole else self._runs(stage).view
        points = active_points(of, stage.operand, index, home, held, i)
        operands = tuple((o.name, places[o.name]) for o in i.operands)
        return Command(i, operands, points.active, points.front, awaits=awaits, begins=begins)

    def _element(self, access: Access, at: tuple[Any, ...]) -> Ref:
        return Ref(access.tensor, self._epilogue.index(access, at))

    def _moved(self, stage: Stage, mark: str, move: Instruction, awaits: Any, begins: bool) -> Command:
        """A tile between its tensor and its slot."""
        held = next(o for o in move.operands if o.row is not None)
        main = next(o for o in move.operands if o.row is None)
        operand = self.compute.operand(stage.operand)
        cells = elements_at((self.compute, operand), (move, held))
        index = self._index(stage, mark)
        points = active_points(self._runs(stage).view, stage.operand, index, operand, held, move)
        places = {
            held.name: self._at(stage, mark),
            main.name: Ref(self.schedule.tensor(stage), self._coordinates(stage, mark, cells)),
        }
        operands = tuple((o.name, places[o.name]) for o in move.operands)
        return Command(move, operands, points.active, points.front, awaits=awaits, begins=begins)

    def _begin(self, stage: Stage, mark: str) -> Command:
        assert self._cover.begin is not None
        freed, whole = self._freed(stage) if stage is self.ends else (), not self._in_pieces(stage)
        return self._ended(stage, mark, self._cover.begin, freed, True, whole=whole)

    def _freed(self, stage: Stage) -> tuple[tuple[str, Any], ...]:
        """The wait for the store of the slot's earlier sums."""
        return (("stored", self._number(stage) + 1 - stage.slots),) if stage.depth else ()

    def _onward(self, stage: Stage, mark: str) -> Command:
        """The move of a finished tile to the slot of its store."""
        move = self.machine.instruction(self.output.via)
        target = move.kernel.statements[0].target.tensor
        places = ((o.name, self._at(stage if o.name == target else self.output, mark)) for o in move.operands)
        return Command(move, tuple(places), awaits=self._freed(stage), begins=True)

    def _compute(self) -> Command:
        at = self._tiles_at(self._inner)
        point = tuple((n, sp.expand(substitute(e, at))) for n, e in point_of(self.proved).items())
        filled = (s for s in self.inputs if not self._is_outer(s) and not s.stays)
        awaits = tuple((f"filled_{self._key(s)}", self._filled_number(s) + 1) for s in filled)
        own = self.machine.instruction(self.compute.name)
        given = given_to(own, self.proved.instruction)

        def place(operand: str) -> Ref:
            instead = given.get(operand)
            if instead is None or isinstance(instead, Read):
                return self._at(self.schedule.stage(operand if instead is None else instead.tensor), "", whole=True)
            return Ref(CODE, (sp.sympify(instead),))

        places = tuple((o.name, place(o.name)) for o in own.operands)
        passed = passed_points(self.mapping, at, self.compute)
        active = tuple(passed[a] for a, _ in own.active)
        front = (sp.S.Zero,) * len(own.front)
        begins = self._epilogue.assigned
        freed = self._freed(self.output) if begins and self.output is self.ends else ()
        return Command(own, places, active, front, point=point, awaits=(*awaits, *freed), begins=begins)


# ---- The loops over tiles of a staged schedule: their variables, and the number of a tile in its slot.


@dataclass(frozen=True)
class TileLoop:
    """Over steps of an axis (level 1), the tiles of a step (level 0), or blocks (level 2). mark: tells loops of several
    nests apart."""

    axis: str
    count: Any
    level: int
    mark: str = ""

    @property
    def name(self) -> str:
        """The name of its variable."""
        return f"{self.axis}{('', '_step', '_block')[self.level]}{self.mark}"

    @property
    def var(self) -> Any:
        """Its variable."""
        return sym(self.name)

    @property
    def number(self) -> Any:
        """The number of its iteration, counted in the whole program."""
        return number_of(self.var)

    def marked(self, mark: str) -> TileLoop:
        """The same loop in another nest."""
        return replace(self, mark=mark)

    def loop(self, body: tuple[Node, ...]) -> Serial:
        """This loop around a body."""
        return Serial(self.var, sp.sympify(self.count), body)


@dataclass(frozen=True)
class Tile:
    """loops: over the tiles of a stage, outermost first, of constant counts. around: variables of the loops around the
    stage.
    run: the loop over the runs of a tile, inside these; None for a single run. pieces: of the buffer, per tile. spare:
    behind all of them. apart: so many of the loops are around the fills, too, and counted in `around`."""

    loops: tuple[TileLoop, ...]
    around: tuple[Any, ...]
    run: TileLoop | None = None
    pieces: int = 1
    spare: int = 0
    apart: int = 0

    @property
    def inner(self) -> tuple[TileLoop, ...]:
        """The loops inside of all others."""
        return self.loops[self.apart :]

    @property
    def version(self) -> tuple[Any, ...]:
        """Identifies the tile's content: the variables of the loops around its beginning."""
        return (*self.around, *(x.var for x in self.inner))

    @property
    def size(self) -> int:
        """How many pieces of the buffer a slot has."""
        size = self.pieces
        for x in self.loops:
            size *= int(x.count)
        return size + self.spare


def _filled_inside(stage: Stage) -> int:
    """How many loops are around the fills of a stage."""
    return (stage.depth or 0) if stage.filled is None else stage.filled


def tile_index(tile: Tile) -> Any:
    """The number of a tile's first piece in its slot: its loops are the digits."""
    index = sp.S.Zero
    for x in tile.loops:
        index = index * int(x.count) + x.var
    return sp.expand(index * tile.pieces)


def loops_around(loops: tuple[TileLoop, ...]) -> tuple[Any, ...]:
    """The variables of these loops."""
    return tuple(x.var for x in loops)
