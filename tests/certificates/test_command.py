"""isamap proofs check, why and update, as a user runs them."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

import isamap_smt as im
from isamap_smt.certificates import save
from isamap_smt.certificates.manifest import INDEX, certificate_ids, read_index, write_index
from isamap_smt.cli.app import run
from isamap_smt.cli.proofs_update import update_directory, wanted
from isamap_smt.search import find_mappings
from tests.certificates.conftest import COMPLETE, DOT, FMA, EditedMachine


@pytest.fixture(autouse=True)
def beside(proofs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work where ./proofs is."""
    monkeypatch.chdir(proofs.parent)


def test_check_says_how_many_and_with_which_solvers(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["proofs", "check", "--jobs", "1"]) == 0
    said = capsys.readouterr().out
    assert "4 certificates: 4 ok" in said
    assert "two solvers: Z3" in said and "agree on" in said


def test_check_names_what_is_damaged(capsys: pytest.CaptureFixture[str]) -> None:
    Path("proofs", DOT, "bounds.smt2").unlink()
    assert run(["proofs", "check", "--jobs", "1"]) == 1
    assert f"{DOT}: damaged: bounds.smt2 is missing" in capsys.readouterr().out


def test_check_in_json(edited: EditedMachine, capsys: pytest.CaptureFixture[str]) -> None:
    file = edited("avx2.py", '"acc[l] += i32(a[l,e]) * i32(b[l,e])"', '"acc[l] += i32(a[l,e]) * i32(b[l,0])"')
    assert run(["proofs", "check", "--jobs", "1", "--hardware", str(file), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["status"], found["counts"]["broken"], found["counts"]["stale"]) == (1, 1, 1)
    assert next(c for c in found["certificates"] if c["status"] == "broken")["id"] == DOT


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "--dir", "nowhere"], "there are no certificates at nowhere: no such directory"),
        (["check", "--hardware", "none.py"], "no such file: none.py"),
        (["why", "avx9/gem/fmadd"], "proofs has no certificate 'avx9/gem/fmadd'"),
        (["why", f"{DOT}/agreemnt"], "has no claim 'agreemnt'; did you mean agreement?"),
        (["why", "machine"], "has no formulas: it is checked by digests"),
        (["update", "avx3"], "matches 'avx3'"),
    ],
)
def test_misuse_is_said(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["proofs", *arguments]) == 3
    assert said in capsys.readouterr().err


