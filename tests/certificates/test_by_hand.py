"""Mappings written by hand as certificates: every expression is read against a list of heads, and every claim proved again."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import isamap_smt as im
from isamap_smt.certificates import CertificateError, DamagedError, check_directory, load, save
from isamap_smt.certificates.manifest import KIND, MANIFEST, write_index
from isamap_smt.certificates.subject import (
    condition_document,
    condition_from,
    expression_document,
    expression_from,
)
from isamap_smt.cli.app import run
from isamap_smt.ir.expr import FloorDiv, FloorMod, IMax, IMin, sym
from isamap_smt.ir.mapping import Mapping
from isamap_smt.mapping.fuse import is_fused
from isamap_smt.records.record import for_people, sealed

GEMM, FMA = im.find_kernel("gemm"), im.find_instruction("avx2.fmadd_ps")


def backwards() -> Mapping:
    """k runs from its end to 0: a mapping that no groups describe."""
    m = im.fuse(GEMM, FMA, "l=j")
    turned = sym("K") - 1
    forward = tuple((n, turned - sym("k_out") if n == "k" else e) for n, e in m.forward)
    inverse = tuple((n, turned - sym("k") if n == "k_out" else e) for n, e in m.inverse)
    return replace(m, groups=(), forward=forward, inverse=inverse)


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The directory, and the certificate's id."""
    mapping = backwards()
    assert not is_fused(mapping)
    proved = im.prove(mapping)
    assert isinstance(proved, im.ProvedMapping), str(proved)
    root = tmp_path_factory.mktemp("by_hand") / "proofs"
    place = save(proved, root)
    return root, place.relative_to(root).as_posix()


def forge(root: Path, identifier: str, change: Any) -> None:
    """A manifest that says something else, with all its digests made right."""
    path = root / identifier / MANIFEST
    document = json.loads(path.read_text())
    change(document["mapping"])
    path.write_text(for_people(sealed(KIND, document)))
    write_index(root)


def test_it_is_checked_again_and_loads_as_it_was(saved: tuple[Path, str]) -> None:
    root, identifier = saved
    assert identifier.startswith("avx2/gemm/fmadd_ps,by-hand-")
    (outcome,) = check_directory(root, jobs=1, cache=False)
    assert (outcome.id, outcome.status) == (identifier, "ok")
    assert load(root / identifier).mapping == backwards()


def test_the_command_line_checks_and_explains_it(saved: tuple[Path, str], capsys: pytest.CaptureFixture[str]) -> None:
    root, identifier = saved
    assert run(["proofs", "check", str(root), "--no-cache"]) == 0
    assert run(["proofs", "why", identifier, "--dir", str(root)]) == 0
    assert "coverage" in capsys.readouterr().out


def first_of(name: str, value: Any) -> Any:
    def change(mapping: dict[str, Any]) -> None:
        mapping[name][-1] = value if name == "guard" else [mapping[name][-1][0], value]

    return change


