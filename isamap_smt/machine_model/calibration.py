"""A calibration: what one machine was measured to do, kept in a file with the machine's identity.

It is refused on any other machine, and where another version of this file's format wrote it. It is written whole or not
at all.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from isamap_encodings.schedule_problem import FARTHEST, NEAREST
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Cost
from isamap_smt.machine_model.errors import CalibrationError
from isamap_smt.machine_model.identity import Identity, identity
from isamap_smt.runtime.cache import cache_directory
from isamap_smt.scheduling.figures import DESCRIBED, Figures

VERSION = 4  # of what is measured, and of the file
_KIND = "isamap calibration"
COPIED_IN_PIECES = 2.0  # times as long as one long copy; 9 MiB of weights in pieces of 256 bytes, 7x7x512
_BUSY = 0.5  # load average from which other work is likely to have been in the way


@dataclass(frozen=True)
class Stream:
    """Bytes per cycle of one core on data that lie in `memory`, in vectors of `width` bytes; a copied byte counts once.

    two_*: of both cores together while two of them do it; 0 where there is one core only.
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
    """A register tile of so many rows that streams vectors from `memory`, with a prefetch `distance` bytes ahead of the loads.

    time: over that without; below 1 it helps.
    """

    memory: str
    rows: int
    distance: int
    time: float


@dataclass(frozen=True)
class Beside:
    """What a register tile of many rows and one vector of `width` bytes does beside computing.

    loads: per cycle, broadcasts included. far_row: cycles of a step for each row that is read in place, beyond those whose
    addresses stay in registers.
    """

    width: int
    loads: float
    far_row: float


@dataclass(frozen=True)
class Piece:
    """A register tile of `height` rows that reads a matrix in `memory` across its rows, in place: cycles for each line.

    ahead: how many pieces along the row are asked for beside a load; 0 for none.
    """

    memory: str
    height: int
    ahead: int
    cycles: float


@dataclass(frozen=True)
class Calibration:
    """clock: GHz. instructions: (name, Cost in cycles). start_threads: cycles to share a loop with a thread that is awake.
    near: sixteenths of what comes from the second cache that delay computing (see contention()). latencies: (memory, cycles until
    a load from there arrives).

    left_out: instructions that could not be measured. taken: when, as ISO 8601. seconds: how long it took.
    load: processes that were running or waiting just before.
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
        """The stream on data in that memory, of that width or the widest."""
        found = [s for s in self.streams if s.memory == memory and width in (None, s.width)]
        return max(found, key=lambda s: s.width, default=None)

    def figures(self, hardware: Hardware) -> Figures:
        """The rates for a machine's links and instructions; what was not measured stands as described."""
        one: list[tuple[str, str, float]] = []
        two: list[tuple[str, str, float]] = []
        order = {m.name: n for n, m in enumerate(hardware.memories)}
        for link in hardware.links:
            if link.source not in order or link.target not in order:
                continue
            inward = order[link.source] > order[link.target]
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
            ahead=tuple((a.memory, a.rows, a.distance, a.time) for a in self.ahead),
            near=self.near, beside=tuple((b.width, b.loads, b.far_row) for b in self.beside), latency=self.latencies,
            across=tuple((p.memory, p.height, p.ahead, p.cycles) for p in self.across),
        )  # fmt: skip

    def _pack_rows(self) -> float:
        """Cycles per byte to copy whole rows, beside bringing them: in the first cache, with loops around pieces of rows."""
        nearest = self.stream(self.streams[0].memory) if self.streams else None
        return DESCRIBED.pack_rows if nearest is None else min(DESCRIBED.pack_rows, COPIED_IN_PIECES / nearest.copy)

    def document(self) -> dict[str, Any]:
        """As the file holds it."""
        costs = [{"name": n, "latency": c.latency, "per_cycle": c.per_cycle} for n, c in self.instructions]
        return {"kind": _KIND, "version": VERSION, **asdict(self), "instructions": costs}


def _register_width(hardware: Hardware, memory: str) -> int | None:
    """Bytes of one register of a register file; None for other memories."""
    m = hardware.memory(memory)
    return None if m.count <= 1 or m.capacity is None else m.capacity // m.count


def calibration_path() -> Path:
    """Where this user's calibration lies: beside the caches."""
    return cache_directory().parent / "calibration.json"


def save(calibration: Calibration, path: Path | None = None) -> Path:
    """Write it, whole or not at all. Raises CalibrationError."""
    path = path or calibration_path()
    try:
        with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=".calibration-", delete=False) as f:
            json.dump(calibration.document(), f, indent=2)
        os.replace(f.name, path)
    except OSError as error:
        raise CalibrationError(f"cannot write the calibration to {path}: {error.strerror}; set ISAMAP_CACHE") from None
    return path


def load(path: Path | None = None, here: Identity | None = None) -> Calibration | None:
    """The calibration of this machine; None where none was taken.

    Raises CalibrationError for one that was taken on another machine, by another version, or that cannot be read.
    """
    path, here = path or calibration_path(), here or identity()
    again = "run `isamap calibrate`"
    try:
        text = path.read_text()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CalibrationError(f"the calibration {path} cannot be read: {error.strerror}; {again}") from None
    try:
        document = json.loads(text)
        kind, version = document["kind"], document["version"]
    except (ValueError, KeyError, TypeError):
        raise CalibrationError(f"{path} holds no calibration, or only a part of one; {again}") from None
    if kind != _KIND or version != VERSION:
        raise CalibrationError(
            f"the calibration {path} is of version {version}, and this isamap reads version {VERSION}; {again}"
        )
    try:
        made = _read(document)
    except (KeyError, TypeError, ValueError):
        raise CalibrationError(f"the calibration {path} lacks a part or holds a wrong one; {again}") from None
    if not made.machine.serves(here):
        raise CalibrationError(
            f"the calibration {path} was taken on another machine ({made.machine}), and this is {here}; {again}"
        )
    return made


def _read(document: dict[str, Any]) -> Calibration:
    machine = dict(document["machine"])
    machine["caches"] = tuple((str(n), int(size)) for n, size in machine["caches"])
    costs = tuple((i["name"], Cost(float(i["latency"]), float(i["per_cycle"]))) for i in document["instructions"])
    made = Calibration(
        Identity(**machine),
        float(document["clock"]),
        tuple(Stream(**s) for s in document["streams"]),
        costs,
        float(document["start_threads"]),
        tuple(Ahead(str(a["memory"]), int(a["rows"]), int(a["distance"]), float(a["time"])) for a in document["ahead"]),
        tuple(
            Piece(str(p["memory"]), int(p["height"]), int(p["ahead"]), float(p["cycles"])) for p in document["across"]
        ),
        tuple(Beside(int(b["width"]), float(b["loads"]), float(b["far_row"])) for b in document["beside"]),
        tuple((str(memory), float(cycles)) for memory, cycles in document["latencies"]),
        int(document["near"]),
        str(document["taken"]),
        float(document["seconds"]),
        tuple(document["left_out"]),
        float(document["load"]),
    )
    rates = [
        made.clock,
        *(c.per_cycle for _, c in costs),
        *(x for s in made.streams for x in (s.read, s.write, s.copy)),
    ]
    rates += [
        *(a.time for a in made.ahead),
        *(b.loads for b in made.beside),
        *(c for _, c in made.latencies),
        *(p.cycles for p in made.across),
    ]
    if not all(0 < r < float("inf") for r in rates):
        raise ValueError("a rate is not a positive number")
    if not (NEAREST <= made.near <= FARTHEST and all(0 <= b.far_row < float("inf") for b in made.beside)):
        raise ValueError("a delay is out of range")
    return made
