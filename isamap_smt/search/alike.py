"""Instructions whose contracts differ in names of operands and in the order of their indices have the same legal mappings.

    acc[i,j] += i32(a[i,k]) * i32(b[k,j])
    acc[i,j] += i32(a[i,k]) * i32(w[j,k])

A cell holds one element whichever way its indices are written, so one search is enough. A mapping that is used is proved
on its own instruction all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.scalar import Read, rewrite_reads
from isamap_smt.mapping.fuse import fuse
from isamap_smt.proof.mapping import prove


def legal_mappings(
    kernel: Kernel,
    instructions: Iterable[Instruction],
    search: Callable[[Instruction], Iterable[ProvedMapping]],
    useless: Callable[[Mapping], str],
) -> tuple[list[ProvedMapping], list[tuple[Mapping, str]]]:
    """(the legal mappings onto all instructions, those left unproved with the reason).

    search: finds those onto one, and is asked once for those that compute the same. useless: why nothing is made of a
    mapping, or ''; one onto a further instruction is then not proved there.
    """
    found: list[ProvedMapping] = []
    left: list[tuple[Mapping, str]] = []
    searched: dict[Hashable, tuple[Instruction, list[ProvedMapping]]] = {}
    for i in instructions:
        what = _computed(i)
        if what in searched:
            onto = (_onto(kernel, p.mapping, searched[what][0], i) for p in searched[what][1])
            more, without = proved_where_useful(onto, useless)
            found += more
            left += without
            continue
        own = list(search(i))
        found += own
        if what is not None:
            searched[what] = i, own
    return found, left


def proved_where_useful(
    mappings: Iterable[Mapping], useless: Callable[[Mapping], str]
) -> tuple[list[ProvedMapping], list[tuple[Mapping, str]]]:
    """(the legal ones of these, those left unproved with the reason)."""
    found: list[ProvedMapping] = []
    left: list[tuple[Mapping, str]] = []
    for m in mappings:
        if why := useless(m):
            left.append((m, why))
        elif isinstance(p := prove(m), ProvedMapping):
            found.append(p)
    return found, left


def _computed(i: Instruction) -> Hashable | None:
    """The contract of an instruction, with operands by position, each with the set of axes that it is read at.

    None if an index is no axis, if one comes twice, if an operand has two accesses, or if the contract is not all of it.
    """
    s = i.kernel.statements[0]
    names = _operands(i)
    plain = all(len(set(a.index)) == len(a.index) and all(e.is_Symbol for e in a.index) for a in (s.target, *s.inputs))
    if i.exact is not None or not plain or len(set(names)) != len(names):
        return None

    def by_position(read: Any) -> Any:
        return Read(str(names.index(read.tensor)), tuple(sorted(read.index, key=str)))

    axes = tuple((a.name, a.extent) for a in s.axes)
    operands = tuple((i.types[a.tensor], frozenset(a.index)) for a in (s.target, *s.inputs))
    assumed = tuple((names.index(o), *range_) for o, *range_ in i.assume)
    return axes, operands, s.op, s.guard, s.ordered, rewrite_reads(s.value, by_position), i.rounding, assumed


def _operands(i: Instruction) -> list[str]:
    """Its operands in the order of the statement, the output first."""
    s = i.kernel.statements[0]
    return [a.tensor for a in (s.target, *s.inputs)]


def _onto(kernel: Kernel, m: Mapping, like: Instruction, i: Instruction) -> Mapping:
    """The mapping with the same axes and operands onto another instruction; nothing about it is proved yet."""
    named = dict(zip(_operands(like)[1:], _operands(i)[1:], strict=True))
    tensors = {named[o]: a.tensor for o, a in m.binding if o in named}
    return fuse(kernel, i, {t: list(g) for t, g in m.groups if g}, tensors, m.statement_index, True)


__all__ = ["legal_mappings", "proved_where_useful"]
