"""The head of a page: the kernel and its instruction, the CPU, the command for the page, its numbers, and one seal.

The seal speaks for every obligation of every proof on the page: it says "proved" only if all of them are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from isamap_encodings.verdict import Proved, worst
from isamap_smt.ir.expr import is_constant
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.proof import Proof


def computed_by(hardware: Hardware, instructions: Sequence[Instruction]) -> str:
    """`avx512.fmadd_ps`; of several instructions, or none, the machine alone."""
    if len(instructions) != 1:
        return hardware.name
    name = instructions[0].name
    return name if "." in name else f"{hardware.name}.{name}"


def work_words(kernel: Kernel) -> str:
    """`i=512 j=512 k=512 f32`: the known extents, and the element types, `u8, i8 -> i32`."""
    extents = [f"{a.name}={a.extent}" for a in kernel.axes if is_constant(a.extent)]
    read = dict.fromkeys(str(kernel.tensor(n).dtype) for n in kernel.inputs)
    written = dict.fromkeys(str(kernel.tensor(n).dtype) for n in kernel.results)
    types = ", ".join(read or written) + ("" if read == written or not read else f" -> {', '.join(written)}")
    return " ".join([*extents, types])


@dataclass(frozen=True)
class Card:
    """A number with its unit, and words below."""

    value: str
    text: str
    unit: str = ""


@dataclass(frozen=True)
class Part:
    """A proof on the page: its subject, its sizes, and its name among several. told: words for the names of its claims."""

    what: str
    sizes: str
    proof: Proof
    name: str = ""
    told: Callable[[str], str] = str

    @property
    def title(self) -> str:
        """`mapping l=j;a=A,b=B for all sizes`."""
        return " ".join(filter(None, (self.what, self.name, self.sizes)))


@dataclass(frozen=True)
class Stamp:
    """The verdict of several proofs as one. obligations: of all; missing: those not proved. about: the proofs' subjects."""

    word: str
    obligations: int
    missing: int
    about: str

    @property
    def text(self) -> str:
        """`proved · 148 obligations`, or the number not proved."""
        if not self.obligations:
            return "nothing proved"
        if self.word == "proved":
            return f"proved · {count(self.obligations, 'obligation')}"
        return f"{self.word} · {self.missing:,} of {count(self.obligations, 'obligation')} not proved"


def stamp(parts: Sequence[Part]) -> Stamp:
    """The worst verdict of all claims of these proofs; "unknown" if there is no claim."""
    verdicts = [c.verdict for p in parts for c in p.proof.claims]
    missing = sum(not isinstance(v, Proved) for v in verdicts)
    by_sizes: dict[str, dict[str, None]] = {}
    for p in parts:
        by_sizes.setdefault(p.sizes, {})[p.what] = None
    about = "; ".join(f"{' and '.join(whats)} {sizes}".rstrip() for sizes, whats in by_sizes.items())
    return Stamp(worst(verdicts), len(verdicts), missing, about)


def scope(kernels: Iterable[Kernel], asked: Kernel) -> str:
    """The sizes covered by a proof about these kernels, among those open in the kernel asked for."""
    open_everywhere = set(asked.free_sizes).intersection(*(k.free_sizes for k in kernels))
    if not open_everywhere:
        return "for these sizes"
    if open_everywhere == set(asked.free_sizes):
        return "for all sizes"
    return f"for all {', '.join(sorted(open_everywhere))}"


def count(number: int, what: str) -> str:
    """`1 obligation`, `1,204 obligations`.

    >>> count(1, "thread"), count(1204, "obligation")
    ('1 thread', '1,204 obligations')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def header_section(
    title: str, lines: Sequence[str], command: str, cards: Sequence[Card], seal: Stamp
) -> dict[str, Any]:
    """The values for `header.j2`. lines: below the title; command: as typed in a shell, '' if none makes this page."""
    return {"title": title, "lines": lines, "command": command, "cards": cards, "seal": seal}
