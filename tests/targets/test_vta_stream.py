"""Tokens from counters, and instructions from consecutive uses: small lists, and random ones taken apart again."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from isamap_smt.ir.errors import HardwareError
from isamap_smt.targets.vta.compressed import MICRO_OPS, Base, compressed
from isamap_smt.targets.vta.here import encoded
from isamap_smt.targets.vta.stream import (
    ACC,
    ALU,
    ALU_ACC,
    AWAIT,
    BARRIER,
    COMPUTE,
    FINISH,
    GEMM,
    INP,
    LOAD,
    LOADS,
    NOTHING,
    OUT,
    RESET,
    SIGNAL,
    STORE,
    STORES,
    UOPS,
    Issue,
    tokens,
    with_tokens,
)

FILLED, RELEASED, FINISHED, STORED = range(4)  # counters


def listed(*rows: tuple[int, ...]) -> list[Issue]:
    return with_tokens(np.array([(*r, *[0] * (8 - len(r))) for r in rows], np.int64))


def told(issues: list[Issue]) -> list[tuple[int, int, set[int], set[int]]]:
    return [(i.engine, i.what, i.awaits, i.signals) for i in issues]


LOADED, ADDED, KEPT = (LOADS, INP), (GEMM,), (STORES, OUT)


def test_a_token_for_what_is_awaited_and_none_twice() -> None:
    """Two uses await one fill: the first takes the token. The second fill is awaited by nobody but by the end."""
    made = listed(
        LOADED, (SIGNAL, FILLED), (AWAIT, FILLED, 1), ADDED, (AWAIT, FILLED, 1), ADDED, LOADED, (SIGNAL, FILLED),
    )  # fmt: skip
    assert told(made) == [
        (LOAD, LOADS, set(), {COMPUTE}),
        (COMPUTE, GEMM, {LOAD}, set()),
        (COMPUTE, GEMM, set(), set()),
        (LOAD, LOADS, set(), {COMPUTE}),
        (COMPUTE, FINISH, {LOAD}, set()),
    ]
    assert tokens(made) == 2


def test_a_later_signal_stands_for_those_before_it() -> None:
    made = listed(
        LOADED, (SIGNAL, FILLED), LOADED, (SIGNAL, RELEASED), (AWAIT, RELEASED, 1), ADDED, (AWAIT, FILLED, 1), ADDED
    )
    assert [i.signals for i in made] == [set(), {COMPUTE}, set(), set(), set()]
    assert [i.awaits for i in made] == [set(), set(), {LOAD}, set(), set()]


def test_amounts_up_to_0_and_awaits_of_ones_own_engine_are_no_tokens() -> None:
    made = listed((AWAIT, FILLED, 0), (AWAIT, STORED, -3), ADDED, (SIGNAL, FINISHED), (AWAIT, FINISHED, 1), ADDED)
    assert tokens(made) == 0


def test_what_only_signals_is_the_instruction_before() -> None:
    made = listed(LOADED, LOADED, (NOTHING, LOAD), (SIGNAL, FILLED), (AWAIT, FILLED, 1), ADDED)
    assert told(made)[:3] == [
        (LOAD, LOADS, set(), set()), (LOAD, LOADS, set(), {COMPUTE}), (COMPUTE, GEMM, {LOAD}, set()),
    ]  # fmt: skip


def test_what_only_awaits_is_the_instruction_behind() -> None:
    made = listed(LOADED, (SIGNAL, FILLED), (AWAIT, FILLED, 1), (NOTHING, COMPUTE), ADDED)
    assert [(i.what, i.awaits) for i in made] == [(LOADS, set()), (GEMM, {LOAD}), (FINISH, set())]


def test_where_nothing_can_stand_for_it_an_instruction_does_nothing() -> None:
    """A signal before any instruction, and one that has something to await first."""
    first = listed((NOTHING, STORE), (SIGNAL, STORED), (AWAIT, STORED, 1), ADDED)
    assert told(first)[0] == (STORE, NOTHING, set(), {COMPUTE})
    rows = (
        LOADED,
        (SIGNAL, FILLED),
        ADDED,
        (AWAIT, FILLED, 1),
        (NOTHING, COMPUTE),
        (SIGNAL, FINISHED),
        (AWAIT, FINISHED, 1),
        KEPT,
    )
    between = listed(*rows)
    assert (COMPUTE, NOTHING, {LOAD}, {STORE}) in told(between)
    words = encoded(between[-3:-2], 0).tobytes()
    assert words[0] & 7 == 0 and int.from_bytes(words, "little") >> 80 & 0xFFFF == 0  # a load of no entries
    assert int.from_bytes(words, "little") >> 7 & 7 == ACC


def test_a_barrier_joins_all_engines() -> None:
    made = listed(LOADED, KEPT, (BARRIER,), LOADED, KEPT)
    assert told(made) == [
        (LOAD, LOADS, set(), {COMPUTE}),
        (STORE, STORES, set(), {COMPUTE}),
        (COMPUTE, NOTHING, {LOAD, STORE}, {LOAD, STORE}),
        (LOAD, LOADS, {COMPUTE}, {COMPUTE}),
        (STORE, STORES, {COMPUTE}, {COMPUTE}),
        (COMPUTE, FINISH, {LOAD, STORE}, set()),
    ]


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ((LOADED, (SIGNAL, FILLED), (AWAIT, FILLED, 1), KEPT), "store awaits load, and there is no queue between them"),
        (((AWAIT, FILLED, 1), ADDED), "awaited to be 1, and is 0 by then"),
        ((LOADED, (SIGNAL, FILLED), ADDED, (SIGNAL, FILLED)), "compute and load signal one counter"),
    ],
)
def test_what_vta_has_no_tokens_for(rows: tuple[tuple[int, ...], ...], why: str) -> None:
    with pytest.raises(HardwareError, match=why):
        listed(*rows)


def steps(i: Issue, words: list[int], start: int) -> list[tuple[int, int, int]]:
    """(dst, src, wgt) of each step of an instruction, in its order, as docs/vta.md says."""
    begin, end, rows, times, *by = i.fields[:7]
    found = []
    for y in range(times):
        for x in range(rows):
            for word in words[start + begin : start + end]:
                dst, src, wgt = word & 2047, word >> 11 & 2047, word >> 22
                found.append((dst + y * by[0] + x, src + y * by[1] + (x if i.what == GEMM else 0), wgt + y * by[2]))
    return found


def taken_apart(made: list[Issue], words: list[int]) -> tuple[list[tuple[int, ...]], int]:
    """What each step does, in order; and how often one adds to the entry of the step before it, in one instruction."""
    found, start, hazards = [], 0, 0
    for i in made:
        if i.what == UOPS:
            start, count = i.fields
            assert 0 < count <= MICRO_OPS
        elif i.what in (GEMM, RESET, ALU):
            own = steps(i, words, start)
            hazards += i.what == GEMM and sum(a[0] == b[0] for a, b in pairwise(own))
            found += [(i.what, *i.fields[7:], *s) for s in own]
    return found, hazards


def random_run(random: np.random.Generator) -> list[Base]:
    """Tiles in loops, in any order, some of them alone."""
    counts, by = random.integers(1, 5, 3), random.integers(0, 4, (3, 3))
    start = random.integers(0, 40, 3)
    loops = np.stack(np.meshgrid(*map(np.arange, counts), indexing="ij"), -1).reshape(-1, 3)
    return [(16 * int(d), 16 * int(s), int(w)) for d, s, w in start + loops @ by]


@pytest.mark.parametrize("seed", range(60))
def test_joined_instructions_do_what_the_single_ones_do(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows: list[tuple[int, ...]] = []
    for n in range(int(random.integers(1, 8))):
        what = int(random.choice([GEMM, GEMM, RESET, ALU]))
        if random.integers(2):
            rows += [LOADED, (SIGNAL, FILLED), (AWAIT, FILLED, sum(r[:2] == (SIGNAL, FILLED) for r in rows) + 1)]
        for dst, src, wgt in random_run(random):
            rows.append(
                (what, dst, *((src, wgt) if what == GEMM else (0, 0)), *((n % 4, n) if what == ALU else (0, 0)))
            )
    issues = listed(*rows)
    made, words = compressed(issues)
    found, hazards = taken_apart(made, words)
    each = [
        (i.what, *i.fields[3:5], i.fields[0] + x, i.fields[1] + (x if i.what == GEMM else 0), i.fields[2])
        for i in issues if i.what in (GEMM, RESET, ALU) for x in range(16)
    ]  # fmt: skip
    assert sorted(found) == sorted(each) and hazards == 0
    assert tokens(made) == tokens(issues) and len(made) <= len(issues) + 1 and len(encoded(made, 0)) == 16 * len(made)


def rows_of(issues: list[Issue]) -> list[tuple[int, ...]]:
    """(engine, entry, element or -1 for zeros) of each row that moves, in each engine's order."""
    found = []
    for i in sorted((i for i in issues if i.what in (LOADS, STORES)), key=lambda i: i.engine):
        memory, entry, element, rows, stride, zeros, front = i.fields
        found += [(i.engine, memory, entry + n, -1) for n in range(front)]
        found += [(i.engine, memory, entry + front + n, element + n * stride) for n in range(rows)]
        found += [(i.engine, memory, entry + front + rows + n, -1) for n in range(zeros)]
    return found


