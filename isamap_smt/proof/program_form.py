"""Whether each part of a core's program has the form that it needs. What has not says nothing: no claim is asked, and nothing runs.

field     every field holds what its annotation says
core      a core's program says nothing that engines alone have a meaning for; its buffers, loops, places and copies are whole
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from isamap_smt.ir.annotated import misfit
from isamap_smt.ir.hypotheses import HYPOTHESES
from isamap_smt.ir.program import PARTS, Alloc, Buffer, Copy, If, Issued, Loop, Move, Program, Ref, Use
from isamap_smt.ir.traversal import buffers, walk

CACHES = range(1, 5)  # that __builtin_prefetch names: the last is none that keeps the line


def misshapen(program: Program) -> str:
    """The first part that has not its form, in words; '' where all have."""
    if program.machine is not None:  # its claims ask for the forms of engines' parts, one by one
        return ""
    if wrong := misfit(program, (*PARTS, *HYPOTHESES)):
        return wrong
    ranks = {t.name: len(t.shape) for t in program.kernel.tensors}
    registers = {b.name for b in buffers(program).values() if b.memory == "registers"}
    for node, _ in walk(program):
        match node:
            case Alloc(buffer=b):
                found = _of_a_buffer(b, ranks)
            case Loop():
                found = _of_a_loop(node, ranks)
            case Issued():
                found = iter((f"{node.instruction.name} is issued by an engine, of which a core has none",))
            case Use():
                found = _of_a_use(node, ranks, registers)
            case If():
                short = node.known and len(node.known) != len(node.condition)
                said = f"{len(node.known)} of {len(node.condition)} relations are said to hold at some values"
                found = iter((said,) if short else ())
        for wrong in found:
            return wrong
    return ""


def _of_a_buffer(b: Buffer, ranks: Mapping[str, int]) -> Iterator[str]:
    if (b.offset, b.slots, b.version) != (0, 0, ()):
        yield f"buffer {b.name} says what slots of an engine's memory have"
    if b.first is not None and b.memory != "registers":
        yield f"buffer {b.name} says the number of a register, and lies in none"
    if b.type.tensor not in ranks:
        yield f"buffer {b.name} holds elements of {b.type.tensor}, which is no tensor"
    if b.type.outside != "dead" and not _is_number(b.type.outside):
        yield f"cells of buffer {b.name} that hold no element hold {b.type.outside!r}"
    if b.lanes not in range(len(b.shape) + 1):
        yield f"{b.lanes} dimensions of buffer {b.name} lie in one register, of {len(b.shape)}"


def _of_a_loop(loop: Loop, ranks: Mapping[str, int]) -> Iterator[str]:
    if loop.base is None and loop.extent is not None:
        yield f"the loop {loop.var} says an extent, and has no base"
    if odd := [name for name, _ in (*loop.folds, *loop.rings) if name not in ranks]:
        yield f"the loop {loop.var} folds {odd[0]}, which is no tensor"


def _of_a_use(use: Use, ranks: Mapping[str, int], registers: set[str]) -> Iterator[str]:
    prefetch = use.prefetch if isinstance(use, Move) else ()
    asked = [p.place for p in prefetch if p.place is not None]
    for ref in (*(r for _, r in use.operands), *asked):
        yield from _of_a_place(ref, ranks)
    if lost := [r.name for r in asked if r.name in registers]:
        yield f"a line of {lost[0]} is asked for, which lies in registers"
    if any(p.cache not in CACHES or p.lines < 0 for p in prefetch):
        yield f"{use.instruction.name} asks for less than no line, or for one in a cache that C has no word for"
    if odd := [v for v, _ in (use.over if isinstance(use, Copy) else ()) if not getattr(v, "is_Symbol", False)]:
        yield f"{use.instruction.name} counts by {odd[0]}, which is no name"


def _of_a_place(ref: Ref, ranks: Mapping[str, int]) -> Iterator[str]:
    if len(ref.index) != ranks.get(ref.name, len(ref.index)):
        yield f"{ref.name} has {ranks[ref.name]} dimensions and is given {len(ref.index)} indices"


def _is_number(text: str) -> bool:
    """Whether it is a number as a type says it: '0', '-0', '-128', '-oo'."""
    try:
        float(text.replace("oo", "inf"))
    except ValueError:
        return False
    return True
