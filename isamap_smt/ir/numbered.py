"""A kernel whose statements read the values of axes as elements of temporaries, so that instructions get them in lanes.

Y[i,j] = X[i,j] / j                 j_f32[j] = f32(j)
                                    Y[i,j] = X[i,j] / j_f32[j]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from isamap_smt.ir.kernel import Kernel

if TYPE_CHECKING:
    from isamap_smt.ir.split import Apart


@dataclass(frozen=True)
class Numbered:
    """What is claimed to be equal: `whole`, and `kernel`, which begins with `tables` statements more, one for each temporary that
    it has more. statements: those of the whole that read them, by number.
    """

    whole: Kernel
    kernel: Kernel
    tables: int
    statements: tuple[int, ...]

    @property
    def temporaries(self) -> tuple[str, ...]:
        """What the kernel has and the whole has not."""
        return tuple(s.target.tensor for s in self.kernel.statements[: self.tables])

    # ---- as a link of what a kernel comes from (isamap_smt.ir.split)
    @property
    def key(self) -> str:
        """How it was made, as a part of a certificate's id."""
        return f"numbered-{'-'.join(str(n + 1) for n in self.statements)}"

    @property
    def way(self) -> str:
        """What was done, in words."""
        return "values of axes as elements"

    @property
    def reductions(self) -> tuple[int, ...]:
        """No sum is added up in another order."""
        return ()

    @property
    def before(self) -> None:
        """Nothing: it is made of the kernel as it was written."""
        return None

    @property
    def digits(self) -> bool:
        """Whether an axis alone is taken apart, and no sum."""
        return False

    @property
    def low_digits(self) -> dict[str, str]:
        """None of its axes is a digit that a mapping chose."""
        return {}

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """No two of its axes are digits that mappings may join."""
        return ()

    @property
    def origin(self) -> Kernel:
        """The kernel before it was rewritten."""
        return self.whole

    @property
    def chain(self) -> tuple[Apart, ...]:
        """Itself."""
        return (self,)

    def __str__(self) -> str:
        return f"values of axes as elements of {', '.join(self.temporaries)}"


__all__ = ["Numbered"]
