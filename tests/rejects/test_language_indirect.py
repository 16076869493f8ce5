"""An index that is data: of a read, as a whole, of an integer input, into a dimension of some size. All else is refused."""

from __future__ import annotations

import pytest

import isamap_smt as im
from isamap_smt.ir.errors import DTypeError, LanguageError
from isamap_smt.language import instruction, kernel

HINT = (
    "  data is an index as a whole, of what a value reads: `E[idx[i], j]`; it is not computed with, compared in `where`, "
    "or an index of what a statement writes"
)
GATHER = "E: [V,J]\nidx: i32\n"
MESSAGES = {
    f"{GATHER}Y[idx[i],j] += E[i,j]": """\
line 3, column 1: this writes to a place that is data: two points may write to one place
    Y[idx[i],j] += E[i,j]
    ^^^^^^^^^^^
  say for each element of the output where it comes from: `Y[i,j] = E[idx[i], j]`""",
    f"{GATHER}Y[i,j] = E[idx[i]+1,j]": f"""\
line 3, column 12: an element of a tensor cannot stand in an index
    Y[i,j] = E[idx[i]+1,j]
               ^^^^^^
{HINT}""",
    f"{GATHER}Y[i,j] = E[i,j] where idx[i] < 3": f"""\
line 3, column 23: an element of a tensor cannot stand in an index
    Y[i,j] = E[i,j] where idx[i] < 3
                          ^^^^^^
{HINT}""",
    f"{GATHER}idx[i] = X[i]\nY[i,j] = E[idx[i],j]": (
        "idx is written by a statement, and its elements are indices: each call looks at them before it computes; "
        "compute idx in a kernel of its own, and give it to this one as an input"
    ),
}


@pytest.mark.parametrize("text", MESSAGES)
def test_the_message(text: str) -> None:
    with pytest.raises(LanguageError) as e:
        kernel(text)
    assert str(e.value) == MESSAGES[text]


def test_an_index_is_an_integer() -> None:
    made = kernel("E: [V,J]\nY[i,j] = E[idx[i],j]")
    for run in (lambda: im.compile(made, "scalar"), lambda: im.compile(made.with_dtypes({"idx": "f64"}), "scalar")):
        with pytest.raises(
            DTypeError, match=r"^line 2: idx is f\d\d, and idx\[i\] is an index; give it an integer type"
        ):
            run()


def test_a_contract_has_none() -> None:
    with pytest.raises(LanguageError, match=r"an index in .* is data, and a contract has none"):
        instruction(
            "g",
            "x: f32[4]\ny[l] = x[n[l]]",
            axes={"l": 4},
            dtypes={"y": "f32", "x": "f32", "n": "i32"},
            places=dict.fromkeys("yxn", "zmm"),
        )


def test_no_mapping_is_made_of_one() -> None:
    made = kernel(f"{GATHER}Y[i,j] += E[idx[i],j] * W[j]")
    with pytest.raises(im.IsamapError, match=r"an index of what statement 1 of kernel reads is data: no mapping"):
        im.prove(im.fuse(made, im.find_instruction("avx2.fmadd_ps"), "l=j", operands={"a": "E", "b": "W"}))
