"""The part of isamap demo for a machine with engines: described in a file, proved, scheduled, and run in the simulator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from isamap_smt.cli.output import console, progress, seconds
from isamap_smt.cli.staged import staging_document

FILE = "outer_product.py"
SIZES = {"i": 200, "j": 140, "k": 96}
SEEDS = 3  # orders of the engines, beside the one that keeps time


def description() -> Path:
    """The example's file: in an installed package beside the machines, else in the checkout that this runs from."""
    import isamap_hardware

    machines = Path(isamap_hardware.__file__).parent
    packaged = machines / "examples" / FILE
    return packaged if packaged.is_file() else machines.parents[1] / "examples" / FILE


def do_engines(sizes: dict[str, int], json: bool) -> dict[str, Any]:
    """A matrix product on the 8x8 outer-product unit, all the way. Raises WrongResultError."""
    from isamap_smt.ir.errors import WrongResultError
    from isamap_smt.language.hardware_library import find_hardware
    from isamap_smt.language.library import find_kernel
    from isamap_smt.pipeline.staged import stage
    from isamap_smt.runtime.measure import arrays_for
    from isamap_smt.search import find_mappings
    from isamap_smt.targets.simulate import Simulated

    machine, kernel = find_hardware(f"{description()}:MACHINE"), find_kernel("gemm")
    with progress(f"gemm on {machine.name}: mapping") as tell:
        (outer,) = machine.computes
        found = find_mappings(kernel, outer)
        planned = stage(kernel, machine, sizes=sizes, progress=tell)
        tell("simulating")
        full = kernel.with_sizes(sizes)
        arrays = arrays_for(full, seed=1)
        run = Simulated(planned.checked)
        seen = run.observe(full, arrays, SEEDS)
        if seen.wrong:
            raise WrongResultError(f"gemm on {machine.name}: the result is wrong: {seen.wrong}")
        wanted = arrays["A"] @ arrays["B"]
        difference = float(np.abs(run(**arrays)["C"] - wanted).max() / np.abs(wanted).max())
    document = {
        "machine": machine.name,
        "description": str(description()),
        "kernel": kernel.name,
        "sizes": sizes,
        "mappings": len(found.legal),
        "complete": found.complete,
        "schedule": staging_document(planned),
        "proof": {"verdict": planned.proof.word, "obligations": len(planned.proof.claims),
                  "seconds": round(planned.proof.seconds, 3)},
        "cycles": seen.cycles,
        "predicted_cycles": planned.staging.cycles,
        "engines": {n: {"cycles": b.cycles, "uses": b.uses} for n, b in seen.engines.items()},
        "interleavings": seen.orders,
        "races": list(seen.races),
        "max_difference_from_numpy": difference,
    }  # fmt: skip
    if not json:
        show_engines(document, planned)
    return document


def show_engines(d: dict[str, Any], planned: Any) -> None:
    """The same in ten lines."""
    out, s, proof = console(), planned.staging, d["proof"]
    sizes = " ".join(f"{n}={v}" for n, v in d["sizes"].items())
    out.print(f"{d['kernel']} on {planned.hardware.description}, {sizes}", style="bold", soft_wrap=True)
    complete = "every other candidate refuted" if d["complete"] else "NOT complete"
    out.print(f"  mappings  {d['mappings']} legal onto {planned.instruction.short}, {complete}")
    out.print(f"  schedule  {s.status}, gap {s.gap:.2%}, in {seconds(s.seconds)}:")
    for stage in s.stages:
        out.print(f"            {stage}", soft_wrap=True)
    out.print(
        f"  {proof['verdict']}    program: {proof['obligations']} obligations in {seconds(proof['seconds'])}, "
        "for every order of the engines"
    )
    busy = ", ".join(f"{n} {e['cycles'] / d['cycles']:.0%}" for n, e in d["engines"].items())
    off = d["predicted_cycles"] / d["cycles"] - 1
    out.print(
        f"  simulated {d['cycles']:,.0f} cycles, {d['predicted_cycles']:,.0f} predicted ({off:+.1%}); busy: {busy}"
    )
    out.print(
        f"  checked   {d['interleavings']} orders, no races; {d['max_difference_from_numpy']:.1e} from NumPy's result"
    )
    lines = len(Path(d["description"]).read_text().splitlines())
    out.print(f"  described in {d['description']}, {lines} lines\n", soft_wrap=True)
