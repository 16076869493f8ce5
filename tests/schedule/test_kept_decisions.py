"""Decisions that are kept on disk: whatever becomes of the files, what is planned is proved, and computes the kernel."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.schedule import decisions
from isamap_smt.pipeline.plan import Plan
from isamap_smt.runtime.cache import cache_directory, digest_of
from isamap_smt.simulator.run import run_program

SIZES = {"i": 5, "j": 9, "k": 3}
GEMM = im.kernel("C[i,j] += A[i,k] * B[k,j]")
_forget = __import__("importlib").import_module("isamap_smt.pipeline.plan")._plan.cache_clear


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The one decision that is kept for GEMM."""
    monkeypatch.setenv("ISAMAP_CACHE", str(tmp_path))
    _forget()
    im.plan(GEMM, "avx2", sizes=SIZES)
    (file,) = (cache_directory().parent / "decisions").glob("*.json")
    yield file
    _forget()


def _planned() -> Plan:
    _forget()
    return im.plan(GEMM, "avx2", sizes=SIZES)


def _said(made: Plan) -> tuple[Any, ...]:
    """The program's digest, and what the schedule says of itself."""
    s = made.schedule
    assert s is not None
    return made.fingerprint, s.status, s.objective, s.bound, s.gap, s.space, s.notes, s.costs, s.traffic


def _right(made: Plan) -> bool:
    """Whether the program, proved once more, computes the product of small whole numbers."""
    proof = im.prove_program(made.program)
    assert proof.proved and isinstance(made.checked, im.ProvedProgram)
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-9, 9, shape).astype(np.float32) for shape in ((5, 3), (3, 9)))
    found = run_program(made.program, {"A": a, "B": b})
    return found.clean and np.array_equal(found.outputs["C"], a @ b)


def test_a_file_that_is_not_as_it_was_written_is_passed_over(kept: Path) -> None:
    """A claim in it (OPTIMAL, the bound) is nothing that a proof would notice."""
    whole, before = kept.read_bytes(), _said(_planned())
    rng = random.Random(7)
    for _ in range(50):
        data = bytearray(whole)
        if rng.random() < 0.2:
            del data[rng.randrange(len(data)) :]
        else:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        kept.write_bytes(data)
        assert _said(_planned()) == before
        assert kept.read_bytes() != bytes(data)  # decided anew, and kept


def test_a_file_of_another_question_is_passed_over(kept: Path) -> None:
    text = kept.read_text()
    _forget()
    im.plan(GEMM, "avx2", sizes={**SIZES, "j": 24})
    other = next(f for f in kept.parent.glob("*.json") if f != kept)
    other.write_text(text)
    _forget()
    made = im.plan(GEMM, "avx2", sizes={**SIZES, "j": 24})
    assert dict(made.schedule.sizes)["j"] == 24  # type: ignore[union-attr]
    assert other.read_text() != text


def _leaves(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inside in pairs:
        yield (*at, key), inside
        yield from _leaves(inside, (*at, key))


def _forged(record: Any, rng: random.Random) -> Any:
    """The record with a leaf or a branch of what decides replaced, left out or given twice."""
    made = json.loads(json.dumps(record))
    *way, last = rng.choice([at for at, _ in _leaves(made) if at[0] in decisions(record) and at[0] != "sizes"])
    holder = made
    for key in way:
        holder = holder[key]
    old, kind = holder[last], rng.randrange(4)
    if kind == 0:
        del holder[last]
    elif kind == 1 and isinstance(holder, list):
        holder.insert(rng.randrange(len(holder) + 1), old)
    elif isinstance(old, bool | int | float) and kind == 2:
        holder[last] = rng.choice([0, -1, 1, 2, 7, old + 1, old * 2, 2**40, None, "i"])
    else:
        holder[last] = rng.choice([x for _, x in _leaves(record)])
    return made


def test_no_forged_decision_yields_a_wrong_program(kept: Path) -> None:
    """Sealed anew, so that it is taken for what was decided."""
    record = json.loads(kept.read_text().partition("\n")[2])
    rng, others = random.Random(3), 0
    before = _planned().fingerprint
    for _ in range(50):
        text = json.dumps(_forged(record, rng))
        kept.write_text(f"{digest_of([kept.stem, text])}\n{text}")
        try:
            made = _planned()
        except IsamapError as error:
            assert str(error), text
            continue
        same = made.fingerprint == before
        others += not same
        assert same or _right(made), text
    assert others > 5  # some forged decisions are other programs
