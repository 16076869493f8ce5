"""Descriptions that are functions of machine parameters: one file, machines of several sizes, planned, proved and simulated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.ir.errors import HardwareError, IsamapError, UnknownNameError
from isamap_smt.language.loading import split_parameters, with_set

MACHINE = """\
import isamap_smt as im


def MACHINE(n: int, kilobytes: int = 64) -> im.Hardware:
    tile, active, acc = {"r": n, "c": n}, {"r": "rows", "c": "columns"}, "accumulators[r,c]"
    dma = im.Work(start=16, each=1, per=("r",))

    def made(name, text, axes, places, engine, work, **more):
        types = dict.fromkeys(places, "f32")
        return im.instruction(name, text, axes=axes, dtypes=types, places=places, engine=engine, work=work, **more)

    m, s = "memory[r*stride + c]", "scratchpad[r,c]"
    instructions = (
        made("load", "s[r,c] = m[r,c]", tile, {"s": s, "m": m}, "load", dma, active=active, beyond="zero"),
        made("clear", "acc[r,c] = 0", tile, {"acc": acc}, "execute", im.Work(1, 0)),
        made("outer", "acc[i,j] += a[k,i] * b[k,j]", {"i": n, "j": n, "k": n},
             {"acc": "accumulators[i,j]", "a": "scratchpad[k,i]", "b": "scratchpad[k,j]"}, "execute", im.Work(4, 1, ("k",)),
             rounding="fused"),
        made("store", "m[r,c] = acc[r,c]", tile, {"m": m, "acc": acc}, "store", dma, active=active),
    )
    memories = (im.Memory("scratchpad", kilobytes << 10, row=4 * n), im.Memory("accumulators", 64 * n * n, row=4 * n))
    return im.Hardware("outer", memories, instructions=instructions, engines=tuple(map(im.Engine, ("load", "execute", "store"))))


def NUMBER(n: int) -> int:
    return n


def UNIT(n: int) -> im.Instruction:
    return MACHINE(n).instruction("outer")
"""


@pytest.fixture(autouse=True)
def file(in_empty_directory: Path) -> None:
    """The file m.py."""
    (in_empty_directory / "m.py").write_text(MACHINE)


def test_one_description_is_machines_of_several_sizes() -> None:
    cycles = {}
    for n in (4, 8, 16):
        assert im.find_hardware(f"m.py:MACHINE(n={n})").instruction("outer").axes == {"i": n, "j": n, "k": n}
        planned = im.stage("gemm", f"m.py:MACHINE(n={n})", sizes={"i": 32, "j": 32, "k": 32})
        cycles[n] = planned.schedule.objective
    assert cycles[4] > cycles[8] > cycles[16]


def test_run_with_set(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["run", "gemm", "m.py:MACHINE", "--set", "n=4", "--set", "kilobytes=2", "--sizes", "i=9,j=7,k=5", "--json"]
    assert run([*asked, "--seeds", "2"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["races"] == [] and not found["wrong"]


@pytest.mark.parametrize(
    "spec", ["m.py:UNIT(n=4)", "m.py:MACHINE(n=4).outer", "m.py:MACHINE(n = 4, kilobytes=1).outer"]
)
def test_instructions_of_such_machines(spec: str) -> None:
    assert im.find_instruction(spec).axes == {"i": 4, "j": 4, "k": 4}


def test_map_and_prove_with_set(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["map", "gemm", "m.py:MACHINE", "--set", "n=4", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["legal"] == 2
    assert run(["prove", "gemm", "m.py:MACHINE.outer", "--set", "n=4", "--axes", "i=i,j=j,k=k"]) == 0
    assert "proved" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("m.py:MACHINE", r"MACHINE \(m.py line 4\): the machine parameter n is open, and a number is needed; write m.py"),
        ("m.py:MACHINE(kilobytes=4)", r"the machine parameter n is open"),
        ("m.py:MACHINE(q=4)", r"m.py:MACHINE \(m.py line 4\) has no machine parameter 'q'; known: "),
        ("m.py:MACHINE(n=0)", r"m.py:MACHINE does not load: m.py line \d+:\ninstruction load: axis r has 0 points"),
        ("m.py:MACHINE(n=4, n=8)", r"n is set twice"),
        ("m.py:MACHINE(n=x)", r"'n=x' sets no machine parameter; write whole numbers, such as MACHINE\(n=16\)"),
        ("m.py:MACHINE(n=1.5)", r"'n=1.5' sets no machine parameter"),
        ("m.py:MACHINE(n=4", r"write whole numbers"),
        ("m.py:NUMBER(n=4)", r"'NUMBER' in m.py is int, not isamap_smt.Hardware"),
        ("m.py:MACHIN(n=4)", r"did you mean MACHINE\?"),
        ("avx2(n=4)", r"avx2 has no machine parameter 'n'"),
    ],
)  # fmt: skip
def test_no_such_machine(spec: str, said: str) -> None:
    with pytest.raises(IsamapError, match=said):
        im.find_hardware(spec)


def test_a_machine_that_is_no_function(in_empty_directory: Path) -> None:
    (in_empty_directory / "plain.py").write_text(MACHINE + "\nHARDWARE = MACHINE(4)\n")
    assert im.find_hardware("plain.py").name == "outer"
    with pytest.raises(
        HardwareError, match=r"plain.py:HARDWARE is no function of machine parameters, and is given n; leave them"
    ):
        im.find_hardware("plain.py:HARDWARE(n=4)")


@pytest.mark.parametrize(
    ("spec", "settings", "said"),
    [
        ("m.py:MACHINE(n=4)", ["n=8"], r"--set: m.py:MACHINE\(n=4\) sets n itself"),
        ("m.py:MACHINE", ["n"], r"--set: 'n' sets no machine parameter"),
    ],
)
def test_settings_that_are_none(spec: str, settings: list[str], said: str) -> None:
    with pytest.raises(UnknownNameError, match=said):
        with_set(spec, settings)


def test_settings_become_part_of_the_name() -> None:
    assert with_set("m.py", ["n=4,k=2"]) == "m.py:HARDWARE(n=4, k=2)"
    assert with_set("m.py:M(k=2).outer", ["n=4"]) == "m.py:M(k=2, n=4).outer"
    assert with_set("sve.svmla_f32", ["VL=4"]) == "sve(VL=4).svmla_f32"
    assert with_set("m.py:M", []) == "m.py:M"
    assert split_parameters("m.py:M()") == ("m.py:M", {})
