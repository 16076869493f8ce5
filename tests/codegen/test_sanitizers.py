"""Generated C is clean under the address and undefined-behaviour sanitizers, tails, windows and threads included."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.codegen import print_c
from isamap_smt.ir.interpret import random_arrays, run_kernel
from isamap_smt.ir.program import Program
from isamap_smt.runtime.cache import build_library
from isamap_smt.runtime.compiler import find_compiler
from isamap_smt.runtime.packing import used_instructions
from tests.codegen.pinned import ALL, EVERY_SIZE, Case
from tests.sanitizer import sanitizer_environment

CASES = [
    "both packed symbolic", "in place", "b ahead symbolic", "parallel rows symbolic", "fused lanes symbolic",
    "bytes symbolic", "point", "conv window", "conv packed symbolic", "conv bytes", "depthwise",
]  # fmt: skip

# Runs each library once on the arrays of its file, in a Python with no other native code of ours.
CALL = """
import ctypes, sys
import numpy as np
for library, file in zip(sys.argv[1::2], sys.argv[2::2]):
    with np.load(file) as held:
        arrays = [held[name] for name in held.files]
    sizes, out = arrays.pop(), int(arrays.pop())
    pointers = (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))
    where = sizes.ctypes.data_as(ctypes.c_void_p)
    kernel = ctypes.CDLL(library)
    kernel.isamap_packed_bytes.restype = ctypes.c_int64
    bytes_ahead = kernel.isamap_packed_bytes(where, ctypes.c_int64(0))
    packed = None
    if bytes_ahead >= 0:
        room = np.empty(bytes_ahead, np.uint8)
        packed = (ctypes.c_void_p * 1)(room.ctypes.data)
        assert kernel.isamap_pack(pointers, where, packed) == 0
    code = kernel.isamap_run(pointers, where, packed, ctypes.c_int64(3))
    kernel.isamap_text.restype = ctypes.c_char_p
    assert code == 0, kernel.isamap_text(code)
    np.save(file + ".out.npy", arrays[out])
    print("ran", library)
"""


# What indices are made of lies behind what their guard leaves: neither the check before a call nor the program reads it there.
DATA = {
    "no axis": "param p >= 0\nT: i32[n]\nY[i] = 0\nY[i] += E[T[p]] where p < n",
    "an axis": "T: i32[n]\nY[i] = 0\nY[i] += E[T[i]] where i < n",
    "both": "T: i32[n]\nY[i] = 0\nY[i] += E[T[i + 2]] where i + 2 < n and n > 3",
    "a choice": "T: i32[n]\nS: i32[n]\nY[i] = 0\nY[i] += select(S[i] < 0, 0, E[T[i]]) where i < n",
}
DATA_SIZES = {"i": 3, "n": 2, "V": 4, "p": 3}

Prepared = tuple[str, str, np.ndarray]


def _prepare(case: Case, cc: str, directory: Path) -> Prepared:
    return _made(case.name, case.program(), case.the_kernel(), dict(case.sizes), cc, directory)


def _made(name: str, program: Program, kernel: im.Kernel, sizes: dict[str, int], cc: str, directory: Path) -> Prepared:
    """(library, file of arrays, what must come out)."""
    features = {f for i in used_instructions(program) for f in i.requires}
    library = build_library(print_c(im.require_proof(program)), features, cc=cc, sanitize=True)
    arrays = random_arrays(kernel, sizes, np.random.default_rng(3), outputs=True)
    out = kernel.outputs[0]
    want = run_kernel(kernel, {n: arrays[n] for n in kernel.inputs}, out={out: arrays[out]}, sizes=sizes)[out]
    held = {t.name: arrays[t.name] for t in kernel.tensors}
    held = {n: a.view(np.uint16) if a.dtype.name == "bfloat16" else a for n, a in held.items()}
    values = {str(a.extent): sizes[a.name] for a in kernel.axes} | sizes
    free = np.array(
        [*(values[n] for n in program.kernel.free_sizes), 0], np.int64
    )  # 0: it adds to what the outputs hold
    file = directory / f"{name}.npz"
    np.savez(file, **held, _out=[t.name for t in kernel.tensors].index(out), _sizes=free)
    return str(library), str(file), want


@pytest.fixture
def cc() -> str:
    found = next((c for c in ("gcc", "clang") if shutil.which(c)), None)
    if found is None:
        pytest.skip("the sanitizers need gcc or clang; neither is installed")
    return found


def test_no_sanitizer_complains(cc: str, tmp_path: Path) -> None:
    cases = [c for c in [*ALL, *EVERY_SIZE] if c.name in CASES]
    assert len(cases) == len(CASES)
    assert_clean(cc, [_prepare(c, cc, tmp_path) for c in cases])


def test_nor_of_indices_that_are_data(cc: str, tmp_path: Path) -> None:
    prepared = []
    for name, text in DATA.items():
        kernel = im.kernel(f"E: f32[V]\naxis i < I\n{text}", name=name.replace(" ", "_"))
        prepared.append(
            _made(
                name,
                im.plan(kernel, "scalar").program,
                kernel,
                {s: v for s, v in DATA_SIZES.items() if s != "p" or "param" in text},
                cc,
                tmp_path,
            )
        )
    assert_clean(cc, prepared)


def assert_clean(cc: str, prepared: list[Prepared]) -> None:
    """Run them all; what comes out is right, and nothing is complained about."""
    arguments = [text for library, file, _ in prepared for text in (library, file)]
    environment = {**os.environ, **sanitizer_environment(find_compiler(cc))}
    command = [sys.executable, "-c", CALL, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    for _, file, want in prepared:
        got = np.load(file + ".out.npy")
        np.testing.assert_allclose(got.astype(np.float64), want.astype(np.float64), rtol=1e-4, atol=1e-4)
