"""Machines and instructions that do not load, do not exist, or that this CPU cannot run."""

from __future__ import annotations

import os
import re
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import isamap_hardware.host
import isamap_smt as im
from isamap_smt.ir.errors import HardwareError, UnknownNameError
from isamap_smt.language import hardware_library
from isamap_smt.language.hardware_library import find_hardware, find_instruction, require_features

GOOD = """
import isamap_smt as im

dot = im.instruction("npu.dot", "c[l] += a[l] * b[l]", axes={"l": 4}, dtypes=dict.fromkeys("abc", "f32"),
                     places=dict.fromkeys("abc", "vector"))
NPU = im.Hardware("npu", (im.Memory("vector", 64),), (), (dot,))
HARDWARE = NPU
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A path for a machine's file."""
    return tmp_path / "machine.py"


def test_a_file_that_loads(file: Path) -> None:
    file.write_text(GOOD)
    assert find_hardware(f"{file}:NPU").name == "npu"
    assert find_hardware(str(file)).name == "npu"
    assert find_instruction(f"{file}:dot").axes == {"l": 4}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1\ny = x +\n", r"machine\.py does not load: line 2: SyntaxError: invalid syntax"),
        ("import nothing_of_that_name\n", r"machine\.py does not load: .*ModuleNotFoundError: No module named"),
        ("x = 1\ny = x / 0\n", r"machine\.py does not load: machine\.py line 2: ZeroDivisionError"),
        (GOOD.replace("+= a[l]", "+= a[l"), r"(?s)machine\.py does not load: machine\.py line 4:\n.*\^"),
        (
            GOOD.replace('"l": 4', '"l": 4.5'),
            r"machine\.py does not load: machine\.py line 4:\ninstruction npu\.dot: points of axis l=4\.5 is float",
        ),
        ("HARDWARE = 3\n", r"'HARDWARE' in .*machine\.py is int, not isamap_smt\.Hardware$"),
    ],
)
def test_a_file_that_does_not(file: Path, text: str, said: str) -> None:
    file.write_text(text)
    with pytest.raises(HardwareError, match=said):
        find_hardware(str(file))


def test_a_name_the_file_does_not_define(file: Path) -> None:
    file.write_text(GOOD)
    with pytest.raises(UnknownNameError, match=r"machine\.py defines no hardware 'NPV'; did you mean NPU\?"):
        find_hardware(f"{file}:NPV")
    with pytest.raises(UnknownNameError, match=r"defines no instruction 'dog'; did you mean dot\?"):
        find_instruction(f"{file}:dog")
    assert find_instruction(f"{file}:NPU").name == find_instruction(f"{file}:NPU.dot").name == "npu.dot"  # the only one
    with pytest.raises(UnknownNameError, match=r"npu has no instruction 'dog'; did you mean dot\?"):
        find_instruction(f"{file}:NPU.dog")
    file.write_text(GOOD.split("NPU =", maxsplit=1)[0])
    with pytest.raises(
        UnknownNameError, match=r"machine\.py defines no hardware 'HARDWARE'; it defines no hardware at"
    ):
        find_hardware(str(file))


def test_a_change_that_keeps_size_and_time_is_seen(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    for extent in (4, 8):
        file.write_text(GOOD.replace('"l": 4', f'"l": {extent}'))
        os.utime(file, (1e9, 1e9))
        assert find_instruction(f"{file}:dot").axes == {"l": extent}


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(HardwareError, match=r"no such file: nowhere\.py"):
        find_hardware("nowhere.py:NPU")


def test_unknown_names_list_near_ones() -> None:
    with pytest.raises(UnknownNameError, match="unknown hardware 'avx521'; did you mean avx512"):
        find_hardware("avx521")
    with pytest.raises(UnknownNameError, match=r"avx2 has no instruction 'fmad_ps'; did you mean fmadd_ps"):
        find_instruction("avx2.fmad_ps")
    with pytest.raises(UnknownNameError, match=r"'avx51' names no instruction: did you mean avx512 or "):
        find_instruction("avx51")
    with pytest.raises(
        UnknownNameError, match=r"unknown hardware 'wmma.16x16x16'; wmma is a machine, and 16x16x16 would be an"
    ):
        find_hardware("wmma.16x16x16")
    with pytest.raises(UnknownNameError, match=r"'dpbusd' names no instruction: .* such as amx\.dpbusd"):
        find_instruction("dpbusd")


def test_a_registered_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "isamap_test_npu.py").write_text(GOOD)
    monkeypatch.syspath_prepend(tmp_path)
    entries = [
        EntryPoint("npu", "isamap_test_npu:NPU", hardware_library.GROUP),
        EntryPoint("broken", "isamap_test_npu:nothing", hardware_library.GROUP),
    ]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: entries if group == "isamap.hardware" else [])
    assert find_hardware("npu").name == "npu"
    assert "npu" in hardware_library.hardware_names()
    with pytest.raises(HardwareError, match=r"hardware 'broken', registered by .* does not load: .*AttributeError"):
        find_hardware("broken")


@pytest.fixture
def small_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """A CPU that has AVX2 and no more."""
    monkeypatch.setattr(isamap_hardware.host, "features", lambda: frozenset({"avx2", "fma", "sse2"}))
    monkeypatch.setattr(isamap_hardware.host, "cpu_name", lambda: "haswell")


@pytest.mark.usefixtures("small_cpu")
def test_an_instruction_this_cpu_lacks() -> None:
    dpbusd = find_instruction("avx512_vnni.dpbusd")
    said = (
        "this CPU (haswell) has no avx512_vnni, avx512f, which avx512_vnni.dpbusd needs; "
        "map onto `host`, or only compile"
    )
    with pytest.raises(HardwareError, match=re.escape(said)):
        require_features([dpbusd])
    require_features([find_instruction("avx2.fmadd_ps")])
    kernel = im.find_kernel("gemm").with_dtypes({"A": "u8", "B": "i8", "C": "i32"})
    planned = im.plan(kernel, "avx512_vnni", sizes={"i": 4, "j": 16, "k": 16})
    with pytest.raises(HardwareError, match=r"this CPU .haswell. has no avx512_vnni, .*avx512f.*, which"):
        im.build(planned)
