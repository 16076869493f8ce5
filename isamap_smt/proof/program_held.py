"""The value of a cell by its type: an element of a tensor under the guard, else a known value or anything.

A transfer (a copy or a move) takes values from its source to its destination. It is right if the destination's type
describes exactly the arriving value, for every cell written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.expr import element, elements, sym
from isamap_smt.ir.instruction import ACCUMULATE, MOVES, Instruction
from isamap_smt.ir.interpret import left_beyond
from isamap_smt.ir.kernel import Access
from isamap_smt.ir.move_form import MAIN
from isamap_smt.ir.program import Alloc, Buffer, Compute, Copy, Move, Ref
from isamap_smt.ir.scalar import Read
from isamap_smt.proof.program_sites import Formula, Site, Sites, UnrecognisedError, conjunction, equal, rename

TRUE: Formula = ("and",)
DEAD = "dead"


@dataclass(frozen=True)
class Held:
    """tensor[coordinates] under `guard`; elsewhere `outside`: a number ('0', '-0', '-oo', '-128') as text, or 'dead'."""

    tensor: str
    coordinates: tuple[Any, ...]
    guard: Formula
    outside: str
    dtype: DType


@dataclass(frozen=True)
class Place:
    """A cell of a buffer or an element of a tensor.

    lies: the shape by which it is addressed, another one if the program folds the tensor. home: the Alloc's site, None
    for a tensor. padded: the condition under which a cell named by data is one of an element because its indices are
    padded with 0.
    """

    ref: Ref
    index: tuple[Any, ...]
    shape: tuple[Any, ...]
    lies: tuple[Any, ...]
    held: Held
    home: Site | None
    padded: tuple[Formula, ...] = ()

    @property
    def name(self) -> str:
        return self.ref.name


@dataclass(frozen=True)
class Transfer:
    """One copy or move: it reads the source under `selected`, and takes `fill` elsewhere ('' leaves the destination).

    adds: to the destination's content.
    """

    site: Site
    dst: Place
    src: Place | None
    selected: Formula
    fill: str
    adds: bool = False

    @property
    def written(self) -> Formula:
        """The condition under which the destination is written."""
        leaves = self.fill == ""
        return self.selected if leaves else TRUE


def place_of(sites: Sites, site: Site, ref: Ref, index: tuple[Any, ...]) -> Place:
    """The place `index` of a buffer or tensor, seen from a site. Raises UnrecognisedError for a wrong rank."""
    declared = isinstance(site.node, Alloc) and site.node.buffer.name == ref.name
    home = site if declared else site.visible.get(ref.name)
    if home is None:
        t = sites.kernel.tensor(ref.name)
        if len(index) != len(t.shape):
            raise UnrecognisedError(f"{ref.name} has {len(t.shape)} dimensions and is given {len(index)} indices")
        return Place(
            ref, index, t.shape, sites.lying.get(t.name, t.shape), Held(t.name, index, TRUE, DEAD, t.dtype), None
        )
    b: Buffer = home.node.buffer  # type: ignore[union-attr]
    if not len(index) == len(b.shape) == len(b.cells):
        raise UnrecognisedError(f"{ref.name} has {len(b.shape)} dimensions and is given {len(index)} indices")
    table = {c.name: sp.sympify(i) for c, i in zip(b.cells, index, strict=True)}
    guard = conjunction(rename(g, table) for g in b.type.guard)
    coordinates = tuple(rename(sp.sympify(c), table) for c in b.type.coordinates)
    return Place(ref, index, b.shape, b.shape, Held(b.type.tensor, coordinates, guard, b.type.outside, b.dtype), home)


def register_cell(ref: Ref, index: tuple[Any, ...]) -> tuple[Any, ...]:
    """The register's leading indices followed by the instruction's own cell."""
    return (*(sp.sympify(i) for i in ref.index), *(sp.sympify(i) for i in index))


def transfer(sites: Sites, site: Site) -> Transfer:
    """The effect of a copy or move. Raises UnrecognisedError for a move other than a plain copy of elements."""
    node = site.node
    assert isinstance(node, Copy | Move)
    if isinstance(node, Copy):
        dst = place_of(sites, site, node.dst, tuple(map(sp.sympify, node.dst.index)))
        src = place_of(sites, site, node.src, tuple(map(sp.sympify, node.src.index)))
        return Transfer(site, dst, src, conjunction(node.where), node.fill)
    i = node.instruction
    s = i.kernel.statements[0]
    if len(i.kernel.statements) != 1 or i.exact is not None or i.kind not in MOVES:
        raise UnrecognisedError(f"{i.short} is no plain move")
    if i.kind == "zero":
        register = register_cell(node.register, s.target.index)
        number = sp.sympify(s.value)
        if not number.is_number or node.memory is not None:
            raise UnrecognisedError(f"{i.short} is called zero and is not r = 0, or another number")
        return Transfer(site, place_of(sites, site, node.register, register), None, ("or",), str(number))
    adds = i.kind == ACCUMULATE
    if node.memory is None or not isinstance(s.value, Read) or s.op != ("+" if adds else "=") or s.guard:
        raise UnrecognisedError(f"{i.short} does more than copy elements")
    memory = place_of(sites, site, node.memory, tuple(map(sp.sympify, node.memory.index)))
    selected = active(node)
    if i.kind == "store":
        register = register_cell(node.register, s.value.index)
        return Transfer(site, memory, place_of(sites, site, node.register, register), selected, "")
    register = register_cell(node.register, s.target.index)
    into = place_of(sites, site, node.register, register)
    return Transfer(site, into, memory, selected, str(left_beyond(i.beyond, into.held.dtype)), adds)


def active(node: Move) -> Formula:
    """The condition of an active lane."""
    if not node.active:
        return TRUE
    axes = [*map(sym, node.instruction.axes)] or [sp.S.Zero]
    below = [("lt", axis, sp.sympify(n)) for axis, n in zip(axes, node.active, strict=False)]
    return below[0] if len(below) == 1 else conjunction(below)


def operand_cells(site: Site, sites: Sites) -> tuple[Place, list[tuple[str, Place]]]:
    """The accumulator cell of an execution, and (operand, cell) for each element its instruction reads."""
    node = site.node
    assert isinstance(node, Compute)
    s = node.instruction.kernel.statements[0]
    refs = dict(node.operands)
    names = {s.target.tensor, *(a.tensor for a in s.inputs)}
    if set(refs) != names or len(refs) != len(node.operands):
        raise UnrecognisedError(f"{node.instruction.short} has operands {sorted(names)} and is given {sorted(refs)}")

    places = dict(node.instruction.places)

    def cell(operand: str, index: tuple[Any, ...]) -> Place:
        ref = refs[operand]
        if places[operand] == MAIN:
            return _element(sites, site, node.instruction, operand, ref, index)
        place = place_of(sites, site, ref, register_cell(ref, index))
        want = node.instruction.kernel.tensor(operand)
        b = site.buffer(ref.name)
        if b is None or b.memory != "registers" or b.lanes != len(want.shape):
            raise UnrecognisedError(f"operand {operand} must be a register of {len(want.shape)} dimensions")
        if b.dtype != want.dtype or tuple(map(int, b.shape[len(b.shape) - b.lanes :])) != tuple(map(int, want.shape)):
            raise UnrecognisedError(f"{ref.name} is not a register of {want.dtype}{list(want.shape)}")
        return place

    inputs: dict[str, Place] = {}
    indices = {}
    for a in sorted(
        s.inputs, key=lambda a: bool(elements(a.index))
    ):  # indices first: cells are named by what they hold
        if a.tensor != s.target.tensor and not elements(a.index):
            found = inputs[a.tensor] = cell(a.tensor, a.index)
            indices[element(a.tensor, a.index)] = found.held
        elif a.tensor != s.target.tensor:
            inputs[a.tensor] = _named(a, indices, cell)
    order = [a.tensor for a in s.inputs if a.tensor in inputs]
    return cell(s.target.tensor, s.target.index), [(o, inputs[o]) for o in order]


def _element(
    sites: Sites, site: Site, instruction: Instruction, operand: str, ref: Ref, index: tuple[Any, ...]
) -> Place:
    """The element of an input that an instruction reads in memory, counted from the one at its place."""
    if ref.name not in sites.kernel.inputs or ref.name in site.visible or not len(ref.index) == len(index) == 1:
        raise UnrecognisedError(f"{operand} must be an input of one dimension, from one of its elements on")
    at = tuple(sp.sympify(b) + i for b, i in zip(ref.index, index, strict=True))
    found, want = place_of(sites, site, ref, at), instruction.kernel.tensor(operand)
    if found.held.dtype != want.dtype or found.lies != found.shape:
        raise UnrecognisedError(f"{ref.name} is no row of {want.dtype}")
    return found


def _named(a: Access, indices: dict[Any, Held], cell: Callable[[str, tuple[Any, ...]], Place]) -> Place:
    """The cell named by data: by the elements in the registers that are its indices, where these hold elements.

    Elsewhere nothing is known of it.
    """
    used = elements(a.index)
    if not all(e in indices for e in used):
        raise UnrecognisedError(f"{a.tensor} is read at an index that is no operand's element")
    held = {e: element(indices[e].tensor, indices[e].coordinates) for e in used}
    found, first = (
        cell(a.tensor, tuple(sp.sympify(i).xreplace(named) for i in a.index))
        for named in (held, dict.fromkeys(used, sp.S.Zero))
    )
    known = conjunction([*(indices[e].guard for e in used), found.held.guard])
    zeros = all(indices[e].outside in ("0", "-0") for e in used)
    padded = conjunction([*(("not", indices[e].guard) for e in used), first.held.guard])
    return replace(found, held=replace(found.held, guard=known, outside=DEAD), padded=(padded,) if zeros else ())


def arrives(t: Transfer) -> Formula:
    """The destination's type describes exactly the arriving value: element for element, outside for outside."""
    want = t.dst.held
    same, outside = _same_fill(t.fill, want), ("not", want.guard)
    if t.src is None:
        return ("and", outside, TRUE if want.outside == DEAD or same else ("or",))
    have = t.src.held
    element = ("and", t.selected, have.guard, *equal(want.coordinates, have.coordinates))
    if have.tensor != want.tensor:
        element = ("or",)
    if want.outside == DEAD:
        return ("implies", want.guard, element)
    if t.adds:
        return ("or",)  # what it holds elsewhere is no longer what its type says
    filled = ("not", t.selected) if same else ("or",)
    known = ("and", t.selected, ("not", have.guard)) if _same_fill(have.outside, want) else ("or",)
    return ("and", ("implies", want.guard, element), ("implies", outside, ("or", filled, known)))


def _same_fill(value: str, want: Held) -> bool:
    """Integers have one zero."""
    zeros = {value, want.outside} == {"0", "-0"} and not want.dtype.is_float
    return zeros or (value == want.outside and value not in ("", DEAD))
