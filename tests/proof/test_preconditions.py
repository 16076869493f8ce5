"""Claim 7: what an instruction asks of addresses and sizes is proved, becomes an entry check, or no code is made."""

from __future__ import annotations

import copy
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import isamap_smt as im
from isamap_encodings.verdict import Proved, Refuted
from isamap_smt.ir.conditions import Condition, parse_condition
from isamap_smt.ir.errors import ArgumentError, LanguageError, NotProvedError, SizeError
from isamap_smt.ir.expr import sym
from isamap_smt.ir.hypotheses import Hypothesis, Relation, Start
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.program import Program
from isamap_smt.proof.program import guarded, prove_program, require_proof
from isamap_smt.proof.program_preconditions import needed

AVX2 = im.find_hardware("avx2")


def asking_for(i: Instruction, *texts: str) -> Instruction:
    """The instruction with these preconditions, also those that no description may have: the prover has to refuse them, too."""
    made = copy.copy(i)
    object.__setattr__(made, "preconditions", texts)
    return made


@cache
def program(text: str, moves: tuple[str, ...], sizes: tuple[tuple[str, int], ...] = (("i", 6), ("k", 4))) -> Program:
    """gemm for a machine whose moves also ask for `text`."""
    instructions = tuple(asking_for(i, *i.preconditions, text) if i.short in moves else i for i in AVX2.instructions)
    machine = replace(AVX2, name="asking", instructions=instructions)
    proved = im.prove(im.fuse(im.find_kernel("gemm"), im.find_instruction("avx2.fmadd_ps"), "l=j"))
    return im.lower(im.schedule(proved, machine, dict(sizes)))


def failing(p: Program) -> set[str]:
    return {c.claim for c in prove_program(p).failed()}


@pytest.mark.parametrize(
    ("text", "moves", "conditions"),
    [
        ("aligned m 32", ("load_f32", "store_f32"), {"J % 8 == 0", "C starts at a multiple of 32 bytes"}),
        ("aligned m 16", ("load_f32", "store_f32"), {"J % 4 == 0", "C starts at a multiple of 16 bytes"}),
        ("ld(m) % 16 == 0", ("masked_load_f32",), {"J % 16 == 0"}),
        ("ld(m) >= 16", ("masked_load_f32",), {"J >= 16"}),
    ],
)
def test_what_does_not_follow_becomes_the_weakest_condition(
    text: str, moves: tuple[str, ...], conditions: set[str]
) -> None:
    asking = program(text, moves)
    assert failing(asking) == {"precondition"}
    made = require_proof(asking)
    added = set(made.program.assumptions) - set(asking.assumptions)
    assert conditions <= added
    assert not {c for c in added - conditions if " starts at " not in c}
    assert added <= set(made.proof.assumptions)


def test_the_counterexample_says_the_condition() -> None:
    texts = [c.verdict.text for c in prove_program(program("aligned m 32", ("store_f32",))).failed()
             if isinstance(c.verdict, Refuted)]  # fmt: skip
    assert texts
    assert all("fails at J=" in t and "it follows where J % 8 == 0" in t for t in texts)


def test_a_weaker_condition_does_not_do() -> None:
    """The mutant: the entry check asks for less than the instruction."""
    right = guarded(program("aligned m 32", ("load_f32", "store_f32")))
    assert not failing(right)
    asked = Relation.of("J % 8 == 0")
    assert asked in right.hypotheses

    def instead(text: str) -> tuple[Hypothesis, ...]:
        return tuple(Relation.of(text) if h == asked else h for h in right.hypotheses)

    assert failing(replace(right, hypotheses=instead("J % 4 == 0"))) == {"precondition"}
    lost = tuple(h for h in right.hypotheses if not isinstance(h, Start))
    assert failing(replace(right, hypotheses=lost)) == {"precondition"}
    assert not failing(replace(right, hypotheses=instead("J % 16 == 0")))


