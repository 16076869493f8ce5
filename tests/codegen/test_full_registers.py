"""A register tile may take every register: the C keeps compilers from loading ahead of use, so nothing is spilled."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.runtime.compiler import find_compiler

pytestmark = pytest.mark.needs("avx2", "fma")
FULL = [(4, 24), (3, 32), (14, 8)]
PLAIN = {"hardware": "avx2", "cost_model": "analytic", "strategy": "exact"}


def planned(rows: int, columns: int) -> im.Plan:
    sizes = {"i": rows, "j": 2 * columns, "k": 64}
    return im.plan("gemm", sizes=sizes, constant=["B"], fix={"register.i": rows, "register.j": columns}, **PLAIN)


def innermost(source: str, folder: Path) -> list[str]:
    """The instructions of the loop that multiplies, as the compiler in use makes them."""
    compiler = find_compiler()
    code, text = folder / "tile.c", folder / "tile.s"
    code.write_text(source)
    flags = [f for f in compiler.flags(["avx2", "fma"]) if f != "-shared"]
    subprocess.run([*compiler.command, *flags, "-S", "-o", str(text), str(code)], check=True, capture_output=True)
    lines = [x.strip() for x in text.read_text().splitlines() if re.match(r"\s+[a-z]", x)]
    first = last = next(n for n, x in enumerate(lines) if x.startswith("vfmadd"))
    while not re.match(r"j[a-z]+\s", lines[last]):
        last += 1
    return lines[first : last + 1]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("rows", "columns"), FULL)
def test_nothing_is_spilled(rows: int, columns: int, tmp_path: Path) -> None:
    loop = innermost(planned(rows, columns).source, tmp_path)
    assert sum(x.startswith("vfmadd") for x in loop) >= rows * columns // 8
    assert [x for x in loop if "%rsp" in x or "%rbp" in x] == []


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("rows", "columns"), FULL)
def test_the_result_is_right(rows: int, columns: int) -> None:
    kernel = im.build(planned(rows, columns))
    random = np.random.default_rng(0)
    a = random.integers(-9, 9, (rows, 64)).astype(np.float32)
    b = random.integers(-9, 9, (64, 2 * columns)).astype(np.float32)
    assert np.array_equal(kernel.pack(B=b)(A=a), a @ b)


def test_the_scheduler_takes_such_a_tile_where_it_is_the_best() -> None:
    made = im.plan("gemm", sizes={"i": 16, "j": 1344, "k": 1760}, constant=["B"], **PLAIN).schedule
    assert dict(made.registers) == {"i": 4, "k": 1, "j": 24}


def test_a_register_is_left_to_an_instruction_of_several_steps() -> None:
    kernel = im.find_kernel("gemm").with_dtypes({"A": "u8", "B": "i8", "C": "i32"})
    sizes = {"i": 64, "j": 96, "k": 512}
    tile = im.plan(kernel, sizes=sizes, instruction="madd_u8i8", **PLAIN).schedule.register
    rows, columns = tile("i"), tile("j") // 8
    assert rows * columns + min(rows, columns) + 1 <= 15


def test_loads_may_come_early_where_registers_are_left() -> None:
    assert "isamap_first(" in planned(4, 24).source
    assert "isamap_first(" not in planned(6, 16).source
