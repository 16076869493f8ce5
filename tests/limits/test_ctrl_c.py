"""Ctrl-C ends whatever a command is doing, within seconds and with status 130."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

READY = "print('now', flush=True)\n"
CHAIN = "T[a,i] += A[a,b]*B[b,c]*C[c,d]*D[d,e]*E[e,f]*F[f,g]*G[g,h]*H[h,i]"
CONV = "O[n,k,a,b,c,d,p,q] += I[n,m,a+r,b+s,c+t,d+u,p+v,q+w]*W[k,m,r,s,t,u,v,w]"


def command(words: list[str], patch: str = "") -> str:
    """A command line in which the words `now` are said when `patch` has come to where it is to be stopped."""
    return f"import isamap_smt.cli.app as app\n{patch}\napp.main({words!r})\n"


def said_when(module: str, function: str) -> str:
    """Says `now` at the first call of a function."""
    return (
        f"import {module} as m\n"
        f"whole = m.{function}\n"
        "def told(*a, **k):\n"
        f"    {READY}"
        "    return whole(*a, **k)\n"
        f"m.{function} = told\n"
    )


HARD = """
import z3
from isamap_encodings import solve
def hard(*_):
    x, y = z3.BitVecs("x y", 32)
    print("now", flush=True)
    product = z3.ZeroExt(32, x) * z3.ZeroExt(32, y) == z3.BitVecVal(2860486313 * 3267000013, 64)
    return solve.answered([product, z3.ULT(x, y), z3.UGT(x, 1)], 2_000_000_000)[0]
import isamap_smt.proof.mapping as m
m.scalar_claims = hard
"""
LONG = """
import isamap_encodings.schedule_model as m
whole = m._solver
def endless(deterministic, wall, *rest):
    print("now", flush=True)
    return whole(1e6, 1e6, *rest)
m._solver = endless
"""
SYMPY = """
import sympy as sp
import isamap_smt.pipeline.implementations as m
def endless(*_):
    print("now", flush=True)
    x = sp.symbols("x0:12")
    return sp.expand(sum(x) ** 24)
m._candidates = endless
"""
STAGES = {
    "a long question to Z3": command(["prove", "gemm", "avx2.fmadd_ps", "--axes", "l=j"], HARD),
    "a long search of CP-SAT": command(
        ["compile", "gemm", "avx2", "--sizes", "i=700,j=1024,k=512", "--threads", "2", "-o", "out"], LONG
    ),
    "SymPy": command(["compile", "gemm", "avx2", "--sizes", "i=8,j=8,k=8", "-o", "out"], SYMPY),
    "the enumeration of models": command(
        ["compile", "--text", CONV, "avx2", "-o", "out"], said_when("isamap_smt.search.find", "small_kernels")
    ),
    "counting candidates": command(
        ["map", "--text", CONV, "wmma.16x16x16", "--family", "digits"],
        said_when("isamap_smt.search.find", "count_normal"),
    ),
}


def test_what_was_found_is_shown_at_once(in_empty_directory: object) -> None:
    """One Ctrl-C is enough, however many mappings there are to tell of."""
    code = command(["map", "--text", CONV, "avx2.fmadd_ps"], said_when("isamap_smt.search.find", "small_kernels"))
    running = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout is not None
    try:
        while "now" not in running.stdout.readline():
            pass
        time.sleep(3.0)  # some are found, and not all on the fastest machine
        running.send_signal(signal.SIGINT)
        started = time.monotonic()
        shown, said = running.communicate(timeout=60)
    finally:
        running.kill()
    assert running.returncode == 130, said
    assert "NOT complete" in shown
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("stage", STAGES)
def test_it_ends(stage: str, in_empty_directory: object) -> None:
    """CP-SAT's search ends with what it has, which is then proved and written; another Ctrl-C ends that."""
    running = subprocess.Popen(
        [sys.executable, "-c", STAGES[stage]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    try:
        for line in running.stdout:
            if "now" in line:
                break
        time.sleep(0.5)
        started = time.monotonic()
        for _ in range(40):
            running.send_signal(signal.SIGINT)
            try:
                running.wait(0.3)  # proof and C of what the first one leaves take longer
                break
            except subprocess.TimeoutExpired:
                continue
        _, said = running.communicate(timeout=60)
    finally:
        running.kill()
    assert running.returncode == 130, said
    assert "interrupted" in said
    assert time.monotonic() - started < 20
