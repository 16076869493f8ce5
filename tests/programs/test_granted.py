"""Numbers that a program asks for, as RISC-V's vector length: whichever it is granted, it is the one that is needed, or refuted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy as sp

import isamap_hardware
import isamap_smt as im
from isamap_encodings.program_implication import truth
from isamap_encodings.verdict import Refuted, Unknown
from isamap_smt.ir.errors import HardwareError, LanguageError
from isamap_smt.ir.expr import FloorDiv, IMax, IMin, sym
from isamap_smt.ir.program import Ask, If, Loop, Move, Node, Parallel, Program, Serial, Use
from isamap_smt.ir.states import allowed, grants
from isamap_smt.ir.traversal import nodes_of, walk
from isamap_smt.proof.program import prove_program
from isamap_smt.simulator.run import run_program

SIZES = {"i": 3, "j": 21, "k": 4}
Nodes = tuple[Node, ...]


@cache
def program(length: int = 0, threads: int = 1, j: int = 21) -> Program:
    """A product whose rows are cut by masks, at one length of vectors or at all of them."""
    machine = im.find_hardware("rvv")
    if length:
        machine = replace(machine.whole.at(VL=length), opened=None, values=())
    kernel = im.kernel("C[i,j] += A[i,k] * B[k,j]", name="gemm")
    proved = im.prove(im.fuse(kernel, machine.instruction("vfmacc_f32"), {"l": ("j",)}))
    assert isinstance(proved, im.ProvedMapping)
    found = im.lower(im.schedule(proved, machine, {**SIZES, "j": j}, threads=threads))
    return found


def asks(n: Node) -> bool:
    return isinstance(n, Ask)


def needs(n: Node) -> bool:
    return isinstance(n, Use) and bool(n.instruction.numbers_needed)


def edited(p: Program, change: Callable[[Node], Nodes | None]) -> Program:
    """Each node is replaced by what `change` gives; None: it stays, and what is in it is looked at."""

    def visit(nodes: Nodes) -> Nodes:
        return tuple(x for n in nodes for x in made(n))

    def made(n: Node) -> Iterator[Node]:
        new = change(n)
        if new is not None:
            yield from new
        else:
            yield replace(n, body=visit(n.body)) if isinstance(n, Loop | If) else n

    found = replace(p, body=visit(p.body))
    assert found != p
    return found


def asking_for(form: Callable[[Any], Any]) -> Callable[[Program], Program]:
    """The request changed: it is max(0, min(points, count))."""
    return lambda p: edited(p, lambda n: (replace(n, number=form(n.number)),) if asks(n) else None)  # type: ignore[union-attr, type-var]


def rest(asked: Any) -> Any:
    """All that is left, however much more than a vector holds."""
    return next(e for e in _inner(asked).args if e.is_Add)


def _inner(asked: Any) -> Any:
    return next(e for e in asked.args if e.args)


def behind(p: Program) -> Program:
    """Each request behind the use that needs it."""

    def change(n: Node) -> Nodes | None:
        if not isinstance(n, Loop | If) or not any(map(asks, n.body)):
            return None
        body = list(n.body)
        for at in [k for k, x in enumerate(body) if asks(x)]:
            body[at], body[at + 1] = body[at + 1], body[at]
        return (replace(n, body=tuple(body)),)

    return edited(p, change)


def clobbered(p: Program) -> Program:
    """Another request between the right one and the use."""
    request = next(nodes_of(Ask, p.body))
    return edited(p, lambda n: (replace(request, number=sp.Integer(1)), n) if needs(n) else None)


def conditional(p: Program) -> Program:
    return edited(p, lambda n: (If((sym("fresh?") > 0,), (n,)),) if asks(n) else None)


EDITS: dict[str, tuple[Callable[[Program], Program], str]] = {
    "all that is left": (asking_for(rest), "between half of"),
    "one too few": (asking_for(lambda e: e - 1), "points are active"),
    "one too many": (asking_for(lambda e: e + 1), "points are active"),
    "the whole vector": (asking_for(lambda e: next(x for x in _inner(e).args if x.is_Integer)), "points are active"),
    "missing": (lambda p: edited(p, lambda n: () if asks(n) else None), "nothing has asked for vl on this thread"),
    "late": (behind, "nothing has asked for vl on this thread"),
    "clobbered": (clobbered, "asked for AVL = 1"),
}


@pytest.mark.parametrize("length", [2, 4])
@pytest.mark.parametrize("edit", EDITS)
def test_a_wrong_request_is_refuted(edit: str, length: int) -> None:
    """By this claim and no other; a run of the program shows it, too."""
    change, said = EDITS[edit]
    p = change(program(length))
    failed = prove_program(p).failed()
    assert {c.claim for c in failed} == {"configuration"}
    texts = [c.verdict.text for c in failed if isinstance(c.verdict, Refuted)]
    assert any(said in text for text in texts), texts
    assert told_by_a_run(p)


def told_by_a_run(p: Program, seeds: int = 6) -> bool:
    """Whether a run of the program finds something, or another result; of every second one the sums go on from others."""
    random = np.random.default_rng(1)
    n = SIZES
    a, b = (random.integers(-8, 8, s).astype(np.float32) for s in ((n["i"], n["k"]), (n["k"], n["j"])))
    for seed in range(seeds):
        before = np.full((n["i"], n["j"]), seed, np.float32) if seed % 2 else None
        run = run_program(p, {"A": a, "B": b}, before, seed=seed)
        if not run.clean or not np.array_equal(run.outputs["C"], a @ b + (seed if seed % 2 else 0)):
            return True
    return False


@pytest.mark.parametrize("length", [1, 2, 4])
def test_the_machine_as_it_is(length: int) -> None:
    p = program(length)
    proof = prove_program(p)
    assert proof.proved
    assert {c.subject for c in proof.claims if c.claim == "configuration"} == {"masked_load_f32", "masked_store_f32"}
    assert not told_by_a_run(p)


def test_the_counterexample_is_one() -> None:
    """What is left is 21, of which a vector of 512 bits holds 16: an implementation may grant 11, and 16 are needed."""
    failed = prove_program(asking_for(rest)(program(4))).failed()
    text = next(c.verdict.text for c in failed if isinstance(c.verdict, Refuted))
    assert "rvv.masked_load_f32 needs 'vl = active'" in text
    assert (
        "rvv.vsetvli_e32m1, asked for AVL = 21 with VLMAX = 16, between half of 21 and 16 as it likes, vl may be 1"
        in text
    )
    assert "where 16 points are active" in text


def test_at_every_length_the_one_that_fails_is_named() -> None:
    """With its AVL and VLMAX. Of a vector that is longer than all that is left nothing else is wrong than what is below 0."""
    failed = prove_program(asking_for(rest)(program())).failed()
    texts = [c.verdict.text for c in failed if isinstance(c.verdict, Refuted)]
    assert any(t.startswith("where VL = 4: ") for t in texts)
    assert not any("VL = 16: " in t and "between half" in t for t in texts)


# of a vector of 8; of 15 that are asked for at least 8 are granted, too, and a number below 0 is one that is very large
CHOICES = (
    (8, True),
    (9, False),
    (14, False),
    (15, True),
    (16, True),
    (17, True),
    (2**40, True),
    (7, False),
    (-1, True),
)


def test_twice_a_vector_grants_a_whole_one() -> None:
    """There the specification leaves no choice: it is proved, and one less is not."""
    whole = program(2, j=16)
    uses = [n for n in nodes_of(Move, whole.body) if n.instruction.kind == "load"]
    machine = isamap_hardware.load("rvv").at(VL=2)
    masked = machine.instruction("masked_load_f32")
    request = machine.asking("vl", 8)
    assert uses and request is not None
    for asked, right in CHOICES:

        def change(n: Node, asked: int = asked) -> Nodes | None:
            if not (isinstance(n, Move) and n.instruction.short == "load_f32"):
                return None
            return (Ask(request, sp.Integer(asked)), replace(n, instruction=masked, active=(sp.Integer(8),)))

        p = edited(whole, change)
        proof = prove_program(p)
        assert proof.proved == right, (asked, proof.failed())
        if not right:
            assert {c.claim for c in proof.failed()} == {"configuration"}


def test_a_request_on_some_ways_alone_is_not_known() -> None:
    failed = prove_program(conditional(program(2))).failed()
    assert {c.claim for c in failed} == {"configuration"}
    assert any(isinstance(c.verdict, Unknown) and "differs between two ways" in c.verdict.reason for c in failed)


def test_a_thread_asks_for_itself() -> None:
    """What was asked for outside of a loop that threads share is not known inside."""
    p = program(2)
    request = replace(next(nodes_of(Ask, p.body)), number=sp.Integer(8))
    inside = edited(p, lambda n: () if asks(n) else None)
    for kind, said in ((Serial, "AVL = 8"), (Parallel, "nothing has asked for vl on this thread")):
        shared = replace(inside, body=(request, kind(sym("turn"), 1, inside.body)))
        texts = [c.verdict.text for c in prove_program(shared).failed() if isinstance(c.verdict, Refuted)]
        assert any(said in text for text in texts), texts


def test_a_loop_begins_anew_with_what_it_left() -> None:
    """A request behind the use, at the end of the body, is that of another turn: it is not known to be right."""
    failed = prove_program(behind(program(2))).failed()
    assert any(isinstance(c.verdict, Unknown) and "two ways" in c.verdict.reason for c in failed)


def test_the_formula_is_the_specification() -> None:
    """RVV 1.0, section 6.3: its three rules, written down once more."""
    g = sym("g")
    for asked, most in product(range(-3, 40), range(1, 14)):
        may_be = {
            vl
            for vl in range(60)
            if (
                vl == asked
                if 0 <= asked <= most
                else vl == most
                if asked % 2**64 >= 2 * most
                else -(-asked // 2) <= vl <= most
            )
        }
        formula = allowed(g, sp.Integer(asked), sp.Integer(most))
        assert {vl for vl in range(60) if truth(formula, {"g": vl})} == may_be == set(grants(asked, most))


def test_descriptions_that_say_too_little() -> None:
    machine = isamap_hardware.load("rvv")
    without = tuple(i for i in machine.instructions if not i.short.startswith("vsetvli"))
    with pytest.raises(HardwareError, match=r"needs 'vl = active', and no instruction grants 4\*VL in vl"):
        replace(machine, instructions=without)
    ask = machine.instruction("masked_load_f32")
    with pytest.raises(LanguageError, match="'lanes' is no number of active points"):
        replace(ask, needs=("vl = lanes",))
    for wrong in ({"grants": 0}, {"may_fail": True}):
        with pytest.raises(LanguageError):
            replace(machine.instructions[-1], **wrong)
    with pytest.raises(LanguageError, match="is for what writes a state memory"):
        replace(ask, grants=4)


def another(asked: Any, random: np.random.Generator) -> Any:
    """A request made from the right one at random: larger, smaller, bounded elsewhere, or the same in another form."""
    count, points = rest(asked), next(e for e in _inner(asked).args if e.is_Integer)
    n = int(random.integers(0, 3 * int(points)))
    forms = (
        asked, IMin(points, IMax(0, count)), IMin(n, count), IMax(n, count), count + n, IMin(points, count) + IMax(0, count - n),
        IMax(0, IMin(points + n % 3, count)), 2 * asked, IMax(asked, 2 * points), IMin(asked, n), asked - FloorDiv(asked, n + 1),
    )  # fmt: skip
    return forms[int(random.integers(len(forms)))]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(24))
def test_random_requests(seed: int) -> None:
    """What is proved goes wrong in no run; what is refuted goes wrong in some."""
    random = np.random.default_rng(seed)
    p = program((1, 2, 4)[seed % 3])
    requests = [n for n, _ in walk(p.body) if asks(n)]
    chosen = requests[int(random.integers(len(requests)))]
    new = another(chosen.number, random)  # type: ignore[union-attr]
    if new != chosen.number:  # type: ignore[union-attr]
        p = edited(p, lambda n: (replace(n, number=new),) if n is chosen else None)  # type: ignore[type-var]
    verdicts = [c.verdict for c in prove_program(p).failed()]
    assert not any(isinstance(v, Unknown) for v in verdicts), verdicts
    assert told_by_a_run(p, 40) == bool(verdicts), new
