"""Checks of a machine's description: every number means something, every name is known, nothing hangs loose.

A contradictory description is refused when it is made, with the text to write in its place. An answer for a machine
without a forgotten link would be an answer for another machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import sympy as sp

from isamap_smt.ir.arguments import whole_number
from isamap_smt.ir.engines import Engine
from isamap_smt.ir.errors import HardwareError, did_you_mean
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.machine_parameters import exceeds, is_open
from isamap_smt.ir.move_form import MAIN
from isamap_smt.ir.rules import Rule
from isamap_smt.ir.states import CODE, writes_state
from isamap_smt.ir.ways import main_memories, way_in

if TYPE_CHECKING:
    from isamap_smt.ir.hardware import Hardware, Link, Memory
    from isamap_smt.ir.instruction import Instruction


# ---- What a machine may say of its states: every need is of a cell that exists, and instructions write and clear each
# state.


# ---- What a machine with engines may say of its states: each is one engine's, and a command writes all cells of a set
# at once.


BYTES = 8  # of a cell


def check_engine_states(h: Hardware) -> None:
    """Raises HardwareError unless each needed state can be written by the engine in need of it."""
    states = {m.name: m for m in h.memories if m.is_state}
    for i in h.instructions:
        where = f"hardware {h.name}: {i.where}"
        if i.grants is not None or i.numbers_needed or i.registers:
            raise HardwareError(
                f"{where}: numbers of registers and numbers that are granted are those of cores; leave them out"
            )
        for operand, place in i.places:
            if place in states and i.kind != "configure":
                raise HardwareError(
                    f"{where}: {operand} lies in the state {place}; what writes it has the place '{place}[x]', and what an "
                    "instruction reads of it is said by needs"
                )
        if written := writes_state(i):
            _check_bytes_written(where, i, written, states.get(written))
        for need in i.cells_needed:
            if need.memory not in states:
                hint = did_you_mean(need.memory, list(states))
                raise HardwareError(
                    f"{where} needs {need.text!r}, and {need.memory} is no memory of kind='state'; {hint}"
                )
            cells = _cells(states[need.memory])
            if need.at(0) >= cells:
                raise HardwareError(f"{where} needs {need.text!r}, and {need.memory} has {cells} cells")
    for memory in states.values():
        _check_one_engine(h, memory)


def _cells(memory: Memory) -> int:
    """Of one set."""
    return int(memory.capacity) // memory.count // BYTES


def _check_bytes_written(where: str, i: Instruction, name: str, memory: Memory | None) -> None:
    if memory is None:
        raise HardwareError(f"{where} writes {name}, which is no memory of kind='state'")
    cells = int(i.kernel.axes[0].extent)
    if BYTES * cells * memory.count != memory.capacity:
        sets = f"{memory.count} sets of " if memory.count > 1 else ""
        raise HardwareError(
            f"{where} writes {cells} cells of {BYTES} bytes of {name}, which has {memory.capacity} bytes for {sets}its cells"
        )


def _check_one_engine(h: Hardware, memory: Memory) -> None:
    """Raises HardwareError unless one instruction writes the state, on the engine of all instructions in need of it.

    If there are several sets, each of these names its set in its C.
    """
    name = memory.name
    needing = [i for i in h.instructions if any(n.memory == name for n in i.cells_needed)]
    writing = [i for i in h.instructions if writes_state(i) == name]
    if len(writing) > 1:
        both = " and ".join(i.name for i in writing[:2])
        raise HardwareError(f"hardware {h.name}: {both} write {name}; one instruction writes all cells of a set")
    if needing and not writing:
        raise HardwareError(
            f"hardware {h.name}: {needing[0].name} needs {name}, and no instruction writes it; add one with the contract "
            f"'cfg[x] = new[x]' and the place '{name}[x]'"
        )
    for i in needing:
        if i.engine != writing[0].engine:
            raise HardwareError(
                f"hardware {h.name}: {i.where} needs {name} on {i.engine}, and {writing[0].name} writes it on {writing[0].engine}; "
                "engines do not wait for each other there: a state is written by the engine that needs it"
            )
    for i in (*needing, *writing):
        if memory.count > 1 and i.emit and f"{{{name}}}" not in i.emit:
            raise HardwareError(
                f"hardware {h.name}: {i.where} takes one of {memory.count} sets of {name}, and its emit does not say which; "
                f"{{{name}}} is the number there"
            )


def check_states(h: Hardware) -> None:
    """Raises HardwareError unless each needed state can be written and given back."""
    sizes = {m.name: m.capacity or 0 for m in h.memories if m.is_state}
    if h.engines:
        return check_engine_states(h)
    if several := next((m for m in h.memories if m.is_state and m.count > 1), None):
        raise HardwareError(
            f"hardware {h.name}: memory {several.name}: the cells of a core's state are one set; leave count out"
        )
    for i in h.instructions:
        _check_needs(h.name, i, sizes)
        for operand, place in i.places:
            if place in sizes and i.kind != "configure":
                raise HardwareError(
                    f"hardware {h.name}: {i.where}: {operand} lies in the state {place}; what writes it has the place "
                    f"'{place}[x]', and what an instruction reads of it is said by needs"
                )
        _check_written(h.name, i, sizes)
    _check_granted(h)
    return _check_both(h)


def _check_both(h: Hardware) -> None:
    """Raises HardwareError unless one instruction writes, and another clears, each needed state."""
    for memory in {n.memory for i in h.instructions for n in i.cells_needed}:
        both = {bool(i.kernel.inputs) for i in h.instructions if writes_state(i) == memory}
        for constants, example in ((True, "cfg[x] = new[x]"), (False, "cfg[x] = 0")):
            if constants not in both:
                who = next(i.name for i in h.instructions if any(n.memory == memory for n in i.cells_needed))
                missing = "writes" if constants else "clears"
                raise HardwareError(
                    f"hardware {h.name}: {who} needs {memory}, and no instruction {missing} it; add one with the contract "
                    f"{example!r} and the place '{memory}[x]'"
                )


def _check_granted(h: Hardware) -> None:
    """Raises HardwareError unless each needed number can be asked for, up to the instruction's number of points.

    No cell may hold both a granted number and needed bytes.
    """
    bytes_ = {n.memory for i in h.instructions for n in i.cells_needed}
    for i in h.instructions:
        if i.grants is not None and writes_state(i) in bytes_:
            raise HardwareError(
                f"hardware {h.name}: {i.where} grants a number in {writes_state(i)}, of which others need cells; take two states"
            )
        for held in i.numbers_needed:
            points = i.extents[held.axis]
            if h.asking(held.memory, points) is None:
                raise HardwareError(
                    f"hardware {h.name}: {i.where} needs {held.text!r}, and no instruction grants {points} in {held.memory}; "
                    f"add one with grants={points}, the contract 'vl[x] = asked[x]' and the place '{held.memory}[x]'"
                )


def _check_needs(name: str, i: Instruction, sizes: dict[str, int]) -> None:
    for need in i.cells_needed:
        where = f"hardware {name}: {i.where} needs {need.text!r}"
        if need.memory not in sizes:
            raise HardwareError(
                f"{where}, and {need.memory} is no memory of kind='state'; {did_you_mean(need.memory, list(sizes))}"
            )
        for n in range(i.registers[need.operand] if need.operand else 1):
            if not 0 <= need.at(n) < sizes[need.memory]:
                raise HardwareError(
                    f"{where}, cell {need.at(n)} for register {n}; {need.memory} has {sizes[need.memory]} cells"
                )


def _check_written(name: str, i: Instruction, sizes: dict[str, int]) -> None:
    memory = writes_state(i)
    if not memory:
        return
    if memory not in sizes:
        raise HardwareError(f"hardware {name}: {i.where} writes {memory}, which is no memory of kind='state'")
    cells = int(i.kernel.axes[0].extent) if i.grants is None else 8  # one number, of 8 bytes
    if cells != sizes[memory]:
        raise HardwareError(f"hardware {name}: {i.where} writes {cells} cells of {memory}, which has {sizes[memory]}")


# Words with another meaning among the names of memories: the place of tensors, and words of pins and tiles.
LONG = 80  # characters of a value in an error
TAKEN = (MAIN, CODE, "no", "none", "ahead", "register")


# Beyond these no number is a machine's, and products of several would leave the solver's 64 bits.
LEAST, MOST, LARGEST = 1e-4, 1e6, 1 << 60


def name_of(value: Any, what: str) -> str:
    """A name fit for files, tables and pins such as `tile.k.L1`. Raises HardwareError."""
    if not isinstance(value, str) or not re.fullmatch(r"[^\W\d][\w+-]*", value):
        raise HardwareError(f"{what} {value!r}: a name is a letter, then letters, digits and _ + -, such as 'L1'")
    return value


def number(value: Any, what: str, unit: str, positive: bool = False) -> None:
    """Raises HardwareError unless the value is a number from 0 (positive: from LEAST) to MOST."""
    least = LEAST if positive else 0
    if not isinstance(value, int | float) or isinstance(value, bool) or not least <= value <= MOST:
        raise HardwareError(f"{what}={value!r}: pass a number of {unit}, {least:g} to {MOST:g}")


def check_memory(m: Memory, kinds: Sequence[str]) -> None:
    """Raises HardwareError unless the memory's own fields are sound."""
    name = name_of(m.name, "memory")
    if name in TAKEN:
        raise HardwareError(
            f"memory {name!r}: that word means something else ({', '.join(TAKEN)} are taken); call it another name"
        )
    count = whole_number(m.count, f"memory {name}: count", HardwareError)
    if m.bandwidth is not None:
        number(m.bandwidth, f"memory {name}: bandwidth", "bytes per cycle", positive=True)
    if is_open(m.capacity):
        piece, what = (m.rows, f"rows of {m.row}") if m.row else (m.capacity / m.count, f"bytes for each of {count}")
        if not (sp.sympify(piece).is_Integer or is_open(piece)):
            raise HardwareError(f"memory {name}: {m.capacity} bytes are no whole number of {what}")
        return
    if m.capacity is not None:
        capacity = whole_number(m.capacity, f"memory {name}: capacity, in bytes (None: unlimited)", HardwareError)
        if capacity > LARGEST:
            raise HardwareError(
                f"memory {name}: capacity={capacity}: at most 2^60 bytes; write None for an unlimited one"
            )
        if capacity % count:
            raise HardwareError(
                f"memory {name}: {capacity} bytes are no whole number of bytes for each of {count} registers; capacity counts "
                "all of them together"
            )
    elif count > 1:
        raise HardwareError(
            f"memory {name}: {count} registers of unlimited size; say how many bytes all of them have together"
        )
    row = whole_number(m.row, f"memory {name}: row, in bytes (0: software addresses no rows)", HardwareError, 0)
    if row and (m.capacity is None or m.capacity % row or count > 1):
        size = "unlimited" if m.capacity is None else f"{m.capacity} bytes, count={count}"
        raise HardwareError(
            f"memory {name}: {size}, with rows of {row} bytes: pass a capacity that is a whole number of rows, and no count"
        )
    if m.kind not in ("", *kinds):
        raise HardwareError(f"memory {name}: kind={m.kind!r}; {did_you_mean(str(m.kind), kinds)}")
    if m.is_state and (m.capacity is None or not m.capacity <= 4096 or row):
        raise HardwareError(
            f"memory {name}: a state has 1 to 4096 bytes in all its cells; pass its capacity, count= where an engine has several "
            "sets of them, and no row"
        )
    if whole_number(m.bits, f"memory {name}: bits", HardwareError, 0) and not (m.row and m.bits < 64):
        raise HardwareError(
            f"memory {name}: bits={m.bits}: cells of addressed memories alone have few bits, 1 to 63; add row="
        )
    _check_banks(m, name, row)
    number(m.energy, f"memory {name}: energy", "picojoules per byte")
    if not isinstance(m.shared, bool):
        raise HardwareError(f"memory {name}: shared={m.shared!r}: pass True where all cores share it, else False")


