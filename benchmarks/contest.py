"""One shape: a search with each strategy in an empty database, the winners timed in turns, and the cost models' ranks."""

from __future__ import annotations

import math
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from benchmarks.comparison import REFERENCE
from benchmarks.interleave import interleaved
from isamap_smt.bench.case import Case
from isamap_smt.bench.machine import FOREIGN, foreign, usage
from isamap_smt.bench.summary import spread
from isamap_smt.bench.work import sample
from isamap_smt.cli.tune import schedule_words
from isamap_smt.ir.errors import IsamapError
from isamap_smt.machine_model.calibration import calibration_path, identity
from isamap_smt.pipeline.knowledge import cost_model
from isamap_smt.pipeline.tune import tune
from isamap_smt.runtime.cache import cache_directory
from isamap_smt.scheduling.record import Record
from isamap_smt.tuning import loop
from isamap_smt.tuning.database import Database, Trial
from isamap_smt.tuning.loop import Tuned, spearman
from isamap_smt.tuning.protocols import cost_model_names
from isamap_smt.tuning.task import Task
from isamap_smt.tuning.trial import Job, alone, prepared

Tell = Callable[[float, str], None]
Entry = dict[str, Any]


@dataclass(frozen=True)
class Effort:
    """trials: programs of its own that a search tries; budget: seconds after which it stops anyway.

    each: seconds that a search repeats one program for. turns: of the winners, quiet ones; seconds: of each in a turn.
    """

    trials: int = 24
    budget: float = 600.0
    seed: int = 0
    threads: int = 1
    each: float = 0.3
    turns: int = 15
    seconds: float = 0.05


def name_of(case: Case) -> str:
    """Kernel and sizes: names of different suites may be the same."""
    return f"{case.kernel} {case.name}"


def tell_part(tell: Tell, n: int, of: int, name: str, fraction: float, words: str) -> None:
    """Tell of the n-th of several parts that follow each other."""
    tell((n + fraction) / of, f"{name}: {words}")


@contextmanager
def noticed_interrupts() -> Iterator[Callable[[], None]]:
    """A function that raises KeyboardInterrupt if Ctrl-C came, also where a solver took it for the end of its own search."""
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    came: list[int] = []

    def notice(number: int, frame: FrameType | None) -> None:
        came.append(number)
        before(number, frame)

    def check() -> None:
        if came:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, notice)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, before)


def measure_shape(
    case: Case, strategies: Sequence[str], effort: Effort, tell: Tell, check: Callable[[], None]
) -> tuple[Entry, Tuned | None]:
    """Search with each strategy, then time all winners in turns. Also what random search found, for the cost models.

    check() is called after each search: one that was cut short counts nowhere.
    """
    found: dict[str, Tuned] = {}
    about: dict[str, Entry] = {}
    for n, name in enumerate(strategies):
        about[name] = {"reason": "", "programs": 0, "own": None, "kept": None}
        try:
            found[name] = _search(case, name, effort, partial(tell_part, tell, n, len(strategies) + 1, name))
        except Exception as error:  # whatever it is, the comparison goes on without this strategy
            about[name]["reason"] = _line(error)
            continue
        finally:
            check()
        about[name] |= _searched(found[name], effort)
    records = {x["program"]: x["record"] for a in about.values() for x in (a["own"], a["kept"]) if x}
    tell(len(strategies) / (len(strategies) + 1), f"timing {len(records)} winners in turns")
    rates, turns, broken = _timed(next(iter(found.values())).task, records, effort) if records else ({}, {}, {})
    random = about[REFERENCE]
    for a in about.values():
        for which in ("own", "kept"):
            if a[which] and (why := broken.get(a[which]["program"])):
                a["reason"], a[which] = f"its winner could not be run again: {why}", None
    for name, a in about.items():
        for which in ("own", "kept"):
            _rate(a[which], random[which] if name != REFERENCE else None, rates, case.operations)
    for a in about.values():
        for x in filter(None, (a["own"], a["kept"])):
            x["schedule"] = schedule_words(x.pop("record"))
    entry = {
        "name": name_of(case),
        "case": case.document(),
        "operations": case.operations,
        "turns": turns or {"quiet": 0, "dropped": 0, "noisy": False},
        "strategies": dict(sorted(about.items(), key=lambda x: x[0])),
        "ranks": {},
    }
    return entry, found.get(REFERENCE)


def _search(case: Case, strategy: str, effort: Effort, tell: Tell) -> Tuned:
    """One search in an empty database. Raises KeyboardInterrupt for one that was interrupted: its budget was not equal."""
    with empty_cache():
        found = tune(
            case.problem(), "host", sizes=case.size, threads=effort.threads, strategy=strategy, seed=effort.seed,
            budget=effort.budget, trials=effort.trials + 1, each=effort.each, progress=tell,
        )  # fmt: skip
    if found.ended == loop.INTERRUPTED:
        raise KeyboardInterrupt
    return found


@contextmanager
def empty_cache() -> Iterator[None]:
    """A cache directory of its own: no measurements, nothing built. The user's calibration is copied into it, and the lock
    that keeps two programs from being timed at once stays the user's.
    """
    mine, before = cache_directory().parent.resolve(), os.environ.get("ISAMAP_CACHE")
    with tempfile.TemporaryDirectory(prefix="isamap-strategies-", ignore_cleanup_errors=True) as place:
        if calibration_path().exists():
            shutil.copy(calibration_path(), place)
        Path(place, "timing.lock").symlink_to(mine / "timing.lock")
        os.environ["ISAMAP_CACHE"] = place
        try:
            yield
        finally:
            if before is None:
                del os.environ["ISAMAP_CACHE"]
            else:
                os.environ["ISAMAP_CACHE"] = before