@pytest.mark.parametrize("seed", range(40))
def test_joined_moves_move_what_the_single_ones_do(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows: list[tuple[int, ...]] = []
    count = 0
    for _ in range(int(random.integers(1, 12))):
        what, memory = [(LOADS, INP), (LOADS, ACC), (STORES, OUT)][int(random.integers(3))]
        each, stride = int(random.choice([1, 16])), int(random.integers(0, 5))
        entry, element = int(random.integers(0, 99)), int(random.integers(0, 99))
        for n in range(int(random.integers(1, 5))):
            padded = memory != OUT and each > 1
            zeros = int(random.integers(3)) if padded and n % 3 == 2 else 0
            front = int(random.integers(3)) if padded and n % 3 == 0 else 0
            by = stride if each > 1 else 0
            rows.append((what, memory, entry + n * each - front, element + n * each * stride, each, by, zeros, front))
            if random.integers(5) == 0 and what == LOADS and memory == INP:
                count += 1
                rows += [(SIGNAL, FILLED), (AWAIT, FILLED, count), ADDED]
    issues = listed(*rows)
    made, _ = compressed(issues)
    assert rows_of(made) == rows_of(issues) and tokens(made) == tokens(issues)
    for engine in range(3):  # each token is given behind the rows that stood before it
        assert before_tokens([i for i in made if i.engine == engine]) == before_tokens(
            [i for i in issues if i.engine == engine]
        )


def before_tokens(issues: list[Issue]) -> list[tuple[int, int, int]]:
    """Rows moved before each instruction that takes tokens, and up to each that gives some."""
    found, moved = [], 0
    for i in issues:
        found += [(0, moved, e) for e in sorted(i.awaits)]
        moved += i.fields[3] if i.what in (LOADS, STORES) else 0
        found += [(1, moved, e) for e in sorted(i.signals)]
    return found


def test_neighbouring_moves_are_one() -> None:
    made, _ = compressed(
        listed(*((LOADS, INP, 16 * n, 160 * n, 16, 10, 0) for n in range(9)), (LOADS, INP, 144, 1440, 3, 10, 13))
    )
    assert [i.fields for i in made if i.what == LOADS] == [(INP, 0, 0, 147, 10, 13, 0)]
    padded, _ = compressed(
        listed((LOADS, INP, 0, 0, 14, 10, 0, 2), (LOADS, INP, 16, 140, 16, 10, 0), (LOADS, INP, 32, 300, 16, 10, 0, 1))
    )
    assert [i.fields for i in padded if i.what == LOADS] == [(INP, 0, 0, 30, 10, 0, 2), (INP, 32, 300, 16, 10, 0, 1)]
    apart, _ = compressed(
        listed((LOADS, INP, 0, 0, 16, 10, 0), (LOADS, INP, 16, 160, 16, 11, 0), (LOADS, INP, 48, 320, 16, 11, 0))
    )
    assert len([i for i in apart if i.what == LOADS]) == 3


def added_in_order(issues: list[Issue], words: list[int]) -> tuple[np.ndarray, int]:
    """What additions of entries to entries leave, one after the other; and how often one reads what the one before it wrote."""
    acc, start, hazards = np.arange(1, 1 + 2048, dtype=np.int64) ** 2, 0, 0
    for i in issues:
        if i.what == UOPS:
            start = i.fields[0]
        elif i.what == ALU_ACC:
            begin, end, rows, times, *by = i.fields[:7]
            ops = [(w & 2047, w >> 11 & 2047) for w in words[start + begin : start + end]]
            loops = ((y, x, *op) for y in range(times) for x in range(rows) for op in ops)
            found = [(dst + y * by[0] + x, src + y * by[1] + x) for y, x, dst, src in loops]
            hazards += sum(a[0] in b for a, b in pairwise(found))
            for dst, src in found:
                acc[dst] = (acc[dst] * 3 + acc[src]) % (1 << 31)  # what comes later weighs less
    return acc, hazards


@pytest.mark.parametrize("seed", range(40))
def test_sums_are_added_to_sums_in_an_order_that_counts(seed: int) -> None:
    """What changes an entry that another one reads or changes stays behind it."""
    random = np.random.default_rng(seed)
    most = int(random.choice([4, 20, 100]))
    tiles = [tuple(map(int, random.choice(most, 2, replace=False))) for _ in range(30)]
    if seed % 2:
        tiles = [(n, n + 50) for n in range(int(random.integers(1, 40)))]
    made, words = compressed(listed(*((ALU_ACC, 16 * d, 16 * s, 0, 2) for d, s in tiles)))
    right = np.arange(1, 1 + 2048, dtype=np.int64) ** 2
    for d, s in tiles:
        here, there = slice(16 * d, 16 * d + 16), slice(16 * s, 16 * s + 16)
        right[here] = (right[here] * 3 + right[there]) % (1 << 31)
    found, hazards = added_in_order(made, words)
    assert np.array_equal(found, right) and hazards == 0
    assert seed % 2 == 0 or len([i for i in made if i.what == ALU_ACC]) == 1


def test_more_micro_ops_than_there_is_room_for() -> None:
    """They are loaded again where the next ones do not fit; the same ones are shared while they are there."""
    random = np.random.default_rng(1)
    rows: list[tuple[int, ...]] = []
    for n in range(30):
        order = random.permutation(100)
        rows += [
            (GEMM, 16 * int(d), 16 * int(s), int(w))
            for d, s, w in zip(order, order[::-1], random.integers(0, 900, 100), strict=True)
        ]
        rows += [(RESET, 16 * int(d)) for d in range(0, 100, 1 + n % 2)]
    made, words = compressed(listed(*rows))
    loads = [i for i in made if i.what == UOPS]
    assert len(loads) == 2 and len(words) > MICRO_OPS and sum(i.fields[1] for i in loads) == len(words)
    found, hazards = taken_apart(made, words)
    assert len(found) == 16 * len(rows) and hazards == 0
    assert len([i for i in made if i.what == RESET]) == 30
