"""Draws docs/overview.svg, the README's picture: which lane holds what, the proved loop nest, and engines over time.

python -m docs.overview
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

import isamap_smt as im
from isamap_smt.ir.expr import evaluate
from isamap_smt.simulator.timeline import timed_steps

PICTURE = Path(__file__).with_name("overview.svg")
MACHINE = Path(__file__).parents[1] / "examples" / "outer_product.py"
SIZES = {"i": 100, "j": 70, "k": 64}
SMALL = {"i": 32, "j": 32, "k": 32}
WIDTH, HEIGHT = 1000, 262
COLOURS = {"C": "#e6a23c", "A": "#4a90d9", "B": "#43a574", "outer": "#8a63c9", "dead": "#e4e4e4"}


def text(x: float, y: float, words: str, size: float = 12, colour: str = "#333", more: str = "") -> str:
    """A line of text; x and y in points of the picture."""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{colour}" {more}>{escape(words)}</text>'


def box(x: float, y: float, width: float, height: float, fill: str, more: str = "") -> str:
    """A rectangle."""
    return f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" fill="{fill}" {more}/>'


def lanes(proved: im.ProvedMapping, x: float, y: float) -> list[str]:
    """The last tile of a row: what each lane of each operand holds, and the lanes that the guard masks."""
    m = proved.mapping
    found = [
        text(x, y, f"lanes: {m.kernel.name} onto {m.instruction.name}"),
        text(x, y + 17, "proved for all sizes; here 70 columns, so 2 lanes are masked", 9.5),
    ]
    at = {**{n.upper(): v for n, v in SIZES.items()}, "i_out": 5, "k_out": 3, "l_tile": (SIZES["j"] - 1) // 8}
    for row, (operand, access) in enumerate(m.binding):
        top = y + 36 + 60 * row
        found.append(
            text(x, top + 9, f"{operand}[l] : {access.tensor}[{', '.join(map(str, m.coordinates(operand)))}]", 10.5)
        )
        for lane in range(8):
            env = {**at, "l": lane}
            live = all(evaluate(g, env) for g in m.guard)
            held = ",".join(str(int(evaluate(e, env))) for e in m.coordinates(operand))
            fill = COLOURS[access.tensor] if live else COLOURS["dead"]
            found.append(box(x + 34 * lane, top + 15, 33, 24, fill, 'rx="2"'))
            colour = "#fff" if live else "#999"
            found.append(
                text(x + 34 * lane + 16.5, top + 31, held if live else "-", 9.5, colour, 'text-anchor="middle"')
            )
    return found


def nest(program: im.Program, x: float, y: float) -> list[str]:
    """The loops around the instruction, its accumulators and the instruction."""
    lines = str(program).splitlines()
    loops = [line.split("  #")[0].strip() for line in lines if re.match(r" *for \w0 ", line)]
    buffer = next(line for line in lines if line.strip().startswith("acc["))
    held = re.sub(r" where .*", "", buffer.strip())
    use = next(line for line in lines if "fmadd" in line).split("  #")[0].strip()
    found = [
        text(x, y, "loop nest, proved and printed as C"),
        text(x, y + 17, f"{' x '.join(map(str, SIZES.values()))}: optimal in its space", 10.5),
    ]
    top, width = y + 36.0, 340.0
    shades = ("#f3f6fb", "#e6edf7", "#d6e2f2")
    for depth, loop in enumerate(loops):
        inset = 14 * depth
        found.append(
            box(x + inset, top, width - 2 * inset, y + 212 - top - 6 * depth, shades[depth], 'stroke="#b8c7dd" rx="4"')
        )
        found.append(text(x + inset + 9, top + 17, loop, 11.5, "#234", 'font-family="monospace"'))
        top += 26
        if depth == 1:
            found.append(box(x + inset + 9, top, width - 2 * inset - 18, 22, "#fdf2d8", 'stroke="#e6c46a" rx="3"'))
            found.append(text(x + inset + 15, top + 15, held, 9.5, "#543", 'font-family="monospace"'))
            top += 30
    found.append(box(x + 37, top + 4, width - 74, 24, "#efe7fb", 'stroke="#b79be3" rx="3"'))
    found.append(text(x + 43, top + 20, use, 9, "#425", 'font-family="monospace"'))
    return found


def timeline(run: im.Simulation, x: float, y: float) -> list[str]:
    """A row for each engine, cycles to the right."""
    width = 270.0
    found = [
        text(x, y, "an accelerator's engines, in cycles"),
        text(x, y + 17, f"32 x 32 x 32 on {MACHINE.stem}: {run.cycles:,.0f} cycles, simulated", 10.5),
    ]
    rows = {engine: y + 40 + 52 * n for n, engine in enumerate(run.engines)}
    for engine, top in rows.items():
        share = run.engines[engine].cycles / run.cycles
        found.append(text(x, top + 9, f"{engine}, {share:.0%} busy", 10.5))
        found.append(box(x, top + 15, width, 20, "#f1f1f1"))
    for step in (s for s in timed_steps(run) if s.end != s.begin):
        tensor = {"load": "B", "gather": "A", "store": "C"}.get(step.instruction.rpartition(".")[2], "outer")
        left, right = (x + width * c / run.cycles for c in (step.begin or 0.0, step.end or 0.0))
        found.append(box(left, rows[step.engine] + 15, max(right - left - 0.3, 0.4), 20, COLOURS[tensor]))
    legend = {"B": "B in", "A": "A in", "outer": "outer products", "C": "C out"}
    at = x
    for name, words in legend.items():
        found += [box(at, y + 200, 9, 9, COLOURS[name]), text(at + 13, y + 208.5, words, 10.5)]
        at += 24 + 6.2 * len(words)
    return found


def drawn() -> str:
    """The picture as SVG, the same each time."""
    gemm, machine = im.find_kernel("gemm"), im.find_hardware("avx2")
    proved = im.prove(im.fuse(gemm, machine.instruction("fmadd_ps"), "l=j"))
    assert isinstance(proved, im.ProvedMapping)
    program = im.lower(im.schedule(proved, machine, SIZES, fix={"register.i": 6, "register.j": 16}))
    zeros: dict[str, Any] = {n: np.zeros((32, 32), np.float32) for n in "AB"}
    run = im.simulate(im.stage(gemm, f"{MACHINE}:MACHINE", sizes=SMALL).program, zeros, trace=True)
    body = [*lanes(proved, 24, 34), *nest(program, 330, 34), *timeline(run, 700, 34)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
            "<title>Lanes of an instruction, a loop nest and a timeline of engines</title>",
            box(0.5, 0.5, WIDTH - 1, HEIGHT - 1, "#fff", 'stroke="#ddd" rx="8"'),
            *body,
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    PICTURE.write_text(drawn(), encoding="utf-8")
