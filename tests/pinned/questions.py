"""About 300 questions whose answers are kept: kernels of the library and of the examples, with open and with fixed sizes, for cores
and for machines with engines.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random

import isamap_smt as im
from isamap_smt.ir.kernel import Kernel
from isamap_smt.language.library import find_kernel, kernel_names

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CORES = ("avx2", "avx512")
OUTER = "examples/outer_product.py:MACHINE"
SMALL = {"r": (3,), "s": (3, 5), "w": (3,), "d": (1, 2), "t": (1, 2), "z": (2,), "sp": (1, 2), "sq": (1, 2), "dp": (1,),
         "dq": (1, 2), "pp": (0, 1), "pq": (0, 1), "pad": (0, 1), "rest": (3,)}  # fmt: skip
LONGEST = "quantised_layers.MOBILENET_BLOCK", "gemmini"  # with open sizes it is planned for half an hour
EXTENTS = (7, 16, 24, 33, 64, 100, 128, 512)
BYTES = {
    "gemm": "CAB",
    "gemm_nt": "CAB",
    "batched_gemm": "CAB",
    "matvec": "yAx",
    "conv2d": "OIW",
    "pointwise_conv2d": "OIW",
}


@dataclass(frozen=True)
class Question:
    """A kernel by its name, a machine, and sizes; left out, they stay open."""

    kernel: str
    machine: str
    sizes: tuple[tuple[str, int], ...] = ()

    @property
    def id(self) -> str:
        """Its words."""
        fixed = ",".join(f"{n}={v}" for n, v in self.sizes)
        return f"{self.kernel} on {self.machine.rpartition('/')[2]}, {fixed or 'open'}"


@cache
def kernels() -> dict[str, Kernel]:
    """Every kernel by the name that questions use: the library's, its products of bytes, and the examples'."""
    found = {n: find_kernel(n) for n in kernel_names()}
    for name, (out, *inputs) in BYTES.items():
        kinds = dict(zip(inputs, ("u8", "i8"), strict=True))
        found[f"{name} u8 i8"] = found[name].with_dtypes({out: "i32", **kinds})
        found[f"{name} i8"] = found[name].with_dtypes({out: "i32", **dict.fromkeys(inputs, "i8")})
    for file in sorted(EXAMPLES.glob("*.py")):
        module = vars(import_module(f"examples.{file.stem}"))
        found |= {f"{file.stem}.{n}": v for n, v in module.items() if isinstance(v, Kernel)}
    return found


def drawn_sizes(name: str, machine: str) -> tuple[tuple[str, int], ...]:
    """A size for each that is open, always the same for the same question."""
    random = Random(f"{name} {machine}")
    return tuple((s, random.choice(SMALL.get(s.lower(), EXTENTS))) for s in sorted(kernels()[name].free_sizes))


@cache
def questions() -> tuple[Question, ...]:
    """All of them."""
    for_vta = [n for n in kernels() if n.startswith("vta_kernels.")]
    whole = [n for n in kernels() if n.endswith(" i8") and not n.endswith("u8 i8")]
    quantised = ["quantised_layers.LINEAR", "quantised_layers.MLP", "quantised_layers.MOBILENET_BLOCK"]
    engines = {
        "gemmini": [*whole, *quantised],
        "vta": for_vta,
        OUTER: ["gemm", "gemm_tn", "gemm_nt", "batched_gemm", "linear_relu"],
    }
    asked = [(n, m) for n in kernels() if n not in for_vta for m in CORES]
    asked += [(n, m) for m, names in engines.items() for n in names]
    found = (q for n, m in asked for q in (Question(n, m), Question(n, m, drawn_sizes(n, m))))
    return tuple(q for q in found if q.sizes or (q.kernel, q.machine) != LONGEST)


def planned(q: Question) -> im.Plan:
    """The plan that answers it. Raises as plan() and stage() do."""
    kernel = kernels()[q.kernel]
    return im.plan(kernel, q.machine, sizes=dict(q.sizes))