def _check_banks(m: Memory, name: str, row: int) -> None:
    banks = whole_number(m.banks, f"memory {name}: banks (0: no limit)", HardwareError, 0)
    ports = whole_number(m.ports, f"memory {name}: ports of a bank", HardwareError)
    if m.is_state and m.is_limited:
        raise HardwareError(f"memory {name}: a state has no bandwidth and no banks; leave them out")
    if banks and not row:
        raise HardwareError(
            f"memory {name}: banks={banks}: rows are interleaved over banks; add row=, the bytes of a row"
        )
    if banks and m.rows % banks:
        near = [n for n in range(1, banks) if m.rows % n == 0][-1:]
        raise HardwareError(
            f"memory {name}: banks={banks}: {m.rows} rows do not divide into so many; pass a number that divides them, such as "
            f"{(near or [m.rows])[0]}, or another capacity"
        )
    if ports > 1 and not banks:
        raise HardwareError(f"memory {name}: ports={ports} are of each bank; add banks=, 1 where all rows are one bank")


def check_link(k: Link) -> None:
    """Raises HardwareError unless the link's own fields are sound."""
    source, target = name_of(k.source, "link from"), name_of(k.target, "link to")
    if source == target:
        raise HardwareError(f"link {source} -> {target}: it leads from a memory to itself")
    number(k.bandwidth, f"link {source} -> {target}: bandwidth", "bytes per cycle", positive=True)
    number(k.latency, f"link {source} -> {target}: latency", "cycles")


