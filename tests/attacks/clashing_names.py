"""Names chosen to meet others in the C: of macros, keywords, preludes, helpers, and of the C that isamap prints itself."""

from __future__ import annotations

import functools
import keyword
import random
import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest

import isamap_hardware
import isamap_smt as im
from isamap_smt.codegen import c_blocks, c_expr, c_parallel, c_state
from isamap_smt.ir import activations
from isamap_smt.ir.c_names import KEYWORDS, STANDARD
from isamap_smt.ir.errors import LanguageError
from isamap_smt.language.hardware_library import missing_features
from isamap_smt.mapping import convert_c
from isamap_smt.runtime.compiled import CompiledKernel, build_program
from isamap_smt.runtime.compiler import find_compiler
from isamap_smt.runtime.simde import find_simde

HEADERS = (
    "pthread.h",
    "stdint.h",
    "stdlib.h",
    "string.h",
    "time.h",
    "complex.h",
    "stdbool.h",
    "math.h",
    "sys/syscall.h",
    "immintrin.h",
)
FOREIGN = {  # of machines of other architectures
    "aarch64-linux-musl": ("arm_neon.h", "arm_sve.h", "arm_neon_sve_bridge.h", "stdint.h", "string.h"),
    "riscv64-linux-musl": ("riscv_vector.h", "stdint.h"),
}
OURS = [
    "acc", "acc_0", "acc_0_0", "acc_0_1", "a_r", "b_r", "b_r_0", "A_packed", "B_packed", "B_packed_0", "acc_staged",
    "i0", "j0", "j1", "k0", "i0_end", "k0_end", "i0_on", "c_k", "c_j", "c_k_by", "c_k_in", "n_I", "n_J", "part_0",
    "from", "to", "scope", "context", "share", "tensors", "sizes", "packed", "threads", "which", "result", "fresh",
    "bound", "term",
]  # fmt: skip
# machine -> element types of the left operand, the right one and the result
MACHINES = {
    "scalar": ("bf16", "bf16", "f32"),
    "avx2": ("f32", "f32", "f32"),
    "avx512": ("f32", "f32", "f32"),
    "avx512_vnni": ("u8", "i8", "i32"),
    "amx": ("i8", "i8", "i32"),
}


@functools.cache
def macros(target: str | None = None) -> list[str]:
    """What the compiler and its headers define for the preprocessor; target: for another architecture, one of FOREIGN."""
    compiler = find_compiler("zig" if target else None)
    features = [] if target else ["avx512f", "avx512_vnni"]
    flags = [f for f in compiler.flags(features, target=target) if f != "-shared"]
    headers = FOREIGN[target] if target else HEADERS
    with tempfile.TemporaryDirectory() as directory:
        source = Path(directory) / "headers.c"
        source.write_text("".join(f"#include <{h}>\n" for h in headers))
        command = [*compiler.command, *flags, "-E", "-dM", str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return sorted(set(re.findall(r"^#define (\w+)", done.stdout, re.MULTILINE)))


@functools.cache
def pools() -> tuple[tuple[str, ...], ...]:
    """Names by where they come from."""
    helpers = [c_expr.HELPERS, c_state.MACRO, c_parallel.RUNTIME, c_blocks.SHUFFLES, *c_blocks.HELPERS.values()]
    helpers += [*convert_c.HELPERS.values(), activations.c_functions()]
    machines = [isamap_hardware.load(n) for n in isamap_hardware.names()]
    described = [t for m in machines for i in m.instructions for t in (i.emit, *i.prelude)]
    sources = [_words(helpers), _words(described), [*KEYWORDS, *STANDARD], macros(), OURS]
    sources += [
        [f"im_{n}" for n in OURS],
        [f"isamap_{n}" for n in OURS],
        ["linux", "unix", "I", "bool", "M_PI", "main", "errno"],
    ]
    return tuple(tuple(sorted(filter(_takes, set(s)))) for s in sources)


def _words(texts: list[str]) -> list[str]:
    return [w for t in texts for w in re.findall(r"[A-Za-z_]\w*", t)]


def _takes(name: str) -> bool:
    """Whether Python, and so the language, takes it for a name."""
    return (
        name.isidentifier()
        and not keyword.iskeyword(name)
        and name not in ("axis", "size", "param", "temporary", "sum")
    )


def kernel(machine: str, seed: int) -> im.Kernel:
    """A matrix product with such names. Those that the language refuses, for example since two axes would share a size, are drawn
    again."""
    rng = random.Random(seed)
    a, b, c = MACHINES[machine]
    for _ in range(200):
        tensors = [rng.choice(rng.choice(pools())) for _ in range(3)]
        i, j, k = (rng.choice(rng.choice(pools())) for _ in range(3))
        if rng.random() < 0.3:
            k = rng.choice(tensors)
        left, right = (
            f"{t}[{x}]" if a == c else f"{c}({t}[{x}])"
            for t, x in zip(tensors[1:], (f"{i},{k}", f"{k},{j}"), strict=True)
        )
        text = f"{tensors[0]}[{i},{j}] += {left} * {right}"
        try:
            return im.kernel(text, name=rng.choice(OURS), dtypes=dict(zip(tensors, (c, a, b), strict=True)))
        except LanguageError:
            continue
    raise AssertionError("the language refused 200 kernels one after another")


def compiled(machine: str, kernel: im.Kernel, sizes: dict[str, int] | None = None, **options: object) -> CompiledKernel:
    """On the machine, or emulated. Skips aloud."""
    missing = missing_features(im.find_hardware(machine).instructions)
    if missing and find_simde() is None:
        pytest.skip(f"this CPU has no {', '.join(missing)}, and SIMDe (libsimde-dev) is not installed")
    planned = im.plan(kernel, machine, sizes=sizes or {}, strategy="exact", cost_model="analytic", **options)
    return build_program(planned.source, simde=True)


def check(machine: str, seed: int) -> None:
    """The kernel of this seed computes what NumPy does, compiled for fixed or for open sizes."""
    one = kernel(machine, seed)
    rng = np.random.default_rng(seed)
    rows, columns, depth = (int(n) for n in rng.integers(1, 70, 3))
    i, j, k = (a.name for a in one.axes)
    fixed = {i: rows, j: columns, k: depth} if seed % 2 else {}
    run = compiled(machine, one, fixed, **({"threads": 2} if seed % 3 == 0 else {}))
    arrays = {}
    for name, shape in zip(one.inputs, ((rows, depth), (depth, columns)), strict=True):
        kind = one.tensor(name).dtype
        low = 0 if kind.name == "u8" else -8
        arrays[name] = rng.integers(low, 9, shape).astype(kind.numpy)
    x, y = (arrays[n].astype(np.float64) for n in one.inputs)
    got = _called(run, arrays)
    assert (got == x @ y).all(), f"{machine}, seed {seed}: {one.text}"


def _called(run: CompiledKernel, arrays: dict[str, np.ndarray]) -> np.ndarray:
    """By position: a tensor may be called `out` or `threads`."""
    return np.asarray(run(*arrays.values(), threads=2))