DAMAGE = {
    "a call": (first_of("forward", ["__import__", "os"]), "'__import__' is no operation of an index expression"),
    "text": (first_of("forward", "__import__('os').system('true')"), "no index expression"),
    "a fraction": (first_of("inverse", 0.5), "0.5 is no index expression"),
    "a truth value": (first_of("inverse", True), "True is no index expression"),
    "too few": (first_of("forward", ["//", "k_out"]), "// does not take 1 arguments"),
    "a power": (first_of("forward", ["**", "k_out", "k_out"]), "is no power"),
    "a large power": (first_of("forward", ["**", 2, 1000]), "is no power"),
    "no condition": (first_of("guard", ["+", "l", 1]), "is no condition; it compares with < <="),
    "half a condition": (first_of("guard", ["<", "l"]), "is no condition"),
    "no list": (lambda m: m.update(outer=7), "is not of the form it should have"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_expression_is_damage(saved: tuple[Path, str], tmp_path: Path, damage: str) -> None:
    root, identifier = Path(shutil.copytree(saved[0], tmp_path / "proofs")), saved[1]
    change, words = DAMAGE[damage]
    forge(root, identifier, change)
    (outcome,) = check_directory(root, jobs=1, cache=False)
    assert (outcome.id, outcome.status) == (identifier, "damaged")
    assert words in outcome.told[0]
    with pytest.raises(DamagedError):
        load(root / identifier)


def test_a_deep_expression_is_damage_and_no_crash() -> None:
    document: Any = "k"
    for _ in range(5000):
        document = ["+", document, 1]
    with pytest.raises(DamagedError):
        expression_from(document)


def turn_around(mapping: dict[str, Any]) -> None:
    """forward no longer agrees with inverse."""
    mapping["forward"] = [[n, "k_out" if n == "k" else e] for n, e in mapping["forward"]]


FORGED = {
    "coverage": (turn_around, "every iteration once"),
    "no guard": (lambda m: m.update(guard=[]), "every iteration once"),
    "a name nobody has": (first_of("forward", "Z"), "uses 'Z'"),
    "another element": (lambda m: m["binding"][1].__setitem__(2, ["k", "i"]), "does not read"),
}


@pytest.mark.parametrize("forgery", FORGED)
def test_a_forged_mapping_is_proved_anew_and_breaks(saved: tuple[Path, str], tmp_path: Path, forgery: str) -> None:
    root, identifier = Path(shutil.copytree(saved[0], tmp_path / "proofs")), saved[1]
    change, words = FORGED[forgery]
    forge(root, identifier, change)
    (outcome,) = check_directory(root, jobs=1, cache=False)
    assert outcome.status == "broken"
    assert words in str(outcome)


def test_one_condition_more_is_refuted() -> None:
    """A mapping with groups is judged as what it is: with the further guard it computes fewer points."""
    result = im.prove(im.fuse(GEMM, FMA, "l=j").with_guard("i_out < 3"))
    assert isinstance(result, im.Rejection)
    assert (result.claim.claim, result.refuted) == ("coverage", True)


def test_what_has_no_written_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CertificateError, match="cannot be written to a file"):
        expression_document(sp.Function("f")(sym("i")))
    with pytest.raises(CertificateError, match="a guard compares index expressions"):
        condition_document(sp.And(sp.Lt(sym("i"), 3), sp.Lt(sym("j"), 3)))
    with pytest.raises(CertificateError):
        expression_document(sp.Symbol("i"))  # not an integer: another symbol than the one of that name


LEAVES = st.one_of(st.integers(-9, 9).map(sp.Integer), st.sampled_from("ijk").map(sym))
HEADS = (lambda a, b: a + b, lambda a, b: a * b, lambda a, b: FloorDiv(a, IMax(b, 1)), lambda a, b: FloorMod(a, 7),
         lambda a, b: a - b, IMin, IMax, lambda a, b: a**2)  # fmt: skip


@settings(max_examples=150)
@given(st.recursive(LEAVES, lambda x: st.builds(lambda f, a, b: f(a, b), st.sampled_from(HEADS), x, x), max_leaves=8))
def test_every_expression_goes_round(e: Any) -> None:
    document = json.loads(json.dumps(expression_document(e)))
    assert expression_from(document) == e
    for relation in (sp.Lt, sp.Le, sp.Gt, sp.Ge, sp.Eq, sp.Ne):
        c = relation(e, sym("n"), evaluate=False)
        assert condition_from(json.loads(json.dumps(condition_document(c)))) == c


# ---- ranges are part of what is certified ---------------------------------------------------------------------------

DOT = '''import isamap_smt as im

dot = im.kernel("""
A: u8
B: i8
C: i32
assume 0 <= A <= 127
C[i,j] += i32(A[i,k]) * i32(B[k,j])
""", name="dot")
'''


@pytest.mark.parametrize(
    ("now", "status", "words"),
    [
        ("A <= 127", "ok", ""),
        pytest.param("A <= 120", "stale", "the kernel dot has changed", marks=pytest.mark.exhaustive),
        ("A <= 128", "stale", "the kernel dot has changed"),
        ("A <= 200", "broken", "the kernel dot has changed"),
    ],
)
def test_a_changed_range_makes_a_certificate_stale(tmp_path: Path, now: str, status: str, words: str) -> None:
    file = tmp_path / "kernels.py"
    file.write_text(DOT)
    kernel = im.find_kernel(f"{file}:dot")
    proved = im.prove(im.fuse(kernel, im.find_instruction("avx512_vnni.maddubs_dot"), "l=j,e=k"))
    assert isinstance(proved, im.ProvedMapping), str(proved)
    place = save(proved, tmp_path / "proofs", kernel=f"{file}:dot")
    assert "assume 0 <= A <= 127" in json.loads((place / MANIFEST).read_text())["kernel"]["text"]
    file.write_text(DOT.replace("0 <= A <= 127", now))
    (outcome,) = check_directory(tmp_path / "proofs", jobs=1, cache=False, sources=[str(file)])
    assert outcome.status == status
    assert words in str(outcome)
    if status == "ok":
        assert load(place, sources=[str(file)]).mapping.kernel.ranges == (("A", 0, 127),)


def test_a_range_assumed_on_top_is_kept(tmp_path: Path) -> None:
    kernel = GEMM.with_dtypes({"A": "u8", "B": "i8", "C": "i32"})
    dot = im.find_instruction("avx512_vnni.maddubs_dot")
    proved = im.prove(im.fuse(kernel, dot, "l=j,e=k"), assume=["A <= 100"])
    assert isinstance(proved, im.ProvedMapping)
    place = save(proved, tmp_path / "proofs")
    assert json.loads((place / MANIFEST).read_text())["kernel"]["ranges"] == {"A": [0, 100]}
    assert load(place).mapping == proved.mapping
