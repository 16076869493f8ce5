"""A network is a list of steps in order; each step is one kernel, and values pass between steps.

A value has a fixed type and shape. A view is another shape of the same elements in the same order, and costs nothing. A
foreign step is a node computed by no kernel. The builder makes networks: each method of `Graph` adds a step, or
computes at once if all of its operands are constant.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as Dict
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from isamap_smt.ir.dtypes import DType, bool_, dtype, from_numpy
from isamap_smt.ir.errors import IsamapError, NetworkError, UncomputedError
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.kernel import Kernel
from isamap_smt.language import kernel as read_kernel
from isamap_smt.networks.extents import Extent, OpenSize, at, most, open_sizes, read_extent
from isamap_smt.networks.foreign import Evaluate, evaluated, evaluator
from isamap_smt.networks.values import Signature, Value

ALIGNMENT = 64  # bytes, of values in memory: a line of the cache, and the widest vector
MOST_FOLDED = 1 << 22  # points of a kernel that is computed when it is built
MOST_FOLDED_TOGETHER = 1 << 28  # of all of them: what is left stays a step
MOST_COMPUTED = 1 << 30  # bytes of constants that operators make, beside four times what the model gives
LARGEST_VALUE = 1 << 31  # elements: what a size of the language can be
MOST_DIMENSIONS = 32  # of a value; NumPy has 64 at most


class Bound:
    """A step with names of its own, bound to values. reads, writes: (name, value)."""

    reads: tuple[tuple[str, str], ...]
    writes: tuple[tuple[str, str], ...]

    @property
    def sources(self) -> tuple[str, ...]:
        """The values it reads, each once."""
        return tuple(dict.fromkeys(v for _, v in self.reads))

    @property
    def results(self) -> tuple[str, ...]:
        """The values it writes."""
        return tuple(v for _, v in self.writes)


@dataclass(frozen=True)
class Step(Bound):
    """One kernel. node: the model's nodes it computes. reads, writes: the kernel's tensors, and the value of each."""

    node: str
    kernel: Kernel
    reads: tuple[tuple[str, str], ...]
    writes: tuple[tuple[str, str], ...]

    def misfit(self, values: Dict[str, Value]) -> str:
        """The first tensor not fitting its value; empty if all fit."""
        for tensor, name in (*self.reads, *self.writes):
            t, v = self.kernel.tensor(tensor), values[name]
            if t.dtype != v.dtype or not has_shape(self.kernel, tensor, v):
                return f"{tensor}: {t.dtype}{list(t.shape)} is not {v}"
        return ""

    def computed(
        self, values: Dict[str, Value], held: Dict[str, np.ndarray], sizes: Dict[str, int]
    ) -> dict[str, np.ndarray]:
        """Its results, by the interpreter."""
        kernel = self.kernel.with_sizes({n: sizes[n] for n in self.kernel.free_sizes}) if sizes else self.kernel
        found = run_kernel(kernel, {t: held[v] for t, v in self.reads})
        return {v: found[t] for t, v in self.writes}


@dataclass(frozen=True)
class Foreign(Bound):
    """Nodes computed by a back end (networks/foreign.py), without proof: one refused by kernels, or several placed.

    reason: why kernels refuse it, or the gain of placing it. model: the bytes of an ONNX model of these nodes alone.
    reads, writes: the model's inputs and outputs, and the value of each.
    """

    node: str
    op: str
    backend: str
    reason: str
    model: bytes
    reads: tuple[tuple[str, str], ...]
    writes: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return f"{self.node} ({self.op}) by {self.backend}: {self.reason}"

    def misfit(self, values: Dict[str, Value]) -> str:
        """The misfit: a value stored in an order of its own; empty if there is none."""
        stored = [v for _, v in (*self.reads, *self.writes) if values[v].order is not None]
        return f"{stored[0]} is stored in another order" if stored else ""

    def loaded(self, threads: int = 1) -> Evaluate:
        """Its function, loaded. Raises NetworkError if the back end refuses it."""
        return evaluator(self.backend, self.model, self.node, threads)

    def computed(
        self,
        values: Dict[str, Value],
        held: Dict[str, np.ndarray],
        sizes: Dict[str, int],
        evaluate: Evaluate | None = None,
    ) -> dict[str, np.ndarray]:
        """Its results. Raises NetworkError for a back end that fails, or gives another type or shape."""
        found = self.answers(values, held, sizes, evaluate or self.loaded())
        return {v: np.array(a, order="C") for v, a in found.items()}

    def answers(
        self, values: Dict[str, Value], held: Dict[str, np.ndarray], sizes: Dict[str, int], evaluate: Evaluate
    ) -> dict[str, np.ndarray]:
        """The same results, each checked, wherever the back end has them: perhaps in its inputs.

        Raises NetworkError.
        """
        given = {t: held[v] for t, v in self.reads}
        found = evaluated(self.backend, self.node, evaluate, given)
        return {v: self._result(t, values[v], sizes, found.get(t)) for t, v in self.writes}

    def _result(self, name: str, value: Value, sizes: Dict[str, int], array: Any) -> np.ndarray:
        if not isinstance(array, np.ndarray | np.generic):
            got = "nothing" if array is None else f"a {type(array).__name__}"
            raise NetworkError(f"the back end {self.backend} gives {got} for {value}", self.node)
        array = np.asarray(array)
        if array.dtype != value.dtype.numpy or array.shape != at(value.shape, sizes):
            got = f"{array.dtype}{list(array.shape)}"
            raise NetworkError(f"the back end {self.backend} gives {got} for {value}", self.node)
        return array.view(np.uint8) != 0 if value.dtype == bool_ else array


@dataclass(frozen=True)
class View:
    """`result` holds the elements of `source`, row by row, in a shape of its own."""

    node: str
    source: str
    result: str

    @property
    def sources(self) -> tuple[str, ...]:
        """The value it shows."""
        return (self.source,)

    @property
    def results(self) -> tuple[str, ...]:
        """Its one value."""
        return (self.result,)

    def misfit(self, values: Dict[str, Value]) -> str:
        """The misfit: other elements; empty if there is none."""
        of, to = values[self.source], values[self.result]
        return f"{to} is no view of {of}" if of.dtype != to.dtype or of.elements != to.elements else ""

    def computed(
        self, values: Dict[str, Value], held: Dict[str, np.ndarray], sizes: Dict[str, int]
    ) -> dict[str, np.ndarray]:
        """The same elements, in its shape."""
        return {self.result: held[self.source].reshape(at(values[self.result].shape, sizes))}


AnyStep = Step | View | Foreign


def has_shape(kernel: Kernel, tensor: str, value: Value) -> bool:
    """Whether a kernel's tensor has the dimensions of the value, for all sizes, and is made for as many of each."""
    try:
        return extents_of(kernel, tensor) == value.shape
    except ValueError:
        return False


