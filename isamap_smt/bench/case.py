"""A case is one kernel at one set of sizes; a condition says whether its weights never change.

Sizes are DeepBench's: it writes C[M,N] = A[M,K] B[K,N] in columns, which in rows is C[N,M] = X[N,K] W[K,M]. So W, its A,
holds the weights, and the kernels here have i = N, j = M, k = K.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from isamap_smt.ir.expr import symbols_of
from isamap_smt.ir.fibres import fibres
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.points import box, kept
from isamap_smt.language.example_kernels import example
from isamap_smt.language.library import find_kernel

#: constant: weights may be packed before the calls. free: nothing is known ahead; packing is part of the call.
CONDITIONS = ("constant", "free")


@dataclass(frozen=True)
class Case:
    """One problem. `family` is what peers compute (matmul, conv, separable, gru, lstm, an operator's name), `group` the class whose
    mean it enters. `kernel` is one of the library, or of examples/ as FILE.py:NAME.

    `weights` names the inputs that are constant under that condition; `form` is the layout of a matrix product (NN, NT,
    TN), the window of a convolution, or the number of steps of a recurrent layer.
    """

    name: str
    family: str
    kernel: str
    sizes: tuple[tuple[str, int], ...]
    dtypes: tuple[tuple[str, str], ...]
    weights: tuple[str, ...]
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
        found = example(self.kernel) if ".py:" in self.kernel else find_kernel(self.kernel)
        return found.with_dtypes(dict(self.dtypes))

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of every tensor, by name."""
        fixed = self.problem().with_sizes(self.size)
        return {t.name: tuple(int(e) for e in t.shape) for t in fixed.tensors}

    @property
    def reduction(self) -> int:
        """How many products of inputs are added up for one element of the result, temporaries multiplied out."""
        kernel = self.problem().with_sizes(self.size)
        return _addends(kernel, kernel.results[0])

    @property
    def operations(self) -> float:
        """2 for every point of the box of each statement that adds up products, as DeepBench counts.

        Padding is not left out, a mask of axes that are indices by themselves is, and the few operations on single elements
        (biases, activations) are not counted. A kernel that adds up nothing has 1 for every point.
        """
        kernel = self.problem().with_sizes(self.size)
        points = [(kept(s) if _plain(s) else box(s), not fibres(kernel, s).apart) for s in kernel.statements]
        return sum(2.0 * n for n, adds in points if adds) or float(sum(n for n, _ in points))

    def bytes(self) -> int:
        """Bytes of all inputs and results together."""
        return sum(self._bytes().values())

    def passes(self) -> tuple[tuple[int, int], ...]:
        """(bytes, how often they are read or written) at least: all once, and once more at each later step what every
        step of a recurrent layer needs.
        """
        kernel, held = self.problem().with_sizes(self.size), self._bytes()
        found = [(sum(held.values()), 1)]
        for block in kernel.recurrences:
            members = kernel.statements[block.first : block.end]
            read = [a for s in members for a in s.inputs if a.tensor in kernel.inputs]
            again = {a.tensor for a in read if block.axis not in symbols_of(a.index)}
            found.append((sum(held[n] for n in again), int(members[0].axis(block.axis).extent) - 1))
        return tuple(found)

    def traffic(self) -> int:
        """Bytes of all passes together."""
        return sum(count * times for count, times in self.passes())

    def _bytes(self) -> dict[str, int]:
        """By tensor, without what only lives within a call."""
        kernel, shapes = self.problem(), self.shapes()
        names = (*kernel.inputs, *kernel.results)
        return {n: math.prod(shapes[n]) * kernel.tensor(n).dtype.numpy.itemsize for n in names}

    def document(self) -> dict[str, Any]:
        """As plain data, for JSON; from_document() is its inverse."""
        return {**asdict(self), "sizes": dict(self.sizes), "dtypes": dict(self.dtypes), "weights": list(self.weights)}


def _plain(s: Statement) -> bool:
    """Whether every index is an axis or a number, so that no point of a guard's may be padding."""
    return all(i.is_Symbol or i.is_Integer for a in (s.target, *s.inputs) for i in a.index)


def _addends(kernel: Kernel, tensor: str) -> int:
    """How many products of inputs one element of the tensor is a sum of."""
    total = 0
    for s in kernel.statements:
        if s.target.tensor == tensor:
            inner = [_addends(kernel, a.tensor) for a in s.inputs if a.tensor in kernel.temporaries]
            total += math.prod([*inner, int(fibres(kernel, s).most)])
    return total


def from_document(document: dict[str, Any]) -> Case:
    """The case that document() wrote; results of before cases had several weights name the one.

    >>> c = Case("x", "matmul", "gemm", (("i", 2),), (("A", "f32"), ("C", "f32")), ("B",), "tiny", "NN")
    >>> from_document(c.document()) == c == from_document({**c.document(), "weights": "B"})
    True
    """
    parts = {**document, "sizes": tuple(document["sizes"].items()), "dtypes": tuple(document["dtypes"].items())}
    weights = document["weights"]
    return Case(**{**parts, "weights": (weights,) if isinstance(weights, str) else tuple(weights)})
