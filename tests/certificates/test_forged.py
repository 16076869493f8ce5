"""Certificates forged with consistent digests: whatever they claim beside what is proved, none is ok."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import isamap_smt as im
from isamap_smt.certificates import CertificateError, check_directory, save
from isamap_smt.certificates.manifest import INDEX, MANIFEST, write_index
from isamap_smt.certificates.remember import Outcome
from isamap_smt.certificates.store import mapping_certificate
from tests.certificates.conftest import COMPLETE, DOT, FMA, MACHINE, Edit, seal


def _outcome(root: Path, identifier: str) -> Outcome:
    (found,) = check_directory(root, jobs=1, only=lambda i: i == identifier)
    return found


def test_sealing_again_changes_nothing(proofs: Path) -> None:
    seal(proofs, FMA)
    assert _outcome(proofs, FMA).status == "ok"


FILES = {
    "a question that is always unsat": ("agreement.smt2", "(set-logic ALL)\n", "(set-logic ALL)\n(assert false)\n"),
    "a claim in other words": ("agreement.smt2", "; claim: agreement", "; claim: right for all kernels"),
    "another program": ("program.txt", "for ", "while "),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_says_something_else_is_told(name: str, proofs: Path) -> None:
    file, old, new = FILES[name]
    text = (proofs / FMA / file).read_text()
    assert old in text
    (proofs / FMA / file).write_text(text.replace(old, new, 1))
    seal(proofs, FMA)
    found = _outcome(proofs, FMA)
    assert (found.status, found.told) == ("stale", (f"{file} is not what today's sources make",))


@pytest.mark.parametrize("name", ["zz.smt2", "program-zz.smt2", "READ.txt"])
def test_a_file_that_nothing_reads_is_told(name: str, proofs: Path) -> None:
    (proofs / FMA / name).write_text("also proved: everything")
    seal(proofs, FMA)
    found = _outcome(proofs, FMA)
    assert found.status in ("stale", "damaged") and name in str(found)


WORDS: dict[str, Edit] = {
    "kernel": lambda d: d["kernel"].update(text="C[i,j] += 2 * A[i,k] * B[k,j]"),
    "instruction": lambda d: d["instruction"].update(rounding="exact"),
    "mapping": lambda d: d["mapping"].update(id="l=i;a=A,b=B"),
    "id": lambda d: d.update(id="avx2/conv2d/everything"),
    "surplus": lambda d: d.update(surplus="proved by an expert"),
}


@pytest.mark.parametrize("name", WORDS)
def test_words_that_the_sources_do_not_say_are_told(name: str, proofs: Path) -> None:
    seal(proofs, FMA, WORDS[name])
    found = _outcome(proofs, FMA)
    assert found.status == "stale", found
    assert f"its {name.rsplit(maxsplit=1)[-1]} is not what today's sources say" in found.told


@pytest.mark.parametrize(
    "edit", [lambda claims: claims[0].update(statement="no overflow for any size"), lambda claims: claims.clear()]
)
def test_claims_that_the_sources_do_not_make_are_told(edit: Edit, proofs: Path) -> None:
    seal(proofs, FMA, claims=edit)
    found = _outcome(proofs, FMA)
    assert (found.status, found.told) == ("stale", ("its claims are not what today's sources say",))


@pytest.mark.parametrize(
    ("identifier", "edit"),
    [
        (COMPLETE, lambda d: d["family"].update(candidates=10**9)),
        (COMPLETE, lambda d: d["witnesses"][0].update(element="X[i]")),
        (MACHINE, lambda d: d.update(surplus="measured")),
    ],
)
def test_words_of_lists_and_machines_are_told(identifier: str, edit: Edit, proofs: Path) -> None:
    seal(proofs, identifier, edit)
    assert _outcome(proofs, identifier).status == "stale"


@pytest.mark.parametrize("source", [FMA, COMPLETE, MACHINE])
def test_a_certificate_in_the_place_of_another_is_told(source: str, proofs: Path) -> None:
    place = "avx2/conv2d/all"
    shutil.copytree(proofs / source, proofs / place)
    seal(proofs, place)
    found = _outcome(proofs, place)
    assert found.status == "stale"
    assert found.told[0] == f"it stands in the place of another: {source} is what it proves"
    seal(proofs, place, lambda d: d.update(id=place))
    assert _outcome(proofs, place).status == "stale"


def test_what_is_said_of_a_complete_list_is_compared(proofs: Path) -> None:
    """Its claim, and the question whose answer is that nothing else is legal."""
    seal(proofs, COMPLETE, claims=lambda c: c[0].update(statement="all mappings of all kernels"))
    assert _outcome(proofs, COMPLETE).told == ("its claims are not what today's sources say",)
    file = proofs / COMPLETE / "complete.smt2"
    clauses = [line for line in file.read_text().split("\n") if ":named |7: " in line]
    file.write_text(file.read_text().replace(clauses[0], "(assert false)"))
    seal(proofs, COMPLETE)
    assert "complete.smt2 is not what today's sources make" in _outcome(proofs, COMPLETE).told


def test_a_clause_that_excludes_more_than_its_witness_violates_is_refused(proofs: Path) -> None:
    """Were it believed, whatever it excludes could be left out of the legal list."""

    def generous(document: dict[str, Any]) -> None:
        document["legal"] = []
        document["witnesses"][0]["excludes"] = {"axes": {}}

    seal(proofs, COMPLETE, generous)
    found = _outcome(proofs, COMPLETE)
    assert found.status == "broken"
    assert "witness does not violate the candidates that it excludes" in str(found)


def test_another_kernel_under_a_name_of_the_library_is_told(tmp_path: Path) -> None:
    own = im.kernel("C[i,j] += A[i,j] * B[i,j]", name="gemm").with_dtypes(dict.fromkeys("ABC", "f32"))
    proved = im.prove(im.fuse(own, im.find_instruction("avx2.fmadd_ps"), "l=j"))
    assert isinstance(proved, im.ProvedMapping)
    with pytest.raises(CertificateError, match=r"the kernel gemm is not the library's of that name: pass where it is"):
        save(proved, tmp_path / "proofs")
    mapping_certificate(proved).write(tmp_path / "proofs")
    write_index(tmp_path / "proofs")
    (found,) = check_directory(tmp_path / "proofs", jobs=1)
    assert found.status == "stale" and "under the name of the library's gemm" in found.told[0]


def test_a_key_that_stands_twice_is_told(proofs: Path) -> None:
    manifest = proofs / FMA / MANIFEST
    manifest.write_text(manifest.read_text().replace("{\n", '{\n "arithmetic": "exact",\n', 1))
    write_index(proofs)
    assert _outcome(proofs, FMA).status == "damaged"


CRASHES: dict[str, tuple[str, Edit]] = {
    "loops beyond their end": (FMA, lambda d: d["schedule"].update(accumulate=99)),
    "loops before their beginning": (FMA, lambda d: d["schedule"].update(accumulate=-1)),
    "a parallel loop that there is not": (FMA, lambda d: d["schedule"].update(parallel="0")),
    "an infinite witness": (COMPLETE, lambda d: d["witnesses"][0].update(first=[float("inf")] * 3)),
    "a size that is no number": (COMPLETE, lambda d: d["witnesses"][0].update(sizes={"I": 1e300})),
    "a statement that is not there": (COMPLETE, lambda d: d["family"].update(statement=-1)),
}


@pytest.mark.parametrize("name", CRASHES)
def test_one_broken_manifest_does_not_end_the_check_of_others(name: str, proofs: Path) -> None:
    identifier, edit = CRASHES[name]
    seal(proofs, identifier, edit)
    found = {o.id: o.status for o in check_directory(proofs, jobs=1, only=lambda i: i in (identifier, DOT))}
    assert found.pop(identifier) in ("damaged", "broken", "unknown")
    assert found == {DOT: "ok"}


def test_an_index_with_a_number_of_thousands_of_digits_is_damaged(proofs: Path) -> None:
    (proofs / INDEX).write_text('{"format": ' + "9" * 5000 + "}")
    found = {o.id: o.status for o in check_directory(proofs, jobs=1, only=lambda i: i == DOT)}
    assert found[INDEX] == "damaged"
