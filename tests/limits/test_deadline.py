"""One deadline for a whole call: it stops solvers and loops, leaves out what could only be better, and is named in words."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import z3

import isamap_smt as im
from isamap_encodings import deadline, solve
from isamap_encodings.verdict import Unknown
from isamap_smt.cli.app import run
from isamap_smt.ir.errors import TimeLimitError, UndecidedError
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.time_limit import limited

FACTORS = 2860486313 * 3267000013  # of 32 bits each: Z3 looks for minutes


def hard() -> list[z3.BoolRef]:
    """A question that no number of steps asked here decides."""
    x, y = z3.BitVecs("x y", 32)
    return [z3.ZeroExt(32, x) * z3.ZeroExt(32, y) == z3.BitVecVal(FACTORS, 64), z3.ULT(x, y), z3.UGT(x, 1)]


def chain(factors: int) -> Kernel:
    """A product of matrices as one sum over all that lies between them."""
    names = "abcdefghijklmnop"[: factors + 1]
    text = "*".join(f"{names[n].upper()}{n}[{names[n]},{names[n + 1]}]" for n in range(factors))
    return im.kernel(f"T[{names[0]},{names[-1]}] += {text}", name="chain")


def test_without_one_nothing_is_limited() -> None:
    deadline.check()
    assert deadline.left() is None
    assert deadline.first_answer() is None
    assert not deadline.enough()
    assert not deadline.was_cut()


def test_an_inner_one_is_no_later_than_the_outer_one() -> None:
    with deadline.within(0.01), deadline.within(100.0):
        time.sleep(0.03)
        with pytest.raises(deadline.DeadlinePassed):
            deadline.check()


def test_from_the_aim_on_nothing_more_is_looked_for() -> None:
    with deadline.within(0.1):
        assert not deadline.enough()
        assert not deadline.was_cut()
        time.sleep(0.11)
        deadline.check()  # the end is later
        assert deadline.enough()
        assert deadline.was_cut()
    assert not deadline.was_cut()


def test_what_is_cut_inside_is_cut_outside() -> None:
    with deadline.within(100.0):
        with deadline.within(0.001):
            time.sleep(0.01)
            assert deadline.enough()
        assert deadline.was_cut()


def test_it_passes_through_what_catches_errors() -> None:
    assert not issubclass(deadline.DeadlinePassed, Exception)


def test_a_long_question_to_z3_ends_at_the_deadline() -> None:
    started = time.monotonic()
    with deadline.within(0.4), pytest.raises(deadline.DeadlinePassed):
        solve.answered(hard(), 2_000_000_000)
    assert time.monotonic() - started < 10


def test_a_counted_limit_is_unknown_and_no_deadline() -> None:
    verdict = solve.ask(hard(), z3.BoolVal(False), rlimit=100_000)
    assert isinstance(verdict, Unknown)
    assert "steps" in verdict.reason


def test_a_plan_that_is_not_made_in_time_is_an_error_in_words() -> None:
    with pytest.raises(TimeLimitError) as error:
        im.plan("gemm", "avx2", timeout=0.001)
    over = "gemm on avx2: not decided: 0.0025 s, 2.5 times timeout=0.001, were over"
    counted = "gemm on avx2: not decided with timeout=0.001: no schedule of"  # where all before is known
    assert str(error.value).startswith((over, counted))
    assert "allow more time" in str(error.value)


def test_a_search_that_ends_within_the_time_says_which_time() -> None:
    with pytest.raises(TimeLimitError) as error, limited(5.0, "gemm on avx2"):
        raise UndecidedError("no schedule was found; allow more time")
    assert str(error.value) == "gemm on avx2: not decided with timeout=5: no schedule was found; allow more time"
    with pytest.raises(UndecidedError) as error, limited(None, "gemm on avx2"):
        raise UndecidedError("no schedule was found")
    assert str(error.value) == "no schedule was found"


@contextmanager
def aim_passed() -> Iterator[None]:
    """A deadline whose aim is over and whose end is far, on any load."""
    with deadline.within(1000.0) as d:
        assert d is not None
        d.aim = time.monotonic()
        yield


def test_what_was_cut_short_is_not_given_to_another_call() -> None:
    """The same question with time is answered anew: a plan that was cut is kept nowhere."""
    kernel = im.kernel("P[i,j,k] += A[i,a]*B[a,j]*C[k,a]", name="cut_short")
    with aim_passed():
        cut = im.plan(kernel, "avx2")
    assert any("a longer search may find better" in n for n in cut.notes)
    whole = im.plan(kernel, "avx2")
    assert not any("a longer search may find better" in n for n in whole.notes)
    assert cut.schedule is not None
    assert whole.schedule is not None
    assert (whole.schedule.objective or 0.0) < (cut.schedule.objective or 0.0)
    assert cut.schedule.gap is not None
    assert 0 < cut.schedule.gap < 1


def test_stages_of_engines_are_cut_short_likewise() -> None:
    gemm = im.find_kernel("gemm").with_dtypes({"A": "i8", "B": "i8", "C": "i32"})
    sizes = {"i": 512, "j": 512, "k": 512}
    with aim_passed():
        cut = im.stage(gemm, "gemmini", sizes=sizes)
    assert any("a longer search may find better" in n for n in cut.notes)
    assert cut.proof.proved
    assert not any("longer search" in n for n in im.stage(gemm, "gemmini", sizes=sizes).notes)


@pytest.mark.parametrize("machine", ["avx2", "gemmini"])
def test_a_kernel_of_many_axes_ends_in_time(machine: str) -> None:
    """A convolution over six axes has more mappings than are judged in this time."""
    kernel = im.kernel(
        "O[n,k,a,b,c,d,p,q] += I[n,m,a+r,b+s,c+t,d+u,p+v,q+w]*W[k,m,r,s,t,u,v,w]", name="conv6d",
        dtypes={"O": "i32", "I": "i8", "W": "i8"} if machine == "gemmini" else None,
    )  # fmt: skip
    ask = im.stage if machine == "gemmini" else im.plan
    started = time.monotonic()
    with pytest.raises(TimeLimitError, match="in the stage 'map'"):
        ask(kernel, machine, timeout=1)
    assert time.monotonic() - started < 25  # 2.5, and what is loaded first


def test_a_search_gives_what_it_has() -> None:
    kernel = im.kernel(
        "O[n,k,a,b,c,d] += I[n,m,a+r,b+s,c+t,d+u]*W[k,m,r,s,t,u]", name="conv4d", dtypes={"I": "f16", "W": "f16"}
    )
    found = im.find_mappings(kernel, im.find_instruction("wmma.16x16x16"), family="digits", timeout=2)
    assert not found.complete
    assert found.late == 2
    assert "NOT complete: 2 s were over" in str(found)
    assert found.conflicts == ()


@pytest.mark.parametrize(
    ("timeout", "words"), [("3", "is str"), (True, "is bool"), (-1, "more than 0"), (float("nan"), "more than 0")]
)
def test_a_time_limit_is_a_number_of_seconds(timeout: Any, words: str) -> None:
    gemm, fma = im.find_kernel("gemm"), im.find_instruction("avx2.fmadd_ps")
    for ask in (
        lambda: im.prove(im.fuse(gemm, fma, "l=j"), timeout=timeout),
        lambda: im.find_mappings(gemm, fma, timeout=timeout),
        lambda: im.plan(gemm, "avx2", timeout=timeout),
    ):
        with pytest.raises(im.IsamapError, match=f"timeout=.*{words}"):
            ask()


def test_claims_that_were_not_asked_in_time_are_unknown() -> None:
    gemm, fma = im.find_kernel("gemm"), im.find_instruction("avx2.fmadd_ps")
    late = im.prove(im.fuse(gemm, fma, "l=j"), timeout=1e-6)
    assert not late
    assert late.proof.word == "unknown"
    assert "the time limit of 1e-06 s was reached" in str(late)
    alone = f"import isamap_smt as im; m = im.fuse(im.find_kernel('gemm'), im.find_instruction({fma.name!r}), 'l=j')"
    alone += "; print(im.prove(m, timeout=1e-6).proof.word)"  # nothing is remembered that a question would take
    done = subprocess.run([sys.executable, "-c", alone], capture_output=True, text=True, check=True)
    assert done.stdout == "unknown\n"
    assert im.prove(im.fuse(gemm, fma, "l=j"), timeout=600).proof.proved


def test_commands_say_what_is_left_undecided(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    """Exit status 2: unknown; and 3 where there is no plan to give."""
    assert run(["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=j", "--timeout", "0.00001", "--json"]) == 2
    said = json.loads(capsys.readouterr().out)
    assert said["verdict"] == "unknown"
    assert {c["verdict"] for c in said["claims"]} <= {"unknown", "proved"}
    conv = "O[n,k,a,b,c,d] += I[n,m,a+r,b+s,c+t,d+u]*W[k,m,r,s,t,u]"
    assert run(["map", "--text", conv, "wmma.16x16x16", "--family", "digits", "--timeout", "1"]) == 2
    assert "NOT complete: the 1 s of --timeout were over" in capsys.readouterr().out
    header = in_empty_directory / "table.h"
    header.write_text(
        "#include <immintrin.h>\n/* isamap: c[l] = a[l] + b[l]  for l < 8; c, a, b: f32 */\n"
        "static inline __m256 add(__m256 a, __m256 b) { return _mm256_add_ps(a, b); }\n"
    )
    words = ["check-isa", str(header), "--no-run", "--json"]
    assert run(words) == 0
    capsys.readouterr()
    assert run([*words, "--timeout", "0.00001"]) == 2
    entries = json.loads(capsys.readouterr().out)["entries"]
    assert {e["reason"] for e in entries} == {"the time that was given was over"}
    assert run(["compile", "gemm", "avx2", "--timeout", "0.001", "-o", "out"]) == 3
    assert "gemm on avx2: not decided" in capsys.readouterr().err
    assert not (in_empty_directory / "out").exists()


def test_a_certificate_is_part_of_the_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The time is over once there is a plan; nothing is half written."""
    made = im.plan("gemm", "avx2")
    monkeypatch.setattr("isamap_smt.cli.plan_view.planned_with_notes", lambda asked: (time.sleep(0.03), made)[1])
    assert run(["proofs", "add", "gemm", "avx2", "--timeout", "0.01", "--dir", str(tmp_path / "found")]) != 0
    assert "the certificate of gemm: not decided" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
