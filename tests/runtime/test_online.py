"""Running maxima and sums, planned, compiled and certified: right within what is stated, and with two rows of each state."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import isamap_smt as im
from examples import online
from isamap_smt.certificates import check_directory, save
from isamap_smt.ir.errors import SizeError
from isamap_smt.ir.online import Online
from isamap_smt.ir.online_rounding import online_rounding
from isamap_smt.ir.program import Loop
from isamap_smt.pipeline.plan import Plan
from isamap_smt.simulator.run import run_program

SIZES = {"q": 3, "k": 75, "d": 5, "v": 20}


@pytest.fixture(scope="module")
def attention() -> Plan:
    return im.plan(online.ATTENTION, "avx2", sizes=SIZES, fix={"online.k": 16}, strategy="exact", cost_model="analytic")


@pytest.fixture(scope="module")
def sums() -> Plan:
    sizes = {"q": 3, "k": 512}
    return im.plan(
        online.LOG_SUM_EXP, "avx2", sizes=sizes, fix={"online.k": 128}, strategy="exact", cost_model="analytic"
    )


def test_attention_is_right_compiled_and_simulated(attention: Plan) -> None:
    rng = np.random.default_rng(4)
    arrays = {n: rng.normal(size=s).astype(np.float32) for n, s in (("Q", (3, 5)), ("K", (75, 5)), ("V", (75, 20)))}
    s = arrays["Q"].astype(np.float64) @ arrays["K"].T
    e = np.exp((s - s.max(1, keepdims=True)) * 0.25)
    wanted = e @ arrays["V"] / e.sum(1, keepdims=True)
    arrays["z"] = np.asarray(0.25, np.float32)
    run = run_program(attention.program, arrays)
    assert run.clean
    for found in (im.build(attention)(**arrays), run.outputs["Y"]):
        np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=2e-6)


def test_what_is_known_is_told(attention: Plan) -> None:
    assert attention.split is not None
    assert isinstance(attention.split.split.chain[0], Online)
    assert any("as they run, in 4 blocks of 16, and 11 left over" in n for n in attention.notes)
    stated = [b.tensor for b in online_rounding(attention.split.split)]
    assert stated == ["D", "O", "Y"]
    assert sum(" is off by at most " in n and " <= z <= " in n for n in attention.notes) == 3


def test_bounds_from_ranges_point_to_the_notes(attention: Plan) -> None:
    with pytest.raises(
        SizeError, match=r"takes the maximum and sums over k as they run, .*; plan.notes say what is known"
    ):
        im.rounding_bound(attention, dict.fromkeys("QKVz", (-1, 1)))


def test_states_keep_two_rows_and_blocks_their_own(attention: Plan) -> None:
    (loop,) = [n for n in attention.program.body if isinstance(n, Loop) and n.axis == "k_block"]
    assert {t for t, _ in loop.rings} == {"M_run", "D_run", "O_run"}
    assert {"S_block", "E_block"} <= {t for t, _ in loop.folds}


def test_sums_of_a_block_are_taken_apart_and_bounded_by_what_is_left(sums: Plan) -> None:
    assert sums.split is not None
    d = {b.tensor: b for b in online_rounding(sums.split.split)}["D"]
    assert "partial sums" in str(sums.notes)
    assert d.formula.startswith("as (1.82*4 + 18 + 2*3 + 1 ln 512) u")  # 16 in each of 8 lanes, 3 to add those up
    rng = np.random.default_rng(1)
    x = (np.sort(rng.normal(size=(3, 512))) * 20).astype(np.float32)
    wide = x.astype(np.longdouble)
    wanted = np.log(np.exp(wide - wide.max(1, keepdims=True)).sum(1)) + wide.max(1)
    assert (np.abs(im.build(sums)(x=x) - wanted) <= d.number + 4e-7 * np.abs(wanted)).all()


def test_the_certificate_says_how_and_is_checked_again(sums: Plan, tmp_path: Path) -> None:
    saved = save(sums.checked, tmp_path, kernel="examples/online.py:LOG_SUM_EXP", split=sums.split)
    assert "online-k-512-128" in str(saved)
    found = check_directory(tmp_path, jobs=1, cache=False, sources=["examples/online.py"])
    assert {o.status for o in found} == {"ok"}, found
