"""isamap run: the result is compared with the reference, and the instruction named is the one used."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isamap_smt.cli.app import run
from isamap_smt.language.library import find_kernel
from isamap_smt.machine_model.calibration import usable_cores
from isamap_smt.runtime.judge import judge, wanted
from isamap_smt.runtime.measure import best_time, operations

KEYS = {"exact", "max_error", "seconds", "gflops", "reference", "instruction", "schedule", "threads", "packing"}


def ran(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[dict[str, Any], str]:
    """(the document of one run, what standard error said)."""
    assert run(["run", *words, "--seconds", "0.05", "--json"]) == 0
    said = capsys.readouterr()
    found: dict[str, Any] = json.loads(said.out)
    assert set(found) >= KEYS
    assert found["seconds"] > 0
    return found, said.err


def test_floats(capsys: pytest.CaptureFixture[str]) -> None:
    found, err = ran(capsys, "gemm", "host", "--sizes", "i=33,j=20,k=17")
    assert err == "" or "falling back" in err
    assert found["reference"] == "float64"
    assert found["max_error"] < 1e-6
    points = 2 * 33 * 20 * 17
    assert found["gflops"] == pytest.approx(points / found["seconds"] / 1e9, rel=1e-2)


def test_bytes_are_exact(capsys: pytest.CaptureFixture[str]) -> None:
    found, _ = ran(capsys, "gemm", "host", "--sizes", "i=7,j=9,k=11", "--dtypes", "A=u8,B=i8,C=i32")
    assert found["exact"] is True
    assert found["max_error"] == 0
    assert found["reference"] == "exact integers"


def test_the_fall_back_is_said_aloud(capsys: pytest.CaptureFixture[str]) -> None:
    found, err = ran(capsys, "gemm", "host", "--sizes", "i=5,j=6,k=7", "--dtypes", "A=u16,B=u16,C=u64")
    assert found["exact"] is True
    assert found["instruction"].startswith("scalar.")
    assert err == f"note: {found['notes'][0]}\n"
    assert f"falling back to {found['instruction']}" in err


def test_text_with_a_window(capsys: pytest.CaptureFixture[str]) -> None:
    text = "O[x] += I[x+r-1] * W[r] where 0 <= x+r-1 < X"
    found, _ = ran(capsys, "host", "--text", f"I: [X]\\n{text}", "--sizes", "x=50,r=3")
    assert found["max_error"] < 1e-6


def test_constant_operands_are_packed_ahead(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["gemm", "host", "--sizes", "i=33,j=20,k=17", "--constant", "B", "--fix", "pack.B=ahead"]
    found, _ = ran(capsys, *words)
    assert "packed ahead of the calls" in found["packing"].values()
    assert found["max_error"] < 1e-6


def test_two_threads(capsys: pytest.CaptureFixture[str]) -> None:
    found, _ = ran(capsys, "gemm", "host", "--sizes", "i=64,j=64,k=16", "--threads", "2")
    assert found["threads"] == 2
    assert found["max_error"] < 1e-6


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["gemm", "--sizes", "i=8,j=16,k=16"], "note: runs on one thread, which is predicted to be faster than 2\n"),
        (["--text", "for t:\n  y[t+1] = y[t] + x[t]", "--sizes", "t=9"], "note: runs on one thread: no loop of "),
        (["gemm", "--sizes", "i=8,j=16,k=16", "--fix", "parallel=i"], ""),
    ],
)
def test_who_asked_for_two_threads_hears_why_one_computes(
    words: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name, rest = ([words[0]], words[1:]) if words[0] == "gemm" else ([], words)
    for threads, notes in (("1", 0), ("2", bool(why))):
        assert run(["run", *name, "avx2", *rest, "--threads", threads, "--seconds", "0"]) == 0
        said = capsys.readouterr().err
        assert said.count("note: runs on one thread") == notes and (not notes or why in said)


def test_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run(["run", "gemm", "host", "--sizes", "i=8,j=8,k=8", "--dtypes", "A=i32,B=i32,C=i32", "--seconds", "0"]) == 0
    )
    assert "equal to the reference (exact integers) bit for bit" in capsys.readouterr().out


def test_the_answer_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    """Where, speed, verdict and schedule in four lines that a terminal of 80 columns holds; bounds below."""
    assert run(["run", "gemm", "avx2", "--sizes", "i=37,j=29,k=50", "--seconds", "0"]) == 0
    where, speed, verdict, schedule, empty, *rest = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"gemm i=37 j=29 k=50 f32 on avx2\.fmadd_ps \(.+, 1 thread\)", where)
    measured = r"  \S+ GFLOP/s   \S+ .s \(best of 5\)   \d+ % of peak   NumPy \S+ GFLOP/s"
    assert re.fullmatch(measured, speed)
    assert re.fullmatch(r"  correct   error \S+ \(allowed 2.8e-05\)   proved: \d+ obligations", verdict)
    assert re.fullmatch(r"  schedule  i 3 x j 32 in registers; .*optimal in its space", schedule)
    assert empty == "" and max(map(len, (speed, verdict, schedule))) <= 80
    assert rest[0].startswith("largest error ") and rest[-1] == "gemm on avx2.fmadd_ps: l=j;a=A,b=B"
    assert not any("{" in line for line in rest)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "gemm", "avx2.fmadd_ps", "--sizes", "i=8,j=8,k=8", "--seconds", "0"], "on avx2.fmadd_ps "),
        (["schedule", "gemm", "avx2.fmadd_ps", "--sizes", "i=8,j=8,k=8"], "gemm on avx2.fmadd_ps: "),
        (["map", "gemm", "wmma"], "2 legal mappings of gemm onto wmma.32x8x16"),
        (["map", "gemm", "wmma.16x16x16"], "2 legal mappings of gemm onto wmma.16x16x16"),
        (["prove", "gemm", "wmma", "--axes", "i=i,j=j,k=k"], "gemm onto wmma.16x16x16: i=i,j=j,k=k"),
        (["prove", "gemm", "avx2", "--axes", "l=j"], "gemm onto avx2.fmadd_ps: l=j"),
        (["check-hardware", "scalar.muladd_f32", "--results", "100"], "scalar is right: 1 of 1 instructions"),
        (["report", "gemm", "wmma.16x16x16"], "wrote gemm-wmma.html"),
    ],
    ids=lambda x: "-".join(x[:3]) if isinstance(x, list) else "",
)
def test_a_machine_and_an_instruction_of_it_are_taken_alike(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str], in_empty_directory: Path
) -> None:
    assert run(words) == 0
    assert said in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "warned"),
    [
        (["gemm", "avx512_fp16"], True),
        (["gemm", "host", "--dtypes", "A=u16,B=u16,C=u64"], True),
        (["gemm", "scalar"], False),
        (["gemm", "avx2"], False),
    ],
    ids=lambda x: " ".join(x[:2]) if isinstance(x, list) else "",
)
def test_scalar_code_on_a_vector_machine_is_a_warning(
    words: list[str], warned: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """It stands above the speed; the status is that of the result."""
    assert run(["run", *words, "--sizes", "i=4,j=4,k=4", "--seconds", "0"]) == 0
    _, second, third, *_ = capsys.readouterr().out.splitlines()
    said = f"  warning: scalar code, by no vector instruction of {words[1]}; the note says why"
    assert (second == said) == warned and ("OP/s" in third or not warned)


def test_what_is_not_known_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """NumPy has no BLAS for bytes, and several statements have no one peak."""
    bytes_ = ["gemm", "avx2", "--sizes", "i=8,j=8,k=8", "--dtypes", "A=u8,B=i8,C=i32"]
    text = "H[i,j] += X[i,k] * W[k,j]\\nY[i,j] = relu(H[i,j])"
    for words, peak in ((bytes_, True), (["avx2", "--text", text, "--sizes", "i=8,j=8,k=8"], False)):
        assert run(["run", *words, "--seconds", "0"]) == 0
        speed = capsys.readouterr().out.splitlines()[1]
        assert "NumPy" not in speed and ("% of peak" in speed) == peak


def test_an_error_is_seen() -> None:
    """One wrong element is not exact, and its size is that of the error."""
    kernel = find_kernel("gemm").with_sizes({"i": 3, "j": 4, "k": 5})
    arrays = {"A": np.ones((3, 5), np.float32), "B": np.ones((5, 4), np.float32)}
    right = arrays["A"] @ arrays["B"]
    expected = wanted(kernel, arrays, "reassociate")
    seen = judge(kernel, right, expected)
    assert (seen.exact, seen.error, seen.against, seen.reason) == (True, 0.0, "float64", "")
    wrong = right.copy()
    wrong[1, 2] += 0.5
    seen = judge(kernel, wrong, expected)
    assert not seen.exact
    assert seen.error == pytest.approx(0.1)
    assert "C[1,2] is 5.5, and should be 5.0" in seen.reason


def test_not_a_number_is_not_small() -> None:
    kernel = find_kernel("gemm").with_sizes({"i": 1, "j": 1, "k": 1})
    arrays = {"A": np.ones((1, 1), np.float32), "B": np.ones((1, 1), np.float32)}
    seen = judge(kernel, np.full((1, 1), np.nan, np.float32), wanted(kernel, arrays, "reassociate"))
    assert not seen.exact
    assert seen.error == float("inf")


def test_operations_count_every_point() -> None:
    assert operations(find_kernel("gemm").with_sizes({"i": 3, "j": 4, "k": 5})) == 2 * 3 * 4 * 5


def test_runs_are_interleaved() -> None:
    order: list[str] = []
    times = best_time([lambda: order.append("a"), lambda: order.append("b")], budget=0.0, least=3)
    assert order == ["a", "b"] * 3
    assert [len(t) for t in times] == [3, 3]


@pytest.mark.parametrize("words", [["run"], ["schedule"], ["report", "--no-measure"], ["compile", "-o", "out"]])
def test_more_threads_than_cores_are_noted(
    words: list[str], capsys: pytest.CaptureFixture[str], in_empty_directory: Path
) -> None:
    cores = usable_cores()
    for threads, notes in ((cores, 0), (cores + 1, 1)):
        options = ["--sizes", "i=4,j=4,k=4", "--threads", str(threads)]
        assert run([words[0], "gemm", "scalar", *words[1:], *options]) == 0
        said = capsys.readouterr().err
        assert said.count(f"note: --threads {threads}: this process may use {cores} core") == notes
