"""The subject of a certificate, as JSON that today's sources turn back into a kernel, an instruction, a mapping, a schedule.

Names are looked up again each time: a certificate is checked against today's sources, never against
those of its own day.
Index expressions and conditions are read against a list of known heads, and nothing is evaluated: 12, "l_tile",
["+", "l", ["*", 8, "l_tile"]], ["<", ["+", "l", ["*", 8, "l_tile"]], "J"].
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable
from collections.abc import Mapping as Dict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import sympy as sp

from isamap_smt.certificates.digests import (
    InstructionDigests,
    hardware_digests,
    instruction_digests,
    kernel_digest,
)
from isamap_smt.certificates.errors import CertificateError, DamagedError
from isamap_smt.ir.errors import IsamapError, UnnamedFileError
from isamap_smt.ir.expr import INDEX_HEADS, RELATION_OF, RELATIONS, is_constant, sym
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Access, Axis, Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.online import Online
from isamap_smt.ir.opened import opened
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.rewrite import Form, Rewrite
from isamap_smt.ir.rows import Bounded, Digits, Joined, Moved, Multiplied, Numbered, Row, Staged, Sums
from isamap_smt.ir.schedule import Schedule, decisions, schedule_of, schedule_record
from isamap_smt.language.hardware_library import find_hardware, find_instruction
from isamap_smt.language.library import find_kernel
from isamap_smt.language.loading import only_files
from isamap_smt.language.printer import to_text
from isamap_smt.language.text import kernel as kernel_of_text
from isamap_smt.mapping.fuse import fuse, is_fused
from isamap_smt.mapping.made import POINT, instruction_named, is_made
from isamap_smt.mapping.online import running
from isamap_smt.mapping.point import point_instruction
from isamap_smt.mapping.rows import made
from isamap_smt.records.record import canonical

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_LARGEST = 1 << 63
_DEEPEST = 60
_POWER = 16  # the largest exponent
_MANY = range(2, 1000)  # arguments of a head that takes many
_TERMS = {row.sign: head for head, row in INDEX_HEADS.items()}


def expression_document(e: Any) -> Any:
    """An index expression as JSON. Raises CertificateError if it has an unknown head."""
    e = sp.sympify(e)
    if e.is_Integer:
        return int(e)
    if e.is_Symbol and e == sym(e.name):
        return e.name
    row = INDEX_HEADS.get(type(e))
    if row is None:
        raise CertificateError(f"{e} cannot be written to a file: an index is made of {' '.join(_TERMS)}")
    return [row.sign, *map(expression_document, e.args)]


def condition_document(c: Any) -> Any:
    """A comparison of index expressions, or a truth value, as JSON. Raises CertificateError for anything else."""
    if c is sp.true or c is sp.false:
        return bool(c)
    row = RELATIONS.get(type(c))
    if row is None:
        raise CertificateError(f"{c} cannot be written to a file: a guard compares index expressions")
    return [row.sign, *map(expression_document, c.args)]


def expression_from(document: Any, depth: int = 0) -> Any:
    """The expression of such JSON. Raises DamagedError for anything else."""
    if type(document) is int and abs(document) < _LARGEST:
        return sp.Integer(document)
    if isinstance(document, str) and _NAME.match(document):
        return sym(document)
    if not isinstance(document, list) or not document or depth > _DEEPEST:
        raise DamagedError(f"{_short(document)} is no index expression")
    head, *rest = document
    if not isinstance(head, str) or head not in _TERMS:
        raise DamagedError(f"{_short(head)} is no operation of an index expression; there are {' '.join(_TERMS)}")
    if len(rest) not in (_MANY if head in ("+", "*") else (INDEX_HEADS[_TERMS[head]].arity,)):
        raise DamagedError(f"{head} does not take {len(rest)} arguments in an index expression")
    args = [expression_from(a, depth + 1) for a in rest]
    if head == "**" and not (args[1].is_Integer and 1 <= args[1] <= _POWER):
        raise DamagedError(f"{_short(document)} is no power of an index expression")
    return _TERMS[head](*args)


def condition_from(document: Any) -> Any:
    """The condition of such JSON. Raises DamagedError for anything else."""
    if isinstance(document, bool):
        return sp.true if document else sp.false
    if not isinstance(document, list) or len(document) != 3 or document[0] not in tuple(RELATION_OF):
        raise DamagedError(f"{_short(document)} is no condition; it compares with {' '.join(RELATION_OF)}")
    left, right = map(expression_from, document[1:])
    return RELATION_OF[document[0]](left, right, evaluate=False)


def _short(document: Any) -> str:
    return reprlib.repr(document)  # however deep it is


_Found = TypeVar("_Found")
_SPLIT = ("axis", "parts", "statement", "blocks", "inner")
_FORMS = (Bounded, Moved, Multiplied, Staged, Digits)  # rows under their names; what has none is a row of sums


@dataclass(frozen=True)
class Sources:
    """The places to look up names. machines: in place of the library's of the same name (an edited file's).

    files: Python files and tables that certificates may name; the code of others is not carried out.
    """

    machines: Dict[str, Hardware] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    _made: dict[tuple[str, str], Any] = field(default_factory=dict, compare=False, repr=False)

    def _once(self, what: str, name: str, make: Callable[[], _Found]) -> _Found:
        """The result of make(), made once for each name."""
        if (what, name) not in self._made:
            self._made[what, name] = make()
        found: _Found = self._made[what, name]
        return found

    def hardware(self, name: str) -> Hardware:
        """The machine of that name. Raises IsamapError if there is none."""
        return self.machines.get(name) or _found(find_hardware, name, self.files)

    def kernel(self, document: Dict[str, Any]) -> tuple[Kernel, str]:
        """kernel_from(document) and its digest, made once. Raises IsamapError if there is none."""

        def made() -> tuple[Kernel, str]:
            found = kernel_from(document, self.files)
            return found, kernel_digest(found)

        return self._once("kernel", canonical(document), made)

    def instruction(self, source: str, kernel: Kernel, statement: int = 0) -> Instruction:
        """The instruction machine.name, file.py:name, or the point of the kernel's own statement."""
        machine, dot, name = source.partition(".")
        if source == POINT:
            return point_instruction(kernel, statement)
        if is_made(source):
            return instruction_named(self.hardware(machine), source, kernel, statement)
        if dot and machine in self.machines:
            return self.machines[machine].instruction(name)
        return _found(find_instruction, source, self.files)

    def digests(self, name: str) -> dict[str, str]:
        """Digests of the parts of that machine, made once. Raises IsamapError if there is none."""
        return self._once("digests", name, lambda: hardware_digests(self.hardware(name)))

    def moves(self, name: str) -> list[list[str]]:
        """Name and digest of each move instruction of that machine, in order, without its cost."""
        return self._once(
            "moves", name, lambda: [[m.name, instruction_digests(m).claims] for m in self.hardware(name).moves]
        )

    def instruction_of(self, part: Dict[str, Any], kernel: Kernel) -> Instruction:
        """The instruction named by a manifest, or by a further statement in it."""
        return self.instruction(part["instruction"]["source"], kernel, _statement(part))

    def digests_of(self, part: Dict[str, Any], kernel: Kernel) -> InstructionDigests:
        """Digests of instruction_of(part, kernel), made once unless the instruction is made for the kernel."""
        source = part["instruction"]["source"]
        if is_made(source):
            return instruction_digests(self.instruction_of(part, kernel))
        return self._once("instruction", source, lambda: instruction_digests(self.instruction(source, kernel)))


