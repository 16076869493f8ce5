"""Engines that read cells named by data: a 2:4 sparse product and a table are planned, proved and run; wrong programs are not."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import plain_executor
import pytest
import sparse
import sympy as sp
from judged import runs_wrong
from use_edits import commanded, held, holding, place, random_edit, unawaited, with_slot

import isamap_smt as im
from isamap_smt.ir.errors import IsamapError, LanguageError
from isamap_smt.ir.program import Buffer, Command, Program
from isamap_smt.mapping.named_cells import of_tiles

SIZES = ((8, 8, 8), (9, 17, 11), (1, 1, 1), (17, 5, 24))


def program() -> Program:
    return sparse.plan().program


def goes_wrong(made: Program, seeds: int = 2, plainly: int = 0) -> str:
    """What goes wrong at sizes that reach every slot and every tail; '' for nothing."""
    for i, j, k in SIZES:
        arrays = sparse.drawn(i, j, k)
        want = {"C": sparse.dense(arrays["V"], arrays["B"], arrays["P"])}
        sizes = {"I": i, "J": j, "K": k, "H": arrays["B"].shape[0]}
        if said := runs_wrong(made, arrays, sizes, want, seeds, plainly):
            return said
    return ""


def test_a_sparse_product_is_planned_proved_and_run() -> None:
    assert im.prove_program(program()).proved
    assert goes_wrong(program(), 3, 3) == ""
    known = {"I": 20, "J": 13, "K": 24, "H": 48}
    fixed = im.plan(im.kernel(sparse.SPARSE, name="sparse"), sparse.machine(), sizes=known)
    arrays = sparse.drawn(20, 13, 24)
    want = {"C": sparse.dense(arrays["V"], arrays["B"], arrays["P"])}
    assert runs_wrong(fixed.program, arrays, {}, want, 2, 2) == ""
    assert im.simulate(fixed.program, arrays).cycles == fixed.schedule.objective


def test_tiles_are_what_lies_in_memory_whichever_cell_data_names() -> None:
    mapping = of_tiles(sparse.plan().schedule.proved.mapping)
    assert [str(e) for e in mapping.coordinates("b")] == ["h + 16*k_tile", "j + 8*j_tile"]
    rows = {b.name: b.shape[0] for b in held(program())}
    assert rows == {"v": 8, "b": 16, "idx": 8, "c": 8}


@pytest.mark.parametrize("entries", [16, 11])
def test_a_table_is_looked_up(entries: int) -> None:
    kernel = im.kernel(sparse.TABLE.replace("16", str(entries)), name="table")
    made = im.plan(kernel, sparse.table_machine()).program
    random = np.random.default_rng(entries)
    for i, j in ((1, 1), (8, 8), (13, 21)):
        arrays = {"T": np.arange(entries, dtype=np.float32) ** 2, "X": random.integers(0, entries, (i, j), np.uint8)}
        want = {"Y": arrays["T"][arrays["X"]]}
        assert runs_wrong(made, arrays, {"I": i, "J": j}, want, 2, 2) == ""
    arrays["X"][-1, -1] = entries
    with pytest.raises(IsamapError, match=f"is {entries} at"):
        im.simulate(made, arrays)


def test_places_that_are_none_are_refused() -> None:
    arrays = sparse.drawn(8, 8, 8)
    for wrong in (4, 255):
        spoilt = {**arrays, "P": arrays["P"].copy()}
        spoilt["P"][3, 2] = wrong
        with pytest.raises(IsamapError, match="P"):
            im.simulate(program(), spoilt)
    short = {**arrays, "B": arrays["B"][:-1], "P": np.full((8, 8), 3, np.uint8)}
    with pytest.raises(IsamapError, match="it must be in"):
        im.simulate(program(), short)


# ---- Wrong programs.


def shifted(name: str, where: Callable[[tuple[Any, ...]], tuple[Any, ...]]) -> Program:
    """A buffer is said to hold, and is filled with, other elements."""

    def load(u: Command) -> Command:
        mine = dict(u.operands).get("s")
        if mine is None or mine.name != name:
            return u
        source = dict(u.operands)["m"]
        return place(u, "m", index=where(source.index))

    return commanded(holding(program(), *(_held(b, where) if b.name == name else b for b in held(program()))), load)


def _held(b: Buffer, where: Callable[[tuple[Any, ...]], tuple[Any, ...]]) -> Buffer:
    return replace(b, type=replace(b.type, coordinates=where(b.type.coordinates)))


def unit(text: str, places_at: str = "places[i,k]") -> Program:
    """The machine's unit computes this."""
    own = sparse.unit(text, places_at)
    made = commanded(program(), lambda u: replace(u, instruction=own) if u.instruction.name == own.name else u)
    machine = sparse.machine()
    others = tuple(own if i.name == own.name else i for i in machine.instructions)
    return replace(made, machine=replace(machine, instructions=others))


