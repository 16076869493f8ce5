"""The simulator against NumPy, against a walk of the loops, and against times worked out by hand; broken programs are caught."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from outer_product import Choice, gemm
from use_edits import commanded, edited, held, holding, unawaited, unsignalled, with_slot

from isamap_smt.ir.errors import DTypeError, LanguageError, UnknownNameError
from isamap_smt.ir.expr import FloorMod, evaluate, sym
from isamap_smt.ir.program import Command, Issued, Loop, Node, Program, Serial, number_of
from isamap_smt.simulator import Simulation, simulate
from isamap_smt.simulator.iterations import column

SEEDS = range(20)
SIZES = [(1, 1, 1), (8, 8, 8), (9, 1, 8), (1, 9, 17), (7, 16, 1), (16, 24, 24), (17, 40, 9), (40, 33, 25), (9, 9, 40)]
COUNTERS = ["executed", "loaded_a", "loaded_b", "finished", "stored"]


def arrays(i: int, j: int, k: int) -> dict[str, np.ndarray]:
    draw = np.random.default_rng((i, j, k))
    return {"A": draw.uniform(-1, 1, (k, i)).astype(np.float32), "B": draw.uniform(-1, 1, (k, j)).astype(np.float32)}


def error(simulation: Simulation, given: dict[str, np.ndarray]) -> float:
    """The largest difference to NumPy's product in float64, in units that rounding explains up to 1; infinite for NaN."""
    want = given["A"].astype(np.float64).T @ given["B"].astype(np.float64)
    allowed = (len(given["A"]) + 1) * 2.0**-24 * (np.abs(given["A"]).T.astype(float) @ np.abs(given["B"]).astype(float))
    off = np.abs(simulation.outputs["C"] - want) / allowed
    return float(np.where(np.isnan(off), np.inf, off).max())


@pytest.mark.one_in(
    4,
    each=(
        "slots",
        "size",
    ),
)
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("slots", [1, 2, 3])
def test_computes_the_product_without_races_in_every_order(size: tuple[int, int, int], slots: int) -> None:
    given = arrays(*size)
    for seed in (None, *SEEDS):
        s = simulate(gemm(Choice(slots, slots)), given, dict(zip("IJK", size, strict=True)), seed)
        assert s.races == () and s.deadlock is None and s.sound
        assert error(s, given) <= 1
        assert (s.cycles is None) == (seed is not None)


def test_sizes_up_to_40() -> None:
    draw = np.random.default_rng(5)
    for seed in range(60):
        size = [int(n) for n in draw.integers(1, 41, 3)]
        given = arrays(*size)
        s = simulate(gemm(Choice(int(draw.integers(1, 4)), int(draw.integers(1, 4)))), given, seed=seed)
        assert s.sound and error(s, given) <= 1, size


@pytest.mark.parametrize("slots", [1, 2, 3])
def test_waiting_one_step_too_little_races_and_computes_something_else(slots: int) -> None:
    given = arrays(9, 16, 57)
    runs = [simulate(gemm(Choice(slots, lag=slots + 1)), given, seed=seed) for seed in SEEDS]
    for run in runs:
        assert {(r.uses[0].instruction, r.uses[1].instruction) for r in run.races} == {("multiply", "load")}
        assert run.deadlock is None
    assert any(error(run, given) > 1 for run in runs)
    assert any(error(run, given) <= 1 for run in runs)  # so that one run would not have shown it


def test_a_race_says_both_uses() -> None:
    a, b = simulate(gemm(Choice(2, lag=3)), arrays(8, 8, 40), seed=1).races
    assert str(a) == (
        "race: load 2 (a, slot 0; i0=0 j0=0 k0=2) overwrites rows 0..7 of scratchpad before "
        "multiply 0 (a, slot 0; i0=0 j0=0 k0=0) has read them: no counter orders the two (3 such in all)"
    )
    assert b.text.startswith(
        "load 2 (b, slot 0; i0=0 j0=0 k0=2) overwrites rows 16..23 of scratchpad before multiply 0 "
    )
    assert a.uses[1].at == (("i0", 0), ("j0", 0), ("k0", 2)) and a.uses[1].engine == "load" and a.pairs == 3


