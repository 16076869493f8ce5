"""docs/onnx.md names the family of each operator that is computed, and its counts add up."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.onnx_nodes import catalogue, families, shown
from isamap_smt.networks.onnx.node import OPERATORS

PAGE = (Path(__file__).parents[2] / "docs" / "onnx.md").read_text()
HEAD, KERNELS, FUNCTIONS, REFUSED = PAGE.split("\n## ")
_NAME = re.compile(r"`([\w.]+)`")


def test_each_operator_that_is_computed_has_its_family() -> None:
    told = dict(re.findall(r"^\| `([\w.]+)` \| (\w+) \|", KERNELS, re.MULTILINE))
    assert told == {shown(key).strip("`"): how for key, how in catalogue().items() if how in families()}


def test_no_other_operator_has_a_kernel() -> None:
    computed = {shown(key).strip("`") for key in OPERATORS}
    others = {n for part in (FUNCTIONS, REFUSED) for n in _NAME.findall(part)}
    assert len(others) > 50
    assert not others & computed


def test_the_counts_add_up() -> None:
    said = int(re.search(r"By the interpreter ([\d,]+) come out right", HEAD)[1].replace(",", ""))  # type: ignore[index]
    first = re.findall(r"^\| `[\w.]+`(?: \| \w+)? \| (\d+) of \d+", KERNELS + FUNCTIONS, re.MULTILINE)
    assert sum(map(int, first)) == said
