"""Certificates of the programs that plans hold: split sums, several mapped statements, statements in blocks, portable C."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import isamap_smt as im
from isamap_smt.certificates import CertificateError, Outcome, check_directory, load, save
from isamap_smt.certificates.explain import explain
from isamap_smt.certificates.manifest import MANIFEST, certificate_ids, read_certificate
from isamap_smt.certificates.saved import renewed
from isamap_smt.certificates.subject import Sources
from isamap_smt.cli.proofs_update import wanted
from isamap_smt.pipeline.plan import Plan
from tests.certificates.conftest import gemm_schedule, seal

PLANS: dict[str, tuple[str, dict[str, int], dict[str, Any]]] = {
    "split": ("gemm_nt", {"i": 2, "j": 2, "k": 17}, {"split.k": 8}),
    "cut": ("gemm_nt", {"i": 2, "j": 2, "k": 16}, {"cut.k": 2}),
    "blocks": ("two_layers", {"i": 24, "j": 40, "k": 16, "m": 24}, {"share.i": 6}),
    "point": ("C[i,j] = max(A[i,j], 0)", {}, {}),
}


@pytest.fixture(scope="module", params=PLANS)
def saved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Plan, Path]:
    """A plan, and the place of its certificate."""
    kernel, sizes, fix = PLANS[request.param]
    given = im.kernel(kernel, name="clip") if "=" in kernel else kernel
    plan = im.plan(given, "host" if given is not kernel else "avx2", sizes=sizes, fix=fix)
    root = tmp_path_factory.mktemp("plans") / "proofs"
    return plan, save(plan.checked, root, split=plan.split)


def check(place: Path, cache: bool = True) -> list[Outcome]:
    return check_directory(place.parents[2], jobs=1, cache=cache)


@pytest.mark.one_in(2)
def test_a_program_is_certified_as_it_is_compiled(saved: tuple[Plan, Path]) -> None:
    plan, place = saved
    found = check(place)
    assert [str(o) for o in found if o.status != "ok"] == []
    assert len(found) == len(plan.program.schedules)
    stored = read_certificate(place)
    assert stored.files["program.txt"].startswith(str(plan.program))
    assert stored.document["program"]["digest"] == plan.fingerprint
    assert len(stored.document["further"]) == len(plan.program.schedules) - 1


def test_the_c_names_its_certificate(saved: tuple[Plan, Path]) -> None:
    plan, place = saved
    digest = json.loads((place / MANIFEST).read_text())["program"]["digest"]
    assert f"certified {digest}" in plan.source


def test_the_claims_of_a_split_sum_are_among_them(saved: tuple[Plan, Path]) -> None:
    plan, place = saved
    files = {f for f in read_certificate(place).files if f.startswith("split-")}
    assert bool(files) == (plan.split is not None)
    if plan.split is not None:
        assert {"split-coverage.smt2", "split-exclusive.smt2", "split-link.smt2"} <= files
        identifier = place.relative_to(place.parents[2]).as_posix()
        told = [r.statement for r in explain(place.parents[2], identifier, "coverage", Sources())]
        assert "every point of the sum is in a piece" in told
        assert load(place).mapping == plan.proved.mapping


def test_it_is_written_anew_as_it_is(saved: tuple[Plan, Path]) -> None:
    _, place = saved
    again, then = renewed(place, Sources()), read_certificate(place)
    assert again.files == then.files and f"{place}".endswith(again.id)


def test_no_update_of_the_library_takes_its_place(saved: tuple[Plan, Path]) -> None:
    plan, place = saved
    ids = certificate_ids(place.parents[2])
    mine = [i for i in ids if any(w.covers(i) for w in wanted(f"avx2/{plan.kernel.name}"))]
    assert not [i for i in mine if ",at," in i or "split-" in i or "cut-" in i]


@pytest.mark.parametrize("saved", ["split"], indirect=True)
@pytest.mark.parametrize(
    ("change", "status"),
    [({"parts": 4}, ("broken", "stale")), ({"axis": "i"}, ("broken",)), ({"blocks": True}, ("broken", "stale"))],
)
def test_another_split_is_not_the_one_that_was_certified(
    saved: tuple[Plan, Path], change: dict[str, Any], status: tuple[str, ...]
) -> None:
    place = saved[1]
    before = {f: f.read_bytes() for f in place.parents[2].rglob("*") if f.is_file()}
    try:
        seal(
            place.parents[2],
            place.relative_to(place.parents[2]).as_posix(),
            lambda d: d["kernel"]["split"].update(change),
        )
        assert next(o for o in check(place) if o.id.endswith(place.name)).status in status
    finally:
        for file, data in before.items():
            file.write_bytes(data)


@pytest.mark.parametrize("saved", ["blocks"], indirect=True)
def test_one_statement_of_a_shared_loop_is_another_program(saved: tuple[Plan, Path], tmp_path: Path) -> None:
    """Its certificate says what it is: the loop is in it, and the C of the plan is not."""
    plan, _ = saved
    place = save(plan.proved, tmp_path / "proofs", plan.schedule)
    document = read_certificate(place).document
    assert plan.schedule is not None and document["schedule"]["shared"] == " ".join(plan.schedule.fused) == "i"
    assert document["program"]["digest"] != plan.fingerprint


@pytest.mark.parametrize("saved", ["split"], indirect=True)
def test_a_split_kernel_is_not_passed_off_as_the_whole(saved: tuple[Plan, Path], tmp_path: Path) -> None:
    with pytest.raises(
        CertificateError, match=r"the kernel gemm_nt is not the library's of that name: .*split=plan\.split"
    ):
        save(saved[0].checked, tmp_path / "proofs")


def test_a_program_has_its_schedules(tmp_path: Path) -> None:
    checked = im.plan("gemm", "avx2", sizes={"i": 2, "j": 8, "k": 2}).checked
    with pytest.raises(CertificateError, match="a program has its schedules already"):
        save(checked, tmp_path, gemm_schedule())
