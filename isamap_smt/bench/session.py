"""One process per contender, asked and answered in turn. A crash, a hang and nonsense are answers too."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from isamap_smt.bench.contenders import Contender
from isamap_smt.bench.machine import core_type

_TAIL = 400  # characters of a dead process' last words


class Failed(Exception):
    """The contender is out of this case. kind: unsupported, failed, crashed or hung."""

    def __init__(self, kind: str, words: str) -> None:
        super().__init__(words)
        self.kind = kind


class Session:
    """The process of a contender; it is started by the first request, and again after it died."""

    def __init__(self, contender: Contender, threads: int, cores: frozenset[int]) -> None:
        self.contender = contender
        self._threads, self._cores = threads, cores
        self._process: subprocess.Popen[bytes] | None = None
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the session
        self._left = b""

    def ask(self, request: dict[str, Any], timeout: float) -> dict[str, Any]:
        """The answer. Raises Failed; after a crash or `timeout` seconds the process is gone."""
        process = self._started()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            answer: dict[str, Any] = json.loads(self._line(process, timeout))
        except (BrokenPipeError, EOFError):
            raise Failed("crashed", self._last_words()) from None
        except ValueError as error:
            self.end()
            raise Failed("failed", f"answered nonsense: {error}") from None
        if "error" in answer:
            raise Failed(answer["kind"], answer["error"])
        return answer

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.end()
            self._left = b""
            self._errors.seek(0)
            self._errors.truncate()
            command = [sys.executable, "-m", "isamap_smt.bench.turns", self.contender.where]
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=environment(self.contender.name, self._threads, os.environ),
                start_new_session=True,  # an interrupt is ours to handle: the process ends when its input does
            )
            if hasattr(os, "sched_setaffinity"):
                os.sched_setaffinity(self._process.pid, self._cores)
        return self._process

    def _line(self, process: subprocess.Popen[bytes], timeout: float) -> bytes:
        """The next line. Raises EOFError at the end, Failed after `timeout` seconds."""
        assert process.stdout is not None
        end = time.monotonic() + timeout
        with selectors.DefaultSelector() as ready:
            ready.register(process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._left:
                if not ready.select(max(0.0, end - time.monotonic())):
                    self.end()
                    raise Failed("hung", f"no answer within {timeout:.0f} s")
                data = os.read(process.stdout.fileno(), 1 << 16)
                if not data:
                    raise EOFError
                self._left += data
        line, _, self._left = self._left.partition(b"\n")
        return line

    def _last_words(self) -> str:
        code = self._process.wait() if self._process else 0
        how = f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip()[-_TAIL:]
        return f"{how}: {said}" if said else how

    def end(self) -> None:
        """No process is left, and none that it started."""
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue
        self._process = None

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()
        self._errors.close()


def environment(name: str, threads: int, given: Mapping[str, str]) -> dict[str, str]:
    """The environment of a contender's process: the number of threads, before any library reads it."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    found = {**given, **dict.fromkeys(names, str(threads))}
    kind = core_type()
    if name == "numpy" and kind and "OPENBLAS_CORETYPE" not in given:
        found["OPENBLAS_CORETYPE"] = kind
    return found
