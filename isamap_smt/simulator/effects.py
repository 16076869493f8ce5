"""The effects of uses on memory, one after the other in a given order, each whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.errors import LanguageError
from isamap_smt.ir.evaluate import Functions
from isamap_smt.ir.expr import elements, evaluate, held_as, sym, written
from isamap_smt.ir.instruction import GIVE, TAKE, Instruction
from isamap_smt.ir.interpret import neutral
from isamap_smt.ir.kernel import Access as Element
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.program import Program, immediate
from isamap_smt.ir.scalar import Read, cast, reads, rewrite_reads, sums
from isamap_smt.ir.traversal import buffers
from isamap_smt.ir.typed import typed_value
from isamap_smt.simulator.orders import Order
from isamap_smt.simulator.places import Access, Space, points
from isamap_smt.simulator.sites import Elaborated, Site

Array = np.ndarray
Value = Callable[[Mapping[str, Array]], Array]
Key = tuple[
    int | float, ...
]  # an instruction's id, its numbers in the code, and how many points of each axis are active
_COMBINE = {"+": np.add, "*": np.multiply, "max": np.maximum, "min": np.minimum}


def run(
    elaborated: Elaborated,
    kernel: Kernel,
    accesses: tuple[Access, ...],
    order: Order,
    arrays: Mapping[str, Array],
    seed: int,
) -> dict[str, Array]:
    """The outputs, by name.

    Memories, and outputs read by no use, begin as NaN, or as integers drawn by the seed; outputs read by
    some use begin at the neutral element of the kernel's reduction.
    """
    hosts = {n for n, s in enumerate(elaborated.sites) if s.use.instruction.kind in (GIVE, TAKE)}
    accesses = tuple(a for a in accesses if a.site not in hosts)
    held, poison = _begin(elaborated.program, kernel, accesses, arrays, seed)
    made: dict[Key, Value] = {}
    machine = elaborated.program.machine
    narrow = {m.name: m.bits for m in machine.memories} if machine else {}
    acts = [
        _act(s, [a for a in accesses if a.site == n], held, poison, made, narrow)
        for n, s in enumerate(elaborated.sites)
    ]
    heads = [0] * len(elaborated.queues)
    with np.errstate(all="ignore"):
        for engine in order.steps:
            queue, at = elaborated.queues[engine], heads[engine]
            heads[engine] = at + 1
            acts[queue.sites[at]](queue.iterations[at])
    found = {}
    for name in kernel.results:
        tensor = kernel.tensor(name)
        space = Space(name, True, tuple(int(e) for e in tensor.shape), tensor.dtype.bytes)
        untouched = _poison(np.random.default_rng(seed), space.size, tensor.dtype.numpy)
        found[name] = (held[space][:-1] if space in held else untouched).reshape(space.shape)
    return found


def _begin(
    program: Program, kernel: Kernel, accesses: tuple[Access, ...], arrays: Mapping[str, Array], seed: int
) -> tuple[dict[Space, Array], dict[Space, Array]]:
    """The cells of each space with one more for all places outside, and the poison in this one.

    A memory with cells of several types is bytes.
    """
    draw = np.random.default_rng(seed)
    held: dict[Space, Array] = {}
    poison: dict[Space, Array] = {}
    types: dict[Space, set[DType]] = {}
    for a in accesses:
        types.setdefault(a.space, set()).add(a.dtype)
    for a in accesses:
        if a.space in held:
            continue
        if len(types[a.space]) > 1:
            held[a.space] = _bytes(program, a.space, types[a.space], draw)
            poison[a.space] = held[a.space][a.space.size * a.space.unit :].copy()
            continue
        filling = _poison(draw, a.space.size // a.width + 1, a.dtype.numpy)
        poison[a.space] = filling[-1:].copy()
        if a.space.tensor and a.space.name in kernel.inputs:
            filling[:-1] = arrays[a.space.name].reshape(-1)
        elif a.space.tensor and any(b.space == a.space and b.reads for b in accesses):
            first = next(s for s in kernel.statements if s.target.tensor == a.space.name)
            filling[:-1] = neutral(first.op, a.dtype)
        held[a.space] = filling
    return held, poison


def _bytes(program: Program, space: Space, types: set[DType], draw: np.random.Generator) -> Array:
    """Poison of an addressed memory with cells of several types: in rows of a buffer of floats, NaN."""
    rows, units = space.shape
    floats = any(t.is_float for t in types)
    beyond = b"\xff" * 8 if floats else draw.bytes(8)
    found = draw.integers(0, 256, (rows, units * space.unit), np.uint8)
    for b in buffers(program).values():
        if b.memory == space.name and b.dtype.is_float:
            found[int(b.offset) : int(b.offset) + int(b.slots) * int(b.rows)] = 0xFF
    return np.concatenate([found.ravel(), np.frombuffer(beyond, np.uint8)])


def _seen(array: Array, a: Access) -> Array:
    """The cells of a space as an operand has them."""
    count = a.space.size // a.width + 1
    return array[: count * a.dtype.bytes // array.itemsize].view(a.dtype.numpy)


def _tail(array: Array, a: Access) -> Array:
    """Poison of places outside, as an operand has it."""
    return array[: a.dtype.bytes // array.itemsize].view(a.dtype.numpy)


def _poison(draw: np.random.Generator, count: int, kind: np.dtype) -> Array:
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        return draw.integers(limits.min, limits.max, count, dtype=kind, endpoint=True)
    return np.full(count, np.nan, kind)


def _act(
    site: Site, accesses: list[Access], held: dict[Space, Array], poison: dict[Space, Array], made: dict[Key, Value],
    narrow: Mapping[str, int],
) -> Callable[[int], None]:  # fmt: skip
    """The function to carry out an iteration of the site. made: values of instructions, shared by all sites. narrow:
    memory -> bits of its cells."""
    instruction = site.use.instruction
    if instruction.kind in ("signal", "configure", GIVE, TAKE):
        return lambda iteration: None
    statement = instruction.kernel.statements[0]
    target = next(a for a in accesses if a.operand == statement.target.tensor)
    needed = {a.tensor for a in statement.inputs} - {statement.target.tensor} | {
        r.tensor for r in reads(statement.value)
    }
    named = [a for a in statement.inputs if elements(a.index)]
    sources = [
        (a.operand, _seen(held[a.space], a), [c // a.width for c in a.cells], a.which.tolist())
        for a in accesses
        if a.operand in needed
    ]
    cells, cleared = ([c // target.width for c in found] for found in (target.cells, target.cleared))
    wrong, which = target.wrong, target.which.tolist()
    into = _seen(held[target.space], target)
    outside = _tail(poison[target.space], target)
    bits = 0 if target.space.tensor else narrow.get(target.space.name, 0)
    spans: dict[int, dict[str, Array]] = {}
    values: dict[int, Value] = {}  # by the target's footprint, which tells active points apart
    numbers = {o: immediate(r) or 0 for o, r in site.use.operands if o in instruction.immediates}
    combine = None if statement.op == "=" else _COMBINE[statement.op].at

    def act(iteration: int) -> None:
        footprint = which[iteration]
        value = values.get(footprint)
        if value is None:
            active = {a: int(v[iteration]) for a, v in site.active.items()}
            front = {a: int(v[iteration]) for a, v in site.front.items()}
            spans[footprint] = points(instruction, active, front)[0]
            key = (id(instruction), *numbers.values(), *active.values(), *front.values())
            value = values[footprint] = made[key] = made.get(key) or _make(instruction, (active, front), numbers)
        taken = {name: array[at[number[iteration]]] for name, array, at, number in sources}
        for a in named:
            beyond = next(array[-1:] for name, array, _, _ in sources if name == a.tensor)
            taken[a.tensor] = _named(instruction, a, spans[footprint], taken, beyond)
        found = value(taken)
        if combine is None:
            into[cells[footprint]] = found
            if cleared[footprint].size:
                into[cleared[footprint]] = 0
        else:
            combine(into, cells[footprint], found)
        if bits:
            into[cells[footprint]] = _cut(into[cells[footprint]], bits)
        if wrong[footprint]:
            into[-1:] = outside

    return act


def _named(
    instruction: Instruction, a: Element, at: dict[str, Array], taken: Mapping[str, Array], beyond: Array
) -> Array:
    """The cell named by data at each point. taken: the values of operands at the points, of this one of its tile."""
    shape = tuple(int(n) for n in instruction.shapes[a.tensor])
    held = {held_as(e.tensor): _AtPoints(taken[e.tensor]) for e in elements(a.index)}
    index = [np.broadcast_to(np.asarray(evaluate(written(i), {**at, **held})), at["#"].shape) for i in a.index]
    inside = np.ones(at["#"].shape, bool)
    for i, n in zip(index, shape, strict=True):
        inside &= (i >= 0) & (i < n)
    flat = np.ravel_multi_index([np.where(inside, i, 0) for i in index], shape)
    return np.where(inside, taken[a.tensor][flat], beyond)


class _AtPoints:
    """The values of an operand that is an index, at each point."""

    def __init__(self, values: Array) -> None:
        self.values = values.astype(np.int64)

    def at(self, *index: Any) -> Array:
        """An operand is read at one cell in each point."""
        return self.values


def _cut(values: Array, bits: int) -> Array:
    """Modulo 2^bits, signed."""
    half = 1 << (bits - 1)
    return (values.astype(np.int64) + half) % (2 * half) - half


def _make(
    instruction: Instruction, spans: tuple[dict[str, int], dict[str, int]], numbers: dict[str, int | float]
) -> Value:
    """The value of an instruction's statement at its points.

    spans: axis -> end of its active points, and axis -> their start. numbers: in the place of operands in the code.
    """
    contract = instruction.kernel
    statement = contract.statements[0]
    if any(True for _ in sums(statement.value)):
        raise LanguageError(f"{instruction.name}: a sum inside the contract's value; write it as a reduction `+=`")
    count = points(instruction, *spans)[0]["#"].size
    ids = np.arange(count)
    point = sym("point")
    value = rewrite_reads(
        typed_value(contract, statement),
        lambda r: (
            cast(contract.tensor(r.tensor).dtype, sp.sympify(numbers[r.tensor]))
            if r.tensor in numbers
            else Read(r.args[0], point)
        ),
    )
    functions = Functions(contract, {t.name: (count,) for t in contract.tensors})
    return functions.value(value, {"point": ids, "#": ids}, contract.tensor(statement.target.tensor).dtype)
