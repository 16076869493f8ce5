"""A GEMM from text to machine code on every machine that emits: proved, scheduled, built, run on real arrays.

Odd sizes: every mask, tail and padded panel runs. AVX-512 runs under SIMDe where this CPU has none.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.codegen import lower, print_c
from isamap_smt.ir.program import Program
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.schedule import LoopStep, Schedule, Stage
from isamap_smt.language.hardware_library import missing_features
from isamap_smt.mapping.fuse import fuse
from isamap_smt.proof import prove
from isamap_smt.runtime.cache import build_library
from isamap_smt.runtime.compiled import CompiledKernel, build_program
from isamap_smt.runtime.compiler import find_compiler
from isamap_smt.runtime.packing import used_instructions
from isamap_smt.runtime.simde import find_simde
from tests.families import draw, part
from tests.sanitizer import sanitizer_environment

CASES = {
    "avx2.fmadd_ps": ("f32", "f32", "f32"),
    "avx2.fmadd_pd": ("f64", "f64", "f64"),
    "avx2.madd_u8i8": ("u8", "i8", "i32"),
    "avx2.madd_i16i16": ("i16", "i16", "i32"),
    "avx512.fmadd_ps": ("f32", "f32", "f32"),
    "avx512.fmadd_pd": ("f64", "f64", "f64"),
    "avx512_vnni.dpbusd": ("u8", "i8", "i32"),
    "avx512_vnni.dpwssd": ("i16", "i16", "i32"),
    "avx512_bf16.dpbf16_ps": ("bf16", "bf16", "f32"),
    "avx512_fp16.fmadd_ph": ("f16", "f16", "f16"),
    "avx_vnni.dpbusd": ("u8", "i8", "i32"),
    "avx_vnni.dpwssd": ("i16", "i16", "i32"),
}
SIZES = {"I": 13, "J": 37, "K": 11}


@functools.cache
def proved(name: str) -> ProvedMapping:
    """GEMM with j in the lanes and, where there is one, k in the dot product's axis. Skips aloud."""
    machine, short = name.split(".")
    instruction = im.find_hardware(machine).instruction(short)
    missing = missing_features([instruction])
    if missing and find_simde() is None:
        pytest.skip(f"this CPU has no {', '.join(missing)}, and SIMDe (libsimde-dev) is not installed")
    kernel = im.kernel("C[i,j] += A[i,k] * B[k,j]", name="gemm")
    kernel = kernel.with_dtypes(dict(zip("ABC", CASES[name], strict=True)))
    axes = {"l": ["j"], "e": ["k"]} if "e" in instruction.axes else {"l": ["j"]}
    return prove(fuse(kernel, instruction, axes, operands="any"))


@functools.cache
def program_of(name: str, *, constant: bool = False, parallel: bool = False) -> Program:
    """GEMM by a schedule written here: a register tile of 3 x 2 vectors, i spread over threads if `parallel`."""
    axes = proved(name).mapping.instruction.axes
    depth, width = axes.get("e", 1), 2 * axes["l"]
    loops = (LoopStep("j", width), LoopStep("i", 3), LoopStep("k", depth))
    # sums of several products need their last group padded, so both operands are packed
    packed = (Stage("b", 0, ahead=constant),) if constant or depth > 1 else ()
    packed += (Stage("a", 0),) if depth > 1 else ()
    planned = Schedule(
        proved(name), loops, 2, (("i", 3), ("j", width), ("k", depth)), packed,
        parallel=1 if parallel else None, hardware=im.find_hardware(name.split(".", maxsplit=1)[0]),
    )  # fmt: skip
    return lower(planned)


@functools.cache
def build(name: str, *, constant: bool = False, parallel: bool = False) -> CompiledKernel:
    """That program, compiled with run-time sizes."""
    program = program_of(name, constant=constant, parallel=parallel)
    return build_program(print_c(im.require_proof(program)), simde=True)


