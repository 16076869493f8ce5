"""Machines and instructions by name: the library's, those of other packages, and those in a file.

avx2                     a machine of isamap_hardware
host                     everything this CPU supports
npu                      a machine that some package registered in the entry-point group `isamap.hardware`
machine.py:NPU           a Hardware in a Python file (`HARDWARE` where no name is given)
avx512.fmadd_ps          an instruction of a machine
machine.py:dot           an Instruction in a Python file
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from isamap_smt.ir.errors import HardwareError, IsamapError, UnknownNameError, did_you_mean
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction

GROUP = "isamap.hardware"


def hardware_names() -> tuple[str, ...]:
    """Names that find_hardware knows: the library's, best first, `host`, then those of other packages."""
    import isamap_hardware

    return (*isamap_hardware.names(), "host", *sorted(e.name for e in entry_points(group=GROUP)))


def find_hardware(spec: str | Hardware) -> Hardware:
    """The machine of that name, or in that file. Raises UnknownNameError or HardwareError."""
    if isinstance(spec, Hardware):
        return spec
    if _is_file(spec):
        return _from_file(spec, Hardware, "HARDWARE")
    import isamap_hardware

    if spec == "host":
        from isamap_hardware.host import host

        return host()
    if spec in isamap_hardware.names():
        return isamap_hardware.load(spec)
    for entry in entry_points(group=GROUP):
        if entry.name == spec:
            found = _loading(f"hardware {spec!r}, registered by {_package(entry)}", entry.load)
            return _of_kind(found, Hardware, f"hardware {spec!r}, registered by {_package(entry)}")
    raise UnknownNameError(f"unknown hardware {spec!r}; {did_you_mean(spec, hardware_names())}")


def find_instruction(spec: str | Instruction) -> Instruction:
    """The instruction `machine.name`, or `file.py:name`. Raises UnknownNameError or HardwareError."""
    if isinstance(spec, Instruction):
        return spec
    if _is_file(spec):
        return _from_file(spec, Instruction, "")
    machine, dot, name = spec.partition(".")
    if not dot:
        raise UnknownNameError(f"{spec!r} names no instruction: write machine.instruction, such as {_example(spec)}")
    return find_hardware(machine).instruction(name)


def host_features() -> frozenset[str]:
    """Names of the instruction-set features of this CPU, as archspec names them."""
    from isamap_hardware.host import features

    return features()


def missing_features(instructions: Iterable[Instruction]) -> tuple[str, ...]:
    """Features that these instructions require and this CPU lacks, sorted."""
    needed = {feature for i in instructions for feature in i.requires}
    return tuple(sorted(needed - host_features()))


def require_features(instructions: Iterable[Instruction]) -> None:
    """Nothing happens where this CPU can run all of them. Raises HardwareError that names what is missing."""
    used = tuple(instructions)
    missing = missing_features(used)
    if missing:
        from isamap_hardware.host import cpu_name

        cannot = sorted({i.name for i in used if set(i.requires) & set(missing)})
        raise HardwareError(
            f"this CPU ({cpu_name()}) has no {', '.join(missing)}, which {', '.join(cannot)} "
            f"{'needs' if len(cannot) == 1 else 'need'}; map onto `host`, or only compile"
        )


def _is_file(spec: str) -> bool:
    return spec.partition(":")[0].endswith(".py")


def _from_file(spec: str, kind: type[Any], default: str) -> Any:
    """The object of that kind that the file defines under the name after the colon."""
    path, _, name = spec.partition(":")
    name = name or default
    module = _execute(Path(path))
    offered = sorted(n for n, value in vars(module).items() if isinstance(value, kind))
    if name not in vars(module):
        what = kind.__name__.lower()
        raise UnknownNameError(f"{path} defines no {what} {name!r}; {did_you_mean(name, offered)}")
    return _of_kind(vars(module)[name], kind, f"{name!r} in {path}")


def _execute(path: Path) -> Any:
    if not path.is_file():
        raise HardwareError(f"no such file: {path}")
    spec = importlib.util.spec_from_file_location(f"isamap_file_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise HardwareError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        _loading(str(path), lambda: spec.loader.exec_module(module) if spec.loader else None)
    except BaseException:
        sys.modules.pop(spec.name, None)
        raise
    return module


def _loading(what: str, action: Callable[[], Any]) -> Any:
    """The action's value; an exception in the user's file becomes a HardwareError with its line."""
    try:
        return action()
    except IsamapError as error:
        raise HardwareError(f"{what} does not load:\n{error}") from error
    except Exception as error:
        raise HardwareError(f"{what} does not load: {_where(error)}{type(error).__name__}: {error}") from error


def _where(error: Exception) -> str:
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: "
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return f"{Path(last.tb_frame.f_code.co_filename).name} line {last.tb_lineno}: " if last else ""


def _of_kind(value: Any, kind: type[Any], what: str) -> Any:
    if not isinstance(value, kind):
        raise HardwareError(f"{what} is a {type(value).__name__}, not an isamap_smt.{kind.__name__}")
    return value


def _package(entry: Any) -> str:
    return entry.dist.name if entry.dist is not None else entry.value


def _example(name: str) -> str:
    """A full name that ends in `name` where the library has one."""
    import isamap_hardware

    for machine in isamap_hardware.names():
        for i in isamap_hardware.load(machine).instructions:
            if i.short == name:
                return i.name
    return "avx2.fmadd_ps"
