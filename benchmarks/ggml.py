"""A product with weights in Q4_0 as llama.cpp computes it: ggml's `mul_mat` on the CPU, called in llama-cpp-python's libraries.

ggml rounds activations to Q8_0: blocks of 32 bytes with one scale in f16. llama.cpp interleaves the weights of eight rows when it
loads a model (its buffer type CPU_REPACK); both layouts are here.
"""

from __future__ import annotations

import ctypes
import functools
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

BLOCK = 32
F32, Q4_0 = 0, 2  # ggml_type
Q4_0_BYTES = 2 + BLOCK // 2
SUCCESS = 0  # ggml_status
WORD, POINTER, INT = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int


class Parameters(ctypes.Structure):
    """ggml_init_params."""

    _fields_ = (("bytes", WORD), ("buffer", POINTER), ("no_alloc", ctypes.c_bool))


LOG = ctypes.CFUNCTYPE(None, INT, ctypes.c_char_p, POINTER)

# Of each function: its result, then its arguments.
BASE = {
    "ggml_init": (POINTER, Parameters),
    "ggml_log_set": (None, LOG, POINTER),
    "ggml_tensor_overhead": (WORD,),
    "ggml_graph_overhead": (WORD,),
    "ggml_new_tensor_2d": (POINTER, POINTER, INT, ctypes.c_int64, ctypes.c_int64),
    "ggml_mul_mat": (POINTER, POINTER, POINTER, POINTER),
    "ggml_new_graph": (POINTER, POINTER),
    "ggml_build_forward_expand": (None, POINTER, POINTER),
    "ggml_quantize_chunk": (WORD, INT, POINTER, POINTER, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, POINTER),
    "ggml_backend_alloc_ctx_tensors_from_buft": (POINTER, POINTER, POINTER),
    "ggml_backend_alloc_ctx_tensors": (POINTER, POINTER, POINTER),
    "ggml_backend_tensor_set": (None, POINTER, POINTER, WORD, WORD),
    "ggml_backend_tensor_get": (None, POINTER, POINTER, WORD, WORD),
    "ggml_backend_graph_compute": (INT, POINTER, POINTER),
    "ggml_backend_get_default_buffer_type": (POINTER, POINTER),
    "ggml_backend_reg_dev_get": (POINTER, POINTER, WORD),
    "ggml_backend_reg_get_proc_address": (POINTER, POINTER, ctypes.c_char_p),
    "ggml_backend_buft_name": (ctypes.c_char_p, POINTER),
}
CPU = {
    "ggml_backend_cpu_init": (POINTER,),
    "ggml_backend_cpu_set_n_threads": (None, POINTER, INT),
    "ggml_backend_cpu_reg": (POINTER,),
}


def installed() -> str:
    """The version of llama-cpp-python, or nothing."""
    return version("llama_cpp_python") if find_spec("llama_cpp") else ""


@LOG
def _quiet(_level: int, _text: bytes, _data: Any) -> None:
    """Print nothing of ggml's log."""


@functools.cache
def library() -> Any:
    """ggml's functions, each with its types. llama_cpp itself is not imported: it wants packages that no product needs."""
    spec = find_spec("llama_cpp")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent / "lib"
    found = SimpleNamespace()
    for name, types in (("ggml-base", BASE), ("ggml-cpu", CPU)):
        (path,) = {p.resolve() for p in folder.glob(f"*{name}.*") if p.suffix in {".so", ".dylib", ".dll"}}
        opened = ctypes.CDLL(str(path))
        for function, (result, *arguments) in types.items():
            typed = getattr(opened, function)
            typed.restype, typed.argtypes = result, arguments
            setattr(found, function, typed)
    found.ggml_log_set(_quiet, None)
    return found


def _repacking() -> Any:
    """The type of buffers that interleave rows; None where this build has none."""
    lib = library()
    reg = lib.ggml_backend_cpu_reg()
    address = lib.ggml_backend_reg_get_proc_address(reg, b"ggml_backend_dev_get_extra_bufts")
    listed = ctypes.CFUNCTYPE(ctypes.POINTER(POINTER), POINTER)(address)(lib.ggml_backend_reg_dev_get(reg, 0))
    for kind in listed:
        if kind is None:
            return None
        if lib.ggml_backend_buft_name(kind) == b"CPU_REPACK":
            return kind
    return None


class Product:
    """x @ weights.T of f32 `weights`, rounded to Q4_0 by ggml. Calling it computes that of the x given last, in ggml's buffers.

    repacked: weights lie as llama.cpp loads them. Raises LookupError where this build of ggml cannot.
    """

    def __init__(self, weights: np.ndarray, rows: int, threads: int, *, repacked: bool) -> None:
        lib, (n, k) = library(), weights.shape
        self.shape, self.lib = (rows, n), lib
        self.backend = lib.ggml_backend_cpu_init()
        lib.ggml_backend_cpu_set_n_threads(self.backend, threads)
        kind = _repacking() if repacked else lib.ggml_backend_get_default_buffer_type(self.backend)
        if kind is None:
            raise LookupError("this build of ggml repacks no weights")
        constants, others = (
            lib.ggml_init(Parameters(8 * lib.ggml_tensor_overhead() + lib.ggml_graph_overhead(), None, True))
            for _ in range(2)
        )
        w = lib.ggml_new_tensor_2d(constants, Q4_0, k, n)
        assert lib.ggml_backend_alloc_ctx_tensors_from_buft(constants, kind)
        source, packed = np.ascontiguousarray(weights, np.float32), np.empty(n * k // BLOCK * Q4_0_BYTES, np.uint8)
        made = lib.ggml_quantize_chunk(Q4_0, source.ctypes.data, packed.ctypes.data, 0, n, k, None)
        assert made == packed.nbytes
        lib.ggml_backend_tensor_set(w, packed.ctypes.data, 0, packed.nbytes)
        self.x = lib.ggml_new_tensor_2d(others, F32, k, rows)
        self.y = lib.ggml_mul_mat(others, w, self.x)
        self.graph = lib.ggml_new_graph(others)
        lib.ggml_build_forward_expand(self.graph, self.y)
        assert lib.ggml_backend_alloc_ctx_tensors(others, self.backend)

    def give(self, x: np.ndarray) -> None:
        """Copy the activations to where ggml reads them."""
        x = np.ascontiguousarray(x, np.float32)
        self.lib.ggml_backend_tensor_set(self.x, x.ctypes.data, 0, x.nbytes)

    def __call__(self) -> None:
        if self.lib.ggml_backend_graph_compute(self.backend, self.graph) != SUCCESS:
            raise RuntimeError("ggml computed nothing")

    def result(self) -> np.ndarray:
        """A copy of the last result."""
        y = np.empty(self.shape, np.float32)
        self.lib.ggml_backend_tensor_get(self.y, y.ctypes.data, 0, y.nbytes)
        return y


def in_q8(x: np.ndarray) -> np.ndarray:
    """The activations as Q8_0 holds them, in f64: of each block of 32, 127 steps of its largest; steps are in f16."""
    blocks = x.astype(np.float32).reshape(-1, BLOCK)
    step = np.abs(blocks).max(1, keepdims=True) / np.float32(127)
    rounded = np.rint(blocks / np.where(step, step, 1))
    return (rounded.astype(np.float64) * step.astype(np.float16)).reshape(x.shape)
