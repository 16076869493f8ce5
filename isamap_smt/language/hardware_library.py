"""Machines and instructions by name: the library's, those of other packages, and those in a file.

avx2                     a machine of isamap_hardware
host                     everything this CPU supports
npu                      a machine of another package, registered in the entry-point group `isamap.hardware`
machine.py:NPU           a Hardware in a Python file (`HARDWARE` if no name is given)
avx512.fmadd_ps          an instruction of a machine
machine.py:dot           an Instruction in a Python file
machine.py:NPU.dot       an instruction of a Hardware in a Python file; machine.py:NPU if it computes with one alone
machine.py:NPU(n=16)     the same for a function of machine parameters
exo:AVX2                 the proved instructions of somebody else's table, on its registers of this name; exo:AVX512(N=16): with a
                         number fixed; exo-AVX2 and exo-AVX512-N16, as such machines are called, are the same
exo:gemmini              the tested ones needed by GEMM in Exo's Gemmini table
arch.yaml                an architecture of Timeloop, an accelerator of ZigZag; arch.yaml(glb_depth=8192): a number replaced
table.h                  the proved functions of a C file with contracts (docs/check-isa.md); table.h:fma one of them
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from isamap_smt.ir.described import contracts_read_later
from isamap_smt.ir.errors import HardwareError, UnknownNameError, did_you_mean
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kinds import require_kind
from isamap_smt.language.loading import load_module, loading, made_with, require_named, split_parameters

GROUP = "isamap.hardware"


def hardware_names() -> tuple[str, ...]:
    """Names known to find_hardware: the library's, best first, `host`, then those of other packages."""
    import isamap_hardware

    return (*isamap_hardware.names(), "host", *sorted(e.name for e in _registered()))


def _registered() -> Iterable[Any]:
    """The entry points of other packages' machines."""
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


def find_hardware(spec: str | Hardware) -> Hardware:
    """The machine with this name, or in this file. Raises UnknownNameError or HardwareError."""
    if isinstance(spec, Hardware):
        return spec.at()
    require_kind("find_hardware", spec, str, "a name such as 'host', or 'file.py:name'")
    if _is_file(spec):
        found: Hardware = _from_file(spec, Hardware, "HARDWARE")
        return found.at()
    import isamap_hardware

    name, given = split_parameters(spec)
    if (read := _of_architecture(name, given)) is not None:
        return read
    if (table := _of_table(name, given)) is not None:
        return table
    if name == "host" or name in isamap_hardware.names():
        with contracts_read_later():
            found = _shipped(name)
        return found.at(**given or {})
    for entry in _registered():
        if entry.name == name:
            what = f"hardware {name!r}, registered by {_package(entry)}"
            found = _of_kind(loading(what, entry.load, HardwareError), Hardware, what)
            return found.at(**given or {})
    raise UnknownNameError(f"unknown hardware {spec!r}; {_near(name)}")


def _near(name: str) -> str:
    """A suggestion for a name that no machine has."""
    machine, _, short = name.partition(".")
    if machine in hardware_names():
        return f"{machine} is a machine, and {short} would be an instruction of it: name {machine!r}, and the instruction apart"
    return did_you_mean(name, hardware_names())


def _shipped(name: str) -> Hardware:
    """A machine of isamap_hardware; for `host`, everything this CPU can run of them."""
    import isamap_hardware
    from isamap_hardware.host import host

    return host() if name == "host" else isamap_hardware.load(name)


