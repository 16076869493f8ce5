"""What Z3 gives up on is unknown, the status is 2, and the formula is saved for whoever has more time or another solver.

Whether numbers n, m, p >= 1 exist with n^3 + m^3 = p^3 is a question that Z3 leaves open (Euler did not).
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import isamap_smt as im
from isamap_encodings.z3_check import cvc5_answer, cvc5_version, z3_answer
from isamap_smt.certificates import check_directory, load, save
from isamap_smt.certificates.claim_file import UndecidedError, undecided_formulas
from isamap_smt.cli.app import run
from isamap_smt.ir.errors import NotProvedError

TEXT = "param n >= 1\nparam m >= 1\nparam p >= 1\nC[i] += A[i] * B[k] where {}"
FERMAT, PYTHAGORAS = TEXT.format("n*n*n + m*m*m == p*p*p"), TEXT.format("n*n + m*m == p*p")
PROVE = ["prove", "avx2.fmadd_ps", "--axes", "l=i", "--text"]
FILE = "undecided/avx2/kernel/fmadd_ps,l=i,a=A,b=B/hypotheses.smt2"
ID = "avx2/cubes/fmadd_ps,l=i,a=A,b=B"


def files(directory: Path) -> set[str]:
    return {f.relative_to(directory).as_posix() for f in directory.rglob("*") if f.is_file()}


def test_prove_saves_the_formula(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    assert run([*PROVE, FERMAT]) == 2
    said = capsys.readouterr().out
    assert "assumptions consistent (sizes): unknown, Z3 gave up after 4000000 steps\n" in said
    assert f"the formula is saved: {FILE}\n" in said
    assert files(in_empty_directory) == {FILE}
    text = Path(FILE).read_text()
    assert "\n; Z3 gave up on each of these within its limit of steps." in text
    assert "\n; hypotheses of sizes: some sizes satisfy every hypothesis, and divisors are positive\n" in text
    (question,) = re.findall(r"\(push 1\)\n\(set-info :status sat\)\n(.*)\(pop 1\)\n", text, re.DOTALL)
    assert ":named |10: m*m*m + n*n*n = p*p*p|" in question
    assert z3_answer(question, 100_000) == "unknown"
    assert z3_answer(question.replace("(* (* p p) p)", "(* 9 p)")) == "sat"
    if cvc5_version() is not None:
        assert cvc5_answer(question) == "unknown"


def test_prove_says_in_json_where(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    assert run([*PROVE, FERMAT, "--json", "--undecided", "left/here"]) == 2
    found = json.loads(capsys.readouterr().out)
    path = FILE.replace("undecided", "left/here")
    assert (found["verdict"], found["saved"]) == ("unknown", [path])
    assert files(in_empty_directory) == {path}


@pytest.mark.parametrize(("text", "axes", "status"), [(PYTHAGORAS, "l=i", 0), (PYTHAGORAS, "l=k", 1)])
def test_what_is_decided_leaves_nothing(text: str, axes: str, status: int, in_empty_directory: Path) -> None:
    assert run(["prove", "avx2.fmadd_ps", "--axes", axes, "--text", text]) == status
    assert files(in_empty_directory) == set()


def test_a_place_that_cannot_be_written(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    Path("undecided").write_text("mine")
    assert run([*PROVE, FERMAT]) == 3
    assert f"error: cannot write {FILE}: " in capsys.readouterr().err
    assert files(in_empty_directory) == {"undecided"}
    assert Path("undecided").read_text() == "mine"


@pytest.fixture
def cubes(in_empty_directory: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A certificate of a kernel in a file that has been edited since, into what Z3 does not decide."""
    monkeypatch.setenv("ISAMAP_CACHE", str(in_empty_directory / "cache"))
    Path("mine.py").write_text(f"cubes = {PYTHAGORAS!r}\n")
    proved = im.prove(im.fuse(im.find_kernel("mine.py:cubes"), im.find_instruction("avx2.fmadd_ps"), "l=i"))
    assert isinstance(proved, im.ProvedMapping), str(proved)
    save(proved, "proofs", kernel="mine.py:cubes")
    assert [o.status for o in check_directory(Path("proofs"), jobs=1, sources=["mine.py"])] == ["ok"]
    Path("mine.py").write_text(f"cubes = {FERMAT!r}\n")
    return in_empty_directory


@pytest.mark.usefixtures("cubes")
def test_check_saves_the_formula(capsys: pytest.CaptureFixture[str]) -> None:
    path = f"undecided/{ID}/hypotheses.smt2"
    assert run(["proofs", "check", "--source", "mine.py", "--jobs", "1"]) == 2
    said = capsys.readouterr().out
    assert f"{ID}: unknown: no longer decided\n" in said
    assert f"the formula is saved: {path}\n" in said
    assert "m*m*m + n*n*n = p*p*p" in Path(path).read_text()
    assert run(["proofs", "check", "--source", "mine.py", "--jobs", "1", "--json", "--undecided", "left"]) == 2
    assert json.loads(capsys.readouterr().out)["saved"] == [path.replace("undecided", "left")]


@pytest.mark.usefixtures("cubes")
def test_update_saves_the_formula_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    before = {f: f.read_bytes() for f in Path("proofs").rglob("*") if f.is_file()}
    assert run(["proofs", "update", "avx2/cubes", "--source", "mine.py", "--jobs", "1"]) == 2
    said = capsys.readouterr().err
    assert f"error: proofs/{ID} cannot be written anew: " in said
    assert f"the formula is saved: undecided/{ID}/hypotheses.smt2\n" in said
    assert {f: f.read_bytes() for f in Path("proofs").rglob("*") if f.is_file()} == before


@pytest.mark.usefixtures("cubes")
def test_in_python() -> None:
    with pytest.raises(UndecidedError, match=r"not proved today(.|\n)*Z3 gave up") as raised:
        load(f"proofs/{ID}", sources=["mine.py"])
    assert isinstance(raised.value, NotProvedError)
    rejection = im.prove(im.fuse(im.find_kernel("mine.py:cubes"), im.find_instruction("avx2.fmadd_ps"), "l=i"))
    assert isinstance(rejection, im.Rejection)
    assert raised.value.formulas == undecided_formulas(rejection)
    assert set(raised.value.formulas) == {f"{ID}/hypotheses.smt2"}
