"""Programs that write where data says: the kernel's order is proved, and every other order, point and place is refuted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import sympy as sp
from mutants import rewritten

import isamap_smt as im
from isamap_encodings.verdict import Refuted
from isamap_smt.codegen import lower_points
from isamap_smt.ir.expr import Inside, element, sym
from isamap_smt.ir.program import Loop, Node, Parallel, Program, Serial
from isamap_smt.proof.program_trial import trials
from tests.programs.loop_kinds import of_kind
from tests.programs.portable import is_element

HEAD = "D: i32[V,J]\nX: i32\nY: i32\nidx: i32\nY[v,j] = D[v,j]\n"
ASSIGN = f"{HEAD}Y[idx[i],j] = X[i,j]"
ADD = f"{HEAD}Y[idx[i],j] += X[i,j]"
ORDERED = "D: [V,J]\nidx: i32\nY[v,j] = D[v,j]\nY[idx[i],j] += X[i,j] ordered"
READ = "Y: i32[V,J]\nidx: i32\nX: i32\nY[idx[i],j] = Y[idx[i],j] * 2 + X[i,j]"
I, J, V = sym("i_2"), sym("j_2"), sym("V")


def made(text: str, parallel: bool = False) -> Program:
    return lower_points(im.kernel(text, name="scatter"), parallel)


def _loops(axis: str, change: Callable[[Loop], Any]) -> Callable[[Program], Program]:
    def f(n: Node) -> Any:
        return change(n) if isinstance(n, Loop) and n.axis == axis else None

    return lambda program: rewritten(program, f)


def _points(change: Callable[[Any], Any]) -> Callable[[Program], Program]:
    """Of the last statement alone."""

    def f(n: Node) -> Any:
        return change(n) if is_element(n) and dict(n.point).get("i") is not None else None

    return lambda program: rewritten(program, f)


def _put(index: Any, table: dict[Any, Any]) -> tuple[Any, ...]:
    return tuple(sp.sympify(i).xreplace(table) for i in index)


def _upside_down(axis: str) -> Callable[[Program], Program]:
    def change(program: Program) -> Program:
        def turned(loop: Loop) -> Any:
            table = {loop.var: loop.count - 1 - loop.var}

            def f(n: Node) -> Any:
                if not is_element(n):
                    return None
                moved = tuple(replace(r, index=_put(r.index, table)) for r in n.reads)
                point = tuple((a, sp.sympify(e).subs(table)) for a, e in n.point)
                return (replace(n.placed(replace(n.dst, index=_put(n.dst.index, table)), *moved), point=point),)

            return (replace(loop, body=rewritten(replace(program, body=loop.body), f).body),)

        return _loops(axis, turned)(program)

    return change


def _to(*index: Any) -> Callable[[Program], Program]:
    """It writes there."""
    return _points(lambda n: (n.placed(replace(n.dst, index=tuple(map(sp.sympify, index))), *n.reads),))


def at(i: Any) -> Any:
    return Inside(element("idx", [i]), V)


def _exchanged(program: Program) -> Program:
    """The loop over j comes first."""

    def f(n: Node) -> Any:
        if isinstance(n, Loop) and n.axis == "i" and isinstance(n.body[0], Loop):
            inner = n.body[0]
            return (replace(inner, body=(replace(n, body=inner.body),)),)
        return None

    return rewritten(program, f)


threads = _loops("i", lambda n: (of_kind(Parallel, n),))
turns = _loops("i", lambda n: (replace(n, backwards=J),) if isinstance(n, Serial) else None)
one_less = _loops("i", lambda n: (replace(n, count=n.count - 1),))
one_more = _loops("i", lambda n: (replace(n, count=n.count + 1),))
twice = _points(lambda n: (n, n))
OPEN = ("an index that nothing keeps inside", "sums from the last")  # no run is wrong, or none at all takes place
WRONG = {
    "another order": (ASSIGN, _upside_down("i")),
    "another order of a sum of floats that keeps its own": (ORDERED, _upside_down("i")),
    "another order of what reads itself": (READ, _upside_down("i")),
    "threads": (ASSIGN, threads),
    "threads that add": (ADD, threads),
    "threads that read": (READ, threads),
    "every other row of turns from the last": (f"{ASSIGN} over j, i", turns),
    "sums from the last": (f"{ADD} over j, i", lambda p: turns(_exchanged(p))),
    "a point less": (ADD, one_less),
    "a point more": (ADD, one_more),
    "each point twice": (ADD, twice),
    "another row": (ADD, _to(at(J), J)),
    "the row after": (ADD, _to(at(I) + 1, J)),
    "the row of its own number": (ADD, _to(I, J)),
    "the first row": (ADD, _to(0, J)),
    "another column": (ADD, _to(at(I), J + 1)),
    "the row of the point after": (ADD, _to(at(I + 1), J)),
    "an index that nothing keeps inside": (ADD, _to(element("idx", [I]), J)),
    "the other statement first": (ADD, lambda p: replace(p, body=p.body[::-1])),
    "without the other statement": (ADD, lambda p: replace(p, body=p.body[1:])),
}


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("text", [ASSIGN, ADD, ORDERED, READ])
def test_the_kernel_s_own_order_is_proved(text: str, parallel: bool) -> None:
    program = made(text, parallel)
    proof = im.prove_program(program)
    assert proof.proved, [(c.claim, c.statement, c.verdict) for c in proof.failed()]
    assert trials(program, 8) is None


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_one_is_not_proved(name: str) -> None:
    text, change = WRONG[name]
    program = change(made(text))
    failed = im.prove_program(program).failed()
    assert failed, name
    if name not in OPEN:
        assert any(isinstance(c.verdict, Refuted) for c in failed), [(c.claim, c.statement, c.verdict) for c in failed]
    if "order" in name:
        assert "order" in {c.claim for c in failed}
        assert "float" in name or trials(program, 40) is not None


def test_sums_that_keep_no_order_may_come_in_any() -> None:
    assert im.prove_program(_exchanged(made(ADD))).proved
    assert not im.prove_program(_exchanged(made(ASSIGN))).failed(), "each element has one column"


def test_threads_take_what_indexes_the_target_by_itself() -> None:
    text = "D: [V,J]\nidx: i32\nY[v,j,k] = D[v,j] + B[k]\nY[idx[i],j,k] += X[i,j,k]"
    program = made(text, True)
    assert [n.axis for n in program.body if isinstance(n, Parallel)] == ["v", "j"]
    assert im.prove_program(program).proved
