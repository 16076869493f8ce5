"""--statement N maps and proves one statement of a kernel of several."""

from __future__ import annotations

import json

import pytest

from isamap_smt.cli.app import run


@pytest.mark.parametrize(("number", "axes"), [("1", {"l": ["j"]}), ("3", {"l": ["m"]})])
def test_each_product_of_two_layers_is_mapped(
    capsys: pytest.CaptureFixture[str], number: str, axes: dict[str, list[str]]
) -> None:
    assert run(["map", "two_layers", "avx2.fmadd_ps", "--statement", number, "--json"]) == 0
    assert axes in [m["axes"] for m in json.loads(capsys.readouterr().out)["mappings"]]


def test_a_statement_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=j", "--statement", "2"]) == 3
    assert "--statement 2: gemm has one statement" in capsys.readouterr().err
