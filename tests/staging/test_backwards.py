"""Outputs and inputs that are indexed backwards, on machines of engines; and several sums on a machine of one engine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import plain_executor
import pytest
import summed
from random_epilogues import machine as summing
from use_edits import at, edited, place, uses

import isamap_hardware
import isamap_smt as im
from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.program import Loop, Program
from isamap_smt.ir.traversal import walk
from isamap_smt.pipeline.plan import Plan
from isamap_smt.pipeline.staged import stage
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator import simulate
from isamap_smt.targets import find_target

OUTER = f"{Path(__file__).parents[2] / 'examples' / 'outer_product.py'}:MACHINE"
TYPES = dict.fromkeys("XWY", "i8") | dict.fromkeys("TC", "i32")
BLOCKS = "temporary T\nT[i,jo,o] += i32(X[{i},ko,c]) * i32(W[jo,ko,o,c])\nY[{o},jo,o] = i8(T[i,jo,o] >> 7)"
SIZES = ({"i": 20, "j": 18, "k": 17}, {"i": 1, "j": 1, "k": 1}, {"i": 9, "j": 33, "k": 3})
PACKED = ({"i": 37, "jo": 2, "ko": 3}, {"i": 1, "jo": 1, "ko": 1}, {"i": 16, "jo": 3, "ko": 1})


def kernel(text: str, **sizes: int) -> im.Kernel:
    return im.kernel(text, name="backwards", dtypes={n: d for n, d in TYPES.items() if f"{n}[" in text}, sizes=sizes)


def products(target: str, x: str = "X[i,k]") -> im.Kernel:
    return kernel(f"C: [I,J]\nX: [I,K]\n{target} += i32({x}) * i32(W[k,j])")


CASES = {
    "rows": (im.kernel("C: [I,J]\nC[I-1-i,j] += A[i,k] * B[k,j]"), OUTER, SIZES),
    "columns": (im.kernel("C: [I,J]\nC[i,J-1-j] += A[i,k] * B[k,j]"), OUTER, SIZES),
    "both": (im.kernel("C: [I,J]\nC[I-1-i,J-1-j] += A[i,k] * B[k,j]"), OUTER, SIZES),
    "of a size that is fixed": (im.kernel("C[19-i,j] += A[i,k] * B[k,j]", sizes={"i": 20}), OUTER, SIZES[:1]),
    "columns on Gemmini": (products("C[i,J-1-j]"), "gemmini", SIZES),
    "an input on Gemmini": (products("C[i,j]", "X[I-1-i,k]"), "gemmini", SIZES),
    "rows on VTA": (kernel("Y: [I,JO,16]\n" + BLOCKS.format(i="i", o="I-1-i"), o=16, c=16), "vta", PACKED),
    "an input on VTA": (kernel("X: [I,KO,16]\n" + BLOCKS.format(i="I-1-i", o="i"), o=16, c=16), "vta", PACKED),
}  # fmt: skip


def drawn(random: np.random.Generator, whole: im.Kernel, name: str) -> np.ndarray:
    t = whole.tensor(name)
    return random.integers(-100, 100, [int(e) for e in t.shape]).astype(t.dtype.numpy)


def planned(k: im.Kernel, machine: str) -> Plan:
    return stage(k, isamap_hardware.load(machine) if machine in ("gemmini", "vta") else machine)


@pytest.mark.parametrize("name", CASES)
def test_what_is_indexed_backwards_is_proved_and_right(name: str) -> None:
    k, machine, sizes = CASES[name]
    plan = planned(k, machine)
    names = {a.name: str(a.extent) for s in k.statements for a in s.axes}
    for n, at_ in enumerate(sizes):
        whole, random = k.with_sizes(at_), np.random.default_rng(n)
        arrays = {x: drawn(random, whole, x) for x in k.inputs}
        want, known = im.run_kernel(whole, arrays), {names[a]: v for a, v in at_.items() if names[a] in k.free_sizes}
        found = simulate(plan.program, arrays, known, seed=n)
        assert found.sound and np.array_equal(found.outputs[k.results[0]], want[k.results[0]])
        assert plain_executor.differs(plan.program, arrays, known, want, 2) == ""
        if machine in ("gemmini", "vta"):
            target = find_target(machine)
            assert np.array_equal(target.build(target.emit(plan))(**arrays), want[k.results[0]])


def test_a_row_that_is_left_out_is_refuted() -> None:
    """The last element of the output, which is the first row, by each of the two claims that say so."""
    program = planned(*CASES["rows"][:2]).program
    store = next(n for n, u in enumerate(uses(program)) if u.instruction.name == "store")

    def lower(u: object) -> object:
        row, column = dict(u.operands)["m"].index  # type: ignore[attr-defined]
        return place(u, "m", index=(row - 1, column))  # type: ignore[arg-type]

    failed = prove_program(at(program, store, lower)).failed()  # type: ignore[arg-type]
    assert {"coverage", "bounds", "program"} <= {c.claim for c in failed if c.verdict.word == "refuted"}
    first = next(n for n, _ in walk(program.body) if isinstance(n, Loop))
    short = replace(program, body=tuple(replace(n, count=n.count - 1) if n is first else n for n in program.body))
    assert "coverage" in {c.claim for c in prove_program(short).failed() if c.verdict.word == "refuted"}


def test_rows_that_gemmini_does_not_store_upwards() -> None:
    """Its stride of stores has no sign; the error says which way round is right."""
    with pytest.raises(
        NotProvedError, match=r"-4\*J, which gemmini.config_st writes, is at least 0.*index the inputs so"
    ) as told:
        planned(products("C[I-1-i,j]"), "gemmini")
    assert told.value.refuted == {"configuration"}


def one_engine() -> im.Hardware:
    described = summing(4, 8)
    own = tuple(replace(i, engine="core") for i in described.instructions)
    return replace(described, instructions=own, engines=(im.Engine("core"),))


def two() -> Program:
    return stage(im.kernel(summed.TWO, dtypes=summed.types_of(summed.TWO), name="two"), one_engine()).program


def test_several_sums_on_one_engine() -> None:
    """Its text orders them; no other engine is waited for."""
    program = two()
    assert prove_program(program).proved and summed.wrong(program, plainly=3) == ""


def test_the_second_sum_first_is_wrong_on_one_engine() -> None:
    program = two()
    alloc = [n for n in program.body if type(n).__name__ == "Alloc"]
    nodes = [n for n in program.body if type(n).__name__ != "Alloc"]
    (barrier,) = (n for n, x in enumerate(nodes) if getattr(x, "signals", ()) and x.signals[0].startswith("phase"))
    turned = (*nodes[barrier + 2 :], *nodes[barrier : barrier + 2], *nodes[:barrier])
    wrong = replace(program, body=(*alloc, *turned))
    assert not prove_program(wrong).proved and summed.wrong(wrong)
    unmarked = edited(program, lambda u: replace(u, signals=tuple(s for s in u.signals if not s.startswith("phase"))))
    assert prove_program(unmarked).word == "unknown"  # nothing says where the second sum begins
