"""Odd files, names and kinds of values are told in a sentence that helps, and never by a traceback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.ir.errors import IsamapError, did_you_mean

X = np.zeros(3, np.float32)
FILES = {
    "empty.py": "",
    "makes.py": "def M(n): return n",
    "two.py": "from beside import K",
    "beside.py": "K = 'y[i] = x[i]'",
}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["map", "gemm", "empty.py"], "empty.py: which instruction? write empty.py:NAME; it defines no instruction at all"),
        (["map", "gemm", "makes.py:M(n=3)"], "'M' in makes.py is int, not isamap_smt.Instruction"),
        (["run", "two.py:K", "scalar", "--sizes", "i=3"],
         "No module named 'beside'; beside.py lies beside it: set PYTHONPATH=."),
        (["schedule", "gemm", "AVX2"], "unknown hardware 'AVX2'; did you mean avx2 or "),
        (["map", "gemm", "avx2.nope"], " more"),
    ],
)  # fmt: skip
def test_files(words: list[str], said: str, capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    for name, text in FILES.items():
        Path(name).write_text(text)
    assert run(words) == 3
    told = capsys.readouterr().err
    assert said in told and len(told) < 700


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda k: im.kernel("y[i] = x[i]", name=3), "name=3 is int: pass text"),
        (lambda k: im.kernel("y[i] = x[i]", dtypes="f32"), "dtypes='f32': pass names and element types"),
        (lambda k: im.kernel("y[i] = x[i]", dtypes={3: "f32"}), "dtypes={3: 'f32'}: pass names"),
        (lambda k: im.instruction("m.i", None, axes={"l": 8}, dtypes={}, places={}), "text=None is NoneType: pass text"),
        (lambda k: im.Hardware("m", instructions=k), "hardware m: instructions is a Kernel: pass a tuple"),
        (lambda k: im.run_kernel(k, X), "arrays is ndarray: pass arrays by name"),
        (lambda k: im.run_kernel(k, {"x": X}, out=X), "out is ndarray: pass arrays by name"),
    ],
)  # fmt: skip
def test_kinds(make: Any, said: str) -> None:
    with pytest.raises(IsamapError) as told:
        make(im.kernel("y[i] = x[i]"))
    assert str(told.value).startswith(said)


def test_a_type_that_no_kernel_has_is_not_proposed() -> None:
    with pytest.raises(IsamapError) as told:
        im.run_kernel(im.kernel("y[i] = x[i]"), {"x": X.astype(object)})
    assert str(told.value) == "x is object, the kernel says f32; convert it"


def test_a_name_that_is_no_file_name(in_empty_directory: Path) -> None:
    Path("k.py").write_text("import isamap_smt as im\nK = im.kernel('c[i] = a[i] + b[i]', name='å/b')\n")
    assert run(["report", "k.py:K", "avx2", "--no-measure", "--sizes", "i=8"]) == 0
    assert Path("å_b-avx2.html").is_file()
    assert run(["compile", "k.py:K", "scalar", "-o", "out"]) == 0
    assert "int kernel___b(const float *a" in Path("out/kernel.h").read_text()


def test_few_of_many_names() -> None:
    assert did_you_mean("?", [f"n{i:03}" for i in range(31)]).endswith(", n030")
    assert did_you_mean("?", [f"n{i:03}" for i in range(99)]).endswith(", n029 and 69 more")
    assert did_you_mean("GEMM", ["gemm", "conv"]) == "did you mean gemm?"
