"""Targets by name, what they say of themselves, and how the compiler is told of features by architecture."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path

import archspec.cpu
import pytest

import isamap_hardware
import isamap_smt as im
from isamap_smt.ir.features import architectures, feature_names
from isamap_smt.ir.vector_types import vector_type
from isamap_smt.runtime.compiler import portable_flags
from isamap_smt.runtime.feature_flags import architecture_of, llvm_names, zig_cpu
from isamap_smt.targets import find_target, target_names
from isamap_smt.targets.c import C
from isamap_smt.targets.cross import Cross
from isamap_smt.targets.emulator import find_emulator
from isamap_smt.targets.target import executor_of


@pytest.fixture
def nothing_on_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """No program is found."""
    monkeypatch.setenv("PATH", str(tmp_path))
    find_emulator.cache_clear()
    yield
    find_emulator.cache_clear()


def test_names() -> None:
    assert set(target_names()) >= {"aarch64-linux-musl", "c"}
    assert find_target("c").name == "c" and find_target("c").timed
    arm = find_target("aarch64-linux-musl")
    assert arm.name == "aarch64-linux-musl" and not arm.timed
    assert find_target(arm) is arm


@pytest.mark.parametrize(
    ("name", "said"),
    [("d", "unknown target 'd'; known: aarch64-linux-musl, c"), ("aarch64", "did you mean aarch64-linux-musl?")],
)
def test_unknown_names(name: str, said: str) -> None:
    with pytest.raises(im.IsamapError) as error:
        find_target(name)
    assert said in str(error.value)


def test_what_is_no_name() -> None:
    with pytest.raises(im.IsamapError, match=r"find_target\(\) takes str, not int"):
        find_target(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value", ["isamap_smt.targets.target:find_target", "isamap_smt.targets.target:nothing", "nothing:at_all"]
)
def test_a_target_of_another_package_that_is_none(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("own", value, "isamap.targets")
    monkeypatch.setattr("isamap_smt.targets.target.entry_points", lambda group: [entry])
    with pytest.raises(im.IsamapError, match="target 'own'"):
        find_target("own")


def test_a_missing_emulator_is_named_with_what_installs_it(nothing_on_path: None) -> None:
    if find_spec("ziglang") is None:
        pytest.skip("the compiler is not installed: pip install ziglang")
    said = find_target("aarch64-linux-musl").available()
    assert said == "target aarch64-linux-musl: qemu-aarch64 is not on PATH; apt-get install qemu-user"
    with pytest.raises(im.IsamapError, match="apt-get install qemu-user"):
        find_target("aarch64-linux-musl").executor()


@pytest.mark.parametrize("triple", ["sparc64-linux-musl", "aarch64-macos-none", "aarch64-linux-gnu"])
def test_what_cannot_be_emulated(triple: str) -> None:
    assert "it is no ARCHITECTURE-linux-musl" in find_target(triple).available()


def test_which_machines_a_target_takes() -> None:
    arm, here = find_target("aarch64-linux-musl"), find_target("c")
    if missing := arm.available():
        pytest.skip(missing)
    for machine, taken in (("scalar", True), ("avx2", False), ("amx", False), ("wmma", False)):
        said = arm.takes(im.find_hardware(machine))
        assert (said == "") == taken, said
        assert here.takes(im.find_hardware(machine)) == ""
    assert "no instruction of avx2 has C for aarch64; take other hardware" in arm.takes(im.find_hardware("avx2"))


def test_every_feature_of_64_bit_arm_is_one_that_the_compiler_knows(tmp_path: Path) -> None:
    """archspec's names, Linux's, and LLVM's beside them: all in one flag."""
    if find_spec("ziglang") is None:
        pytest.skip("the compiler is not installed: pip install ziglang")
    names = [n for n in feature_names() if "aarch64" in architectures(n)]
    own = {f for t in archspec.cpu.TARGETS.values() if t.family.name == "aarch64" for f in t.features}
    assert own <= set(names) and len(names) > 60
    (tmp_path / "empty.c").write_text("int nothing;\n")
    flag = zig_cpu("baseline", names, "aarch64")
    command = [sys.executable, "-m", "ziglang", "cc", "-target", "aarch64-linux-musl", flag, "-c", "empty.c"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-500:]


def test_names_of_features_are_those_of_the_architecture() -> None:
    assert llvm_names(["asimd", "asimddp", "cpuid"], "aarch64") == ["dotprod", "neon"]
    assert llvm_names(["sha512"], "aarch64") == ["sha3"] and llvm_names(["sha512"], "x86_64") == ["sha512"]
    assert zig_cpu("baseline", ["sse4_1", "avx512_vnni"], "x86_64") == "-mcpu=baseline+avx512vnni+sse4_1"
    assert [f for f in portable_flags(["asimddp"]) if f.startswith("-m")] == ["-march=armv8-a+dotprod"]
    assert [f for f in portable_flags(["avx2", "fma"]) if f.startswith("-m")] == ["-mavx2", "-mfma"]
    assert [f for f in portable_flags(["avx512f"]) if f.startswith("-m")] == ["-mavx512f", "-mprefer-vector-width=512"]
    assert architecture_of("arm64-linux-musl") == "aarch64" and architecture_of("x86-64") == "x86_64"


def test_headers_are_those_of_the_vector_types() -> None:
    def described(c_type: str) -> im.Instruction:
        return im.instruction(
            "own.muladd",
            "c[l] += a[l] * b[l]",
            axes={"l": 4},
            dtypes=dict.fromkeys("abc", "f32"),
            places=dict.fromkeys("abc", "v"),
            c_types=dict.fromkeys("abc", c_type),
            emit="{c} = {c} + {a} * {b};",
            rounding="unfused",
        )

    assert described("float32x4_t").headers == ("arm_neon.h",)
    assert described("__m128").headers == described("my_vector").headers == ("immintrin.h",)
    assert vector_type("float32x4x2_t") is None and vector_type("__mmask16") is None


class Own(C):
    """This CPU, as a target of another package."""

    name = example = "own"


def test_a_target_of_another_package(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("own", f"{__name__}:Own", "isamap.targets")
    monkeypatch.setitem(sys.modules, __name__, sys.modules[Own.__module__])
    monkeypatch.setattr("isamap_smt.targets.target.entry_points", lambda group: [entry])
    assert isinstance(find_target("own"), Own)
    assert target_names() == ("own",)


def test_without_qemu_a_machine_is_executed_by_what_else_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cross, "available", lambda self, cc=None: "no QEMU")
    spike = find_target("riscv64-spike")
    expected = ("", "no QEMU") if spike.available() else ("riscv64-spike", spike.executor())
    assert executor_of(isamap_hardware.load("rvv")) == expected
    assert executor_of(isamap_hardware.load("neon")) == ("", "no QEMU")
