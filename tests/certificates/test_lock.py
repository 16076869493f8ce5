"""What must be proved stands outside of the directory: nobody who rewrites the directory alone can make it less."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import isamap_smt as im
from isamap_smt.certificates import Outcome, check_directory, save
from isamap_smt.certificates.lock import lock_path, lock_text, question, read_lock
from isamap_smt.certificates.manifest import INDEX, certificate_ids, manifest_alone, write_index
from isamap_smt.cli.app import run
from isamap_smt.cli.proofs_update import update_directory
from tests.certificates.conftest import COMPLETE, DOT, FMA, MACHINE, Edit, gemm_schedule, seal


@pytest.fixture
def locked(proofs: Path) -> Path:
    """The certificates with a lock beside them."""
    asked = {i: question(manifest_alone(proofs / i)) for i in certificate_ids(proofs)}
    lock_path(proofs).write_text(lock_text(asked))
    return proofs


def check(root: Path) -> dict[str, Outcome]:
    return {o.id: o for o in check_directory(root, jobs=1)}


def test_what_the_lock_lists_is_ok(locked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert {i: o.status for i, o in check(locked).items()} == dict.fromkeys((FMA, DOT, COMPLETE, MACHINE), "ok")
    assert run(["proofs", "check", "--jobs", "1", "--dir", str(locked)]) == 0
    assert "which certificates must be there, and what each asks, " in capsys.readouterr().out
    lock_path(locked).unlink()
    assert run(["proofs", "check", "--jobs", "1", "--dir", str(locked)]) == 0
    assert f"{locked} alone says: `isamap proofs update` writes a lock" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("identifier", [FMA, DOT, COMPLETE, MACHINE])
def test_a_certificate_that_is_gone_with_its_line_of_the_index_is_named(identifier: str, locked: Path) -> None:
    shutil.rmtree(locked / identifier)
    write_index(locked)
    found = check(locked)
    assert found[identifier].told == ("it is missing: proofs.lock lists it",)
    assert {i for i, o in found.items() if o.status != "ok"} == {identifier}


def test_a_certificate_that_is_added_is_named(locked: Path) -> None:
    lines = lock_path(locked).read_text().splitlines(keepends=True)
    line = next(n for n in lines if DOT in n)
    lock_path(locked).write_text("".join(n for n in lines if n != line))
    (told,) = check(locked)[DOT].told
    assert told == f"it is foreign: proofs.lock does not list it; if that is meant, its line is: {line.strip()}"


LESS: dict[str, tuple[str, Edit]] = {
    "no program": (FMA, lambda d: [d.pop(k) for k in ("schedule", "further", "program")]),
    "a program of one size": (FMA, lambda d: d["schedule"].update(sizes=[["i", 2]])),
    "another program": (FMA, lambda d: d["schedule"].update(packing=[])),
    "other element types": (DOT, lambda d: d["kernel"]["dtypes"].update(C="i16")),
    "values to assume": (DOT, lambda d: d["kernel"]["ranges"].update(A=[0, 1])),
    "a fixed size": (DOT, lambda d: d["kernel"]["sizes"].update(i=8)),
    "another kernel": (FMA, lambda d: d["kernel"].update(source="gemm_nt")),
    "another mapping": (FMA, lambda d: d["mapping"]["axes"].update(l=["i"])),
    "a smaller family": (COMPLETE, lambda d: d["family"].update(partial=not d["family"]["partial"])),
    "another machine": (MACHINE, lambda d: d.update(hardware="scalar")),
}


@pytest.mark.parametrize("name", LESS)
def test_a_certificate_of_less_than_before_is_named(name: str, locked: Path) -> None:
    """Digests that fit do not help, nor would a proof."""
    identifier, edit = LESS[name]
    seal(locked, identifier, edit)
    found = check(locked)
    assert {i for i, o in found.items() if o.status != "ok"} == {identifier}
    assert found[identifier].told[0].startswith("it asks something else than proofs.lock says; if that is meant, ")


def test_a_range_that_makes_less_to_prove_would_pass_without_a_lock(locked: Path) -> None:
    """Why the lock holds questions, and not only names: this is proved, and of the same name."""
    gemm = im.find_kernel("gemm").with_dtypes({"A": "u8", "B": "i8", "C": "i32"}).with_ranges({"A": (0, 1)})
    proved = im.prove(im.fuse(gemm, im.find_instruction("avx2.madd_u8i8"), "l=j,e=k"))
    assert isinstance(proved, im.ProvedMapping)
    shutil.rmtree(locked / DOT)
    before = lock_path(locked).read_bytes()
    save(proved, locked)
    lock_path(locked).write_bytes(before)
    assert check(locked)[DOT].status == "damaged"
    lock_path(locked).unlink()
    assert check(locked)[DOT].status == "ok"


FORGED: dict[str, Edit] = {
    "a solver's version": lambda d: d.update(solvers={"z3": "99.0", "cvc5": "99.0"}),
    "seconds": lambda d: d.update(seconds={"z3": 0.0}),
    "a verdict": lambda d: d.update(verdict="proved by three solvers"),
}


@pytest.mark.parametrize("name", FORGED)
def test_nothing_that_cannot_be_derived_again_stands_in_a_certificate(name: str, locked: Path) -> None:
    seal(locked, FMA, FORGED[name])
    found = check(locked)[FMA]
    assert found.status == "stale" and "is not what today's sources say" in found.told[0]


DAMAGE: dict[str, tuple[Callable[[str], str], str]] = {
    "empty": (lambda _: "", "proofs.lock cannot be read"),
    "another file": (lambda _: "{}\n", "proofs.lock is foreign: its first line is not that of a list of certificates"),
    "a line twice": (lambda t: t + t.splitlines()[1] + "\n", "proofs.lock, line 6, lists avx2/gemm/fmadd_ps,l=j"),
    "a broken line": (lambda t: t[:-30], "proofs.lock, line 5, is no digest and id"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_lock_is_told(name: str, locked: Path) -> None:
    edit, told = DAMAGE[name]
    lock_path(locked).write_text(edit(lock_path(locked).read_text()))
    found = check(locked)
    assert found["proofs.lock"].status == "damaged" and told in str(found["proofs.lock"])


def test_a_lock_that_is_named_must_be_there(locked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["proofs", "check", "--dir", str(locked), "--lock", "none.lock"]) == 3
    assert "there is no none.lock, which should say what must be proved" in capsys.readouterr().err


def test_one_spelling_and_a_hint_for_the_old_one(locked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["proofs", "check", str(locked), "--jobs", "1"]) == 0
    assert f"note: write --dir {locked}, as for the other commands" in capsys.readouterr().err
    assert run(["proofs", "check", str(locked), "--dir", "other"]) == 3
    assert f"name one directory, not {locked} and other" in capsys.readouterr().err


def test_saving_adds_a_line(locked: Path) -> None:
    before = read_lock(lock_path(locked))
    shutil.rmtree(locked / FMA)
    schedule = gemm_schedule()
    save(schedule.proved, locked)  # without its program
    now = read_lock(lock_path(locked))
    assert {i for i in now if now[i] != before[i]} == {FMA}
    assert {o.status for o in check(locked).values()} == {"ok"}


def test_an_update_says_what_it_changes_in_the_lock(locked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = lock_path(locked).read_text().splitlines(keepends=True)
    lock_path(locked).write_text("".join(n for n in lines if MACHINE not in n))
    assert run(["proofs", "update", "avx2/machine", "--dir", str(locked), "--jobs", "1"]) == 0
    said = capsys.readouterr().err
    assert f"{lock_path(locked)}: new: avx2/machine\n" in said and "no longer there" not in said
    assert {o.status for o in check(locked).values()} == {"ok"}
    assert (locked / "avx2.tar.xz").is_file() and (locked / INDEX).is_file()


def test_an_update_does_not_forget_what_is_gone(locked: Path) -> None:
    """Neither a certificate of one's own, nor one of the library's that it was not asked for."""
    lock = lock_path(locked)
    lock.write_text(lock.read_text() + f"{'0' * 64}  zz/mine/outer,i=i\n")
    with pytest.raises(im.IsamapError, match=r"zz/mine/outer,i=i is missing: .*proofs\.lock lists it; put it back"):
        update_directory(locked, "avx2/machine", 1)
    lock.write_text("".join(n for n in lock.read_text().splitlines(keepends=True) if "mine" not in n))
    shutil.rmtree(locked / DOT)
    write_index(locked)
    update_directory(locked, "avx2/machine", 1)
    assert check(locked)[DOT].told == ("it is missing: proofs.lock lists it",)
