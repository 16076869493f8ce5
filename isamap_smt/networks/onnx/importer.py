"""From an ONNX model to a Network: one node after the other, each by its operator's name, or by ONNX's own definition.

An operator defined by ONNX as a function of others is expanded if nothing here computes it.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping as Dict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from isamap_smt.ir.dtypes import DType, from_numpy
from isamap_smt.ir.errors import NetworkError, UncomputedError, did_you_mean
from isamap_smt.networks.extents import Extent, named_sizes, read_extent
from isamap_smt.networks.foreign import check_backend, evaluated, evaluator
from isamap_smt.networks.graph import Graph, Network, Var
from isamap_smt.networks.onnx import definitions, operators, shapes  # noqa: F401 - the operators register themselves
from isamap_smt.networks.onnx.alone import inferred, model_of, outer_names, read_by
from isamap_smt.networks.onnx.model import array_of, in_type, library, load
from isamap_smt.networks.onnx.node import OPERATORS, Node
from isamap_smt.networks.onnx.operators.elementwise import onnx_type
from isamap_smt.networks.onnx.operators.quantised import in_integers
from isamap_smt.networks.onnx.schema import check_node

DEEPEST = 8  # functions within functions
ELSEWHERE = "; foreign='onnxruntime' (--foreign onnxruntime) asks another library for it, without proof"
MOST_NODES = 1 << 17  # of the model, those of its functions at each call included


def from_onnx(
    model: Any,
    *,
    sizes: Dict[str, int] | None = None,
    most: Dict[str, int] | None = None,
    constants: Dict[str, Any] | None = None,
    foreign: str | Sequence[str] | None = None,
) -> Network:
    """The network of an ONNX model: a path, the name of a bundled one, the bytes of a file, or a ModelProto.

    `isamap list models` lists the bundled ones. sizes: a number for each dimension left open by the model, by its name.
    most: the largest number for each size to keep open, chosen by each call. constants: values of inputs deciding
    shapes.
    foreign: the back end for everything kernels refuse (`onnxruntime`, `reference`, `torch`, `numpy`, or one of
    register_backend()). It computes an operator, or one case of it, without proof; of several, the first able to do so.

    Raises NetworkError with the node's name for faults, and for nodes kernels cannot compute.
    """
    try:
        proto, folder = load(model)
        return read(proto, folder, sizes, most, constants, foreign)[0]
    except NetworkError as error:
        raise NetworkError(printable(str(error))) from None


def read(
    proto: Any, folder: Any, sizes: Dict[str, int] | None, most: Dict[str, int] | None, constants: Dict[str, Any] | None,
    foreign: str | Sequence[str] | None, placed: Sequence[Placed] = (),
) -> tuple[Network, dict[str, Var | None]]:  # fmt: skip
    """The network, and the values of the model's own graph by their names there; some groups of nodes as one foreign step each."""
    made = _Import(proto, folder, dict(sizes or {}), dict(most or {}), dict(constants or {}), foreign, placed)
    return made.network(), made.known


