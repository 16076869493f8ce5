"""Weights from beyond the second cache: each use of a block brings a share of the next, all of it, and nothing else changes."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_encodings.schedule_cost import evaluate
from isamap_encodings.schedule_model import solve
from isamap_encodings.schedule_problem import ScheduleProblem
from isamap_smt.certificates import check_directory, save
from isamap_smt.codegen import lower
from isamap_smt.codegen.c_expr import row_major
from isamap_smt.ir.expr import evaluate as value
from isamap_smt.ir.expr import substitute
from isamap_smt.ir.hardware import LINE
from isamap_smt.ir.instruction import Cost
from isamap_smt.ir.program import Loop, Move, Program, Unrolled
from isamap_smt.ir.schedule import LoopStep, Schedule
from isamap_smt.ir.traversal import buffers, walk
from isamap_smt.mapping.moves import lane_symbols
from isamap_smt.pipeline.time_steps import over_time_steps
from isamap_smt.scheduling import schedule
from isamap_smt.scheduling.figures import Figures
from isamap_smt.scheduling.record import from_record, to_record

sys.path.insert(0, str(Path(__file__).parent))
from random_problems import random_problem

from tests.schedule.exhaustive import brute_force

pytestmark = pytest.mark.needs("avx2", "fma")
WEIGHTS = {"i": 32, "j": 3072, "k": 1024}
HELPS = tuple((memory, 4, 512, 0.8) for memory in ("L2", "L3", "DRAM"))
LINKS = (("L2", "L1", 32.0), ("L3", "L2", 4.0), ("DRAM", "L3", 4.0))
FIGURES = Figures("a test", LINKS, costs=(("avx2.fmadd_ps", Cost(4.0, 2.0)),), prefetching=HELPS)


def planned(sizes: dict[str, int] = WEIGHTS, ahead: tuple[Any, ...] = HELPS, **fix: object) -> Schedule:
    """B is constant. The mapping is proved once; what a calibration would have measured is given."""
    proved = im.plan(
        "gemm", "avx2", sizes={"i": 8, "j": 16, "k": 8}, instruction="fmadd_ps", strategy="exact"
    ).schedule.proved
    return schedule(
        proved, im.find_hardware("avx2"), sizes, fix=fix, constant=["B"], figures=replace(FIGURES, prefetching=ahead)
    )


def far(problem: ScheduleProblem) -> ScheduleProblem:
    """The problem with B far away, and all else near."""
    links = [tuple(1 if u == 0 or o.name != "B" else 6 * x for u, x in enumerate(o.link)) for o in problem.operands]
    return replace(problem, operands=tuple(replace(o, link=x) for o, x in zip(problem.operands, links, strict=True)))


def test_the_optimum_is_the_cheapest_choice_where_blocks_ahead_decide() -> None:
    """In five of these problems a block ahead decides, in two of the others one is allowed."""
    decided = 0
    for problem in (far(random_problem(seed, x86=True)) for seed in (1, 7, 8, 13, 15, 16, 17, 34, 35)):
        found = brute_force(problem)
        assert problem.levels > 1 and problem.overlap and found is not None
        answer = solve(problem, 20.0)
        assert answer.cost is not None and (answer.status, answer.cost.total) == ("OPTIMAL", found[0])
        plain = replace(problem, operands=tuple(replace(o, blockwise=0) for o in problem.operands))
        without = evaluate(plain, found[1])
        decided += without is not None and without.total > found[0]
    assert decided == 5


def test_a_block_is_asked_for_where_uses_of_one_hide_the_next() -> None:
    made = planned(**{"register.i": 6, "register.j": 16})
    chosen = made.stage("b")
    assert chosen.ahead and chosen.block is not None
    assert made.loops[chosen.block - 1].axis == "j" and "i" in {x.axis for x in made.loops[chosen.block :]}
    assert str(chosen).endswith(", and a block ahead")
    assert any("each use of a block of B in the second cache brings a share of the next" in n for n in made.notes)
    pins = {"register.i": 6, "register.j": 16, "prefetch.B": "no"}
    assert planned(**pins).stage("b").block is None
    assert planned(**pins).objective > made.objective
    assert planned(ahead=(), **{"register.i": 6, "register.j": 16}).stage("b").block is not None  # no calibration


def test_in_a_recurrence_a_block_is_the_one_that_was_chosen_for_a_time_step() -> None:
    kernel = im.kernel("axis k < J\nfor t:\n  R[t,b,j] += H[t,b,k] * U[k,j]\n  H[t+1,b,j] = relu(R[t,b,j])\n")
    proved = im.prove(im.fuse(kernel, im.find_instruction("avx2.fmadd_ps"), "l=j"))
    sizes, pins = {"B": 32, "J": 1024, "T": 1}, {"register.b": 6, "register.j": 16}
    one = schedule(proved, im.find_hardware("avx2"), sizes, fix=pins, constant=["U"], figures=FIGURES)
    all_of_them = over_time_steps(one, kernel.recurrences[0], tuple({**sizes, "T": 9}.items()), ["U"])
    loops = [x for x in one.loops if x.axis != "t"]
    block, shifted = one.stage("b").block, all_of_them.stage("b").block
    assert block is not None and shifted is not None
    inner = [x for x in one.loops[block:] if x.axis != "t"]
    assert all_of_them.loops == (LoopStep("t", 1), *loops) and list(all_of_them.loops[shifted:]) == inner


def test_weights_that_a_cache_keeps_are_not() -> None:
    assert planned({"i": 32, "j": 64, "k": 64}).stage("b").block is None


def in_blocks(sizes: dict[str, int], block: int, fix: dict[str, object]) -> Program:
    made = planned(sizes, **{"pack.B": "ahead", "prefetch.B": "no", **fix})
    packing = tuple(replace(p, block=block) if p.operand == "b" else p for p in made.stages)
    return lower(replace(made, stages=packing))


def asked(program: Program) -> list[tuple[int, int]]:
    """(byte of B_packed that is read, byte that is asked for), in the program's order."""
    found = []
    shape = buffers(program)["B_packed"].shape
    for node, around in walk(program.body):
        if not isinstance(node, Move) or node.memory is None or node.memory.name != "B_packed":
            continue
        loops = [x for x in around if isinstance(x, Loop)]
        zero = dict.fromkeys(map(str, lane_symbols(node.instruction)), 0)
        at = row_major(tuple(substitute(i, zero) for i in node.memory.index), shape)
        (prefetch,) = node.prefetch
        for env in iterations(loops):
            read = 4 * value(at, env)
            unrolled = 4 * value(at, {x.var.name: env[x.var.name] if isinstance(x, Unrolled) else 0 for x in loops})
            if unrolled % LINE == 0 and unrolled // LINE < prefetch.lines:
                found.append((read, read + value(prefetch.distance, env)))
    return found


