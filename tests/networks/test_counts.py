"""Static counts of kernels: what an executor runs, use by use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.ir.executed import Executed, executed
from isamap_smt.ir.expr import evaluate, symbols_of
from isamap_smt.ir.folds import laid_out
from isamap_smt.ir.program import FRESH, Alloc, Compute, Copy, If, Loop, Move, Point, Program, Unrolled
from isamap_smt.ir.program_at import at_own_values
from isamap_smt.ir.traversal import nodes_of
from tests.networks.models import convolutional

TEXTS = {
    "product": ("C[i,j] += A[i,k] * B[k,j]", {"i": 7, "j": 21, "k": 9}, {}),
    "shared": ("C[i,j] += A[i,k] * B[k,j]", {"i": 12, "j": 18, "k": 8}, {"threads": 2, "fix": {"parallel": "i"}}),
    "packed": ("C[i,j] += A[i,k] * B[k,j]", {"i": 10, "j": 20, "k": 12}, {"constant": ("B",)}),
    "triangle": ("Y[i,j] = X[i,j] where j <= i", {"i": 19, "j": 23}, {}),
    "softmax": (
        "m[i] max= x[i,j]\ns[i] += exp(x[i,j] - m[i])\ny[i,j] = exp(x[i,j] - m[i]) / s[i]",
        {"i": 11, "j": 37},
        {},
    ),
    "window": ("y[i,j,m] += x[i+r,j+s,c] * w[r,s,c,m]", {"i": 5, "j": 6, "m": 12, "r": 3, "s": 3, "c": 5}, {}),
}


class Walk:
    """Runs every loop, iteration by iteration, and counts what it meets."""

    def __init__(self, program: Program) -> None:
        whole, self.found = laid_out(at_own_values(program)), Executed()
        self.sizes = {t.name: t.dtype.bytes for t in whole.kernel.tensors}
        self.sizes |= {n.buffer.name: n.buffer.dtype.bytes for n in nodes_of(Alloc, whole)}
        self.nodes(whole.body, {FRESH.name: 1})

    def nodes(self, nodes: Any, env: dict[str, Any]) -> None:
        for node in nodes:
            match node:
                case Loop():
                    for n in range(int(evaluate(node.trips, env))):
                        self.found.iterations += not isinstance(node, Unrolled)
                        self.nodes(node.body, env | {node.var.name: n})
                case If():
                    if all(evaluate(c, env) for c in node.condition):
                        self.nodes(node.body, env)
                case Copy():
                    self.copied(node, node.over, env)
                case Point():
                    own = self.sizes[node.dst.name]
                    again = node.instruction.kernel.statements[0].op != "="
                    self.moved(own * again + sum(self.sizes[r.name] for r in node.reads), own)
                    self.found.elements += 1
                    if node.across is not None:  # registers, halves of them beside each other, then the lanes of one
                        wide = 16 if node.across.load.name.startswith("avx512") else 8
                        registers = len(node.reads) // wide
                        self.found.instructions[node.across.load.name] += registers
                        while registers > 1:
                            registers //= 2
                            assert node.across.beside is not None
                            self.found.instructions[node.across.beside.name] += registers
                        self.found.instructions[node.across.last.name] += 1
                case Compute() | Move():
                    self.found.instructions[node.instruction.name] += 1
                    if isinstance(node, Move) and node.memory is not None:
                        size = self.sizes[node.memory.name] * self.lanes(node, env)
                        self.moved(*((0, size) if node.instruction.kind == "store" else (size, 0)))

    def moved(self, read: int, written: int) -> None:
        self.found.read += read
        self.found.written += written

    def copied(self, node: Copy, over: Any, env: dict[str, Any]) -> None:
        if over:
            (symbol, count), *rest = over
            for n in range(int(evaluate(count, env))):
                self.copied(node, rest, env | {symbol.name: n})
            return
        holds = all(evaluate(c, env) for c in node.where)
        self.found.elements += holds or bool(node.fill)
        self.moved(holds * self.sizes[node.src.name], (holds or bool(node.fill)) * self.sizes[node.dst.name])

    def lanes(self, node: Move, env: dict[str, Any]) -> int:
        assert node.memory is not None
        named, active = symbols_of(node.memory.index), dict(zip(node.instruction.active, node.active, strict=False))
        below = {axis: int(evaluate(n, env)) for (axis, _), n in active.items()}
        counts = [
            min(extent, max(0, below.get(axis, extent)))
            for axis, extent in node.instruction.axes.items()
            if axis in named or axis in below
        ]
        return int(np.prod(counts, initial=1))


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("hardware", ["avx2", "avx512", "scalar", "sve"])
def test_the_counts_are_those_of_a_run(name: str, hardware: str) -> None:
    text, sizes, options = TEXTS[name]
    program = im.plan(im.kernel(text), hardware, sizes=sizes, **options).program
    counted, ran = executed(program), Walk(program).found
    assert counted.exact
    assert counted.instructions == +ran.instructions
    assert (counted.elements, counted.iterations) == (ran.elements, ran.iterations)
    assert (counted.read, counted.written) == (ran.read, ran.written)


def test_a_compiled_network_tells_its_counts(tmp_path: Path, capsys: Any) -> None:
    onnx.save(convolutional(), tmp_path / "small.onnx")
    assert run(["compile", str(tmp_path / "small.onnx"), "avx2", "-o", str(tmp_path / "out")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    found = json.loads((tmp_path / "out" / "counts.json").read_text())
    planned = im.plan_network(im.from_onnx(convolutional()), "avx2")
    wanted = [executed(planned.plan_of(s).program) for s in planned.network.kernels]
    assert [s["node"] for s in found["steps"]] == [s.node for s in planned.network.kernels]
    assert [found["kernels"][s["kernel"]] for s in found["steps"]] == [w.as_document() for w in wanted]
    total = sum(wanted, Executed())
    assert found["total"] == total.as_document()
    assert f"a call runs {sum(total.instructions.values()):,} instructions of avx2" in said
