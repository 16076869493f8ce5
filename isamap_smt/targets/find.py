"""Targets by name: those of the library and of other packages, found by the entry-point group `isamap.targets`."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import entry_points

from isamap_smt.ir.errors import HardwareError, UnknownNameError, did_you_mean
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kinds import require_kind
from isamap_smt.language.hardware_library import missing_features
from isamap_smt.language.loading import loading
from isamap_smt.runtime.feature_flags import own_architecture, where_all_are
from isamap_smt.targets.target import Target

GROUP = "isamap.targets"


def target_names() -> tuple[str, ...]:
    """One name of each kind of target that is installed, sorted. Raises as find_target()."""
    return tuple(sorted(kind.example for kind in _kinds()))


def find_target(name: str | Target) -> Target:
    """The target of that name: 'c', or a triple such as 'aarch64-linux-musl'. Raises UnknownNameError, HardwareError for one that
    does not load."""
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
    """Where programs for the machine run if nobody says: on a target of its own name, else on this CPU or in the simulator."""
    own = (kind.named(machine.name) for kind in _kinds())
    here = find_target("simulate" if machine.no_c else "c")
    return next((t for t in own if t and not t.available() and not t.takes(machine)), here)


def executor_of(machine: Hardware) -> tuple[str, str]:
    """(name of the target that runs programs for the machine here, what runs them); ('', why nothing does)."""
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
