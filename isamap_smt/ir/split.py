"""A kernel in another form: with one of its sums as partial sums that are added up at the end, an axis as two digits, or an axis
that runs only where its guard lets it.

    C[i,j] += A[i,k] * B[j,k]

    C_sums[i,j,k_part] += A[i, 8*k_step + k_part] * B[j, 8*k_step + k_part]
    C[i,j] += (C_sums[i,j,0] + C_sums[i,j,4]) + ...

Compilers call it a factored reduction, or split-K. It gives an instruction's lanes, or threads, an axis of their own where the
kernel has none that suits them. A maximum or a minimum is taken apart in the same way, into partial maxima.

    C[i, 4*j_by4 + j_mod4] += A[i,k] * B[4*j_by4 + j_mod4, k]           where 4*j_by4 + j_mod4 < J

gives lanes the low digit of an axis: two rows of eight, say.

    Y[j] = X[j-1] + X[j+1]                                              where 1 <= j and j <= J - 2

    Y[j_within + 1] = X[j_within] + X[j_within + 2]                     axis j_within < J - 2

leaves lanes nothing that they must not read. And an operand may be moved by a number, so that signed bytes have no
sign; what that adds to the sum is taken off again (isamap_smt.mapping.shift). Differences are multiplied out, and what does not
vary along a sum is taken out of it (isamap_smt.mapping.multiplied). What a guarded reduction computes of its inputs may
have a tensor of its own (isamap_smt.mapping.staged_values).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.notebook import Shown, Table
from isamap_smt.ir.numbered import Numbered
from isamap_smt.ir.online import Online
from isamap_smt.ir.proof import Proof, Seal
from isamap_smt.ir.scalar import SAdd, SMax, SMin

Indices = tuple[tuple[str, Any], ...]
REGROUPED: dict[str, type[Any]] = {"+": SAdd, "max": SMax, "min": SMin}  # operators of statements that are taken apart


@dataclass(frozen=True)
class Piece:
    """A statement that computes some of the sum's points: those of the kernel's own axes at `point`, over the statement's
    axes. back: the statement's axes over the kernel's own, for the points that are in the piece."""

    statement: int
    point: Indices
    back: Indices


@dataclass(frozen=True)
class SplitSum:
    """What is claimed to be equal: `whole` with statement `statement`, and `kernel` with the pieces in its place.

    The first piece adds into the temporary `sums`, which statement `closing` adds up; the others add into the output itself.
    before: the sum of another statement, taken apart before; its kernel is `whole`.
    moved: the temporary that is `axis`, an operand, moved by `parts`; then there are no pieces, and `sums` is what that adds.
    staged: what the statement reduces is in `sums`, element by element; there are no pieces either.
    beside: the totals of factors that are multiplied out, which the closing statement takes; no pieces, and no `sums`.
    Where there are no `sums`, the only piece stands in the place of the whole: the axis is two, the low one of `parts` points, or,
    where it is bounded, one that runs within what the guard said of it; or two axes, `joined`, are one (`axis` is the first).
    axis: the one that is split, into `parts` sums. blocks, inner, masked: how mapping.split.split_sum() made it; nothing rests on
    them.
    """

    whole: Kernel
    kernel: Kernel
    statement: int
    axis: str
    parts: int
    pieces: tuple[Piece, ...]
    sums: str = ""
    closing: int = -1
    blocks: bool = False
    inner: int = 1
    before: Apart | None = None
    moved: str = ""
    staged: bool = False
    masked: bool = False
    bounded: bool = False
    beside: tuple[str, ...] = ()
    joined: tuple[str, str] | tuple[()] = ()

    @property
    def form(self) -> str:
        """What kind it is: `sums`, `digits`, `bounded`, `joined`, `moved`, `multiplied` or `staged`."""
        if self.joined:
            return "joined"
        if self.beside:
            return "multiplied"
        if self.moved:
            return "moved"
        return "staged" if self.staged else "sums" if self.sums else "bounded" if self.bounded else "digits"

    @property
    def restated(self) -> int:
        """Statements more, where it has no pieces; else 0."""
        return {"moved": 3, "staged": 1, "multiplied": len(self.beside) + 1}.get(self.form, 0)

    @property
    def temporaries(self) -> tuple[str, ...]:
        """What the kernel has and the whole has not."""
        return tuple(n for n in (self.moved, self.sums, *self.beside) if n)

    @property
    def digits(self) -> bool:
        """Whether an axis is taken apart, and no sum."""
        return self.form == "digits"

    @property
    def in_place(self) -> bool:
        """Whether its only piece stands in the place of the whole, and adds to no temporary."""
        return self.form in ("digits", "bounded", "joined")

    @property
    def origin(self) -> Kernel:
        """The kernel of which no sum is taken apart."""
        return self.whole if self.before is None else self.before.origin

    @property
    def chain(self) -> tuple[Apart, ...]:
        """Those before it, and itself."""
        return (*(() if self.before is None else self.before.chain), self)

    @property
    def key(self) -> str:
        """How it was made, as a part of a certificate's id."""
        if self.moved:
            return f"moved-{self.axis}-{self.parts}"
        if self.staged or self.beside:
            return f"{self.form}-{self.statement + 1}"
        if self.joined:
            return f"joined-{'-'.join(self.joined)}-{self.statement + 1}"
        extent = self.whole.statements[self.statement].axis(self.axis).extent
        if self.bounded:
            return f"bounded-{self.axis}-{extent}-{self.statement + 1}"
        how = "digits" if self.digits else "cut" if self.blocks else "split"
        return (
            f"{how}-{self.axis}-{extent}-{self.parts}" + f"-{self.inner}" * (self.inner > 1) + "-masked" * self.masked
        )

    @property
    def way(self) -> str:
        """What was done, in words."""
        words = {
            "moved": "an operand moved", "staged": "values in a tensor of their own", "digits": "axes in digits",
            "bounded": "axes within their guards", "multiplied": "differences multiplied out",
            "joined": "axes that lie together as one",
        }  # fmt: skip
        return words.get(self.form, "the sum in pieces")

    @property
    def reductions(self) -> tuple[int, ...]:
        """Statements of the whole whose sums are added up in another order."""
        return (self.statement,) if self.form == "sums" else ()

    @property
    def low_digits(self) -> dict[str, str]:
        """Axes of the kernel that are the low digit of one that was taken apart, as `q%8`."""
        return {one.pieces[0].back[-1][0]: f"{one.axis}%{one.parts}" for one in self.splits if one.digits}

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The axes of the kernel that are the digits of one that was taken apart, the high one first, each pair."""
        digits = [[a for a, _ in one.pieces[0].back[-2:]] for one in self.splits if one.digits]
        return tuple((high, low) for high, low in digits)

    @property
    def splits(self) -> tuple[SplitSum, ...]:
        """Those of the chain that take a sum apart, or an axis, or bound one."""
        return tuple(one for one in self.chain if isinstance(one, SplitSum))

    @property
    def within(self) -> SplitSum | None:
        """That of which each partial sum is taken apart again."""
        outer = self.before
        if not (isinstance(outer, SplitSum) and self.sums):
            return None
        return outer if outer.sums == self.whole.statements[self.statement].target.tensor else None

    @property
    def added(self) -> int:
        """Statements that the kernel has more than the whole."""
        return len(self.kernel.statements) - len(self.whole.statements)

    def __str__(self) -> str:
        if self.moved:
            return f"{self.axis} moved by {self.parts}"
        if self.joined:
            return f"{' and '.join(self.joined)} as one axis"
        if self.beside:
            return f"the differences of statement {self.statement + 1} multiplied out"
        if self.staged:
            return f"what statement {self.statement + 1} reduces in {self.sums}"
        if self.digits:
            return f"{self.axis} in digits, the low one of {self.parts}"
        if self.bounded:
            return f"{self.axis} of statement {self.statement + 1} within its guard"
        what = {"max": ("maximum", "maxima"), "min": ("minimum", "minima")}.get(
            self.whole.statements[self.statement].op
        )
        one, several = what or ("sum", "sums")
        if self.within is not None:
            return f"{self.within}, each in {self.parts}"
        return f"the {one} over {self.axis} in {self.parts} partial {several}"


Apart = SplitSum | Online | Numbered  # a kernel in another form


@dataclass(frozen=True)
class ProvedSplit(Shown):
    """A sum taken apart, every claim of which is proved: both kernels compute the same, up to the order of the sum."""

    split: Apart
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
