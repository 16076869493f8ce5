"""Planted faults are refuted, each by its own reason, and the right C under the same contract is proved."""

from __future__ import annotations

import pytest

from isamap_smt.isa import header
from isamap_smt.isa.check import check_entries
from isamap_smt.isa.entry import Finding
from tests.isa.planted import FAULTS, NEON, X86


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Finding]:
    """What is found about all of them, which lie in one file for each header."""
    folder, findings = tmp_path_factory.mktemp("planted"), {}
    for name in (X86, NEON):
        file = folder / f"planted_{name}"
        texts = [f.text(n) for n, f in enumerate(FAULTS) if f.header == name]
        file.write_text(f"#include <{name}>\n" + "".join(texts))
        findings |= {f.name: f for f in check_entries(header.entries(file))}
    return findings


@pytest.mark.parametrize("number", range(len(FAULTS)), ids=[f.name for f in FAULTS])
def test_fault_is_refuted(number: int, found: dict[str, Finding]) -> None:
    fault, right, wrong = FAULTS[number], found[f"right_{number}"], found[f"wrong_{number}"]
    assert (right.verdict, wrong.verdict) == ("proved", "refuted"), (right, wrong)
    assert fault.reason in wrong.reason
    if "another value" in fault.reason:
        assert wrong.input
        assert wrong.expected != wrong.got
