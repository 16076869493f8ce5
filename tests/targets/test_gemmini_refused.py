"""What the model of Gemmini refuses, one instruction or order of instructions each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from isamap_smt.targets.gemmini import RefusedError, build_model
from tests.targets.gemmini_words import ACC, ADD, BASE, FULL, NOWHERE, OS, WS, Machine, float_bits, small, wide


@pytest.fixture
def machine() -> Machine:
    return Machine(build_model())


Program = Callable[[Machine], None]


def ready(machine: Machine, dataflow: int = WS) -> None:
    """Tiles 0 and 16 of the scratchpad and tile 0 of the accumulator are written; all is configured."""
    machine.load(small(17, 16, 16), 0)
    machine.load(small(18, 16, 16), 16)
    machine.load(wide(19, 16, 16), ACC)
    machine.config_st(64)
    machine.config_ex(dataflow)


def pair(machine: Machine, held: int = 16, c: int = ACC, a: int = 0, bd: int = NOWHERE, **how: bool) -> None:
    machine.preload(held, c)
    machine.compute(a, bd, **how)


REFUSED: dict[str, tuple[str, Program]] = {
    "mvin without config": ("CONFIG, mvin2: config_ld was never", lambda m: m.mvin(BASE, 0, 1, 1, which=1)),
    "mvout without config": ("CONFIG, mvout: config_st was never", lambda m: Machine.mvout(m, BASE, 0, 1, 1)),
    "rows": ("SHAPE, mvin: the block has 17 rows", lambda m: m.mvin(BASE, 0, 17, 1)),
    "no rows": ("SHAPE, mvin: the block has 0 rows", lambda m: m.mvin(BASE, 0, 0, 1)),
    "columns": ("SHAPE, mvin: the block has 65 columns", lambda m: m.mvin(BASE, 0, 1, 65)),
    "columns of i32": ("SHAPE, mvin: the block has 17 columns", lambda m: m.mvin(BASE, ACC, 1, 17)),
    "columns of full rows": ("SHAPE, mvout: the block has 17 columns", lambda m: m.mvout(BASE, ACC | FULL, 1, 17)),
    "scratchpad's end": ("ADDRESS, mvin: the scratchpad has no row 16384", lambda m: m.mvin(BASE, 16383, 2, 1)),
    "accumulator's end": ("ADDRESS, mvin: the accumulator has no row 1024", lambda m: m.mvin(BASE, ACC | 1023, 2, 1)),
    "last block": ("ADDRESS, mvin: the scratchpad has no row 16384", lambda m: m.mvin(BASE, 16336, 1, 64)),
    "no address": ("ADDRESS, mvin: the destination needs an address", lambda m: m.mvin(BASE, NOWHERE, 1, 1)),
    "bit 30": ("ADDRESS, mvin: the destination is in the scratchpad", lambda m: m.mvin(BASE, ADD, 1, 1)),
    "normalisation": ("NOT_COVERED, mvout: the source asks for norm", lambda m: m.mvout(BASE, ACC | 1 << 26, 1, 1)),
    "block stride": ("CONFIG, mvin: blocks lie 3 rows apart and have 4",
        lambda m: (m.config_ld(16, blocks=3), m.mvin(BASE, 0, 4, 16))),
    "memory": ("MEMORY, mvin: no main memory for the 16 bytes", lambda m: m.mvin(BASE + 65536 - 8, 0, 1, 16)),
    "memory of mvout": ("MEMORY, mvout: no main memory for the 16 bytes", lambda m: m.mvout(BASE + 65536 - 8, 0, 1, 16)),
    "unwritten": ("UNWRITTEN, mvout: row 40, column 0 of the scratchpad", lambda m: m.mvout(BASE, 40, 1, 1)),
    "unwritten accumulator": ("UNWRITTEN, mvout: row 16, column 0 of the acc", lambda m: m.mvout(BASE, ACC | 1, 16, 1)),
    "unwritten sums": ("UNWRITTEN, mvin: row 50, column 0 of the acc", lambda m: m.mvin(BASE, ACC | ADD | 50, 1, 1)),
    "unwritten A": ("UNWRITTEN, compute_preloaded: row 32, column 0", lambda m: pair(m, a=17)),
    "unwritten B": ("UNWRITTEN, compute_preloaded: row 32, column 0", lambda m: pair(m, held=20)),
    "NaN": ("SCALE, mvin: the scale is no finite number", lambda m: (m.config_ld(16, scale=np.nan), m.mvin(BASE, 0, 1, 1))),
    "scale of zero": ("SCALE, mvin: the scale is 0", lambda m: (m.config_ld(16, scale=0.0), m.mvin(BASE, 0, 1, 1))),
    "infinity": ("SCALE, mvout: the scale is no finite", lambda m: (m.config_st(16, np.inf), m.mvout(BASE, ACC, 1, 1))),
    "huge": ("SCALE, mvout: .* times the scale is 2.63", lambda m: (m.config_st(16, 1e38), m.mvout(BASE, ACC, 1, 1))),
    "negative with ReLU": ("SCALE, mvout: the scale is negative",
        lambda m: (m.config_st(16, -1, relu=1), m.mvout(BASE, ACC, 1, 1))),
    "pixels": ("NOT_COVERED, config_ld: pixels are repeated 2", lambda m: m.config_ld(16, repeats=2)),
    "fourth mvin": ("CONFIG, config_ld: it is for mvin number 3", lambda m: m.config_ld(16, which=3)),
    "pooling": ("NOT_COVERED, config_st: pooling", lambda m: m.model.execute(0, 2 | 1 << 4, 16)),
    "other activation": ("NOT_COVERED, config_st: activation 2", lambda m: m.model.execute(0, 2 | 2 << 2, 16)),
    "activation of results": ("NOT_COVERED, config_ex: activation 3",
        lambda m: m.model.execute(0, 3 << 3 | 1 << 16, 1 << 48)),
    "normal": ("NOT_COVERED, config: the normalisation", lambda m: m.model.execute(0, 3, 0)),
    "A stride": ("CONFIG, config_ex: the row strides of A and C are 2 and 1", lambda m: m.config_ex(WS, a_stride=2)),
    "C stride": ("CONFIG, config_ex: the row strides of A and C are 1 and 0", lambda m: m.config_ex(WS, c_stride=0)),
    "shift": ("CONFIG, config_ex: the shift is 32", lambda m: m.config_ex(OS, shift=32)),
    "both of WS": ("CONFIG, config_ex: weight-stationary transposes A or B", lambda m: m.config_ex(WS, at=1, bt=1)),
    "B of OS": ("CONFIG, config_ex: output-stationary transposes B only", lambda m: m.config_ex(OS, bt=1)),
    "preload twice": ("ORDER, preload: the preload before it", lambda m: (m.preload(0, ACC), m.preload(0, ACC))),
    "compute alone": ("ORDER, compute_preloaded: no preload", lambda m: m.compute(0, NOWHERE)),
    "config between": ("ORDER, config_ex: it stands between", lambda m: (m.preload(0, ACC), m.config_ex(WS))),
    "nothing kept": ("ORDER, compute_accumulated: it keeps", lambda m: pair(m, held=NOWHERE, fresh=False)),
    "kept of the other kind": ("ORDER, compute_accumulated: it keeps",
        lambda m: (pair(m), m.config_ex(OS), pair(m, held=NOWHERE, fresh=False))),
    "other data": ("ORDER, compute_accumulated: .* its preload names", lambda m: (pair(m), pair(m, fresh=False))),
    "stored sums": ("ORDER, compute_accumulated: .* were stored",
        lambda m: (m.config_ex(OS), pair(m, bd=16), pair(m, held=NOWHERE, bd=16, fresh=False))),
    "shift into the accumulator": ("CONFIG, preload: sums are shifted by 3",
        lambda m: (m.config_ex(OS, shift=3), pair(m, bd=16))),
    "no A": ("ADDRESS, compute_preloaded: A has the address of no row", lambda m: pair(m, a=NOWHERE)),
    "A in the accumulator": ("ADDRESS, compute_preloaded: A is in the acc", lambda m: pair(m, a=ACC)),
    "B in the accumulator": ("ADDRESS, preload: B is in the accumulator", lambda m: pair(m, held=ACC)),
    "C's columns": ("SHAPE, preload: C has 17 columns", lambda m: m.preload(0, ACC, c_shape=(16, 17))),
    "more rows than A": ("SHAPE, compute_preloaded: C has 16 rows, and A",
        lambda m: (m.preload(0, ACC), m.compute(0, NOWHERE, (3, 16)))),
    "C's end": ("ADDRESS, compute_preloaded: the accumulator has no row 1024", lambda m: pair(m, c=ACC | 1009)),
    "loop": ("NOT_COVERED, loop_ws: function code 8", lambda m: m.model.execute(8, 0, 0)),
    "unknown": ("NOT_COVERED, unknown: function code 127", lambda m: m.model.execute(127, 0, 0)),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_sources_do_not_agree_on_is_refused(machine: Machine, name: str) -> None:
    said, program = REFUSED[name]
    kind, rest = said.split(", ", maxsplit=1)
    if "without config" not in name:
        ready(machine)
    with pytest.raises(RefusedError, match=rf"^instruction \d+, {rest}") as caught:
        program(machine)
    assert caught.value.why.name == kind


def test_execute_needs_its_configuration(machine: Machine) -> None:
    machine.load(small(20, 16, 16), 0)
    with pytest.raises(RefusedError, match="preload: config_ex was never"):
        machine.preload(0, ACC)
    with pytest.raises(RefusedError, match="config_ex: it sets the strides alone"):
        machine.model.execute(0, 1 << 7 | 1 << 16 | float_bits(1) << 32, 1 << 48)
    machine.model.execute(7, 0, 0)  # flush
