"""Why a kernel has no mapping onto an instruction: the smallest changes of the instruction to admit one, each proved.

A change is of the contract alone: an element type, an operand's axes, saturation, assumptions on values. Nobody here
knows whether it can be built; the kernel's mapping onto it is proved like any other. If the kernel maps, and its
machine has engines, the machine is asked for a plan (isamap_smt.exploration.machine_lacks).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from isamap_encodings import deadline
from isamap_smt.exploration.cells import layer
from isamap_smt.exploration.machine_lacks import Planned, planned
from isamap_smt.ir.arguments import time_limit
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.errors import IsamapError, LanguageError, ScheduleError
from isamap_smt.ir.expr import sym, symbols_of
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Access, Kernel, Tensor
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.scalar import Read, read, reads, rewrite_reads
from isamap_smt.ir.time_limit import limited
from isamap_smt.language.hardware_library import find_hardware, find_instruction, machine_from
from isamap_smt.mapping.fuse import fuse, takes
from isamap_smt.mapping.instances import instances
from isamap_smt.mapping.types_of import with_types_of
from isamap_smt.proof import prove
from isamap_smt.proof.rejection import Rejection
from isamap_smt.search import Conflict, find_mappings

MOST = 2  # changes at once


@dataclass(frozen=True)
class Retype:
    """An operand takes elements of another type."""

    operand: str
    dtype: DType

    def __str__(self) -> str:
        return f"{self.operand} of {self.dtype}"


@dataclass(frozen=True)
class Widen:
    """An operand has one more axis: each of its points has elements of its own."""

    operand: str
    axis: str

    def __str__(self) -> str:
        return f"{self.operand} with axis {self.axis}"


@dataclass(frozen=True)
class Broadcast:
    """An operand loses an axis: all of its points take one element."""

    operand: str
    axis: str

    def __str__(self) -> str:
        return f"{self.operand} without axis {self.axis}"


@dataclass(frozen=True)
class AsContract:
    """The instruction computes its contract for all values: nothing saturates or wraps on the way."""

    def __str__(self) -> str:
        return "no saturation"


@dataclass(frozen=True)
class AnyValues:
    """The instruction takes all values of its operands' types."""

    def __str__(self) -> str:
        return "no assumed values"


Change = Retype | Widen | Broadcast | AsContract | AnyValues


@dataclass(frozen=True)
class Admitted:
    """Changes admitting mappings, and the number of these."""

    changes: tuple[Change, ...]
    mappings: int

    def __str__(self) -> str:
        many = "1 mapping" if self.mappings == 1 else f"{self.mappings} mappings"
        return f"{' and '.join(map(str, self.changes))}: {many}"


@dataclass(frozen=True)
class Why:
    """legal: mappings onto the instruction as it is. padded: if there are none, those that leave axes of it empty.

    reason: against every mapping before any is tried, or ''.

    conflicts: the smallest refuted parts of mappings. ranges: values of the kernel's inputs under which there is a
    mapping, as `assume` takes them. admitted: changes of the instruction, as few at once as admit a mapping, those with
    the most mappings first. planned: for a kernel with a mapping, on a machine with engines: its plan there, or the
    machine's gaps.
    """

    kernel: Kernel
    instruction: Instruction
    legal: int
    padded: int = 0
    reason: str = ""
    conflicts: tuple[Conflict, ...] = ()
    ranges: tuple[str, ...] = ()
    admitted: tuple[Admitted, ...] = ()
    planned: Planned | None = None

    @property
    def helped(self) -> bool:
        """Whether it does as it is: it maps, if with empty axes, and has its plan if one was asked for."""
        return bool(self.legal or self.padded) and (self.planned is None or self.planned.cycles is not None)

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "kernel": self.kernel.name,
            "instruction": self.instruction.name,
            "legal": self.legal,
            "padded": self.padded,
            "reason": self.reason,
            "conflicts": [{"part": dict(c.part), "claim": c.claim, "witness": c.witness} for c in self.conflicts],
            "ranges": list(self.ranges),
            "changes": [{"changes": list(map(str, a.changes)), "mappings": a.mappings} for a in self.admitted],
            "planned": None if self.planned is None else self.planned.document(),
        }


