"""Take a calibration of this machine: clock, bandwidths, instructions and threads, in less than a minute.

Everything is tried several times with the others in between, and the best counts: whatever disturbs a measurement makes
it slower, never faster. Cycles are those of the measured clock.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import product
from statistics import median

from isamap_smt.ir.errors import BuildError
from isamap_smt.ir.hardware import Hardware, Memory
from isamap_smt.ir.instruction import Cost, Instruction
from isamap_smt.ir.ways import behind_registers
from isamap_smt.machine_model.across import ROWS as FAR_ROWS
from isamap_smt.machine_model.across import across, far_rows
from isamap_smt.machine_model.calibration import Ahead, Beside, Calibration, Piece, Stream, identity
from isamap_smt.machine_model.errors import CalibrationError
from isamap_smt.machine_model.latencies import Chase, in_order, share_seconds
from isamap_smt.machine_model.prefetch import TILES, Streamed, streamed
from isamap_smt.machine_model.rates import Rate, Rates, measurable
from isamap_smt.machine_model.streams import OPERATIONS, Streams, streams
from isamap_smt.runtime.clock import clock_ghz
from isamap_smt.scheduling.figures import FAR, FARTHEST, NEAREST, WHOLE
from isamap_smt.scheduling.rows import ADDRESSES

Progress = Callable[[float, str], None]
_ROUNDS = 4
_VECTORS = (16, 32, 64)  # bytes: the widths of registers that streams are measured with
_PAIRS = 5
_TRIES = 4  # sweeps at each prefetch distance in a round
_FAR = 512 << 20  # bytes, the most that a stream from main memory walks over


def calibrate(
    hardware: Hardware, cc: str | None = None, progress: Progress | None = None, rounds: int = _ROUNDS
) -> Calibration:
    """Measure this machine as `hardware` describes it (`host`, with its own caches).

    progress is told the fraction done and the next step. rounds: how often everything is tried. Raises CalibrationError
    without a compiler.
    """
    tell = progress or (lambda fraction, text: None)
    started, busy = time.perf_counter(), round(os.getloadavg()[0], 2)
    tell(0.0, "compiling")
    wanted = [i for i in hardware.computes if measurable(i)]
    rates = _compiled(hardware, wanted, cc)
    clocks = [clock_ghz(cc)]
    if clocks[0] is None:
        raise CalibrationError("the clock cannot be measured without a C compiler; `pip install ziglang`")
    sizes = _sizes(hardware, identity().cores)
    wide = _streams(hardware, cc)
    fetched = streamed(max(wide), _requires(hardware, max(wide)), cc)
    sweeps: dict[tuple[str, int, int], float] = {}
    jobs = _jobs(hardware, wide, sizes, identity().cores)
    best: dict[tuple[str, int, str, int], float] = {}
    tall = {width: far_rows(width, _requires(hardware, width), cc) for width in wide}
    chase, walked = Chase(cc), across(max(wide), _requires(hardware, max(wide)), cc)
    pieces: dict[tuple[str, int, int], float] = {}
    behind = list(sizes)[1:]
    swept = list(product(behind, TILES))
    far: dict[int, list[tuple[float, float]]] = {width: [] for width in tall}
    each = 1 + len(jobs) + len(swept)
    steps = rounds * each
    for n in range(rounds):
        tell(n * each / steps, f"instructions ({n + 1} of {rounds})")
        for r in rates:
            r.measure()
        for width, apart in tall.items():
            far[width].append(apart.seconds())
        clocks.append(clock_ghz(cc))
        for k, (memory, width, operation, cores) in enumerate(jobs, 1):
            tell((n * each + k) / steps, f"{operation} {memory}, {cores} core{'s' * (cores > 1)}")
            rate = wide[width].rate(sizes[memory], operation, cores)
            key = (memory, width, operation, cores)
            best[key] = max(best.get(key, 0.0), rate)
        for k, (memory, (rows, _)) in enumerate(swept, 1 + len(jobs)):
            tell((n * each + k) / steps, f"prefetching {memory}, {rows} row{'s' * (rows > 1)}")
            _keep_best(partial(fetched.seconds, rows, sizes[memory]), (memory, rows), sweeps)
        for memory, height in product(behind, walked.calls):
            _keep_best(partial(walked.seconds, height, sizes[memory]), (memory, height), pieces)
    clock = max(c for c in clocks if c is not None)
    tell(1.0, "latencies")
    waits = in_order([chase.seconds(size) for size in sizes.values()])
    latencies = tuple((m, round(wait * clock * 1e9, 1)) for m, wait in zip(sizes, waits, strict=True))
    found = {name: rate for r in rates for name, rate in r.found.items()}
    start = share_seconds(cc) if identity().cores > 1 else 0.0
    tell(1.0, "done")
    return Calibration(
        identity(),
        round(clock, 4),
        _rows(best, sizes, clock * 1e9),
        tuple((name, _cost(r, clock * 1e9)) for name, r in found.items()),
        round(start * clock * 1e9),
        _ahead(sweeps),
        tuple(Piece(*key, round(t * clock * 1e9, 2)) for key, t in pieces.items()),
        tuple(_beside(width, tries, clock * 1e9) for width, tries in far.items()),
        latencies,
        _near(fetched, sizes, 1 / best[list(sizes)[1], max(wide), "read", 1]),
        datetime.now(UTC).isoformat(timespec="seconds"),
        round(time.perf_counter() - started, 2),
        tuple(sorted(i.name for i in hardware.computes if i.name not in found)),
        busy,
    )


def _compiled(hardware: Hardware, wanted: Sequence[Instruction], cc: str | None) -> list[Rates]:
    """The instructions' measurements; if the compiler refuses one, those it takes. Raises CalibrationError for none."""
    try:
        return [Rates(hardware, wanted, cc)]
    except BuildError as error:
        refused = error
    found = []
    for i in wanted:
        try:
            found.append(Rates(hardware, [i], cc))
        except BuildError:
            continue
    if wanted and not found:
        raise CalibrationError(f"no measurement could be compiled: {refused}") from None
    return found


