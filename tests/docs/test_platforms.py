"""README's table of platforms: each row is what happens here, and what cannot be seen here is skipped with its reason."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

import isamap_smt as im
from isamap_smt.cli.app import run as command
from isamap_smt.ir.features import architectures
from isamap_smt.language.hardware_library import hardware_names
from isamap_smt.runtime.compiler import find_compiler
from isamap_smt.runtime.feature_flags import own_architecture
from isamap_smt.targets import find_target
from isamap_smt.targets.gemmini import missing
from isamap_smt.targets.target import default_target, executor_of

REPOSITORY = Path(__file__).parents[2]
README = (REPOSITORY / "README.md").read_text()
ENGINES = f"{REPOSITORY / 'examples' / 'outer_product.py'}:MACHINE"
KINDS = ("runs", "emulates", "executes on a model", "maps and proves")
OPEN_LENGTHS = {"sve": "aarch64", "rvv": "riscv64"}


def table() -> dict[str, str]:
    """The rows under the head: first cell -> second."""
    lines = README.split("\n## Platforms\n", 1)[1].split("\n## ", 1)[0].splitlines()
    head, *cells = [[c.strip() for c in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    assert all(head)
    return dict(cells)


ROWS = table()


def machines(row: str) -> list[str]:
    """The machines that a row names in backquotes, in its order."""
    return [n for n in dict.fromkeys(re.findall(r"`(\w+)`", ROWS[row])) if n in hardware_names()]


def typed(machine: im.Hardware) -> list[str]:
    """The words of a command for a small product of matrices in the types of the machine's first instruction that computes."""
    kernel = machine.computes[0].kernel
    a, b = (kernel.tensor(n).dtype.name for n in kernel.inputs)
    (c,) = (kernel.tensor(n).dtype.name for n in kernel.results)
    return ["--dtypes", f"A={a},B={b},C={c}"]


