"""Figures of machines with engines: predicted against simulated cycles, one slot against several, 512^3, the proof's time.

python -m benchmarks.engines [-o benchmarks/RESULTS_ENGINES.md]
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import isamap_smt as im
from isamap_smt.pipeline.plan import Plan
from isamap_smt.pipeline.staged import stage
from isamap_smt.simulator import simulate

ROOT = Path(__file__).parent.parent
MACHINE = f"{ROOT / 'examples' / 'outer_product.py'}:MACHINE"
SEED, SIZES, MOST = 1810, 20, 160  # seeded sizes, each axis from 1 to MOST
CUBE = 512


def variants(machine: im.Hardware) -> dict[str, im.Hardware]:
    """The machine as it is, and with one thing changed."""
    pad, accumulators = machine.memories
    slow = tuple(
        replace(i, work=replace(i.work, each=2 * i.work.each)) if i.work and i.engine != "execute" else i
        for i in machine.instructions
    )
    return {
        "as described": machine,
        "half the scratchpad": replace(machine, memories=(replace(pad, capacity=pad.capacity // 2), accumulators)),
        "half the bandwidth": replace(machine, instructions=slow),
    }


def run(kernel: str, machine: im.Hardware, sizes: dict[str, int], fix: dict[str, Any]) -> tuple[Plan, float]:
    """A plan, and the cycles it takes in the simulator. Raises AssertionError for a wrong result."""
    plan = stage(kernel, machine, sizes=sizes, fix=fix)
    rng = np.random.default_rng(0)
    full = im.find_kernel(kernel).with_sizes(sizes)
    arrays = {n: rng.standard_normal([int(e) for e in full.tensor(n).shape]).astype(np.float32) for n in full.inputs}
    seen = simulate(plan.program, arrays)
    right = np.asarray(arrays["A"].T if kernel == "gemm_tn" else arrays["A"], np.float64) @ arrays["B"]
    assert seen.sound and np.allclose(seen.outputs["C"], right, atol=1e-3 * sizes["k"] ** 0.5)
    assert seen.cycles is not None
    return plan, seen.cycles


def accuracy(machine: im.Hardware) -> list[str]:
    """Predicted against simulated cycles at seeded sizes, for each variant, and with one slot."""
    rng = np.random.default_rng(SEED)
    sizes = [dict(zip("ijk", map(int, rng.integers(1, MOST + 1, 3)), strict=True)) for _ in range(SIZES)]
    lines = ["| machine | mean error | worst | at |", "|---|---|---|---|"]
    cases = [(n, m, {}) for n, m in variants(machine).items()]
    cases.append(("one slot for each input", machine, {"slots.a": 1, "slots.b": 1}))
    for name, changed, fix in cases:
        errors = []
        for s in sizes:
            plan, cycles = run("gemm", changed, s, fix)
            errors.append((plan.schedule.objective / cycles - 1, s))
        worst = max(errors, key=lambda e: abs(e[0]))
        mean = sum(abs(e) for e, _ in errors) / len(errors)
        at = "x".join(str(v) for v in worst[1].values())
        lines.append(f"| {name} | {mean:.1%} | {worst[0]:+.1%} | {at} |")
    return lines


def slots(machine: im.Hardware) -> list[str]:
    """What the solver's slots are worth, in the model and in the simulator."""
    lines = ["| | predicted cycles | simulated cycles |", "|---|---|---|"]
    cube = dict.fromkeys("ijk", 256)
    for name, fix in (("slots as the solver likes", {}), ("one slot for each input", {"slots.a": 1, "slots.b": 1})):
        plan, cycles = run("gemm_tn", machine, cube, fix)
        lines.append(f"| {name} | {plan.schedule.objective:,.0f} | {cycles:,.0f} |")
    return lines


def large(machine: im.Hardware) -> list[str]:
    """GEMM of 512^3, planned, proved and simulated once."""
    started = time.perf_counter()
    plan, cycles = run("gemm_tn", machine, dict.fromkeys("ijk", CUBE), {})
    least = {p.name: p.amount for p in plan.schedule.costs}["compute"]
    taken = time.perf_counter() - started
    return [
        f"GEMM of {CUBE}^3 (A[k,i]): {cycles:,.0f} cycles simulated, {plan.schedule.objective:,.0f} predicted; the unit alone "
        f"needs {least:,.0f} ({least / cycles:.1%} of the time). {plan.schedule.status}, {len(plan.proof.claims)} claims proved; "
        f"{taken:.1f} s in all."
    ]


def proof(machine: im.Hardware) -> list[str]:
    """The double-buffered GEMM, sizes open: claims and seconds, of a process that has proved nothing before."""
    made = stage("gemm", machine).proof
    return [
        f"GEMM with open sizes: {len(made.claims)} claims, {made.word} in {made.seconds:.2f} s, the first of the process."
    ]


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", type=Path, default=ROOT / "benchmarks" / "RESULTS_ENGINES.md")
    machine = im.find_hardware(MACHINE)
    out = parser.parse_args().o
    first = proof(machine)  # before anything is known of such programs
    text = [
        "# Results on a machine with engines",
        "",
        "`python -m benchmarks.engines` writes this page: the outer-product machine of `examples/outer_product.py`, simulated.",
        "Cycles do not depend on the machine at hand; seconds do.",
        "",
        f"## Predicted against simulated: GEMM at {SIZES} seeded sizes, each axis up to {MOST}",
        "",
        *accuracy(machine),
        "",
        "## Slots: A[k,i] B[k,j], 256^3",
        "",
        *slots(machine),
        "",
        "## Large, and open",
        "",
        *first,
        "",
        *large(machine),
    ]
    out.write_text("\n".join(text) + "\n")
    print("\n".join(text))


if __name__ == "__main__":
    main()
