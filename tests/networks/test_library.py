"""A network as plain C: the same bits as from Python, no heap, and codes for what is wrong."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.language.hardware_library import host_features
from isamap_smt.networks.compiled import CompiledNetwork
from isamap_smt.networks.cpu import cpu_check, unasked
from isamap_smt.networks.library import write_library
from tests.networks.models import convolutional, model, node

TRY = """
#include "small.h"
static _Alignas(64) char arena[1 << 20];
int main(void) {
    static float x[768], y[16];
    const small_inputs in = {x};
    const small_outputs out = {y};
    float sum = 0;
    if (small_run(&in, &out, arena, small_weights, 0)) return 1;
    for (int n = 0; n < 16; ++n) sum += y[n];
    return sum > 0.999f && sum < 1.001f ? 0 : 2;
}
"""
HEAP = {"malloc", "calloc", "realloc", "aligned_alloc", "free", "posix_memalign"}


class Arrays(ctypes.Structure):
    """One address."""

    _fields_ = (("only", ctypes.c_void_p),)


class InC:
    """A library that is loaded, its arena and its weights."""

    def __init__(self, folder: Path, compiled: CompiledNetwork) -> None:
        self.folder, self.compiled = folder, compiled
        self.written = write_library(compiled.plan, folder, "small")
        self.code = ctypes.CDLL(str(folder / "small.so"))
        self.code.small_text.restype = self.code.small_node.restype = ctypes.c_char_p
        self.code.small_arena_bytes.restype = self.code.small_weights_bytes.restype = ctypes.c_size_t
        self.weights = aligned((folder / "small_weights.bin").read_bytes())

    def run(
        self, x: np.ndarray | None, arena: np.ndarray | None, weights: np.ndarray | None, begin: int = 0
    ) -> tuple[int, np.ndarray]:
        y = np.full((1, 16), np.nan, np.float32)
        run = self.code.small_run
        run.argtypes = [ctypes.c_void_p] * 5
        given, made = Arrays(None if x is None else x.ctypes.data), Arrays(y.ctypes.data)
        code = run(
            ctypes.addressof(given), ctypes.addressof(made),
            None if arena is None else arena.ctypes.data + begin, None if weights is None else weights.ctypes.data, None,
        )  # fmt: skip
        return int(code), y

    def arena(self, fill: int = 255) -> np.ndarray:
        return aligned(bytes([fill]) * (self.code.small_arena_bytes() + 64))


def aligned(data: bytes) -> np.ndarray:
    whole = np.empty(len(data) + 64, np.uint8)
    whole = whole[-whole.ctypes.data % 64 :][: len(data)]
    whole[:] = np.frombuffer(data, np.uint8)
    return whole


@pytest.fixture(scope="module")
def small(tmp_path_factory: Any) -> Iterator[InC]:
    yield InC(tmp_path_factory.mktemp("library"), im.compile_network(im.from_onnx(convolutional())))


def test_the_c_gives_the_same_bits(small: InC) -> None:
    rng = np.random.default_rng(0)
    for fill in (0, 255, 0x7F):
        x = rng.standard_normal((1, 3, 16, 16)).astype(np.float32)
        code, y = small.run(x, small.arena(fill), small.weights)
        assert code == 0
        assert (y == small.compiled(x)["y"]).all()


def test_nothing_is_written_outside_of_the_arena(small: InC) -> None:
    x, arena, before = np.ones((1, 3, 16, 16), np.float32), small.arena(), small.weights.copy()
    assert small.run(x, arena, small.weights)[0] == 0
    assert (arena[small.written.arena :] == 255).all()
    assert (small.weights == before).all()


def test_wrong_arguments_have_codes(small: InC) -> None:
    x, arena = np.zeros((1, 3, 16, 16), np.float32), small.arena()
    other = small.weights.copy()
    other[3] ^= 1
    told = {
        small.run(None, arena, small.weights)[0]: "NULL",
        small.run(x, None, small.weights)[0]: "the arena is NULL",
        small.run(x, arena, None)[0]: "the weights are NULL",
        small.run(x, arena, other)[0]: "not those of this network",
        small.run(x, arena, small.weights, begin=4)[0]: "no multiple of 64",
    }
    assert 0 not in told
    for code, words in told.items():
        assert words in small.code.small_text(code).decode()
        assert small.code.small_node(code) == b""
    assert small.code.small_node(2 * 100_000 + 2001) == b"p1"


def outside_of_make() -> dict[str, str]:
    """The environment, as if no `make` ran the tests."""
    return {n: v for n, v in os.environ.items() if not n.startswith(("MAKE", "MFLAGS"))}


@pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not installed")
def test_cmake_builds_it_as_a_part_of_a_program(small: InC, tmp_path: Path) -> None:
    (tmp_path / "try.c").write_text(TRY)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(try C)\n"
        f'add_subdirectory("{small.folder}" small)\nadd_executable(try try.c)\ntarget_link_libraries(try small)\n'
    )
    for command in (["-S", ".", "-B", "built"], ["--build", "built"]):
        done = subprocess.run(
            ["cmake", *command], cwd=tmp_path, capture_output=True, text=True, check=False, env=outside_of_make()
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "warning" not in done.stderr.lower()
    assert (tmp_path / "built" / "small" / "libsmall.a").exists()
    assert subprocess.run([tmp_path / "built" / "try"], check=False).returncode == 0


def test_it_builds_by_itself_and_takes_no_heap(small: InC) -> None:
    command = ["make", "-s", "CC=cc"]
    done = subprocess.run(command, cwd=small.folder, capture_output=True, text=True, check=False, env=outside_of_make())
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    named = subprocess.run(["nm", "-u", "libsmall.a"], cwd=small.folder, capture_output=True, text=True, check=True)
    used = {line.split()[-1] for line in named.stdout.splitlines() if line.strip().startswith("U ")}
    assert not used & HEAP
    assert {u for u in used if not u.startswith("small")} <= {
        "memcpy",
        "memcmp",
        "memset",
        "__stack_chk_fail",
        "_GLOBAL_OFFSET_TABLE_",
    }
    (small.folder / "try.c").write_text(TRY)
    command = ["cc", "-Wall", "-Wextra", "-Werror", "try.c", "-L.", "-lsmall", "-lm", "-o", "try"]
    subprocess.run(command, cwd=small.folder, check=True, capture_output=True)
    assert subprocess.run([small.folder / "try"], check=False).returncode == 0


ASKED = """
#include "small.h"
#include <stdio.h>
static _Alignas(64) char arena[1 << 20];
static float x[768], y[16];
int main(void) {
    for (int n = 0; n < 2; ++n) printf("%d ", small_run(&(small_inputs){x}, &(small_outputs){y}, arena, small_weights, 0));
    return puts(small_text(4)) < 0;
}
"""


def asked_program(small: InC, folder: Path, *arguments: str) -> Path:
    """A program that calls twice, and tells both codes."""
    for file in small.folder.glob("small*"):
        shutil.copy(file, folder)
    (folder / "ask.c").write_text(ASKED)
    text = (small.folder / "Makefile").read_text()
    flags = [f for line in text.splitlines() if line.startswith("FEATURES") for f in line.partition("?= ")[2].split()]
    kernels = [*map(str, folder.glob("small_k*.c"))]
    subprocess.run(["gcc", "-O1", *flags, "-c", *kernels], cwd=folder, check=True)
    objects = [f"{Path(k).stem}.o" for k in kernels]
    command = ["gcc", "-O1", *arguments, "small.c", "ask.c", "small_weights.S", *objects, "-lm", "-o", "ask"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "ask"


needs_features = pytest.mark.skipif(
    shutil.which("gcc") is None or not {"avx2"} <= host_features(),
    reason="needs gcc, and a CPU with features to ask for",
)


@needs_features
def test_a_cpu_without_the_instructions_is_told(small: InC, tmp_path: Path) -> None:
    (tmp_path / "cpuid.h").write_text(
        "static int __get_cpuid_count(unsigned l, unsigned s, unsigned *a, unsigned *b, unsigned *c, unsigned *d) {\n"
        "    (void)l; (void)s; *a = *b = *d = 0; *c = 1u << 27; return 1;\n}\n"
    )
    program = asked_program(small, tmp_path, f"-I{tmp_path}")
    said = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert said == f"4 4 this CPU lacks instructions that the kernels use: {', '.join(small.written.features)}\n"


@needs_features
@pytest.mark.skipif(shutil.which("qemu-x86_64") is None, reason="needs qemu-user")
def test_an_emulated_cpu_without_vectors_is_told(small: InC, tmp_path: Path) -> None:
    program = asked_program(small, tmp_path, "-static")
    command = ["qemu-x86_64", "-cpu", "Nehalem", str(program)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.startswith("4 4 this CPU lacks")
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout.startswith("0 0 ")


def test_what_cannot_be_asked_is_said() -> None:
    assert unasked(("avx2", "fma")) == [] == unasked(("sve", "asimd")) == unasked(("v", "f"))
    assert unasked(("avx2", "wbnoinvd")) == ["wbnoinvd"]
    assert "getauxval(AT_HWCAP) & 0x400002ul" in cpu_check(("sve", "asimd"))
    assert cpu_check(()) == "static int isamap_cpu(void) { return 1; }\n"


def test_outputs_may_be_inputs_constants_and_each_other(tmp_path: Path) -> None:
    two = np.arange(6, dtype=np.float32).reshape(2, 3)
    nodes = [
        node("Relu", ["x.1"], ["T0"]), node("Identity", ["T0"], ["int"]), node("Reshape", ["T0", "s"], ["a/b"]),
        node("Identity", ["x.1"], ["*/\n"]), node("Identity", ["two"], ["Y0"]),
    ]  # fmt: skip
    outputs: dict[str, Any] = {"T0": [2, 3], "int": [2, 3], "a/b": [6], "*/\n": [2, 3], "Y0": [2, 3], "x.1": [2, 3]}
    proto = model(nodes, {"x.1": [2, 3]}, outputs, {"two": two, "s": np.array([6])})
    planned = im.plan_network(im.from_onnx(proto))
    written = write_library(planned, tmp_path, "same")
    code, weights = ctypes.CDLL(str(tmp_path / "same.so")), aligned((tmp_path / "same_weights.bin").read_bytes())
    x, y = -two[::-1].copy() + 2, [np.full(6, np.nan, np.float32) for _ in outputs]
    given, made = (ctypes.c_void_p * 1)(x.ctypes.data), (ctypes.c_void_p * len(y))(*(a.ctypes.data for a in y))
    arena = aligned(bytes(written.arena + 64))
    code.same_run.argtypes = [ctypes.c_void_p] * 5
    places = (ctypes.addressof(given), ctypes.addressof(made), arena.ctypes.data, weights.ctypes.data)
    assert code.same_run(*places, None) == 0
    above = np.maximum(x, 0).reshape(-1)
    for found, wanted in zip(y, (above, above, above, x.reshape(-1), two.reshape(-1), x.reshape(-1)), strict=True):
        assert (found == wanted).all()
