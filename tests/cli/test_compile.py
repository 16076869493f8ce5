"""isamap compile: a directory with C, header, library, proofs and report, whole or not at all."""

from __future__ import annotations

import ctypes
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from isamap_smt.cli.app import run
from isamap_smt.cli.directory import OutputError, whole_directory, write_whole
from isamap_smt.language.hardware_library import host_features
from isamap_smt.runtime.compiler import find_compiler

FILES = {"kernel.c", "kernel.h", "kernel.so", "proofs.json", "report.html"}
# The header twice, then the code itself: a declaration that differs from its definition is an error.
PROGRAM = """
#include "kernel.h"
#include "kernel.h"
#include "kernel.c"
int call(const void *const *tensors, int64_t *sizes) { return isamap_run(tensors, sizes, 0, 1); }
"""


@pytest.fixture
def compiled(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A small matrix product, compiled for any machine."""
    assert run(["compile", "gemm", "scalar", "--sizes", "i=2,j=2,k=3", "-o", "out", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["files"]) == FILES
    assert found["verdict"] == "proved"
    return in_empty_directory / "out"


def test_everything_is_there(compiled: Path) -> None:
    assert {p.name for p in compiled.iterdir()} == FILES
    assert [p.name for p in compiled.parent.iterdir()] == ["out"]


def test_the_library_computes(compiled: Path) -> None:
    a, b = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((3, 2), np.float32)
    c = np.zeros((2, 2), np.float32)
    library = ctypes.CDLL(str(compiled / "kernel.so"))
    tensors = (ctypes.c_void_p * 3)(c.ctypes.data, a.ctypes.data, b.ctypes.data)
    assert library.isamap_run(tensors, None, None, ctypes.c_int64(1)) == 0
    assert np.array_equal(c, a @ b)
    for begin, want in ((1, a @ b), (0, 2 * (a @ b))):
        assert library.isamap_run(tensors, (ctypes.c_int64 * 1)(begin), None, ctypes.c_int64(1)) == 0
        assert np.array_equal(c, want)


def test_the_header_declares_what_the_code_defines(compiled: Path) -> None:
    (compiled / "main.c").write_text(PROGRAM)
    command = [*find_compiler().command, "-Wall", "-Wextra", "-Werror", "-std=c11", "-c", "main.c"]
    subprocess.run(command, cwd=compiled, check=True)
    header = (compiled / "kernel.h").read_text()
    assert "0  float C[2][2]  (f32, output, begun at 0 or added to)" in header
    assert "sizes: 1 to begin C at 0 or 0 to add to what is there (NULL adds, too), as int64_t" in header


def test_the_proofs_are_listed(compiled: Path) -> None:
    found = json.loads((compiled / "proofs.json").read_text())
    assert found["mapping"]["verdict"] == found["program"]["verdict"] == "proved"
    assert {"coverage", "bounds"} <= {c["claim"] for c in found["program"]["claims"]}
    assert found["sizes"] == {"i": 2, "j": 2, "k": 3}
    assert "z3-solver" in found["versions"]


def test_a_result_is_replaced(compiled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (compiled / "old.txt").write_text("old")
    assert run(["compile", "gemm", "scalar", "--sizes", "i=3,j=2,k=3", "-o", "out"]) == 0
    assert {p.name for p in compiled.iterdir()} == FILES
    assert [p.name for p in compiled.parent.iterdir()] == ["out"]


def test_for_a_machine_that_is_not_this_one(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if "avx512_vnni" in host_features():
        pytest.skip("this CPU has avx512_vnni")
    words = ["compile", "gemm", "avx512_vnni", "--dtypes", "A=u8,B=i8,C=i32", "--sizes", "i=4,j=16,k=8", "-o", "out"]
    assert run(words) == 0
    assert "_mm512" in Path("out/kernel.c").read_text()
    assert "this CPU has no avx512_vnni" not in capsys.readouterr().err


def test_a_failure_leaves_the_old_result(tmp_path: Path) -> None:
    place = tmp_path / "out"
    with whole_directory(place) as scratch:
        (scratch / "proofs.json").write_text("1")
    with pytest.raises(RuntimeError), whole_directory(place) as scratch:
        (scratch / "proofs.json").write_text("2")
        raise RuntimeError
    assert (place / "proofs.json").read_text() == "1"
    assert list(tmp_path.iterdir()) == [place]


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot write"), whole_directory(tmp_path / "file" / "out"):
        pass
    with pytest.raises(OutputError, match="cannot write"):
        write_whole(tmp_path / "file" / "page.html", "text")
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