def test_races_do_not_depend_on_the_order() -> None:
    program, given = gemm(Choice(2, 2, 3, 3)), arrays(17, 17, 17)
    found = {simulate(program, given, seed=seed).races for seed in (None, *SEEDS)}
    assert len(found) == 1 and len(found.pop()) == 4


@pytest.mark.parametrize("counter", [c for c in COUNTERS if c != "loaded_a"])
def test_a_dropped_await_is_a_race_and_is_wrong_in_some_order(counter: str) -> None:
    given = arrays(24, 24, 24)
    runs = [simulate(unawaited(gemm(), counter), given, seed=seed) for seed in SEEDS]
    assert all(r.races and r.deadlock is None for r in runs)
    assert any(error(r, given) > 1 for r in runs)


def test_an_await_that_another_implies_is_not_needed() -> None:
    """`load` brings a before b, so who has waited for b has waited for a."""
    given = arrays(24, 24, 24)
    for seed in SEEDS:
        s = simulate(unawaited(gemm(), "loaded_a"), given, seed=seed)
        assert s.sound and error(s, given) <= 1


@pytest.mark.parametrize("counter", COUNTERS)
def test_a_dropped_signal_is_a_deadlock(counter: str) -> None:
    for seed in (None, 0, 1, 2):
        s = simulate(unsignalled(gemm(), counter), arrays(24, 24, 24), seed=seed)
        assert s.deadlock is not None and f"{counter} >= " in s.deadlock and ", which is 0" in s.deadlock
        assert s.races == () and s.cycles is None and not s.sound


def test_a_deadlock_says_who_waits_for_what() -> None:
    assert simulate(unsignalled(gemm(), "loaded_a"), arrays(8, 8, 40), seed=0).deadlock == (
        "load waits for executed >= 1, which is 0, before load 2 (i0=0 j0=0 k0=2); "
        "execute waits for loaded_a >= 1, which is 0, before multiply 0 (i0=0 j0=0 k0=0); "
        "store waits for finished >= 1, which is 0, before store 0 (i0=0 j0=0)"
    )


@pytest.mark.parametrize(("instruction", "operand"), [("multiply", "a"), ("multiply", "b"), ("store", "acc")])
def test_another_slot_is_a_race_and_wrong(instruction: str, operand: str) -> None:
    given = arrays(24, 24, 24)
    program = with_slot(gemm(), instruction, operand, lambda slot: FloorMod(slot + 1, 2))
    runs = [simulate(program, given, seed=seed) for seed in SEEDS]
    assert all(r.races and error(r, given) > 1 for r in runs)


def test_two_buffers_of_one_engine_in_the_same_rows_are_wrong_without_a_race() -> None:
    program, given = gemm(Choice(1)), arrays(8, 8, 16)
    _, b, _ = held(program)
    for seed in (None, *SEEDS):
        s = simulate(holding(program, replace(b, offset=4)), given, seed=seed)
        assert s.sound and error(s, given) > 1


def test_times_by_hand() -> None:
    # Loads take 40 + 4 * 8 = 72, a product 4 + 8 * 8 = 68, clear 2, a store 72, a signal nothing.
    one = simulate(gemm(), arrays(8, 8, 8), trace=True)
    assert one.cycles == 144 + 68 + 72
    assert [(s.instruction, s.begin, s.end) for s in one.trace] == [
        ("clear", 0, 2), ("load", 0, 72), ("load", 72, 144), ("multiply", 144, 212), ("signal execute", 212, 212),
        ("store", 212, 284),
    ]  # fmt: skip
    assert {n: (e.cycles, e.uses) for n, e in one.engines.items()} == {
        "load": (144, 2),
        "execute": (70, 3),
        "store": (72, 1),
    }
    # Two steps: with two slots the product of the first hides behind the loads of the second.
    assert simulate(gemm(Choice(2)), arrays(8, 8, 16)).cycles == 4 * 72 + 68 + 72
    assert simulate(gemm(Choice(1)), arrays(8, 8, 16)).cycles == 2 * (2 * 72 + 68) + 72
    # Fewer rows: a load of 3 rows takes 52, and so does a store; the product is whole.
    assert simulate(gemm(), arrays(3, 8, 3)).cycles == 52 + 52 + 68 + 52