def iterations(loops: list[Loop]) -> list[dict[str, int]]:
    """The variables of all iterations of the loops, one inside the other."""
    found: list[dict[str, int]] = [{}]
    for x in loops:
        found = [{**env, x.var.name: n} for env in found for n in range(value(x.count, env))]
    return found


@pytest.mark.parametrize(
    ("sizes", "fix", "block"),
    [
        ({"i": 24, "j": 128, "k": 20}, {"register.i": 6, "register.j": 16, "tile.j.L2": 32, "tile.k.L1": 20}, 2),
        ({"i": 10, "j": 128, "k": 24}, {"register.i": 2, "register.j": 32, "tile.j.L2": 32, "tile.k.L1": 24}, 3),
        ({"i": 12, "j": 96, "k": 32}, {"register.i": 3, "register.j": 32, "tile.j.L2": 32, "tile.k.L2": 8}, 2),
    ],
)
def test_all_of_the_next_block_is_asked_for_by_even_shares(
    sizes: dict[str, int], fix: dict[str, object], block: int
) -> None:
    program = in_blocks(sizes, block, fix)
    whole = 4 * sizes["j"] * sizes["k"]
    outer = [x for x in program.schedule.loops[:block] if x.axis != "i"]
    size = whole
    for x in outer:
        of = next((y.step for y in outer if y.axis == x.axis and y.step > x.step), sizes[x.axis])
        size = size * x.step // of
    lines: dict[int, set[int]] = {}
    for read, wanted in asked(program):
        lines.setdefault(read // size, set()).add(wanted // LINE)
    assert sorted(lines) == list(range(whole // size))
    for b, seen in lines.items():
        following = (b + 1) % (whole // size)
        of_it = range(following * size // LINE, (following + 1) * size // LINE)
        assert set(of_it) <= seen, f"block {following} is not brought"
        assert max(seen) < (following + 1) * size // LINE + len(of_it) // 8 + 2, "more is asked for than a block"


def test_the_result_is_the_same() -> None:
    sizes = {"i": 10, "j": 96, "k": 300}
    fix = {"register.i": 2, "register.j": 32, "tile.j.L2": 32, "tile.k.L1": 300}
    program = in_blocks(sizes, 3, fix)
    plain = lower(planned(sizes, **{"pack.B": "ahead", "prefetch.B": "no", **fix}))
    ahead, without = im.build(program), im.build(plain)
    assert ahead.source.count("__builtin_prefetch") == ahead.source.count(", 0, 2);") > 0
    assert "__builtin_prefetch" not in without.source
    numbers = np.random.default_rng(0)
    arrays = {"A": numbers.random((10, 300), np.float32), "B": numbers.random((300, 96), np.float32)}
    assert np.array_equal(ahead(**arrays), without(**arrays))


def test_records_and_certificates_keep_it(tmp_path: Path) -> None:
    made = planned(**{"register.i": 6, "register.j": 16})
    again = from_record(to_record(made), made.proved.mapping.kernel, im.find_hardware("avx2"), made.sizes)
    assert again is not None and again.stages == made.stages
    assert all("block" not in row for row in to_record(planned({"i": 32, "j": 64, "k": 64}))["packing"])
    folder = save(made.proved, tmp_path, schedule=made)
    assert "bytes ahead" in (folder / "program.txt").read_text()
    (checked,) = check_directory(tmp_path, jobs=1)
    assert checked.status == "ok", checked.told
