"""Fused axes on engines: a tile is moved in runs of elements that lie evenly in memory."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise, product
from math import prod
from typing import Any

import pytest
import sympy as sp
from arrays import array
from judged import numbers_wrong
from random_epilogues import draw_epilogue, what_goes_wrong
from random_programs import FUSED, IN_RUNS, Drawn, draw, goes_wrong
from use_edits import at, held, holding, place, uses

import isamap_smt as im
from isamap_smt.codegen.staged import lower_stages
from isamap_smt.ir.errors import NotProvedError, ScheduleError
from isamap_smt.ir.program import Command, Issued, Program
from isamap_smt.mapping.runs import boxes, runs_of
from isamap_smt.pipeline.staged import stage
from isamap_smt.proof.program import prove_program
from isamap_smt.scheduling.arguments import pinned
from isamap_smt.scheduling.staged import schedule_stages
from tests.families import part

CONV = im.kernel(im.find_kernel("conv2d").text, name="conv2d", dtypes={"O": "i32", "I": "i8", "W": "i8"})


def layer(channels: int, out: int, image: int, window: int = 1, stride: int = 1, padded: bool = True) -> dict[str, int]:
    """Sizes of a convolution."""
    p, border = (image - 1) // stride + 1, window // 2 if padded else 0
    sizes = {"n": 1, "p": p, "q": p, "k": out, "c": channels, "r": window, "s": window, "sp": stride, "sq": stride}
    return sizes | {"dp": 1, "dq": 1, "pp": border, "pq": border}


# ---- Any legal plan is proved and right.


@cache
def drawn(seed: int) -> Drawn:
    return draw(seed, shapes=IN_RUNS, mapped=FUSED)


@pytest.mark.parametrize("seed", part(range(60), lambda s: s < 12))
def test_any_legal_plan_in_runs_is_proved_and_right(seed: int) -> None:
    d = drawn(seed)
    proof = prove_program(d.program)
    assert proof.proved, (d.words, [(str(c), c.statement) for c in proof.failed()])
    assert goes_wrong(d, d.program, seeds=2, plainly=1) == "", d.words


@pytest.mark.parametrize("seed", part(range(40), lambda s: s < 10))
def test_what_follows_sums_in_runs_is_proved_and_right(seed: int) -> None:
    d = draw_epilogue(seed, runs=True)
    proof = prove_program(d.program)
    assert proof.proved, (d.words, [(str(c), c.statement) for c in proof.failed()])
    assert what_goes_wrong(d, d.program, 1, plainly=1) == "", d.words


def test_the_plans_drawn_are_of_all_kinds() -> None:
    texts = [str(drawn(s).program) for s in range(24)] + [str(draw_epilogue(s, runs=True).program) for s in range(24)]
    several = [t for t in texts if "_run" in t]
    assert len(several) > 10 and len(texts) - len(several) > 10
    assert (
        sum(".row[" in t for t in texts) > 1
    )  # sums are stored from within a content; each run may begin one, too (below)


# ---- Programs that are wrong are refuted.


def in_runs(
    axes: str, sizes: dict[str, int], kernel: Any = CONV, machine: Any = None, pins: dict[str, int] | None = None
) -> tuple[Any, Program]:
    machine = machine or array(8, 8, 8)
    fixed = kernel.with_sizes(sizes)
    proved = im.prove(im.fuse(fixed, machine.instruction("matmul"), axes, "any"))
    assert isinstance(proved, im.ProvedMapping), proved
    schedule = schedule_stages([proved], machine, {}, pinned(pins), 10.0, lower_stages)
    return schedule, lower_stages(schedule, machine)


SIZES = layer(9, 17, 5, 3) | {"p": 6, "q": 3}


@cache
def sound() -> tuple[Any, Program]:
    return CONV.with_sizes(SIZES), in_runs("i=p%2.q,j=k,k=c", SIZES)[1]


def number_of(name: str) -> int:
    return next(n for n, u in enumerate(uses(sound()[1])) if u.instruction.name == name)


def moved(name: str, operand: str, more: Any, index: int = 0) -> Program:
    def change(u: Issued) -> Issued:
        (old,) = (p for o, p in u.operands if o == operand)
        return place(u, operand, index=tuple(e + more * (n == index) for n, e in enumerate(old.index)))

    return at(sound()[1], number_of(name), change)


def with_buffer(operand: str, **fields: Any) -> Program:
    program = sound()[1]
    (buffer,) = (b for b in held(program) if b.name == operand)
    return holding(program, replace(buffer, **fields))


def counted(more: int) -> Program:
    def change(u: Issued) -> Issued:
        assert isinstance(u, Command)
        return replace(u, active=(u.active[0] + more, *u.active[1:]))

    return at(sound()[1], number_of("load_a"), change)


MUTANTS = {
    "a run in the place of the next": lambda: moved("load_a", "s", 1),
    "sums read from the next run": lambda: moved("matmul", "a", 1),
    "a tile that begins in the one before": lambda: moved("matmul", "a", -1),
    "a row too far": lambda: moved("load_a", "m", 1, 2),
    "another row of the image": lambda: moved("load_a", "m", 1, 1),
    "rows of another run are stored": lambda: moved("store", "m", 1, 1),
    "one row more than a run has": lambda: counted(1),
    "one row less": lambda: counted(-1),
    "runs of another height": lambda: with_buffer("a", shape=(2, 8)),
    "fewer pieces than tiles have": lambda: with_buffer("a", slots=2),
}


def test_the_program_is_right_before_it_is_edited() -> None:
    kernel, program = sound()
    assert "_run" in str(program) and prove_program(program).proved and numbers_wrong(program, kernel) == ""


@pytest.mark.parametrize("name", MUTANTS)
def test_an_edit_is_refuted_and_goes_wrong(name: str) -> None:
    kernel, _ = sound()
    program = MUTANTS[name]()
    assert not prove_program(program).proved
    assert numbers_wrong(program, kernel) != ""


def test_a_tile_has_room_for_what_its_last_move_clears() -> None:
    """Two slots behind each other: the zeros behind the last run of one would lie in the other, which is in use."""
    pins = {"slots.a": 2, "stage.a": 2, "region.p_by2_out": 0, "region.r_out": 1, "region.s_out": 2, "region.k_tile": 2}
    _, program = in_runs("i=p%2.q,j=k,k=c", SIZES, pins=pins)
    kernel = CONV.with_sizes(SIZES)
    assert prove_program(program).proved and numbers_wrong(program, kernel) == ""
    tight = program
    for n, u in enumerate(uses(program)):
        for o, p in u.operands:
            if p.name == "a":
                index = sp.expand(p.index[0]).replace(lambda e: e == 8, lambda e: sp.Integer(6))
                tight = at(tight, n, lambda u, o=o, index=index: place(u, o, index=(index,)))
    assert str(tight) != str(program)
    assert not prove_program(tight).proved and numbers_wrong(tight, kernel) != ""


# ---- Which digits fill a tile.


@pytest.mark.parametrize(
    ("sides", "points"), [((7, 7), 32), ((14, 14), 32), ((20, 20), 32), ((10, 13), 16), ((3, 5, 7), 24)]
)
def test_boxes_are_the_best_for_each_number_of_runs(sides: tuple[int, ...], points: int) -> None:
    def tiles(box: tuple[int, ...]) -> int:
        return prod(-(-s // b) for s, b in zip(sides, box, strict=True))

    every = [b for b in product(*(range(1, s + 1) for s in sides)) if prod(b) <= points]
    found = boxes(sides, points)
    least = min(map(tiles, every))
    assert tiles(found[0]) == least
    assert prod(found[0][:-1]) == min(prod(b[:-1]) for b in every if tiles(b) == least)
    for before, b in pairwise(found):
        assert prod(b[:-1]) < prod(before[:-1]) and tiles(b) >= tiles(before)
        assert tiles(b) == min(tiles(o) for o in every if prod(o[:-1]) < prod(before[:-1]))


# ---- Layers of ResNet-50 on a 32x32 array.


def test_an_image_of_7x7_fills_the_array() -> None:
    """One point of the kernel's window: all pixels are one run. 298,081 cycles where only q was mapped."""
    plan = stage(CONV, array(), sizes=layer(512, 2048, 7))
    assert plan.proof.proved and plan.cycles < 111_000 and "i=p.q" in plan.schedule.proved.mapping.id