def any_places(made: Program, highest: int) -> Program:
    """Calls let through places up to this one, if B has the row."""
    return replace(made, kernel=replace(made.kernel, ranges=(("P", 0, highest),), text=""))


def unfilled_places() -> Program:
    """Where the tile of places holds no element it may hold anything: who reads a cell by it may look anywhere."""
    outside = (replace(b, type=replace(b.type, outside="dead")) for b in held(program()) if b.name == "idx")
    return holding(program(), *outside)


def waiting_for_nothing() -> Program:
    made = program()
    for counter in ("filled_idx", "filled_v", "filled_b"):
        made = unawaited(made, counter)
    return made


def fewer_rows() -> Program:
    """Of sixteen rows of B at most eight are loaded."""

    def load(u: Command) -> Command:
        if u.instruction.name != "load_dense":
            return u
        rows, columns = u.active
        return replace(u, active=(sp.sympify(rows).subs(16, 8), columns))

    return commanded(program(), load)


WRONG: dict[str, tuple[Callable[[], Program], set[str]]] = {
    "rows of B one further": (lambda: shifted("b", lambda c: (c[0] + 1, c[1])), {"program"}),
    "rows of B from the end": (lambda: shifted("b", lambda c: (15 - c[0], c[1])), {"program"}),
    "places of the next stored value": (lambda: shifted("idx", lambda c: (c[0], c[1] + 1)), {"program"}),
    "places transposed": (lambda: shifted("idx", lambda c: c[::-1]), {"program"}),
    "values of the next place": (lambda: shifted("v", lambda c: (c[0], c[1] + 1)), {"program"}),
    "groups of two": (lambda: unit("c[i,j] += v[i,k] * b[2*(k//2) + idx[i,k] % 4, j]"), {"program"}),
    "the place of the other value of a pair": (
        lambda: unit("c[i,j] += v[i,k] * b[4*(k//2) + (idx[i,k] + 1) % 4, j]"), {"program"},
    ),
    "places of the output's column": (
        lambda: unit("c[i,j] += v[i,k] * b[4*(k//2) + idx[i,j] % 4, j]", "places[i,j]"), {"program"},
    ),
    "a place beyond the tile": (
        lambda: any_places(unit("c[i,j] += v[i,k] * b[4*(k//2) + idx[i,k] % 8, j]"), 7), {"bounds"},
    ),
    "any places": (lambda: any_places(program(), 255), {"program"}),
    "places that hold anything": (unfilled_places, {"bounds"}),
    "half of the rows": (fewer_rows, {"program"}),
    "tiles that nobody waits for": (waiting_for_nothing, {"order"}),
    "the other slot of places": (
        lambda: with_slot(program(), "two_of_four", "idx", lambda s: 1 - s), {"order"},
    ),
}  # fmt: skip
HARMLESS_IN_RUNS = {
    "a place beyond the tile",
    "any places",
    "places that hold anything",
}  # runs draw places from 0 to 3


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_one_is_not_proved(name: str) -> None:
    make, claims = WRONG[name]
    proof = im.prove_program(make())
    assert not proof.proved
    assert {c.claim for c in proof.failed()} & claims, [str(c) for c in proof.failed()]
    if name not in HARMLESS_IN_RUNS:
        assert goes_wrong(make()) != ""


def test_random_edits() -> None:
    """None that is wrong is proved."""
    draw, seen = random.Random(5), {"proved": 0, "refuted": 0, "unknown": 0}
    for _ in range(14):
        said, made = random_edit(program(), draw)
        proof = im.prove_program(made)
        seen[proof.word] += 1
        if proof.proved:
            assert goes_wrong(made, 3, 1) == "", said
    assert seen["refuted"] >= 5


@pytest.mark.parametrize(
    ("place_of", "said"),
    [
        ("dense[k,j]", "data names the cell along 'k'"),
        ("dense[j,h]", "write its dimensions in their order"),
        ("dense[h,0]", "write its dimensions in their order"),
        ("dense[h,i]", "write its dimensions in their order"),
    ],
)
def test_places_of_such_operands_are_checked(place_of: str, said: str) -> None:
    own = sparse.unit()
    with pytest.raises(LanguageError, match=said):
        im.instruction(
            "other", own.kernel.text, axes=dict.fromkeys("ijk", 8), dtypes={t.name: t.dtype for t in own.kernel.tensors},
            places={**dict(own.places), "c": "sums[i,j]", "v": "values[i,k]", "idx": "places[i,k]", "b": place_of},
            engine="execute",
        )  # fmt: skip


def test_the_executor_of_the_tests_sees_a_cell_that_does_not_exist() -> None:
    arrays = sparse.drawn(8, 8, 8)
    made = unit("c[i,j] += v[i,k] * b[4*(k//2) + idx[i,k] % 8, j]")
    arrays["P"][:, 7] = 7
    want = {"C": np.zeros((8, 8), np.float32)}
    sizes = {"I": 8, "J": 8, "K": 8, "H": 16}
    assert "reaches beyond" in plain_executor.differs(made, arrays, sizes, want, 1)
