"""A target: what can be made of a proved program, and where that runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol

from isamap_smt.ir.errors import BuildError, NotProvedError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.program import Program, ProvedProgram
from isamap_smt.pipeline.plan import Plan
from isamap_smt.runtime.compiler import find_compiler
from isamap_smt.runtime.conformance.place import Place

Sources = Mapping[str, str]


class PrintedProgram(str):
    """The text of a program, with the proved program that it is the text of. by: what printed it."""

    checked: ProvedProgram
    by: type[Any]

    @classmethod
    def of(cls, text: str, checked: ProvedProgram, by: type[Any]) -> PrintedProgram:
        """The text that `by` made of a proved program."""
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
    """Why there is no C compiler for this CPU; '' where there is one."""
    try:
        find_compiler(cc)
    except BuildError as error:
        return str(error)
    return ""


class Target(ABC):
    """One place where programs run.

    name: what find_target() takes. example: one such name of this kind of target. timed: whether its times are those of a real
    machine.
    """

    example: str
    name: str
    timed = True

    @classmethod
    def named(cls, name: str) -> Target | None:
        """The target of that name; None where it is none of these. By default a kind has one, called as its example."""
        return cls() if name == cls.example else None

    @abstractmethod
    def available(self, cc: str | None = None) -> str:
        """'' where programs can be built (with cc, as for build()) and run here; else what is missing, and what installs it."""

    @abstractmethod
    def takes(self, machine: Hardware) -> str:
        """'' where programs for the machine can run on this target; else why not."""

    @abstractmethod
    def executor(self, machine: Hardware | None = None) -> str:
        """What runs the programs, with its version; for a machine, at the values of its parameters. Only where it is available."""

    def beforehand(self, cc: str | None = None) -> str:
        """What a build for this target does first that takes long, in words; '' where nothing does. Only where it is available."""
        return ""

    def place(self, cc: str | None = None) -> Place | None:
        """What runs single instructions there, for check_hardware(); None where nothing can. Only where the target is available."""
        return None

    @abstractmethod
    def emit(self, proved: Plan | ProvedProgram) -> Sources:
        """The sources of a proved program: file name -> text. Raises NotProvedError."""

    @abstractmethod
    def build(self, sources: Sources, *, cc: str | None = None) -> Runnable:
        """What emit() gave, built and ready to be called. Raises BuildError and HardwareError."""
