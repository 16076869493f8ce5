"""What no schedule undercuts: below every choice of random problems and every schedule of a mapping, and no block is lost by it."""

from __future__ import annotations

import sys
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

import isamap_smt as im
from isamap_encodings.schedule_cost import evaluate, floor, least
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Kernel
from isamap_smt.mapping.fuse import takes
from isamap_smt.mapping.selection import selected_instruction
from isamap_smt.pipeline import fusion, implementations, split
from isamap_smt.scheduling import problem as problems
from isamap_smt.scheduling.setting import machine, setting

sys.path.insert(0, str(Path(__file__).parent))
from random_problems import random_problem

from tests.schedule.exhaustive import every_choice

SOFTMAX = "examples/norms.py:SOFTMAX"


def _costs(seed: int) -> tuple[int, list[int]]:
    """The floor of a random problem, and the costs on one thread of some of its choices."""
    p = random_problem(seed)
    choices = list(islice(every_choice(p), 0, 200_000, 97))
    some = Random(seed).sample(choices, min(len(choices), 400))
    found = [cost.alone for c in some if (cost := evaluate(p, c)) is not None]
    if not p.overlap:
        return 0, found
    return floor(p.axes, p.operands, p.registers, p.core), found


def test_no_choice_costs_less_and_it_is_no_empty_bound() -> None:
    near = []
    for seed in range(24):
        low, found = _costs(seed)
        assert all(low <= cost for cost in found), seed
        near += [low / min(found)] if found and low else []
    assert len(near) > 5 and max(near) > 0.5


def test_threads_and_energy_are_left_to_the_search() -> None:
    kinds = {(p.overlap, bool(p.parallelizable)): least(p) for p in map(random_problem, range(24))}
    assert all((low > 0) == (kind == (True, False)) for kind, low in kinds.items())


@pytest.mark.parametrize(
    ("kernel", "sizes", "axis"),
    [
        ("gemm", {"i": 8, "j": 64, "k": 96}, "i"),
        ("gemm", {"i": 12, "j": 40, "k": 300}, "i"),
        ("conv2d", {"n": 1, "p": 6, "q": 10, "k": 32, "c": 16, "r": 3, "s": 3}, "p"),
    ],
)
def test_no_schedule_costs_less_with_tiles_pinned_or_not(kernel: str, sizes: dict[str, int], axis: str) -> None:
    hardware, asked = im.find_hardware("avx2"), im.find_kernel(kernel)
    instruction = hardware.instruction("avx2.fmadd_ps")
    proved = im.find_mappings(asked, instruction).legal[0]
    here = machine(hardware, instruction)
    s = setting(proved, hardware, sizes, (), 1)
    low = problems.least(s, here, axis)
    extent = next(a.extent for a in s.axes if a.name == axis)
    for pins in ({}, *({f"register.{axis}": n} for n in range(1, 7) if extent % n == 0)):
        try:
            made = im.schedule(proved, hardware, sizes, fix=pins)
        except im.ScheduleError:
            continue
        assert made.objective is not None and low <= made.objective, pins


def test_the_blocks_are_those_of_all_schedules_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever stands for blocks before they are scheduled: their floor, nothing, or the price itself."""
    seen: list[tuple[int, tuple[Any, ...]]] = []

    def compared(*given: Any) -> Any:
        *before, solve, low, pinned = given
        found: list[Any] = []
        for floor_of in (fusion._floor, lambda b, choice: 0.0, lambda b, choice: fusion._fused(b, choice).predicted):
            asked = []

            def counted(*a: Any, asked: list[Any] = asked) -> Any:
                asked.append(a[1])
                return solve(*a)

            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(fusion, "_floor", floor_of)
                found.append(real(*before, counted, low, pinned))
            seen.append((len(asked), found[-1][1]))
        assert found[0] == found[1] == found[2]
        return found[0]

    real = fusion.fused
    monkeypatch.setattr(implementations, "fused", compared)
    im.plan(im.find_kernel(SOFTMAX), "avx512", sizes={"i": 256, "n": 1024})
    (few, blocks), _, (every, _) = seen
    assert blocks and few < every


@pytest.mark.parametrize("machine_name", ["avx2", "avx512", "neon"])
@pytest.mark.parametrize(
    "text", ["S[i] += A[i,k]", "S[i] max= A[i,k]", "C[i,j] += A[i,k] * B[k,j]", "S[i] += A[i,k] * B[k] * D[i]"]
)
def test_lanes_of_sums_are_those_of_every_instruction(text: str, machine_name: str) -> None:
    kernel, hardware = im.kernel(text), im.find_hardware(machine_name)

    def naive(kernel: Kernel, hardware: Hardware) -> tuple[Any, ...]:
        offered = [i for i in hardware.computes if hardware.offers(i) and takes(kernel, i, 0)]
        every = (*offered, selected_instruction(hardware, kernel, 0))
        return tuple(dict.fromkeys(x for i in every if i is not None and (x := split._shape(i)) is not None))

    for dtypes in (
        {},
        dict.fromkeys((t.name for t in kernel.tensors), "i32"),
        dict.fromkeys((t.name for t in kernel.tensors), "f64"),
    ):
        asked = kernel.with_dtypes(dtypes) if dtypes else kernel
        assert split._shapes(asked, hardware, 0) == naive(asked, hardware)
