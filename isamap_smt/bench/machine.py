"""What machine this is, what may run where, and whether it is quiet: figures mean nothing without it.

Two signs, looked at around every turn: a chain of dependent operations whose cycles are known (it slows when the clock
drops or the core is shared), and the processor time that the system counted beyond what the contenders used.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import archspec.cpu

from isamap_smt.ir.errors import HardwareError
from isamap_smt.language.hardware_library import host_features
from isamap_smt.report.quantities import PACKAGES, versions
from isamap_smt.runtime.clock import chain

_VECTORS = ("avx2", "fma", "avx512f", "avx512_vnni", "avx512_bf16", "avx_vnni", "amx_bf16", "amx_int8")


def describe(packages: Iterable[str] = ()) -> dict[str, str]:
    """CPU with family and model, vector features, cores, load and versions, as text. `packages` besides ours."""
    # those that the system reports, not those of the nearest microarchitecture that archspec knows
    vector = [f for f in _VECTORS if f in host_features()]
    return {
        "cpu": _model(),
        "features": " ".join(vector),
        "cores": str(len(cores())),
        "load": f"{os.getloadavg()[0]:.2f}",
        **versions((*PACKAGES, *packages)),
    }


def _model() -> str:
    """What the CPU calls itself, with the numbers that tell which it is: a virtual machine often hides its name."""
    try:
        first = Path("/proc/cpuinfo").read_text().partition("\n\n")[0]
    except OSError:
        first = ""
    told = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in first.splitlines())}
    name = told.get("model name") or platform.processor() or archspec.cpu.host().name
    return ", ".join(
        [name, *(f"{word} {told[key]}" for word, key in (("family", "cpu family"), ("model", "model")) if key in told)]
    )


def cores() -> list[int]:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def cores_for(threads: int) -> frozenset[int]:
    """As many cores as threads, the last ones: the first takes the system's interrupts. Raises HardwareError."""
    have = cores()
    if threads > len(have):
        there = "1 core" if len(have) == 1 else f"{len(have)} cores"
        raise HardwareError(
            f"--threads {threads}: this process may use {there}; figures for more threads than cores say nothing"
        )
    return frozenset(have[-threads:])


def core_type() -> str | None:
    """What to tell OpenBLAS, which takes CPUs that it does not know for older ones; None where it is right."""
    return "SkylakeX" if "avx512f" in archspec.cpu.host().features else None


def free_bytes() -> int | None:
    """Memory that can be had without swapping; None where the system does not say."""
    try:
        with open("/proc/meminfo") as f:
            found = [line.split()[1] for line in f if line.startswith("MemAvailable:")]
    except OSError:
        return None
    return int(found[0]) << 10 if found else None


_ROUNDS = 50_000
SLOW = 0.93  # of the best speed seen: below, the turn does not count
FOREIGN = 0.15  # of one core: above, the turn does not count


class Probe:
    """The known work on each of some cores at once."""

    def __init__(self, cores: Iterable[int]) -> None:
        """Raises BuildError without a compiler."""
        self._cores = sorted(cores)
        self._chain = chain()
        self.best = 0.0

    def ghz(self) -> float:
        """The clock of the slowest of the cores just now, the better of three; a step takes two cycles."""
        slowest = min(on_each(self._cores, self._one))
        self.best = max(self.best, slowest)
        return slowest

    def _one(self, _: int) -> float:
        return max(self._chain(_ROUNDS) for _ in range(3))


def on_each(cores: Sequence[int], run: Callable[[int], float]) -> list[float]:
    """What run(n) gives on the n-th of these cores, each in a thread of its own at the same time."""

    def one(which: int) -> float:
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {cores[which]})  # of this thread alone
        return run(which)

    with ThreadPoolExecutor(len(cores)) as threads:
        return [f.result() for f in [threads.submit(one, n) for n in range(len(cores))]]


@dataclass(frozen=True)
class Usage:
    """Processor seconds that the whole system, and this process, had used at a time; None where it does not say."""

    at: float
    system: float | None
    own: float


def usage() -> Usage:
    """Now."""
    own = os.times()
    return Usage(time.perf_counter(), _system_seconds(), own.user + own.system)


def foreign(before: Usage, after: Usage, contenders: float) -> float | None:
    """Cores' worth of time used by others between the two; `contenders`: seconds that ours used. None if unknown.

    >>> foreign(Usage(0.0, 10.0, 1.0), Usage(2.0, 13.0, 1.5), 1.5)
    0.5
    """
    if before.system is None or after.system is None or after.at <= before.at:
        return None
    others = after.system - before.system - (after.own - before.own) - contenders
    return max(0.0, others / (after.at - before.at))


def _system_seconds() -> float | None:
    """User, nice, system, interrupts and stolen time of all processors, from /proc/stat."""
    try:
        fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    except OSError:
        return None
    user, nice, system, _idle, _wait, irq, soft, steal = map(int, fields)
    return (user + nice + system + irq + soft + steal) / os.sysconf("SC_CLK_TCK")