def _statement(part: Dict[str, Any]) -> int:
    number: int = part["family" if "family" in part else "mapping"]["statement"]
    return number


def kernel_document(kernel: Kernel, source: str | None = None, split: Form | None = None) -> dict[str, Any]:
    """The kernel by its library name (or `source`) with element types and fixed sizes, if that gives it back; else by its text.

    split: the sum taken apart, if the kernel comes from one; the document names the whole, and how it is split. Raises
    CertificateError if `source` leads to no kernel, or to another one.
    """
    whole = kernel if split is None else split.origin
    types = {t.name: t.dtype.name for t in whole.tensors}
    document: dict[str, Any] = {"name": whole.name, "source": source or whole.name, "dtypes": types}
    document |= {"ranges": {}, "sizes": {}}
    named = () if source is None else (source,)
    try:
        found = kernel_from(document, named)
    except IsamapError as error:
        if source is not None:
            raise CertificateError(f"{source} is not the kernel {whole.name} that was proved: {error}") from error
    else:
        if found.with_sizes(_fixed_sizes(found, whole)).tensors != whole.tensors:
            found, document["opened"] = opened(found)
        document["sizes"] = _fixed_sizes(found, whole)
        # What the source says itself is looked up again: a wider range there must not hide behind the one written here.
        document["ranges"] = {n: [low, high] for n, low, high in whole.ranges if (n, low, high) not in found.ranges}
    document["text"] = to_text(whole)
    try:
        same = kernel_from(document, named) == whole
    except IsamapError:
        same = False
    if not same:
        if source is not None:
            raise CertificateError(
                f"{source} with element types {types} is not the kernel {whole.name} that was proved"
            )
        document |= {"source": None, "ranges": {}, "sizes": {}}  # the text says them
        document.pop("opened", None)
    if split is None:
        return document
    document["split"] = _split_document(split)
    if kernel_from(document, named) != kernel:
        raise CertificateError(f"{kernel.name} is not the split of {whole.name} that its parameters say")
    return document


def _fixed_sizes(found: Kernel, kernel: Kernel) -> dict[str, int]:
    """The sizes that are numbers in the kernel, but names in `found`."""
    known = {a.name: a.extent for a in kernel.axes}
    same: list[tuple[Any, Any]] = [(a.extent, known.get(a.name)) for a in found.axes]
    for a, b in zip(found.tensors, kernel.tensors, strict=False):
        same += zip(a.shape, b.shape, strict=False)
    return {str(a): int(b) for a, b in same if getattr(a, "is_Symbol", False) and is_constant(b)}


