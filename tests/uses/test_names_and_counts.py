"""Loops whose names or counts would let the proof take one moment for another."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import outer_product as outer
import pytest
import sympy as sp
from use_edits import edited, held, holding, loops

from isamap_encodings.verdict import Refuted
from isamap_smt.ir.expr import IMax, substitute, sym
from isamap_smt.ir.program import Command, Issued, Program, Ref, number_of
from isamap_smt.proof.program import prove_program
from isamap_smt.proof.program_sites import UnrecognisedError, collect
from isamap_smt.simulator import simulate

TOO_LATE = outer.Choice(slots=2, lag=5)  # loads wait for too little
J0, K0 = sym("j0"), sym("k0")


def renamed(program: Program, names: dict[str, str]) -> Program:
    """The program with other names of loops."""
    table = {**{a: sym(b) for a, b in names.items()}, **{f"#{a}": sym(f"#{b}") for a, b in names.items()}}

    def new(e: Any) -> Any:
        return tuple(map(new, e)) if isinstance(e, tuple) else substitute(sp.sympify(e), table)

    def place(ref: Ref) -> Ref:
        return Ref(ref.name, new(ref.index), new(ref.version))

    def use(u: Issued) -> Issued:
        u = replace(u, awaits=tuple((c, new(e)) for c, e in u.awaits))
        if not isinstance(u, Command):
            return u
        point = tuple((a, new(e)) for a, e in u.point)
        return replace(u, operands=tuple((o, place(r)) for o, r in u.operands), active=new(u.active), point=point)

    types = (replace(b.type, coordinates=new(b.type.coordinates), guard=new(b.type.guard)) for b in held(program))
    changed = (replace(b, type=t, version=new(b.version)) for b, t in zip(held(program), types, strict=True))
    return loops(edited(holding(program, *changed), use), lambda x: replace(x, var=new(x.var), count=new(x.count)))


@pytest.mark.parametrize("mark", ["next", "begun", "between0"])
def test_names_of_loops_do_not_meet_those_of_other_moments(mark: str) -> None:
    names = {"k0": "t", "j0": f"t_{mark}"}
    assert prove_program(renamed(outer.gemm(), names)).proved
    failed = prove_program(renamed(outer.gemm(TOO_LATE), names)).failed()
    assert any(isinstance(c.verdict, Refuted) and "overwrites" in c.verdict.text for c in failed)


@pytest.mark.parametrize("name", ["t'", "t?", "#t"])
def test_names_with_the_proof_s_own_signs_are_not_proved(name: str) -> None:
    (failed,) = prove_program(renamed(outer.gemm(), {"k0": name})).failed()
    assert "keeps to itself" in failed.verdict.reason  # type: ignore[union-attr]


def test_counts_that_vary_are_not_proved() -> None:
    """With as many steps as the tile's number, numbers of steps are not those of tiles times the count."""
    m, n = number_of(J0), number_of(K0)

    def waits(u: Issued) -> Issued:
        return replace(u, awaits=tuple((c, a - 100 * IMax(0, m - n) if c == "executed" else a) for c, a in u.awaits))

    program = loops(
        edited(outer.gemm(outer.Choice(slots=1)), waits), lambda x: replace(x, count=J0) if x.var == K0 else x
    )
    words = [c.verdict.reason for c in prove_program(program).failed()]  # type: ignore[union-attr]
    assert words == ["no claim covers a loop of j0 iterations"]
    arrays = {n: np.zeros((64, 64), np.float32) for n in "AB"}
    assert not simulate(program, arrays, seed=0).sound


@pytest.mark.parametrize("base", ["I", "i0"])
def test_a_base_has_a_name_of_its_own(base: str) -> None:
    """Else what is known of it would be said of a size, or of a variable."""

    def based(x: Any) -> Any:
        return replace(x, count=sym("steps"), base=sym(base), extent=sp.S.One) if x.var == sym("i0") else x

    with pytest.raises(UnrecognisedError, match="means two things"):
        collect(loops(outer.gemm(), based))


def test_a_loop_with_a_base_has_a_count_of_its_own() -> None:
    def based(x: Any) -> Any:
        return replace(x, base=sym("at"), extent=sp.S.One) if x.var == sym("i0") else x

    (failed,) = prove_program(loops(outer.gemm(), based)).failed()
    assert "no base and count of its own" in failed.verdict.reason  # type: ignore[union-attr]