def test_a_window_with_a_border_takes_rows_of_the_image() -> None:
    """665,734 cycles where only q was mapped."""
    plan = stage(CONV, array(), sizes=layer(512, 512, 7, 3))
    assert plan.proof.proved and plan.cycles < 270_000 and "i=p%4.q," in plan.schedule.proved.mapping.id


def test_colours_and_columns_are_one_axis_where_no_border_cuts_them() -> None:
    """The first layer of three colours, of an image with its border in memory: 7 columns of 3 colours are 21 rows of weights."""
    sizes = layer(3, 32, 56, 7, 2, padded=False)
    plan, before = (stage(CONV, array(), sizes=sizes | {"c": c}) for c in (3, 32))
    assert plan.proof.proved and "k=s.c" in plan.schedule.proved.mapping.id and plan.cycles < before.cycles / 3


def test_sums_that_begin_at_a_bias_do_so_in_runs() -> None:
    kernel = im.kernel(
        "temporary T\nT[p,q,j] += i32(X[p,2*q,k]) * i32(W[k,j])\nY[q,p,j] = T[p,q,j] + b[j]",
        dtypes={"T": "i32", "X": "i8", "W": "i8", "b": "i32", "Y": "i32"}, name="biased",
    )  # fmt: skip
    sizes = {"p": 6, "q": 3, "j": 17, "k": 20}
    _, program = in_runs("i=p%2.q,j=j,k=k", sizes, kernel)
    assert "_run_begin_" in str(program)
    assert prove_program(program).proved and numbers_wrong(program, kernel.with_sizes(sizes)) == ""