def extents_of(kernel: Kernel, tensor: str) -> tuple[Any, ...]:
    """The dimensions of a kernel's tensor. Raises ValueError for one that is no polynomial of bounded sizes."""
    known = {p.name: OpenSize(p.name, p.high) for p in kernel.parameters if p.high is not None}
    return tuple(read_extent(e, known) for e in kernel.tensor(tensor).shape)


def tensor_elements(kernel: Kernel, name: str) -> Any:
    """How many elements a kernel's tensor has: a number, or an extent."""
    return math.prod(extents_of(kernel, name))


def tensor_bytes(kernel: Kernel, name: str) -> int:
    """Bytes of a kernel's tensor, at the largest sizes."""
    return most(tensor_elements(kernel, name)) * kernel.tensor(name).dtype.bytes


@dataclass(frozen=True)
class Network(Signature):
    """Steps in order: each reads earlier values only.

    constants: the known values, by name. labels: the model's names of values between steps.
    """

    constants: Dict[str, np.ndarray]
    steps: tuple[AnyStep, ...]
    labels: Dict[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Its signature and size: weights fill pages."""
        given, made = (", ".join(str(self.values[n]) for n in names) for names in (self.inputs, self.outputs))
        return f"Network({self.name}, {given} -> {made}, {len(self.steps)} steps, {len(self.constants)} constants)"

    @property
    def kernels(self) -> tuple[Step, ...]:
        """The kernel steps."""
        return tuple(s for s in self.steps if isinstance(s, Step))

    @property
    def foreign(self) -> tuple[Foreign, ...]:
        """The steps computed by a back end."""
        return tuple(s for s in self.steps if isinstance(s, Foreign))

    def check(self) -> Network:
        """This network. Raises NetworkError unless each value is written once, before it is read, as the kernel declares it."""
        known = {*self.inputs, *self.constants}
        dimensions = [e for n in self.inputs for e in self.values[n].shape if isinstance(e, Extent)]
        told = {e.sizes[0] for e in dimensions if e.told_by(1) is not None}
        for size in open_sizes(v.shape for v in self.values.values()):
            if size not in told:
                raise NetworkError(f"{self.name}: no input has a dimension that tells {size.name}")
        for step in self.steps:
            for name in step.sources:
                if name not in known:
                    raise NetworkError(f"{step.node}: reads {name}, which nothing before it computes")
            for name in step.results:
                if name in known:
                    raise NetworkError(f"{step.node}: {name} is computed twice")
                known.add(name)
            if wrong := step.misfit(self.values):
                raise NetworkError(f"{step.node}: {wrong}")
        for name in self.outputs:
            if name not in known:
                raise NetworkError(f"{self.name}: nothing computes the output {name}")
        return self

    def needed(self) -> Network:
        """The same without steps and constants unused by the outputs."""
        wanted, kept = set(self.outputs), []
        for step in reversed(self.steps):
            if wanted & {*step.results}:
                wanted |= {*step.sources}
                kept.append(step)
        constants = {n: a for n, a in self.constants.items() if n in wanted}
        wanted |= {n for s in kept for n in s.results}
        values = {n: v for n, v in self.values.items() if n in wanted or n in self.inputs}
        return replace(self, steps=tuple(reversed(kept)), constants=constants, values=values)

    def __str__(self) -> str:
        kernels, foreign = len(self.kernels), len(self.foreign)
        views = len(self.steps) - kernels - foreign
        weights = sum(a.nbytes for a in self.constants.values())
        lines = [f"{self.name}: {kernels} kernels, {views} views, {weights:,} bytes of constants"]
        lines += [f"  input {self.values[n]}" for n in self.inputs]
        lines += [f"  output {self.values[n]}" for n in self.outputs]
        lines += [f"  foreign {s}" for s in self.foreign]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Var:
    """A value of a graph under construction. `==` asks for the same value; equal() compares elements.

    extents: its elements, if they are numbers and open extents, computed by no kernel yet.
    """

    within: Graph
    value: Value
    constant: np.ndarray | None = None
    extents: np.ndarray | None = None
    __array_ufunc__: ClassVar[None] = None  # so that an array on the left leaves its operators to these

    @property
    def graph(self) -> Graph:
        """Its graph now: another one may have taken its first one in."""
        return self.within.whole

    def __repr__(self) -> str:
        return f"<{self.value}>"

    def __add__(self, other: Any) -> Var:
        return _combined("add", "+", self, other)

    def __radd__(self, other: Any) -> Var:
        return _combined("add", "+", other, self)

    def __sub__(self, other: Any) -> Var:
        return _combined("sub", "-", self, other)

    def __rsub__(self, other: Any) -> Var:
        return _combined("sub", "-", other, self)

    def __mul__(self, other: Any) -> Var:
        return _combined("mul", "*", self, other)

    def __rmul__(self, other: Any) -> Var:
        return _combined("mul", "*", other, self)

    def __truediv__(self, other: Any) -> Var:
        return _combined("div", "/", self, other)

    def __rtruediv__(self, other: Any) -> Var:
        return _combined("div", "/", other, self)

    def __pow__(self, other: Any) -> Var:
        return _combined("pow", "**", self, other)

    def __rpow__(self, other: Any) -> Var:
        return _combined("pow", "**", other, self)

    def __lt__(self, other: Any) -> Var:
        return _combined("less", "<", self, other)

    def __le__(self, other: Any) -> Var:
        return _combined("less_equal", "<=", self, other)

    def __gt__(self, other: Any) -> Var:
        return _combined("greater", ">", self, other)

    def __ge__(self, other: Any) -> Var:
        return _combined("greater_equal", ">=", self, other)

    def __neg__(self) -> Var:
        return _builder().negative(self)

    def __abs__(self) -> Var:
        return _builder().abs(self)

    def __matmul__(self, other: Any) -> Var:
        return _builder().matmul(self, other)

    def __rmatmul__(self, other: Any) -> Var:
        return _builder().matmul(other, self)

    def __getitem__(self, key: Any) -> Var:
        return _builder().item(self, key)

    def __iter__(self) -> Iterator[Var]:
        return _builder().rows(self)

    def __bool__(self) -> bool:
        raise NetworkError(f"{self.value} has no elements yet, and is neither true nor false; where() chooses")

    @property
    def name(self) -> str:
        """Its name in the network."""
        return self.value.name

    @property
    def dtype(self) -> DType:
        """Its element type."""
        return self.value.dtype

    @property
    def shape(self) -> tuple[Any, ...]:
        """Its dimensions."""
        return self.value.shape

    @property
    def rank(self) -> int:
        """How many dimensions it has."""
        return len(self.value.shape)

    @property
    def elements(self) -> int:
        """How many elements it has."""
        return self.value.elements


@dataclass(eq=False)
class Graph:
    """Builds a Network.

    `node` names the node being built, in the steps and in errors. reserved: names of the results.
    """

    name: str = "network"
    node: str = ""
    reserved: frozenset[str] = frozenset()
    _values: dict[str, Value] = field(default_factory=dict)
    _open: dict[str, OpenSize] = field(default_factory=dict)
    _constants: dict[str, np.ndarray] = field(default_factory=dict)
    _inputs: list[str] = field(default_factory=list)
    _steps: list[AnyStep] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)
    _given: int = 0  # bytes of constants that the model gives
    _computed: int = 0  # bytes of constants that operators make
    _folded: int = 0  # points of kernels that were computed
    # a value that is factor * source + shift, each of the two a constant or left out
    affine: dict[str, tuple[Var, np.ndarray | None, np.ndarray | None]] = field(default_factory=dict)
    # of values of floating point: the bytes, or the sum of products of bytes, that they are made of (networks/quantised.py)
    quantised: dict[str, Any] = field(default_factory=dict)
    unsigned: dict[str, Var] = field(default_factory=dict)  # signed bytes -> the same with 128 added
    _into: Graph | None = None  # the graph that took this one in

    @property
    def whole(self) -> Graph:
        """The graph now holding everything of this one."""
        return self if self._into is None else self._into.whole

    def take_in(self, other: Graph) -> None:
        """All of another graph becomes a part of this one. Raises NetworkError if both have a value of one name."""
        if other is self:
            return
        if both := [n for n in other._values if n in self._values]:
            raise NetworkError(f"two values are called {both[0]!r}; give one another name")
        self._values |= other._values
        self._constants |= other._constants
        self._inputs += other._inputs
        self._steps += other._steps
        self.affine |= other.affine
        self.quantised |= other.quantised
        self.unsigned |= other.unsigned
        self._given, self._computed = self._given + other._given, self._computed + other._computed
        self._know(other._open.values())
        other._into = self

    def _know(self, sizes: Iterable[OpenSize]) -> None:
        """Sizes of one name are one size. Raises NetworkError."""
        for size in sizes:
            if (known := self._open.setdefault(size.name, size)) != size:
                raise NetworkError(
                    f"{size.name} is at most {size.most} and at most {known.most}; give one another name"
                )

    def fresh(self, name: str) -> str:
        """The name, with a number if it is taken."""
        while name in self._values or name in self.reserved:
            number = self._numbers[name] = self._numbers.get(name, 0) + 1
            longer = f"{name}.{number}"
            if longer not in self._values and longer not in self.reserved:
                return longer
        return name

    def input(self, name: str, dtype_: DType | str, shape: Sequence[Any]) -> Var:
        """A value given by the caller. shape: numbers, and open sizes."""
        made = self._named(name, dtype(dtype_), [e.extent if isinstance(e, OpenSize) else e for e in shape])
        self._know(open_sizes([made.shape]))
        self._inputs.append(made.name)
        return Var(self, made)

    def constant(self, array: Any, name: str = "") -> Var:
        """A value known now. name: its name in the model; constants without one are made here, in the `room` for them."""
        array = np.asarray(array)
        if name:
            self._given += array.nbytes
        else:
            self.room(array.shape, array.dtype)
            self._computed += array.nbytes
        return self._constant(array, name)

    def room(self, shape: Sequence[int], of: Any) -> tuple[int, ...]:
        """The shape, if there is room for another constant of it.

        Raises NetworkError before anything of that size is allocated.
        """
        sizes = self.sizes(shape)
        if not self._has_room(math.prod(sizes) * np.dtype(of).itemsize):
            raise NetworkError(f"a constant of shape {list(sizes)} is too large", self.node)
        return sizes

    def _has_room(self, more: int) -> bool:
        return self._computed + more <= MOST_COMPUTED + 4 * self._given

    def sizes(self, shape: Sequence[Any], name: str = "") -> tuple[Any, ...]:
        """The shape as numbers and open extents. Raises NetworkError unless a value can have it."""
        if len(shape) > MOST_DIMENSIONS:
            raise NetworkError(f"a value of {len(shape)} dimensions; {MOST_DIMENSIONS} are the most", self.node or name)
        sizes = tuple(s if isinstance(s, Extent) else int(s) for s in shape)
        if any(s < 0 for s in sizes):
            raise NetworkError(f"a dimension of {list(sizes)} is negative", self.node or name)
        if max(map(most, (math.prod(sizes), *sizes, 0))) > LARGEST_VALUE:
            raise NetworkError(f"a value of shape {list(sizes)} is too large", self.node or name)
        return sizes

    def _constant(self, array: np.ndarray, name: str = "") -> Var:
        held = np.ascontiguousarray(array).reshape(array.shape)
        of = from_numpy(held.dtype)
        if of is None:
            raise NetworkError(f"elements of type {array.dtype} are not computed with", name or self.node)
        made = self._value(name or self.node or "constant", of, array.shape)
        self._constants[made.name] = held
        return Var(self, made, held)

    def extents(self, found: np.ndarray) -> Var:
        """Whole numbers, some perhaps open extents, as a value of i64."""
        if not open_sizes([found.reshape(-1).tolist()]):
            return self.constant(found.astype(np.int64))
        return Var(self, self._value(self.node, dtype("i64"), found.shape), extents=found)

    def _data(self, x: Var) -> Var:
        """The value in a form steps can read: extents are written by a kernel."""
        if x.extents is None:
            return x
        places = np.ndindex(*x.extents.shape)
        lines = [f"Y[{','.join(map(str, at))}] = i64({x.extents[at]})" for at in places]
        return self.step("\n".join(lines), {}, {"Y": (x.dtype, x.shape)}, {})[0]

    def view(self, x: Var, shape: Sequence[Any]) -> Var:
        """The same elements in another shape."""
        x = self._data(x)
        if tuple(shape) == x.shape:
            return x
        shape = self.sizes(shape)
        if math.prod(shape) != x.elements:
            raise NetworkError(f"{x.value} has {x.elements} elements, and not {math.prod(shape)}", self.node)
        if x.constant is not None:
            return self._constant(x.constant.reshape(shape))
        made = self._value(self.node, x.dtype, shape)
        self._steps.append(View(self.node, x.name, made.name))
        return Var(self, made)

    def step(
        self,
        text: str,
        reads: Dict[str, Var],
        writes: Dict[str, tuple[DType, Sequence[Any]]],
        axes: Dict[str, Any],
    ) -> tuple[Var, ...]:
        """The results of a kernel text, in the order of `writes`.

        Declarations of the given tensors and axes are added to the text; `reads` may name more than it reads. Raises
        NetworkError with the node's name.
        """
        writes = {n: (d, self.sizes(s)) for n, (d, s) in writes.items()}
        reads = {n: self._data(x) for n, x in reads.items()}
        shapes = {n: (x.dtype, x.shape) for n, x in reads.items()} | dict(writes)
        if any(math.prod(s) == 0 for _, s in writes.values()):
            return tuple(self._constant(np.zeros(s, d.numpy)) for d, s in writes.values())
        sizes = {*open_sizes([*(s for _, s in shapes.values()), tuple(axes.values())])}
        sizes |= {s for n, s in self._open.items() if re.search(rf"\b{n}\b", text)}
        lines = [f"param {s}" for s in sorted(sizes)]
        lines += [f"{n}: {d}[{', '.join(map(str, s))}]" for n, (d, s) in shapes.items()]
        # a sum over one point mentions its axis in no index
        mentioned = {n for n, extent in axes.items() if extent != 1 or re.search(rf"\b{n}\b", text)}
        lines += [f"axis {n} < {extent}" for n, extent in axes.items() if n in mentioned]
        try:
            made = _read("\n".join([*lines, text]))
        except IsamapError as error:
            raise UncomputedError(f"{str(error).splitlines()[0]}", self.node) from None
        try:
            held = {n: c for n in made.inputs if (c := reads[n].constant) is not None}
            if len(held) == len(made.inputs) and self._folds(made):
                found = run_kernel(made, held)
                return tuple(self._constant(found[n]) for n in writes)
        except IsamapError as error:
            raise NetworkError(f"{str(error).splitlines()[0]}", self.node) from None
        named = [(n, self._value(self.node, d, s)) for n, (d, s) in writes.items()]
        used = tuple((n, reads[n].name) for n in made.inputs)
        self._steps.append(Step(self.node, made, used, tuple((n, v.name) for n, v in named)))
        return tuple(Var(self, v) for _, v in named)

    def foreign(
        self,
        op: str,
        backend: str,
        reason: str,
        model: bytes,
        reads: Dict[str, Var],
        writes: Dict[str, tuple[DType, Sequence[int]]],
    ) -> tuple[Var, ...]:
        """The results of a node computed by a back end, in the order of `writes`: type and shape.

        Raises NetworkError for a result without elements.
        """
        for name, (_, shape) in writes.items():
            if math.prod(self.sizes(shape)) == 0:
                raise NetworkError(
                    f"{name} of shape {list(shape)} has no elements; a back end computes some", self.node
                )
        named = [(n, self._value(self.node, d, s)) for n, (d, s) in writes.items()]
        used = tuple((n, self._data(x).name) for n, x in reads.items())
        self._steps.append(Foreign(self.node, op, backend, reason, model, used, tuple((n, v.name) for n, v in named)))
        return tuple(Var(self, v) for _, v in named)

    def inputs_of(self, x: Var) -> list[str]:
        """The inputs a value depends on."""
        wanted = {x.name}
        for step in reversed(self._steps):
            if wanted & {*step.results}:
                wanted |= {*step.sources}
        return [n for n in self._inputs if n in wanted]

    def network(self, outputs: Iterable[Var], names: Iterable[str], labels: Dict[str, str] | None = None) -> Network:
        """The network built, with these results under these names. labels: values' names in the model, by their own."""
        kept = dict(self._values), dict(self._constants), [*self._steps]
        wanted = []
        for x, name in zip(outputs, names, strict=True):
            self.node = name
            wanted.append(self._output(x, name).name)
        values, constants, steps = self._values, self._constants, tuple(self._steps)
        self._values, self._constants, self._steps = kept  # so that it goes on, and other results may be asked for
        given, results = tuple(self._inputs), tuple(wanted)
        whole = Network(self.name, values, given, results, constants, steps, dict(labels or {}))
        return whole.needed().check()

    def _output(self, x: Var, name: str) -> Value:
        """The value under the name of a result."""
        x = self._data(x)
        if x.name == name:
            return x.value
        made = self._named(name, x.dtype, x.shape)
        if x.constant is not None:
            self._constants[made.name] = x.constant
        else:
            self._steps.append(View(name, x.name, made.name))
        return made

    def _folds(self, made: Kernel) -> bool:
        """Whether a kernel of constants is computed now; its work is counted."""
        if made.free_sizes:
            return False
        points = _points(made)
        held = sum(math.prod(map(int, made.tensor(n).shape)) * made.tensor(n).dtype.bytes for n in made.results)
        if points > MOST_FOLDED or self._folded + points > MOST_FOLDED_TOGETHER or not self._has_room(held):
            return False
        self._folded, self._computed = self._folded + points, self._computed + held
        return True

    def _value(self, name: str, of: DType, shape: Sequence[Any]) -> Value:
        return self._named(self.fresh(name), of, shape)

    def _named(self, name: str, of: DType, shape: Sequence[Any]) -> Value:
        """The value of exactly this name. Raises NetworkError."""
        if name in self._values:
            raise NetworkError(f"{name} is an input, and a result of another value")
        made = Value(name, of, self.sizes(shape, name))
        self._values[made.name] = made
        return made


@lru_cache(maxsize=4096)
def _read(text: str) -> Kernel:
    return read_kernel(text, name="step")


def _points(kernel: Kernel) -> int:
    """How many points the statements have together."""
    return sum(math.prod(int(a.extent) for a in s.axes) for s in kernel.statements)


def _builder() -> Any:
    from isamap_smt.networks import build

    return build


def _combined(op: str, sign: str, a: Any, b: Any) -> Any:
    return _builder().combined(op, sign, a, b)
