"""Chooses the move instruction that fills or empties a register, by the shape of the moved data.

A move's text says where each cell of the register lies in memory: `r[l] = m[l]` takes consecutive elements, `r[l,e] =
m[e]` puts one group into every lane, `r[k,j] = m[k//4,j,k%4]` wants the rows of a tile interleaved by fours. The place
of m gives the distance of elements along each of its indices.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

import sympy as sp

from isamap_smt.ir.addresses import Address
from isamap_smt.ir.engines import ZERO
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import FloorDiv, FloorMod, is_constant, substitute, sym, symbols_of
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import ACCUMULATE, Instruction, SelectedInstruction
from isamap_smt.ir.interpret import beyond_for, neutral
from isamap_smt.ir.kept import per_object
from isamap_smt.ir.kernel import Access, Kernel, Statement
from isamap_smt.ir.move_form import MAIN, register_operand
from isamap_smt.ir.program import Compute, Move, Node, Ref
from isamap_smt.ir.scalar import Read, SAdd
from isamap_smt.language.printer import access_text, value_text
from isamap_smt.mapping.point_c import c_value


def registers_of(node: Node) -> list[tuple[str, Instruction, Ref]]:
    """(operand, instruction, place) of each register in a node."""
    if isinstance(node, Move):
        return [(register_operand(node.instruction), node.instruction, node.register)]
    if isinstance(node, Compute):
        places = dict(node.instruction.places)
        return [(o, node.instruction, ref) for o, ref in node.operands if places[o] != MAIN]
    return []


def _register(move: Instruction) -> Access:
    s = move.kernel.statements[0]
    return s.inputs[0] if move.kind == "store" else s.target


def _memory(move: Instruction) -> Access:
    s = move.kernel.statements[0]
    return s.target if move.kind == "store" else s.inputs[0]


def memory_shape(move: Instruction) -> tuple[Any, ...]:
    """The extents of the move's memory operand."""
    return tuple(int(e) if is_constant(e) else e for e in move.kernel.tensor(_memory(move).tensor).shape)


def memory_index(move: Instruction, lanes: tuple[str, ...]) -> tuple[Any, ...]:
    """The index of the move's memory operand, with these names for the dimensions of its register."""
    table = {str(own): sym(name) for own, name in zip(lane_symbols(move), lanes, strict=True)}
    return tuple(substitute(i, table) for i in _memory(move).index)


@per_object(most=4096)
def moving(move: Instruction) -> tuple[int, ...]:
    """The register's dimensions that advance in memory: () for a broadcast of one element."""
    used = symbols_of(_memory(move).index)
    return tuple(n for n, i in enumerate(_register(move).index) if symbols_of([i]) & used)


@per_object(most=4096)
def memory_lanes(move: Instruction) -> tuple[int, ...] | None:
    """The register's dimensions that advance in memory, in memory's order; None if memory takes them apart."""
    register = _register(move).index
    found = tuple(n for i in _memory(move).index for n, own in enumerate(register) if own == i)
    return found if len(found) == len(_memory(move).index) and sorted(found) == list(moving(move)) else None


def in_order(move: Instruction) -> bool:
    """Whether the elements lie in memory in the order of the register's cells."""
    return memory_lanes(move) == moving(move)


def memory_address(move: Instruction) -> Address:
    """The address of the move's memory operand, over its cells."""
    return move.address(_memory(move).tensor)


def fits(move: Instruction, offset: Any) -> bool:
    """Whether the elements at this offset, over the move's own axes, lie as its place says."""
    one = {a: 0 for a, points in move.extents.items() if points == 1}
    return bool(substitute(memory_address(move).apart(offset), one) == 0)


