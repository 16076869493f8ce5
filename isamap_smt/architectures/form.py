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
    """A file from which no machine can be made: which, at which key, and what to do."""


@dataclass(frozen=True)
class Unread:
    """Something of a file that the machine does not have: where, what stands there, and why, or what stands for it."""

    path: str
    what: str
    why: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.path, self.what, self.why) if part)


@dataclass(frozen=True)
class Mesh:
    """A dimension of the array. may: the axes that the file lets it take; empty where it says nothing."""

    name: str
    size: int
    may: tuple[str, ...] = ()
    path: str = ""


@dataclass(frozen=True)
class Level:
    """A memory. All figures are of one instance.

    holds: operands. bits: capacity, None for main memory. over: the meshes along which there is one instance for each place.
    read, write: bits a cycle, None without limit; shared: of both together. read_energy, write_energy: picojoules an access of
    `access` bits, or of one element where that is None. word: bits of an element where the file says so.
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
        """The levels that an operand passes, main memory first."""
        return tuple(x for x in self.levels if operand in x.holds)

    def refused(self, path: str, what: str) -> ArchitectureError:
        """The error that says what is wrong at a key."""
        return refused(self.file, path, what)


def refused(file: str, path: str, what: str) -> ArchitectureError:
    """The error that says what is wrong at a key of a file."""
    return ArchitectureError(f"{file}: {path}: {what}" if path else f"{file}: {what}")


def integer_type(bits: int) -> str:
    """The signed type that has room for so many bits.

    >>> integer_type(8), integer_type(24)
    ('i8', 'i32')
    """
    return next((f"i{n}" for n in (8, 16, 32, 64) if bits <= n), "i64")


def last_name(path: str) -> str:
    """The component that a path of Timeloop or Accelergy ends at, without how many there are.

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
    """Files beside it that may have been meant; '' where there are none."""
    near = [p.name for p in path.parent.glob("*.y*ml")] if path.parent.is_dir() else []
    return f"; {did_you_mean(path.name, near)}" if near and not path.exists() else ""
