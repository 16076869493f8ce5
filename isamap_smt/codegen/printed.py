"""C printed by print_c() from a proved program: kernels are compiled from nothing else."""

from __future__ import annotations

from typing import Any

from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.program import ProvedProgram
from isamap_smt.ir.proof import Seal


class PrintedC(str):
    """The text, with the proved program behind it. A copy with a letter changed is plain text."""

    checked: ProvedProgram

    def __new__(cls, text: str, checked: ProvedProgram, seal: Any = None) -> PrintedC:
        """For print_c() only. Raises NotProvedError for a text from elsewhere."""
        if not isinstance(seal, Seal) or not seal.fits(text, checked):
            raise NotProvedError("a PrintedC is made by isamap_smt.codegen.print_c(); this one was not")
        made = super().__new__(cls, text)
        made.checked = checked
        return made

    def __reduce__(self) -> Any:
        """Stored and sent as plain text."""
        return str, (str(self),)


def require_printed(given: Any, what: str) -> PrintedC:
    """The same. Raises NotProvedError for anything else; `what` names the step that takes it."""
    if not isinstance(given, PrintedC):
        raise NotProvedError(
            f"{what} takes what print_c() returns for a proved program, not {type(given).__name__}; build(program) proves, "
            "prints and compiles"
        )
    return given
