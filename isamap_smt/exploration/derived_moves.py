"""Moves a machine may lack for tiles of an operand, each derived from one of its instructions.

A load into another memory is an existing one with other cells; a transposed one has its rows and columns in main memory
swapped; a store is a load turned around. Engine and work are the original's. Only planning tells whether an edit helps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from isamap_smt.exploration.machine_edits import Add, Alter, Edit, Widen
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.engines import ZERO, Work
from isamap_smt.ir.epilogue import Epilogue, begins_at, epilogue_of
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.layouts import is_box
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.move_form import MAIN
from isamap_smt.ir.scalar import Read
from isamap_smt.language.instructions import instruction
from isamap_smt.language.printer import value_text
from isamap_smt.mapping.instances import computing

ROW, COLUMN = "r", "c"
ACTIVE, FRONT = {ROW: "rows", COLUMN: "columns"}, {ROW: "above", COLUMN: "left"}
STRIDES = {ROW: "down", COLUMN: "right"}
PADDED: tuple[tuple[str, ...], ...] = ((ROW,), (COLUMN,), (ROW, COLUMN))


@dataclass(frozen=True)
class Tile:
    """Cells of an operand in an addressed memory.

    rows, columns: points of the axes counting them, 0 without such an axis.
    """

    memory: str
    dtype: DType
    rows: int
    columns: int

    @property
    def axes(self) -> dict[str, int]:
        """Axes of a move of the tile."""
        return {a: n for a, n in ((ROW, self.rows), (COLUMN, self.columns)) if n}

    @property
    def index(self) -> str:
        """Of its cells."""
        return ",".join(self.axes)

    @property
    def place(self) -> str:
        """The index of its cells in its memory, or in another memory put in its place."""
        return f"[{ROW if self.rows else 0},{COLUMN if self.columns else 0}]"

    @property
    def shape(self) -> str:
        """Such as 16x16."""
        return "x".join(map(str, self.axes.values()))


def tile_of(i: Instruction, operand: str) -> Tile:
    """The cells of an operand of an instruction, in a memory of the machine."""
    o = i.operand(operand)
    rows, columns = (i.axes.get(str(e), 0) for e in (o.row, o.column))
    return Tile(o.memory, i.types[operand], rows, columns)


def held(move: Instruction) -> Tile | None:
    """The cells copied between main memory and a memory of the machine; None for any other instruction."""
    s = move.kernel.statements[0]
    if s.op != "=" or s.guard or not s.inputs or len(move.operands) != 2 or move.kind == "configure":
        return None
    inside = [o for o in move.operands if o.row is not None]
    return tile_of(move, inside[0].name) if len(inside) == 1 and is_box(inside[0]) else None


def loads(machine: Hardware) -> tuple[Instruction, ...]:
    """The copies from main memory."""
    return tuple(
        i
        for i in machine.instructions
        if held(i) and isinstance(_value(i), Read) and i.operand(i.target).memory != MAIN
    )


def stores(machine: Hardware) -> tuple[Instruction, ...]:
    """The instructions writing main memory from cells of a memory, computing or not."""
    return tuple(i for i in machine.instructions if i.kind != "configure" and i.operand(i.target).memory == MAIN)


def _value(i: Instruction) -> Any:
    return i.kernel.statements[0].value


# ---- Where cells lie in main memory, and which points a use may leave out.


@dataclass(frozen=True)
class Form:
    """How a move's cells lie in main memory. index: of them there. place: their address. told: in words, or ''."""

    index: str
    place: str
    told: str = ""


def forms(tile: Tile) -> tuple[Form, ...]:
    """The forms of an address, the least demanding first."""
    if len(tile.axes) < 2:
        (axis,) = tile.axes or ("",)
        free = (Form(axis, f"{MAIN}[{axis}*{STRIDES[axis]}]", " with a free stride"),) if axis else ()
        return (Form(axis, MAIN), *free)
    return (
        Form("r,c", f"{MAIN}[r*down + c]"),
        Form("c,r", f"{MAIN}[c*down + r]", ", transposed"),
        Form("r,c", f"{MAIN}[r*down + c*right]", " with two free strides"),
    )


@dataclass(frozen=True)
class Counted:
    """Axes with points a use may leave out. active: from the end; front: from the front."""

    active: tuple[str, ...] = ()
    front: tuple[str, ...] = ()


