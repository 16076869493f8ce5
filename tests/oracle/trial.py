"""Cases carried out in a worker process and judged against the oracle."""

from __future__ import annotations

import base64
import contextlib
import json
import math
import os
import re
import selectors
import signal
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.oracle.case import Case, Expected, expected
from tests.oracle.meaning import Outside
from tests.oracle.numbers import decoded

EQUAL, WRONG, CRASH, FAULT, REFUSED, UNKNOWN, SLOW, NONE = (
    "equal", "wrong", "crash", "fault", "refused", "unknown", "slow", "no meaning",
)  # fmt: skip
BAD = (WRONG, CRASH, FAULT)
# what the oracle raises for texts that say nothing; those are counted, so that it does not hide what it cannot read
NO_MEANING = (Outside, ArithmeticError, AssertionError, LookupError, NameError, SyntaxError, TypeError, ValueError)
POISON = {"ISAMAP_POISON": "255"}  # NaN, and numbers near the largest: nothing may depend on them
_REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Outcome:
    """What became of a case. kind: one of those above; compiled: whether machine code was made and called."""

    kind: str
    said: str = ""
    stage: str = ""
    compiled: bool = False
    instruction: str = ""
    notes: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def signature(self) -> str:
        """The same for outcomes that most likely have one cause."""
        lines = self.said.strip().splitlines() or [""]
        line = lines[-1] if self.kind == CRASH else lines[0] if self.kind != FAULT else " ".join(lines[1:2])
        return f"{self.kind} {self.stage}: {_without_names(line)[:110]}"

    @property
    def given_up(self) -> tuple[str, ...]:
        """Why statements are computed element by element; the same for what most likely has one cause."""
        reasons = [n.partition("element by element, in portable C: ")[2] for n in self.notes]
        return tuple(_without_names(r)[:140] for r in reasons if r)


def _without_names(line: str) -> str:
    return re.sub(r"'[^']*'|`[^`]*`|\b[A-Za-z_]\w*\[[^\]]*\]|-?\d[\d.e+-]*", "_", line)


def quick_compiler(folder: Path) -> str:
    """A compiler that optimises little: gcc where it is, with -O1 after the flags that it is given; else the usual one."""
    from shutil import which

    if which("gcc") is None:
        return ""
    script = folder / "gcc-quick"
    if not script.exists():
        script.write_text('#!/bin/sh\nexec gcc "$@" -O1\n')
        script.chmod(0o755)
    return str(script)


class Worker:
    """A process that is started anew after it died or was too slow."""

    def __init__(self, seconds: float = 60.0, planted: str = "") -> None:
        """seconds: for one case. planted: a fault to put into the worker's isamap, by its name in planted.py."""
        self.seconds, self.planted = seconds, planted
        self.process: subprocess.Popen[bytes] | None = None
        self.folder = tempfile.TemporaryDirectory(prefix="isamap-fuzz-")
        self.quick = quick_compiler(Path(self.folder.name))

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()
        self.folder.cleanup()

    def stop(self) -> None:
        """End the process and its compilers."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None

    def _started(self) -> subprocess.Popen[bytes]:
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.oracle.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, cwd=_REPOSITORY, start_new_session=True,
                env={**os.environ, "ISAMAP_PLANTED": self.planted, "ISAMAP_CACHE": self.folder.name, **POISON},
            )  # fmt: skip
        return self.process

    def ask(self, case: Case, given: Expected) -> dict[str, Any] | str:
        """The worker's answer, or in words what became of the worker."""
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        sent = asdict(case) | {"compiler": self.quick if case.compiler == "quick" else case.compiler}
        arrays = given.arrays() | {"shapes": given.shapes}
        try:
            process.stdin.write(json.dumps({"case": sent, "arrays": arrays}).encode() + b"\n")
            process.stdin.flush()
            with selectors.DefaultSelector() as selector:
                selector.register(process.stdout, selectors.EVENT_READ)
                if not selector.select(self.seconds):
                    self.stop()
                    return SLOW
            line = process.stdout.readline()
        except BrokenPipeError:
            line = b""
        if line:
            return json.loads(line)  # type: ignore[no-any-return]
        status = process.wait()
        self.stop()
        return f"the process died: {signal.Signals(-status).name if status < 0 else f'status {status}'}"

    def trial(self, case: Case) -> Outcome:
        """The case, carried out and judged."""
        try:
            want = expected(case)
        except NO_MEANING as why:
            return Outcome(NONE, f"{type(why).__name__}: {why}", "oracle")
        found = self.ask(case, want)
        if isinstance(found, str):
            return Outcome(SLOW if found == SLOW else CRASH, found, "worker")
        return judged(want, found)


def judged(want: Expected, found: dict[str, Any]) -> Outcome:
    """What the worker's answer means."""
    stage, seconds, ran = found["stage"], found["seconds"], "computed" in found
    common: dict[str, Any] = {"seconds": seconds, "compiled": ran, "instruction": found.get("instruction", "")}
    common["notes"] = tuple(found.get("notes", ()))
    shapes = {n: list(s) for n, s in want.shapes.items()}
    if found["shapes"] and shapes != found["shapes"]:
        return Outcome(WRONG, f"shapes {found['shapes']}, the oracle says {shapes}", "shapes", **common)
    for name, stage_of in (("interpreted", "interpreter"), ("computed", "call")):
        if said := _differences(want, found.get(name, {})):
            return Outcome(WRONG, said, stage_of, **common)
    if said := _disagreement(want, found):
        return Outcome(WRONG, said, "call", **common)
    if "error" in found:
        return Outcome(_refusal(found), f"{found['error']}: {found['said']}", stage, **common)
    if faults := [n for n in found["notes"] if "fault of" in n]:
        said = (n.partition("Its proof: ")[2].strip() or n for n in faults)
        return Outcome(
            FAULT, "\n".join(("given up", *said)), "plan", **common
        )  # it was refuted and not run, but isamap made it
    return Outcome(EQUAL, "", "done", **common)


def _differences(want: Expected, found: dict[str, str]) -> str:
    if found and set(found) != set(want.results):
        return f"results {sorted(found)}, the oracle says {sorted(want.results)}"
    for name, data in found.items():
        numbers = decoded(want.kinds[name], base64.b64decode(data))
        if said := want.results[name].difference(numbers):
            return said
    return ""


def _disagreement(want: Expected, found: dict[str, Any]) -> str:
    """Where the interpreter and the machine code should have the same bits and have not: what the oracle knows roughly."""
    for name, held in want.results.items():
        if "computed" in found and not held.reordered and (held.vague or held.loose):
            first, second = (
                decoded(want.kinds[name], base64.b64decode(found[x][name])) for x in ("interpreted", "computed")
            )  # fmt: skip
            wrong = [
                n
                for n, (a, b) in enumerate(zip(first, second, strict=True))
                if a != b and not (math.isnan(a) and math.isnan(b))
            ]
            if wrong:
                a, b = first[wrong[0]], second[wrong[0]]
                return f"{len(wrong)} of {len(first)} elements of {name} differ: interpreter {a!r}, machine code {b!r}"
    return ""


def _refusal(found: dict[str, Any]) -> str:
    said = found["said"]
    if not found["refused"]:
        return CRASH
    if "fault of" in said:
        return FAULT
    if found["error"] == "BuildError":
        return CRASH  # a C compiler that refuses our C
    return UNKNOWN if found["error"] == "NotProvedError" else REFUSED