def _streams(hardware: Hardware, cc: str | None) -> dict[int, Streams]:
    """By width, for the register files of this machine."""
    widths = {_width(file) for file in hardware.memories} & set(_VECTORS)
    found = {width: streams(width, _requires(hardware, width), cc) for width in sorted(widths)}
    return found or {16: streams(16, (), cc)}


def _requires(hardware: Hardware, width: int) -> tuple[str, ...]:
    """Features of the instructions on registers of this width."""
    files = {m.name for m in hardware.memories if _width(m) == width}
    return tuple(sorted({f for i in hardware.instructions if files & set(dict(i.places).values()) for f in i.requires}))


def _keep_best(
    seconds: Callable[[], dict[int, float]], place: tuple[str, int], best: dict[tuple[str, int, int], float]
) -> None:
    """A few tries; best: the least seconds by place and by the keys of seconds()."""
    for _ in range(_TRIES):
        for n, taken in seconds().items():
            best[*place, n] = min(best.get((*place, n), taken), taken)


def _ahead(best: dict[tuple[str, int, int], float]) -> tuple[Ahead, ...]:
    return tuple(Ahead(m, rows, d, round(t / best[m, rows, 0], 4)) for (m, rows, d), t in best.items() if d)


def _near(fetched: Streamed, sizes: dict[str, int], link: float) -> int:
    """core_model()'s part of the link from the second cache; it takes `link` seconds for a byte.

    Tiles computing for longer than the link takes run from the first cache and right after from the second, at their
    best distance.
    """
    first, second = list(sizes.values())[:2]
    found = []
    for rows, columns in TILES:
        step = fetched.width * columns
        for _ in range(_PAIRS if rows > columns else 0):
            compute, time = (min(fetched.seconds(rows, size).values()) * step / size for size in (first, second))
            found.append((WHOLE * time - FAR[1][0] * compute) / (link * step))
    return round(min(FARTHEST, max(NEAREST, median(found))))


def _beside(width: int, tries: list[tuple[float, float]], hertz: float) -> Beside:
    """A step of the tile loads its vector, and an element of each row."""
    packed, in_place = (hertz * min(t[n] for t in tries) for n in (0, 1))
    return Beside(
        width,
        round((FAR_ROWS + 1) / packed, 3),
        round(max(0.0, in_place - packed) / (FAR_ROWS - ADDRESSES), 4),
    )


def _width(file: Memory) -> int:
    return 0 if file.count <= 1 or file.capacity is None else file.capacity // file.count


def _sizes(hardware: Hardware, cores: int) -> dict[str, int]:
    """Bytes to walk over for data in each cache: half of it, or a size between it and the nearer one."""
    found: dict[str, int] = {}
    nearer = 0
    for m in behind_registers(hardware):
        if m.capacity is not None and m.capacity < 4096:
            continue
        if m.capacity is None:
            room = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 8
            found[m.name] = min(4 * max(nearer, 8 << 20), _FAR, room)
            continue
        usable = m.capacity // (2 if m.shared and cores > 1 else 1)
        found[m.name] = max(usable // 2, min((nearer + usable) // 2, usable * 3 // 4))
        nearer = m.capacity
    return found


def _jobs(
    hardware: Hardware, wide: dict[int, Streams], sizes: dict[str, int], cores: int
) -> list[tuple[str, int, str, int]]:
    """(memory, vector width, operation, cores): every width for the nearest cache, the widest for those behind."""
    names = list(sizes)
    found = []
    for n, memory in enumerate(names):
        for width in sorted(wide) if n == 0 else [max(wide)]:
            for operation in OPERATIONS:
                found += [(memory, width, operation, c) for c in ((1, 2) if cores > 1 else (1,))]
    return found


def _rows(best: dict[tuple[str, int, str, int], float], sizes: dict[str, int], hertz: float) -> tuple[Stream, ...]:
    found = []
    for memory, width in dict.fromkeys((m, w) for m, w, _, _ in best):
        row = {("two_" if c == 2 else "") + o: round(rate / hertz, 3)
               for (m, w, o, c), rate in best.items() if (m, w) == (memory, width)}  # fmt: skip
        found.append(Stream(memory, width, sizes[memory], **row))
    return tuple(found)


def _cost(rate: Rate, hertz: float) -> Cost:
    return Cost(round(rate.latency * hertz, 2), round(1 / (rate.interval * hertz), 3))