def test_double_buffering_takes_fewer_cycles() -> None:
    given = arrays(24, 24, 64)
    one, two, three = (simulate(gemm(Choice(n)), given) for n in (1, 2, 3))
    assert one.cycles is not None and two.cycles is not None and three.cycles is not None
    assert three.cycles <= two.cycles < 0.8 * one.cycles
    assert one.engines == two.engines  # the work is the same


def walked(program: Program, sizes: dict[str, int]) -> dict[str, list[tuple[str, tuple[int, ...], tuple[int, ...]]]]:
    """Engine -> (instruction, loop variables, amounts of its awaits) of its uses, by walking the loops."""
    queues: dict[str, list[tuple[str, tuple[int, ...], tuple[int, ...]]]] = {
        e.name: [] for e in program.machine.engines
    }
    begun: dict[int, int] = {}

    def walk(body: tuple[Node, ...], env: dict[str, int], loops: tuple[int, ...]) -> None:
        for node in body:
            if isinstance(node, Issued):
                amounts = tuple(int(evaluate(a, env)) for _, a in node.awaits)
                queues[node.instruction.engine].append((node.instruction.name, loops, amounts))
                continue
            for v in range(evaluate(node.count, env) if isinstance(node, Loop) else 0):
                number = begun.get(id(node), 0)
                begun[id(node)] = number + 1
                walk(node.body, {**env, node.var.name: v, node.number.name: number}, (*loops, v))

    walk(program.body, dict(sizes), ())
    return queues


def test_uses_are_those_of_a_walk_of_the_loops() -> None:
    from isamap_smt.simulator.sites import elaborate

    program = gemm()
    # A loop before and one behind, one of them empty, so that positions and numbers are told apart.
    *buffers, rows = program.body
    load = next(n for n in rows.body[0].body[1].body if isinstance(n, Issued))  # type: ignore[union-attr]
    x = sym("x")
    wait = Command(load.instruction, load.operands, (1, 1), awaits=(("executed", 10 * number_of(x) + x),))
    around = (*buffers, Serial(x, sym("I") - 9, (wait,)), rows, Serial(x, 3, (wait,)))
    for i, j, k in ((9, 17, 20), (11, 8, 9)):
        sizes = {"I": i, "J": j, "K": k}
        found = elaborate(replace(program, body=around), sizes)
        listed = {}
        for q in found.queues:
            pairs = [(found.sites[s], n) for s, n in zip(q.sites, q.iterations, strict=True)]
            listed[q.name] = [
                (s.use.instruction.name, tuple(s.at(n).values()), tuple(a[n] for _, a in s.awaits)) for s, n in pairs
            ]
        assert listed == walked(replace(program, body=around), sizes)


def typed() -> Program:
    """The product of 8-bit integers in 32 bits."""
    program = gemm()
    types = {"load": {"s": "i8", "m": "i8"}, "clear": {"acc": "i32"}, "multiply": {"acc": "i32", "a": "i8", "b": "i8"},
             "store": {"m": "i32", "acc": "i32"}}  # fmt: skip
    made = {
        i.name: replace(i, kernel=i.kernel.with_dtypes(types[i.name]), rounding="exact")
        for i in program.machine.instructions
    }
    machine = replace(program.machine, instructions=tuple(made.values()))
    kernel = program.kernel.with_dtypes({"A": "i8", "B": "i8", "C": "i32"})
    program = holding(program, *(replace(b, dtype=kernel.tensor(b.type.tensor).dtype) for b in held(program)))
    return edited(
        replace(program, machine=machine, kernel=kernel),
        lambda u: replace(u, instruction=made.get(u.instruction.name, u.instruction)),
    )


