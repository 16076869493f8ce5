"""Random programs on the model of Gemmini and on an oracle: the same memory, and the same refusals. Wrong models are noticed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isamap_smt.targets.gemmini import RefusedError, build_model
from isamap_smt.targets.gemmini.sources import model_source
from tests.quick import quick
from tests.targets.gemmini_oracle import Oracle, Violation
from tests.targets.gemmini_words import ACC, ADD, BASE, FULL, NOWHERE, OS, WS, Machine

PROGRAMS = 200
SIZE = 1 << 16  # bytes of memory; the upper half is written
SPAD, ACCUMULATOR = (0, 8, 16, 32, 48), (0, 8, 16)  # from here tiles are written at the start
ELSEWHERE = {SPAD: (40, 80, 16300, 16365), ACCUMULATOR: (30, 60, 1000, 1007)}
Step = tuple[str, dict[str, Any]]


def program(draw: random.Random) -> Iterator[Step]:
    """Configuration, tiles that fill rows 0..63 and accumulator rows 0..31, and 4 to 12 random steps."""
    dataflow = draw.choice((WS, OS))
    yield from configure(draw, dataflow)
    if draw.random() < 0.95:
        yield "config_ld", dict(stride=80, scale=1.0, which=0, shrunk=0, blocks=16)
        yield "mvin", dict(address=BASE + draw.randrange(64), local=0, rows=16, columns=64, which=0)
        for first in (0, 16):
            yield "mvin", dict(address=BASE + draw.randrange(64), local=ACC | first, rows=16, columns=16, which=0)
    yield from configure(draw, dataflow)
    fresh = True
    for _ in range(draw.randint(4, 12)):
        kind = draw.choice(("mvin", "mvout", "pair", "pair"))
        if kind == "pair":
            stored = draw.random() < 0.6
            yield from pair(draw, fresh, stored)
            fresh = (dataflow == OS and stored) or draw.random() < 0.5
        else:
            yield from move(draw, kind)


def configure(draw: random.Random, dataflow: int) -> Iterator[Step]:
    """All of it. The shift is 0 wherever results may go to the accumulator."""
    at, bt = draw.choice(((0, 0), (1, 0), (0, 1)) if dataflow == WS else ((0, 0), (1, 0), (1, 1)))
    yield "config_ex", dict(dataflow=dataflow, relu=draw.randrange(2), shift=draw.choice((0, 3, 7)), at=at, bt=bt)
    for which in range(3):
        scale = draw.choice((1.0, 0.5, 0.25, -0.5, 1.7, 3e-3, 40.0))
        blocks = draw.choice((16, 16, 16, 20, 17, 15))
        stride = draw.choice((0, 16, 37, 100))
        yield "config_ld", dict(stride=stride, scale=scale, which=which, shrunk=draw.randrange(2), blocks=blocks)
    relu = draw.randrange(2)
    scale = draw.choice((1.0, 0.5, 2.0**-10, 2.0**-24, 0.0117, *(() if relu else (-0.25,))))
    yield "config_st", dict(stride=draw.choice((64, 80, 100)), scale=scale, relu=relu)


def shape(draw: random.Random, columns: int = 16) -> tuple[int, int]:
    return draw.choice((16, draw.randint(1, 16))), draw.choice((columns, draw.randint(1, columns)))


def row(draw: random.Random, rows: tuple[int, ...], elsewhere: float = 0.02) -> int:
    """One of these, or with that probability one where cells are not written, or just so many are left."""
    return draw.choice(ELSEWHERE[rows] if draw.random() < elsewhere else rows)


def move(draw: random.Random, kind: str) -> Iterator[Step]:
    accumulator = draw.random() < 0.5
    if kind == "mvin":
        add = accumulator and draw.random() < 0.5
        local = ACC | row(draw, ACCUMULATOR, 0.02 if add else 0.3) if accumulator else row(draw, SPAD, 0.3)
        rows, columns = shape(draw, 16 if accumulator else 64)
        address = BASE + draw.randrange(SIZE // 2 - 2048)
        fields = dict(address=address, local=local | ADD * add, rows=rows, columns=columns, which=draw.randrange(3))
    else:
        local = ACC | row(draw, ACCUMULATOR) | draw.choice((0, FULL)) if accumulator else row(draw, SPAD)
        rows, columns = shape(draw, 16 if local else 64)
        fields = dict(address=BASE + SIZE // 2 + draw.randrange(4096), local=local, rows=rows, columns=columns)
    yield kind, fields


def pair(draw: random.Random, fresh: bool, stored: bool) -> Iterator[Step]:
    a, bd, held = (row(draw, SPAD) for _ in range(3))
    c = draw.choice((ACC | row(draw, ACCUMULATOR, 0.3), ACC | ADD | row(draw, ACCUMULATOR), row(draw, SPAD, 0.3)))
    a_shape, held_shape = shape(draw), shape(draw)
    c_shape = (draw.randint(1, a_shape[0]), shape(draw)[1])
    if not fresh or draw.random() < 0.2:
        held = NOWHERE
    yield "preload", dict(held=held, c=c if stored else NOWHERE, held_shape=held_shape, c_shape=c_shape)
    bd_shape = shape(draw)
    yield "compute", dict(a=a, bd=draw.choice((bd, bd, NOWHERE)), a_shape=a_shape, bd_shape=bd_shape, fresh=fresh)


def differences(library: Path, seed: int) -> str:
    """What model and oracle do differently in one program; '' where nothing. All that was written is moved out at the end."""
    draw = random.Random(seed)
    memory = np.random.default_rng(seed).integers(-128, 128, SIZE).astype(np.int8).tobytes()
    machine, oracle = Machine(library, SIZE), Oracle(memory)
    machine.memory[:] = memory
    for name, fields in program(draw):
        if name == "preload" and fields["c"] & ACC and not oracle.ex["ws"] and oracle.ex["shift"]:
            fields["c"] = NOWHERE  # shifted sums do not go to the accumulator
        kinds, refused = both(machine, oracle, name, fields)
        if (refused or "") not in (kinds or {""}):
            return f"{name} {fields}: the model refuses for {refused or 'nothing'}, the oracle for {kinds or 'nothing'}"
        if refused:
            return ""
    for step in all_rows(oracle):
        both(machine, oracle, "config_st", dict(stride=64, scale=1.0, relu=0))
        both(machine, oracle, "mvout", step)
    return "" if bytes(machine.memory) == oracle.memory.tobytes() else "the memories differ"


def both(machine: Machine, oracle: Oracle, name: str, fields: dict[str, Any]) -> tuple[set[str], str]:
    """The kinds for which the oracle refuses the step, and that for which the model does."""
    kinds: set[str] = set()
    refused = ""
    try:
        getattr(oracle, name)(**fields)
    except Violation as violation:
        kinds = violation.kinds
    try:
        getattr(machine, name)(**fields)
    except RefusedError as error:
        refused = error.why.name
    return kinds, refused


def all_rows(oracle: Oracle) -> Iterator[dict[str, Any]]:
    """Each row's cells up to the first that was never written, by mvouts of up to 16 rows with equally many."""
    at = BASE + SIZE // 2
    for cells, base in ((oracle.spad, 0), (oracle.acc, ACC | FULL)):
        rows = np.flatnonzero(~np.isnan(cells.values[:, 0])).tolist()
        columns = {r: int(np.append(np.isnan(cells.values[r]), True).argmax()) for r in rows}
        while rows:
            first = rows[0]
            count = next(n for n in range(1, 17) if n == 16 or columns.get(first + n) != columns[first])
            yield dict(address=at, local=base | first, rows=count, columns=columns[first])
            rows, at = rows[count:], at + 64 * count


