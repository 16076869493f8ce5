"""isamap report: one HTML page, and what is said about it."""

from __future__ import annotations

import html
import json
from pathlib import Path

import pytest

from isamap_smt.cli.app import run


def test_a_measured_page(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["report", "--sizes", "i=33,j=20,k=17", "gemm", "host", "-o", "page.html", "--json"]
    assert run(asked) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["page"] == "page.html"
    assert found["verdict"] == "proved"
    assert found["gflops"] > 0
    page = html.unescape(Path("page.html").read_text())
    assert "measured, best of" in page and "× NumPy" in page
    assert '<pre class="command">$ isamap report gemm host --sizes i=33,j=20,k=17</pre>' in page
    assert [p.name for p in in_empty_directory.iterdir()] == ["page.html"]


def test_the_page_has_a_name_of_its_own(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "gemm", "scalar", "--sizes", "i=4,j=4,k=4", "--no-measure"]) == 0
    assert capsys.readouterr().out == "wrote gemm-scalar.html\n"
    page = Path("gemm-scalar.html").read_text()
    assert (
        "measured, best of" not in page and "$ isamap report gemm scalar --no-measure --sizes i=4,j=4,k=4</pre>" in page
    )


def test_open_sizes_are_not_run(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report", "gemm", "scalar", "--sizes", "i=4,j=4"]) == 0
    assert "note: not run: K have no value; give them with --sizes\n" in capsys.readouterr().err
    assert "K have no value" in Path("gemm-scalar.html").read_text()
