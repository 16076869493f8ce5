"""A calibration: the measured figures of one machine, kept in a file with the machine's identity.

It is a record in a file for people, refused on any other machine and where another version wrote it. What is read from it
becomes frozen dataclasses again: every field there, of its type, and in its range.
"""

from __future__ import annotations

import functools
import hashlib
import os
import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, is_dataclass, replace
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Cost
from isamap_smt.ir.ways import behind_registers
from isamap_smt.machine_model.errors import CalibrationError
from isamap_smt.records.record import Kind, RecordError, for_people, read_file, sealed
from isamap_smt.records.store import kept_directory
from isamap_smt.runtime.whole_file import check_file_place, whole_file
from isamap_smt.scheduling.figures import DESCRIBED, FARTHEST, NEAREST, Figures

Ranges = Mapping[
    str, tuple[float, float]
]  # field -> least and greatest of its numbers, at any depth; "" for all others
_KINDS = {str: "a text", int: "a whole number", float: "a number", list: "a list", dict: "an object"}


class PlainError(ValueError):
    """A fault in the data, and its place."""


def read(kind: Any, value: Any, ranges: Ranges, name: str = "", where: str = "it") -> Any:
    """The value as `kind`: a dataclass (an object), a tuple (a list), or str, int or float. Raises PlainError.

    name: of the field, for its range; where: the way to it, for people.
    """
    if is_dataclass(kind):
        make: Any = kind
        return make(**read_fields(get_type_hints(kind), value, ranges, where))
    if get_origin(kind) is tuple:
        return _read_tuple(get_args(kind), _of_type(list, value, where), ranges, name, where)
    found = _of_type(kind, value, where)
    if kind is str:
        return found
    low, high = ranges.get(name, ranges[""])
    if not low <= found <= high:
        raise PlainError(f"{where} is {_words(found)}, not {_KINDS[kind]} from {low:g} to {high:g}")
    return kind(found)


def read_fields(kinds: Mapping[str, Any], value: Any, ranges: Ranges, where: str = "") -> dict[str, Any]:
    """Field -> its value, of an object with these fields and no others. Raises PlainError."""
    found = _of_type(dict, value, where or "it")
    for name in (*kinds, *found):
        if name not in found or name not in kinds:
            told = "lacks" if name in kinds else "has an unknown"
            raise PlainError(f"{where or 'it'} {told} {_words(name)}")
    before = f"{where}." if where else ""
    return {name: read(kind, found[name], ranges, name, before + name) for name, kind in kinds.items()}


def _read_tuple(kinds: tuple[Any, ...], values: list[Any], ranges: Ranges, name: str, where: str) -> tuple[Any, ...]:
    if kinds[1:] == (...,):
        kinds = kinds[:1] * len(values)
    if len(kinds) != len(values):
        raise PlainError(f"{where} has {len(values)} parts, not {len(kinds)}")
    return tuple(read(k, v, ranges, name, f"{where}[{n}]") for n, (k, v) in enumerate(zip(kinds, values, strict=True)))