def find_move(
    hardware: Hardware,
    compute: Instruction,
    operand: str,
    store: bool,
    pattern: tuple[int, ...],
    masked: bool,
    ordered: bool = True,
    fill: str = ZERO,
) -> Instruction:
    """The move between memory and the register of `operand` of `compute`.

    pattern: register dimensions that advance in memory; the others are broadcast. ordered: the elements lie in memory
    in the order of the register's cells; otherwise any order will do, as in a buffer packed for the move.
    fill: the value a masked load leaves in all other lanes.
    Raises ScheduleError if the machine has none.
    """
    found = look_for_move(hardware, compute, operand, store, pattern, masked, ordered, fill)
    if found is not None:
        return found
    form = "masked " if masked else ""
    filled = f" with beyond={fill!r}" if masked and not store else ""
    what = f"{form}{'store' if store else 'load'}{filled} between {MAIN!r} and {_in_words(compute, operand)}"
    raise ScheduleError(f"{hardware.name} has no {what} over its dimensions {list(pattern)} for {compute.name}")


def look_for_move(
    hardware: Hardware,
    compute: Instruction,
    operand: str,
    store: bool,
    pattern: tuple[int, ...],
    masked: bool,
    ordered: bool = True,
    fill: str = ZERO,
) -> Instruction | None:
    """The same; None if the machine has none. A move that keeps the order comes first."""
    kinds = ("store",) if store else ("load", "broadcast")
    fitting = [m for m in _moves(hardware, compute, operand, kinds) if _masks(m, masked, fill) and moving(m) == pattern]
    plain = next((m for m in fitting if in_order(m)), None)
    return plain if plain or ordered or not fitting else fitting[0]


def moves_in_place(
    hardware: Hardware, compute: Instruction, operand: str, pattern: tuple[int, ...], masked: bool, fill: str = ZERO
) -> list[tuple[Instruction, tuple[int, ...]]]:
    """The loads that may take the elements in place, each with its lanes in memory's order; those in the register's
    order come first."""
    fitting = [m for m in _moves(hardware, compute, operand, ("load", "broadcast")) if _masks(m, masked, fill)]
    found = [(m, lanes) for m in fitting if moving(m) == pattern and (lanes := memory_lanes(m)) is not None]
    return sorted(found, key=lambda x: x[1] != pattern)


def _masks(move: Instruction, masked: bool, fill: str) -> bool:
    """Whether it takes the first lanes only, and a load leaves `fill` in the others; if not `masked`, whether it takes all."""
    return bool(move.active) == masked and (not masked or move.kind == "store" or move.beyond == fill)


def without_fill(hardware: Hardware, compute: Instruction, operand: str, fill: str) -> str:
    """Why the machine has no masked load with `fill` in the other lanes, and the fills of its masked loads; '' if it has one."""
    there = tuple(dict.fromkeys(m.beyond for m in _moves(hardware, compute, operand, ("load",)) if m.active))
    if fill in there:
        return ""
    others = f" (its masked loads: {', '.join(f'beyond={b!r}' for b in there)})" if there else ""
    return f"{hardware.name} has no masked load of {_in_words(compute, operand)} with beyond={fill!r}{others}"


def no_padding(kernel: Kernel, s: Statement, hardware: Hardware, compute: Instruction, operand: str) -> str:
    """Why a statement has no padding if it is no sum of products, in words."""
    fill = beyond_for(s)
    lacks = without_fill(hardware, compute, operand, fill) if fill else ""
    why = f"{kernel.name} has a guard and is no sum of products, so no padding of {operand} leaves its results as they are"
    return why + (f", and {lacks}, which would cut the lanes" if lacks else "")


def find_start(hardware: Hardware, compute: Instruction, operand: str, op: str) -> Instruction | None:
    """The instruction that sets the register of `operand` of `compute` to the start of a reduction by `op`.

    This is the machine's zero, or its broadcast of the start value; None if it has none.
    """
    number = neutral(op, compute.kernel.tensor(operand).dtype)
    if number == 0:
        return next(iter(_moves(hardware, compute, operand, ("zero",))), None)
    found = _moves(hardware, compute, operand, ("broadcast", "load"))
    plain = (m for m in found if not (_memory(m).index or m.active or m.needs or m.preconditions or m.assume))
    move = next(plain, None)
    return None if move is None else _filled(move, sp.sympify(number))


