"""Tables in registers as parts of a value: T[X[i]] by an instruction such as `d[l] = t[idx[l]]`.

A lookup is matched as a whole: the table's register may have more cells than the table, and its index is what data names.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

from isamap_smt.ir.dtypes import widens
from isamap_smt.ir.expr import Inside, elements, is_constant, written
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.indirect import by_data, writes_by_data
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Access, Kernel, Statement
from isamap_smt.ir.move_form import MAIN
from isamap_smt.ir.scalar import Read, read
from isamap_smt.mapping.layout import reaches
from isamap_smt.mapping.patterns import Bound, pattern_of


@lru_cache(maxsize=64)
def lookups_of(machine: Hardware, lanes: int) -> tuple[Instruction, ...]:
    """The machine's instructions with results of so many lanes, each a cell that data names: `d[l] = t[idx[l]]`."""
    return tuple(i for i in machine.computes if machine.offers(i) and _looks_up(i, lanes))


def _looks_up(i: Instruction, lanes: int) -> bool:
    s = i.kernel.statements[0]
    if not by_data(s) or not isinstance(s.value, Read) or s.op != "=" or s.guard or len(i.kernel.axes) != 1:
        return False
    if i.numbered or i.cells_needed or i.may_fail or i.assume or i.preconditions:
        return False
    (axis,) = i.kernel.axes
    lanewise = all(a.index == (axis.symbol,) for a in (s.target, *s.inputs) if a.tensor != s.value.tensor)
    return lanewise and i.shapes[i.target] == (lanes,) and all(elements([x]) for x in s.value.index)


def of_tables(s: Statement) -> bool:
    """Whether what it reads by data are whole tables, at elements that are found without data."""
    if writes_by_data(s):
        return False
    named = [a for a in s.inputs if elements(a.index)]
    nested = {e.tensor for a in named for e in elements(a.index)} & {a.tensor for a in named}
    return not nested and all(elements([i]) for a in named for i in a.index)


def is_lookup(tree: Any) -> bool:
    """Whether the value is an element of a table, at an index that data names."""
    return isinstance(tree, Read) and bool(tree.index)


def lookup_of(i: Instruction, table: Any) -> Bound | None:
    """The operands of a lookup for an element of a table: the table's register and those of its indices."""
    pattern = pattern_of(i)
    held, far = i.shapes[pattern.tensor], _far(i)
    if len(pattern.index) != len(table.index):
        return None
    bound = {pattern.tensor: read(table.tensor)}
    for mine, theirs, n in zip(pattern.index, table.index, held, strict=True):
        ours, others = elements([mine]), elements([theirs])
        named = dict(zip(ours, others, strict=False))
        fits = isinstance(theirs, Inside) and reaches(n, theirs.args[1], far)
        if not fits or len(ours) != len(others) or written(mine).xreplace(named) != written(theirs):
            return None
        for a, b in named.items():
            if bound.setdefault(a.tensor, read(b.tensor)) != read(b.tensor):
                return None
    return tuple(bound.items()) if set(bound) == set(i.types) - {i.target} else None


def _lookups(machine: Hardware) -> list[Instruction]:
    """Those of any number of lanes."""
    offered = (i for i in machine.computes if machine.offers(i))
    return [i for i in offered if any(_looks_up(i, lanes) for lanes in i.shapes[i.target][:1])]


def read_in_memory(kernel: Kernel, s: Statement, machine: Hardware) -> tuple[str, ...]:
    """The tensors of the statement, read by data, of types that the machine's instructions read in main memory."""
    found = {i.types[i.target] for i in _lookups(machine) if _far(i)}
    read = dict.fromkeys(a.tensor for a in s.inputs if elements(a.index))
    return tuple(n for n in read if kernel.tensor(n).dtype in found)


def _far(i: Instruction) -> bool:
    return dict(i.places)[pattern_of(i).tensor] == MAIN


def no_lookup(kernel: Kernel, s: Statement, machine: Hardware) -> str:
    """Why none of the machine's instructions follows an index of the statement that is data, in words for people."""
    none = "no instruction here follows one"
    held: dict[
        str, tuple[int, str]
    ] = {}  # element type -> the most cells of a register that is looked up in, and who does
    far: dict[str, Instruction] = {}  # element type -> who reads it in main memory
    for i in _lookups(machine):
        table = i.kernel.statements[0].value.tensor
        dtype, cells = i.types[table].name, int(prod(i.shapes[table]))
        if _far(i):
            far.setdefault(dtype, i)
        else:
            held[dtype] = max(held.get(dtype, (0, "")), (cells, i.name))
    if not (held or far) or not of_tables(s):
        return none
    for a in s.inputs:
        if elements(a.index) and (words := _out_of_reach(kernel, a, held, far)):
            return words
    return none


def _out_of_reach(kernel: Kernel, a: Access, held: dict[str, tuple[int, str]], far: dict[str, Instruction]) -> str:
    """Why the table lies in no register, and is not read in main memory; '' if its type and its size do not tell."""
    dtype, shape = kernel.tensor(a.tensor).dtype.name, kernel.tensor(a.tensor).shape
    if dtype in far:
        i = far[dtype]
        (taken,) = (i.types[e.tensor] for e in elements(i.kernel.statements[0].value.index))
        if len(shape) != 1:
            return f"{a.tensor} has {len(shape)} dimensions of data, and an address is one number ({i.name})"
        given = {e.tensor: kernel.tensor(e.tensor).dtype for e in elements(a.index)}
        odd = [n for n, d in given.items() if d != taken and not widens(d, taken)]
        return f"{odd[0]} is {given[odd[0]]}, and {i.name} takes indices of {taken}" if odd else ""
    if dtype not in held:
        known = ", ".join(sorted({*held, *far}))
        return f"{a.tensor} is {dtype}, and tables in registers are here {known}"
    cells, name = held[dtype]
    if not all(is_constant(n) for n in shape):
        return f"the size of {a.tensor} is open, and a register holds {cells} of {dtype} ({name}): declare its shape"
    if prod(shape) > cells:
        return f"{a.tensor} has {prod(shape)} elements, and a register holds {cells} of {dtype} ({name})"
    return ""


def of_extents(value: Any, tree: Any) -> Any:
    """What a lookup finds, in a table of the tree's extents; the register may have more cells. Other values stay."""
    if not (is_lookup(value) and is_lookup(tree)):
        return value
    both = zip(value.index, tree.index, strict=True)
    return Read(value.args[0], *(Inside(written(mine), theirs.args[1]) for mine, theirs in both))


__all__ = ["is_lookup", "lookup_of", "lookups_of", "no_lookup", "of_extents", "of_tables", "read_in_memory"]
