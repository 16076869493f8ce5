"""Checking instructions: compile each as a program's C is compiled, run it in a process of its own, compare."""

from __future__ import annotations

import signal
import tempfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from isamap_smt.ir.arguments import function_or_none, whole_number
from isamap_smt.ir.errors import BuildError, UnknownNameError, WrongKindError, did_you_mean
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.move_form import register_operand
from isamap_smt.language.hardware_library import find_hardware
from isamap_smt.runtime.conformance import computes, moves, source
from isamap_smt.runtime.conformance.arena import Arena
from isamap_smt.runtime.conformance.moves import seen_by
from isamap_smt.runtime.conformance.outcome import NOT_RUN, RIGHT, WRONG, Checked, HardwareCheck, NotRunnableError, Step
from isamap_smt.runtime.conformance.place import SECONDS, Here, Place, Run
from isamap_smt.runtime.conformance.rounding import judged_by

RESULTS = 20_000  # accumulators of each instruction
Progress = Callable[[int, int, str], None]
_ANSWERS = 4096  # lists of calls, and calls, of one instruction at most


def check_hardware(
    machine: Hardware | str,
    *,
    only: Iterable[str] = (),
    results: int = RESULTS,
    seed: int = 0,
    cc: str | None = None,
    progress: Progress | None = None,
    place: Place | None = None,
) -> HardwareCheck:
    """Run every instruction of a machine, or `only` these, and compare with their descriptions.

    machine: a Hardware, a name, or 'file.py:name'. results: accumulators of each compute instruction, on random and edge
    operands drawn by seed. An instruction writing a state runs with all those needing it, and by itself only if named. cc: as for
    build(). place: where they are run, by default on this CPU; another is find_target(name).place(). An instruction that crashes
    does so in a process of its own. Raises UnknownNameError, WrongKindError, HardwareError, and BuildError without a C compiler.
    """
    found = find_hardware(machine)
    if not isinstance(only, Iterable):
        raise WrongKindError(f"only={only!r} is {type(only).__name__}: pass names of instructions")
    wanted = (only,) if isinstance(only, str) else tuple(only)
    results, seed = whole_number(results, "results", WrongKindError), whole_number(seed, "seed", WrongKindError, low=0)
    progress = function_or_none(progress, "progress", WrongKindError)
    known = [i.short for i in found.instructions]
    for name in wanted:
        if not any(name in (i.name, i.short) for i in found.instructions):
            raise UnknownNameError(f"{found.name} has no instruction {name!r}; {did_you_mean(name, known)}")
    chosen = [
        i for i in found.instructions if {i.name, i.short} & set(wanted) or (not wanted and i.kind != "configure")
    ]
    return HardwareCheck(
        found.name,
        check_instructions(chosen, found, results=results, seed=seed, cc=cc, progress=progress, place=place),
        seed,
    )


def check_instructions(
    chosen: Sequence[Instruction],
    machine: Hardware,
    *,
    results: int = RESULTS,
    seed: int = 0,
    cc: str | None = None,
    emulate: bool | None = None,
    progress: Progress | None = None,
    place: Place | None = None,
) -> tuple[Checked, ...]:
    """These instructions of the machine, in order. emulate: by SIMDe; None: those this CPU lacks, if SIMDe is installed."""
    where = (Here(cc, emulate) if place is None else place).of(machine)
    printed = [as_c(n, i, machine) for n, i in enumerate(chosen)]
    made = [m if isinstance(m, Checked) else _placed(m, where) for m in printed]
    built = compiled([m for m in made if isinstance(m, Made)], where)
    found = []
    with where.opened() as run:
        for n, (i, what) in enumerate(zip(chosen, made, strict=True)):
            if progress is not None:
                progress(n, len(chosen), i.name)
            found.append(what if isinstance(what, Checked) else _run(what, machine, built[n], results, seed, run))
    return tuple(found)


class Made:
    """An instruction as C: its number, its function, the instructions it is made of, and its emulator."""

    def __init__(self, number: int, instruction: Instruction, function: str, machine: Hardware) -> None:
        self.number, self.instruction, self.function, self.emulator = number, instruction, function, ""
        self.used = _with_moves(instruction, machine)


def _with_moves(i: Instruction, machine: Hardware) -> tuple[Instruction, ...]:
    """The instruction, and those to fill, show and configure its registers."""
    return tuple(dict.fromkeys((*_brought(i, machine), *_configuring(i, machine))))


def _configuring(i: Instruction, machine: Hardware) -> tuple[Instruction, ...]:
    """The instructions to write and clear the states it needs, and to ask for its numbers."""
    memories = dict.fromkeys(need.memory for need in i.cells_needed)
    asked = tuple(source.asking(i, held, machine) for held in i.numbers_needed)
    return (*(x for memory in memories for x in machine.configuring(memory)), *asked)


def _brought(i: Instruction, machine: Hardware) -> tuple[Instruction, ...]:
    if not i.numbered:
        return (i,)
    if i.kind == "compute":
        loads, store = computes.numbered_moves(i, machine)
        return (i, *loads.values(), store)
    seen = seen_by(i, machine)
    return tuple(x for x in (i, seen.before, seen.by, *seen.loads.values(), seen.after) if x is not None)


def as_c(number: int, i: Instruction, machine: Hardware) -> Made | Checked:
    """The instruction as C, or why it cannot be run."""
    if not i.emit:
        return Checked(i.name, NOT_RUN, "its description has no `emit`")
    if i.engine:
        return Checked(i.name, NOT_RUN, f"engine {i.engine} issues it: programs with it are compared where they run")
    if i.kind == "configure":
        return Checked(i.name, NOT_RUN, "it writes a state; instructions that need it are run in it")
    try:
        part = computes if i.kind == "compute" else moves
        return Made(number, i, part.function(i, machine, number), machine)
    except NotRunnableError as reason:
        return Checked(i.name, NOT_RUN, str(reason))