def fills(hardware: Hardware, i: Instruction) -> bool:
    """Whether it is one of the machine's broadcasts, of the number in its contract."""
    moves = (m for m in hardware.instructions if m.kind in ("broadcast", "load") and i.name.startswith(f"{m.name}_of_"))
    return any(_filled(m, s.value) == i for m in moves for s in i.kernel.statements)


def _filled(broadcast: Instruction, number: Any) -> Instruction:
    """The broadcast of this number, without a read of memory."""
    s, register = broadcast.kernel.statements[0], register_operand(broadcast)
    t = broadcast.kernel.tensor(register)
    constant, _ = c_value(number, {}, t.dtype)
    taken = {register: f"{{{register}}}", _memory(broadcast).tensor: f"(&(const {t.dtype.c}){{{{{constant}}}}})"}
    name = f"{broadcast.name}_of_{'least' if number < 0 else 'greatest' if number > 1 else number}"
    text = f"{access_text(s.target)} = {value_text(number)}"
    contract = replace(broadcast.kernel, name=name, tensors=(t,), statements=(replace(s, value=number),), text=text)
    return SelectedInstruction(
        name,
        contract,
        "zero",
        places=tuple(p for p in broadcast.places if p[0] == register),
        emit=broadcast.statement(taken),
        requires=broadcast.requires,
        cost=broadcast.cost,
        c_types=tuple(c for c in broadcast.c_types if c[0] == register),
        headers=broadcast.headers,
        prelude=broadcast.prelude,
    )


def find_accumulating(
    hardware: Hardware, compute: Instruction, operand: str, pattern: tuple[int, ...], masked: bool
) -> Instruction | None:
    """The move that adds elements in memory to the register of `operand` of `compute`: the machine's load and its
    addition in one.

    None if it lacks either. pattern and masked: as for find_move().
    """
    load = look_for_move(hardware, compute, operand, False, pattern, masked)
    return None if load is None else _accumulating(hardware, load)


def accumulates(hardware: Hardware, i: Instruction) -> bool:
    """Whether it is one of the machine's loads with one of its additions."""
    loads = (m for m in hardware.instructions if m.kind == "load" and i.name == _added_name(m))
    return any(_accumulating(hardware, m) == i for m in loads)


def _added_name(load: Instruction) -> str:
    return f"{load.name}_added"


@lru_cache(maxsize=1024)
def _accumulating(hardware: Hardware, load: Instruction) -> Instruction | None:
    register, asks = register_operand(load), load.needs or load.preconditions or load.assume or load.may_fail
    if load.kind != "load" or asks or load.kernel.tensor(register).dtype.name not in ("f32", "f64"):
        return None
    add = next((i for i in hardware.computes if _adds(i, load)), None)
    return None if add is None else _load_and_add(load, add)


def _adds(i: Instruction, load: Instruction) -> bool:
    """Whether it is a plain sum of two registers like the load's."""
    s, register = i.kernel.statements[0], register_operand(load)
    if s.op != "=" or s.guard or not isinstance(s.value, SAdd) or not all(isinstance(x, Read) for x in s.value.args):
        return False
    if len(s.inputs) != 2 or i.needs or i.preconditions or i.assume or i.exact is not None or i.may_fail or i.engine:
        return False
    own = load.types[register], load.shapes[register], dict(load.places)[register], dict(load.c_types).get(register)
    places, c_types = dict(i.places), dict(i.c_types)
    like = all((i.types[o], i.shapes[o], places[o], c_types.get(o)) == own for o in i.types)
    plain = all(a.index == s.target.index and s.extents_of(a.index) == i.shapes[a.tensor] for a in s.inputs)
    return (
        like
        and plain
        and (own[3] is not None or not load.emit)
        and len({s.target.tensor, *(a.tensor for a in s.inputs)}) == 3
    )