def why(
    kernel: Kernel | str,
    instruction: Instruction | str,
    *,
    machine: Hardware | str | None = None,
    sizes: Mapping[str, int] | None = None,
    statement: int | None = None,
    timeout: float | None = None,
) -> Why:
    """The obstacles to mappings of a kernel's statement onto an instruction, and changes to admit one.

    A kernel given by its name takes the instruction's element types if its text has none; the name may contain its
    sizes, as in `gemm@i=64,j=64,k=64`. machine: the instruction's; known for an instruction given by its name. If it
    has engines, a plan is asked for, too, at these sizes, or for all. statement: its number, by default the one with
    the most work. Raises UnknownNameError, SizeError, ScheduleError, TimeLimitError.
    """
    if machine is None and isinstance(instruction, str):
        machine = machine_from(instruction)
    named, instruction = isinstance(kernel, str), find_instruction(instruction)
    hardware = None if machine is None else find_hardware(machine)
    asked = layer(kernel, sizes)
    kernel = with_types_of(asked.kernel, instruction) if named else asked.kernel
    n = kernel.main if statement is None else statement
    if not 0 <= n < len(kernel.statements):
        raise ScheduleError(f"{kernel.name} has no statement {n}; it has {len(kernel.statements)}, from 0 on")
    with limited(time_limit(timeout, ScheduleError), f"{kernel.name} onto {instruction.name}"):
        ready = [i for i in instances(instruction, kernel.statements[n]) if takes(kernel, i, n)]
        mapped = (i for i in ready if i is not instruction and find_mappings(kernel, i, statement=n).legal)
        found = replace(_why(kernel, next(mapped, instruction), n), instruction=instruction)
        if hardware is None or not hardware.engines or statement is not None or not (found.legal or found.padded):
            return found
        return replace(
            found, planned=planned(kernel, hardware.instruction(instruction.name), hardware, dict(asked.sizes))
        )


def _why(kernel: Kernel, instruction: Instruction, n: int) -> Why:
    conflicts: tuple[Conflict, ...] = ()
    reason, padded = "", 0
    try:
        found = find_mappings(kernel, instruction, statement=n)
        if found.legal:
            return Why(kernel, instruction, len(found.legal))
        conflicts = tuple(found.conflicts)
        padded = len(find_mappings(kernel, instruction, statement=n, partial=True).legal)
    except IsamapError as error:
        reason = str(error).splitlines()[0]
    changes = list(_changes(kernel, instruction, n))
    for many in range(1, MOST + 1):
        admitted = []
        for chosen in combinations(changes, many):
            deadline.check()
            legal = _legal(kernel, instruction, n, chosen)
            if legal:
                admitted.append(Admitted(chosen, len(legal)))
        if admitted:
            ranges = _ranges(kernel, instruction, n) if many == 1 else ()
            best = sorted(filter(lambda a: not _wider(a, admitted), admitted), key=lambda a: -a.mappings)
            return Why(kernel, instruction, 0, padded, reason, conflicts, ranges, tuple(best))
    return Why(kernel, instruction, 0, padded, reason, conflicts)


def _wider(a: Admitted, others: Sequence[Admitted]) -> bool:
    """Whether a narrower type of the same operand does as well."""
    return any(
        len(a.changes) == len(b.changes)
        and all(
            x == y or (isinstance(x, Retype) and isinstance(y, Retype) and x.operand == y.operand)
            for x, y in zip(a.changes, b.changes, strict=True)
        )
        and _bits(b) < _bits(a)
        for b in others
    )


def _bits(a: Admitted) -> int:
    return sum(c.dtype.bits for c in a.changes if isinstance(c, Retype))


def _changes(kernel: Kernel, instruction: Instruction, n: int) -> Iterator[Change]:
    s, contract = kernel.statements[n], instruction.kernel
    if instruction.exact is not None:
        yield AsContract()
    if instruction.assume:
        yield AnyValues()
    used = dict.fromkeys(kernel.tensor(a.tensor).dtype for a in (s.target, *s.inputs))
    own = contract.statements[0]
    for access in dict.fromkeys((own.target, *own.inputs)):
        name = access.tensor
        yield from (Retype(name, t) for t in used if t != contract.tensor(name).dtype)
    for access in dict.fromkeys((own.target, *own.inputs)):
        axes = symbols_of(access.index)
        for a in own.axes:
            yield Broadcast(access.tensor, a.name) if a.name in axes else Widen(access.tensor, a.name)