def find_instruction(spec: str | Instruction) -> Instruction:
    """The instruction `machine.name`, or `file.py:name`. Raises UnknownNameError or HardwareError."""
    if isinstance(spec, Instruction):
        return spec
    require_kind("find_instruction", spec, str, "a name such as 'avx2.fmadd_ps', or 'file.py:name'")
    if _is_file(spec):
        return replace(_instruction_from_file(spec), file=spec)
    if (table := _TABLE_FILE.fullmatch(spec)) and table["name"]:
        return replace(find_hardware(table["file"]).instruction(table["name"]), file=spec)
    plain = split_parameters(spec)[0]
    if (inside := re.fullmatch(r"(?P<file>.+\.ya?ml)(:(?P<name>\w+))?", plain)) is not None:
        machine_read = find_hardware(spec.replace(f":{inside['name']}", "") if inside["name"] else spec)
        return replace(machine_read.instruction(inside["name"] or machine_read.computes[0].short), file=spec)
    machine, dot, name = spec.partition(".")
    if not dot:
        near = did_you_mean(spec, hardware_names())
        meant = near if near.startswith("did you mean") else f"write machine.instruction, such as {_example(spec)}"
        raise UnknownNameError(f"{spec!r} names no instruction: {meant}")
    return find_hardware(machine).instruction(name)


def host_features() -> frozenset[str]:
    """Names of the instruction-set features of this CPU, as archspec names them."""
    from isamap_hardware.host import features

    return features()


def missing_features(instructions: Iterable[Instruction]) -> tuple[str, ...]:
    """Features required by these instructions and missing on this CPU, sorted."""
    needed = {feature for i in instructions for feature in i.requires}
    return tuple(sorted(needed - host_features()))


def require_features(instructions: Iterable[Instruction]) -> None:
    """Raise HardwareError, naming the missing features, unless this CPU can run all of them."""
    used = tuple(instructions)
    missing = missing_features(used)
    if missing:
        from isamap_hardware.host import cpu_name

        cannot = sorted({i.name for i in used if set(i.requires) & set(missing)})
        raise HardwareError(
            f"this CPU ({cpu_name()}) has no {', '.join(missing)}, which {', '.join(cannot)} "
            f"{'needs' if len(cannot) == 1 else 'need'}; map onto `host`, or only compile"
        )


def find_instructions(spec: str) -> tuple[Instruction, ...]:
    """The instruction with this name; for the name of a machine, all computing ones. Raises as find_instruction."""
    file, plain = _TABLE_FILE.fullmatch(spec), split_parameters(spec)[0]
    if plain in hardware_names() or _TABLE.fullmatch(plain) or (file and not file["name"]):
        return find_hardware(spec).computes
    if _is_file(spec) and isinstance(found := _named_in_file(spec), Hardware) and "." not in plain.partition(":")[2]:
        return tuple(replace(i, file=f"{spec}.{i.short}") for i in found.computes) or (find_instruction(spec),)
    if _ARCHITECTURE.fullmatch(plain):
        return find_hardware(spec).computes
    return (find_instruction(spec),)


def machine_from(spec: str) -> Hardware | None:
    """The machine with this name, or the one of such an instruction; None for an instruction defined alone in a file."""
    file, plain = _TABLE_FILE.fullmatch(spec), split_parameters(spec)[0]
    if file is not None:
        return find_hardware(file["file"])
    if _is_file(spec):
        found = _named_in_file(spec)
        return found if isinstance(found, Hardware) else None
    if _ARCHITECTURE.fullmatch(plain):
        return find_hardware(spec)
    machine = plain if plain in hardware_names() or _TABLE.fullmatch(plain) else spec.partition(".")[0]
    return find_hardware(spec if machine == plain else machine)


# what is read by isamap_smt.architectures, and read and proved by isamap_smt.isa, stands above this layer: it is asked through the
# package's own names
_ARCHITECTURE = re.compile(r"(?P<file>.+\.ya?ml)")
_TABLE = re.compile(r"(?P<table>exo)[:-](?P<memory>[A-Za-z]\w*?)(?P<fixed>(-[A-Za-z_]+\d+)*)")
_TABLE_FILE = re.compile(r"(?P<file>.+\.[hc])(:(?P<name>\w+))?")


def _of_architecture(name: str, given: dict[str, int] | None) -> Hardware | None:
    """The machine of an architecture in YAML; None if the name is not of such a file."""
    if _ARCHITECTURE.fullmatch(name) is None:
        return None
    import isamap_smt as im

    found: Hardware = im.from_architecture(name, **given or {})
    return found


