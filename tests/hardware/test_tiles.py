"""Registers with numbers: how groups lie in memory, in which order sums are taken, and that the emulation does the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import isamap_hardware
from isamap_smt.language.hardware_library import missing_features
from isamap_smt.runtime.conformance import check_hardware, check_instructions, computes
from isamap_smt.runtime.conformance.moves import active_points
from isamap_smt.runtime.conformance.rounding import right
from isamap_smt.runtime.conformance.spots import as_cells, as_memory
from isamap_smt.runtime.simde import find_simde

MACHINE = isamap_hardware.load("amx")


def test_groups_are_interleaved_in_memory() -> None:
    """Row r of memory holds, for each column, the four elements from 4*r on: as the product wants them."""
    move = MACHINE.instruction("load_groups_i8")
    cells = np.arange(64 * 16).reshape(64, 16)
    memory = as_memory(move, cells)
    assert memory.shape == (16, 16, 4)
    assert (memory[2, 5] == cells[8:12, 5]).all()
    assert (as_cells(move, memory) == cells).all()


def test_masks_are_tried_at_both_ends() -> None:
    tried = active_points(MACHINE.instruction("masked_store_i32"))
    assert {(0, 0), (16, 16), (1, 15), (15, 1)} <= set(tried)


def test_the_order_of_the_sums_is_seen() -> None:
    """1e30, then -1e30 and 1: the odd products are summed apart from the even ones, and the 1 is lost."""
    instruction = MACHINE.instruction("dpbf16ps")
    a, b = (np.zeros(shape, instruction.kernel.tensor("a").dtype.numpy) for shape in ((1, 16, 32), (1, 32, 16)))
    a[..., 0], a[..., 1], a[..., 3], b[:, :4] = 1e30, -1e30, 1, 1
    arrays = {"a": a, "b": b, "c": np.zeros((1, 16, 16), np.float32)}
    assert right(instruction, arrays, np.zeros((1, 16, 16), np.float32))[0].all()
    assert not right(instruction, arrays, np.ones((1, 16, 16), np.float32))[0].any()


def test_emulated_tiles_do_the_same() -> None:
    """Where SIMDe is installed, tiles are emulated in plain C: bit for bit what is described."""
    if find_simde() is None:
        pytest.skip("SIMDe (libsimde-dev) is not installed")
    shown = [i for i in MACHINE.instructions if i.kind != "configure"]
    found = check_instructions(shown, MACHINE, emulate=True)
    assert [str(c) for c in found if c.status != "right"] == []
    assert all(c.emulated for c in found)


@pytest.mark.parametrize("name", ["dpbf16ps", "dpbssd", "dpbsud", "dpbusd", "dpbuud"])
def test_the_emulation_leaves_the_bits_of_the_silicon(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which of several NaN stays, too: no description promises it."""
    chosen = MACHINE.instruction(name)
    if missing := missing_features([chosen]):
        pytest.skip(f"this CPU has no {', '.join(missing)}: nothing to compare the emulation with")
    if find_simde() is None:
        pytest.skip("SIMDe (libsimde-dev) is not installed")
    seen: list[np.ndarray] = []
    monkeypatch.setattr(computes, "right", lambda i, given, got: (seen.append(got.copy()), right(i, given, got))[1])
    for emulate in (False, True):
        (found,) = check_instructions([chosen], MACHINE, results=40_000, emulate=emulate)
        assert (found.status, bool(found.emulated)) == ("right", emulate), str(found)
    half = len(seen) // 2
    for silicon, emulated in zip(seen[:half], seen[half:], strict=True):
        assert (silicon.view(np.uint32) == emulated.view(np.uint32)).all()


def test_only_some() -> None:
    found = check_hardware(MACHINE, only=("zero_f32", "amx.store_f32"))
    assert [c.name for c in found.checked] == ["amx.zero_f32", "amx.store_f32"]
    assert "instructions that need it are run in it" in check_hardware(MACHINE, only="ldtilecfg").checked[0].reason


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("rows", "row", "first"),
    [(16, 64, ""), (15, 64, "r[15,0]"), (8, 64, "r[8,0]"), (16, 60, "r[0,15]"), (16, 32, "r[0,8]"), (1, 4, "r[0,1]")],
)
def test_what_enters_the_state_does_what_its_data_says(rows: int, row: int, first: str) -> None:
    """A tile is stored whole: the first cell that is not written is the first one outside of the rows and bytes configured."""
    emulate = bool(missing_features(MACHINE.instructions))
    if emulate and find_simde() is None:
        pytest.skip("this CPU has no tiles, and SIMDe (libsimde-dev) is not installed")
    shape = ("r < 8", "tilecfg[0] = 1", f"tilecfg[48 + r] = {rows}", f"tilecfg[16 + 2*r] = {row}")
    moves = tuple(replace(MACHINE.instruction(n), needs=shape) for n in ("load_i32", "zero_i32", "store_i32"))
    with_state = (*moves, *MACHINE.configuring("tilecfg"))
    *_, found = check_instructions(moves, replace(MACHINE, instructions=with_state), emulate=emulate)
    assert found.status == ("wrong" if first else "right")
    assert f"{first} is not stored" in str(found) if first else True
