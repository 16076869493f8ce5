"""Digests: two values have the same digest exactly if they differ in nothing a proof can depend on."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping as Dict
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import isamap_encodings
import isamap_smt
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kept import per_object
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.language.printer import to_text
from isamap_smt.records.record import canonical, digest

# parts of the library that make, discharge or judge claims
GENERATORS = ("ir", "language", "mapping", "proof", "codegen", "certificates", "records")
PACKAGES = ("isamap-smt", "z3-solver", "cvc5", "sympy", "numpy", "ml_dtypes")


def kernel_digest(kernel: Kernel) -> str:
    """Of the kernel's name, text, element types, sizes and assumed ranges."""
    return digest(canonical([kernel.name, to_text(kernel), [list(r) for r in kernel.ranges]]))


_LATER = (
    "needs",
    "may_fail",
    "grants",
    "Memory.kind",
    "engine",
    "cells",
    "active",
    "front",
    "beyond",
    "work",
    "row",
    "temporaries",
    "steps",
    "bits",
    "host",
    "Memory.bandwidth",
    "Memory.banks",
    "Memory.ports",
    "Cost.parts",
)  # fields that most parts leave alone


def instruction_parts(instruction: Instruction) -> dict[str, Any]:
    """Every field of the instruction as plain data, its computation as kernel text.

    Fields left alone by most instructions (configured registers, engines) have no part at their defaults.
    """
    return {name: _plain(getattr(instruction, name)) for name in _said(instruction)}


def _said(value: Any) -> list[str]:
    """The fields of a part of a machine to be digested."""
    fields = [f for f in dataclasses.fields(value) if f.compare]
    kind = type(value).__name__
    later = {f.name for f in fields if {f.name, f"{kind}.{f.name}"} & set(_LATER)}
    return [f.name for f in fields if f.name not in later or getattr(value, f.name) != f.default]


@dataclass(frozen=True)
class InstructionDigests:
    """whole: of every field. claims: of every field but the cost, read by no claim and no lowering.

    parts: of each field. text, rounding: its computation, and the difference of this from the reals.
    """

    name: str
    whole: str
    claims: str
    parts: tuple[tuple[str, str], ...]
    text: str
    rounding: str

    def changed(self, then: Dict[str, Any]) -> str:
        """The parts changed since a manifest was written, as far as it tells; '' if nothing has changed."""
        if self.whole == then["digest"]:
            return ""
        said = f"the instruction {self.name} has changed"
        if "parts" in then:
            fields = [f for f, now in self.parts if then["parts"].get(f) != now]
            return f"{said}: its {', '.join(_WORDS.get(f, f) for f in fields)}"
        if self.text != then["text"]:
            return f"{said}: its contract"
        return said + (": its rounding" if self.rounding != then["rounding"] else ", but not its contract or rounding")


_WORDS = {"kernel": "contract", "cost": "cost (latency, per_cycle)"}


@per_object(most=2048)
def instruction_digests(instruction: Instruction) -> InstructionDigests:
    """All of them."""
    parts = instruction_parts(instruction)
    without = {k: v for k, v in parts.items() if k != "cost"}
    return InstructionDigests(
        instruction.name,
        digest(canonical(parts)),
        digest(canonical(without)),
        tuple((k, digest(canonical(v))) for k, v in parts.items()),
        to_text(instruction.kernel),
        instruction.rounding,
    )


def instruction_digest(instruction: Instruction) -> str:
    """Of every field: contract, real computation, cost, C, preconditions, needs."""
    return instruction_digests(instruction).whole


def mapping_digest(mapping: Mapping) -> str:
    """Of the binding, the loops around one execution, forward, inverse and guard."""
    return digest(
        canonical(
            [
                mapping.id,
                [[o, a.tensor, [str(i) for i in a.index]] for o, a in mapping.binding],
                [[a.name, str(a.extent)] for a in mapping.outer],
                [[n, str(e)] for n, e in mapping.forward],
                [[n, str(e)] for n, e in mapping.inverse],
                sorted(map(str, mapping.guard)),
            ]
        )
    )


def hardware_digests(hardware: Hardware) -> dict[str, str]:
    """One digest for the memories, one for the links, one for each instruction."""
    parts = {
        "memories": digest(canonical([_plain(m) for m in hardware.memories])),
        "links": digest(canonical([_plain(k) for k in hardware.links])),
    }
    return parts | {i.name: instruction_digest(i) for i in hardware.instructions}


@cache
def generator_digest() -> str:
    """Of the library's own code to derive and discharge claims, and of the versions of its foundations."""
    roots = [Path(isamap_smt.__file__).parent / part for part in GENERATORS]
    return digest(canonical([*map(_code_digest, roots), encodings_digest(), [_version(p) for p in PACKAGES]]))


@cache
def encodings_digest() -> str:
    """Of the code between a formula and the solvers: its text, and the way of asking."""
    return _code_digest(Path(isamap_encodings.__file__).parent)


def _code_digest(root: Path) -> str:
    code = hashlib.sha256()
    for file in sorted(root.rglob("*.py")):
        code.update(str(file.relative_to(root)).encode() + b"\0" + file.read_bytes() + b"\0")
    return code.hexdigest()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def _plain(value: Any) -> Any:
    match value:
        case Kernel():
            return [value.name, to_text(value)]
        case None | str() | int() | float() | bool():
            return value
        case tuple() | list():
            return [_plain(v) for v in value]
    if dataclasses.is_dataclass(value):
        return {name: _plain(getattr(value, name)) for name in _said(value)}
    return str(value)