def counted(tile: Tile, given: Counted) -> tuple[Counted, ...]:
    """The points a move may leave out, the least first. given: those of the move it is derived from."""
    every = tuple(tile.axes)
    own = Counted(tuple(a for a in given.active if a in every), tuple(a for a in given.front if a in every))
    padded = (Counted(every, tuple(a for a in front if a in every)) for front in PADDED)
    return tuple(dict.fromkeys((own, Counted(every, own.front), *padded)))


def _counted_by(move: Instruction) -> Counted:
    """The points a move may leave out, in rows and columns of its tile."""
    o = next(o for o in move.operands if o.row is not None)
    called = {str(o.row): ROW, str(o.column): COLUMN}
    active, front = (tuple(called[a] for a, _ in pairs if a in called) for pairs in (move.active, move.front))
    return Counted(active, front)


def _work(move: Instruction, form: Form) -> Work | None:
    """The work of a move with this form of address: one piece of main memory after the other."""
    if move.work is None:
        return None
    o = next(o for o in move.operands if o.row is not None)
    called = {str(o.row): ROW, str(o.column): COLUMN}
    inside = form.index.split(",") if form.index else []
    per = {called.get(a, "") for a in move.work.per} & set(inside)
    if per and len(inside) == 2:
        per = set(inside) if "right" in form.place else {inside[0]}
    return replace(move.work, per=tuple(a for a in (ROW, COLUMN) if a in per))


# ---- Edits for an input.


def for_input(mapping: Mapping, machine: Hardware, operand: str) -> Iterator[tuple[Edit, ...]]:
    """Edits to bring tiles of an operand, the smallest of each kind first; each may help."""
    compute = computing(mapping, machine)
    if not is_box(compute.operand(operand)):
        return  # the refusal says which place a move of it has
    tile = tile_of(compute, operand)
    every = loads(machine)
    for move in every:
        if (of := held(move)) and of.memory == tile.memory and of.axes == tile.axes:
            yield tuple(_altered(move))
    yield tuple(_new_loads(machine, compute, tile, _nearest(every, tile)))
    further = [of for move in every if (of := held(move)) and of.memory != tile.memory]
    for of in dict.fromkeys(further):
        if (of.dtype, of.axes) == (tile.dtype, tile.axes):
            yield (_passing(machine, compute, of, tile),)


def _nearest(moves: tuple[Instruction, ...], tile: Tile) -> Instruction | None:
    """The move most like one of this tile."""

    def unlike(move: Instruction) -> tuple[bool, bool, bool]:
        of = held(move)
        return (of is None or of.memory != tile.memory, of is None or of.axes != tile.axes, bool(_free(move)))

    return min(moves, key=unlike, default=None)


def _free(move: Instruction) -> int:
    """The number of strides it leaves to each use."""
    return len(move.strides)


def _altered(move: Instruction) -> Iterator[Alter]:
    """The move with other fields, to take more."""
    o = next(o for o in move.operands if o.row is not None)
    main = next(o for o in move.operands if o.row is None)
    called = {str(e): a for e, a in ((o.row, ROW), (o.column, COLUMN)) if str(e) in move.axes}
    taken = {*move.strides, *(p for _, p in move.counted), *move.axes, *move.types}
    address = move.address(main.name)

    def free(outer: bool) -> tuple[tuple[str, tuple[int | str, ...]], ...]:
        names = (_unused(STRIDES.get(called.get(str(e), ""), "far"), taken) for e in address.index)
        kept = [isinstance(s, str) or (outer and s == 1) for s in address.steps]
        steps = tuple(s if k else n for s, k, n in zip(address.steps, kept, names, strict=True))
        return (*(x for x in move.steps if x[0] != main.name), (main.name, steps))

    def pairs(old: tuple[tuple[str, str], ...], axes: Any, names: dict[str, str]) -> tuple[tuple[str, str], ...]:
        new = ((a, _unused(names[called[a]], taken)) for a in axes if a not in dict(old))
        return (*old, *new)

    every = tuple(called)
    active = pairs(move.active, every, ACTIVE)
    strides: list[dict[str, Any]] = [{}, {"steps": free(True)}, {"steps": free(False)}]
    parts: list[dict[str, Any]] = [{}, {"active": active}]
    parts += [
        {"active": active, "front": pairs(move.front, [a for a in every if called[a] in front], FRONT)}
        for front in PADDED
    ]
    store = main.name == move.target
    if move.active and not store:
        parts.insert(1, {"beyond": ZERO})
    made: dict[Instruction, Alter] = {}
    for given in sorted(({**a, **b} for a, b in product(strides, parts)), key=len):
        changed = {n: v for n, v in given.items() if v != getattr(move, n)}
        if not changed:
            continue
        if "active" in changed and not store and move.beyond != ZERO:
            changed["beyond"] = ZERO
        new = _made(lambda changed=changed: replace(move, line="", **changed))
        if new is not None and new not in made:
            made[new] = Alter(new, tuple("places" if n == "steps" else n for n in changed))
    yield from sorted(made.values(), key=lambda e: len(e.fields))