def printable(text: str) -> str:
    """The text on one line, with escapes for characters controlling a terminal."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


@dataclass(frozen=True)
class Placed:
    """Nodes first, ..., end - 1 of a model's graph, computed by a back end as one step.

    reason: of the placement. writes: type and shape of each result read by others.
    """

    first: int
    end: int
    name: str
    op: str
    backend: str
    reason: str
    writes: Dict[str, tuple[DType, tuple[Any, ...]]]


class _Import:
    def __init__(
        self, proto: Any, folder: Any, sizes: dict[str, int], most: dict[str, int], constants: dict[str, Any],
        foreign: str | Sequence[str] | None, placed: Sequence[Placed] = (),
    ) -> None:  # fmt: skip
        self.backends = [check_backend(b) for b in ([foreign] if isinstance(foreign, str) else foreign or ())]
        self.placed = {group.first: group for group in placed}
        self.known: dict[str, Var | None] = {}
        self.onnx, self.proto, self.folder = library(), proto, folder
        self.sizes, self.constants = sizes, constants
        if twice := sorted({*sizes} & {*most}):
            raise NetworkError(f"sizes and most: {twice[0]} has a number, and stays open")
        self.open = named_sizes(most)
        self.graph = Graph(
            printable(proto.graph.name) or "network", reserved=frozenset(o.name for o in proto.graph.output)
        )
        self.opsets = {("" if o.domain == "ai.onnx" else o.domain): int(o.version) for o in proto.opset_import}
        self.functions = {(f.domain, f.name): f for f in proto.functions}
        self.unused = {*sizes, *most}
        self.count = 0

    def network(self) -> Network:
        """The whole network."""
        main = self.proto.graph
        known = self.known
        if not main.output:
            raise NetworkError(f"{self.graph.name}: the model has no outputs")
        if main.sparse_initializer:
            raise NetworkError(f"{self.graph.name}: sparse initializers are not read")
        if "" in {v.name for v in (*main.initializer, *main.input, *main.output)}:
            raise NetworkError(f"{self.graph.name}: an input, output or initializer has no name")
        newest = self.onnx.defs.onnx_opset_version()
        if not 1 <= self.opsets.get("", 1) <= newest:
            raise NetworkError(f"{self.graph.name}: opset {self.opsets['']} is unknown; 1 to {newest} are read")
        for tensor in main.initializer:
            if tensor.name in known:
                raise NetworkError(f"{tensor.name} is given twice")
            known[tensor.name] = self._constant(array_of(tensor, self.folder), tensor.name)
        for name in self.constants:
            if name not in {i.name for i in main.input}:
                raise NetworkError(
                    f"constants: there is no input {name!r}; {did_you_mean(name, [i.name for i in main.input])}"
                )
        for value in main.input:
            if value.name in self.constants:
                known[value.name] = self._constant(self._given(value), value.name)
            elif value.name not in known:
                known[value.name] = self._input(value)
        if self.unused and not self.backends:
            self._no_dimension()
        self._nodes(main.node, known, self.opsets, "", 0)
        if self.unused and not self.placed:
            self._no_dimension()
        outputs = []
        for value in main.output:
            if value.name not in known:
                raise NetworkError(f"{self.graph.name}: nothing computes the output {value.name}")
            found = known[value.name]
            if found is None:
                raise NetworkError(f"{self.graph.name}: the output {value.name} is an optional one that is left out")
            outputs.append(found)
        labels = {x.name: n for n, x in reversed(known.items()) if x is not None and x.constant is None}
        return self.graph.network(outputs, [v.name for v in main.output], labels)

    def _no_dimension(self) -> None:
        raise NetworkError(f"sizes: the model has no dimension {sorted(self.unused)[0]!r}")

    def _constant(self, array: np.ndarray, name: str) -> Var:
        return self.graph.constant(array, name)

    def _given(self, value: Any) -> np.ndarray:
        """The value of a known input. Raises NetworkError if the model declares another type or shape."""
        given, told = self.constants[value.name], value.type.tensor_type
        fixed = [int(d.dim_value) if d.WhichOneof("value") == "dim_value" else None for d in told.shape.dim]
        try:
            of = np.dtype(self.onnx.helper.tensor_dtype_to_np_dtype(told.elem_type))
        except (KeyError, TypeError):
            raise NetworkError(f"{value.name}: its element type {told.elem_type} is unknown") from None
        array = in_type(given, of)
        alike = len(fixed) == array.ndim and all(f in (None, n) for f, n in zip(fixed, array.shape, strict=False))
        if array.dtype != of or (told.HasField("shape") and not alike):
            meant = ", ".join("?" if f is None else str(f) for f in fixed)
            got = f"{array.dtype}{list(array.shape)}"
            raise NetworkError(f"constants: {value.name} is {of}[{meant}], and {got} is given")
        return array

    def _input(self, value: Any) -> Var:
        kind = value.type.WhichOneof("value")
        if kind != "tensor_type":
            raise NetworkError(f"{value.name}: an input that is a {kind or 'thing without a type'} is not read")
        told = value.type.tensor_type
        try:
            of = np.dtype(self.onnx.helper.tensor_dtype_to_np_dtype(told.elem_type))
        except (KeyError, TypeError):
            raise NetworkError(f"{value.name}: its element type {told.elem_type} is unknown") from None
        found = from_numpy(of)
        if found is None:
            raise NetworkError(f"{value.name}: elements of type {of} are not computed with")
        if not told.HasField("shape"):
            raise NetworkError(f"{value.name}: its shape is not known")
        shape = [self._size(value.name, n, d) for n, d in enumerate(told.shape.dim)]
        return self.graph.input(value.name, found, shape)

    def _size(self, name: str, position: int, dim: Any) -> Any:
        if dim.WhichOneof("value") == "dim_value":
            return int(dim.dim_value)
        label = dim.dim_param or f"{name}.{position}"
        self.unused.discard(label)
        if label in self.open:
            return self.open[label].extent
        if label not in self.sizes:
            with suppress(ValueError):
                found = read_extent(label, self.open)  # such as 'past + 1'
                if isinstance(found, Extent):
                    self.unused -= {n for n, size in self.open.items() if size in found.sizes}
                    return found
            raise NetworkError(
                f"{name}: dimension {position + 1} is open; give it a number with sizes={{{label!r}: ...}} (--sizes {label}=...), "
                f"or the most that it may be with most={{{label!r}: ...}} (--max {label}=...)"
            )
        try:
            return operator.index(self.sizes[label])
        except TypeError:
            raise NetworkError(f"sizes: {label} is {self.sizes[label]!r}, and no whole number") from None

    def _nodes(self, nodes: Any, known: dict[str, Var | None], opsets: dict[str, int], within: str, depth: int) -> None:
        """Add the nodes, each after those it reads; names of results go into `known`."""
        written: set[str] = set()
        done = 0
        for number, node in enumerate(nodes):
            if depth == 0 and (group := self.placed.get(number)) is not None:
                self._group(group, nodes[number : group.end], known)
                done = group.end
            if number < done:
                continue
            name = within + printable(node.name or f"{node.op_type}_{number}")
            self.graph.node = name
            self.count += 1
            if self.count > MOST_NODES:
                raise NetworkError(f"{name}: the model has more than {MOST_NODES:,} nodes")
            missing = [n for n in node.input if n and n not in known]
            if missing:
                later = any(missing[0] in other.output for other in nodes)
                why = "which a later node computes" if later else "which nothing computes"
                raise NetworkError(f"{name}: reads {missing[0]}, {why}")
            for result in node.output:
                if result and (result in written or result in known):
                    raise NetworkError(f"{name}: {result} is computed twice")
                written.add(result)
            inputs = [known[n] if n else None for n in node.input]
            made = self._node(node, name, inputs, opsets, depth, known)
            self.graph.node = name
            for result, x in zip(node.output, made, strict=False):
                if result:
                    known[result] = x
            for result in node.output[len(made) :]:
                if result:
                    raise NetworkError(f"{name}: {node.op_type} does not compute its result {result}")

    def _node(
        self,
        node: Any,
        name: str,
        inputs: list[Var | None],
        opsets: dict[str, int],
        depth: int,
        known: Dict[str, Var | None],
    ) -> list[Var | None]:
        domain = "" if node.domain == "ai.onnx" else node.domain
        if (node.domain, node.op_type) in self.functions:
            return self._call(self.functions[node.domain, node.op_type], node, name, inputs, depth)
        if domain not in opsets:
            raise NetworkError(f"{name}: the model imports no operators of domain {domain!r}")
        check_node(node, name, domain, opsets[domain], inputs)
        make = OPERATORS.get((domain, node.op_type))
        try:
            if make is not None:
                wanted = max((n + 1 for n, o in enumerate(node.output) if o), default=0)
                asked = Node(node.op_type, name, opsets[domain], self.graph, inputs, wanted, self._attributes(node))
                if (numbers := shapes.computed(asked)) is not None:
                    return [self.graph.extents(numbers)]
                if (held := in_integers(asked)) is not None:
                    return [held]
                made = make(asked)
                return [made] if isinstance(made, Var) else list(made)
            body = definitions.body(self.onnx, node, domain, opsets[domain], inputs)
            if body is None:
                raise UncomputedError(f"no kernel computes the operator {node.op_type}", name)
        except UncomputedError as error:
            return self._elsewhere(node, name, _told(error, name, node.op_type), opsets, depth, known)
        except NetworkError as error:
            raise _told(error, name, node.op_type) from None
        given = definitions.defaults(self.onnx, node, domain, opsets[domain])
        return self._call(body, node, name, inputs, depth, given)

    def _elsewhere(
        self, node: Any, name: str, refusal: NetworkError, opsets: dict[str, int], depth: int, known: Dict[str, Var | None],
    ) -> list[Var | None]:  # fmt: skip
        """A node computed by no kernel, but by the back end. Raises NetworkError: the refusal, and the back end's."""
        self.graph.node = name
        if not self.backends:
            domain = "" if node.domain == "ai.onnx" else node.domain
            known_to_onnx = self.onnx.defs.has(node.op_type, domain)
            raise NetworkError(f"{refusal}{ELSEWHERE if known_to_onnx else ''}") from None
        reason = str(refusal).removeprefix(f"{name}: ")
        refusals = [str(refusal)]
        for backend in self.backends:
            try:
                return self._foreign(node, backend, reason, opsets, depth, known)
            except NetworkError as error:
                refusals.append(f"{backend}: {str(error).removeprefix(f'{name}: ')}")
        raise NetworkError("; ".join(refusals)) from None

    def _group(self, group: Placed, nodes: Sequence[Any], known: dict[str, Var | None]) -> None:
        """Consecutive nodes of the model's own graph, computed by a back end as one step."""
        self.graph.node = group.name
        reads = {n: x for n in read_by(nodes) if (x := known.get(n)) is not None}
        model = model_of(self.onnx, nodes, self.opsets, self.proto, reads, group.writes).SerializeToString()
        given = {n: x for n, x in reads.items() if x.constant is None}
        made = self.graph.foreign(group.op, group.backend, group.reason, model, given, group.writes)
        known |= dict(zip(group.writes, made, strict=True))

    def _foreign(
        self, node: Any, backend: str, reason: str, opsets: dict[str, int], depth: int, known: Dict[str, Var | None]
    ) -> list[Var | None]:
        """The node, computed by a back end. Its open dimensions are declared by the model, with numbers in `sizes`."""
        names = [n for n in outer_names(node) if n in known]
        reads = {n: x for n in names if (x := known[n]) is not None}
        model = model_of(self.onnx, [node], opsets, self.proto, reads, [n for n in node.output if n])
        types = inferred(self.onnx, model)
        given = {n: x for n, x in reads.items() if x.constant is None}
        data = model.SerializeToString()
        # of constants alone the results are there to be looked at
        name = self.graph.node
        evaluate = evaluator(backend, data, name)
        seen = {} if given else evaluated(backend, name, evaluate, {})
        main = (*self.proto.graph.value_info, *self.proto.graph.output) if depth == 0 else ()
        declared = {v.name: v.type.tensor_type.shape.dim for v in main if v.type.tensor_type.HasField("shape")}
        writes: dict[str, tuple[DType, list[int]]] = {}
        for result, told in types.items():
            if told.WhichOneof("value") != "tensor_type":
                raise NetworkError(f"its result {result} is no tensor", name)
            held = onnx_type(told.tensor_type.elem_type)
            there = told.tensor_type.HasField("shape")
            dims = list(told.tensor_type.shape.dim if there else declared.get(result, ()))
            if result in seen:
                writes[result] = held, list(np.shape(seen[result]))
                continue
            if not there and result not in declared:
                raise NetworkError(f"the shape of its result {result} depends on data; declare it in the model", name)
            plain = self.onnx.TensorShapeProto.Dimension()  # instead of a name that ONNX made up
            meant = declared.get(result, ())
            meant = meant if len(meant) == len(dims) else [plain] * len(dims)
            dims = [d if d.HasField("dim_value") else m for d, m in zip(dims, meant, strict=True)]
            writes[result] = held, [self._size(result, n, d) for n, d in enumerate(dims)]
        made = dict(zip(writes, self.graph.foreign(node.op_type, backend, reason, data, given, writes), strict=True))
        return [made[n] if n else None for n in node.output]

    def _call(
        self,
        function: Any,
        node: Any,
        name: str,
        inputs: list[Var | None],
        depth: int,
        defaults: Dict[str, Any] | None = None,
    ) -> list[Var | None]:
        """A function's nodes, with its own names."""
        if depth >= DEEPEST:
            raise NetworkError(f"{name}: functions call each other more than {DEEPEST} deep")
        if len(inputs) > len(function.input):
            raise NetworkError(f"{name}: {node.op_type} has {len(function.input)} inputs, and not {len(inputs)}")
        given = {a.name: a for a in node.attribute}
        defaults = {**(defaults or {}), **{a.name: a for a in function.attribute_proto}}
        inner: dict[str, Var | None] = {"": None}
        padded = [*inputs, *[None] * (len(function.input) - len(inputs))]
        inner |= dict(zip(function.input, padded, strict=False))
        nodes = [definitions.with_attributes(self.onnx, n, {**defaults, **given}) for n in function.node]
        opsets = {("" if o.domain == "ai.onnx" else o.domain): int(o.version) for o in function.opset_import}
        opsets.setdefault("", self.opsets.get("", self.onnx.defs.onnx_opset_version()))
        self._nodes(nodes, inner, opsets, f"{name}/", depth + 1)
        return [inner.get(n) for n in function.output]

    def _attributes(self, node: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for a in node.attribute:
            kinds = self.onnx.AttributeProto
            if a.type == kinds.TENSOR:
                found[a.name] = array_of(a.t, self.folder)
            elif a.type == kinds.STRING:
                found[a.name] = a.s.decode("utf-8", "replace")
            elif a.type == kinds.STRINGS:
                found[a.name] = [s.decode("utf-8", "replace") for s in a.strings]
            elif a.type in (kinds.INT, kinds.FLOAT, kinds.INTS, kinds.FLOATS):
                value = self.onnx.helper.get_attribute_value(a)
                found[a.name] = list(value) if a.type in (kinds.INTS, kinds.FLOATS) else value
            else:
                raise UncomputedError(f"its attribute {a.name} is not read")
        return found


def _told(error: NetworkError, name: str, op: str) -> NetworkError:
    """The error; if it names no node, with this node's name."""
    return error if error.node else type(error)(f"{op}: {error}", name)
