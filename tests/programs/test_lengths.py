"""Programs for every value of a machine's parameter: one proof, which a program that fits some values alone does not pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import sympy as sp
import toys

import isamap_smt as im
from isamap_encodings.verdict import Refuted
from isamap_smt.ir.errors import HardwareError, ScheduleError, UnknownNameError
from isamap_smt.ir.expr import sym
from isamap_smt.ir.program import Alloc, Copy, Counted, If, Loop, Move, Program
from isamap_smt.ir.program_at import instances
from isamap_smt.proof import require_proof
from isamap_smt.proof.program import prove_program
from isamap_smt.proof.program_memory import entry_bound
from isamap_smt.proof.program_trial import trials

VL = toys.VL


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", toys.OF_ANY_LENGTH)
def test_proved_and_right_at_every_length(name: str) -> None:
    program = toys.OF_ANY_LENGTH[name]()
    assert program.parameters == ("VL",)
    found = prove_program(program)
    assert found.proved, "\n".join(f"{c}: {c.statement}: {c.verdict}" for c in found.failed()[:3])
    at = instances(program)
    assert len(at) == 3
    for one in at:
        assert trials(one, 6) is None


def _changed(node: Any, change: Callable[[Any], Any], done: list[int]) -> Any:
    """The first node that `change` changes, changed."""
    if not done and (new := change(node)) != node:
        done.append(1)
        return new
    if isinstance(node, Loop | If):
        return replace(node, body=tuple(_changed(n, change, done) for n in node.body))
    return node


def edited(program: Program, change: Callable[[Any], Any]) -> Program:
    done: list[int] = []
    made = replace(program, body=tuple(_changed(n, change, done) for n in program.body))
    assert done
    return made


def two(e: Any) -> Any:
    """What is right where VL is 2."""
    return e.xreplace({VL: sp.Integer(2)}) if hasattr(e, "xreplace") else e


def _count(node: Any) -> Any:
    return replace(node, count=two(node.count)) if isinstance(node, Counted) else node


def _active(node: Any) -> Any:
    return replace(node, active=tuple(map(two, node.active))) if isinstance(node, Move) else node


def _operand(node: Any) -> Any:
    if not isinstance(node, Move):
        return node
    return replace(node, operands=tuple((o, replace(r, index=tuple(map(two, r.index)))) for o, r in node.operands))


def _copied(node: Any) -> Any:
    return replace(node, over=tuple((v, two(n)) for v, n in node.over)) if isinstance(node, Copy) else node


def _guard(node: Any) -> Any:
    return replace(node, condition=tuple(map(two, node.condition))) if isinstance(node, If) else node


def _room(node: Any) -> Any:
    if not isinstance(node, Alloc) or node.buffer.memory != "heap":
        return node
    return Alloc(replace(node.buffer, shape=tuple(map(two, node.buffer.shape))))


@pytest.mark.parametrize("change", [_count, _active, _operand, _copied, _guard, _room])
def test_what_is_right_at_one_length_alone_is_refuted(change: Callable[[Any], Any]) -> None:
    program = edited(toys.packed_gemm(on=toys.OPEN), change)
    found = prove_program(program)
    assert found.word == "refuted"
    first = next(c for c in found.failed() if isinstance(c.verdict, Refuted))
    assert first.verdict.witness["VL"] in (1, 3) and "where VL = " in first.statement  # type: ignore[union-attr]
    assert {c.statement for c in found.failed() if "where VL = 2:" in c.statement} == set()


def test_an_axis_that_one_vector_holds_at_the_typical_length_has_a_loop() -> None:
    """Four columns are one vector of four lanes, and two of two."""
    m = toys.mapping(toys.gemm(), toys.FMA, {"l": ("j",)})
    made = im.lower(toys.schedule(m, "i:2 k:1", 1, {"i": 2, "j": 4}, {}, None, {"j": 4}, toys.OPEN))
    assert "for j0" in str(made)
    require_proof(made)
    assert all(trials(p, 6) is None for p in instances(made))


def test_the_numbers_of_the_c_are_bounded_for_all_values() -> None:
    """4*VL - 8 is 0 where VL is 2, and its parts are 8: the bound of a call is above what they come to."""
    program = toys.packed_gemm(on=toys.OPEN)
    bounds = [entry_bound(p) for p in instances(program)]
    whole, names = entry_bound(program), [sym(n) for n in program.kernel.free_sizes]
    for bound in bounds:
        assert all(
            c >= 64 * bound.coeff(m, 1)
            for m in names
            for c in [whole.coeff(m, 1)]
            if not bound.coeff(m, 1).free_symbols
        )
    (said,) = [a for a in prove_program(program).assumptions if a.endswith("< 2**63")]
    assert said == f"{whole} < 2**63"


def test_names_that_clash_are_refused() -> None:
    kernel = im.kernel("C[i,VL] += A[i,k] * B[k,VL]", name="product", dtypes=dict.fromkeys("ABC", "f32"))
    m = toys.mapping(kernel, toys.FMA, {"l": ("VL",)})
    with pytest.raises(ScheduleError, match="product calls a size or an axis VL, as toy calls a parameter of its own"):
        im.lower(toys.schedule(m, "i:2 VL:4 k:1", 2, {"i": 2, "VL": 4}, {}, None, None, toys.OPEN))


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: toys.OPEN.at(VL=5), HardwareError, "toy: VL=5: it can be 1, 2, 3"),
        (lambda: toys.OPEN.at(WL=2), UnknownNameError, "toy has no machine parameter 'WL'"),
        (lambda: toys.TOY.at(VL=2), UnknownNameError, "toy has no machine parameter 'VL'"),
        (lambda: im.MachineParameter("VL", (1, 2), "n()", 4), HardwareError, "typical=4 is none of its values, 1, 2"),
        (lambda: im.MachineParameter("VL", (2, 3), "n()", 2), HardwareError, "2, 3, are nearly one"),
        (lambda: im.MachineParameter("VL", (0, 2), "n()", 2), HardwareError, "value=0: must be at least 1"),
        (lambda: im.MachineParameter("V L", (1, 2), "n()", 2), HardwareError, "a name is a letter, then letters"),
        (lambda: im.MachineParameter("VL", (1, 2), " ", 2), HardwareError, "say its value in C"),
        (
            lambda: replace(toys.OPEN.whole, parameters=toys.OPEN.whole.parameters * 2),
            HardwareError, "hardware toy lists parameter 'VL' twice",
        ),
        (
            lambda: replace(toys.OPEN.whole, parameters=(im.MachineParameter("W", (1, 2), "n()", 1),)),
            HardwareError, "its parts mention 'VL', which is none of its parameters",
        ),
    ],
)  # fmt: skip
def test_bad_parameters(make: Callable[[], Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error) as e:
        make()
    assert said in str(e.value)
