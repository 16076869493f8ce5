"""Races by vector clocks are those that all orders show: random programs of a few uses, every order tried."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.expr import sym
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import signal
from isamap_smt.ir.program import Alloc, Buffer, Command, IndexType, Issued, Program, Ref, Signal
from isamap_smt.simulator import simulate
from tests.families import part

ROWS = 4
NAMES = ("p", "q", "r")
KERNEL = im.kernel("T[u,v] += A[u,v]", name="toy")


X, Y = sym("x"), sym("y")
PLACES = {"s": "cells[x,y]", "m": "memory"}


def made(name: str, text: str, engine: str, beyond: str = "kept") -> im.Instruction:
    places = {n: p for n, p in PLACES.items() if f"{n}[" in text}
    return im.instruction(
        f"{name}_{engine}", text, axes={"x": ROWS, "y": 1}, dtypes=dict.fromkeys(places, "f32"), places=places, engine=engine,
        active={"x": "rows"}, beyond=beyond,
    )  # fmt: skip


@cache
def machine(engines: int) -> Hardware:
    """Each engine clears rows, adds them to a tensor, or fills them from one; fill also clears what is beyond."""
    found = []
    for e in NAMES[:engines]:
        found += [
            made("clear", "s[x,y] = 0", e),
            made("add", "m[x,y] += s[x,y]", e),
            made("fill", "s[x,y] = m[x,y]", e, "zero"),
        ]
    cells = im.Memory("cells", 2 * ROWS * 4, row=4)
    return Hardware("toy", (cells,), instructions=tuple(found), engines=tuple(map(im.Engine, NAMES[:engines])))


def program(uses: tuple[Issued, ...], engines: int) -> Program:
    """Uses in order, over a buffer of two slots and the output T of T[u,v] += A[u,v]."""
    held = IndexType("T", (sym("row"), sym("column")), (), "0")
    cells = (sym("row"), sym("column"))
    buffer = Buffer("b", KERNEL.tensor("T").dtype, cells, (ROWS, 1), held, "cells", slots=2)
    return Program(None, KERNEL, (), (Alloc(buffer), *uses), machine=machine(engines))


def use(engines: int, name: str, rows: int = ROWS, slot: int = 0, **more: object) -> Issued:
    what, engine = name.split()
    if what == "none":
        return replace(Signal(signal(engine)), **more)
    instruction = machine(engines).instruction(f"{what}_{engine}")
    instruction = replace(instruction, name=name.replace(" ", "_"))
    places = {"s": Ref("b", (slot,)), "m": Ref("T", (X + ROWS * slot, Y))}
    chosen = tuple((o.name, places[o.name]) for o in instruction.operands)
    return replace(Command(instruction, chosen, (rows,)), **more)


def drawn(seed: int) -> tuple[tuple[Issued, ...], int]:
    """A few uses of two or three engines with random awaits and signals. Several engines may signal one counter."""
    draw = random.Random(seed)
    engines = draw.choice((2, 2, 3))
    uses = []
    for _ in range(draw.randint(3, 7)):
        name = f"{draw.choice(('clear', 'add', 'fill', 'none'))} {draw.choice(NAMES[:engines])}"
        awaits = tuple((draw.choice("cd"), draw.randint(0, 2)) for _ in range(draw.choice((0, 0, 1, 2))))
        signals = tuple(draw.sample("cd", draw.choice((0, 1, 1, 2))))
        uses.append(use(engines, name, draw.randint(1, ROWS), draw.randint(0, 1), awaits=awaits, signals=signals))
    return tuple(uses), engines


def orders(uses: tuple[Issued, ...]) -> Iterator[tuple[int, ...]]:
    """Every order in which the uses can be carried out, until nothing can go on."""

    def go(done: tuple[int, ...], counts: dict[str, int]) -> Iterator[tuple[int, ...]]:
        firsts = {uses[n].instruction.engine: n for n in reversed(range(len(uses))) if n not in done}
        can = [n for n in firsts.values() if all(counts.get(c, 0) >= a for c, a in uses[n].awaits)]
        if not can:
            yield done
        for n in can:
            more = dict(counts)
            for c in uses[n].signals:
                more[c] = more.get(c, 0) + 1
            yield from go((*done, n), more)

    yield from go((), {})


def touched(u: Issued) -> dict[tuple[str, int], bool]:
    """Cell -> whether it is written, said once more by hand."""
    if not u.operands:
        return {}
    rows = int(u.parameters["rows"])
    slot = int(dict(u.operands)["s"].index[0])
    kind = u.instruction.name.split("_")[0]
    cells = {("b", ROWS * slot + n): kind != "add" for n in range(ROWS if kind == "fill" else rows)}
    if kind != "clear":
        cells |= {("T", ROWS * slot + n): kind == "add" for n in range(rows)}
    return cells


def expected(uses: tuple[Issued, ...]) -> tuple[set[frozenset[int]], bool]:
    """Pairs of uses in conflict that are seen in both orders; whether some use is left over."""
    seen: set[tuple[int, int]] = set()
    stuck = False
    for order in orders(uses):
        seen |= set(combinations(order, 2))
        stuck = len(order) < len(uses)
    cells = [touched(u) for u in uses]
    conflict = {
        frozenset((a, b))
        for a, b in combinations(range(len(uses)), 2)
        if any(cells[a][c] or cells[b][c] for c in cells[a].keys() & cells[b].keys())
    }
    return {p for p in conflict if {(min(p), max(p)), (max(p), min(p))} <= seen}, stuck


@pytest.mark.one_in(3)
@pytest.mark.parametrize("start", part(range(0, 600, 100), lambda n: n < 300))
def test_races_are_those_that_all_orders_show(start: int) -> None:
    given = {"A": np.zeros((2 * ROWS, 1), np.float32)}
    racing = sound = deadlocked = 0
    for seed in range(start, start + 100):
        uses, engines = drawn(seed)
        named = tuple(
            u if isinstance(u, Signal) else replace(u, instruction=replace(u.instruction, name=f"use_{n}"))
            for n, u in enumerate(uses)
        )
        want, stuck = expected(uses)
        for order in (None, seed, seed + 1):
            s = simulate(program(named, engines), given, seed=order)
            found = {frozenset(int(t.instruction.split("_")[1]) for t in r.uses) for r in s.races}
            assert (found, s.deadlock is not None) == (want, stuck), (seed, order)
        racing, sound, deadlocked = racing + bool(want), sound + (not want), deadlocked + stuck
    assert min(racing, sound, deadlocked) >= 10


def test_any_signal_of_a_counter_that_two_engines_make_will_do() -> None:
    """r waits for one signal of p or q: neither is complete for sure. For two: both are. For one, where q waits for p: p is."""
    given = {"A": np.zeros((2 * ROWS, 1), np.float32)}

    def races(amount: int, chained: bool) -> set[tuple[str, str]]:
        first = use(3, "clear p", signals=("c", "d"))
        second = use(3, "fill q", slot=1, signals=("c",), awaits=(("d", 1),) if chained else ())
        third = use(3, "add r", awaits=(("c", amount),)), use(3, "add r", slot=1)
        s = simulate(program((first, second, *third), 3), given, seed=1)
        assert s.deadlock is None
        return {
            (r.uses[0].instruction, r.text.split(" overwrites ")[0].split(" reads ")[0].split()[0]) for r in s.races
        }

    assert races(1, False) == {("clear_p", "add_r"), ("fill_q", "add_r")}
    assert races(2, False) == set()
    assert races(1, True) == {("fill_q", "add_r")}


def test_only_cells_that_are_touched_race() -> None:
    given = {"A": np.zeros((2 * ROWS, 1), np.float32)}

    def cells(first: Issued, second: Issued) -> list[str]:
        return [r.text for r in simulate(program((first, second), 2), given, seed=0).races]

    # `fill` clears the rows beyond, `clear` keeps them.
    low, all_rows = use(2, "clear p", 2), use(2, "fill p", 2)
    aside = tuple((o, Ref("A", p.index) if o == "m" else p) for o, p in all_rows.operands)
    all_rows = replace(all_rows, operands=aside)
    add = use(2, "add q", 4)
    high = replace(add, operands=tuple((o, replace(p, index=(0,)) if o == "s" else p) for o, p in add.operands))
    assert cells(low, high) == [
        "add_q 0 (b, slot 0) reads rows 0..1 of cells before clear_p 0 (b, slot 0) has written them: no counter orders the two"
    ]
    assert cells(all_rows, high) == [
        "add_q 0 (b, slot 0) reads rows 0..3 of cells before fill_p 0 (b, slot 0) has written them: no counter orders the two"
    ]
    assert cells(low, use(2, "clear q", 4, slot=1)) == []
    assert cells(use(2, "add p", 1), use(2, "fill q", 1, slot=0))[0].startswith(
        "fill_q 0 (T) reads T[0, 0] before add_p 0 (T) has written them"
    )


def test_rows_beyond_are_cleared_and_outputs_that_are_read_begin_at_zero() -> None:
    given = {"A": np.arange(1, 2 * ROWS + 1, dtype=np.float32).reshape(-1, 1)}
    fill = use(2, "fill p", 2)
    fill = replace(
        fill, operands=tuple((o, Ref("A", p.index) if o == "m" else p) for o, p in fill.operands), signals=("c",)
    )
    s = simulate(program((fill, use(2, "add q", awaits=(("c", 1),))), 2), given, seed=0)
    assert s.sound and s.outputs["T"].ravel().tolist() == [1, 2, 0, 0, 0, 0, 0, 0]
    # Nothing was put into slot 1: it is poison.
    s = simulate(program((use(2, "add q", 3, slot=1),), 2), given, seed=0)
    assert s.sound and np.isnan(s.outputs["T"].ravel()).tolist() == [False] * 4 + [True] * 3 + [False]


def test_an_output_that_nothing_touches_is_poison() -> None:
    found = simulate(program((use(2, "clear p"),), 2), {"A": np.zeros((3, 2), np.float32)}, seed=0).outputs["T"]
    assert found.shape == (3, 2) and found.dtype == np.float32 and np.isnan(found).all()
