"""A certificate may hold how far rounding carries the results of its program: what is claimed beyond what follows is broken."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sympy as sp

import isamap_smt as im
from examples import norms
from isamap_smt.certificates import CertificateError, Outcome, check_directory, load, save
from isamap_smt.certificates.explain import explain
from isamap_smt.certificates.lock import lock_text, question
from isamap_smt.certificates.manifest import MANIFEST, certificate_ids, manifest_alone, read_certificate
from isamap_smt.certificates.rounding import KEY
from isamap_smt.certificates.saved import renewed
from isamap_smt.certificates.subject import Sources
from isamap_smt.cli.app import run
from isamap_smt.cli.proofs_update import update_directory
from isamap_smt.ir import fibres, rounding_walk
from isamap_smt.ir.errors import RangeError, SizeError, UnknownNameError
from isamap_smt.ir.heads import FUNCTION_ROWS
from tests.certificates.conftest import Edit, seal

SIZES = {"i": 2, "n": 20}


@pytest.fixture(scope="module")
def plan() -> im.Plan:
    return im.plan(norms.SOFTMAX, "avx2", sizes=SIZES)


@pytest.fixture(scope="module")
def saved(plan: im.Plan, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(plan.checked, tmp_path_factory.mktemp("bounds") / "proofs", split=plan.split, ranges={"x": (-4, 4.0)})


@pytest.fixture
def mine(saved: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    shutil.copytree(saved.parents[2], tmp_path / "proofs")
    return tmp_path / "proofs" / saved.relative_to(saved.parents[2])


def outcome(place: Path) -> Outcome:
    root = place.parents[2]
    return next(o for o in check_directory(root, jobs=1) if o.id == place.relative_to(root).as_posix())


def test_a_bound_is_certified_with_its_formulas(saved: Path, plan: im.Plan) -> None:
    stored = read_certificate(saved)
    found = outcome(saved)
    assert (found.status, found.told, found.alone) == ("ok", (), 0) and found.formulas > 400
    assert saved.name.endswith(",at,i=2,n=20,within,x=-4..4")
    bound = stored.document[KEY]
    assert bound["ranges"] == {"x": [-4, 4]} and bound["follows"] in ("program", "kernel")
    assert 1e-6 < bound["bounds"]["y"]["relative"] < 3e-6
    about = {c["subject"] for c in stored.claims if c["claim"] == "rounding"}
    assert {"exp(x[i, n] - top[i])", "1 / total[i]", "y"} <= about
    assert "(set-info :status unsat)" in stored.files["rounding.smt2"]
    assert load(saved).mapping == plan.program.schedules[0].proved.mapping
    told = explain(saved.parents[2], saved.relative_to(saved.parents[2]).as_posix(), "rounding", Sources())
    assert told[-1].subject == "y" and all(r.verdict == "proved" for r in told)


def test_without_ranges_a_certificate_is_as_it_was(plan: im.Plan, tmp_path: Path, saved: Path) -> None:
    place = save(plan.checked, tmp_path / "proofs", split=plan.split)
    without, given = read_certificate(place), read_certificate(saved)
    assert KEY not in without.document and "rounding.smt2" not in without.files
    same = {n for n, text in without.files.items() if given.files.get(n) == text}
    assert "program.txt" in same
    assert question(without.document) != question(given.document)
    assert without.document["program"] == given.document["program"]  # the C is one


def bounded(key: str, factor: float) -> Edit:
    return lambda d: d[KEY]["bounds"]["y"].update({key: d[KEY]["bounds"]["y"][key] * factor})


FORGED: dict[str, tuple[Edit, str, str]] = {
    "a smaller bound": (bounded("relative", 0.9), "broken", "what follows from the ranges and from each rounding is"),
    "nothing but a part of it": (bounded("absolute", 0.0), "broken", "no longer proved"),
    "a larger bound": (bounded("relative", 2.0), "stale", "its rounding_bound is not what today's sources say"),
    "wider ranges": (lambda d: d[KEY].update(ranges={"x": [-9, 4]}), "broken", "no longer proved"),
    "narrower ranges": (lambda d: d[KEY].update(ranges={"x": [-1, 1]}), "stale", "it stands in the place of another"),
    "ranges of nothing": (lambda d: d[KEY].update(ranges={"x": [4, -4]}), "broken", "no element is at least 4"),
    "another input": (lambda d: d[KEY].update(ranges={"z": [0, 1]}), "broken", "no input 'z'"),
    "no results": (lambda d: d[KEY].update(bounds={}), "stale", "its rounding_bound is not what"),
    "no number": (lambda d: d[KEY]["bounds"]["y"].update(relative="0"), "damaged", "is no number"),
    "below 0": (lambda d: d[KEY]["bounds"]["y"].update(relative=-1.0), "damaged", "a bound below 0"),
    "followed otherwise": (lambda d: d[KEY].update(follows="f64"), "damaged", "not of the form"),
    "no bound at all": (lambda d: d.pop(KEY), "stale", "rounding.smt2 belongs to no such certificate"),
    "without a program": (lambda d: d.pop("schedule"), "damaged", "it bounds the rounding of a program"),
}  # fmt: skip


@pytest.mark.parametrize("name", list(FORGED))
def test_what_is_claimed_beyond_what_follows_is_noticed(name: str, mine: Path) -> None:
    edit, status, words = FORGED[name]
    seal(mine.parents[2], mine.relative_to(mine.parents[2]).as_posix(), edit)
    found = outcome(mine)
    assert (found.status, words in str(found)) == (status, True), str(found)


def test_a_function_that_becomes_less_exact_breaks_it(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    head = next(h for h in FUNCTION_ROWS if h.__name__ == "Exp")
    worse: Any = {**FUNCTION_ROWS, head: replace(FUNCTION_ROWS[head], ulp=2.0)}
    monkeypatch.setattr(rounding_walk, "FUNCTION_ROWS", worse)
    (found,) = check_directory(mine.parents[2], jobs=1, cache=False, only=lambda i: "within" in i)
    assert found.status == "broken" and "which is more than" in str(found)


COUNTED: dict[str, tuple[str, dict[str, int], str, Any]] = {
    "terms of joined axes": (
        "S[i+k] += X[i,k] * W[k]", {"i": 64, "k": 8}, "fibres",
        lambda k, s: replace(fibres.fibres(k, s), most=sp.Integer(1), how=""),
    ),
    "elements without terms": (
        "temporary S\nS[i+1] += X[i,k]\nY[j] = exp(100 - S[j])\naxis j < I+1", {"i": 15, "k": 64}, "least_points",
        lambda k, n: fibres.least_points(k, n) or 64,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", list(COUNTED))
def test_what_was_certified_without_them_is_not_so_any_more(name: str, tmp_path: Path) -> None:
    """Certificates as they were made when terms were counted by the axes that no index mentions, and every target was covered."""
    text, sizes, of, mutant = COUNTED[name]
    plan = im.plan(im.kernel(text, name="counted"), "avx2", sizes=sizes)
    ranges: dict[str, tuple[float, float]] = dict.fromkeys(plan.program.kernel.inputs, (1, 4))
    with pytest.MonkeyPatch.context() as before:
        before.setattr(rounding_walk, of, mutant)
        save(plan.checked, tmp_path / "forged", split=plan.split, ranges=ranges)
        assert {o.status for o in check_directory(tmp_path / "forged", jobs=1, cache=False)} == {"ok"}
    found = {o.id: o.status for o in check_directory(tmp_path / "forged", jobs=1, cache=False)}
    told = "broken" if of == "fibres" else "unknown"  # exp(100) is infinite, and of infinities nothing is known
    assert [status for i, status in found.items() if "within" in i] == [told]


def test_the_lock_says_for_which_ranges(mine: Path) -> None:
    root = mine.parents[2]
    questions = {i: question(manifest_alone(root / i)) for i in certificate_ids(root)}
    (root.parent / "proofs.lock").write_text(lock_text(questions))
    assert outcome(mine).status == "ok"
    seal(root, mine.relative_to(root).as_posix(), lambda d: d[KEY].update(ranges={"x": [-1, 1]}))
    assert outcome(mine).told[0].startswith("it asks something else than proofs.lock says")


def test_an_update_derives_the_bound_anew(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (mine / MANIFEST).read_text()
    assert json.loads(json.dumps(renewed(mine, Sources()).document[KEY])) == json.loads(before)[KEY]
    root = mine.parents[2]
    update_directory(root, "avx2/softmax", jobs=1)
    assert (mine / MANIFEST).read_text() == before and outcome(mine).status == "ok"


def test_what_has_no_bound_is_not_certified(plan: im.Plan, tmp_path: Path) -> None:
    for ranges, error, words in (
        ({}, None, ""), ({"x": (4, -4)}, RangeError, "no element is at least 4"), ({"z": (0, 1)}, UnknownNameError, "no input 'z'"),
        ({"x": (-1e30, 1e30)}, CertificateError, "no bound of the rounding of softmax is proved"),
    ):  # fmt: skip
        if error is not None:
            with pytest.raises(error, match=words):
                save(plan.checked, tmp_path / "p", split=plan.split, ranges=ranges)  # type: ignore[arg-type]
    with pytest.raises(CertificateError, match="save\\(\\) takes ranges for a program"):
        save(plan.program.schedules[0].proved, tmp_path / "p", ranges={"x": (0, 1)})
    open_ = im.plan(im.kernel("y[i] = x[i] + 1", name="more"), "avx2")
    with pytest.raises(SizeError, match="needs the sizes I"):
        save(open_.checked, tmp_path / "p", ranges={"x": (0, 1)})
    assert not (tmp_path / "p").exists()


def test_the_command_adds_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = ["--text", "y[i] = exp(x[i]) * x[i]"]
    assert run(["proofs", "add", *text, "avx2", "--sizes", "i=24", "--within", "-1 <= x <= 1"]) == 0
    said = capsys.readouterr().out
    assert "certified: proofs/avx2/kernel/" in said and "for all inputs with -1 <= x <= 1, y is off by at most" in said
    assert os.listdir("proofs/avx2/kernel")[0].endswith("within,x=-1..1")
    for words, told in (
        (["--within", "-1 <= x <= 1"], "rounding depends on all sizes; give I with --sizes"),
        (["--sizes", "i=24", "--within", "-1 <= x"], "does not say the greatest element of x"),
        (["--sizes", "i=24", "--within", "-1 <= z <= 1"], "no input 'z'"),
        (["--sizes", "i=24", "--within", "-1 <= x <= many"], "one side of the comparison must be a number"),
    ):
        assert run(["proofs", "add", *text, "avx2", *words]) == 3
        assert told in capsys.readouterr().err