def _placed(made: Made, where: Place) -> Made | Checked:
    """The same, with how it is run decided."""
    if (lack := where.lacks(made.used)) is not None:
        return Checked(made.instruction.name, NOT_RUN, lack.why, lacking=lack.features)
    made.emulator = where.emulator(made.used)
    return made


def compiled(made: Sequence[Made], where: Place) -> dict[int, Path | str]:
    """The number of each -> its build; or the compiler's complaint, if it refuses this one alone."""
    found: dict[int, Path | str] = {}
    for emulator in dict.fromkeys(m.emulator for m in made):
        group = [m for m in made if m.emulator == emulator]
        try:
            built = _built(group, where)
            found.update((m.number, built) for m in group)
        except BuildError as error:
            if len(group) == 1:
                found[group[0].number] = str(error)
                continue
            for m in group:
                found |= compiled([m], where)
    return found


def _built(group: Sequence[Made], where: Place) -> Path:
    used = tuple(dict.fromkeys(i for m in group for i in m.used))
    requires = {feature for i in used for feature in i.requires}
    return where.build(source.source([m.function for m in group], used), requires, group[0].emulator)


def _run(made: Made, machine: Hardware, built: Path | str, results: int, seed: int, run: Run) -> Checked:
    i = made.instruction
    if isinstance(built, str):
        return Checked(
            i.name, WRONG,
            f"its C does not compile where it stands several times in a block, for a CPU with {', '.join(i.requires) or 'nothing'} "
            f"in `requires`\n{built}",
        )  # fmt: skip
    random = np.random.default_rng([seed, zlib.crc32(i.name.encode())])
    arena = Arena()
    answers = arena.room(8 * _ANSWERS)
    if i.kind == "compute":
        steps = computes.steps(i, machine, made.number, results, random, arena)
    else:
        steps = moves.steps(i, machine, made.number, random, arena)
    with tempfile.TemporaryDirectory(prefix="isamap-check-") as scratch:
        died = _execute(run, built, arena, answers, steps, Path(scratch))
        said = _told(i, machine, arena, answers, steps, died)
        if isinstance(said, Checked):
            return said
        compared = sum(s.results for s in steps)
        how = judged_by(i) if i.kind == "compute" else "bit for bit"
        return Checked(i.name, WRONG if said else RIGHT, said, compared, how, made.emulator)


def _execute(run: Run, built: Path, arena: Arena, answers: int, steps: Sequence[Step], scratch: Path) -> int:
    """Run the calls. Returns the end of the process: 0, or minus the signal that killed it."""
    done = run(built, arena, answers, steps, scratch)
    if int(arena.read(answers, 4).view(np.int32)[0]) == 0:
        raise BuildError(f"{built} cannot be run: {done.stderr.strip()[-500:] or done.returncode}")
    return min(done.returncode, 0)


def _told(
    i: Instruction, machine: Hardware, arena: Arena, answers: int, steps: Sequence[Step], died: int
) -> str | Checked:
    """The fault found, '' for none; or why it could not be run after all."""
    begun = int(arena.read(answers, 4).view(np.int32)[0])
    codes = arena.read(answers + 4, 4 * sum(len(s.calls) for s in steps)).view(np.int32)
    position = 0
    for n, step in enumerate(steps, 1):
        if n == begun:
            return f"{step.where}: {_death(-died) if died else 'it ends the process that it runs in'}"
        for code in (int(c) for c in codes[position : position + len(step.calls)]):
            if code == 2:
                return Checked(i.name, NOT_RUN, "the system refuses this process the registers that it uses")
            if code == 3:
                return (
                    f"{step.where}: it changes a register that held something else: inline assembly must name what it "
                    "changes among its outputs or clobbers"
                )
            if code >= 200:
                return Checked(
                    i.name, NOT_RUN, _size(i, code - 200, "larger than", "; name a C type of just that size")
                )
            if code >= 100:
                return _size(i, code - 100, "smaller than", "")
            if code == 1:
                return (
                    f"{step.where}: it leaves the CPU in another mode: rounding, flushing of denormals, exceptions, "
                    "x87 registers in use, or the direction flag; whatever runs after it computes something else"
                )
        position += len(step.calls)
        if said := step.verify(arena):
            return said
    return ""


def _size(i: Instruction, operand: int, how: str, hint: str) -> str:
    names = [t.name for t in i.kernel.tensors] if i.kind == "compute" else [register_operand(i)]
    t = i.kernel.tensor(names[operand])
    return (
        f"{dict(i.c_types)[t.name]}, the C type of operand {t.name}, is {how} its cells, {t.dtype}"
        f"[{','.join(map(str, t.shape))}] of {source.size(t)} bytes{hint}"
    )


_DEATHS = {
    signal.SIGSEGV: "it touches memory that is not its operand's, or asks for more alignment than its description does",
    signal.SIGBUS: "it touches memory that is not its operand's, or asks for more alignment than its description does",
    signal.SIGILL: "this CPU does not know the instruction, or `emit` gives up: is a feature missing in requires=?",
    signal.SIGFPE: "it divides by zero, or unmasks an exception",
    signal.SIGVTALRM: f"it had not ended after {SECONDS:g} seconds of processor time",
    signal.SIGALRM: f"it had not ended after {30 * SECONDS:g} seconds",
}


def _death(number: int) -> str:
    name = signal.Signals(number).name if number in list(signal.Signals) else str(number)
    return f"it was killed by {name}: {_DEATHS.get(signal.Signals(number), 'nothing more is known')}"
