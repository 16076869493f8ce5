"""The process of one contender: it opens a case, runs it when asked, and answers in lines of JSON.

    {"do": "open", "case": ..., "condition", "threads", "folder", "output"}   -> {"about", "version"}
    {"do": "turn", "seconds": 0.05}                                             -> {"seconds", "samples", "dropped", "cpu"}
    {"do": "peak"}                                                              -> {"peak"}
    {"do": "close"}                                                             -> {}

A failure answers {"error", "kind": "unsupported" | "failed"}. The process ends when its input does, so it never
outlives the run that started it. Whatever a library prints goes to standard error.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import sys
from pathlib import Path
from typing import Any

import numpy as np

from isamap_smt.bench.case import from_document
from isamap_smt.bench.work import Unsupported, Work, sample


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
