"""Work of planning: searches, mapping proofs, lowerings, schedules and solver questions, with CPU seconds, in a cold process each.

python -m benchmarks.planning_work [--hardware NAME] [--profile] [PART]   questions whose name contains PART; JSON lines with --json
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import pstats
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from typing import Any

# What is counted: each is replaced wherever a module holds it by name.
COUNTED = {
    "searches": "isamap_smt.search.find:find_mappings",
    "mapping proofs": "isamap_smt.proof.mapping:prove_after",
    "schedules": "isamap_smt.scheduling:scheduled",
    "lower": "isamap_smt.codegen.lower:lower",
    "nests": "isamap_smt.codegen.nest:build_nest",
    "program proofs": "isamap_smt.proof.program:require_proof",
    "solver checks": "isamap_encodings.solve:run",
}

CONV = dict(p=56, q=56, k=64, c=64, r=3, s=3)
_CONV_TEXT = """
temporary T
T[p,q,k] += I[p+r,q+s,c] * W[r,s,c,k]
O[p,q,k] = relu(T[p,q,k] + B[k])
"""


@dataclass(frozen=True)
class Question:
    """A kernel (of the library, FILE:NAME, or text), its machine, sizes and constant inputs."""

    name: str
    kernel: str
    sizes: dict[str, int]
    hardware: str = "host"
    constant: tuple[str, ...] = ()


QUESTIONS = (
    Question("layer norm 64x100", "examples/norms.py:LAYER_NORM", dict(i=64, n=100), "avx2"),
    Question("layer norm 512x1024", "examples/norms.py:LAYER_NORM", dict(i=512, n=1024)),
    Question("softmax 512x1024", "examples/norms.py:SOFTMAX", dict(i=512, n=1024)),
    Question("gemm 100x70x64", "gemm", dict(i=100, j=70, k=64)),
    Question(
        "conv 54x54x64x64x3x3", "conv2d",
        dict(n=1, p=54, q=54, k=64, c=64, r=3, s=3, sp=1, sq=1, dp=1, dq=1, pp=0, pq=0),
    ),
    Question("conv bias relu 56x56x64", _CONV_TEXT, CONV, constant=("W",)),
    Question("attention 12x128x128x64", "examples/attention.py:ATTENTION", dict(h=12, q=128, k=128, d=64)),
    Question("gru 8x4x512x512", "gru", dict(t=8, b=4, c=512, j=512)),
)  # fmt: skip


def counted() -> Counter[str]:
    """Counts of the calls from now on, of functions in modules that are imported already."""
    counts: Counter[str] = Counter()

    def counting(what: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def called(*given: Any, **named: Any) -> Any:
            counts[what] += 1
            return function(*given, **named)

        return called

    for what, place in COUNTED.items():
        module, _, name = place.partition(":")
        old = getattr(import_module(module), name)
        new = counting(what, old)
        for m in [m for m in sys.modules.values() if hasattr(m, "__dict__")]:
            for key in [k for k, v in vars(m).items() if v is old]:
                setattr(m, key, new)
    return counts


def measured(q: Question, profiled: bool = False) -> dict[str, Any]:
    """Plan it: counts, CPU seconds (after imports and the machine's description), and what was planned."""
    import isamap_encodings.cover_model
    import isamap_encodings.schedule_model  # noqa: F401  (CP-SAT is loaded before the clock starts)
    import isamap_smt as im
    from isamap_smt.language.library import found_kernel
    from isamap_smt.pipeline.plan import plan

    kernel = im.kernel(q.kernel, name="conv_bias_relu") if "\n" in q.kernel else found_kernel(q.kernel)
    machine = im.find_hardware(q.hardware)
    counts = counted()
    profile = cProfile.Profile(time.process_time)
    if profiled:
        profile.enable()
    started = time.process_time()
    made = plan(kernel, machine, sizes=q.sizes, constant=q.constant)
    seconds = time.process_time() - started
    if profiled:
        profile.disable()
        pstats.Stats(profile, stream=sys.stderr).sort_stats("cumulative").print_stats(90)
    return {
        "name": q.name,
        **{what: counts[what] for what in COUNTED},
        "CPU seconds": round(seconds, 2),
        "cycles": round(made.cycles, 3),
        "fingerprint": made.fingerprint[:12],
        "obligations": len(made.proof.claims),
    }


def _cold(q: Question, profiled: bool) -> dict[str, Any]:
    """The same in a process of its own, without decisions of others."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.planning_work", "--here", q.name, "--hardware", q.hardware]
        env = {**os.environ, "XDG_CACHE_HOME": folder}
        out = subprocess.run(
            [*command, *(["--profile"] if profiled else [])], env=env, check=True, stdout=subprocess.PIPE, text=True
        )
    found: dict[str, Any] = json.loads(out.stdout)
    return found


def main() -> None:
    """The command line, above."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("part", nargs="?", default="")
    parser.add_argument("--hardware", help="instead of each question's own")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--here", help=argparse.SUPPRESS)
    given = parser.parse_args()
    chosen = [
        Question(q.name, q.kernel, q.sizes, given.hardware or q.hardware, q.constant)
        for q in QUESTIONS
        if (q.name == given.here if given.here else given.part in q.name)
    ]
    if given.here:
        print(json.dumps(measured(chosen[0], given.profile)))
        return
    for q in chosen:
        found = _cold(q, given.profile)
        print(json.dumps(found) if given.json else "  ".join(f"{k} {v}" for k, v in found.items()), flush=True)


if __name__ == "__main__":
    main()
