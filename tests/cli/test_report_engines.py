"""isamap report of a machine with engines: the plan and its simulated run, or the mappings alone where nothing can be scheduled."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isamap_smt.cli.app import run

OUTER = f"{Path(__file__).parents[2] / 'examples' / 'outer_product.py'}:MACHINE"
ASKED = ("report", "gemm", OUTER, "--sizes", "i=11,j=9,k=10")


def test_the_page_and_its_json(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*ASKED, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["page"], found["hardware"], found["verdict"]) == (
        "gemm-outer_product.html",
        "outer_product",
        "proved",
    )
    assert (found["lacks"], found["notes"]) == ([], [])
    assert [(f["instruction"], f["statement"], f["legal"]) for f in found["found"]] == [("outer", 1, 2)]
    page = Path("gemm-outer_product.html").read_text()
    assert "<h1>gemm on outer_product.outer</h1>" in page and page.count('<figure class="picture">') == 3
    assert run(["run", *ASKED[1:], "--seeds", "0", "--json"]) == 0
    ran = json.loads(capsys.readouterr().out)
    assert {n: found[n] for n in ("cycles", "predicted_cycles", "engines")} == {
        n: ran[n] for n in ("cycles", "predicted_cycles", "engines")
    }
    assert found["schedule"]["loops"] == ran["schedule"]["loops"]
    assert f"<b>{found['cycles']:,.0f} <small>cycles</small></b><span>simulated" in page


def test_a_page_that_is_not_simulated(in_empty_directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*ASKED, "--no-measure"]) == 0
    assert capsys.readouterr() == ("wrote gemm-outer_product.html\n", "")
    assert "simulated;" not in Path("gemm-outer_product.html").read_text()
    many = "not simulated: about 2,097,152 uses, and at most 262,144 are; give smaller --sizes"
    assert run(["report", "gemm", OUTER, "--sizes", "i=1024,j=1024,k=1024"]) == 0
    assert capsys.readouterr().err == f"note: {many}\n"
    assert many in Path("gemm-outer_product.html").read_text()


def test_what_cannot_be_scheduled_has_the_page_of_mappings(
    in_empty_directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["report", "linear_relu", OUTER, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schedule"] is None and "nothing computes relu" in found["lacks"][0]
    page = Path("linear_relu-outer_product.html").read_text()
    assert (
        "Nothing was scheduled: outer_product: nothing computes relu" in page and "linear_relu on outer_product" in page
    )
    assert run([*ASKED, "--fix", "slots.x=2"]) == 3
    assert "--fix slots.x: no such decision" in capsys.readouterr().err
    assert not Path("gemm-outer_product.html").exists()