def test_an_empty_directory_is_not_ok(capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty").mkdir()
    assert run(["proofs", "check", "--dir", "empty"]) == 3
    assert "empty holds no certificates: there is no proofs.json in it" in capsys.readouterr().err


def test_a_part_of_a_directory_names_the_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for part in ("avx2/gemm", DOT):
        assert run(["proofs", "check", "--dir", f"proofs/{part}"]) == 3
        assert f"proofs/{part} is a part of proofs, whose proofs.json lists what is in it" in capsys.readouterr().err
    monkeypatch.chdir("proofs/avx2/gemm")
    assert run(["proofs", "check", "--dir", "."]) == 3
    assert ". is a part of ../.., whose" in capsys.readouterr().err


def test_a_missing_index_is_not_counted_as_a_certificate(capsys: pytest.CaptureFixture[str]) -> None:
    Path("proofs", INDEX).unlink()
    assert run(["proofs", "check", "--jobs", "1"]) == 1
    said = capsys.readouterr().out
    assert "proofs.json: damaged: proofs.json is missing" in said
    assert "4 certificates: 4 ok (" in said
    assert run(["proofs", "check", "--jobs", "1", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["index"], found["counts"]["damaged"], len(found["certificates"])) == ("damaged", 0, 5)


def test_a_file_that_is_not_seen_from_here_is_said_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("mine.py").write_text('mine = "C[i,j] += A[i,k] * B[k,j]"\n')
    mapping = im.fuse(im.find_kernel("mine.py:mine"), im.find_instruction("avx2.fmadd_ps"), "l=j")
    proved = im.prove(mapping)
    assert isinstance(proved, im.ProvedMapping)
    save(proved, "own", kernel="mine.py:mine")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert run(["proofs", "check", "--dir", "../own", "--source", "mine.py"]) == 1
    said = capsys.readouterr().out
    assert f"no such file: mine.py in {tmp_path / 'elsewhere'}" in said
    assert "as seen from the directory where they are saved and checked: run this there" in said


def test_a_kernel_whose_extents_are_numbers_is_checked_by_both_solvers(capsys: pytest.CaptureFixture[str]) -> None:
    """It is planned as one of open sizes at its own: its certificate says at which sizes."""
    text = """M: f32[{rows}]
X: f32[{rows},64]
temporary M, E, S
M[i] max= X[i,j]
E[i,j] = exp(X[i,j] - M[i])
S[i] += E[i,j]
Y[i,j] = E[i,j] / S[i]
"""
    Path("mine.py").write_text(f"mine = {text.format(rows=48)!r}\n")
    assert run(["proofs", "add", "mine.py:mine", "avx2", "--dir", "own"]) == 0
    capsys.readouterr()
    checking = ["proofs", "check", "--dir", "own", "--source", "mine.py", "--jobs", "1"]
    assert run(checking) == 0
    said = capsys.readouterr().out
    assert " ok; " in said and "two solvers: Z3" in said
    Path("mine.py").write_text(f"mine = {text.format(rows=49)!r}\n")
    assert run(checking) == 1
    assert "the extents of mine are {'I': 49, 'J': 64}, and were {'I': 48, 'J': 64} when" in capsys.readouterr().out


def test_an_unknown_id_is_answered_briefly(capsys: pytest.CaptureFixture[str]) -> None:
    for given, said in (
        ("nope", "has no certificate 'nope'; it has 4, such as avx2/gemm/fmadd_ps,l=j,a=A,b=B"),
        ("fmad_ps", "has no certificate 'fmad_ps'; did you mean fmadd_ps?"),
        ("avx9/gem/fmadd_ps", "did you mean avx2/gemm/fmadd_ps"),
    ):
        assert run(["proofs", "why", given]) == 3
        told = capsys.readouterr().err
        assert said in told and len(told) < 200


def test_one_is_one_and_none_is_none(proofs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for identifier in (FMA, DOT, COMPLETE):
        shutil.rmtree(proofs / identifier)
    write_index(proofs)
    assert run(["proofs", "check", "--jobs", "1"]) == 0
    said = capsys.readouterr().out
    assert "1 certificate: 1 ok" in said
    assert "0 of 0" not in said and "no formulas" in said
    assert run(["proofs", "update", "avx2/machine", "--jobs", "1"]) == 0
    assert capsys.readouterr().err == "1 certificate written to proofs\nproofs.lock: new: avx2/machine\n"


def test_where_nobody_looks_a_long_check_still_speaks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["proofs", "check", "--jobs", "1", "--no-cache"]) == 0
    assert capsys.readouterr().err == ""  # not a long one
    monkeypatch.setattr("isamap_smt.cli.bar.EVERY", 0.01)
    assert run(["proofs", "check", "--jobs", "1", "--no-cache"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"after \d+ s: checking: [1-4] of 4, at (avx2|wmma)/\S+", lines[-1])


def test_why_shows_words_formula_and_core(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["proofs", "why", "madd_u8i8/bounds"]) == 0
    said = capsys.readouterr().out
    assert "bounds of acc: proved" in said
    assert "every element of C accessed exists" in said
    assert "(assert (! (<= 0 k.rest) :named |" in said and ": 0 <= k.rest|))" in said
    core = said.split("unsatisfiable already because of")[1].split("bounds of a")[0]
    assert "the rest of axis j is at least 0 (0 <= j.rest)" in core and "axis k" not in core
    assert "the claim is denied: not (0 <= i and 0 <= j" in core


def test_every_assumption_of_a_core_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    """Sizes, axes and the program's loops by what they are; no assumption is a bare formula of SMT-LIB."""
    assert run(["proofs", "why", f"{FMA}/link", "--json"]) == 0
    cores = [line for c in json.loads(capsys.readouterr().out)["claims"] for q in c["questions"] for line in q["core"]]
    assert any(line.startswith("the loop ") and " over " in line for line in cores)
    assert any("lane index l" in line for line in cores)
    assert not [line for line in cores if line.startswith("(")]
    assert all("|" not in line and line.strip() for line in cores)


def test_why_lists_every_claim_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["proofs", "why", DOT, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {c["claim"] for c in found["claims"]} >= {
        "scalar",
        "agreement",
        "exclusive",
        "coverage",
        "bounds",
        "neutral",
    }


def test_why_tells_the_counterexample(edited: EditedMachine, capsys: pytest.CaptureFixture[str]) -> None:
    file = edited("avx2.py", '"acc[l] += i32(a[l,e]) * i32(b[l,e])"', '"acc[l] += i32(a[l,e]) * i32(b[l,0])"')
    assert run(["proofs", "why", f"{DOT}/agreement", "--hardware", str(file)]) == 0
    said = capsys.readouterr().out
    assert "agreement of b: refuted" in said
    assert "both use cell b[0,0], which cannot hold B[0,0] and B[1,0]" in said


def test_without_cvc5_the_report_says_one_solver(proofs: Path) -> None:
    code = "import sys; sys.modules['cvc5'] = None; from isamap_smt.cli.app import run; sys.exit(run(sys.argv[1:]))"
    found = subprocess.run(
        [sys.executable, "-c", code, "proofs", "check", "--jobs", "1", "--no-cache"],
        cwd=proofs.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    assert "one solver: Z3" in found.stdout
    assert "cvc5 is not installed (pip install 'isamap-smt[cvc5]')" in found.stdout


def test_update_replaces_what_matches_and_keeps_the_rest(proofs: Path) -> None:
    before = {i: (proofs / i / "manifest.json").read_bytes() for i in certificate_ids(proofs)}
    shutil.rmtree(proofs / "avx2" / "machine")
    done = update_directory(proofs, "avx2/machine", 1)
    assert done.written == ["avx2/machine"] and not done.removed
    assert {i: (proofs / i / "manifest.json").read_bytes() for i in certificate_ids(proofs)} == before
    assert run(["proofs", "check", "--jobs", "1"]) == 0


def test_an_interrupted_update_leaves_the_old_ones(proofs: Path) -> None:
    before = {f.relative_to(proofs): f.read_bytes() for f in proofs.rglob("*") if f.is_file()}
    command = [sys.executable, "-m", "isamap_smt", "proofs", "update", "avx2/gemm", "--jobs", "1"]
    started = subprocess.Popen(
        command, cwd=proofs.parent, stderr=subprocess.PIPE, text=True, env={**os.environ}, start_new_session=True
    )
    deadline = time.monotonic() + 60
    while not any(f.name == "manifest.json" for f in proofs.parent.glob(".proofs-*/**/*")):
        assert started.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    started.send_signal(signal.SIGINT)
    _, said = started.communicate(timeout=60)
    assert (started.returncode, said.splitlines()[-1]) == (130, "interrupted")
    assert {f.relative_to(proofs): f.read_bytes() for f in proofs.rglob("*") if f.is_file()} == before
    assert not list(proofs.parent.glob(".proofs-*"))


def test_an_interrupt_of_the_search_is_one_of_the_update(proofs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search hands back what it has until then, of which no certificate of completeness may be made."""
    before = {i: (proofs / i / "manifest.json").read_bytes() for i in certificate_ids(proofs)}

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("isamap_smt.search.find_mappings", partial(find_mappings, progress=interrupt))
    with pytest.raises(KeyboardInterrupt):
        update_directory(proofs, "avx2/matvec", 1)
    assert {i: (proofs / i / "manifest.json").read_bytes() for i in certificate_ids(proofs)} == before


def test_what_update_covers_is_what_it_is_called() -> None:
    (fma,) = (w for w in wanted("avx2/gemm/fmadd_ps"))
    assert fma.covers(FMA) and fma.covers("avx2/gemm/complete,fmadd_ps")
    assert not fma.covers("avx2/gemm/fmadd_pd,l=j,a=A,b=B") and not fma.covers("avx2/gemm_nt/fmadd_ps,l=j,a=A,b=B")


def test_everything_shipped_is_covered_once(repository: Path) -> None:
    """So an update of everything replaces each certificate, and no two parts of it write one."""
    chosen = wanted()
    for identifier in read_index(repository / "proofs"):
        assert len([w for w in chosen if w.covers(identifier)]) == 1, identifier


def test_why_a_list_is_complete(proofs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The formula with memberships, and which clauses the answer needs."""
    assert run(["proofs", "why", f"{COMPLETE}/complete", "--dir", str(proofs)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "each of 12 candidates is one of 2 listed ones" in said
    assert "not i.in.k, with axis i in lane index k" in said and "feeding c by C, a by B, b by A" in said