def _legal(kernel: Kernel, instruction: Instruction, n: int, changes: Sequence[Change]) -> list[ProvedMapping]:
    """Mappings onto the changed instruction; none if there is no such instruction."""
    try:
        changed = apply(instruction, changes)
        return list(find_mappings(kernel, changed, statement=n).legal)
    except LanguageError:
        raise  # it is our description that is wrong
    except IsamapError:  # other types or operands
        return []


def apply(instruction: Instruction, changes: Sequence[Change]) -> Instruction:
    """The instruction's contract with the changes, as an instruction of no machine. Raises IsamapError if it is none."""
    contract, exact, assume = instruction.kernel, instruction.exact, instruction.assume
    for c in changes:
        match c:
            case AsContract():
                exact = None
            case AnyValues():
                assume = ()
            case Retype():
                contract = contract.with_dtypes({c.operand: c.dtype})
                exact = None if exact is None else exact.with_dtypes({c.operand: c.dtype})
            case Widen() | Broadcast():
                if exact is not None:
                    raise ScheduleError(f"{instruction.name}: what it computes is written out for its axes")
                contract = _with_axis(contract, c)
    return Instruction(
        f"{instruction.name}_changed",
        contract,
        places=instruction.places,
        exact=exact,
        rounding=instruction.rounding,
        assume=assume,
    )


def _with_axis(contract: Kernel, c: Widen | Broadcast) -> Kernel:
    """The contract, one of whose operands has an axis more or less."""
    (s,) = contract.statements
    if c.axis not in {a.name for a in s.axes}:
        raise ScheduleError(f"{contract.name}: no operand has axis {c.axis} any more")
    axis = s.axis(c.axis)
    tensor = contract.tensor(c.operand)

    def index(old: tuple[Any, ...]) -> tuple[Any, ...]:
        if isinstance(c, Widen):
            return (*old, sym(c.axis))
        return tuple(i for i in old if i != sym(c.axis))

    accesses = [s.target, *s.inputs]
    (old,) = {a.index for a in accesses if a.tensor == c.operand}
    kept = [k for k, i in enumerate(old) if isinstance(c, Widen) or i != sym(c.axis)]
    if isinstance(c, Broadcast) and len(kept) == len(old):
        raise ScheduleError(f"{c.operand}: {c.axis} is part of an index")
    shape = tuple(tensor.shape[k] for k in kept) + ((axis.extent,) if isinstance(c, Widen) else ())

    def changed(r: Read) -> Any:
        return read(r.tensor, *index(r.index)) if r.tensor == c.operand else r

    target = Access(s.target.tensor, index(s.target.index)) if s.target.tensor == c.operand else s.target
    value = rewrite_reads(s.value, changed)
    used = symbols_of([*target.index, *(i for r in reads(value) for i in r.index)])
    axes = tuple(a for a in s.axes if a.name in used)  # what no operand has is no axis of the instruction
    made = replace(s, target=target, value=value, axes=axes, source="")
    tensors = tuple(Tensor(t.name, t.dtype, shape) if t.name == c.operand else t for t in contract.tensors)
    return replace(contract, tensors=tensors, statements=(made,), text="")


def _ranges(kernel: Kernel, instruction: Instruction, n: int) -> tuple[str, ...]:
    """Values of the kernel's inputs for which the instruction would do as it is, under its contract's first mapping."""
    if instruction.exact is None:
        return ()
    for proved in _legal(kernel, instruction, n, (AsContract(),))[:1]:
        m = proved.mapping
        groups = {axis: list(group) for axis, group in m.groups}
        binding = {operand: access.tensor for operand, access in m.binding}
        try:
            found = prove(fuse(kernel, instruction, groups, binding, n))
        except IsamapError:
            return ()
        if isinstance(found, Rejection):
            return tuple(r.text for r in found.ranges)
    return ()


__all__ = ["Admitted", "AnyValues", "AsContract", "Broadcast", "Retype", "Why", "Widen", "apply", "why"]
