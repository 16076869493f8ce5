"""Who takes part in which case: isamap and the libraries people use instead.

A peer is a library at its best for a condition: with weights packed ahead where they are constant and it can, as it is
called otherwise. Each runs in a process of its own; a peer that is not installed is said to be missing, by name.
"""

from __future__ import annotations

import ctypes.util
import os
import sys
from dataclasses import dataclass
from importlib.util import find_spec

from isamap_smt.bench.case import Case
from isamap_smt.bench.operators import LAYERS_OF_BYTES, OPERATORS
from isamap_smt.ir.errors import UnknownNameError, did_you_mean
from isamap_smt.report.quantities import installed

OURS = "isamap"
_PACKAGES = {"exo": "exo-lang"}  # what is imported -> what is installed, where the names differ


@dataclass(frozen=True)
class Contender:
    """module:function opens a case (see work.Open). takes: (family, inputs' types or `*` for any, condition).

    needs: packages to import. threads: the most it can use, 0 for any number.
    """

    name: str
    where: str
    about: str
    takes: tuple[tuple[str, str, str], ...]
    needs: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    threads: int = 0

    def plays(self, case: Case, condition: str, threads: int) -> bool:
        """Whether it takes part in this case."""
        return (
            any((case.family, elements, condition) in self.takes for elements in (case.elements, "*"))
            and (not self.forms or case.form in self.forms)
            and (self.threads == 0 or threads <= self.threads)
        )

    def missing(self) -> str:
        """What has to be installed for it, or nothing."""
        absent = [_PACKAGES.get(p, p) for p in self.needs if find_spec(p) is None]
        if absent:
            return f"{', '.join(absent)} not installed: pip install {' '.join(absent)}"
        if self.name == "libxsmm" and libxsmm() is None:
            return "no libxsmm.so found: set ISAMAP_LIBXSMM to its path"
        release = installed(["exo-lang"]).get("exo-lang", "") if self.name == "exo" else ""
        if release.startswith("1.0.") and sys.version_info >= (3, 13):
            return "exo-lang 1.0 does not start on Python 3.13 and later"
        return ""


def libxsmm() -> str | None:
    """The path of libxsmm: ISAMAP_LIBXSMM, or where the system finds it."""
    return os.environ.get("ISAMAP_LIBXSMM") or ctypes.util.find_library("xsmm")


def _matmul(*pairs: str) -> tuple[tuple[str, str, str], ...]:
    return tuple(("matmul", *p.split()) for p in pairs)  # type: ignore[misc]


_SEPARABLE = (("separable", "f32", "constant"), ("separable", "f32", "free"))
_CONV = (("conv", "f32", "constant"), ("conv", "f32", "free"), *_SEPARABLE)
_LSTM = ("lstm", "f32", "constant")
_RECURRENT = (("gru", "f32", "constant"), _LSTM)


def _operators(*without: str) -> tuple[tuple[str, str, str], ...]:
    """All of them but these: what is constant of one is its weights, and of most it is nothing."""
    return tuple((n, "*", "constant" if o.weights else "free") for n, o in OPERATORS.items() if n not in without)


_ANY = (
    *((f, e, c) for f in ("matmul", "conv") for e in ("f32", "u8xi8", "bf16") for c in ("constant", "free")),
    *_SEPARABLE,
    *_RECURRENT,
    *_operators(),
)
_PEERS = "isamap_smt.bench.peers"
_ALL = (
    Contender(OURS, f"{_PEERS}.ours:open_case", "proved kernels, called from Python", _ANY),
    Contender(
        "numpy",
        f"{_PEERS}.with_numpy:open_case",
        "numpy.matmul, and operators as one writes them; OpenBLAS told the core type where it mistakes it",
        (*_matmul("f32 free"), *_operators("gelu")),
        ("numpy",),
    ),
    Contender(
        "torch",
        f"{_PEERS}.with_torch:open_case",
        "torch.mm, torch._int_mm, torch.conv2d, torch.nn.GRU, torch.nn.LSTM, and its function of each operator",
        (*_matmul("f32 free", "u8xi8 free", "bf16 free"), *_CONV, *_RECURRENT, *_operators()),
        ("torch",),
    ),
    Contender(
        "torch-channels-last",
        f"{_PEERS}.with_torch:open_channels_last",
        "torch.conv2d on channels-last tensors",
        _CONV,
        ("torch",),
    ),
    Contender(
        "onednn",
        f"{_PEERS}.with_onednn:open_case",
        "oneDNN through torch, weights reordered ahead",
        (
            *_matmul("f32 constant", "u8xi8 constant", "bf16 constant"),
            *(taken for taken in _CONV if taken[2] == "constant"),
            _LSTM,
            *((n, "*", "constant") for n in LAYERS_OF_BYTES),
        ),
        ("torch",),
    ),
    Contender(
        "onnxruntime",
        f"{_PEERS}.with_onnxruntime:open_case",
        "MatMul, Gemm, MatMulInteger, Conv, GRU, LSTM and operators on the CPU; weights an initializer where they are constant",
        (*_matmul("f32 free", "f32 constant", "u8xi8 free", "u8xi8 constant"), *_CONV, *_RECURRENT, *_operators()),
        ("onnxruntime", "onnx"),
    ),
    Contender(
        "exo",
        f"{_PEERS}.exo_schedule:open_case",
        "an sgemm scheduled with Exo's operators, its C built like our kernels",
        _matmul("f32 free"),
        ("exo",),
        forms=("NN",),
        threads=1,
    ),
    Contender(
        "libxsmm",
        f"{_PEERS}.with_libxsmm:open_case",
        "one kernel generated for the whole product (API 1.x)",
        _matmul("f32 free"),
        forms=("NN",),
        threads=1,
    ),
)
CONTENDERS = {c.name: c for c in _ALL}


def find_contenders(names: list[str] | None) -> list[Contender]:
    """isamap and the peers of these names, or all. Raises UnknownNameError."""
    if names is None:
        return list(CONTENDERS.values())
    for name in names:
        if name not in CONTENDERS:
            raise UnknownNameError(f"no such peer {name!r}; {did_you_mean(name, CONTENDERS)}")
    return [CONTENDERS[OURS], *(CONTENDERS[n] for n in dict.fromkeys(names) if n != OURS)]
