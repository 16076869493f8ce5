"""What a certificate speaks of, as JSON that today's sources turn back into a kernel, an instruction, a mapping, a schedule.

Names are looked up again each time, so that a certificate is checked against what the sources say now, never against
what they said when it was written.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as Dict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from isamap_smt.certificates.digests import (
    InstructionDigests,
    canonical,
    hardware_digests,
    instruction_digests,
    kernel_digest,
)
from isamap_smt.certificates.errors import CertificateError, DamagedError
from isamap_smt.certificates.expressions import (
    condition_document,
    condition_from,
    expression_document,
    expression_from,
)
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Access, Axis, Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.schedule import LoopStep, Packing, Schedule
from isamap_smt.language.hardware_library import find_hardware, find_instruction
from isamap_smt.language.library import find_kernel
from isamap_smt.language.printer import to_text
from isamap_smt.language.text import kernel as kernel_of_text
from isamap_smt.mapping.fuse import fuse, is_fused
from isamap_smt.mapping.point import point_instruction

_Found = TypeVar("_Found")
POINT = "scalar.point"  # the instruction that is made for each kernel


@dataclass(frozen=True)
class Sources:
    """Where names are looked up. machines: those that stand for the library's of the same name (an edited file's)."""

    machines: Dict[str, Hardware] = field(default_factory=dict)
    _parts: dict[str, dict[str, str]] = field(default_factory=dict, compare=False, repr=False)
    _moves: dict[str, list[list[str]]] = field(default_factory=dict, compare=False, repr=False)
    _instructions: dict[str, InstructionDigests] = field(default_factory=dict, compare=False, repr=False)
    _kernels: dict[str, tuple[Kernel, str]] = field(default_factory=dict, compare=False, repr=False)

    def hardware(self, name: str) -> Hardware:
        """The machine of that name. Raises IsamapError where there is none."""
        return self.machines.get(name) or find_hardware(name)

    def kernel(self, document: Dict[str, Any]) -> tuple[Kernel, str]:
        """kernel_from(document) and its digest, made once. Raises IsamapError where there is none."""
        key = canonical(document)
        if key not in self._kernels:
            found = kernel_from(document)
            self._kernels[key] = found, kernel_digest(found)
        return self._kernels[key]

    def instruction(self, source: str, kernel: Kernel) -> Instruction:
        """The instruction machine.name, file.py:name, or the kernel's own point."""
        machine, dot, name = source.partition(".")
        if source == POINT:
            return point_instruction(kernel)
        if dot and machine in self.machines:
            return self.machines[machine].instruction(name)
        return _found(find_instruction, source)

    def digests(self, name: str) -> dict[str, str]:
        """Digests of the parts of that machine, made once. Raises IsamapError where there is none."""
        if name not in self._parts:
            self._parts[name] = hardware_digests(self.hardware(name))
        return self._parts[name]

    def moves(self, name: str) -> list[list[str]]:
        """Name and digest of each move instruction of that machine, in order, without what it costs."""
        if name not in self._moves:
            self._moves[name] = [[m.name, instruction_digests(m).claims] for m in self.hardware(name).moves]
        return self._moves[name]

    def instruction_digests(self, source: str, kernel: Kernel) -> InstructionDigests:
        """Digests of instruction(source, kernel), made once unless the instruction is made for the kernel."""
        if source == POINT:
            return instruction_digests(self.instruction(source, kernel))
        if source not in self._instructions:
            self._instructions[source] = instruction_digests(self.instruction(source, kernel))
        return self._instructions[source]


def kernel_document(kernel: Kernel, source: str | None = None) -> dict[str, Any]:
    """The kernel by its library name (or `source`) with element types, if that gives it back; else by its text.

    Raises CertificateError where `source` leads to no kernel, or to another one.
    """
    types = {t.name: t.dtype.name for t in kernel.tensors}
    document: dict[str, Any] = {"name": kernel.name, "source": source or kernel.name, "dtypes": types}
    document["ranges"] = {}
    try:
        own = kernel_from(document).ranges
    except IsamapError as error:
        if source is not None:
            raise CertificateError(f"{source} is not the kernel {kernel.name} that was proved: {error}") from error
        own = ()
    # What the source says itself is looked up again: a wider range there must not hide behind the one written here.
    document["ranges"] = {n: [low, high] for n, low, high in kernel.ranges if (n, low, high) not in own}
    document["text"] = to_text(kernel)
    try:
        same = kernel_from(document) == kernel
    except IsamapError:
        same = False
    if not same:
        if source is not None:
            raise CertificateError(
                f"{source} with element types {types} is not the kernel {kernel.name} that was proved"
            )
        document["source"], document["ranges"] = None, {}  # the text says them
    return document


def kernel_from(document: Dict[str, Any]) -> Kernel:
    """The kernel as today's sources say it. Raises IsamapError."""
    if document["source"] is None:
        found = kernel_of_text(document["text"], name=document["name"])
    else:
        found = _found(find_kernel, document["source"]).with_dtypes(document["dtypes"])
    return found.with_ranges({n: (low, high) for n, (low, high) in document["ranges"].items()})


