"""Kernels by machines: each cell is what plan() says, what is kept is not asked again, what is wrong is told before."""

from __future__ import annotations

import json
import os
import sqlite3
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from functools import partial
from itertools import combinations
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import isamap_smt as im
from isamap_smt.certificates.errors import CertificateError
from isamap_smt.cli.app import run
from isamap_smt.exploration import cells, grid
from isamap_smt.ir.errors import HardwareError, ScheduleError
from isamap_smt.report.explored import markdown, page

MACHINE = """
import isamap_smt as im


def MACHINE(kib: int = 4, width: int = 16) -> im.Hardware:
    tile = {"r": 4, "c": 4}
    move = dict(active={"r": "rows", "c": "columns"}, beyond="zero", dtypes={"s": "f32", "m": "f32"}, axes=tile)
    return im.Hardware("array", (im.Memory("pad", kib << 10, row=16), im.Memory("sums", 1 << 10, row=16)), (), (
        im.instruction("load", "s[r,c] = m[r,c]", places={"s": "pad[r,c]", "m": "memory[r*down + c]"}, engine="load",
                       work=im.Work(20, 16 / width, ("r",)), front={"r": "above"}, **move),
        im.instruction("clear", "acc[r,c] = 0", axes=tile, dtypes={"acc": "f32"}, places={"acc": "sums[r,c]"}, engine="execute",
                       work=im.Work(1, 0)),
        im.instruction("product", "acc[i,j] += a[i,k] * b[k,j]", axes={"i": 4, "j": 4, "k": 4},
                       dtypes=dict.fromkeys(("acc", "a", "b"), "f32"),
                       places={"acc": "sums[i,j]", "a": "pad[i,k]", "b": "pad[k,j]"}, engine="execute", work=im.Work(4, 1, ("i",)),
                       rounding="as it likes"),
        im.instruction("store", "m[r,c] = s[r,c]", places={"m": "memory[r*down + c]", "s": "sums[r,c]"}, engine="store",
                       work=im.Work(20, 16 / width, ("r",)), **{k: v for k, v in move.items() if k != "beyond"}),
    ), "", engines=(im.Engine("load"), im.Engine("execute"), im.Engine("store")))
"""
SMALL = "gemm@i=16,j=16,k=16"


@pytest.fixture
def machine(tmp_path: Path) -> str:
    (tmp_path / "array.py").write_text(MACHINE)
    return f"{tmp_path / 'array.py'}:MACHINE"


def test_a_sweep_is_what_plans_say(machine: str) -> None:
    kernels = [f"3*{SMALL}", "gemm@i=8,j=8,k=64"]
    found = im.sweep(machine, {"kib": [1, 4], "width": [8, 16]}, kernels, jobs=1)
    assert [m.values for m in found.machines] == [(("kib", k), ("width", w)) for k in (1, 4) for w in (8, 16)]
    for n, m in enumerate(found.machines):
        one = im.plan("gemm", m.hardware, sizes={"i": 16, "j": 16, "k": 16})
        other = im.plan("gemm", m.hardware, sizes={"i": 8, "j": 8, "k": 64})
        assert found.total(n) == 3 * one.cycles + other.cycles
        assert m.cost == (dict(m.values)["kib"] << 10) + 1024
    assert found.complete


def test_the_front_has_what_no_other_machine_beats(machine: str) -> None:
    found = im.sweep(machine, {"kib": [1, 2, 4], "width": [8, 16]}, [SMALL], cost="bytes + 64*width", jobs=1)
    points = {n: (m.cost or 0.0, found.total(n) or 0.0) for n, m in enumerate(found.machines)}
    for n, (cost, cycles) in points.items():
        beaten = any(c <= cost and t <= cycles and (c, t) != (cost, cycles) for c, t in points.values())
        assert beaten == (n not in found.pareto) or any(points[n] == points[m] for m in found.pareto)
    for a, b in combinations(found.pareto, 2):
        assert points[a][0] < points[b][0]
        assert points[a][1] > points[b][1]


def test_the_bottleneck_is_what_takes_most(machine: str) -> None:
    found = im.sweep(machine, {"width": [1, 16]}, ["gemm@i=32,j=32,k=32"], jobs=1)
    narrow, _ = found.bottleneck(0)
    assert narrow == "load"
    for n in range(2):
        answer = found.answers[0][n]
        assert answer is not None
        assert answer.bottleneck == max(answer.parts, key=lambda p: p[1])[0]