def check_hardware(h: Hardware, kinds: tuple[type, type]) -> dict[str, Any]:
    """The machine's sequences as tuples. Raises HardwareError for parts that do not fit each other."""
    name = name_of(h.name, "hardware")
    if not isinstance(h.description, str):
        raise HardwareError(
            f"hardware {name}: description={h.description!r} is {type(h.description).__name__}: pass a text"
        )
    memories = _parts(name, "memories", h.memories, kinds[0])
    links = _parts(name, "links", h.links, kinds[1])
    instructions = _parts(name, "instructions", h.instructions, Instruction)
    engines = _parts(name, "engines", h.engines, Engine)
    rules = _parts(name, "rules", h.rules, Rule)
    _check_memories(name, memories)
    _check_links(name, memories, links)
    for i in instructions:
        _check_places(name, memories, i)
    return {"memories": memories, "links": links, "instructions": instructions, "engines": engines, "rules": rules}


def _parts(name: str, what: str, given: Any, kind: type) -> tuple[Any, ...]:
    if not isinstance(given, tuple | list):
        raise HardwareError(f"hardware {name}: {what} is {_short(given)}: pass a tuple of im.{kind.__name__}(...)")
    for part in given:
        if not isinstance(part, kind):
            hint = "; write a comma behind the only one" if isinstance(part, str) else ""
            raise HardwareError(f"hardware {name}: {what} holds {_short(part)}: pass im.{kind.__name__}(...){hint}")
    return tuple(given)