def _load_and_add(load: Instruction, add: Instruction) -> Instruction:
    """r += m: the load fills a variable of its own, and the sum takes it. Beyond the active cells zeros are added."""
    s, t, kept = load.kernel.statements[0], add.kernel.statements[0], "isamap_loaded"
    register, memory = register_operand(load), _memory(load).tensor
    loaded = {memory: _hole(memory), register: kept} | {word: _hole(word) for _, word in load.counted}
    first, second = (a.tensor for a in t.inputs)
    summed = {first: _hole(register), second: kept, t.target.tensor: _hole(register)}
    text = f"{access_text(s.target)} += {value_text(s.value)}"
    name, both = _added_name(load), (load, add)
    lines = (
        (f"{dict(load.c_types)[register]} {kept};", load.statement(loaded), add.statement(summed)) if load.emit else ()
    )
    return SelectedInstruction(
        name,
        replace(load.kernel, name=name, statements=(replace(s, op="+"),), text=text),
        ACCUMULATE,
        places=load.places,
        emit="\n".join(_HOLES.sub(r"{\1}", line.replace("{", "{{").replace("}", "}}")) for line in lines),
        requires=tuple(dict.fromkeys(r for i in both for r in i.requires)),
        cost=replace(load.cost, latency=load.cost.latency + add.cost.latency),
        rounding=add.rounding,
        c_types=load.c_types,
        headers=tuple(dict.fromkeys(h for i in both for h in i.headers)),
        prelude=tuple(dict.fromkeys(p for i in both for p in i.prelude)),
        active=load.active,
        beyond=load.beyond,
        steps=load.steps,
        steps_taken=(load.name, add.name),
    )


_HOLES = re.compile(r"isamap_hole_(\w+)")


def _hole(word: str) -> str:
    """A word of C in place of an operand not yet known."""
    return f"isamap_hole_{word}"


@lru_cache(maxsize=10_000)  # schedules and proofs of programs ask again and again
def _moves(hardware: Hardware, compute: Instruction, operand: str, kinds: tuple[str, ...]) -> tuple[Instruction, ...]:
    """The machine's moves of these kinds that fill or empty the register of `operand`, from or to main memory.

    Those whose register has the operand's C type come first: at one length of vectors two types may have equal cells.
    """
    place = dict(compute.places).get(operand, "")
    held = place, compute.types[operand], compute.shapes[operand]
    found = []
    for move in hardware.moves:
        if move.kind not in kinds or not touches_main(move):
            continue
        register = register_operand(move)
        if (dict(move.places).get(register, ""), move.types[register], move.shapes[register]) == held:
            found.append(move)
    c_type = dict(compute.c_types).get(operand)
    return tuple(sorted(found, key=lambda m: dict(m.c_types).get(register_operand(m)) != c_type))


def touches_main(move: Instruction) -> bool:
    """Whether its memory operand lies in main memory, so programs can use it: they name no other memory."""
    return move.kind == "zero" or any(place == MAIN for _, place in move.places)


def _in_words(compute: Instruction, operand: str) -> str:
    tensor = compute.kernel.tensor(operand)
    return f"{tensor.dtype}{list(tensor.shape)} in {dict(compute.places)[operand]}"


def lane_symbols(move: Instruction) -> tuple[Any, ...]:
    """The move's own axes in the order of its register's dimensions."""
    s = move.kernel.statements[0]
    value = s.value
    return tuple(s.target.index) if move.kind != "store" else tuple(value.index if isinstance(value, Read) else ())


def lane_of_cells(index: tuple[Any, ...], cells: tuple[Any, ...], lane: str) -> Any | None:
    """A lane from the cells of a memory operand at this index: itself, or from k // n and k % n. None if it does not follow."""
    k = sym(lane)
    whole = {e: c for e, c in zip(index, cells, strict=True) if symbols_of([e]) == {lane}}
    if k in whole:
        return whole[k]
    for e, c in whole.items():
        if isinstance(e, FloorDiv) and e.args[0] == k and (rest := whole.get(FloorMod(*e.args))) is not None:
            return sp.expand(e.args[1] * c + rest)
    return None
