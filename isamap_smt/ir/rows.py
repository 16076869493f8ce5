"""Rewritings of a kernel into another form: one row each, with its arguments. isamap_smt.mapping.rows makes them.

    Sums        partial sums, added up at the end; maxima and minima alike              isamap_smt.mapping.split
    Digits      an axis as two, i = 4*i_by4 + i_mod4: lanes get the low one             isamap_smt.mapping.digits
    Bounded     an axis within its guard: lanes read nothing outside                    isamap_smt.mapping.bounded
    Joined      two adjacent axes as one: lanes get neighbours                          isamap_smt.mapping.joined
    Moved       signed bytes moved by a number, and its contribution taken off          isamap_smt.mapping.shift
    Multiplied  differences multiplied out: constant factors are taken out of the sum   isamap_smt.mapping.multiplied
    Staged      intermediate values of a statement, as elements                         isamap_smt.mapping.staged_values
    Numbered    values of axes as elements: lanes get them                              isamap_smt.mapping.numbered

They only choose the claims to ask: roles say how the statements are related (isamap_smt.ir.rewrite).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.scalar import SAdd, SMax, SMin

REGROUPED: dict[str, type[Any]] = {"+": SAdd, "max": SMax, "min": SMin}  # operators of split statements
_SEVERAL = {"max": ("maximum", "maxima"), "min": ("minimum", "minima")}


@dataclass(frozen=True)
class _Of:
    """A row of one statement. axis: or tensor, its subject. parts: their number, or the shift.

    way: the rewriting. told: the rewriting with its subject. named: a part of a certificate's id. The last two have
    placeholders for the row's fields.
    """

    statement: int
    axis: str = ""
    parts: int = 1
    way: ClassVar[str] = ""
    told: ClassVar[str] = ""
    named: ClassVar[str] = ""

    @property
    def restated(self) -> tuple[int, ...]:
        """Statements of the whole replaced by others."""
        return (self.statement,)

    @property
    def replaced(self) -> tuple[str, ...]:
        """Axes of the statement replaced by others."""
        return ()

    def key(self, whole: Kernel) -> str:
        """How it was made, as a part of a certificate's id."""
        return self.named.format(**self._places(whole))

    def words(self, whole: Kernel, temporaries: tuple[str, ...]) -> str:
        """The rewriting and its subject."""
        return self.told.format(temporaries=", ".join(temporaries), **self._places(whole))

    def _places(self, whole: Kernel) -> dict[str, Any]:
        s = whole.statements[self.statement]
        one, several = _SEVERAL.get(s.op, ("sum", "sums"))
        extent = next((a.extent for a in s.axes if a.name == self.axis), None)
        return {**vars(self), "number": self.statement + 1, "extent": extent, "one": one, "several": several}


class _OfAxis(_Of):
    @property
    def replaced(self) -> tuple[str, ...]:
        """The axis."""
        return (self.axis,)


@dataclass(frozen=True)
class Sums(_OfAxis):
    """The sum over `axis` in `parts` partial sums; blocks, inner, masked: as of mapping.split.split_sum()."""

    blocks: bool = False
    inner: int = 1
    masked: bool = False
    way: ClassVar[str] = "the sum in pieces"
    told: ClassVar[str] = "the {one} over {axis} in {parts} partial {several}"
    named: ClassVar[str] = "{axis}-{extent}-{parts}"

    def key(self, whole: Kernel) -> str:
        """With the way of its points to the sums."""
        how = "cut" if self.blocks else "split"
        return f"{how}-{super().key(whole)}" + f"-{self.inner}" * (self.inner > 1) + "-masked" * self.masked


@dataclass(frozen=True)
class Digits(_OfAxis):
    """The axis as two digits, the low one of `parts` points."""

    way: ClassVar[str] = "axes in digits"
    told: ClassVar[str] = "{axis} in digits, the low one of {parts}"
    named: ClassVar[str] = "digits-{axis}-{extent}-{parts}"


@dataclass(frozen=True)
class Bounded(_OfAxis):
    """The axis within its bounds from the guard."""

    way: ClassVar[str] = "axes within their guards"
    told: ClassVar[str] = "{axis} of statement {number} within its guard"
    named: ClassVar[str] = "bounded-{axis}-{extent}-{number}"


@dataclass(frozen=True)
class Joined(_Of):
    """The axis and the `other` one behind it, as one."""

    other: str = ""
    way: ClassVar[str] = "axes that lie together as one"
    told: ClassVar[str] = "{axis} and {other} as one axis"
    named: ClassVar[str] = "joined-{axis}-{other}-{number}"

    @property
    def replaced(self) -> tuple[str, ...]:
        """Both."""
        return (self.axis, self.other)


@dataclass(frozen=True)
class Moved(_Of):
    """The operand `axis` moved by the number `parts`."""

    way: ClassVar[str] = "an operand moved"
    told: ClassVar[str] = "{axis} moved by {parts}"
    named: ClassVar[str] = "moved-{axis}-{parts}"


@dataclass(frozen=True)
class Multiplied(_Of):
    """A product of differences, summed over `axis` and others, multiplied out."""

    way: ClassVar[str] = "differences multiplied out"
    told: ClassVar[str] = "the differences of statement {number} multiplied out"
    named: ClassVar[str] = "multiplied-{number}"


@dataclass(frozen=True)
class Staged(_Of):
    """The value under a guarded reduction in a temporary, or another part of a statement's value.

    parts: the number of the part; 0: all.
    """

    parts: int = 0
    way: ClassVar[str] = "values in a tensor of their own"
    told: ClassVar[str] = "what statement {number} reduces in {temporaries}"
    named: ClassVar[str] = "staged-{number}"

    def key(self, whole: Kernel) -> str:
        """With the number of a part."""
        return super().key(whole) + f"-{self.parts}" * (self.parts > 0)

    def words(self, whole: Kernel, temporaries: tuple[str, ...]) -> str:
        """The rewriting and its subject."""
        if not self.parts:
            return super().words(whole, temporaries)
        return f"a part of statement {self.statement + 1} in {', '.join(temporaries)}"


@dataclass(frozen=True)
class Numbered:
    """Values of axes used in the arithmetic of these statements."""

    statements: tuple[int, ...]
    axis: ClassVar[str] = ""
    replaced: ClassVar[tuple[str, ...]] = ()
    way: ClassVar[str] = "values of axes as elements"

    @property
    def restated(self) -> tuple[int, ...]:
        """Statements of the whole replaced by others."""
        return self.statements

    def key(self, whole: Kernel) -> str:
        """How it was made, as a part of a certificate's id."""
        return f"numbered-{'-'.join(str(n + 1) for n in self.statements)}"

    def words(self, whole: Kernel, temporaries: tuple[str, ...]) -> str:
        """The rewriting and its subject."""
        return f"{self.way} of {', '.join(temporaries)}"


Row = Sums | Digits | Bounded | Joined | Moved | Multiplied | Staged | Numbered

__all__ = ["REGROUPED", "Bounded", "Digits", "Joined", "Moved", "Multiplied", "Numbered", "Row", "Staged", "Sums"]