def _found(find: Callable[[str], _Found], source: str) -> _Found:
    """find(source). Where the source's file is not seen from here, the error says from where it should be."""
    try:
        return find(source)
    except IsamapError as error:
        path = source.partition(":")[0]
        if not path.endswith(".py") or Path(path).is_file():
            raise
        advice = "certificates name files as seen from the directory where they are saved and checked: run this there"
        raise CertificateError(f"{error}\n{advice}") from None


def mapping_document(mapping: Mapping) -> dict[str, Any]:
    """Groups and operands of a fuse mapping (or of a single point); every expression of one written by hand.

    Raises CertificateError for expressions that have no written form.
    """
    single = not mapping.instruction.axes
    document = {"id": mapping.id, "axes": {t: list(g) for t, g in mapping.groups}, "statement": mapping.statement_index}
    if (single or is_fused(mapping)) and len({a.tensor for _, a in mapping.binding}) == len(mapping.binding):
        return {**document, "operands": {o: a.tensor for o, a in mapping.binding}}
    document |= {
        "binding": [[o, a.tensor, list(map(expression_document, a.index))] for o, a in mapping.binding],
        "outer": [[a.name, expression_document(a.extent)] for a in mapping.outer],
        "forward": [[n, expression_document(e)] for n, e in mapping.forward],
        "inverse": [[n, expression_document(e)] for n, e in mapping.inverse],
        "guard": list(map(condition_document, mapping.guard)),
    }
    if _by_hand(document, mapping.kernel, mapping.instruction) != mapping:
        raise CertificateError(
            f"{mapping.id} is not what its written form says: an expression of it is not in normal form"
        )
    return document


def mapping_from(document: Dict[str, Any], kernel: Kernel, instruction: Instruction) -> Mapping:
    """The mapping that the document says, between today's kernel and instruction.

    Raises DamagedError for expressions that are none, IsamapError for what the kernel and the instruction do not have.
    """
    if "forward" in document:
        return _by_hand(document, kernel, instruction)
    axes = {t: tuple(g) for t, g in document["axes"].items()}
    return fuse(kernel, instruction, axes, document["operands"], document["statement"], partial=True)


def _by_hand(document: Dict[str, Any], kernel: Kernel, instruction: Instruction) -> Mapping:
    """Nothing of it is taken for granted: the prover checks the form first, then every claim."""
    try:
        return Mapping(
            kernel,
            instruction,
            tuple((o, Access(tensor, tuple(map(expression_from, index)))) for o, tensor, index in document["binding"]),
            tuple(Axis(n, expression_from(e)) for n, e in document["outer"]),
            tuple((n, expression_from(e)) for n, e in document["forward"]),
            tuple((n, expression_from(e)) for n, e in document["inverse"]),
            tuple(map(condition_from, document["guard"])),
            tuple((t, tuple(g)) for t, g in document["axes"].items()),
            document["statement"],
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamagedError(f"the mapping is not of the form it should have: {error!r}") from None


def schedule_document(schedule: Schedule) -> dict[str, Any]:
    """The decisions that lowering needs; nothing of how they were found."""
    if schedule.hardware is None:
        raise CertificateError("the schedule names no hardware, so its program cannot be lowered again")
    return {
        "hardware": schedule.hardware.name,
        "loops": [[s.axis, s.step] for s in schedule.loops],
        "accumulate": schedule.accumulate,
        "registers": dict(schedule.registers),
        "packing": [_packing_document(p) for p in schedule.packing],
        "parallel": schedule.parallel,
        "sizes": dict(schedule.sizes),
    }


def _packing_document(p: Packing) -> list[Any]:
    asked = [p.prefetch] if p.prefetch or p.block is not None else []
    return [p.operand, p.depth, p.ahead, *asked, *([] if p.block is None else [p.block])]


def further_document(schedule: Schedule, instruction: dict[str, Any]) -> dict[str, Any]:
    """A further statement of a program: what carries it out, how, and in which loops."""
    mapping = mapping_document(schedule.proved.mapping)
    return {"instruction": instruction, "mapping": mapping, "schedule": schedule_document(schedule)}


def schedule_from(document: Dict[str, Any], proved: ProvedMapping, hardware: Hardware) -> Schedule:
    """The schedule of these decisions. Its mapping has just been proved; the program is proved after lowering.

    Raises DamagedError where the loop to spread over threads is none.
    """
    if document["parallel"] not in (None, *range(len(document["loops"]))):
        raise DamagedError(f"the schedule spreads loop {document['parallel']!r} over threads, which there is not")
    return Schedule(
        proved,
        tuple(LoopStep(axis, step) for axis, step in document["loops"]),
        document["accumulate"],
        tuple(document["registers"].items()),
        tuple(Packing(*p) for p in document["packing"]),
        document["parallel"],
        space="the decisions that a certificate holds",
        sizes=tuple(document["sizes"].items()),
        hardware=hardware,
    )