def ran(name: str, where: str, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    """What `isamap run` says of a product with a tail along each axis, compared with the reference."""
    product = ["gemm", name, "--sizes", "i=3,j=5,k=2", *typed(im.find_hardware(name))]
    if name == "vta":  # its sums leave as bytes, in blocks of 16
        product = [f"{REPOSITORY / 'examples' / 'vta_kernels.py'}:dense", name, "--sizes", "i=3,jo=1,ko=2"]
    words = ["run", *product, "--target", where]
    timing = ["--seconds", "0.05"] if find_target(where).timed else []
    status = command([*words, *timing, "--json"])
    said = capsys.readouterr()
    assert status == 0, said.err
    told: dict[str, object] = json.loads(said.out)
    assert told["target"] == where and not told["wrong"]
    return told


def test_the_rows_are_those_that_are_looked_at() -> None:
    assert list(ROWS) == [
        "system",
        "runs",
        "emulates",
        "executes on a model",
        "simulates",
        "maps and proves",
        "C compiler",
    ]


def test_every_machine_stands_in_one_row() -> None:
    named = [m for row in KINDS for m in machines(row)]
    assert sorted(named) == sorted(hardware_names())


def test_the_system() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    (oldest,) = re.findall(r"Python (\d+\.\d+) or newer", ROWS["system"])
    assert project["requires-python"] == f">={oldest}"
    if (sys.platform, own_architecture()) != ("linux", "x86_64"):
        pytest.skip(f"this is {sys.platform} on {own_architecture()}")
    assert ROWS["system"].startswith("Linux on x86-64")


@pytest.mark.parametrize("name", machines("runs"))
def test_what_runs_where_the_cpu_has_it(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    where, what = executor_of(im.find_hardware(name))
    if not where:
        assert name not in ("scalar", "host") and what.startswith("this CPU has no ")
        assert command(["run", "gemm", name, "--sizes", "i=3,j=5,k=2", *typed(im.find_hardware(name))]) == 3
        assert "this CPU" in capsys.readouterr().err
        pytest.skip(what)
    assert where == "c"
    told = ran(name, where, capsys)
    assert told["executor"] == what
    assert name == "host" or str(told["instruction"]).startswith(f"{name}.")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", machines("emulates"))
def test_what_is_emulated(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    machine = im.find_hardware(name)
    (architecture,) = set.intersection(*(set(architectures(f)) for f in machine.computes[0].requires))
    assert architecture != "x86_64"
    where, what = executor_of(machine)
    if not where:
        pytest.skip(what)
    told = ran(name, where, capsys)
    assert where == f"{architecture}-linux-musl" and str(told["executor"]).startswith(f"qemu-{architecture} ")
    assert str(told["instruction"]).startswith(f"{name}.")


@pytest.mark.parametrize(("name", "architecture"), OPEN_LENGTHS.items())
def test_one_program_is_for_vectors_of_every_length(name: str, architecture: str) -> None:
    assert f"`{name}`" in ROWS["emulates"].split(". ", 1)[1] and "vectors of every length" in ROWS["emulates"]
    made = im.plan("gemm", name, sizes=dict(i=3, j=5, k=2))
    assert made.program.parameters == ("VL",) and made.proof.proved


def test_riscv_runs_in_spike_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert "`rvv` in Spike, too" in ROWS["emulates"]
    spike = find_target("riscv64-spike")
    if why := spike.available():
        pytest.skip(why)
    assert str(ran("rvv", "riscv64-spike", capsys)["executor"]).startswith("spike ")


@pytest.mark.parametrize("name", machines("executes on a model"))
def test_what_is_executed_on_a_model(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    machine = im.find_hardware(name)
    where, what = executor_of(machine)
    assert default_target(machine).name == where
    if where != name:
        pytest.skip(find_target(name).available())
    told = ran(name, where, capsys)
    assert what and told["executor"]
    assert ("spike" in str(told["executor"])) == (name == "gemmini" and not missing())  # VTA's model is our own


def test_machines_with_engines_are_simulated_and_no_code_is_made(
    capsys: pytest.CaptureFixture[str], in_empty_directory: Path
) -> None:
    assert executor_of(im.find_hardware(ENGINES))[0] == "simulate"
    told = ran(ENGINES, "simulate", capsys)
    assert isinstance(told["cycles"], int | float) and told["cycles"] > 0 and told["races"] == []
    assert isinstance(told["interleavings"], int) and told["interleavings"] > 1
    assert command(["compile", "gemm", ENGINES, "--sizes", "i=3,j=5,k=2", "-o", "made"]) == 3
    assert not list(in_empty_directory.iterdir())


@pytest.mark.parametrize("name", hardware_names())
def test_every_machine_maps_and_proves_on_any_cpu(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    machine = im.find_hardware(name)
    assert command(["map", "gemm", machine.computes[0].name, *typed(machine), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["legal"] and told["complete"]


def test_what_has_no_code_is_executed_by_nothing() -> None:
    for name in set(machines("maps and proves")) - {"host"}:
        machine = im.find_hardware(name)
        assert "which emits no code yet" in ROWS["maps and proves"]
        assert executor_of(machine) == ("", "no instruction has C: for mapping and proof only")
        with pytest.raises(im.IsamapError, match="for mapping and proof only"):
            im.plan("gemm", machine, sizes=dict(i=3, j=5, k=2))


def test_the_c_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ROWS["C compiler"].startswith("the `ziglang` wheel's by default")
    if find_spec("ziglang") is None:
        pytest.skip("the ziglang wheel is not installed")
    assert "zig" in str(find_compiler())
    for named in ("ISAMAP_CC", "--cc"):
        assert f"`{named}`" in ROWS["C compiler"]
    monkeypatch.setenv("ISAMAP_CC", "no-such-compiler")
    with pytest.raises(im.IsamapError, match="no-such-compiler"):
        find_compiler()
    with pytest.raises(im.IsamapError, match="another-compiler"):
        find_compiler("another-compiler")
