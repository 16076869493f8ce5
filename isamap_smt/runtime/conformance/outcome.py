"""The outcome of checking a machine's instructions, and the words for it.

A wrong result is told with its operands, the contract's value, and the instruction's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.move_form import register_operand
from isamap_smt.ir.notebook import Shown, Table
from isamap_smt.runtime.conformance.arena import Arena

RIGHT, WRONG, NOT_RUN = "right", "wrong", "not run"


@dataclass(frozen=True)
class Checked:
    """One instruction. status: RIGHT, WRONG or NOT_RUN; reason: the counterexample, or why it was not run.

    results: the number of cells compared. how: the meaning of 'equal'. emulated: by what, so no CPU is tested; '' for this CPU.
    lacking: its features missing on this CPU.
    """

    name: str
    status: str
    reason: str = ""
    results: int = 0
    how: str = ""
    emulated: str = ""
    lacking: tuple[str, ...] = ()

    def __str__(self) -> str:
        match self.status:
            case "right":
                by = f", emulated by {self.emulated}" if self.emulated else ""
                return f"{self.name}: does what its description says: {self.results:,} results, {self.how}{by}"
            case "wrong":
                return f"{self.name} does not do what its description says\n{_indented(self.reason)}"
        return f"{self.name}: not run: {self.reason}"


@dataclass(frozen=True)
class HardwareCheck(Shown):
    """All instructions of one machine. verdict: 'right', 'wrong' if one is wrong, else 'unknown' if one was not run."""

    machine: str
    checked: tuple[Checked, ...]
    seed: int = 0

    @property
    def verdict(self) -> str:
        """In one word."""
        found = {c.status for c in self.checked}
        return WRONG if WRONG in found else "unknown" if NOT_RUN in found else RIGHT

    def of(self, status: str) -> tuple[Checked, ...]:
        """Those with this status."""
        return tuple(c for c in self.checked if c.status == status)

    def __str__(self) -> str:
        lines = [str(c) for c in (*self.of(WRONG), *self.of(NOT_RUN))]
        good, emulated = len(self.of(RIGHT)), [c.emulated for c in self.of(RIGHT) if c.emulated]
        by = ", ".join(dict.fromkeys(emulated))
        by = f" ({len(emulated)} of them emulated by {by}, which tests the description and no CPU)" if by else ""
        words = {RIGHT: "right", WRONG: "wrong", "unknown": "not known to be right"}[self.verdict]
        lines.append(
            f"{self.machine} is {words}: {good} of {len(self.checked)} instructions do what their descriptions say{by}"
        )
        return "\n".join(lines)

    def tables(self) -> tuple[Table, ...]:
        """One row for each instruction."""
        rows = tuple((c.name, c.status, f"{c.results:,}", c.how, c.reason.split("\n", 1)[0]) for c in self.checked)
        return (Table("Instructions", ("name", "status", "results", "compared", "reason"), rows),)


@dataclass(frozen=True)
class Step:
    """Calls to run at the same time, and the check of their results.

    calls: (function, places before, places after, numbers, count, period, bytes of the results).
    verify: the fault, or ''. where: the circumstances, told if the instruction did not survive them.
    """

    calls: tuple[tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...], int, int, int], ...]
    verify: Callable[[Arena], str]
    where: str
    results: int


class NotRunnableError(Exception):
    """Why an instruction cannot be run here."""


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


def document(found: HardwareCheck) -> dict[str, Any]:
    """The JSON of `isamap check-hardware`."""
    return {
        "hardware": found.machine,
        "verdict": found.verdict,
        "seed": found.seed,
        "instructions": [
            {
                "name": c.name, "status": c.status, "reason": c.reason, "results": c.results, "compared": c.how,
                "emulated": bool(c.emulated), "emulator": c.emulated or None,
            }
            for c in found.checked
        ],
    }  # fmt: skip


_SHOWN = 8  # operand cells of one result


def example(
    i: Instruction,
    arrays: dict[str, np.ndarray],
    got: np.ndarray,
    wanted: np.ndarray,
    right: np.ndarray,
    verb: str = "gave",
) -> str:
    """The first wrong accumulator, with its operands; arrays have a leading dimension of executions."""
    wrong = np.argwhere(~right)
    x, *cell = (int(n) for n in wrong[0])
    kernel = i.exact or i.kernel
    target = kernel.outputs[0]
    lines = [
        f"{len(wrong):,} of {right.size:,} results are wrong, such as this one:",
        f"{'really computes' if i.exact else 'contract'}: {kernel.text.strip()}",
    ]
    told = [f"{n} = {shown(arrays[t][(x, *at)])}" for n, t, at in _cells(kernel, tuple(cell)) if t in arrays]
    more = f", and {len(told) - _SHOWN} more" if len(told) > _SHOWN else ""
    lines.append(f"operands: {', '.join(told[:_SHOWN])}{more}")
    here = named(target, tuple(cell))
    lines.append(f"the description gives {here} = {shown(wanted[(x, *cell)])}")
    lines.append(f"the instruction {verb} {here} = {shown(got[(x, *cell)])}")
    return "\n".join(lines)


def overwritten(name: str, before: np.ndarray, after: np.ndarray, same: np.ndarray) -> str:
    """The input changed by the instruction, in words."""
    at = first_place(~same)
    cell = named(name, at[1:])
    return (
        f"it overwrites its input {name}, which its description only reads\n"
        f"{cell} was {shown(before[at])} before, and is {shown(after[at])} after"
    )


def cells_differ(
    move: Instruction, wanted: np.ndarray, got: np.ndarray, where: str = "", live: np.ndarray | None = None
) -> str:
    """How the cells of a move's register differ from the contract's; '' if they do not.

    where: how they were seen. live: the active ones; the others become as the contract says.
    """
    same = np.array(raw(wanted).reshape(-1) == raw(got).reshape(-1)).reshape(*wanted.shape, -1).all(axis=-1)
    if same.all():
        return ""
    at = first_place(~same)
    active = "" if live is None or live[at] else ", a lane that is not active"
    return (
        f"{(~same).sum()} of {same.size} cells are wrong, such as {named(register_operand(move), at)}{active}{where}\n"
        f"contract: {move.kernel.text.strip()}\n"
        f"the description gives {shown(wanted[at])}, the instruction left {shown(got[at])}"
    )


def raw(array: np.ndarray) -> np.ndarray:
    """The bytes: NaN equals itself in these."""
    return np.ascontiguousarray(array).view(np.uint8)


def first_place(where: Any) -> tuple[int, ...]:
    """The index of the first true element."""
    return tuple(int(n) for n in np.argwhere(where)[0])


def named(tensor: str, at: tuple[int, ...]) -> str:
    """An element as kernel text writes it.

    >>> named("a", (0, 3)), named("b", ())
    ('a[0,3]', 'b[]')
    """
    return f"{tensor}[{','.join(map(str, at))}]"


def shown(value: Any) -> str:
    """A number with all its digits."""
    number = value.item() if hasattr(value, "item") else value
    if isinstance(number, int):
        return str(number)
    return f"{float(value):.9g}" if np.asarray(value).dtype != np.float64 else repr(float(value))


def _cells(kernel: Kernel, cell: tuple[int, ...]) -> list[tuple[str, str, tuple[int, ...]]]:
    """(name, tensor, index) of each cell read by the contract for this one of its output, the old value of the output last."""
    s = kernel.statements[0]
    known = {str(e): n for e, n in zip(s.target.index, cell, strict=True) if e.is_Symbol}
    free = [(a.name, int(a.extent)) for a in s.axes if a.name not in known]
    found: dict[str, tuple[str, tuple[int, ...]]] = {}
    for values in product(*(range(n) for _, n in free)):
        env = {**known, **{name: v for (name, _), v in zip(free, values, strict=True)}}
        if any(not evaluate(g, env) for g in s.guard):
            continue
        for access in s.inputs:
            try:
                at = tuple(int(evaluate(e, env)) for e in access.index)
            except (KeyError, TypeError):  # an axis of a sum inside the value
                continue
            found.setdefault(named(access.tensor, at), (access.tensor, at))
    if s.op != "=":
        found.setdefault(named(s.target.tensor, cell), (s.target.tensor, cell))
    return [(name, tensor, at) for name, (tensor, at) in found.items()]
