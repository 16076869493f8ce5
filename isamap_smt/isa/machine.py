"""A machine of somebody else's instructions: those of one table that are proved, each with its own C.

An entry that is proved against its own text is put into isamap's form, and its C is proved a second time, bit for bit, against the
statement that the instruction is offered for. So nothing rests on how the text was carried over.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cache
from math import prod
from typing import Any

import isamap_smt as im
from isamap_encodings import bit_terms as bits
from isamap_smt.ir.errors import HardwareError, IsamapError, UnknownNameError, did_you_mean
from isamap_smt.ir.hardware import Hardware, Link, Memory
from isamap_smt.ir.instruction import Cost, Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.scalar import Relu, SAdd, SDiv, SMax, SMin, SMul, SSub
from isamap_smt.isa.c_types import NAMED
from isamap_smt.isa.c_values import Fault
from isamap_smt.isa.carry_out import carry_out
from isamap_smt.isa.check import NOT_RUN, check_entry
from isamap_smt.isa.contract import run_contract
from isamap_smt.isa.decide import decide
from isamap_smt.isa.entry import Case, Entry, Finding
from isamap_smt.isa.form import Form, Unstated
from isamap_smt.isa.header import RETURNED
from isamap_smt.isa.meanings import Meaning
from isamap_smt.language.hardware_library import find_hardware
from isamap_smt.language.text import parse

# ---- What an instruction of a table costs: what a machine here says of the same intrinsics, or what is assumed.


MACHINES = ("avx2", "avx_vnni", "avx512", "avx512_vnni", "neon", "rvv")
ASSUMED = "assumed"
_CALLED = re.compile(r"\b(_mm\w+|v\w+q\w*_\w+|__riscv_v(?!set)\w+)\(")
_GUESSED = {
    "load": Cost(5.0, 2.0),
    "broadcast": Cost(5.0, 2.0),
    "store": Cost(5.0, 1.0),
    "zero": Cost(1.0, 2.0),
}


def price_of(intrinsics: Collection[str], kind: str) -> tuple[Cost, str]:
    """Latency and rate of what calls exactly these intrinsics, and whose figures they are: the name of an instruction, or ASSUMED.

    Assumed are 5 cycles and 2 a cycle for loads, 1 a cycle for stores, and for what computes 4 cycles and 1 a cycle for each call.
    """
    known = _described().get((frozenset(intrinsics), kind))
    if known is not None:
        return known
    calls = max(1, len(intrinsics))
    return _GUESSED.get(kind, Cost(4.0 * calls, 1.0 / calls)), ASSUMED


@cache
def _described() -> dict[tuple[frozenset[str], str], tuple[Cost, str]]:
    """What the machines here emit, by the intrinsics that they call."""
    found: dict[tuple[frozenset[str], str], tuple[Cost, str]] = {}
    for machine in MACHINES:
        for i in find_hardware(machine).instructions:
            if called := frozenset(_CALLED.findall(i.emit)):
                found.setdefault((called, i.kind), (i.cost, i.name))
    return found


@dataclass(frozen=True)
class RegisterFile:
    """Registers of one kind: their memory here, how many of how many bytes, the machine whose caches stand behind, its features."""

    memory: str
    count: int
    bytes: int
    machine: str
    features: tuple[str, ...]

    def memories_and_links(self) -> tuple[tuple[Memory, ...], tuple[Link, ...]]:
        """Those of the machine, with these registers in the place of its own."""
        like = find_hardware(self.machine)
        (own,) = (m for m in like.memories if m.is_register)
        registers = replace(own, name=self.memory, capacity=self.count * self.bytes, count=self.count)
        names = {own.name: self.memory}
        links = (
            replace(k, source=names.get(k.source, k.source), target=names.get(k.target, k.target)) for k in like.links
        )
        return tuple(registers if m is own else m for m in like.memories), tuple(links)


_YMM = RegisterFile("ymm", 16, 32, "avx2", ("avx2", "fma"))
_ZMM = RegisterFile("zmm", 32, 64, "avx512", ("avx512f",))
_NEON = RegisterFile("v", 32, 16, "neon", ("asimd",))
# what a table calls its registers
FILES = {
    "AVX2": _YMM,
    "AVX512": _ZMM,
    "Neon": _NEON,
    "RVV": RegisterFile("v", 32, 16, "rvv", ("m", "a", "f", "d", "c", "v")),  # as Exo sees them: four lanes of f32
    "xmm": RegisterFile("xmm", 16, 16, "avx2", ("avx",)),
    "ymm": _YMM,
    "zmm": _ZMM,
    "v": _NEON,
}
ACTIVE = "active_points"  # the parameter of a statement that is for the first points of an axis alone


@dataclass(frozen=True)
class Stated:
    """What became of an entry: an instruction, and whose price it has; or none, and why."""

    finding: Finding
    instruction: Instruction | None = None
    price: str = ""
    reason: str = ""

    def document(self) -> dict[str, Any]:
        """As JSON."""
        i = self.instruction
        if i is None:
            return {"name": self.finding.name, "verdict": self.finding.verdict, "instruction": None, "why": self.reason}
        return {"name": self.finding.name, "verdict": self.finding.verdict, "instruction": i.name, "kind": i.kind,
                "contract": i.kernel.text.strip(), "rounding": i.rounding, "latency": i.cost.latency,
                "per_cycle": i.cost.per_cycle, "price": self.price}  # fmt: skip


@dataclass(frozen=True)
class TableMachine:
    """A machine made of a table, and what became of each entry."""

    hardware: Hardware
    entries: tuple[Stated, ...]

    @property
    def stated(self) -> tuple[Stated, ...]:
        """The entries that are instructions."""
        return tuple(s for s in self.entries if s.instruction is not None)

    @property
    def left(self) -> tuple[Stated, ...]:
        """The entries that are none."""
        return tuple(s for s in self.entries if s.instruction is None)

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {"machine": self.hardware.name, "description": self.hardware.description,
                "entries": [s.document() for s in self.entries]}  # fmt: skip


def make_machine(title: str, name: str, entries: list[Entry], memory: str) -> TableMachine:
    """The machine of the entries whose registers are `memory`. title: of the table. name: of the machine.

    Raises UnknownNameError for registers that no entry has, and HardwareError where no entry becomes an instruction.
    """
    known = tuple(dict.fromkeys(m for e in entries for m in e.memories))
    if not known:
        raise HardwareError(f"{title}: no entry says which registers it works on, so there is no machine of them")
    if not memory and len(known) == 1:
        (memory,) = known
    if not memory:
        raise UnknownNameError(f"{title} has several kinds of registers; say which: {', '.join(known)}")
    if memory not in known:
        raise UnknownNameError(f"{title}: no entry has registers {memory!r}; {did_you_mean(memory, known)}")
    if memory not in FILES:
        raise HardwareError(f"{title}: of the registers {memory} nothing is known here; {', '.join(FILES)} are")
    found = tuple(_stated(e, name, memory) for e in entries if e.memories == (memory,))
    instructions = tuple(s.instruction for s in found if s.instruction is not None)
    if not instructions:
        raise HardwareError(
            f"{title}: none of its {len(found)} entries with registers {memory} became an instruction: "
            + "; ".join(f"{s.finding.name}: {s.reason}" for s in found[:3])
        )
    memories, links = FILES[memory].memories_and_links()
    assumed = sum(s.price == ASSUMED for s in found if s.instruction)
    words = f"{len(instructions)} of the {len(found)} entries of {title} with registers {memory}, each proved"
    if assumed:
        words += f"; latency and rate of {assumed} are assumed"
    return TableMachine(Hardware(name, memories, links, instructions, words), found)


def _stated(e: Entry, machine: str, memory: str) -> Stated:
    finding = check_entry(e)
    if finding.verdict != "proved":
        return Stated(finding, reason=f"{finding.verdict}: {finding.reason.removesuffix(NOT_RUN)}")
    try:
        if e.form is None:
            raise Unstated("its table gives no form of it")
        return _instruction(e, finding, e.form(), machine, memory)
    except IsamapError as error:
        return Stated(finding, reason=str(error).removeprefix(f"instruction {machine}.{e.name}: "))


def _instruction(e: Entry, finding: Finding, form: Form, machine: str, memory: str) -> Stated:
    file = FILES[memory]
    used: dict[str, Meaning] = {}
    made = im.instruction(
        f"{machine}.{e.name}",
        form.text,
        axes=form.axes,
        dtypes=form.dtypes,
        places={o: file.memory if o in form.c_types else "memory" for o in form.dtypes},
        c_types=form.c_types,
        emit=form.emit,
        headers=(*form.headers, "stdint.h", "string.h"),
        prelude=form.prelude,
        active=form.active or None,
        beyond=form.beyond,
        requires=file.features,
    )
    _whole_registers(made, form)
    rounding = _rounding(made, form, used)
    price, whose = price_of(used, made.kind)
    calls = len(used)
    found = replace(
        made,
        rounding=rounding,
        cost=price,
        requires=tuple(sorted({f for m in used.values() for f in m.requires} or file.features)),
        temporaries=0 if calls <= 1 else min(calls - 1, 16),
        line=e.where,
    )
    return Stated(finding, found, whose)


def _whole_registers(i: Instruction, form: Form) -> None:
    """Nothing happens where every cell of every register is read or written. Raises Unstated."""
    for access in (i.kernel.statements[0].target, *i.kernel.statements[0].inputs):
        if access.tensor not in form.c_types:
            continue
        cells = prod(form.axes[a] for a in {str(x) for index in access.index for x in index.free_symbols})
        dtype, whole = i.kernel.tensor(access.tensor).dtype, NAMED[form.c_types[access.tensor]].bits
        if cells * dtype.bits != whole:
            raise Unstated(
                f"{access.tensor} has {whole // dtype.bits} cells, of which its text says {cells}; operands are whole registers"
            )


def _rounding(i: Instruction, form: Form, used: dict[str, Meaning]) -> str:
    """How its C rounds: the one word under which it is the statement bit for bit. Raises Unstated where there is none."""
    reason = ""
    for word in _words(i):
        reason = _difference(i, form, word, used)
        if not reason:
            return word
    raise Unstated(f"its C is not `{i.kernel.text.strip()}` bit for bit, however rounded: {reason}")


def _words(i: Instruction) -> tuple[str, ...]:
    s = i.kernel.statements[0]
    rounds = s.op in "+*" or s.value.has(SAdd, SSub, SMul, SDiv)
    floating = i.kernel.tensor(s.target.tensor).dtype.is_float
    return ("unfused", "fused") if rounds and floating else ("exact",)


def _difference(i: Instruction, form: Form, rounding: str, used: dict[str, Meaning]) -> str:
    """'' where the C leaves what the statement says, for each number of active points; else where it does not."""
    if len(form.active) > 1:
        raise Unstated("points of more than one axis may be inactive")
    if not form.active:
        return _compared(i, form, i.kernel, None, rounding, used)
    ((axis, number),) = form.active.items()
    kernel = _guarded(i, form, axis)
    for active in range(form.axes[axis] + 1):
        if reason := _compared(i, form, kernel, active, rounding, used):
            return f"{reason}, where {number} is {active}"
    return ""


def _compared(
    i: Instruction, form: Form, kernel: Kernel, active: int | None, rounding: str, used: dict[str, Meaning]
) -> str:
    """'' where the C leaves what the kernel says; else where it does not. active: how many points are, where a number says it."""
    numbers = {} if active is None else dict.fromkeys(form.active.values(), active)
    case = form.case(numbers)
    sizes = {} if active is None else {ACTIVE: active}
    try:
        found = decide(_asked(i, form, kernel, case, rounding, sizes), carry_out(case, used))
    except Fault as fault:
        return str(fault)
    return "" if found.verdict == "proved" else found.reason


def _asked(i: Instruction, form: Form, kernel: Kernel, case: Case, rounding: str, sizes: dict[str, int]) -> Case:
    """The same case, asked whether its C does what isamap's statement says."""
    target, before = kernel.outputs[0], {}
    for t in i.kernel.tensors:
        held, count = case.before.get(t.name, []), prod(int(extent) for extent in t.shape)
        before[t.name] = [*held, *(bits.cell(f"beyond {t.name}[{k}]", t.dtype.bits) for k in range(len(held), count))]
    if form.beyond == "zero":
        before[target] = [bits.const(0, t.width) for t in before[target]]
    after = run_contract(kernel, before, "unfused" if rounding == "exact" else rounding, sizes)
    asked = {o.name: after[o.name][: o.count] if o.name in after else case.before[o.name] for o in case.operands}
    if RETURNED in asked:
        asked[RETURNED] = after[target]
    either = kernel.statements[0].op in ("max", "min") or kernel.statements[0].value.has(SMax, SMin, Relu)
    return replace(case, after=asked, strict=True, either_zero=either)


def _guarded(i: Instruction, form: Form, axis: str) -> Kernel:
    """The statement for the first points of an axis alone, as many as the parameter ACTIVE says."""
    lines = [f"param {ACTIVE}"]
    lines += [f"{t.name}: {t.dtype}[{','.join(map(str, t.shape))}]" for t in i.kernel.tensors]
    lines += [f"axis {a} < {n}" for a, n in form.axes.items()]
    return parse("\n".join([*lines, f"{form.text} where {axis} < {ACTIVE}"]), name=i.short, dtypes={}, extents={})
