"""A kernel in another form, and the relation of its statements to those of the kernel before.

    C[i,j] += A[i,k] * B[j,k]

    C_sums[i,j,k_part] += A[i, 8*k_step + k_part] * B[j, 8*k_step + k_part]          a Partial sum
    C[i,j] += (C_sums[i,j,0] + C_sums[i,j,4]) + ...                                 the Closing statement

The rewriting is a row (isamap_smt.ir.rows). Each row says how the new statements are made; the roles of statements have
one meaning, claimed of all rows alike (isamap_smt.proof.rewrite_claims).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.notebook import Shown, Table
from isamap_smt.ir.proof import Proof, Seal
from isamap_smt.ir.rows import Digits, Row, Sums

Indices = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Piece:
    """A statement computing some of the original statement's points, those at `point`: the original axes over its own.

    back: its axes over the original ones, for the points in the piece.
    """

    statement: int
    point: Indices
    back: Indices


@dataclass(frozen=True)
class Partial(Piece):
    """A piece adding into a temporary, and not to the output."""

    into: str


@dataclass(frozen=True)
class Copied:
    """A statement giving a temporary an element for each of the tensor `of`, at the same place."""

    statement: int
    into: str
    of: str


@dataclass(frozen=True)
class Valued:
    """A statement giving a temporary another one's value, or a part of it, at each point of the axes it depends on."""

    statement: int
    into: str


@dataclass(frozen=True)
class Counted:
    """A statement giving a temporary an element for each point of an axis. It stands in front of the whole."""

    statement: int
    into: str


@dataclass(frozen=True)
class Total:
    """A statement summing into a temporary over the whole range of the sum, for some axes of the output."""

    statement: int
    into: str


@dataclass(frozen=True)
class Again:
    """Statement number `of` of the whole at the same points, with another value."""

    statement: int
    of: int


@dataclass(frozen=True)
class Closing:
    """A statement adding temporaries to each output of the sum."""

    statement: int


Filled = Copied | Valued | Counted  # each element of a temporary is written once
Role = Piece | Filled | Total | Again | Closing


@dataclass(frozen=True)
class Form(ABC):
    """The claimed equality: of `whole` and `kernel`."""

    whole: Kernel
    kernel: Kernel

    @property
    def before(self) -> Form | None:
        """The form leading to the whole; None if the whole is the kernel as it was written."""
        return None

    @property
    def origin(self) -> Kernel:
        """The kernel as it was written."""
        return self.whole if self.before is None else self.before.origin

    @property
    def chain(self) -> tuple[Form, ...]:
        """Those before it, and itself."""
        return (*(() if self.before is None else self.before.chain), self)

    @property
    def added(self) -> int:
        """Number of statements of the kernel beyond those of the whole."""
        return len(self.kernel.statements) - len(self.whole.statements)

    @property
    @abstractmethod
    def key(self) -> str:
        """How it was made, as a part of a certificate's id."""

    @property
    @abstractmethod
    def way(self) -> str:
        """The rewriting, in words."""

    @property
    def reductions(self) -> tuple[int, ...]:
        """Statements of the whole with sums added up in another order."""
        return ()

    @property
    def splits(self) -> tuple[Rewrite, ...]:
        """The rewrites of the chain with pieces."""
        return tuple(one for one in self.chain if isinstance(one, Rewrite) and one.pieces)

    @property
    def low_digits(self) -> dict[str, str]:
        """Axes of the kernel that are the low digit of a split axis, as `q%8`."""
        rows = [(one.row, one.pieces[0].back[-1][0]) for one in self.splits]
        return {low: f"{row.axis}%{row.parts}" for row, low in rows if isinstance(row, Digits)}

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The axes of the kernel that are the digits of a split axis, the high one first, each pair."""
        digits = [[a for a, _ in one.pieces[0].back[-2:]] for one in self.splits if isinstance(one.row, Digits)]
        return tuple((high, low) for high, low in digits)


@dataclass(frozen=True)
class Rewrite(Form):
    """A form with a row. All statements of `kernel` without a role are those of `whole`."""

    row: Row
    roles: tuple[Role, ...]
    before: Form | None = None

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Statements computing points of the original one."""
        return tuple(r for r in self.roles if isinstance(r, Piece))

    @property
    def temporaries(self) -> tuple[str, ...]:
        """Temporaries of the kernel and not of the whole."""
        return tuple(r.into for r in self.roles if isinstance(r, Partial | Filled | Total))

    @property
    def sums(self) -> str:
        """The temporary with the partial sums, "" if there is none."""
        return next((r.into for r in self.roles if isinstance(r, Partial)), "")

    @property
    def closing(self) -> int:
        """The number of the statement adding temporaries to the output, -1 if there is none."""
        return next((r.statement for r in self.roles if isinstance(r, Closing)), -1)

    @property
    def key(self) -> str:
        """How it was made, as a part of a certificate's id."""
        return self.row.key(self.whole)

    @property
    def way(self) -> str:
        """The rewriting, in words."""
        return self.row.way

    @property
    def reductions(self) -> tuple[int, ...]:
        """Statements of the whole with sums added up in another order."""
        return self.row.restated if isinstance(self.row, Sums) else ()

    @property
    def within(self) -> Rewrite | None:
        """The rewrite before, if its partial sums are split again here."""
        outer = self.before
        if not (isinstance(outer, Rewrite) and isinstance(self.row, Sums)):
            return None
        return outer if outer.sums == self.whole.statements[self.row.statement].target.tensor else None

    def __str__(self) -> str:
        if self.within is not None and isinstance(self.row, Sums):
            return f"{self.within}, each in {self.row.parts}"
        return self.row.words(self.whole, self.temporaries)


@dataclass(frozen=True)
class ProvedSplit(Shown):
    """A rewrite with every claim proved: both kernels compute the same, up to the order of sums."""

    split: Form
    proof: Proof
    _seal: Any = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        sealed = isinstance(self._seal, Seal) and self._seal.fits(self.split, self.proof)
        if not sealed or not self.proof.proved:
            raise NotProvedError("a ProvedSplit is made by the prover; this one was not")

    def __str__(self) -> str:
        told = ", ".join(map(str, self.split.chain))
        return f"{told}: {len(self.proof.claims)} obligations proved ({self.proof.arithmetic})"

    def tables(self) -> tuple[Table, ...]:
        """Every obligation with its verdict."""
        return self.proof.tables()


__all__ = [
    "Again", "Closing", "Copied", "Counted", "Filled", "Form", "Indices", "Partial", "Piece", "ProvedSplit", "Rewrite", "Role",
    "Total", "Valued",
]  # fmt: skip
