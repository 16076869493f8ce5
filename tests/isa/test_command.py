"""isamap check-isa: statuses, JSON, the page, and what is said about bad input."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest

from isamap_smt.cli.app import run
from isamap_smt.isa import exo_table, tvm_table

RIGHT = """
/* isamap: c[l] += a[l] * b[l]  for l < 8; a, b, c: f32 */
static inline __m256 multiply_add(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
"""
WRONG = """
/* isamap: r[l] = a[l] + b[l]  for l < 16; r, a, b: u16 */
static inline __m256i add(__m256i a, __m256i b) { return _mm256_adds_epu16(a, b); }
"""
UNREAD = """
/* isamap: r[l] = a[l]  for l < 8; r, a: f32 */
static inline __m256 rooted(__m256 a) { return _mm256_rcp_ps(a); }
"""


def check(tmp_path: Path, text: str, *options: str) -> tuple[int, Path]:
    file = tmp_path / "table.h"
    file.write_text("#include <immintrin.h>\n" + text)
    return run(["check-isa", str(file), *options]), file


def answer(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_all_proved_is_status_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(tmp_path, RIGHT, "--json")[0] == 0
    (entry,) = answer(capsys)["entries"]  # type: ignore[misc]
    assert entry["verdict"] == "proved"
    assert "over the reals" in entry["reason"]
    assert "avx2.fmadd_ps" in entry["reason"]


@pytest.mark.needs("avx2")
def test_refuted_is_status_1_with_an_input_that_was_run_and_a_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    assert check(tmp_path, RIGHT + WRONG + UNREAD, "--json", "--page", str(page))[0] == 1
    by_name = {e["name"]: e for e in answer(capsys)["entries"]}  # type: ignore[attr-defined]
    assert [e["verdict"] for e in by_name.values()] == ["proved", "refuted", "unread"]
    entry = by_name["add"]
    x, y = (entry["input"][f"{name}[0]"] for name in "ab")
    assert entry["expected"] == f"r[0] = {(x + y) % 65536}"
    assert entry["got"] == "r[0] = 65535"
    assert "run on this CPU" in entry["reason"]
    assert "_mm256_rcp_ps" in by_name["rooted"]["reason"]
    text = page.read_text()
    assert "## `add`" in text
    assert "multiply_add" not in text


def test_unread_is_status_2(tmp_path: Path) -> None:
    assert check(tmp_path, RIGHT + UNREAD)[0] == 2


def test_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(tmp_path, RIGHT + WRONG, "--only", "^multiply", "--json")[0] == 0
    assert [e["name"] for e in answer(capsys)["entries"]] == ["multiply_add"]  # type: ignore[attr-defined]
    assert check(tmp_path, RIGHT, "--only", "nothing")[0] == 3
    assert check(tmp_path, RIGHT, "--only", "(")[0] == 3


BAD = {
    "no contract": ("static inline int f(int a) { return a; }", "table.h: no contract"),
    "no function": ("/* isamap: r[l] = a[l] for l < 8; r, a: f32 */", "table.h:2: no function follows"),
    "no statement": ("/* isamap: ; l < 8 */", "table.h:2: the contract has no statement"),
    "no clause": (RIGHT.replace("l < 8", "l up to 8"), "table.h:3: the clause 'l up to 8' is none of"),
    "no extent": (RIGHT.replace("l < 8; ", ""), "table.h:3: nothing is said of L"),
    "no type": (RIGHT.replace("f32", "f33"), "table.h:3: "),
    "no rounding": (RIGHT.replace("f32 */", "f32; rounding: up */"), "table.h:3: rounding is fused or unfused"),
    "no C": (RIGHT.replace("return", "return return"), "table.h:4:"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named_with_file_and_line(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, said = BAD[case]
    assert check(tmp_path, text)[0] == 3
    assert said in capsys.readouterr().err


def test_a_contract_that_does_not_fit_its_function_is_unread(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(tmp_path, RIGHT.replace("l < 8", "l < 4"), "--json")[0] == 2
    (entry,) = answer(capsys)["entries"]  # type: ignore[misc]
    assert "the contract gives a 128 bits, its C type __m256 has 256" in entry["reason"]


def test_a_function_that_calls_itself_is_unread(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(tmp_path, RIGHT.replace("_mm256_fmadd_ps", "multiply_add"), "--json")[0] == 2
    (entry,) = answer(capsys)["entries"]  # type: ignore[misc]
    assert "calls itself" in entry["reason"]


def test_a_table_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check-isa", "exxo"]) == 3
    assert "'exxo' is no table; write exo, exo-gemmini, tvm, or the path of a C file" in capsys.readouterr().err
    assert run(["check-isa", "nowhere.h"]) == 3


@pytest.mark.parametrize(("name", "module"), [("exo", exo_table), ("tvm", tvm_table)])
def test_a_missing_peer_is_named_with_its_install_line_and_never_green(
    name: str, module: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "installed", lambda: None)
    assert run(["check-isa", name, "--json"]) == 3
    found = capsys.readouterr()
    assert module.INSTALL in json.loads(found.out)["error"]
    assert "nothing was checked" in found.err
