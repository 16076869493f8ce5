"""One case, all contenders: results checked first, then A B A B, and what counts is the ratio within a turn."""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from isamap_smt.bench.case import Case, from_document
from isamap_smt.bench.contenders import OURS
from isamap_smt.bench.data import check, expected, inputs, tolerance
from isamap_smt.bench.machine import FOREIGN, SLOW, Probe, foreign, usage
from isamap_smt.bench.session import Failed, Session
from isamap_smt.bench.summary import spread
from isamap_smt.bench.work import Unsupported, Work, sample

# ---- The process of one contender: it opens a case, runs it when asked, and answers in lines of JSON.
#
# {"do": "open", "case": ..., "condition", "threads", "folder", "output"} -> {"about", "version"} {"do": "turn",
# "seconds": 0.05} -> {"seconds", "samples", "dropped", "cpu"} {"do": "peak"} -> {"peak"} {"do": "close"} -> {}
#
# A failure answers {"error", "kind": "unsupported" | "failed"}. The process ends when its input does, so it never
# outlives the run that started it. Whatever a library prints goes to standard error.


class Worker:
    """Holds at most one open case."""

    def __init__(self, where: str) -> None:
        """where: module:function, of the kind work.Open."""
        module, function = where.split(":")
        self._open = getattr(importlib.import_module(module), function)
        self._work: Work | None = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Do what is asked; see the module."""
        match request["do"]:
            case "open":
                return self._opened(request)
            case "turn" if self._work is not None:
                before = _cpu()
                taken = sample(self._work.run, request["seconds"])
                return {
                    "seconds": taken.seconds,
                    "samples": taken.samples,
                    "dropped": taken.dropped,
                    "cpu": _cpu() - before,
                }
            case "peak" if self._work is not None:
                return {"peak": self._work.peak() if self._work.peak else None}
            case "close":
                self._work = None
                gc.collect()
                return {}
        raise ValueError(f"no such request {request}")

    def _opened(self, request: dict[str, Any]) -> dict[str, Any]:
        case = from_document(request["case"])
        arrays = load_arrays(case.problem(), Path(request["folder"]))
        work = self._open(case, request["condition"], request["threads"], arrays, request.get("options", {}))
        work.run()
        save_array(Path(request["output"]), work.result())
        self._work = work
        return {"about": work.about}


def load_arrays(kernel: Any, folder: Path) -> dict[str, np.ndarray]:
    """The inputs that save_array() left, in memory of this process that starts at a cache line."""
    from isamap_smt.runtime.memory import aligned_empty

    found = {}
    for name in kernel.inputs:
        held = np.load(folder / f"{name}.npy", mmap_mode="r")
        dtype = kernel.tensor(name).dtype.numpy
        array = aligned_empty(held.shape, dtype)
        array.view(held.dtype)[...] = held
        found[name] = array
    return found


def save_array(path: Path, array: np.ndarray) -> None:
    """As .npy; element types that NumPy has no name for (bf16) as their bits."""
    kind = array.dtype if array.dtype.kind in "fiu" else np.dtype(f"u{array.dtype.itemsize}")
    np.save(path, np.asarray(array, order="C").view(kind))  # which leaves a number without dimensions as it is


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Answer requests until the input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    worker: Worker | None = None
    for line in sys.stdin:
        try:
            worker = worker or Worker(sys.argv[1])
            answer = worker.answer(json.loads(line))
        except Unsupported as error:
            answer = {"error": str(error), "kind": "unsupported"}
        except BaseException as error:  # whatever it is, the run goes on without this contender
            answer = {"error": f"{type(error).__name__}: {error}", "kind": "failed"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()


Tell = Callable[[str], None]
_PEAK = "peak of the instruction"  # operations per second, among the seconds of a turn
_SETTLE = 0.01  # seconds: libraries' threads go on spinning for a while after a call


@dataclass(frozen=True)
class Effort:
    """turns: how many to keep. seconds: of each contender in a turn; patience: for an answer.

    plan: how isamap schedules; see peers.ours.open_case.
    """

    turns: int = 9
    seconds: float = 0.1
    patience: float = 900.0
    plan: dict[str, Any] = field(default_factory=dict)

    @property
    def attempts(self) -> int:
        """Turns at most, those dropped included."""
        return 3 * self.turns


@dataclass
class _Log:
    """What the turns gave. rates: operations per second by contender, one for each turn kept."""

    rates: dict[str, list[float]]
    samples: dict[str, int] = field(default_factory=dict)
    dropped: dict[str, int] = field(default_factory=dict)
    clocks: list[float] = field(default_factory=list)
    peaks: list[float] = field(default_factory=list)
    busy: list[str] = field(default_factory=list)
    quiet: int = 0
    noisy: bool = False


def measure(
    case: Case,
    condition: str,
    threads: int,
    sessions: list[Session],
    probe: Probe,
    folder: Path,
    effort: Effort,
    tell: Tell,
) -> dict[str, Any]:
    """The entry of one case in the results. A contender that fails, crashes, hangs or is wrong is out, and said."""
    arrays = inputs(case)
    wanted = expected(case, arrays)
    for name, array in arrays.items():
        save_array(folder / f"{name}.npy", array)
    del arrays
    about: dict[str, dict[str, Any]] = {}
    ready: list[Session] = []
    for session in sessions:
        name = session.contender.name
        tell(f"{case.name}: {name} gets ready")
        about[name] = _enter(session, case, condition, threads, folder, effort, wanted)
        if about[name]["status"] == "ok":
            ready.append(session)
    log = _take_turns(ready, case, about, probe, effort, tell)
    for session in sessions:
        with contextlib.suppress(Failed):
            session.ask({"do": "close"}, 60.0)
    return _entry(case, condition, threads, about, log)


def _enter(
    session: Session, case: Case, condition: str, threads: int, folder: Path, effort: Effort, wanted: np.ndarray
) -> dict[str, Any]:
    """Open the case and check the first result. Status ok, wrong, unsupported, failed, crashed or hung."""
    output = folder / f"{session.contender.name}-out.npy"
    request = {
        "do": "open", "case": case.document(), "condition": condition, "threads": threads, "folder": str(folder),
        "output": str(output), "options": effort.plan,
    }  # fmt: skip
    try:
        answer = session.ask(request, effort.patience)
        got = _result(output, session.contender.name)
    except Failed as error:
        return {"status": error.kind, "words": str(error)}
    except (OSError, ValueError) as error:
        return {"status": "failed", "words": f"its result cannot be read: {error}"}
    verdict = check(got, wanted, tolerance(case, ours=session.contender.name == OURS))
    found = {"exact": verdict.exact, "error": verdict.error, "about": answer["about"]}
    return {"status": "ok" if verdict.right else "wrong", "words": verdict.words, **found}


def _result(path: Path, name: str) -> np.ndarray:
    """What the contender wrote; two-byte words are bf16."""
    got: np.ndarray = np.load(path)
    path.unlink()
    if got.dtype == np.uint16:
        import ml_dtypes

        return got.view(ml_dtypes.bfloat16)
    return got


def _take_turns(
    ready: list[Session], case: Case, about: dict[str, dict[str, Any]], probe: Probe, effort: Effort, tell: Tell
) -> _Log:
    log = _Log({s.contender.name: [] for s in ready})
    kept: list[dict[str, float]] = []
    spare: list[dict[str, float]] = []  # turns of a machine that was not quiet: used only if there are no others
    attempt = 0
    while ready and len(kept) < effort.turns and attempt < effort.attempts:
        tell(f"{case.name}: turn {len(kept) + 1} of {effort.turns}" + (f", {len(spare)} dropped" if spare else ""))
        shift = attempt % len(ready)
        seconds, why = _turn(ready[shift:] + ready[:shift], about, probe, effort, log)
        ready = [s for s in ready if about[s.contender.name]["status"] == "ok"]
        (spare if why else kept).append(seconds)
        if why:
            log.busy.append(why)
        attempt += 1
    log.quiet, log.noisy = len(kept), len(kept) < effort.turns
    used = kept if len(kept) > effort.turns // 2 else kept + spare
    for turn in used:
        log.peaks += [turn[_PEAK]] if _PEAK in turn else []
        for session in ready:
            log.rates[session.contender.name].append(case.operations / turn[session.contender.name])
    return log


def _turn(
    order: list[Session], about: dict[str, dict[str, Any]], probe: Probe, effort: Effort, log: _Log
) -> tuple[dict[str, float], str]:
    """(seconds of a call by contender and the peak, why the turn does not count or nothing)."""
    clock = probe.ghz()
    before, used = usage(), 0.0
    seconds: dict[str, float] = {}
    for session in order:
        name = session.contender.name
        try:
            if name == OURS:
                peak = session.ask({"do": "peak"}, effort.patience)["peak"]
                seconds |= {_PEAK: peak} if peak else {}
            answer = session.ask({"do": "turn", "seconds": effort.seconds}, effort.patience)
        except Failed as error:
            about[name] = {"status": error.kind, "words": str(error)}
            continue
        seconds[name] = answer["seconds"]
        used += answer["cpu"]
        log.samples[name] = log.samples.get(name, 0) + answer["samples"]
        log.dropped[name] = log.dropped.get(name, 0) + answer["dropped"]
        time.sleep(_SETTLE)
    others = foreign(before, usage(), used)
    clock = min(clock, probe.ghz())
    log.clocks.append(clock)
    if clock < SLOW * probe.best:
        return seconds, f"known work ran at {clock / probe.best:.0%} of its speed"
    if others is not None and others > FOREIGN:
        return seconds, f"others used {others:.0%} of a core"
    return seconds, ""


def _entry(case: Case, condition: str, threads: int, about: dict[str, dict[str, Any]], log: _Log) -> dict[str, Any]:
    """The record; rates in GF/s (10^9 operations a second)."""
    rates = {n: r for n, r in log.rates.items() if r and about[n]["status"] == "ok"}
    for name, values in rates.items():
        about[name]["gflops"] = asdict(spread([v / 1e9 for v in values], log.dropped[name]))
        about[name]["samples"] = log.samples[name]
    peers = {n: about[n]["gflops"]["median"] for n in rates if n != OURS}
    best = max(peers, key=lambda n: peers[n]) if peers else None
    share = [r / 1e9 for r in rates.get(OURS, [])]
    peaks = [p * threads / 1e9 for p in log.peaks]
    ratio = None
    if best is not None and OURS in rates:
        ratio = asdict(spread([a / b for a, b in zip(rates[OURS], rates[best], strict=True)]))
    return {
        "case": case.document(),
        "condition": condition,
        "threads": threads,
        "operations": case.operations,
        "bytes": case.traffic(),
        "contenders": about,
        "best_peer": best,
        "ratio": ratio,
        "peak": spread(peaks).median if peaks else None,
        "share": asdict(spread([r / p for r, p in zip(share, peaks, strict=True)])) if share and peaks else None,
        "clock": asdict(spread(log.clocks)) if log.clocks else None,
        "turns": {"quiet": log.quiet, "dropped": len(log.busy), "noisy": log.noisy},
        "busy": sorted(set(log.busy)),
    }
