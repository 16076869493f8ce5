"""Statements without an instruction are computed element by element, in portable C.

Each has loops of its own, proved like any other program. A note says which statements, and why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from isamap_smt.codegen import lower, lower_points
from isamap_smt.ir.errors import IsamapError, NotProvedError, ScheduleError, UndecidedError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.notes import ByElement, Note, NotUsed
from isamap_smt.ir.program import Program, ProvedProgram
from isamap_smt.ir.schedule import Schedule
from isamap_smt.language.printer import statement_text
from isamap_smt.proof import require_proof

ELEMENTWISE = "element by element, in portable C"

_REFUTED = (
    "the program that isamap made with instructions is refuted by its proof, and not used; what is computed instead is proved, "
    "only slower. This is a fault of isamap: please report it with this note, the kernel, the machine, the sizes and what "
    "`isamap --version` prints. Its proof: "
)

Schedules = tuple[Schedule, ...]
Timed = Callable[[str, Callable[[], Any]], Any]


def computed(kernel: Kernel, hardware: Hardware, statement: int | None, why: str = "") -> ByElement:
    """The note on a statement, or the whole kernel, computed element by element."""
    of = kernel.name if statement is None or len(kernel.statements) == 1 else _called(kernel, statement)
    text = f"{of} is computed {elementwise(hardware)}" + (f": {_in_one_line(why)}" if why else "")
    return ByElement(text, statement, isinstance(why, Note) and why.refuted)


def _called(kernel: Kernel, n: int) -> str:
    """The statement by its number; by its text in a rewritten kernel, as nobody counted statements there."""
    if all(s.source for s in kernel.statements):
        return f"statement {n + 1} of {kernel.name}"
    s = kernel.statements[n]
    return f"`{' '.join(s.source.split()) or statement_text(s)}` of {kernel.name}"


def elementwise(hardware: Hardware) -> str:
    """How statements without an instruction are computed, in words."""
    return f"element by element, by no instruction of {hardware.name}" if hardware.simulated else ELEMENTWISE


def left_alone(kernel: Kernel, hardware: Hardware, schedules: Schedules, told: Iterable[str]) -> tuple[str, ...]:
    """Notes that statements are computed element by element: those without a schedule or such a note.

    Empty unless the machine is simulated and some statement has a schedule.
    """
    if not (hardware.simulated and schedules):
        return ()
    done = {s.proved.mapping.statement_index for s in schedules} | {
        n.statement for n in told if isinstance(n, ByElement)
    }
    return tuple(computed(kernel, hardware, n) for n in range(len(kernel.statements)) if n not in done)


def require_portable(hardware: Hardware, why: str) -> None:
    """Raise ScheduleError if the machine has no C and is not simulated."""
    if not (hardware.has_c or hardware.simulated):
        raise ScheduleError(
            f"{why}\n{hardware.name} is for mapping and proof only, so nothing is computed in portable C either; use `host`"
        )


MOST_UNPROVED = 2  # mappings whose programs are not proved before instructions are given up


class Banned(Exception):
    """Carries mappings whose schedules cannot be lowered or proved by themselves, with the reason: no plan is made of them."""

    def __init__(self, found: tuple[tuple[Mapping, str], ...]) -> None:
        self.found = found


class Refused(Exception):
    """No program is made of some schedules: `error` says why, `told` in short.

    why: the reason for each schedule by itself; None if it is proved.
    """

    def __init__(self, error: IsamapError, told: NotUsed, why: dict[Schedule, NotUsed | None]) -> None:
        self.error, self.told, self.why = error, told, why


@lru_cache(maxsize=16)  # blocks are lowered once to see whether they can be, and once more for their plan
def lowered(*schedules: Schedule) -> Program:
    """lower(), of the last few schedules once. Raises ScheduleError."""
    return lower(*schedules)


@dataclass(frozen=True)
class Ways:
    """Ways to make a program of one kernel. fall_back: whether instructions may be given up.

    banned: mappings known not to be lowered or proved, with the reason.
    """

    kernel: Kernel
    hardware: Hardware
    sizes: dict[str, int]
    parallel: bool
    fall_back: bool
    banned: tuple[tuple[Mapping, str], ...] = ()

    def first_proved(self, offered: Iterable[Schedules], timed: Timed) -> tuple[ProvedProgram, tuple[str, ...]]:
        """The program of the first offered set of schedules with a proof; and notes on the sets given up.

        Raises Refused, or Banned if schedules of the last set cannot be lowered, or proved, by themselves.
        """
        problems: list[NotUsed] = []
        sets = tuple(offered)
        for chosen in sets:
            try:
                return self._proved(chosen, timed), tuple(problems)
            except UndecidedError:
                raise
            except (ScheduleError, NotProvedError) as error:
                if isinstance(error, ScheduleError) and (found := self._refused(sets[-1])):
                    raise Banned(found) from None
                problems.append(_short(error))
                if not self.fall_back:
                    raise Refused(error, problems[-1], {}) from None
                last = error
        why = {s: problems[-1] if len(sets[-1]) == 1 else self._why_not((s,), timed) for s in sets[-1]}
        if found := self._unproved(why):
            raise Banned(found)
        raise Refused(last, problems[-1], why)

    def in_parts(self, refused: Refused, timed: Timed) -> tuple[ProvedProgram, tuple[str, ...]]:
        """The program of the schedules proved one by one, else of none; and notes on the rest.

        Raises ScheduleError if no portable program can be made for the machine.
        """
        require_portable(self.hardware, refused.told)
        alone = tuple(s for s, why in refused.why.items() if why is None)
        if alone and self._why_not(alone, timed) is None:
            left = [s for s in refused.why if s not in alone]
            notes = [computed(self.kernel, self.hardware, s.proved.mapping.statement_index, refused.told) for s in left]
            return self._proved(alone, timed), tuple(notes)
        return self._proved((), timed), (computed(self.kernel, self.hardware, None, refused.told),)

    def _proved(self, schedules: Schedules, timed: Timed) -> ProvedProgram:
        points = self.kernel.with_sizes(self.sizes), self.parallel
        program = timed("lower", lambda: lowered(*schedules) if schedules else _points(*points))
        proved: ProvedProgram = timed(
            "prove program", lambda: require_proof(program) if schedules else _proved_points(*points)
        )
        return proved

    def _refused(self, schedules: Schedules) -> tuple[tuple[Mapping, str], ...]:
        """The mappings that cannot be lowered by themselves, and are not banned yet."""
        found = []
        for s in schedules:
            try:
                lowered(s)
            except UndecidedError:
                raise
            except ScheduleError as error:
                found.append((s.proved.mapping, str(error)))
        return self._new(found)

    def _unproved(self, why: dict[Schedule, NotUsed | None]) -> tuple[tuple[Mapping, str], ...]:
        """Mappings whose program is neither proved nor refuted, unless banned already; none once MOST_UNPROVED are."""
        if sum(isinstance(w, NotUsed) for _, w in self.banned) >= MOST_UNPROVED:
            return ()
        return self._new((s.proved.mapping, w) for s, w in why.items() if w is not None and w.open)

    def _new(self, found: Iterable[tuple[Mapping, str]]) -> tuple[tuple[Mapping, str], ...]:
        """Those not banned yet."""
        known = {m for m, _ in self.banned}
        return tuple(f for f in found if f[0] not in known)

    def _why_not(self, schedules: Schedules, timed: Timed) -> NotUsed | None:
        try:
            self._proved(schedules, timed)
        except (ScheduleError, NotProvedError) as error:
            return _short(error)
        return None


@lru_cache(maxsize=64)  # the same on every machine
def _points(kernel: Kernel, parallel: bool) -> Program:
    return lower_points(kernel, parallel)


@lru_cache(maxsize=64)
def _proved_points(kernel: Kernel, parallel: bool) -> ProvedProgram:
    return require_proof(_points(kernel, parallel))


def _short(error: Exception) -> NotUsed:
    """The reason for refusing a program. If nothing shows it wrong, this is the first open claim.

    If its proof refutes it, the text tells the user to report the fault.
    """
    if isinstance(error, NotProvedError) and error.refuted:
        return NotUsed(f"{_REFUTED}{_in_one_line(chr(10).join(error.unproved))}", refuted=True)
    if isinstance(error, NotProvedError) and error.unproved:
        return NotUsed(f"with instructions the program is not proved ({error.unproved[0].splitlines()[0]})", open=True)
    return NotUsed(str(error))


def _in_one_line(text: str) -> str:
    """The first two lines, usually the problem and its first reason; and the number of further lines."""
    first, *more = [line.strip() for line in text.splitlines() if line.strip()]
    others = f" (and {len(more) - 1} more)" if len(more) > 1 else ""
    return " ".join([first, *more[:1]]) + others
