"""isamap map: the set of legal mappings, as a document and as tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from isamap_smt.cli.app import run

KEYS = {"complete", "legal", "refuted", "unknown", "seconds", "mappings", "conflicts"}

MACHINE = """
import isamap_smt as im

dot = im.instruction("npu.dot", "acc[l] += i32(a[l,e]) * i32(b[l,e])", axes={"l": 4, "e": 2},
                     dtypes={"a": "u8", "b": "i8", "acc": "i32"}, places=dict.fromkeys(("a", "b", "acc"), "r"))
"""


def mapped(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """The document of one map; it has exactly the promised keys, and standard error stays empty."""
    assert run(["map", *words, "--json"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    found: dict[str, Any] = json.loads(said.out)
    assert set(found) == KEYS
    assert found["legal"] == len(found["mappings"])
    for m in found["mappings"]:
        assert set(m) == {"id", "axes", "operands", "supply"}
        assert set(m["supply"].values()) <= {"contiguous", "broadcast", "strided", "gather"}
    return found


def axes(found: dict[str, Any]) -> set[str]:
    """Each mapping's axes, such as `l=i.j`."""
    return {",".join(f"{t}={'.'.join(g)}" for t, g in m["axes"].items()) for m in found["mappings"]}


def test_gemm(capsys: pytest.CaptureFixture[str]) -> None:
    found = mapped(capsys, "gemm", "avx2.fmadd_ps")
    assert found["complete"] is True
    assert found["unknown"] == 0
    assert axes(found) == {"l=i", "l=j", "l=i.j"}
    assert [(c["part"], c["claim"]) for c in found["conflicts"]] == [({"l": ["k"]}, "exclusive")]
    assert "C[0,0]" in found["conflicts"][0]["witness"]


def test_the_instruction_gives_the_types(capsys: pytest.CaptureFixture[str]) -> None:
    assert axes(mapped(capsys, "gemm", "avx2.madd_u8i8")) >= {"l=j,e=k"}


def test_given_types_stay(capsys: pytest.CaptureFixture[str]) -> None:
    found = mapped(capsys, "gemm", "avx2.fmadd_ps", "--dtypes", "A=f64,B=f64,C=f64")
    assert found["legal"] == 0


def test_types_in_the_text_stay(capsys: pytest.CaptureFixture[str]) -> None:
    text = "A: f64[I, K]\\nB: f64[K, J]\\nC: f64[I, J]\\nC[i,j] += A[i,k] * B[k,j]"
    assert mapped(capsys, "avx2.fmadd_ps", "--text", text)["legal"] == 0
    assert mapped(capsys, "avx2.fmadd_pd", "--text", text)["legal"] == 3


def test_fixed_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    assert axes(mapped(capsys, "gemm", "avx2.fmadd_ps", "--sizes", "i=16,j=8")) >= {"l=j"}


def test_partial(capsys: pytest.CaptureFixture[str]) -> None:
    without = mapped(capsys, "matvec", "wmma.16x16x16")
    assert without["legal"] == 0
    assert mapped(capsys, "matvec", "wmma.16x16x16", "--partial")["legal"] > 0


def test_an_instruction_from_a_file(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    Path("npu.py").write_text(MACHINE)
    assert "l=j,e=k" in axes(mapped(capsys, "gemm", "npu.py:dot"))


def test_a_kernel_from_a_file(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    Path("mine.py").write_text('DOT = "s[b] += x[b,i] * y[b,i]"\n')
    assert axes(mapped(capsys, "mine.py:DOT", "avx2.fmadd_ps")) == {"l=b"}


def test_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["map", "gemm", "avx2.fmadd_ps"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("3 legal mappings of gemm onto avx2.fmadd_ps\n")
    assert "complete: every candidate of the family was judged; 3 legal" in said.out


def test_low_digits_of_axes(capsys: pytest.CaptureFixture[str]) -> None:
    found = mapped(capsys, "gemm", "avx2.fmadd_ps", "--family", "digits")
    assert axes(found) == {"l=j", "l=i", "l=i.j", "l=i.j%2", "l=i.j%4"} and found["complete"]
    assert run(["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=i.j%4"]) == 0
    assert "l=i.j%4" in capsys.readouterr().out
    assert run(["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=i.k%4"]) == 1
    assert "one writer per element (c): fails" in capsys.readouterr().out


def test_nothing_legal_gives_a_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["map", "matvec", "wmma.16x16x16"]) == 0
    assert "matvec has 2 axes and wmma.16x16x16 needs 3" in capsys.readouterr().out


def test_prices_at_given_sizes_and_the_one_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["map", "gemm", "avx2.fmadd_ps"]
    assert run([*words, "--sizes", "i=32,j=64,k=16"]) == 0
    said = capsys.readouterr().out.splitlines()
    (header,) = [line for line in said if line.startswith("axes")]
    assert header.split()[-1] == "cycles"
    rows = {line.split()[0]: line.split() for line in said if line.startswith("l=") and "c=C" in line}
    assert set(rows) == {"l=i", "l=j"} and rows["l=j"][-2:] == ["<-", "schedule"]
    cycles = {n: int(next(w for w in row if w.replace(",", "").isdigit()).replace(",", "")) for n, row in rows.items()}
    assert cycles["l=j"] < cycles["l=i"]
    assert run(["schedule", *words[1:], "--sizes", "i=32,j=64,k=16"]) == 0
    scheduled = capsys.readouterr().out
    assert "gemm on avx2.fmadd_ps: l=j;" in scheduled and f"objective {cycles['l=j']:,} cycles" in scheduled
    assert run(words) == 0
    assert "cycles" not in capsys.readouterr().out


def test_what_the_family_writes_twice_is_counted_behind_v(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["map", "gemm", "avx2.fmadd_ps"]) == 0
    assert "duplicates" not in capsys.readouterr().out
    assert run(["map", "gemm", "avx2.fmadd_ps", "-v"]) == 0
    assert "4 refuted, 0 duplicates skipped, 0 unknown of 7" in capsys.readouterr().out