def _short(value: Any) -> str:
    """The value with its type; the type alone if the value is long."""
    text, kind = repr(value), type(value).__name__
    return f"{text}, which is {kind}" if len(text) <= LONG else f"a {kind}"


def _check_memories(name: str, memories: Sequence[Memory]) -> None:
    names = [m.name for m in memories]
    for n, m in enumerate(memories):
        if m.name in names[:n]:
            raise HardwareError(f"hardware {name}: two memories are called {m.name}")
    unlimited = [m.name for m in memories if m.is_main and not m.kind]
    if len(unlimited) > 1:
        raise HardwareError(
            f"hardware {name}: {' and '.join(unlimited)} are unlimited, and only main memory is; give the others their capacity in "
            "bytes, or say kind='main'"
        )


def _check_links(name: str, memories: Sequence[Memory], links: Sequence[Link]) -> None:
    names = [m.name for m in memories]
    seen: set[tuple[str, str]] = set()
    for k in links:
        for end in (k.source, k.target):
            if end not in names:
                raise HardwareError(
                    f"hardware {name}: link {k.source} -> {k.target}: there is no memory {end!r}; {did_you_mean(end, names)}"
                )
        if (k.source, k.target) in seen:
            raise HardwareError(
                f"hardware {name}: two links lead from {k.source} to {k.target}; which bandwidth holds?"
            )
        seen.add((k.source, k.target))


