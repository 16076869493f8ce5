"""A program's instructions are checked before it is compiled: those not shipped with this project, each once.

Right ones are remembered, by a digest of the description, of the moves run with it, of the compiler, this CPU and
the check itself. Nothing else is: if one could not be run this is said each time, and a wrong one is run again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from isamap_smt.ir.errors import DescriptionError, IsamapError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Cost, Instruction, SelectedInstruction
from isamap_smt.ir.machine_parameters import instruction_at
from isamap_smt.ir.program import Program
from isamap_smt.language.hardware_library import host_features, missing_features
from isamap_smt.mapping.point import point_instruction
from isamap_smt.mapping.selection import SELECTED, cover_digest
from isamap_smt.records.record import Kind
from isamap_smt.records.store import Cache
from isamap_smt.runtime.cache import digest_of, sources_digest
from isamap_smt.runtime.compiler import find_compiler
from isamap_smt.runtime.conformance.check import check_instructions
from isamap_smt.runtime.conformance.outcome import RIGHT, WRONG, Checked
from isamap_smt.runtime.conformance.place import Place
from isamap_smt.runtime.packing import used_instructions

KIND = Kind("checked instruction", 1, most=20_000)
FILE = "checked.sqlite"
RESULTS = 10_000  # accumulators of each instruction: about a second for a program's few


def require_checked(program: Program, cc: str | None = None, place: Place | None = None) -> tuple[str, ...]:
    """Notes for the user on instructions of the program that could not be checked here, or in that place, with the reason.

    Raises DescriptionError with a counterexample if one differs from its description, and BuildError.
    """
    asked = _Asked.of(program, cc, place)
    told, machine = list(asked.told), asked.machine
    wrong: list[str] = []
    refused, only_covers = list[str](), True
    for i, found in asked.answers(cc):
        if found.status == WRONG:
            assert machine is not None  # its instruction was run
            wrong.append(str(found))
            steps = _wrong_steps(i, machine, cc, asked.place)
            wrong += map(str, steps)
            refused += [x.name for x in steps] or [cover_digest(i.emit)]
            only_covers &= _is_cover(i)
        elif not asked.is_right(found):
            told.append(f"{found.name} was not checked: {found.reason or 'it was emulated'}")
    if wrong:
        assert machine is not None
        advice = f"nothing is compiled with it; `isamap check-hardware` checks all of {machine.name}"
        raise DescriptionError("\n".join(wrong), advice, tuple(dict.fromkeys(refused)) if only_covers else ())
    return tuple(told)


def check_together(programs: Iterable[Program], cc: str | None = None) -> None:
    """Run the checks of require_checked() for these programs, compiled at once for each machine.

    Right instructions are remembered; require_checked() tells of the rest. Raises BuildError.
    """
    asked = [_Asked.of(p, cc, None) for p in programs]
    machines = dict.fromkeys(a.machine for a in asked if a.here)
    for machine in machines:
        here = {k: i for a in asked if a.machine == machine for k, i in a.here.items()}
        tuple(_Asked(machine, None, (), here).answers(cc))


@dataclass(frozen=True)
class _Asked:
    """The open questions about a program's instructions. told: notes on those without an answer; here: those to run, by digest."""

    machine: Hardware | None
    place: Place | None
    told: tuple[str, ...]
    here: Mapping[str, Instruction]

    @staticmethod
    def of(program: Program, cc: str | None, place: Place | None) -> _Asked:
        unknown = [i for i in used_instructions(program) if i.kind != "configure" and not is_tested(i)]
        machine = program.schedules[0].hardware if program.schedules else None
        if not unknown or machine is None:
            told = (f"{i.name} was not checked: the program does not say of which machine it is" for i in unknown)
            return _Asked(machine, place, tuple(told), {})
        unknown = [instruction_at(i, dict(machine.values)) for i in unknown]
        place = None if place is None else place.of(machine)
        told_of: list[str] = []
        here: dict[str, Instruction] = {}
        for i in unknown:
            if place is None and (lacking := missing_features([i])):
                told_of.append(f"{i.name} was not checked: this CPU has no {', '.join(lacking)}")
            else:
                here[digest(i, machine, cc, place)] = i
        with Cache(KIND, FILE) as known:
            here = {key: i for key, i in here.items() if known.get(key) is None}
        return _Asked(machine, place, tuple(told_of), here)

    def answers(self, cc: str | None) -> Iterator[tuple[Instruction, Checked]]:
        """Each instruction run, and its outcome; right ones are remembered."""
        if self.machine is None or not self.here:
            return
        asked = tuple(self.here.values())
        checked = check_instructions(asked, self.machine, results=RESULTS, cc=cc, place=self.place)
        for (key, i), found in zip(self.here.items(), checked, strict=True):
            if self.is_right(found):
                with Cache(KIND, FILE) as known:
                    known.put({key: {"instruction": found.name, "results": found.results}})
            yield i, found

    def is_right(self, found: Checked) -> bool:
        """Whether it was run there, and agreed with its description."""
        return found.status == RIGHT and (self.place is not None or not found.emulated)


def _is_cover(i: Instruction) -> bool:
    return isinstance(i, SelectedInstruction) and i.short == SELECTED


def _wrong_steps(i: Instruction, machine: Hardware, cc: str | None, place: Place | None) -> list[Checked]:
    """The instructions in a cover that are wrong by themselves."""
    names = i.steps_taken if isinstance(i, SelectedInstruction) else ()
    steps = [x for x in machine.instructions if x.short in names]
    return [c for c in check_instructions(steps, machine, results=RESULTS, cc=cc, place=place) if c.status == WRONG]


def is_tested(i: Instruction) -> bool:
    """Whether this project's own tests run it: it is shipped, just so, or the scalar C of a kernel's own expression.

    Its cost plays no part.
    """
    return _is_shipped(i) or _is_point(i)


def _is_shipped(i: Instruction) -> bool:
    import isamap_hardware

    machine, _, short = i.name.partition(".")
    if machine not in isamap_hardware.names():
        return False
    same = [s for s in isamap_hardware.load(machine).instructions if s.short == short]
    return any(replace(s, cost=Cost()) == replace(i, cost=Cost()) for s in same)


def _is_point(i: Instruction) -> bool:
    try:
        own = point_instruction(i.kernel)
    except (IsamapError, ValueError, KeyError, IndexError):
        return False
    return (own.emit, own.prelude, own.c_types, own.headers, i.exact, i.kind, i.rounding) == (
        i.emit, i.prelude, i.c_types, i.headers, None, "compute", own.rounding,
    )  # fmt: skip


def digest(i: Instruction, machine: Hardware, cc: str | None, place: Place | None = None) -> str:
    """Digest of everything the answer depends on; place: where it is run, if not on this CPU.

    Registers with numbers are run with the machine's own moves.
    """
    with_it = machine.moves if i.numbered else ()
    with_it += tuple(x for x in machine.instructions if (i.cells_needed or i.numbers_needed) and x.kind == "configure")
    compiler = find_compiler(cc)
    parts = [repr(replace(x, cost=Cost())) for x in (i, *with_it)]
    where = _cpu() if place is None else place.emulator([i])
    parts += [*compiler.command, compiler.version, *compiler.flags(i.requires), where, _check()]
    return digest_of(parts)


@cache
def _cpu() -> str:
    from isamap_hardware.host import cpu_name

    return " ".join([cpu_name(), *sorted(host_features())])


@cache
def _check() -> str:
    """Digest of the check itself: a better one asks again."""
    return sources_digest(Path(__file__).parent)