def test_random_programs_do_the_same_on_the_oracle() -> None:
    library = build_model()
    for seed in range(PROGRAMS):
        assert differences(library, seed) == "", seed


def test_most_random_programs_run_to_their_end() -> None:
    """Else the comparison above would see little."""
    ends = [0, 0]
    for seed in range(PROGRAMS):
        oracle = Oracle(bytes(SIZE))
        try:
            for name, fields in program(random.Random(seed)):
                getattr(oracle, name)(**fields)
        except Violation:
            ends[0] += 1
        else:
            ends[1] += 1
    assert min(ends) > PROGRAMS // 5, ends


MUTANTS = {
    "ties go up": ("rest > half || (rest == half && (low & 1))", "rest >= half"),
    "products are not rounded to float": ("to_24_bits(size * factor, &exponent)", "size * factor"),
    "shifts round down": ("(int32_t)(low + (2 * rest > unit || (2 * rest == unit && low % 2 != 0)))", "(int32_t)low"),
    "127 is saturated": ("value > 127 ? 127", "value > 126 ? 126"),
    "blocks lie together": ("column / DIM * load->block_stride", "column / DIM * load->block_stride * (column < 48)"),
    "B is never transposed in place": ("&g->held, config->weights_stay && config->b_transposed", "&g->held, 0"),
    "unwritten cells are read": ("if (!g->acc_written[row][column])", "if (0)"),
    "sums saturate": ("return (int32_t)(rest >= span / 2 ? rest - span : rest);",
                      "(void)rest; return (int32_t)(value >= span / 2 ? span / 2 - 1 : value < -span / 2 ? -span / 2 : value);"),
}  # fmt: skip


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_wrong_model_is_noticed(mutant: str) -> None:
    right, wrong = MUTANTS[mutant]
    source = model_source()
    assert source.count(right) == 1
    library = build_model(quick(), source.replace(right, wrong))
    assert any(differences(library, seed) for seed in range(PROGRAMS))