def _check_places(name: str, memories: Sequence[Memory], i: Instruction) -> None:
    """Raises HardwareError unless each operand lies in a memory of the machine with room for it.

    A machine without memories only maps and proves.
    """
    known = {m.name: m for m in memories}
    for operand, place in i.places if known else ():
        if place in (MAIN, CODE):
            continue
        if place not in known:
            raise HardwareError(
                f"hardware {name}: {i.name} has {operand} in {place!r}, and there is no such memory; "
                f"{did_you_mean(place, [*known, MAIN])}"
            )
        m, t = known[place], i.kernel.tensor(operand)
        size = sp.Mul(*t.shape) * t.dtype.bytes
        group = i.group(operand)
        room = group * (m.capacity / m.count if is_open(m.capacity) else (m.capacity or 0) // m.count)
        if m.capacity is not None and exceeds(size, room):
            one = f"one of the {m.count} registers of {place}" if m.count > 1 else place
            one = f"a group of {group} registers of {place}" if group > 1 else one
            raise HardwareError(
                f"hardware {name}: {operand} of {i.name} has {size} bytes ({t.dtype}{list(t.shape)}), and "
                f"{one} has {room}; describe a larger memory, or a smaller operand"
            )
        if (numbers := i.registers.get(operand, m.count)) > m.count:
            raise HardwareError(
                f"hardware {name}: {operand} of {i.name} is one of {numbers} registers, and {place} has {m.count}; write the same "
                "number in needs and in Memory(count=...)"
            )


def check_ways(h: Hardware) -> None:
    """Raises HardwareError if data cannot come into a memory from main memory, or results cannot leave theirs.

    Part of the machine would be cut off. Engines are not checked: their moves say where data go.
    """
    ends = main_memories(h.memories)
    if h.engines or any(i.engine for i in h.instructions) or not ends:
        return
    cut = [m.name for m in h.memories if m.name not in ends and not m.is_state and way_in(h, m.name) is None]
    if cut:
        first = min(cut, key=lambda name: _steps(name, ends, h.links))  # the end of the way the others are on
        into = next((k.source for k in h.links if k.target == first), None)
        only = f", only from {into}, where none comes from there either" if into else ""
        raise HardwareError(
            f"hardware {h.name}: no links lead from {' or '.join(sorted(ends))} into {first}{only}: nothing would ever arrive "
            f"there; add im.Link({min(ends)!r}, {first!r}, bandwidth), or another that does"
        )
    for place, instruction in _results(h.instructions):
        if place != MAIN and not ends & _reached(place, h.links):
            way = way_in(h, place)
            near = way.memories[0].name if way else min(ends)
            raise HardwareError(
                f"hardware {h.name}: {instruction} leaves its results in {place}, and no links lead from there to "
                f"{' or '.join(sorted(ends))}; add im.Link({place!r}, {near!r}, bandwidth)"
            )


def _results(instructions: Sequence[Instruction]) -> Iterator[tuple[str, str]]:
    for i in instructions:
        if i.kind == "compute":
            yield dict(i.places)[i.kernel.statements[0].target.tensor], i.name


def _steps(start: str, ends: frozenset[str], links: Sequence[Link]) -> int:
    """The number of links on the way from a memory out to main memory; more than there are links if there is no way."""
    here, steps = {start}, 0
    while not here & ends:
        further = here | {k.target for k in links if k.source in here}
        if further == here:
            return len(links) + 1
        here, steps = further, steps + 1
    return steps


def _reached(start: str, links: Sequence[Link]) -> set[str]:
    found, todo = {start}, [start]
    while todo:
        here = todo.pop()
        further = {k.target for k in links if k.source == here} - found
        found |= further
        todo += further
    return found
