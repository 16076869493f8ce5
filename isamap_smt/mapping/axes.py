"""The kernel axes of each instruction axis, as the user writes them: `i=n.p,j=k,k=c.r.s`."""

from __future__ import annotations

from collections.abc import Mapping as Dict
from collections.abc import Sequence
from typing import Any

from isamap_smt.ir.errors import IsamapError, UnknownNameError, WrongKindError, did_you_mean
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel

Groups = tuple[tuple[str, tuple[str, ...]], ...]


class AxesError(IsamapError):
    """Axes that state no mapping: an axis used twice or left empty, or text of another form."""


def axes_table(axes: Any) -> Dict[str, Sequence[str]]:
    """Instruction axis -> kernel axes, of text or of such a table. Raises WrongKindError for anything else."""
    if isinstance(axes, str):
        return parse_axes(axes)
    groups = axes.values() if isinstance(axes, Dict) else [None]
    names = [n for g in groups for n in ([None] if isinstance(g, str) or not isinstance(g, Sequence) else g)]
    if not all(isinstance(n, str) for n in names):
        raise WrongKindError(f"axes={axes!r}: pass text such as 'i=n.p,j=k', or {{'i': ['n', 'p'], 'j': ['k']}}")
    table: Dict[str, Sequence[str]] = axes
    return table


def parse_axes(text: str) -> dict[str, tuple[str, ...]]:
    """Instruction axis -> kernel axes, as written; `-` or nothing after `=` leaves the instruction axis empty.

    >>> parse_axes("i=n.p, j=k, k=-")
    {'i': ('n', 'p'), 'j': ('k',), 'k': ()}
    """
    axes: dict[str, tuple[str, ...]] = {}
    for part in (p.strip() for p in text.split(",")):
        name, equals, fused = (p.strip() for p in part.partition("="))
        if not equals or not name:
            raise AxesError(f"axes {text!r}: {part!r} is not of the form instruction-axis=kernel-axis.kernel-axis")
        if name in axes:
            raise AxesError(f"axes {text!r}: instruction axis {name!r} is given twice")
        names = () if fused in ("", "-") else tuple(a.strip() for a in fused.split("."))
        if "" in names:
            raise AxesError(f"axes {text!r}: an axis name is missing in {part!r}")
        axes[name] = names
    return axes


def groups_of(
    kernel: Kernel,
    instruction: Instruction,
    axes: Dict[str, Sequence[str]],
    statement: int = 0,
    partial: bool = False,
) -> Groups:
    """The groups in the instruction's axis order, checked: known axes, none used twice; fused as written.

    Raises UnknownNameError for a name nobody has, AxesError for the rest. With `partial`, instruction axes may be empty.
    """
    own = [a.name for a in kernel.statements[statement].axes]
    for name in axes:
        if name not in instruction.axes:
            hint = did_you_mean(name, instruction.axes)
            raise UnknownNameError(f"{instruction.name} has no axis {name!r}; {hint}")
    taken: dict[str, str] = {}
    for name, fused in axes.items():
        for a in fused:
            if a not in own:
                raise UnknownNameError(f"{kernel.name} has no axis {a!r}; {did_you_mean(a, own)}")
            if a in taken:
                where = f"twice in {name}" if taken[a] == name else f"in {taken[a]} and in {name}"
                raise AxesError(f"kernel axis {a!r} is used {where}; an axis feeds at most one instruction axis")
            taken[a] = name
    groups = tuple((t, tuple(axes.get(t, ()))) for t in instruction.axes)
    empty = [t for t, g in groups if not g]
    if empty and not partial:
        raise AxesError(
            f"instruction axis {empty[0]!r} of {instruction.name} gets no kernel axis; "
            f"give it one, or pad it: --partial, or partial=True"
        )
    return groups