def _new_loads(machine: Hardware, compute: Instruction, tile: Tile, like: Instruction | None) -> Iterator[Add]:
    """Loads of the tile, each with more than the one before."""
    from_store = next(iter(s for s in stores(machine) if held(s)), None)
    like = like or from_store
    given = _counted_by(like) if like else Counted()
    for part, form in product(counted(tile, given), forms(tile)):
        made = _made(
            lambda part=part, form=form: _instruction(
                machine, compute, f"load_{tile.memory}{_suffix(form, part, given)}", f"s[{tile.index}] = m[{form.index}]",
                tile, {"s": tile.dtype, "m": tile.dtype},
                {"s": tile.memory + tile.place, "m": form.place},
                like.engine if like else _other_engine(machine, compute),
                _work(like, form) if like else None, part, beyond=ZERO if part.active else "kept",
            )
        )  # fmt: skip
        if made is not None:
            yield Add(made, f"a load of {tile.shape} {tile.dtype} into {tile.memory}{form.told}{_padding(part, given)}")


def _suffix(form: Form, part: Counted, given: Counted) -> str:
    shape = {"c,r": "_transposed"}.get(form.index, "_strided" if form.told else "")
    return shape + ("_padded" if part.front and part != given else "")


def _padding(part: Counted, given: Counted) -> str:
    """Its points left out from the front beyond the others', in words."""
    front = [ACTIVE[a] for a in part.front if a not in given.front]
    return f", with zeros before its {' and '.join(front)}" if front else ""


def _passing(machine: Hardware, compute: Instruction, of: Tile, tile: Tile) -> Add:
    """A move of whole tiles on from a further memory."""
    other = next((i for i in machine.instructions if i.kind == "move"), None)
    made = _instruction(
        machine, compute, f"pass_{of.memory}_{tile.memory}", f"s[{tile.index}] = g[{tile.index}]", tile,
        {"s": tile.dtype, "g": of.dtype}, {"s": tile.memory + tile.place, "g": of.memory + tile.place},
        other.engine if other else compute.engine, Work(0, 1, tuple(tile.axes)[:1]), Counted(),
    )  # fmt: skip
    return Add(made, f"a move of {tile.shape} {tile.dtype} from {of.memory} on to {tile.memory}")


# ---- Edits for sums: how they begin, and how they leave.


def for_sums(mapping: Mapping, machine: Hardware, operand: str) -> Iterator[tuple[Edit, ...]]:
    """Edits to let sums begin and be stored; each may help."""
    compute = computing(mapping, machine)
    if not is_box(compute.operand(operand)):
        return
    tile = tile_of(compute, operand)
    epilogue = epilogue_of(mapping.kernel)
    yield () if epilogue.assigned else tuple(beginnings(machine, compute, tile, epilogue.start))
    for store in stores(machine):
        if any(o.memory == tile.memory for o in store.operands) and held(store):
            yield tuple(_altered(store))
    yield tuple(_new_stores(mapping, machine, compute, tile))
    there = machine.memory(tile.memory)
    if there.bits:
        yield tuple(Widen(there.name, bits) for bits in (*range(there.bits + 1, 8 * tile.dtype.bytes), 0) if bits < 64)


def beginnings(machine: Hardware, compute: Instruction, tile: Tile, start: int | float = 0) -> Iterator[Edit]:
    """Instructions to set cells of sums to 0, or to another reduction's start, on the computing engine."""
    for i in machine.instructions:
        own = i.operand(i.target)
        of = tile_of(i, i.target) if own.row is not None and is_box(own) else None
        if (
            begins_at(i) == start
            and of is not None
            and (of.memory, of.axes) == (tile.memory, tile.axes)
            and i.engine != compute.engine
        ):
            yield Alter(replace(i, engine=compute.engine, line=""), ("engine",))
    made = _made(
        lambda: _instruction(
            machine, compute, f"clear_{tile.memory}", f"x[{tile.index}] = {start}", tile, {"x": tile.dtype},
            {"x": tile.memory + tile.place}, compute.engine, Work(1, 0), Counted(),
        )
    )  # fmt: skip
    if made is not None:
        yield Add(made, f"an instruction that begins {tile.shape} sums in {tile.memory} at {start}")