def _of_table(name: str, given: dict[str, int] | None) -> Hardware | None:
    """The machine of a table of somebody else's instructions; None if the name is not of one."""
    import isamap_smt as im

    found: Hardware
    if (m := _TABLE.fullmatch(name)) is not None:
        fixed = dict(re.findall(r"-([A-Za-z_]+)(\d+)", m["fixed"]))
        found = im.machine_from_table(
            m["table"], memory=m["memory"], fixed={n: int(v) for n, v in fixed.items()} | (given or {})
        )
        return found
    if (m := _TABLE_FILE.fullmatch(name)) is not None and not m["name"]:
        require_named(Path(m["file"]))
        found = im.machine_from_table(m["file"], fixed=given)
        return found
    return None


def is_file(spec: str) -> bool:
    """Whether it names a file, and something in it."""
    return any(
        x is not None for x in (_TABLE_FILE.fullmatch(spec), _ARCHITECTURE.fullmatch(split_parameters(spec)[0]))
    ) or _is_file(spec)


def _is_file(spec: str) -> bool:
    return spec.partition(":")[0].endswith(".py")


def _from_file(spec: str, kind: type[Any], default: str) -> Any:
    """The object of this kind in the file, under the name after the colon."""
    plain, given = split_parameters(spec)
    path, _, name = plain.partition(":")
    name = name or default
    module = load_module(Path(path), HardwareError)
    offered = sorted(n for n, value in vars(module).items() if isinstance(value, kind) or _makes(value, kind))
    if name not in vars(module):
        what = kind.__name__.lower()
        known = did_you_mean(name, offered) if offered else f"it defines no {what} at all"
        said = f"{path} defines no {what} {name!r}" if name else f"{path}: which {what}? write {path}:NAME"
        raise UnknownNameError(f"{said}; {known}")
    return _of_kind(made_with(vars(module)[name], given, f"{path}:{name}"), kind, f"{name!r} in {path}")


def _makes(value: Any, kind: type[Any]) -> bool:
    """Whether it is a function annotated to return this kind."""
    said = getattr(value, "__annotations__", {}).get("return", "")
    return kind.__name__ in str(said)


def _instruction_from_file(spec: str) -> Instruction:
    """An Instruction defined in the file, or one of a Hardware defined there. Raises UnknownNameError, HardwareError."""
    _, dot, short = split_parameters(spec)[0].partition(":")[2].partition(".")
    value = _named_in_file(spec)
    if not isinstance(value, Hardware):
        found: Instruction = value if isinstance(value, Instruction) else _from_file(spec, Instruction, "")
        return found
    if dot:
        return value.instruction(short)
    if len(value.computes) != 1:
        names = ", ".join(f"{spec}.{i.short}" for i in value.computes) or "none"
        raise UnknownNameError(
            f"{spec} is a machine that computes with several instructions; write one of them: {names}"
        )
    return value.computes[0]


def _named_in_file(spec: str) -> Any:
    """The definition in the file of the name before the dot, made with its parameters; None if there is none."""
    plain, given = split_parameters(spec)
    path, _, name = plain.partition(":")
    machine = name.partition(".")[0]
    return made_with(vars(load_module(Path(path), HardwareError)).get(machine), given, f"{path}:{machine}")


def _of_kind(value: Any, kind: type[Any], what: str) -> Any:
    if not isinstance(value, kind):
        raise HardwareError(f"{what} is {type(value).__name__}, not isamap_smt.{kind.__name__}")
    return value


def _package(entry: Any) -> str:
    return entry.dist.name if entry.dist is not None else entry.value


def _example(name: str) -> str:
    """A full name ending in `name`, if the library has one; else an example."""
    import isamap_hardware

    for machine in isamap_hardware.names():
        for i in isamap_hardware.load(machine).instructions:
            if i.short == name:
                return i.name
    return "avx2.fmadd_ps"
