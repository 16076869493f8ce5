"""Times of the stages before code: complete mapping sets, proofs with symbolic sizes, schedules with their gap."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass

import isamap_smt as im
from isamap_smt.bench.summary import Spread, spread
from isamap_smt.language.hardware_library import find_hardware, find_instruction
from isamap_smt.language.library import find_kernel
from isamap_smt.mapping.fuse import fuse
from isamap_smt.pipeline.plan import plan
from isamap_smt.proof import prove
from isamap_smt.search import MappingSet, find_mappings

HALF = {"I": "f16", "W": "f16", "O": "f32"}
CONV = dict(n=1, p=56, q=56, k=64, c=64, r=3, s=3, sp=1, sq=1, dp=1, dq=1, pp=1, pq=1)


@dataclass(frozen=True)
class Timed:
    """A stage, what came out in words, its seconds and what was asked."""

    name: str
    outcome: str
    seconds: Spread
    goal: str


def _cold(code: str, turns: int) -> list[float]:
    """Seconds that a fresh interpreter with empty caches spends in `code` itself (imports before the clock)."""
    prefix = "import time, benchmarks.stages as s; t = time.perf_counter(); "
    suffix = "; print(time.perf_counter() - t)"
    found = []
    for _ in range(turns):
        with tempfile.TemporaryDirectory() as empty:
            environment = {**os.environ, "ISAMAP_CACHE": empty}
            command = [sys.executable, "-c", prefix + code + suffix]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        found.append(float(done.stdout.split()[-1]))
    return found


def _times(work: Callable[[], object], turns: int) -> list[float]:
    found = []
    for _ in range(turns):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return found


def map_conv2d() -> object:
    """Every mapping of conv2d onto the 16x16x16 tensor instruction, operands as written."""
    return find_mappings(find_kernel("conv2d").with_dtypes(HALF), find_instruction("wmma.16x16x16"), operands="fixed")


def prove_conv2d() -> object:
    """All claims of one fused mapping of conv2d, every size open."""
    kernel, unit = find_kernel("conv2d").with_dtypes(HALF), find_instruction("wmma.16x16x16")
    return prove(fuse(kernel, unit, "i=n.p.q,j=k,k=r.s.c", "fixed"))


def plan_gemm(cached: bool = False) -> object:
    """Map, prove, schedule and print a GEMM; `cached` does it twice so that the second can be timed."""
    sizes = dict(i=1024, j=700, k=512)
    first = plan(find_kernel("gemm"), find_hardware("host"), sizes=sizes)
    return plan(find_kernel("gemm"), find_hardware("host"), sizes=sizes) if cached else first


def measure(turns: int = 3) -> list[Timed]:
    """All stages, each `turns` times in fresh interpreters where `cold` matters."""
    found = map_conv2d()
    assert isinstance(found, MappingSet)
    words = f"{len(found.legal)} legal, {len(found.unknown)} unknown, complete: {found.complete}"
    proof = prove_conv2d()
    results = [
        Timed("map conv2d onto wmma.16x16x16, operands fixed", words, spread(_cold("s.map_conv2d()", turns)), "< 10 s"),
        Timed(
            "prove one conv2d mapping, all sizes open",
            "proved" if proof else "not proved",
            spread(_cold("s.prove_conv2d()", turns)),
            "< 2 s",
        ),
        Timed("map + prove + schedule + C, GEMM, cold", "", spread(_cold("s.plan_gemm()", turns)), "< 15 s"),
    ]
    plan_gemm()
    results.append(Timed("the same from cache, in process", "", spread(_times(plan_gemm, 9)), "< 0.3 s"))
    for name, kernel, sizes in (
        ("schedule GEMM 1024x1024x1024 on host", "gemm", dict(i=1024, j=1024, k=1024)),
        ("schedule conv2d 56x56x64->64 3x3 on host", "conv2d", CONV),
    ):
        planned = plan(find_kernel(kernel), find_hardware("host"), sizes=sizes)
        again = _times(lambda p=planned, z=sizes: im.schedule(p.proved, p.hardware, z), turns)  # type: ignore[misc]
        words = f"{planned.schedule.status}, gap {planned.schedule.gap:.1%}, {planned.schedule.space}"
        results.append(Timed(name, words, spread(again), "OPTIMAL within 60 s"))
    return results
