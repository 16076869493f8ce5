"""Whatever the language accepts runs, and equals the interpreter: on instructions, or element by element with a note."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any

import numpy as np
import pytest
from every_statement import ROWS

import isamap_smt as im
from isamap_smt.ir.errors import ScheduleError, SizeError
from isamap_smt.ir.interpret import random_arrays, run_kernel
from isamap_smt.ir.kernel import Kernel
from isamap_smt.simulator.run import run_program
from tests.families import draw, part

POINTS = 1000  # of a kernel that is run in Python


@cache
def _kernel(name: str) -> Kernel:
    text, dtypes, _ = ROWS[name]
    kernel = im.kernel(text)
    declared = {t.name for t in kernel.tensors if t.dtype.name != "f32"}
    wanted = {t.name: dtypes.get(t.name, "f32") for t in kernel.tensors if t.name not in declared or t.name in dtypes}
    return kernel.with_dtypes(wanted)


def _sizes(name: str, least: int) -> dict[str, int]:
    """Free sizes and parameters: what the row says, else at least `least`, each another number."""
    kernel, own = _kernel(name), ROWS[name][2]
    axes = {a.extent.name: a.name for a in kernel.axes if a.extent.is_Symbol}
    lows = {p.name: p.low for p in kernel.parameters}
    names = sorted({*kernel.free_sizes, *lows})
    return {
        n: own.get(n, own.get(axes.get(n, ""), max(lows.get(n, 1), least + k % 3 if least > 1 else 1)))
        for k, n in enumerate(names)
    }


def _arrays(kernel: Kernel, sizes: dict[str, int]) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    arrays = random_arrays(kernel, sizes, np.random.default_rng(3), outputs=True)
    return {n: arrays[n] for n in kernel.inputs}, {n: arrays[n] for n in kernel.results}


def _check(got: dict[str, np.ndarray], want: dict[str, np.ndarray]) -> None:
    for n, x in want.items():
        if x.dtype.kind in "iu":
            assert (got[n] == x).all(), n
            continue
        a, b = got[n].astype(np.float64), x.astype(np.float64)
        scale = np.abs(b[np.isfinite(b)]).max(initial=1.0)
        close = np.abs(a - b) <= (1e-5 if x.dtype.itemsize >= 4 else 5e-2) * scale
        assert (close | (a == b) | (np.isnan(a) & np.isnan(b))).all(), n


def _planned(name: str, machine: str, sizes: dict[str, int]) -> im.Plan:
    planned = im.plan(_kernel(name), machine, sizes=sizes)
    assert not [n for n in planned.notes if "fault" in n]
    return planned


def _compiled(name: str) -> bool:
    """Whether `make test` runs the C of a row; of others it runs the program in the interpreter."""
    return draw(f"{name} in C", 4) == 0


def _simulated(name: str) -> bool:
    return not _compiled(name) and draw(f"{name} in the simulator", 2) == 0


def _every_row(*options: tuple[str, ...], also: Callable[[str], bool] = lambda _: True) -> list[Any]:
    """Every row with each of these options: with one that its name draws in `make test`, with the others `exhaustive`. also: which
    rows `make test` has at all."""
    made = []
    for name in ROWS:
        for n, option in enumerate(options):
            marks = () if draw(name, len(options)) == n and also(name) else pytest.mark.exhaustive
            made.append(pytest.param(name, *option, marks=marks, id="-".join([name, *option])))
    return made


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("name", "machine"),
    [
        pytest.param(n, m, marks=() if not (m == "avx2" or _compiled(n) or _simulated(n)) else pytest.mark.exhaustive)
        for n in ROWS
        for m in ("avx2", "avx512")
    ],
)
def test_it_is_proved(name: str, machine: str) -> None:
    """What `make test` runs below is proved for this CPU, as a rule one with AVX2; here half of the others for a longer vector."""
    assert _planned(name, machine, _sizes(name, 5)).proof.proved


@pytest.mark.parametrize(
    ("name", "machine", "sizes"),
    _every_row(("scalar", "open"), ("host", "fixed"), ("scalar", "fixed"), ("host", "open"), also=_simulated),
)
def test_it_equals_the_interpreter_on_poisoned_memory(name: str, machine: str, sizes: str) -> None:
    kernel = _kernel(name)
    fixed = sizes == "fixed"
    planned = _planned(name, machine, _sizes(name, 5) if fixed else {})
    for some in [_sizes(name, 5)] if fixed else [_sizes(name, 1), _sizes(name, 9)]:
        try:
            inputs, outputs = _arrays(kernel, some)
        except SizeError:
            continue  # no element at these sizes
        if prod(some.values()) > POINTS:
            continue
        for out in (None, outputs):
            run = run_program(planned.program, inputs, out, some)
            assert run.clean, run.findings
            _check(dict(run.outputs), run_kernel(kernel, inputs, out, some))


@pytest.mark.parametrize("name", part(ROWS, _compiled))
def test_the_c_equals_the_interpreter(name: str) -> None:
    kernel, sizes = _kernel(name), _sizes(name, 6)
    compiled = im.compile(kernel, "host", sizes=sizes, threads=2)
    inputs, outputs = _arrays(kernel, sizes)
    for threads in (1, 2):
        for out in (None, outputs):
            given = None if out is None else {n: a.copy() for n, a in out.items()}
            one = given if given is None or len(given) > 1 else next(iter(given.values()))
            got = compiled(**inputs, threads=threads, **({} if one is None else {"out": one}))
            _check(got if isinstance(got, dict) else {kernel.results[0]: got}, run_kernel(kernel, inputs, out, sizes))


def test_a_machine_without_code_says_so() -> None:
    with pytest.raises(ScheduleError, match="wmma is for mapping and proof only"):
        im.plan(_kernel("assign_guard"), "wmma")


def test_what_is_pinned_is_not_given_up() -> None:
    with pytest.raises(ScheduleError, match="no operand alone decides the guard"):
        im.plan(_kernel("sum_of_lower_rows"), "avx2", instruction="fmadd_ps", sizes={"q": 9, "k": 9})


def test_a_note_says_what_is_computed_and_why() -> None:
    planned = im.plan(_kernel("sum_of_lower_rows"), "host", sizes={"q": 9, "k": 9})
    assert planned.schedule is None
    assert planned.title == "kernel, element by element, in portable C"
    assert "no operand alone decides the guard k <= q" in planned.notes[0]
    assert im.build(planned).notes[: len(planned.notes)] == planned.notes
    assert "computed  element by element" in planned.source


def test_statements_that_share_a_loop_leave_room_for_those_between() -> None:
    """Attention's softmax stands between the two products, computed by instructions that are put together for it."""
    planned = im.plan(_kernel("attention"), "host", sizes={"h": 4, "q": 128, "k": 128, "d": 64})
    names = [s.proved.mapping.instruction.short for s in planned.program.schedules]
    assert len(names) == 5 and names.count("selected") == 3
