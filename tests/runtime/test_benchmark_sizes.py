"""Every kernel of a benchmark, at every size of it, ends with a result that is judged right, on every machine this CPU executes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import isamap_smt as im
from isamap_smt.bench.case import Case
from isamap_smt.bench.suites import SUITES, Suite
from isamap_smt.language.hardware_library import missing_features
from isamap_smt.runtime.measure import judged_call
from tests.families import draw

MACHINES = ("scalar", "avx2", "avx512", "avx_vnni", "avx512_vnni", "avx512_bf16", "amx")
LARGE = 3e8  # operations, beyond which only `make test-all` runs a case


def _cases() -> Iterator[Any]:
    """This CPU's own machine with every case, others with the quick ones of each suite. In `make test` one of each suite."""
    for suite in SUITES.values():
        cases = suite.cases()
        small = [c for c in cases if c.operations <= LARGE]
        stays = small[draw(suite.name, len(small))]
        for case in cases:
            quick = case.name in suite.quick
            for machine in ("host", *MACHINES) if quick else ("host",):
                marks = () if machine == "host" and case == stays else pytest.mark.exhaustive
                yield pytest.param(suite, case, machine, id=f"{suite.name}: {case.name} on {machine}", marks=marks)


@pytest.mark.parametrize(("suite", "case", "machine"), list(_cases()))
def test_ends_green(suite: Suite, case: Case, machine: str) -> None:
    if missing := missing_features(im.find_hardware(machine).instructions) if machine != "host" else ():
        pytest.skip(f"this CPU lacks {', '.join(missing)}")
    compiled = im.build(im.plan(case.problem(), machine, sizes=case.size))
    _, seen = judged_call(compiled, case.problem().with_sizes(case.size), 1)
    assert seen.reason == ""
    assert seen.undefined == 0
