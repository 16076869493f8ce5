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
        places={"r": "ymm", "m": "memory"}, active={"l": "active"}, beyond="zero",
    )  # fmt: skip
    assert (load.kind, load.active, load.places) == ("load", (("l", "active"),), (("r", "ymm"), ("m", "memory")))
    zero = instruction("zero", "r[l] = 0", axes={"l": 4}, dtypes={"r": "i8"}, places={"r": "ymm"})
    assert value_text(zero.kernel.statements[0].value) == "0" and zero.axes == {"l": 4} and zero.kind == "zero"
    scalar = instruction(
        "fma", "r[] += a[] * b[]", axes={}, dtypes=dict.fromkeys("rab", "f32"), places=dict.fromkeys("rab", "scalar")
    )
    one = np.array(2, np.float32)
    assert run_instruction(scalar, {"r": one, "a": one, "b": one})["r"] == 6


LOAD = {
    "axes": {"l": 8}, "dtypes": {"r": "f32", "m": "f32"}, "places": {"r": "ymm", "m": "memory"},
}  # fmt: skip


def test_preconditions_of_every_known_form_are_kept_as_they_are_written():
    given = (
        "aligned m 32",
        "ld(m) % 16 == 0",
        "offset(m) % 4 == 0",
        "active <= 8",
    )
    assert instruction("load", "r[l] = m[l]", preconditions=given, **LOAD).preconditions == given


def test_a_precondition_of_a_move_speaks_of_its_memory():
    """`aligned r 32` would be taken for the alignment of m, the only operand that has an address."""
    with pytest.raises(IsamapError, match=r"'aligned r 32' speaks of 'r'; operands in memory, .* a load .*: m$"):
        instruction("load", "r[l] = m[l]", preconditions=("aligned r 32",), **LOAD)


def test_whole_numbers_of_numpy_are_whole_numbers():
    made = instruction("load", "r[l] = m[l]", **{**LOAD, "axes": {"l": np.int64(8)}})
    assert made == instruction("load", "r[l] = m[l]", **LOAD) and type(made.axes["l"]) is int


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
        (
            {"kind": "load"},
            "instruction d: there is no parameter 'kind'; leave it out: what only copies or clears is a move",
        ),
        ({"emits": "x"}, "instruction d: there is no parameter 'emits'; did you mean emit"),
        ({"exact": "acc[l] += i32(a[l,e])"}, "instruction d: exact and contract have different operands"),
        ({"exact": "acc[f] += sum(e, 4, i32(a[f,e]) * i32(b[f,e]))"}, "instruction d: axis f of exact is not an axis"),
        ({"exact": "b[l,e] = acc[l] * a[l,e]"}, "instruction d: exact must be one statement that writes acc"),
        ({"assume": [("c", 0, 127)]}, "instruction d: assume names 'c'; did you mean acc?"),
        ({"assume": [("a", 5, 4)]}, "instruction d: assume a in [5, 4] holds for nothing"),
        (
            {"assume": [("b", -300, 500)]},
            "instruction d: assume b in [-300, 500] is not within i8, which holds -128 to 127",
        ),
        ({"assume": [("a", 0, 0.5)]}, "instruction d: assume a=0.5 is float: pass a whole number"),
        ({"assume": "a<=3"}, "instruction d: assume='a<=3': write assume=[('a', 0, 127)], one (operand, low, high)"),
        ({"assume": [("a", 3)]}, "instruction d: assume holds ('a', 3): write assume=[('a', 0, 127)]"),
        ({"axes": {"l": 4.5, "e": 4}}, "instruction d: points of axis l=4.5 is float: pass a whole number"),
        ({"axes": {"l": True, "e": 4}}, "instruction d: points of axis l=True is bool: pass a whole number"),
        ({"axes": {"l": "4", "e": 4}}, "instruction d: points of axis l='4' is str: pass a whole number"),
        ({"axes": ["l", "e"]}, "instruction d: axes=['l', 'e']: pass names and numbers of points"),
        ({"requires": "avx2"}, "instruction d: requires='avx2' is one text; write requires=('avx2',)"),
        ({"requires": ("avx2", 2)}, "instruction d: requires holds 2: pass texts, such as 'avx2'"),
        ({"headers": "arm_neon.h"}, "instruction d: headers='arm_neon.h' is one text; write headers=('arm_neon.h',)"),
        ({"per_cycle": 0.0}, "instruction d: per_cycle=0.0: pass a number of issues started each cycle, more than"),
        ({"per_cycle": -1.0}, "instruction d: per_cycle=-1.0: pass"),
        ({"per_cycle": "2"}, "instruction d: per_cycle='2': pass"),
        ({"latency": -1}, "instruction d: latency=-1: pass a number of cycles, 0 or more"),
        ({"latency": float("inf")}, "instruction d: latency=inf: pass"),
        ({"preconditions": "aligned a 32"}, "instruction d: preconditions='aligned a 32' is one text"),
        (
            {"preconditions": ("contigous a",)},
            "instruction d: precondition 'contigous a' is of no known form: 'aligned m 32', a relation such",
        ),
        ({"preconditions": ("aligned a 0",)}, "instruction d: precondition 'aligned a 0' is of no known form"),
        ({"preconditions": ("state",)}, "instruction d: precondition 'state' is gone: write needs="),
        (
            {"preconditions": ("aligned q 32",)},
            "instruction d: precondition 'aligned q 32' speaks of 'q'; operands: acc, a, b",
        ),
        ({"preconditions": ("ld(q) % 16 == 0",)}, "instruction d: precondition 'ld(q) % 16 == 0' speaks of 'q'"),
    ],
)
def test_descriptions_that_do_not_fit_are_refused(change, message):
    with pytest.raises(IsamapError) as e:
        instruction("d", CONTRACT, **{**DOT, **change})
    assert str(e.value).startswith(message)
