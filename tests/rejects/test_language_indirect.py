"""An index that is data: of a read, as a whole, of an integer input, into a dimension of some size. All else is refused."""

from __future__ import annotations

import pytest

import isamap_smt as im
from isamap_smt.ir.errors import DTypeError, LanguageError
from isamap_smt.language import instruction, kernel

HINT = "  data stands in the indices of what a statement reads and writes: `E[idx[i] + 1, j]`; it is not compared in `where`"
GATHER = "E: [V,J]\nidx: i32\n"
MESSAGES = {
    f"{GATHER}Y[idx[i]*i,j] += E[i,j]": """\
line 3, column 3: this multiplies data by data or by an axis
    Y[idx[i]*i,j] += E[i,j]
      ^^^^^^^^
  multiply data by sizes, parameters and integers; or compute the product before, as an input""",
    f"{GATHER}Y[idx[i]-idx[i]+i,j] += E[i,j]": """\
line 3, column 3: idx[i] cancels out of its index
    Y[idx[i]-idx[i]+i,j] += E[i,j]
      ^^^^^^
  write the index without it""",
    f"{GATHER}for t:\n  Y[idx[t],j] += E[t,j]": """\
line 4, column 3: t, the axis of the block, stands in no index of Y here but in data
      Y[idx[t],j] += E[t,j]
      ^^^^^^^^^^^
  index Y with t, or write the statement outside the block""",
    f"{GATHER}Y[Y[i,j],j] += E[idx[i],j]": (
        "Y is written by a statement, and its elements are indices: each call looks at them before it computes; "
        "compute Y in a kernel of its own, and give it to this one as an input"
    ),
    f"{GATHER}Y[i,j] = E[idx[i]*idx[j],j]": """\
line 3, column 12: this multiplies data by data or by an axis
    Y[i,j] = E[idx[i]*idx[j],j]
               ^^^^^^^^^^^^^
  multiply data by sizes, parameters and integers; or compute the product before, as an input""",
    f"{GATHER}Y[i,j] = E[i*idx[j],j]": """\
line 3, column 12: this multiplies data by data or by an axis
    Y[i,j] = E[i*idx[j],j]
               ^^^^^^^^
  multiply data by sizes, parameters and integers; or compute the product before, as an input""",
    f"{GATHER}Y[i,j] = E[i // idx[j],j]": """\
line 3, column 17: the divisor is data, which may be zero
    Y[i,j] = E[i // idx[j],j]
                    ^^^^^^
  divide by a size, a parameter or an integer""",
    f"{GATHER}Y[i,j] = E[select(idx[i], 1, 0),j]": """\
line 3, column 19: an element of a tensor is no condition in an index
    Y[i,j] = E[select(idx[i], 1, 0),j]
                      ^^^^^^
  compare: `select(idx[i] < 0, idx[i] + N, idx[i])`""",
    f"{GATHER}Y[i,j] = E[idx[i]-idx[i]+i,j]": """\
line 3, column 12: idx[i] cancels out of its index
    Y[i,j] = E[idx[i]-idx[i]+i,j]
               ^^^^^^
  write the index without it""",
    f"{GATHER}Y[i,j] = E[idx[i]+0.5,j]": """\
line 3, column 19: 0.5 is not an integer
    Y[i,j] = E[idx[i]+0.5,j]
                      ^^^
  an index is made of integers""",
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


@pytest.mark.parametrize("line", ["Y[i,j] = E[idx[i],j]", "Y[idx[i],j] += E[i,j]", "Y[max(idx[i],0),j] = E[i,j]"])
def test_an_index_is_an_integer(line: str) -> None:
    made = kernel(f"E: [V,J]\n{line}")
    for run in (lambda: im.compile(made, "scalar"), lambda: im.compile(made.with_dtypes({"idx": "f64"}), "scalar")):
        with pytest.raises(
            DTypeError, match=r"^line 2: idx is f\d\d, and idx\[i\] is an index; give it an integer type"
        ):
            run()


CELLS = {  # text of a contract, type of the index, place of the table, engine, and what is said
    "far": (
        "x: f32[4]\ny[l] = x[n[l] + 1]",
        "i32",
        "memory",
        "",
        r"x lies in 'memory', and an address there is the first element's and one index: write x\[n\[l\]\]",
    ),
    "wide": ("x: f32[4]\ny[l] = x[n[l]]", "i64", "zmm", "", r"n is an index of i64; 32 bits hold one"),
    "twice": (
        "x: f32[4]\nn: [4]\ny[l] = x[n[n[l]]]",
        "i32",
        "zmm",
        "",
        r"lies at an index that is data; one such step is followed",
    ),
    "written": (
        "y: f32[4]\ny[n[l]] = x[l]",
        "i32",
        "zmm",
        "",
        r"data says which cell is written; a contract reads by data alone",
    ),
    "engine": (
        "x: f32[4]\ny[l] = x[n[l]]",
        "i32",
        "pad[0,l]",
        "e",
        r"data names the cell along 'l', where an axis counts; give that dimension another name",
    ),
}


@pytest.mark.parametrize("case", CELLS)
def test_what_a_contract_reads_by_data_is_a_cell_of_a_register(case: str) -> None:
    text, kind, place, engine, said = CELLS[case]
    with pytest.raises(LanguageError, match=said):
        instruction(
            "g",
            text,
            axes={"l": 4},
            dtypes={"y": "f32", "x": "f32", "n": kind},
            places={"y": place if engine else "zmm", "x": place, "n": place if engine else "zmm"},
            engine=engine,
        )


def test_no_mapping_is_made_of_one() -> None:
    made = kernel(f"{GATHER}Y[i,j] += E[idx[i],j] * W[j]")
    with pytest.raises(
        im.IsamapError, match=r"an index of statement 1 of kernel is data, and avx2.fmadd_ps reads none by data"
    ):
        im.prove(im.fuse(made, im.find_instruction("avx2.fmadd_ps"), "l=j", operands={"a": "E", "b": "W"}))
