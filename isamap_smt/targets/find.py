"""Targets by name: those of the library and of other packages, found by the entry-point group `isamap.targets`."""

from __future__ import annotations

from importlib.metadata import entry_points

from isamap_smt.ir.errors import HardwareError, UnknownNameError, did_you_mean
from isamap_smt.ir.kinds import require_kind
from isamap_smt.language.loading import loading
from isamap_smt.targets.target import Target

GROUP = "isamap.targets"
EXAMPLE = "aarch64-linux-musl"  # of the names that one target has many of


def target_names() -> tuple[str, ...]:
    """Every target that is installed, by its entry point's name."""
    return tuple(sorted({e.name for e in entry_points(group=GROUP)}))


def find_target(name: str | Target) -> Target:
    """The target of that name: 'c', or a triple such as 'aarch64-linux-musl'. Raises UnknownNameError, HardwareError for one that
    does not load."""
    if isinstance(name, Target):
        return name
    require_kind("find_target", name, str, "a name such as 'c' or 'aarch64-linux-musl'")
    for entry in entry_points(group=GROUP):
        what = f"target {entry.name!r}"
        kind = loading(what, entry.load, HardwareError)
        if not (isinstance(kind, type) and issubclass(kind, Target)):
            raise HardwareError(f"{what} is {kind!r}, and no class of isamap_smt.targets.Target")
        if found := kind.named(name):
            return found
    raise UnknownNameError(f"unknown target {name!r}; {did_you_mean(name, [*target_names(), EXAMPLE])}")
