"""Uses under a condition: fills in first iterations are proved for all sizes, and each wrong one is refuted and goes wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import first_iterations as first
import pytest
import sympy as sp
import use_edits as edits

from isamap_smt.ir.expr import FloorMod, sym
from isamap_smt.ir.program import Command, If, Issued, Program, Serial, Signal, number_of
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.proof.program import prove_program

J, STEP = sym("j_tile_step"), sym("k_tile_step")


@dataclass(frozen=True)
class Mutant:
    """claim, word: what the proof has to say. behaves: whether it goes wrong in a run, too."""

    name: str
    make: Callable[[Program], Program]
    claim: str = "order"
    word: str = "refuted"
    behaves: bool = True


def _under(*condition: sp.Basic) -> Callable[[Program], Program]:
    return lambda p: first.conditions(p, lambda n: (replace(n, condition=condition),))


def _fill(u: Issued) -> bool:
    return isinstance(u, Command) and u.begins and any(ref.name == "a" for _, ref in u.operands)


def _use(u: Issued) -> bool:
    return not _fill(u) and any(ref.name == "a" for _, ref in u.operands)


def _placed(of: Callable[[Issued], bool], **fields: object) -> Callable[[Program], Program]:
    return lambda p: edits.edited(p, lambda u: edits.place(u, "a", **fields) if of(u) else u)


def _modulo(p: Program) -> Program:
    """One slot less, and the last tile in the place of the first."""
    (a, *_) = edits.held(p)
    fewer = edits.holding(p, replace(a, slots=a.slots - 1))

    def change(u: Issued) -> Issued:
        for name, ref in u.operands:
            if ref.name == "a":
                u = edits.place(u, name, index=(FloorMod(ref.index[0], a.slots - 1),))
        return u

    return edits.edited(fewer, change)


def _fewer_slots(p: Program) -> Program:
    (a, *_) = edits.held(p)
    return edits.holding(p, replace(a, slots=a.slots - 1))


def _late(p: Program) -> Program:
    """The signal in front of the fill."""
    return first.behind_conditions(p, lambda n, signal: (signal, n))


def _signal_inside(p: Program) -> Program:
    return first.behind_conditions(p, lambda n, signal: (replace(n, body=(*n.body, signal)),))


def _computes_once(p: Program) -> Program:
    """The product under the condition."""
    return edits.rewritten(p, lambda u: (If((sp.Eq(J, 0),), (u,)),) if _use(u) else None)


def _numbered(p: Program) -> Program:
    """A slot by the number of a loop under the condition."""
    loop = next(x for n in nodes_of(If, p.body) for x in nodes_of(Serial, n.body))
    slot = number_of(loop.var)
    return edits.edited(p, lambda u: edits.place(u, "s", index=(slot,)) if _fill(u) else u)


def _without(p: Program) -> Program:
    return first.conditions(p, lambda n: n.body)


def _b_in_five_slots(p: Program) -> Program:
    """So the engine that loads is five steps ahead, more than A has."""
    b = next(b for b in edits.held(p) if b.name == "b")
    more = edits.holding(p, replace(b, slots=5, offset=1000))

    def change(u: Issued) -> Issued:
        for name, ref in u.operands:
            if ref.name == "b":
                u = edits.place(u, name, index=(FloorMod(number_of(STEP), 5),))
        return replace(u, awaits=tuple((c, e - 3 if c == "released_b" else e) for c, e in u.awaits))

    return edits.edited(more, change)


def _early(p: Program) -> Program:
    return edits.edited(p, lambda u: _waits(u, -1))


def _stores_once(p: Program) -> Program:
    """Sums of the first columns alone are stored."""

    def change(u: Issued) -> tuple[If, ...] | None:
        return (If((sp.Eq(J, 0),), (u,)),) if u.instruction.name == "store" else None

    return edits.rewritten(p, change)


MUTANTS = [
    # the tiles of B, in two slots, keep the engine back: it brings the same tiles again, and nothing goes wrong
    Mutant("no condition", _without, word="unknown", behaves=False),
    Mutant("no condition, and B in more slots", lambda p: _without(_b_in_five_slots(p))),
    Mutant("the first iteration of another loop", _under(sp.Eq(STEP, 0))),
    Mutant("the second iteration", _under(sp.Eq(J, 1))),
    Mutant("the first two iterations", _under(sp.Le(J, 1)), word="unknown", behaves=False),
    Mutant("never", _under(sp.Lt(J, 0))),
    Mutant("all but the first", _under(sp.Gt(J, 0))),
    Mutant("only some steps", _under(sp.Eq(J, 0), sp.Lt(STEP, 3))),
    Mutant("the content of the same iteration", _placed(_use, version=(J, STEP, sym("i_tile"))), behaves=False),
    Mutant("the content of the second iteration", _placed(_use, version=(1, STEP, sym("i_tile"))), behaves=False),
    Mutant("the slot of the next step", _placed(_use, index=(sym("i_tile") + 3 * FloorMod(STEP + 1, 4),))),
    Mutant("a slot less", _fewer_slots, "memory"),
    Mutant("two tiles in one slot", _modulo, word="unknown"),  # no race: the later tile is there, in every order
    Mutant("the signal before the fill", _late),
    Mutant("no wait for the fill", lambda p: edits.unawaited(p, "filled_a")),
    Mutant("a signal too early", _early),
    Mutant("a signal too late", lambda p: edits.edited(p, lambda u: _waits(u, 1)), "progress"),
    Mutant("the signal in the first iteration alone", _signal_inside, "program", "unknown"),
    Mutant("a product in the first iteration alone", _computes_once, "coverage"),
    Mutant("a store in the first iteration alone", _stores_once, "coverage"),
    Mutant("a slot by a number under the condition", _numbered, "program", "unknown", behaves=False),
    Mutant("a condition on a number", _under(sp.Eq(number_of(J), 0)), "hypotheses", "unknown", behaves=False),
]


def _waits(u: Issued, more: int) -> Issued:
    return replace(u, awaits=tuple((c, e + more if c == "filled_a" else e) for c, e in u.awaits))


def test_fills_in_first_iterations_are_proved_for_all_sizes() -> None:
    program = first.gemm()
    assert len(list(nodes_of(If, program.body))) == 1 and any(isinstance(u, Signal) for u in edits.uses(program))
    proof = prove_program(program)
    assert proof.proved, [str(c) for c in proof.failed()]
    assert not first.wrong(program, (*first.COLUMNS, 40), seeds=4, plainly=4)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.name)
def test_wrong_ones_are_not_proved_and_go_wrong(mutant: Mutant) -> None:
    program = mutant.make(first.gemm())
    failed = prove_program(program).failed()
    assert (mutant.claim, mutant.word) in {(c.claim, c.verdict.word) for c in failed}, [str(c) for c in failed]
    assert bool(first.wrong(program)) == mutant.behaves


def test_a_refutation_names_the_fill() -> None:
    failed = prove_program(_early(first.gemm())).failed()
    told = [str(getattr(c.verdict, "text", "")) for c in failed]
    assert any("uses a before load a" in t and "has filled it" in t for t in told), told
