"""What is done to a kernel to get another form of it: one row each, with its arguments. isamap_smt.mapping.rows makes them.

    Sums        partial sums, added up at the end; maxima and minima alike              isamap_smt.mapping.split
    Digits      an axis as two, i = 4*i_by4 + i_mod4: lanes get the low one             isamap_smt.mapping.digits
    Bounded     an axis that runs within its guard: lanes read nothing outside          isamap_smt.mapping.bounded
    Joined      two axes that lie together as one: lanes get neighbours                 isamap_smt.mapping.joined
    Moved       signed bytes moved by a number, and what that adds taken off            isamap_smt.mapping.shift
    Multiplied  differences multiplied out: what does not vary is taken out of the sum  isamap_smt.mapping.multiplied
    Staged      what a guarded reduction takes, as elements: masks reach it             isamap_smt.mapping.staged_values
    Numbered    values of axes as elements: lanes get them                              isamap_smt.mapping.numbered

Nothing rests on them but which claims are asked: what the statements are is said by roles (isamap_smt.ir.rewrite).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.scalar import SAdd, SMax, SMin

REGROUPED: dict[str, type[Any]] = {"+": SAdd, "max": SMax, "min": SMin}  # operators of statements that are taken apart


@dataclass(frozen=True)
class _Of:
    """Of one statement. axis: or tensor, that it speaks of. parts: in which it goes, or by how much."""

    statement: int
    axis: str = ""
    parts: int = 1

    @property
    def restated(self) -> tuple[int, ...]:
        """Statements of the whole in whose places others stand."""
        return (self.statement,)

    @property
    def replaced(self) -> tuple[str, ...]:
        """Axes of the statement in whose places others stand."""
        return ()


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

    def key(self, whole: Kernel) -> str:
        """How it was made, as a part of a certificate's id."""
        extent = whole.statements[self.statement].axis(self.axis).extent
        inner, masked = f"-{self.inner}" * (self.inner > 1), "-masked" * self.masked
        return f"{'cut' if self.blocks else 'split'}-{self.axis}-{extent}-{self.parts}{inner}{masked}"

    def words(self, whole: Kernel, temporaries: tuple[str, ...]) -> str:
        """What was done, and to what."""
        several = {"max": ("maximum", "maxima"), "min": ("minimum", "minima")}
        one, parts = several.get(whole.statements[self.statement].op, ("sum", "sums"))
        return f"the {one} over {self.axis} in {self.parts} partial {parts}"


@dataclass(frozen=True)
class Digits(_OfAxis):
    """The axis as two digits, the low one of `parts` points."""

    way: ClassVar[str] = "axes in digits"

    def key(self, whole: Kernel) -> str:
        """How it was made, as a part of a certificate's id."""
        return f"digits-{self.axis}-{whole.statements[self.statement].axis(self.axis).extent}-{self.parts}"

    def words(self, whole: Kernel, temporaries: tuple[str, ...]) -> str:
        """What was done, and to what."""
        return f"{self.axis} in digits, the low one of {self.parts}"


@dataclass(frozen=True)
class Bounded(_OfAxis):
    """The axis within what the guard says of it."""

    way: ClassVar[str] = "axes within their guards"

    def key(self, whole: Kernel) -> str:
        """How it was made, as a part of a certificate's id."""
        extent = whole.statements[self.statement].axis(self.axis).extent
        return f"bounded-{self.axis}-{extent}-{self.statement + 1}"

    def words(self, whole: Kernel, temporaries: tuple[str, ...]) -> str:
        """What was done, and to what."""
        return f"{self.axis} of statement {self.statement + 1} within its guard"


@dataclass(frozen=True)
class Joined(_OfAxis):
    """The axis and the `other` one, which follows it, as one."""

    other: str = ""
    way: ClassVar[str] = "axes that lie together as one"

    @property
    def replaced(self) -> tuple[str, ...]:
        """Both."""
        return (self.axis, self.other)

    def key(self, whole: Kernel) -> str:
        """How it was made, as a part of a certificate's id."""
        return f"joined-{self.axis}-{self.other}-{self.statement + 1}"

    def words(self, whole: Kernel, temporaries: tuple[str, ...]) -> str:
        """What was done, and to what."""
        return f"{self.axis} and {self.other} as one axis"


@dataclass(frozen=True)
class Moved(_Of):
    """The operand `axis` moved by the number `parts`."""

    way: ClassVar[str] = "an operand moved"

    def key(self, whole: Kernel) -> str:
        """How it was made, as a part of a certificate's id."""
        return f"moved-{self.axis}-{self.parts}"

    def words(self, whole: Kernel, temporaries: tuple[str, ...]) -> str:
        """What was done, and to what."""
        return f"{self.axis} moved by {self.parts}"


@dataclass(frozen=True)
class Multiplied(_Of):
    """A product of differences, summed over `axis` and others, multiplied out."""

    way: ClassVar[str] = "differences multiplied out"

    def key(self, whole: Kernel) -> str:
        """How it was made, as a part of a certificate's id."""
        return f"multiplied-{self.statement + 1}"

    def words(self, whole: Kernel, temporaries: tuple[str, ...]) -> str:
        """What was done, and to what."""
        return f"the differences of statement {self.statement + 1} multiplied out"


@dataclass(frozen=True)
class Staged(_Of):
    """What a reduction takes in a temporary."""

    parts: int = 0
    way: ClassVar[str] = "values in a tensor of their own"

    def key(self, whole: Kernel) -> str:
        """How it was made, as a part of a certificate's id."""
        return f"staged-{self.statement + 1}"

    def words(self, whole: Kernel, temporaries: tuple[str, ...]) -> str:
        """What was done, and to what."""
        return f"what statement {self.statement + 1} reduces in {', '.join(temporaries)}"


@dataclass(frozen=True)
class Numbered:
    """Values of axes that these statements compute with."""

    statements: tuple[int, ...]
    axis: ClassVar[str] = ""
    replaced: ClassVar[tuple[str, ...]] = ()
    way: ClassVar[str] = "values of axes as elements"

    @property
    def restated(self) -> tuple[int, ...]:
        """Statements of the whole in whose places others stand."""
        return self.statements

    def key(self, whole: Kernel) -> str:
        """How it was made, as a part of a certificate's id."""
        return f"numbered-{'-'.join(str(n + 1) for n in self.statements)}"

    def words(self, whole: Kernel, temporaries: tuple[str, ...]) -> str:
        """What was done, and to what."""
        return f"values of axes as elements of {', '.join(temporaries)}"


Row = Sums | Digits | Bounded | Joined | Moved | Multiplied | Staged | Numbered

__all__ = ["REGROUPED", "Bounded", "Digits", "Joined", "Moved", "Multiplied", "Numbered", "Row", "Staged", "Sums"]
