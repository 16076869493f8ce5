"""A case is one kernel at one set of sizes; a condition says whether its weights never change.

Sizes are DeepBench's: it writes C[M,N] = A[M,K] B[K,N] in columns, which in rows is C[N,M] = X[N,K] W[K,M]. So W, its A,
holds the weights, and the kernels here have i = N, j = M, k = K.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from isamap_smt.ir.kernel import Kernel
from isamap_smt.language.library import find_kernel

#: constant: weights may be packed before the calls. free: nothing is known ahead; packing is part of the call.
CONDITIONS = ("constant", "free")


@dataclass(frozen=True)
class Case:
    """One problem. `family` is what peers compute (matmul, conv), `group` the class whose mean it enters.

    `weights` names the input that is constant under that condition; `form` is the layout of a matrix product (NN, NT,
    TN) or the window of a convolution.
    """

    name: str
    family: str
    kernel: str
    sizes: tuple[tuple[str, int], ...]
    dtypes: tuple[tuple[str, str], ...]
    weights: str
    group: str
    form: str

    @property
    def size(self) -> dict[str, int]:
        """Sizes and parameters by name."""
        return dict(self.sizes)

    @property
    def elements(self) -> str:
        """The inputs' element types, such as f32 or u8xi8."""
        return "x".join(dict.fromkeys(t for _, t in self.dtypes[:-1]))

    def problem(self) -> Kernel:
        """The kernel with its element types; sizes stay open."""
        return find_kernel(self.kernel).with_dtypes(dict(self.dtypes))

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of every tensor, by name."""
        fixed = self.problem().with_sizes(self.size)
        return {t.name: tuple(int(e) for e in t.shape) for t in fixed.tensors}

    @property
    def reduction(self) -> int:
        """How many products are added up for one element of the result."""
        kernel = self.problem().with_sizes(self.size)
        statement = kernel.statements[0]
        return math.prod(int(statement.axis(a).extent) for a in statement.reduction_axes)

    @property
    def operations(self) -> float:
        """2 for every point of the kernel's box, as DeepBench counts: padding is not left out."""
        statement = self.problem().with_sizes(self.size).statements[0]
        return 2.0 * math.prod(int(a.extent) for a in statement.axes)

    def bytes(self) -> int:
        """Bytes of all tensors together: the least that has to move when nothing is in a cache."""
        kernel = self.problem()
        return sum(math.prod(shape) * kernel.tensor(n).dtype.numpy.itemsize for n, shape in self.shapes().items())

    def document(self) -> dict[str, Any]:
        """As plain data, for JSON; from_document() is its inverse."""
        return {**asdict(self), "sizes": dict(self.sizes), "dtypes": dict(self.dtypes)}


def from_document(document: dict[str, Any]) -> Case:
    """The case that document() wrote.

    >>> c = Case("x", "matmul", "gemm", (("i", 2),), (("A", "f32"), ("C", "f32")), "B", "tiny", "NN")
    >>> from_document(c.document()) == c
    True
    """
    parts = {**document, "sizes": tuple(document["sizes"].items()), "dtypes": tuple(document["dtypes"].items())}
    return Case(**parts)
