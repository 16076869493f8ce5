"""An architecture as both formats say it: memory levels from main memory inwards, and the dimensions of an array of multipliers.

Sums of products are spoken of as acc[i,j] += a[i,k] * b[k,j]: `a` are the inputs (activations), `b` the weights, `acc` the sums.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from isamap_smt.ir.errors import HardwareError, did_you_mean

A, B, ACC = OPERANDS = ("a", "b", "acc")
INDEXED = {A: ("i", "k"), B: ("k", "j"), ACC: ("i", "j")}  # the axes that each one has, rows first
AXES = ("i", "j", "k")


class ArchitectureError(HardwareError):
    """A file unfit to make a machine: its name, the key, and the remedy."""


@dataclass(frozen=True)
class Unread:
    """A part of a file missing in the machine: its place, its text, and the reason or the substitute."""

    path: str
    what: str
    why: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.path, self.what, self.why) if part)


@dataclass(frozen=True)
class Mesh:
    """A dimension of the array. may: the axes the file lets it take; empty if it says nothing."""

    name: str
    size: int
    may: tuple[str, ...] = ()
    path: str = ""


@dataclass(frozen=True)
class Level:
    """A memory. All figures are of one instance.

    holds: operands. bits: capacity, None for main memory. over: the meshes with an instance for each of their places.
    read, write: bits a cycle, None without limit; shared: of both together. read_energy, write_energy: picojoules an
    access of `access` bits, or of one element if it is None. word: bits of an element if the file gives them.
    """

    name: str
    path: str
    holds: tuple[str, ...]
    bits: int | None
    over: tuple[str, ...] = ()
    read: float | None = None
    write: float | None = None
    read_energy: float | None = None
    write_energy: float | None = None
    access: int | None = None
    word: int | None = None
    latency: float = 0.0
    shared: float | None = None


@dataclass(frozen=True)
class Architecture:
    """levels: from main memory inwards. types: element type by operand. compute_energy: picojoules a product."""

    name: str
    file: str
    format: str
    levels: tuple[Level, ...]
    meshes: tuple[Mesh, ...]
    types: tuple[tuple[str, str], ...]
    compute_energy: float | None = None
    unread: tuple[Unread, ...] = ()

    def of(self, operand: str) -> tuple[Level, ...]:
        """The levels on an operand's way, main memory first."""
        return tuple(x for x in self.levels if operand in x.holds)

    def refused(self, path: str, what: str) -> ArchitectureError:
        """The error for a fault at a key."""
        return refused(self.file, path, what)


def refused(file: str, path: str, what: str) -> ArchitectureError:
    """The error for a fault at a key of a file."""
    return ArchitectureError(f"{file}: {path}: {what}" if path else f"{file}: {what}")


def integer_type(bits: int) -> str:
    """The smallest signed type with room for so many bits, i64 at most.

    >>> integer_type(8), integer_type(24)
    ('i8', 'i32')
    """
    return next((f"i{n}" for n in (8, 16, 32, 64) if bits <= n), "i64")


def last_name(path: str) -> str:
    """The last component in a path of Timeloop or Accelergy, without its count.

    >>> last_name("system.PE[0..3].reg[1..16]")
    'reg'
    """
    return re.sub(r"\[[^\]]*\]", "", path).rsplit(".", 1)[-1].strip()


def listed(words: Sequence[str]) -> str:
    """Words with commas.

    >>> listed(["a", "b"])
    'a, b'
    """
    return ", ".join(words)


def did_you_mean_file(path: Path) -> str:
    """A hint at files beside it with a similar name; '' if there are none, or if it exists."""
    near = [p.name for p in path.parent.glob("*.y*ml")] if path.parent.is_dir() else []
    return f"; {did_you_mean(path.name, near)}" if near and not path.exists() else ""