def test_sizes_that_are_known_need_no_condition_or_refuse() -> None:
    sizes = (("i", 6), ("k", 4))
    good = require_proof(program("ld(m) % 8 == 0", ("load_f32", "store_f32"), (*sizes, ("j", 16))))
    assert not [a for a in good.program.assumptions if "%" in a]
    with pytest.raises(NotProvedError, match=re.escape("ld(m) % 16 == 0")):
        require_proof(program("ld(m) % 16 == 0", ("load_f32", "store_f32"), (*sizes, ("j", 24))))


@pytest.mark.parametrize("text", ["shiny m", "ld(m) ** 2 == 4", "tile configured"])
def test_what_has_no_rule_makes_no_code(text: str) -> None:
    asking = program(text, ("store_f32", "masked_store_f32"))
    assert failing(asking) == {"precondition"}
    with pytest.raises(NotProvedError):
        require_proof(asking)


def test_what_a_compute_instruction_asks_is_not_forgotten() -> None:
    fma = asking_for(im.find_instruction("avx2.fmadd_ps"), "tile configured")
    machine = replace(AVX2, name="asking", instructions=(fma, *AVX2.moves))
    proved = im.prove(im.fuse(im.find_kernel("gemm"), fma, "l=j"))
    asking = im.lower(im.schedule(proved, machine, {"i": 6, "k": 4}))
    assert failing(asking) == {"precondition"}


@pytest.mark.needs("avx2", "fma")
def test_a_call_that_breaks_a_condition_is_refused() -> None:
    run = im.build(guarded(program("aligned m 32", ("load_f32", "store_f32"))))
    assert "each call checks that J % 8 == 0" in str(run)
    a, b = np.ones((6, 4), np.float32), np.ones((4, 16), np.float32)
    assert (run(a, b) == 4).all()
    with pytest.raises(SizeError, match=re.escape("gemm: J % 8 == 0 does not hold, which an instruction asks for")):
        run(a, np.ones((4, 12), np.float32))
    raw = np.zeros(6 * 16 * 4 + 64, np.uint8)
    start = -raw.ctypes.data % 32 + 4
    out = raw[start : start + 6 * 16 * 4].view(np.float32).reshape(6, 16)
    with pytest.raises(ArgumentError, match="gemm: C starts at no multiple of 32 bytes, which an instruction asks for"):
        run(a, b, out=out)


def test_conditions_say_what_they_are() -> None:
    """A relation is its own text again, so that what is shown is what is tested."""
    for text in (
        "J*K % 8 == 0",
        "(I + J) % 8 == 0",
        "P >= ((I - 1) // 2) + 1",
        "16 >= I",
        "2*J < K",
        "J // 2 % 4 == 0",
    ):
        found = parse_condition(text)
        assert found is not None
        assert found.text == text
        assert parse_condition(found.text) == found
    assert Relation.of("J*K % 8 == 0").condition.names == {"J", "K"}
    with pytest.raises(LanguageError, match="'W is finite' is no relation"):
        Relation.of("W is finite")
    with pytest.raises(LanguageError, match="'J >= 2' is no relation"):
        Relation("J >= 2")
    with pytest.raises(LanguageError, match="'J' is none"):
        Condition("J", ">=", sym("K"))
    with pytest.raises(LanguageError, match="compares by"):
        Condition(sym("J"), "!=", sym("K"))
    for text in ("W is finite", "J", "J % 0 == 0", "J % K == 0", "f(J) == 0", "J ==", "1 < J < 3"):
        assert parse_condition(text) is None
    several = map(Relation.of, ("J % 4 == 0", "J % 8 == 0", "K % 2 == 0", "J >= 3"))
    assert [str(h) for h in needed(several)] == ["J % 8 == 0", "K % 2 == 0", "J >= 3"]


def test_nothing_changes_for_the_machines_as_they_are() -> None:
    proved = im.prove(im.fuse(im.find_kernel("gemm"), im.find_instruction("avx2.fmadd_ps"), "l=j"))
    plain = im.lower(im.schedule(proved, AVX2, {"i": 6, "k": 4}))
    assert guarded(plain) is plain
    proof = prove_program(plain)
    assert any(c.claim == "precondition" and isinstance(c.verdict, Proved) for c in proof.claims)