def test_integers() -> None:
    draw = np.random.default_rng(3)
    given = {"A": draw.integers(-128, 128, (19, 17), np.int8), "B": draw.integers(-128, 128, (19, 10), np.int8)}
    want = given["A"].astype(np.int32).T @ given["B"].astype(np.int32)
    for seed in SEEDS:
        assert (simulate(typed(), given, seed=seed).outputs["C"] == want).all()
    broken = edited(typed(), lambda u: replace(u, awaits=()))
    assert any((simulate(broken, given, seed=seed).outputs["C"] != want).any() for seed in SEEDS)


def test_a_place_beyond_is_said_and_nothing_crashes() -> None:
    program = gemm(Choice(2))
    a, b, _ = held(program)
    given = arrays(8, 8, 40)

    def said(changed: Program) -> list[str]:
        return [r.text for r in simulate(changed, given, seed=0).races if r.kind == "bounds"]

    assert said(holding(program, replace(b, offset=2036))) == [
        "load 1 (b, slot 1; i0=0 j0=0 k0=1) writes row 2048, column 0 of scratchpad, which has 2048 rows of 8",
        "multiply 1 (b, slot 1; i0=0 j0=0 k0=1) reads row 2048, column 0 of scratchpad, which has 2048 rows of 8",
    ]
    assert said(holding(program, replace(a, slots=1)))[0] == (
        "load 1 (a, slot 1; i0=0 j0=0 k0=1) writes slot 1 of a, which has 1 slots"
    )
    assert said(holding(program, replace(a, shape=(7, 8))))[0] == (
        "load 1 (a, slot 1; i0=0 j0=0 k0=1) writes row 7 of a slot of a, which has 7 rows"
    )
    whole = commanded(program, lambda u: replace(u, active=(8,) * len(u.active)))
    assert [r.text for r in simulate(whole, arrays(5, 8, 8), seed=0).races] == [
        "load 0 (A; i0=0 j0=0 k0=0) reads A[0, 5], which has shape [8, 5]",
        "store 0 (C; i0=0 j0=0) writes C[5, 0], which has shape [5, 8]",
    ]
    more = commanded(program, lambda u: replace(u, active=tuple(e + 1 for e in u.active)))
    assert "load 0 (rows; i0=0 j0=0 k0=0) has rows 9, which is not in 0..8" in said(more)


def test_misuse_says_what_is_wrong() -> None:
    program, given = gemm(), arrays(8, 8, 8)
    others = tuple(i for i in program.machine.instructions if i.engine != "load")
    none = replace(program.machine, name="none", engines=program.machine.engines[1:], instructions=others)
    with pytest.raises(UnknownNameError, match="load: no engine 'load'; known: execute, store"):
        simulate(replace(program, machine=none), given)
    with pytest.raises(
        LanguageError, match="nothing defines lost; the loops around it count i0, j0, k0, and sizes are I, J, K"
    ):
        simulate(with_slot(program, "load", "s", lambda slot: sym("lost")), given)
    with pytest.raises(LanguageError, match=r"a use of clear has no place for acc; add \('acc', Ref"):
        simulate(commanded(program, lambda u: replace(u, operands=u.operands[1:])), given)
    with pytest.raises(LanguageError, match=r"does not say how large rows is; give it active=\(8, 8\)"):
        simulate(commanded(program, lambda u: replace(u, active=())), given)
    with pytest.raises(UnknownNameError, match="clear: no tensor or buffer 'x'"):
        moved = commanded(
            program,
            lambda u: replace(
                u, operands=tuple((o, replace(p, name="x") if p.name == "acc" else p) for o, p in u.operands)
            ),
        )
        simulate(moved, given)
    with pytest.raises(DTypeError, match="A is f64, the kernel says f32"):
        simulate(program, {**given, "A": given["A"].astype(np.float64)})
    mixed = typed()
    with pytest.raises(DTypeError, match="operand m is i8, A is f32"):
        simulate(replace(mixed, kernel=program.kernel), given)


@pytest.mark.parametrize("divisor", [0, np.array([1, 0])])
def test_a_divisor_that_is_0_is_told(divisor: object) -> None:
    with pytest.raises(LanguageError, match=r"load: slot of a: n % s divides by 0"):
        column(FloorMod(sym("n"), sym("s")), {"n": np.array([3, 4]), "s": divisor}, 2, "load: slot of a")
