"""Decisions the user takes instead of the solver: `tile.k=64`, `register.i=6`, `pack.B=L3`, `parallel=i`.

tile.AXIS[.LEVEL]   tile of the axis for that cache; without a level: for a reduction axis the part done while the
                    accumulators are open (the nearest cache's tile), for others the farthest cache's tile
register.AXIS       register tile, in points
pack.OPERAND        'no', a cache's name (or its number from the core), or 'ahead'
pad.OPERAND         'tests' or 'zeros': read in place, with this treatment of points outside the kernel's guard
prefetch.OPERAND    bytes between a load of its vectors and the line asked for beside it, or 'no'
parallel            the axis of the loop shared by the threads, or 'no'
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from isamap_smt.ir.arguments import LARGEST, whole_number
from isamap_smt.ir.boxes import decided_at
from isamap_smt.ir.errors import ScheduleError, did_you_mean
from isamap_smt.ir.schedule import LEFT_OUT, ZEROS
from isamap_smt.scheduling.arguments import Pin
from isamap_smt.scheduling.setting import Machine, Setting

_OF_SCHEDULES = (
    "tile.AXIS",
    "tile.AXIS.LEVEL",
    "register.AXIS",
    "pack.OPERAND",
    "pad.OPERAND",
    "prefetch.OPERAND",
    "parallel",
)
_OF_KERNELS = ("split.AXIS", "cut.AXIS", "online.AXIS", "digits.AXIS", "share.AXIS")  # read by isamap_smt.pipeline


@dataclass(frozen=True)
class Pins:
    """registers: axis -> points. tiles: (axis, level) -> points. packing: operand -> option. parallel: axis or None.

    prefetch: operand -> bytes, 0 for none. padding: operand -> Stage.padding.
    """

    registers: dict[int, int] = field(default_factory=dict)
    tiles: dict[tuple[int, int], int] = field(default_factory=dict)
    packing: dict[str, int] = field(default_factory=dict)
    parallel: int | None = None
    serial: bool = False
    prefetch: dict[str, int] = field(default_factory=dict)
    padding: dict[str, str] = field(default_factory=dict)


def read_pins(fix: tuple[Pin, ...], s: Setting, m: Machine) -> Pins:
    """The pins in numbers. Raises ScheduleError for names and values without a meaning here."""
    registers: dict[int, int] = {}
    tiles: dict[tuple[int, int], int] = {}
    packing: dict[str, int] = {}
    prefetch: dict[str, int] = {}
    padding: dict[str, str] = {}
    parallel: int | None = None
    serial = False
    for pin in fix:
        key, value, kind, rest = pin.name, pin.value, pin.kind, pin.of
        if kind == "register" and rest:
            registers[_axis(rest, s)] = _points(key, value)
        elif kind == "tile" and rest:
            d, level = _level(rest, s, m)
            tiles[d, level] = _points(key, value)
        elif kind == "pack" and rest:
            packing[s.operand(rest)] = _option(key, value, m)
        elif kind == "pad" and rest:
            padding[s.operand(rest)] = _padding(key, value, s, s.operand(rest))
        elif kind == "prefetch" and rest:
            prefetch[s.operand(rest)] = _distance(key, value)
        elif kind == "parallel" and not rest:
            serial = str(value) in ("no", "none", "")
            parallel = None if serial else _axis(str(value), s)
        else:
            raise _unknown(pin)
    for operand in padding:  # which is read in place then
        if packing.setdefault(operand, 0):
            raise ScheduleError(
                f"pad.{operand} is for an operand that is read in place, and pack.{operand} packs it; leave one out"
            )
    return Pins(registers, tiles, packing, parallel, serial, prefetch, padding)


def _unknown(pin: Pin) -> ScheduleError:
    """The error for a pin of no schedule."""
    if pin.kind in {f.kind for f in map(_form, _OF_KERNELS)}:
        return ScheduleError(
            f"cannot fix {pin.name!r} of one schedule: it is about the kernel, and im.plan() and --fix take it"
        )
    forms = (*_OF_SCHEDULES, *_OF_KERNELS)
    known = dict.fromkeys(f.kind for f in map(_form, forms))
    return ScheduleError(f"cannot fix {pin.name!r}; {did_you_mean(pin.kind, known)} ({', '.join(forms)})")


def _form(name: str) -> Pin:
    return Pin.parsed(name, None)


def _axis(name: str, s: Setting) -> int:
    names = [a.name for a in s.axes]
    if name not in names:
        raise ScheduleError(f"cannot fix axis {name!r}: there is no such axis; {did_you_mean(name, names)}")
    return names.index(name)


def _level(rest: str, s: Setting, m: Machine) -> tuple[int, int]:
    if rest in [a.name for a in s.axes]:
        d = _axis(rest, s)
        return d, 1 if s.axes[d].reduction else len(m.caches)
    axis, _, level = rest.rpartition(".")
    d = _axis(axis or rest, s)
    if level not in m.names:
        raise ScheduleError(f"no cache {level!r} to tile for; {did_you_mean(level, m.names)}")
    return d, m.names.index(level) + 1


def _points(key: str, value: Any, unit: str = "points") -> int:
    try:
        # text comes from the command line
        points = int(value) if isinstance(value, str) else value
    except ValueError:
        raise ScheduleError(f"{key}={value}: must be a number of {unit}") from None
    return whole_number(points, key, ScheduleError, high=LARGEST)


def _padding(key: str, value: Any, s: Setting, operand: str) -> str:
    known = {"tests": LEFT_OUT, "zeros": ZEROS}
    if str(value) not in known:
        raise ScheduleError(f"{key}={value}: {did_you_mean(str(value), list(known))}")
    access = s.mapping.operand_access(operand)
    if not decided_at(s.mapping.statement, access.index):
        raise ScheduleError(f"{key}={value}: no guard of the kernel cuts off elements of {access.tensor}")
    return known[str(value)]


def _distance(key: str, value: Any) -> int:
    return 0 if str(value) in ("no", "0") else _points(key, value, "bytes")


def _option(key: str, value: Any, m: Machine) -> int:
    text = str(value)
    options = {"no": 0, "0": 0, "in place": 0, "ahead": len(m.caches) + 1}
    options.update((n, u) for u, n in enumerate(m.names, 1))
    options.update((str(u), u) for u in range(1, len(m.caches) + 1))
    if text not in options:
        raise ScheduleError(f"{key}={value}: {did_you_mean(text, ['no', 'ahead', *m.names])}")
    return options[text]