def test_a_pass_of_fewer_rows_is_shorter() -> None:
    """An instruction that computes, with a number of active points: 49 pixels are 32 and 17 rows."""
    plain = array(8, 8, 32)
    short = replace(
        plain, instructions=tuple(replace(i, active=(("i", "passed"),)) if i.short == "matmul" else i for i in plain.instructions),
    )  # fmt: skip
    sizes = layer(64, 64, 7)
    before, after = (stage(CONV, m, sizes=sizes, axes="i=p.q,j=k,k=c") for m in (plain, short))
    assert after.proof.proved and after.cycles < before.cycles and "passed=max(0, min(32, 49" in str(after.program)
    assert after.schedule.bound <= after.cycles
    kernel = CONV.with_sizes(layer(9, 17, 5, 3) | {"p": 6, "q": 3})
    machine = replace(
        array(8, 8, 8), instructions=tuple(
            replace(i, active=(("i", "passed"), ("k", "taken"))) if i.short == "matmul" else i for i in array(8, 8, 8).instructions
        ),
    )  # fmt: skip
    _, program = in_runs("i=p%2.q,j=k,k=c", SIZES, machine=machine)
    assert prove_program(program).proved and numbers_wrong(program, kernel) == ""
    number = next(n for n, u in enumerate(uses(program)) if u.instruction.name == "matmul")

    def fewer(u: Issued) -> Issued:
        assert isinstance(u, Command)
        return replace(u, active=(u.active[0] - 1, *u.active[1:]))

    assert not prove_program(at(program, number, fewer)).proved and numbers_wrong(at(program, number, fewer), kernel)


# ---- What is refused.


def test_what_lies_unevenly_is_named() -> None:
    sizes = layer(9, 9, 7, 3)
    with pytest.raises(ScheduleError, match=r"elements lie in runs of q: a tile of 8 points .* take a digit of p"):
        in_runs("i=p.q,j=k,k=c", sizes)
    with pytest.raises(ScheduleError, match=r"s\.c are one axis of the instruction, and elements of I lie unevenly"):
        in_runs("i=q,j=k,k=s.c", layer(3, 9, 7, 2) | {"s": 2, "dq": 2})
    with pytest.raises(ScheduleError, match="take a digit of"):
        in_runs("i=p.q,j=k,k=c", {n: v for n, v in sizes.items() if n != "q"})


def test_a_mapping_is_pinned_by_its_axes() -> None:
    pinned_plan = stage(CONV, array(8, 8, 8), sizes=SIZES, axes="i=p%2.q,j=k,k=c")
    assert pinned_plan.schedule.proved.mapping.id.startswith("i=p%2.q,j=k,k=c") and pinned_plan.proof.proved
    assert im.plan(CONV, array(8, 8, 8), sizes=SIZES, axes={"i": ["q"], "j": ["k"], "k": ["c"]}).cycles
    with pytest.raises(NotProvedError, match=r"axes: conv2d with i=p\.c,j=k,k=q is no legal mapping"):
        stage(CONV, array(8, 8, 8), sizes=SIZES, axes="i=p.c,j=k,k=q")
    with pytest.raises(ScheduleError, match="avx2 has no engines"):
        im.plan("gemm", "avx2", axes="i=i")


def test_runs_are_counted() -> None:
    kernel, machine = CONV.with_sizes(SIZES), array(8, 8, 8)
    mapping = im.fuse(kernel, machine.instruction("matmul"), "i=p%2.q,j=k,k=c", "any")
    found = runs_of(mapping, "a", "i")
    assert (found.count, found.points, found.rows(8)) == (2, 3, 6)
    assert found.spare(8) == 2  # pieces of 3 rows: the last move may write 8
    assert runs_of(mapping, "w", "k") == replace(found, view=mapping, count=1, points=0, number="")