def proposals(found: Tuned, count: int) -> list[Trial]:
    """The first `count` programs that the strategy asked for itself.

    The exact choice that every search begins with is one of them only if the strategy proposed it.
    """
    assert found.space is not None
    trials = {t.program: t for t in found.trials}
    return [trials[k] for k in dict.fromkeys(map(found.space.key, found.proposed))][:count]


def _searched(found: Tuned, effort: Effort) -> Entry:
    """What one search gave. own: the best of its own programs; kept: the winner, which may be the exact choice."""
    tried = proposals(found, effort.trials)
    right = [t for t in tried if t.seconds is not None]
    raced = dict(found.race)
    best = min(right, key=lambda t: (t.program not in raced, raced.get(t.program, t.seconds), t.program), default=None)
    reason = ""
    if not tried:
        reason = f"it proposed nothing: {found.ended}"
    elif best is None:
        reason = f"no program that it proposed ({len(tried)}) was measured; the first: {_line(tried[0].reason)}"
    kept = found.winner
    return {
        "reason": reason,
        "programs": len(tried),
        "without_time": len(tried) - len(right),
        "seconds": found.seconds,
        "ended": found.ended,
        "own": best and {"program": best.program, "record": best.record, "search_seconds": best.seconds},
        "kept": kept and {"program": kept.program, "record": kept.record, "search_seconds": kept.seconds},
    }


def _timed(
    task: Task, records: dict[str, Record], effort: Effort
) -> tuple[dict[str, list[float]], Entry, dict[str, str]]:
    """(calls per second of each program in every turn, how quiet these were, why a program could not be run)."""
    runs: dict[str, Callable[[], None]] = {}
    broken: dict[str, str] = {}
    with empty_cache():
        for program, record in records.items():
            job = Job(task.kernel, task.hardware, task.sizes, record, task.threads)
            try:
                runs[program] = prepared(job)[0].run
            except (IsamapError, MemoryError) as error:
                broken[program] = _line(error)
        with alone():
            rates, turns = take_turns(runs, effort)
    return rates, turns, broken


def take_turns(runs: dict[str, Callable[[], None]], effort: Effort) -> tuple[dict[str, list[float]], Entry]:
    """Calls per second in every turn. Turns in which others use the processors are repeated, three times as many at most;
    they count only where too few are quiet.
    """
    quiet: list[dict[str, float]] = []
    spare: list[dict[str, float]] = []
    names = [*runs]
    while names and len(quiet) < effort.turns and len(quiet) + len(spare) < 3 * effort.turns:
        shift = (len(quiet) + len(spare)) % len(names)
        order = names[shift:] + names[:shift]
        before = usage()
        turn = interleaved({n: partial(_calls, runs[n], effort.seconds) for n in order}, 1)
        others = foreign(before, usage(), 0.0)
        (spare if others is not None and others > FOREIGN else quiet).append({n: turn[n][0] for n in names})
    used = quiet if len(quiet) > effort.turns // 2 else quiet + spare
    about = {"quiet": len(quiet), "dropped": len(spare), "noisy": len(quiet) < effort.turns}
    return {n: [turn[n] for turn in used] for n in names}, about


def _calls(run: Callable[[], None], seconds: float) -> float:
    """Calls per second, by the quickest."""
    return 1.0 / sample(run, seconds).seconds


def _rate(mine: Entry | None, random: Entry | None, rates: dict[str, list[float]], operations: float) -> None:
    """Add a winner's GF/s and, turn by turn, its speed over that of random's winner."""
    if mine is None:
        return
    own = rates[mine["program"]]
    mine["gflops"] = asdict(spread([r * operations / 1e9 for r in own]))
    mine["ratios"] = [a / b for a, b in zip(own, rates[random["program"]], strict=True)] if random else []
    mine["ratio"] = asdict(spread(mine["ratios"])) if random else None


def ranks(searched: dict[str, Tuned], count: int) -> dict[str, Entry]:
    """By shape and cost model: Spearman's rank correlation over the programs of random search that have a time.

    A model that learns is given what random search measured of the other shapes, and none of this one.
    """
    here = identity()
    found: dict[str, Entry] = {}
    for shape, mine in searched.items():
        found[shape] = {}
        with tempfile.TemporaryDirectory() as place, Database(Path(place) / "tuning.sqlite") as database:
            for other, theirs in searched.items():
                for t in proposals(theirs, count) if other != shape else ():
                    database.add(theirs.task.digest, str(theirs.task), here.digest, str(here), t)
            for model in cost_model_names():
                try:
                    found[shape][model] = {**_rank(mine, model, count, database), "reason": ""}
                except Exception as error:  # a model of another package may fail in its own way
                    found[shape][model] = {"value": None, "programs": 0, "reason": _line(error)}
    return found


def _rank(found: Tuned, name: str, count: int, database: Database) -> Entry:
    assert found.space is not None
    points = {found.space.key(p): p for p in found.proposed}
    right = [(t.seconds, points[t.program]) for t in proposals(found, count) if t.seconds is not None]
    predicted = cost_model(name, found.task.hardware, database).predict(found.space, [p for _, p in right])
    pairs = [(p, seconds) for p, (seconds, _) in zip(predicted, right, strict=True) if math.isfinite(p)]
    return {"value": spearman([p for p, _ in pairs], [s for _, s in pairs]), "programs": len(pairs)}


def _line(words: object) -> str:
    """The first line, with the kind of an error that is not ours."""
    text = (str(words).splitlines() or [""])[0]
    return (
        f"{type(words).__name__}: {text}"
        if isinstance(words, Exception) and not isinstance(words, IsamapError)
        else text
    )
