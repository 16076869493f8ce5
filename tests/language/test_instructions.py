"""Instructions: shapes from axes, contract and exact meaning."""

from __future__ import annotations

import numpy as np
import pytest

from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.interpret import run_instruction
from isamap_smt.language import instruction
from isamap_smt.language.printer import value_text

DOT = {
    "axes": {"l": 2, "e": 4},
    "dtypes": {"acc": "i32", "a": "u8", "b": "i8"},
    "places": dict.fromkeys(("acc", "a", "b"), "zmm"),
}
CONTRACT = "acc[l] += i32(a[l,e]) * i32(b[l,e])"
EXACT = "acc[l] += sum(h, 2, i32(sat_i16(sum(g, 2, i32(a[l,2*h+g]) * i32(b[l,2*h+g])))))"


def test_contract_and_exact_meaning_have_the_same_operands():
    dot = instruction("m.maddubs_dot", CONTRACT, exact=EXACT, latency=5, per_cycle=2, **DOT)
    assert dot.axes == {"l": 2, "e": 4} and dot.short == "maddubs_dot"
    assert [(t.name, str(t.dtype), t.shape) for t in dot.kernel.tensors] == [
        ("acc", "i32", (2,)), ("a", "u8", (2, 4)), ("b", "i8", (2, 4)),
    ]  # fmt: skip
    assert dot.exact is not None and dot.exact.tensors == dot.kernel.tensors
    assert dot.exact.free_sizes == () and dot.kernel.free_sizes == ()
    assert (dot.cost.latency, dot.cost.per_cycle) == (5, 2)
    a, b = np.full((2, 4), 255, np.uint8), np.full((2, 4), 127, np.int8)
    zero = np.zeros(2, np.int32)
    assert run_instruction(dot, {"a": a, "b": b, "acc": zero})["acc"].tolist() == [2 * 32767] * 2
    plain = instruction("dpbusd", CONTRACT, **DOT)
    assert run_instruction(plain, {"a": a, "b": b, "acc": zero})["acc"].tolist() == [4 * 255 * 127] * 2


def test_moves_and_scalar_operands():
    load = instruction(
        "load", "r[l] = m[l]", axes={"l": 8}, dtypes={"r": "f32", "m": "f32"},
        places={"r": "ymm", "m": "memory"}, kind="load", masked=True, preconditions=["contiguous m"],
    )  # fmt: skip
    assert (load.kind, load.masked, load.places) == ("load", True, (("r", "ymm"), ("m", "memory")))
    zero = instruction("zero", "r[l] = 0", axes={"l": 4}, dtypes={"r": "i8"}, places={"r": "ymm"}, kind="zero")
    assert value_text(zero.kernel.statements[0].value) == "0" and zero.axes == {"l": 4}
    scalar = instruction(
        "fma", "r[] += a[] * b[]", axes={}, dtypes=dict.fromkeys("rab", "f32"), places=dict.fromkeys("rab", "scalar")
    )
    one = np.array(2, np.float32)
    assert run_instruction(scalar, {"r": one, "a": one, "b": one})["r"] == 6


def test_sum_may_run_over_an_axis_of_the_instruction_in_exact():
    dot = instruction("d", CONTRACT, exact="acc[l] += sum(e, 4, i32(a[l,e]) * i32(b[l,e]))", **DOT)
    assert dot.exact is not None and dot.exact.statements[0].reduction_axes == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dtypes": {"acc": "i32", "a": "u8"}}, "instruction d: operand b has no dtype; add dtypes={..., 'b': ...}"),
        ({"places": {"acc": "zmm", "a": "zmm"}}, "instruction d: operand b has no place; add places={..., 'b': ...}"),
        ({"places": {**DOT["places"], "bb": "zmm"}}, "instruction d: places names 'bb'; did you mean b?"),
        (
            {"dtypes": {**DOT["dtypes"], "bb": "i8"}},
            "dtypes names tensor 'bb', which the text does not use; did you mean b?",
        ),
        ({"axes": {"l": 2}}, "instruction d: axis e has no extent; add axes={..., 'e': 4}"),
        ({"axes": {"l": 0, "e": 4}}, "instruction d: axis l has 0 points; it needs at least 1"),
        ({"kind": "computes"}, "instruction d: unknown kind 'computes'; did you mean compute?"),
        ({"exact": "acc[l] += i32(a[l,e])"}, "instruction d: exact and contract have different operands"),
        ({"exact": "acc[f] += sum(e, 4, i32(a[f,e]) * i32(b[f,e]))"}, "instruction d: axis f of exact is not an axis"),
        ({"exact": "b[l,e] = acc[l] * a[l,e]"}, "instruction d: exact must be one statement that writes acc"),
        ({"assume": [("c", 0, 127)]}, "instruction d: assume names 'c'; did you mean acc?"),
        ({"assume": [("a", 5, 4)]}, "instruction d: assume a in [5, 4] holds for nothing"),
    ],
)
def test_descriptions_that_do_not_fit_are_refused(change, message):
    with pytest.raises(IsamapError) as e:
        instruction("d", CONTRACT, **{**DOT, **change})
    assert str(e.value).startswith(message)