def test_answers_are_kept(machine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[cells.Cell] = []
    real = cells.answered

    def counted(cell: cells.Cell) -> cells.Answer:
        asked.append(cell)
        return real(cell)

    monkeypatch.setattr(grid, "answered", counted)
    keep = tmp_path / "kept"
    first = im.sweep(machine, {"kib": [1, 2]}, [SMALL], jobs=1, keep=keep)
    assert len(asked) == 2
    again = im.sweep(machine, {"kib": [1, 2, 4]}, [SMALL], jobs=1, keep=keep)
    assert len(asked) == 3
    assert again.answers[0][:2] == first.answers[0]
    with closing(sqlite3.connect(keep / grid.CELLS)) as file, file:
        file.execute("UPDATE record SET text = substr(text, 1, 99) WHERE key = ?", (asked[0].key,))
        file.execute(
            """UPDATE record SET text = replace(text, '"cycles":', '"cycles":1') WHERE key = ?""", (asked[1].key,)
        )
    assert im.sweep(machine, {"kib": [1, 2, 8]}, [SMALL], jobs=1, keep=keep).answers[0][:2] == first.answers[0]
    assert len(asked) == 6
    im.sweep(machine, {"kib": [1, 2, 8]}, [SMALL], jobs=1, keep=keep)
    assert len(asked) == 6
    other = b"something of the user's" * 99
    (keep / grid.CELLS).write_bytes(other)
    with pytest.raises(
        HardwareError, match=r"cannot keep answers in .*cells\.sqlite: it cannot be used: file is not a data"
    ):
        im.sweep(machine, {"kib": [1]}, [SMALL], jobs=1, keep=keep)
    assert (keep / grid.CELLS).read_bytes() == other


def test_a_caller_s_executor_plans(machine: str, tmp_path: Path) -> None:
    processes = partial(ProcessPoolExecutor, 2, mp_context=get_context("spawn"))
    here = im.sweep(machine, {"kib": [1, 2]}, [SMALL], jobs=1)
    with processes() as own:
        assert im.sweep(machine, {"kib": [1, 2]}, [SMALL], executor=own).answers == here.answers
        assert own.submit(abs, -2).result() == 2  # it is left open
    made: list[ProcessPoolExecutor] = []

    def cluster() -> ProcessPoolExecutor:
        made.append(processes())
        return made[-1]

    keep = tmp_path / "kept"
    assert im.sweep(machine, {"kib": [1, 2]}, [SMALL], executor=cluster, keep=keep).answers == here.answers
    with pytest.raises(RuntimeError, match="shutdown"):
        made[0].submit(abs, 1)
    found = im.sweep(machine, {"kib": [1, 2]}, [SMALL], executor=cluster, keep=keep)
    assert found.answers == here.answers and len(made) == 1  # nothing was left to ask


def test_an_executor_that_dies_or_is_none_is_told(machine: str, tmp_path: Path) -> None:
    dying = partial(ProcessPoolExecutor, 1, mp_context=get_context("spawn"), initializer=os._exit, initargs=(3,))
    with pytest.raises(CertificateError, match="in the middle of its work"):
        im.sweep(machine, {"kib": [1]}, [SMALL], executor=dying)
    for wrong, words in (
        ("tcp://10.0.0.1:8786", "pass a concurrent.futures executor, or a function that makes one"),
        (lambda: 3, "the function made 3, which is none"),
        (partial(ThreadPoolExecutor, 2), "solvers do not run in several threads of one process"),
    ):
        with pytest.raises(ScheduleError, match=words):
            im.table([SMALL], [machine], executor=wrong, keep=tmp_path / "kept")


def test_dask_workers_plan(machine: str) -> None:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install isamap-smt[tune]")
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        found = im.sweep(machine, {"kib": [1, 2]}, [SMALL], executor=client.get_executor)
    assert found.answers == im.sweep(machine, {"kib": [1, 2]}, [SMALL], jobs=1).answers


def test_another_planner_is_another_question(machine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep = tmp_path / "kept"
    im.sweep(machine, {"kib": [2]}, [SMALL], jobs=1, keep=keep)
    monkeypatch.setattr(grid, "answered", lambda cell: pytest.fail("asked again"))
    im.sweep(machine, {"kib": [2]}, [SMALL], jobs=1, keep=keep)
    monkeypatch.setattr(cells, "own_sources", lambda exactly: "an edited planner" * exactly)
    with pytest.raises(pytest.fail.Exception, match="asked again"):
        im.sweep(machine, {"kib": [2]}, [SMALL], jobs=1, keep=keep)


def test_another_description_is_another_question(machine: str, tmp_path: Path) -> None:
    keep, file = tmp_path / "kept", tmp_path / "array.py"
    before = im.sweep(machine, {"kib": [2]}, [SMALL], jobs=1, keep=keep)
    other = tmp_path / "other.py"
    other.write_text(file.read_text().replace("im.Work(4, 1,", "im.Work(40, 10,"))
    after = im.sweep(f"{other}:MACHINE", {"kib": [2]}, [SMALL], jobs=1, keep=keep)
    assert (after.total(0) or 0) > (before.total(0) or 0)


def test_a_table_counts_mappings_and_says_why_there_is_none(machine: str) -> None:
    found = im.table([SMALL, "matvec@i=8,k=8"], ["scalar", "avx2", machine], jobs=1)
    (scalar, avx2, array), (_, _, none) = found.answers
    assert scalar is not None
    assert scalar.by
    assert avx2 is not None
    assert avx2.mappings == len(
        im.find_mappings(im.find_kernel("gemm"), im.find_instruction("avx2.fmadd_ps")).legal
    ) + sum(
        len(im.find_mappings(im.find_kernel("gemm"), i).legal)
        for i in im.find_hardware("avx2").computes
        if i.short != "fmadd_ps" and _fits(i)
    )
    assert array is not None
    assert array.cycles == im.plan("gemm", machine, sizes={"i": 16, "j": 16, "k": 16}).cycles
    assert none is not None
    if none.cycles is None:
        assert none.reason


def _fits(instruction: Any) -> bool:
    try:
        im.find_mappings(im.find_kernel("gemm"), instruction)
    except im.IsamapError:
        return False
    return True


def test_workers_say_the_same(machine: str) -> None:
    over = {"kib": [1, 2]}
    one, two = (im.sweep(machine, over, [SMALL, "gemm@i=8,j=8,k=8"], jobs=n) for n in (1, 2))
    assert one.answers == two.answers


@pytest.mark.parametrize(
    ("over", "kernels", "cost", "said"),
    [
        ({"depth": [1]}, [SMALL], "bytes", "depth"),
        ({}, [SMALL], "bytes", "over"),
        ({"kib": []}, [SMALL], "bytes", "empty"),
        ({"kib": [-1]}, [SMALL], "bytes", "at least 0"),
        ({"kib": [1]}, ["gem@i=1"], "bytes", "gemm"),
        ({"kib": [1]}, ["gemm@i"], "bytes", "no size"),
        ({"kib": [1]}, ["gemm@z=3"], "bytes", "no size 'z'"),
        ({"kib": [1]}, SMALL, "bytes", "pass a list"),
        ({"kib": [1]}, [SMALL], "area", "area is no parameter"),
        ({"kib": [1]}, [SMALL], "open('x')", "is no number"),
    ],
)
def test_bad_input_is_told(machine: str, over: Any, kernels: Any, cost: str, said: str) -> None:
    with pytest.raises(im.IsamapError) as error:
        im.sweep(machine, over, kernels, cost=cost, jobs=1)
    assert said in str(error.value)


def test_the_page_and_the_tables_hold_what_was_found(machine: str) -> None:
    found = im.sweep(machine, {"kib": [1, 4]}, [SMALL], jobs=1)
    text, html = markdown(found), page(found, "a & b", "isamap sweep")
    for n in range(2):
        assert f"{found.total(n):,.0f}" in text
        assert f"{found.total(n):,.0f}" in html
    assert "a &amp; b" in html
    assert html.count("<circle") == 2
    assert "http" not in html.replace("http://www.w3.org", "")


def test_the_commands(machine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = tmp_path / "out"
    assert run(["sweep", machine, SMALL, "--over", "kib=1,2", "-o", str(where), "--jobs", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [m["values"] for m in found["machines"]] == [{"kib": 1}, {"kib": 2}]
    assert (where / "index.html").exists()
    assert (where / "table.md").exists()
    assert run(["table", SMALL, "--on", "avx2", "--on", machine, "--jobs", "1"]) == 0
    assert "mapping" in capsys.readouterr().out
    assert run(["sweep", machine, SMALL, "--over", "kib"]) == 3
    assert "--over 'kib'" in capsys.readouterr().err
