"""Every field of every node of a program for engines: which claim reads it, or why none has to.

A field that no claim reads is an edit that is never refuted. So each has a row here, and each row is tried: edits of the field are
refuted by the claims named, or refused in words where the field means nothing on engines; what is proved all the same does no harm,
in the simulator and in an executor that shares nothing with it.
"""

from __future__ import annotations

from functools import cache

import first_iterations
import outer_product as outer
import pytest
import shipped
import summed
import vector_length
from judged import wrong

import isamap_hardware
import isamap_smt as im
from isamap_smt.ir.program import Program
from tests.uses.field_rows import Row, every_field, try_row

USUAL = ("by hand", "two phases", "a layer")
KERNELS = {name: (kernel, machine) for name, kernel, machine in shipped.SHIPPED}
REFUSED = Row(refused=True)
PRINTED = "how C is printed, of which engines have none of this kind"
LENGTH = ("any length",)
CONDITIONS = ("first iterations",)

TABLE: dict[str, Row] = {
    "Program.schedule": REFUSED,
    "Program.kernel": Row(("program", "neutral", "coverage", "link", "scalar")),
    "Program.ahead": REFUSED,
    "Program.body": Row(("order", "progress", "coverage", "hypotheses", "configuration", "program")),
    "Program.hypotheses": Row(("hypotheses",), free="what some sizes meet is checked by each executor"),
    "Program.name": Row(free="it is printed as a heading and names nothing else"),
    "Program.more": REFUSED,
    "Program.starts": Row(("begun",)),
    "Program.assigned": Row(("begun",)),
    "Program.machine": Row(("program", "memory", "order"), free="another machine may have all that the program uses"),
    "Program.parameters": Row(
        ("hypotheses", "memory"), free="a name that nothing mentions has no value to matter", sources=LENGTH
    ),
    "Alloc.buffer": Row(refused=True),
    "Buffer.name": Row(("hypotheses",), refused=True),
    "Buffer.dtype": Row(("memory",)),
    "Buffer.cells": Row(("hypotheses", "program"), refused=True),
    "Buffer.shape": Row(("program", "bounds", "memory", "hypotheses"), refused=True),
    "Buffer.type": Row(("program", "memory")),
    "Buffer.memory": Row(("memory", "hypotheses")),
    "Buffer.lanes": Row(("memory",)),
    "Buffer.first": Row(("memory",)),
    "Buffer.offset": Row(("memory",), free="rows that nothing else takes are as good"),
    "Buffer.slots": Row(("memory",), free="slots that no use takes do no harm"),
    "Buffer.version": Row(("memory", "order", "program"), refused=True),
    "IndexType.tensor": Row(("memory", "program")),
    "IndexType.coordinates": Row(("program", "memory", "bounds", "coverage")),
    "IndexType.guard": Row(
        ("program", "neutral", "coverage"), free="which cells of sums beyond it nobody reads is a ghost"
    ),
    "IndexType.outside": Row(("program",), free="of sums nobody relies on it; no executor looks at types"),
    "Ref.name": Row(("hypotheses", "memory", "program"), refused=True),
    "Ref.index": Row(("order", "memory", "program", "bounds", "coverage", "hypotheses")),
    "Ref.version": Row(("order", "program"), refused=True),
    "Serial.var": Row(("hypotheses",)),
    "Serial.count": Row(("coverage", "precondition", "bounds", "order", "hypotheses")),
    "Serial.body": Row(("order", "progress", "coverage")),
    "If.condition": Row(
        ("order", "hypotheses"), refused=True, free="a wider one brings the same tile again", sources=CONDITIONS
    ),
    "If.body": Row(("order", "progress", "program"), sources=CONDITIONS),
    "If.known": Row(refused=True, sources=CONDITIONS),
    "Serial.kind": REFUSED,
    "Serial.axis": REFUSED,
    "Serial.step": Row(("hypotheses", "coverage", "exclusive", "link", "precondition"), refused=True, sources=LENGTH),
    "Serial.backwards": Row(("hypotheses",)),
    "Serial.base": Row(refused=True, sources=LENGTH),
    "Serial.extent": Row(("coverage", "precondition", "bounds", "hypotheses"), refused=True, sources=LENGTH),
    "Serial.folds": REFUSED,
    "Serial.rings": REFUSED,
    "Serial.end": Row(("coverage", "hypotheses"), free="an end behind the last iteration ends nothing"),
    "Command.instruction": Row(("program", "hypotheses", "order", "scalar"), refused=True),
    "Command.operands": Row(("hypotheses", "order", "program"), refused=True),
    "Command.active": Row(("precondition", "program", "bounds", "coverage"), refused=True),
    "Command.front": Row(refused=True),
    "Command.point": Row(("link", "program", "coverage"), refused=True),
    "Command.sets": Row(("configuration",), refused=True, sources=("a layer",)),
    "Command.begins": Row(("order",), refused=True),
    "Command.awaits": Row(("order", "progress"), free="one counter may order what another one orders, too"),
    "Command.signals": Row(("order", "progress"), free="a signal that nobody awaits is none"),
    "Configure.instruction": Row(("configuration",), sources=("a layer",)),
    "Configure.cells": Row(("configuration", "hypotheses"), sources=("a layer",)),
    "Configure.sets": Row(("configuration",), sources=("a layer",)),
    "Configure.awaits": Row(("progress",), free="what it waits for may come before all the same", sources=("a layer",)),
    "Configure.signals": Row(("order",), free="a signal that nobody awaits is none", sources=("a layer",)),
    "Signal.instruction": Row(("order", "progress"), free="another engine may signal in its place"),
    "Signal.awaits": Row(("order", "progress"), free="one counter may order what another one orders, too"),
    "Signal.signals": Row(("order", "progress"), free="a signal that nobody awaits is none"),
}

# Nodes that programs of engines have none of: a field that holds one is refused, or the node is.
ELSEWHERE = {
    **dict.fromkeys(("Compute", "Move", "Copy", "Point", "SetState", "Ask"), "a core does it"),
    **dict.fromkeys(("Parallel", "Unrolled"), "its loops are serial"),
    "Prefetch": PRINTED,
    "CopyForm": PRINTED,
    "Block": PRINTED,
    "Across": PRINTED,
}


@cache
def source(name: str) -> Program:
    match name:
        case "by hand":
            return outer.gemm()
        case "two phases":
            return summed.two_phases()
        case "any length":
            return vector_length.gemm()
        case "first iterations":
            return first_iterations.gemm()
    return im.stage(KERNELS["layer"][0], isamap_hardware.load(KERNELS["layer"][1])).program


def harm(name: str, program: Program) -> str:
    """What an edited program does that it should not; '' for nothing."""
    match name:
        case "by hand":
            return wrong(program, seeds=2, plainly=2)
        case "first iterations":
            return first_iterations.wrong(program)
        case "two phases":
            return summed.wrong(program, summed.SIZES[:2], 2, plainly=2)
        case "any length":
            return ""  # no executor runs it: lengths are open; its rows say what is proved there
    return shipped.what_goes_wrong(KERNELS["layer"][0], program, 1, 1, 1)


def test_every_field_has_a_row() -> None:
    assert set(TABLE) == every_field(ELSEWHERE)
    assert all(r.claims or r.refused or r.free for r in TABLE.values())


@pytest.mark.parametrize("name", TABLE)
def test_a_claim_reads_the_field_or_it_does_no_harm(name: str) -> None:
    assert not try_row(name, TABLE[name], TABLE[name].sources or USUAL, source, harm)