def _new_stores(mapping: Mapping, machine: Hardware, compute: Instruction, tile: Tile) -> Iterator[Add]:
    """Stores of the kernel's results from its sums."""
    epilogue = epilogue_of(mapping.kernel)
    value = _of_a_sum(mapping, epilogue, compute)
    if value is None:
        return
    text, others = value
    result = mapping.kernel.tensor(epilogue.result).dtype
    like = next((s for s in stores(machine) if held(s)), None) or _nearest(loads(machine), tile)
    given = _counted_by(like) if like else Counted()
    as_other = "" if epilogue.statement is None else f"_{result}"
    parts = (p for p in counted(tile, Counted(given.active)) if not p.front)
    for part, form in product(parts, forms(tile)):
        made = _made(
            lambda part=part, form=form: _instruction(
                machine, compute, f"store_{tile.memory}{as_other}{_suffix(form, part, given)}", f"m[{form.index}] = {text}",
                tile, {"m": result, "s": tile.dtype, **others},
                {"m": form.place, "s": tile.memory + tile.place, **dict.fromkeys(others, MAIN)},
                like.engine if like else _other_engine(machine, compute),
                _work(like, form) if like else None, part,
            )
        )  # fmt: skip
        if made is not None:
            what = "" if epilogue.statement is None else f" as {text}, {result}"
            yield Add(made, f"a store of {tile.shape} {tile.dtype} from {tile.memory}{what}{form.told}")


def _of_a_sum(mapping: Mapping, epilogue: Epilogue, compute: Instruction) -> tuple[str, dict[str, DType]] | None:
    """The text to store for a sum, over cells of its tile, and its other operands; None if an index is no axis."""
    index = ",".join(tile_of(compute, compute.target).axes)
    if epilogue.statement is None:
        return f"s[{index}]", {}
    home = compute.operand(compute.target)
    called = {str(home.row): ROW, str(home.column): COLUMN}
    along = {a: called[t] for t, group in mapping.groups if t in called for a in group}
    sums = dict(zip(epilogue.axes, mapping.statement.target.index, strict=True))
    others: dict[str, DType] = {}
    taken = {*ACTIVE.values(), *FRONT.values(), *STRIDES.values(), "s", "m", ROW, COLUMN}
    plain = True

    def element(x: Any) -> str:
        nonlocal plain
        if x.tensor == epilogue.sum:
            return f"s[{index}]"
        plain = plain and all(str(e) in sums for e in x.index)
        axes = [along.get(str(sums.get(str(e), "")), "") for e in x.index]
        name = _unused(x.tensor.lower(), taken - set(others))
        others[name] = epilogue.kernel.tensor(x.tensor).dtype
        return f"{name}[{','.join(filter(None, axes))}]"

    text = value_text(epilogue.statement.value, element)
    return (text, others) if plain else None


# ---- What all of them are made by.


def _instruction(
    machine: Hardware, compute: Instruction, name: str, text: str, tile: Tile, dtypes: dict[str, DType],
    places: dict[str, str], engine: str, work: Work | None, part: Counted, beyond: str = "kept",
) -> Instruction:  # fmt: skip
    prefix = compute.name.removesuffix(compute.short)
    made = instruction(
        _unused(prefix + name, {i.name for i in machine.instructions}), text, axes=tile.axes, dtypes=dtypes, places=places,
        engine=engine, work=work, active={a: ACTIVE[a] for a in part.active} or None,
        front={a: FRONT[a] for a in part.front} or None, beyond=beyond,
        rounding=_rounding(machine),
    )  # fmt: skip
    return replace(made, line="")


def _rounding(machine: Hardware) -> str:
    """The rounding of the machine's computing stores; "exact" if it has none."""
    return next((i.rounding for i in stores(machine) if not isinstance(_value(i), Read)), "exact")


def _made(make: Any) -> Instruction | None:
    """The instruction made by a description, or None if it is refused."""
    try:
        found: Instruction = make()
    except IsamapError:
        return None
    return found


def _unused(name: str, taken: set[str]) -> str:
    """The name, with a number if it is taken."""
    found = next(n for n in (name, *(f"{name}{k}" for k in range(2, 100))) if n not in taken)
    return found


def _other_engine(machine: Hardware, compute: Instruction) -> str:
    """An engine to issue moves: another one than the computing one, if there is one."""
    names = [e.name for e in machine.engines if not e.host]
    return next((n for n in names if n != compute.engine), compute.engine)


__all__ = ["Tile", "for_input", "for_sums", "held", "loads", "stores", "tile_of"]
