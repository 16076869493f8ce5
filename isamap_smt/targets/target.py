"""A target: the texts and builds of a proved program, and the place to run them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points
from typing import Any, Protocol

from isamap_smt.ir.errors import BuildError, HardwareError, NotProvedError, UnknownNameError, did_you_mean
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kinds import require_kind
from isamap_smt.ir.program import Program, ProvedProgram
from isamap_smt.language.hardware_library import missing_features
from isamap_smt.language.loading import loading
from isamap_smt.pipeline.plan import Plan
from isamap_smt.runtime.compiler import find_compiler
from isamap_smt.runtime.conformance.place import Place
from isamap_smt.runtime.feature_flags import own_architecture, where_all_are

Sources = Mapping[str, str]


class PrintedProgram(str):
    """The text of a program, together with the proved program. by: its printer."""

    checked: ProvedProgram
    by: type[Any]

    @classmethod
    def of(cls, text: str, checked: ProvedProgram, by: type[Any]) -> PrintedProgram:
        """The text made by `by` from a proved program."""
        made = cls(text)
        made.checked, made.by = checked, by
        return made


def checked_of(proved: Plan | ProvedProgram) -> ProvedProgram:
    """The proved program of a plan, or itself. Raises NotProvedError for anything else."""
    checked = proved.checked if isinstance(proved, Plan) else proved
    if not isinstance(checked, ProvedProgram):
        raise NotProvedError(f"targets take a plan or a proved program, not {type(proved).__name__}")
    return checked


class Runnable(Protocol):
    """A program on a target, callable on NumPy arrays as CompiledKernel is. prepare(...) gives a call with run() and result."""

    program: Program
    constants: tuple[str, ...]
    notes: tuple[str, ...]

    def __call__(self, *inputs: Any, **options: Any) -> Any: ...
    def prepare(self, *inputs: Any, **options: Any) -> Any: ...


def compiler_missing(cc: str | None) -> str:
    """Why there is no C compiler for this CPU; '' if there is one."""
    try:
        find_compiler(cc)
    except BuildError as error:
        return str(error)
    return ""


class Target(ABC):
    """One place to run programs.

    name: as given to find_target(). example: one such name of this kind of target. timed: whether its times are a real
    machine's.
    """

    example: str
    name: str
    timed = True

    @classmethod
    def named(cls, name: str) -> Target | None:
        """The target of this name; None if it is none of these. By default a kind has one, called as its example."""
        return cls() if name == cls.example else None

    @abstractmethod
    def available(self, cc: str | None = None) -> str:
        """'' if programs can be built and run here; else what is missing, and how to install it. cc: as for build()."""

    @abstractmethod
    def takes(self, machine: Hardware) -> str:
        """'' if programs for the machine can run on this target; else why not."""

    @abstractmethod
    def executor(self, machine: Hardware | None = None) -> str:
        """The runner of the programs, with its version; for a machine, at its parameters' values. Only if available."""

    def beforehand(self, cc: str | None = None) -> str:
        """A long first step of a build for this target, in words; '' if there is none. Only if available."""
        return ""

    def place(self, cc: str | None = None) -> Place | None:
        """The runner of single instructions there, for check_hardware(); None if there is none. Only if available."""
        return None

    @abstractmethod
    def emit(self, proved: Plan | ProvedProgram) -> Sources:
        """The sources of a proved program: file name -> text. Raises NotProvedError."""

    @abstractmethod
    def build(self, sources: Sources, *, cc: str | None = None) -> Runnable:
        """The text of emit(), built and ready to be called. Raises BuildError and HardwareError."""


# ---- Targets by name: those of the library and of other packages, found by the entry-point group `isamap.targets`.


GROUP = "isamap.targets"


def target_names() -> tuple[str, ...]:
    """One name of each installed kind of target, sorted. Raises as find_target()."""
    return tuple(sorted(kind.example for kind in _kinds()))


def find_target(name: str | Target) -> Target:
    """The target of this name: 'c', or a triple such as 'aarch64-linux-musl'.

    Raises UnknownNameError, and HardwareError for a target failing to load.
    """
    if isinstance(name, Target):
        return name
    require_kind("find_target", name, str, "a name such as 'c' or 'aarch64-linux-musl'")
    for kind in sorted(
        _kinds(), key=lambda k: k.example != name
    ):  # one that has this very name before one of a pattern
        if found := kind.named(name):
            return found
    raise UnknownNameError(f"unknown target {name!r}; {did_you_mean(name, target_names())}")


def default_target(machine: Hardware) -> Target:
    """The default target for programs of the machine: one of its own name, else this CPU or the simulator."""
    own = (kind.named(machine.name) for kind in _kinds())
    here = find_target("simulate" if machine.no_c else "c")
    return next((t for t in own if t and not t.available() and not t.takes(machine)), here)


def executor_of(machine: Hardware) -> tuple[str, str]:
    """(name of the target for programs of the machine here, its runner); ('', the reason) if nothing runs them."""
    if machine.no_c:
        target = default_target(machine)
        return target.name, target.executor(machine)
    computes = [i for i in machine.computes if i.emit]
    if not computes:
        return "", "no instruction has C: for mapping and proof only"
    if not missing_features(computes):
        return "c", find_target("c").executor()
    architecture = where_all_are({f for i in computes for f in i.requires})
    lacking = f"this CPU has no {', '.join(missing_features(computes))}"
    if architecture == own_architecture():
        return "", lacking
    first = find_target(f"{architecture}-linux-musl")
    more = (k.named(k.example) for k in _kinds() if k.example.startswith(f"{architecture}-"))
    found = next((t for t in (first, *more) if t and not t.available() and not t.takes(machine)), None)
    return (found.name, found.executor()) if found else ("", first.available() or first.takes(machine))


def _kinds() -> Iterator[type[Target]]:
    for entry in entry_points(group=GROUP):
        what = f"target {entry.name!r}"
        kind = loading(what, entry.load, HardwareError)
        if not (isinstance(kind, type) and issubclass(kind, Target)):
            raise HardwareError(f"{what} is {kind!r}, and no class of isamap_smt.targets.Target")
        yield kind
