"""A mapping whose schedule cannot be lowered, or is not proved, is banned, and the search goes on with the others."""

from __future__ import annotations

import pytest

import isamap_smt as im
from isamap_smt.codegen import lower
from isamap_smt.ir.errors import NotProvedError, ScheduleError
from isamap_smt.ir.program import Program, ProvedProgram
from isamap_smt.ir.schedule import Schedule
from isamap_smt.pipeline import element_by_element
from isamap_smt.proof import require_proof

SIZES = {"i": 40, "j": 24, "k": 16}


def _refusing(monkeypatch: pytest.MonkeyPatch, *ids: str) -> list[str]:
    """lower() refuses these mappings; returns those that it was asked for, in order."""
    asked: list[str] = []

    def refused(*schedules: Schedule) -> Program:
        asked.extend(s.proved.mapping.id for s in schedules)
        if set(ids) & set(asked[-len(schedules) :]):
            raise ScheduleError("no room in the registers")
        return lower(*schedules)

    monkeypatch.setattr(element_by_element, "lower", refused)
    element_by_element.lowered.cache_clear()
    return asked


def test_another_mapping_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kernel = im.kernel("C[i,j] += A[i,k] * B[k,j]", name="gemm_of_this_test")
    first = im.plan(kernel, "avx2", sizes=SIZES, instruction="fmadd_ps")
    assert first.proved is not None
    refused = first.proved.mapping.id
    asked = _refusing(monkeypatch, refused)
    other = im.plan(kernel, "avx2", sizes=SIZES, instruction="fmadd_ps", fix={"parallel": "none"})
    assert other.proved is not None and other.proved.mapping.id != refused
    assert asked[0] == refused and asked[-1] == other.proved.mapping.id


def test_where_all_are_refused_the_reason_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kernel = im.kernel("C[i,j] += A[i,k] * B[k,j]", name="another_gemm_of_this_test")
    every = [p.mapping.id for p in im.find_mappings(kernel, im.find_instruction("avx2.fmadd_ps"))]
    _refusing(monkeypatch, *every)
    with pytest.raises(ScheduleError, match="no room in the registers"):
        im.plan(kernel, "avx2", sizes=SIZES, instruction="fmadd_ps")


def test_without_a_pin_it_is_computed_element_by_element(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kernel = im.kernel("C[i,j] += A[i,k] * B[k,j]", name="third_gemm_of_this_test")
    every = [p.mapping.id for p in im.find_mappings(kernel, im.find_instruction("avx2.fmadd_ps"))]
    _refusing(monkeypatch, *every)
    made = im.plan(kernel, "avx2", sizes=SIZES)
    assert made.schedule is None
    assert any("no room in the registers" in str(note) for note in made.notes)


def test_a_mapping_whose_program_is_not_proved_gives_way_to_another(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    """Lanes along rows and columns of the output at once: that every sum of such a tile was begun is not found."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made = im.plan(im.find_kernel("examples/windows.py:AVERAGE_POOL"), "avx2")
    assert {s.proved.mapping.statement_index for s in made.program.schedules} == {0, 2}, made.notes


def test_after_a_few_of_them_instructions_are_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    asked: list[str] = []

    def unproved(program: Program) -> ProvedProgram:
        if not program.schedules:
            return require_proof(program)
        asked.append(program.schedules[0].proved.mapping.id)
        error = NotProvedError("not proved")
        error.unproved = ("some claim: unknown",)
        raise error

    monkeypatch.setattr(element_by_element, "require_proof", unproved)
    made = im.plan(im.kernel("C[i,j] += A[i,k] * B[k,j]", name="fourth_gemm_of_this_test"), "avx2", sizes=SIZES)
    assert made.schedule is None and "some claim: unknown" in " ".join(map(str, made.notes))
    assert len(set(asked)) == element_by_element.MOST_UNPROVED + 1