def kernel_from(document: Dict[str, Any], files: tuple[str, ...] = ()) -> Kernel:
    """The kernel as today's sources say it, its sum split if the document says so. files: as of Sources. Raises IsamapError."""
    split = split_from(document, files)
    return whole_from(document, files) if split is None else split.kernel


def split_from(document: Dict[str, Any], files: tuple[str, ...] = ()) -> Form | None:
    """The sum taken apart to make the kernel; nothing about it is proved yet. None without one. Raises IsamapError."""
    if "split" not in document:
        return None
    return _split_from(document["split"], whole_from(document, files))


def _split_document(split: Form) -> dict[str, Any]:
    if isinstance(split, Online):
        return {"axis": split.axis, "online": split.block}
    assert isinstance(split, Rewrite)
    row = split.row
    if isinstance(row, Numbered):
        return {"numbered": list(row.statements)}
    sums = row if isinstance(row, Sums) else Sums(row.statement, row.axis, row.parts)
    form: dict[str, Any] = {"masked": True} if sums.masked else {}
    if isinstance(row, Joined):
        form = {"joined": list(row.replaced)}
    elif not isinstance(row, Sums):
        form = {type(row).__name__.lower(): True}
    before = {} if split.before is None else {"before": _split_document(split.before)}
    return {name: getattr(sums, name) for name in _SPLIT} | form | before


def _split_from(then: Dict[str, Any], origin: Kernel) -> Form:
    if "online" in then:
        return running(origin, then["axis"], then["online"])
    before = _split_from(then["before"], origin) if "before" in then else None
    return replace(made(_row_from(then), before.kernel if before else origin), before=before)


def _row_from(then: Dict[str, Any]) -> Row:
    if "numbered" in then:
        return Numbered(tuple(then["numbered"]))
    axis, parts, statement, blocks, inner = (then[name] for name in _SPLIT)
    if then.get("joined"):
        first, second = then["joined"]
        return Joined(statement, first, other=second)
    form = next((row for row in _FORMS if then.get(row.__name__.lower())), None)
    return form(statement, axis, parts) if form else Sums(statement, axis, parts, blocks, inner, "masked" in then)


def whole_from(document: Dict[str, Any], files: tuple[str, ...] = ()) -> Kernel:
    """The kernel before its sum is split."""
    if document["source"] is None:
        found = kernel_of_text(document["text"], name=document["name"])
    else:
        found = _found(find_kernel, document["source"], files).with_dtypes(document["dtypes"])
    if then := document.get("opened"):
        found, now = opened(found)
        if now != then:
            raise CertificateError(
                f"the extents of {document['name']} are {now}, and were {then} when this was written"
            )
    found = found.with_sizes(document["sizes"]) if document["sizes"] else found
    return found.with_ranges({n: (low, high) for n, (low, high) in document["ranges"].items()})


def _found(find: Callable[[str], _Found], source: str, files: tuple[str, ...]) -> _Found:
    """find(source), while no code runs but that of these files.

    If the source's file is not seen from here, the error says from where it should be.
    """
    try:
        with only_files(files):
            return find(source)
    except IsamapError as error:
        path = source.partition(":")[0]
        if isinstance(error, UnnamedFileError) or not path.endswith(".py") or Path(path).is_file():
            raise
        advice = "certificates name files as seen from the directory where they are saved and checked: run this there"
        raise CertificateError(f"{error}\n{advice}") from None


def mapping_document(mapping: Mapping) -> dict[str, Any]:
    """Groups and operands of a fuse mapping (or of a single point); every expression of one written by hand.

    Raises CertificateError for expressions without a written form.
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
    """The mapping in the document, between today's kernel and instruction.

    Raises DamagedError for malformed expressions, IsamapError for anything the kernel and the instruction do not have.
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
    """Every decision read by lowering, and the machine; nothing of how they were found."""
    if schedule.hardware is None:
        raise CertificateError("the schedule names no hardware, so its program cannot be lowered again")
    return {"hardware": schedule.hardware.name, **decisions(schedule_record(schedule))}


def further_document(schedule: Schedule, instruction: dict[str, Any]) -> dict[str, Any]:
    """A further statement of a program: its instruction, its mapping, and its loops."""
    mapping = mapping_document(schedule.proved.mapping)
    return {"instruction": instruction, "mapping": mapping, "schedule": schedule_document(schedule)}


def schedule_from(document: Dict[str, Any], proved: ProvedMapping, hardware: Hardware) -> Schedule:
    """The schedule of these decisions. Its mapping has just been proved; the program is proved after lowering.

    Raises DamagedError if they are not of the form they should have.
    """
    try:
        return replace(schedule_of(dict(document), proved, hardware), space="the decisions that a certificate holds")
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise DamagedError(f"its schedule is not of the form it should have: {error}") from None