def _of_type(kind: type, value: Any, where: str) -> Any:
    """The value itself. A whole number is a number too, and a truth value is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float) if kind is float else kind):
        raise PlainError(f"{where} is {_words(value)}, not {_KINDS[kind]}")
    return value


def _words(value: Any) -> str:
    """A value on one short line."""
    if isinstance(value, list | dict):
        return _KINDS[type(value)]
    said = ascii(value)
    return said if len(said) <= 40 else f"{said[:36]}..."


KIND = Kind("calibration", 5)  # of what is measured, too
COPIED_IN_PIECES = 2.0  # times as long as one long copy; 9 MiB of weights in pieces of 256 bytes, 7x7x512
_MOST = 1e7  # of cycles, of anything per cycle, and of seconds; what is beyond was not measured
_RANGES = {
    "": (1e-3, _MOST),
    **dict.fromkeys(("two_read", "two_write", "two_copy", "latency", "far_row", "start_threads"), (0, _MOST)),
    **dict.fromkeys(("seconds", "load"), (0, _MOST)),
    **dict.fromkeys(("working_set", "caches"), (1, 1e12)),
    "ahead": (0, _MOST),
    "near": (NEAREST, FARTHEST),
}  # by the name of a field in the file: least and greatest
_BUSY = 0.5  # load average from which other work is likely to have been in the way


@dataclass(frozen=True)
class Stream:
    """Bytes per cycle of one core on data in `memory`, in vectors of `width` bytes; a copied byte counts once.

    two_*: of two cores at once, both together; 0 if there is one core only.
    """

    memory: str
    width: int
    working_set: int
    read: float
    write: float
    copy: float
    two_read: float = 0.0
    two_write: float = 0.0
    two_copy: float = 0.0


@dataclass(frozen=True)
class Ahead:
    """A register tile of so many rows, streaming vectors from `memory`.

    It prefetches `distance` bytes ahead of the loads. time: relative to the time without prefetch; below 1 it helps.
    """

    memory: str
    rows: int
    distance: int
    time: float


@dataclass(frozen=True)
class Beside:
    """Work of a register tile beside computing; the tile has many rows and one vector of `width` bytes.

    loads: per cycle, broadcasts included. far_row: cycles of a step for each row read in place, beyond the rows with
    addresses in registers.
    """

    width: int
    loads: float
    far_row: float


@dataclass(frozen=True)
class Piece:
    """A register tile of `height` rows, reading a matrix in `memory` across its rows, in place: cycles for each line.

    ahead: the number of pieces along the row prefetched beside a load; 0 for none.
    """

    memory: str
    height: int
    ahead: int
    cycles: float


@dataclass(frozen=True)
class Calibration:
    """clock: GHz. instructions: (name, Cost in cycles). start_threads: cycles to share a loop with an awake thread.

    near: sixteenths of the second cache's traffic delaying computation (see core_model()). latencies: (memory, cycles
    until a load from there arrives).

    left_out: instructions that could not be measured. taken: when, as ISO 8601. seconds: how long it took. load:
    processes running or waiting just before.
    """

    machine: Identity
    clock: float
    streams: tuple[Stream, ...]
    instructions: tuple[tuple[str, Cost], ...]
    start_threads: float
    ahead: tuple[Ahead, ...]
    across: tuple[Piece, ...]
    beside: tuple[Beside, ...]
    latencies: tuple[tuple[str, float], ...]
    near: int
    taken: str
    seconds: float
    left_out: tuple[str, ...] = ()
    load: float = 0.0

    @property
    def doubt(self) -> str:
        """Why the figures may be too low, or ''."""
        if self.load < _BUSY:
            return ""
        return f"the machine was not idle when it was calibrated (load {self.load:.1f}); take it again when it is"

    def stream(self, memory: str, width: int | None = None) -> Stream | None:
        """The stream on data in this memory, of this width or the widest; None without one."""
        found = [s for s in self.streams if s.memory == memory and width in (None, s.width)]
        return max(found, key=lambda s: s.width, default=None)

    def figures(self, hardware: Hardware) -> Figures:
        """The rates for a machine's links and instructions; unmeasured ones stay as described."""
        one: list[tuple[str, str, float]] = []
        two: list[tuple[str, str, float]] = []
        order = {m.name: n for n, m in enumerate(behind_registers(hardware))}
        for link in hardware.links:
            inward = order.get(link.source, -1) > order.get(link.target, -1)
            far, near = (link.source, link.target) if inward else (link.target, link.source)
            s = self.stream(far, _register_width(hardware, near))
            if s is None:
                continue
            one.append((link.source, link.target, s.read if inward else s.write))
            if s.two_read and s.two_write:
                two.append((link.source, link.target, (s.two_read if inward else s.two_write) / 2))
        return Figures(
            f"the calibration of {self.taken[:10]}", tuple(one), tuple(two), self.instructions,
            self.start_threads or DESCRIBED.start_threads, pack_rows=self._pack_rows(),
            prefetching=tuple((a.memory, a.rows, a.distance, a.time) for a in self.ahead),
            delaying=self.near, load_rates=tuple((b.width, b.loads, b.far_row) for b in self.beside), latency=self.latencies,
            across=tuple((p.memory, p.height, p.ahead, p.cycles) for p in self.across),
        )  # fmt: skip

    def _pack_rows(self) -> float:
        """Cycles per byte to copy whole rows, beside bringing them: in the first cache, with loops around pieces of rows."""
        nearest = self.stream(self.streams[0].memory) if self.streams else None
        return DESCRIBED.pack_rows if nearest is None else min(DESCRIBED.pack_rows, COPIED_IN_PIECES / nearest.copy)

    def document(self) -> dict[str, Any]:
        """As the file holds it."""
        costs = [{"name": n, "latency": c.latency, "per_cycle": c.per_cycle} for n, c in self.instructions]
        return sealed(KIND, {**asdict(self), "instructions": costs})