def arrays(kernel: CompiledKernel) -> dict[str, np.ndarray]:
    """Inputs over the whole range of the integers; small integers in floating point, whose sums are exact."""
    random = np.random.default_rng(3)
    found = {}
    for name, shape in (("A", (SIZES["I"], SIZES["K"])), ("B", (SIZES["K"], SIZES["J"]))):
        dtype = kernel.kernel.tensor(name).dtype
        low, high = (-16, 16) if dtype.is_float else (dtype.low, dtype.high)
        found[name] = random.integers(low, high, shape, endpoint=True).astype(dtype.numpy)
    return found


def product(inputs: dict[str, np.ndarray], like: np.ndarray) -> np.ndarray:
    """A @ B in exact integers, wrapped to the output's type."""
    return (inputs["A"].astype(np.int64) @ inputs["B"].astype(np.int64)).astype(like.dtype)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", part(CASES, lambda n: draw(n, 2) == 0))
def test_gemm_is_exact(name: str) -> None:
    compiled = build(name)
    inputs = arrays(compiled)
    got = compiled(**inputs)
    assert (got == product(inputs, got)).all()
    started = np.full_like(got, 7)
    compiled(**inputs, out=started)
    assert (started == got + 7).all()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["avx2.fmadd_ps", "avx2.madd_u8i8", "avx512_vnni.dpbusd"])
def test_gemm_with_a_constant_operand_and_threads(name: str) -> None:
    compiled = build(name, constant=True, parallel=True)
    assert compiled.constants == ("B",)
    inputs = arrays(compiled)
    got = compiled(**inputs, threads=2)
    assert (got == product(inputs, got)).all()
    packed = compiled.pack(B=inputs["B"])
    assert (packed(inputs["A"], threads=3) == got).all()
    assert (packed(inputs["A"][:5]) == got[:5]).all()


# Loads a library and runs it once on the arrays of a file: no other native code that the sanitizers could complain of.
CALL = """
import ctypes, sys
import numpy as np
library, file = sys.argv[1:]
with np.load(file) as held:
    arrays = [held[name] for name in held.files]
sizes = arrays.pop()
pointers = (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))
run = ctypes.CDLL(library).isamap_run
code = run(pointers, sizes.ctypes.data_as(ctypes.c_void_p), None, ctypes.c_int64(2))
np.save(file + ".out.npy", arrays[0])
print("code", code)
"""


@pytest.mark.parametrize("name", ["avx2.fmadd_ps", "avx2.madd_u8i8"])
def test_gemm_is_clean_under_the_sanitizers(name: str, tmp_path: Path) -> None:
    """In a Python of its own, with the sanitizers' run-time library in front."""
    cc = next((c for c in ("gcc", "clang") if shutil.which(c)), None)
    if cc is None:
        pytest.skip("the sanitizers need gcc or clang; neither is installed")
    program = program_of(name, parallel=True)
    instructions = used_instructions(program)
    emulated = bool(missing_features(instructions))
    requires = {feature for i in instructions for feature in i.requires}
    library = build_library(print_c(im.require_proof(program)), requires, cc=cc, sanitize=True, simde=emulated)
    inputs = arrays(build(name))
    tensors = program.kernel.tensors
    out = np.zeros((SIZES["I"], SIZES["J"]), tensors[0].dtype.numpy)
    held = {t.name: inputs.get(t.name, out) for t in tensors}
    sizes = np.array(
        [*(SIZES[n] for n in program.kernel.free_sizes), 0], np.int64
    )  # 0: it adds to what the output holds
    np.savez(tmp_path / "call.npz", **held, sizes=sizes)
    environment = {**os.environ, **sanitizer_environment(find_compiler(cc))}
    command = [sys.executable, "-c", CALL, str(library), str(tmp_path / "call.npz")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "code 0", done.stderr[-3000:]
    got = np.load(tmp_path / "call.npz.out.npy")
    assert (got == product(inputs, got)).all()


def test_tensors_may_be_called_like_what_loops_count_with() -> None:
    kernel = im.kernel("j0_end[i,j] += i0_on[i,k] * k0_end[k,j]", name="product")
    compiled = im.compile(kernel, "host")
    a, b = np.ones((5, 7), np.float32), np.ones((7, 50), np.float32)
    assert np.array_equal(compiled(a, b), a @ b)