@dataclass(frozen=True)
class _Priced:
    """An instruction as the file holds it."""

    name: str
    latency: float
    per_cycle: float


def _register_width(hardware: Hardware, memory: str) -> int | None:
    """Bytes of one register of a register file; None for other memories."""
    m = hardware.memory(memory)
    return None if m.count <= 1 or m.capacity is None else m.capacity // m.count


def calibration_path() -> Path:
    """The path of this user's calibration: beside the caches."""
    return kept_directory() / "calibration.json"


def check_calibration_place() -> None:
    """Raises CalibrationError if a calibration cannot be written."""
    with _written(calibration_path()) as path:
        check_file_place(path)


def save(calibration: Calibration, path: Path | None = None) -> Path:
    """Write it, whole or not at all. Raises CalibrationError."""
    with _written(path or calibration_path()) as place, whole_file(place) as f:
        f.write(for_people(calibration.document()))
    return place


@contextmanager
def _written(path: Path) -> Iterator[Path]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield path
    except OSError as error:
        raise CalibrationError(f"cannot write the calibration to {path}: {error.strerror}; set ISAMAP_CACHE") from None


def load(path: Path | None = None, here: Identity | None = None) -> Calibration | None:
    """The calibration of this machine; None if none was taken.

    Raises CalibrationError for one of another machine or version, and for one that cannot be read.
    """
    path, here = path or calibration_path(), here or identity()
    again = "run `isamap calibrate`"
    try:
        made = _made(read_file(KIND, path))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CalibrationError(f"the calibration {path} cannot be read: {error.strerror}; {again}") from None
    except PlainError as error:
        raise CalibrationError(f"the calibration {path} is damaged: {error}; {again}") from None
    except RecordError as error:
        raise CalibrationError(f"the calibration {path} {error}; {again}") from None
    if not made.machine.serves(here):
        raise CalibrationError(
            f"the calibration {path} was taken on another machine ({made.machine}), and this is {here}; {again}"
        )
    return made


def _made(document: dict[str, Any]) -> Calibration:
    """The calibration of a record. Raises PlainError."""
    kinds = {**get_type_hints(Calibration), "instructions": tuple[_Priced, ...]}
    found = read_fields(kinds, {n: v for n, v in document.items() if n not in ("format", "digest")}, _RANGES)
    costs = tuple((i.name, Cost(i.latency, i.per_cycle)) for i in found.pop("instructions"))
    return Calibration(**found, instructions=costs)


# ---- Which machine this is, as far as its speed depends on it: processor, features, cores and caches. Never its name.


_CPUINFO = Path("/proc/cpuinfo")


@dataclass(frozen=True)
class Identity:
    """processor: its own name for itself. cores: those this process may use. caches: (name, bytes)."""

    processor: str
    architecture: str
    features: str
    cores: int
    caches: tuple[tuple[str, int], ...]

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits standing for this machine."""
        return hashlib.blake2b(repr(self).encode(), digest_size=8).hexdigest()

    def serves(self, other: Identity) -> bool:
        """Whether measurements here hold there: the same machine, with as many cores to use or fewer."""
        return other.cores <= self.cores and replace(other, cores=self.cores) == self

    def __str__(self) -> str:
        caches = ", ".join(f"{name} {size >> 10} KiB" for name, size in self.caches)
        return f"{self.processor}, {self.cores} core{'' if self.cores == 1 else 's'}" + (
            f", {caches}" if caches else ""
        )


@functools.cache
def identity() -> Identity:
    """The machine this process runs on."""
    from isamap_hardware.host import cache_sizes, cpu_name, features

    digest = hashlib.blake2b(" ".join(sorted(features())).encode(), digest_size=8).hexdigest()
    return Identity(
        _processor(cpu_name()), platform.machine(), digest, usable_cores(), tuple(sorted(cache_sizes().items()))
    )


def usable_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def _processor(family: str) -> str:
    """Model name, family, model and stepping if Linux tells them, else the microarchitecture."""
    try:
        lines = _CPUINFO.read_text().split("\n\n", 1)[0].splitlines()
    except OSError:
        return family
    told = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    numbers = [told[k] for k in ("cpu family", "model", "stepping") if k in told]
    return " ".join([told.get("model name", family), *([f"({'/'.join(numbers)}, {family})"] if numbers else [])])
