"""From a graph traced by torch to a Network: one call of ATen after the other, each by the operator of its name.

Operators without a kernel are called in torch, between kernels. Sizes left open by torch are numbers, or open sizes of
the network.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping as Dict
from typing import Any

import numpy as np
import sympy as sp
import torch
from torch.fx.experimental.symbolic_shapes import is_symbolic
from torch.utils._sympy.functions import FloorDiv, Mod

from isamap_smt.ir.errors import NetworkError, UncomputedError
from isamap_smt.networks.extents import OpenSize, open_sizes
from isamap_smt.networks.graph import Graph, Network, Var
from isamap_smt.networks.torch import operators  # noqa: F401 - they register themselves
from isamap_smt.networks.torch.call import Call, Result, arguments, computed, name_of
from isamap_smt.networks.torch.eager import written
from isamap_smt.networks.torch.tensors import array_of, plain, type_of

Sizes = Dict[str, int | OpenSize]


def network_of(
    traced: torch.fx.Graph, constants: Dict[str, torch.Tensor], sizes: Sizes, name: str
) -> tuple[Network, list[str | Any]]:
    """The network of a traced graph without side effects, and for each output the name of a result; a number as it is.

    constants: of placeholders, by their names. sizes: a number, or an open size, of each symbol of torch. Raises
    NetworkError.
    """
    return _Import(traced, constants, sizes, name).network()


def extent_of(x: Any, sizes: Sizes) -> Any:
    """A size of torch as a number or an extent. Raises UncomputedError."""
    return polynomial(x.node.expr, sizes) if isinstance(x, torch.SymInt) and is_symbolic(x) else int(x)


def polynomial(e: Any, sizes: Dict[str, Any]) -> Any:
    """The value of a SymPy expression, of its symbols by name. Raises UncomputedError if it is no polynomial of these."""
    if isinstance(e, sp.Symbol) and str(e) in sizes:
        size = sizes[str(e)]
        return size.extent if isinstance(size, OpenSize) else size
    if isinstance(e, sp.Integer | int):
        return int(e)
    parts = [polynomial(a, sizes) for a in getattr(e, "args", ())]
    if isinstance(e, sp.Add):
        return sum(parts[1:], parts[0])
    if isinstance(e, sp.Mul):
        made: Any = 1
        for p in parts:
            made = made * p
        return made
    if isinstance(e, sp.Pow) and isinstance(parts[1], int) and parts[1] > 0:
        made = parts[0]
        for _ in range(parts[1] - 1):
            made = made * parts[0]
        return made
    if isinstance(e, FloorDiv):
        return parts[0] // parts[1]
    if isinstance(e, Mod):
        return parts[0] % parts[1]
    raise UncomputedError(f"the size {e} is no polynomial")


class _Import:
    def __init__(self, traced: torch.fx.Graph, constants: Dict[str, torch.Tensor], sizes: Sizes, name: str) -> None:
        self.traced, self.constants, self.sizes = traced, constants, sizes
        found = next(n for n in traced.nodes if n.op == "output").args[0]
        self.outputs = list(found) if isinstance(found, list | tuple) else [found]
        self.results = [f"result_{n}" for n in range(len(self.outputs))]
        self.graph = Graph(name, reserved=frozenset(self.results))
        self.known: dict[torch.fx.Node, Any] = {}

    def network(self) -> tuple[Network, list[str | Any]]:
        """The whole network."""
        for node in self.traced.nodes:
            self.graph.node = node.name
            match node.op:
                case "placeholder":
                    self.known[node] = self._placeholder(node)
                case "get_attr":
                    owner = self.traced.owning_module
                    self.known[node] = self._constant(operator.attrgetter(node.target)(owner), node.name)
                case "call_function":
                    self.known[node] = self._called(node)
                case "output":
                    break
                case _:
                    raise NetworkError(f"a node of the kind {node.op} is not read", node.name)
        places: list[str | Any] = []
        held: dict[str, Var] = {}
        for out, name in zip(self.outputs, self.results, strict=True):
            found = self.known[out] if isinstance(out, torch.fx.Node) else out
            if isinstance(found, Var):
                held[name] = found
            places.append(name if isinstance(found, Var) else found)
        if not held:
            raise UncomputedError("the graph returns no tensor", self.graph.name)
        return self.graph.network(held.values(), held), places

    def _placeholder(self, node: torch.fx.Node) -> Any:
        if node.name in self.constants:
            return self._constant(self.constants[node.name], node.name)
        value = node.meta["val"]
        if isinstance(value, torch.SymInt | int):
            return extent_of(value, self.sizes)
        if wrong := plain(value):
            raise UncomputedError(f"{node.name}: {wrong}")
        return self.graph.input(node.name, type_of(value.dtype), self._shape(value))

    def _constant(self, tensor: Any, name: str) -> Var:
        if wrong := plain(tensor):
            raise UncomputedError(f"{name}: {wrong}")
        return self.graph.constant(array_of(tensor), name)

    def _shape(self, value: Any) -> tuple[Any, ...]:
        return tuple(extent_of(s, self.sizes) for s in value.shape)

    def _called(self, node: torch.fx.Node) -> Any:
        told = node.meta.get("val")
        if isinstance(told, torch.SymInt | int) and not isinstance(told, bool):
            return extent_of(told, self.sizes)
        given = torch.fx.map_arg(node.args, lambda n: self.known[n])
        named = torch.fx.map_arg(node.kwargs, lambda n: self.known[n])
        if node.target is operator.getitem:
            made = given[0][given[1]]
            if made is None and node.users:
                raise NetworkError("is read, and not computed", node.name)
            return made
        if not isinstance(node.target, torch._ops.OpOverload):
            raise UncomputedError(f"no kernel computes {node.target}", node.name)
        if node.target._schema.is_mutable:
            raise UncomputedError(f"{node.target} writes into a tensor that it is given", node.name)
        several = isinstance(told, list | tuple)
        results = tuple(self._result(t) for t in (told if several else (told,)))
        found = self._computed(node, results, list(given), dict(named), several)
        return found if several else found[0]

    def _computed(
        self,
        node: torch.fx.Node,
        results: tuple[Result | None, ...],
        args: list[Any],
        kwargs: dict[str, Any],
        several: bool,
    ) -> list[Var | None]:
        target, op = node.target, name_of(node.target)
        given, own = arguments(target, args, kwargs)
        used = {int(u.args[1]) for u in node.users if u.target is operator.getitem} if several else {0}
        call = Call(op, self.graph, results, frozenset(used), self._promoted(node))
        if all(r is None or 0 in r.shape for r in results):
            return [None if r is None else self._nothing(r) for r in results]
        try:
            made = computed(call, target, given, own)
            for n in used:
                self._check(made[n] if n < len(made) else None, results[n])
            return made
        except (NetworkError, UncomputedError) as error:
            reason = str(error).removeprefix(f"{node.name}: ")
        self.graph.node = node.name
        return self._eager(target, given, results, reason)

    def _eager(
        self, target: Any, given: dict[str, Any], results: tuple[Result | None, ...], reason: str
    ) -> list[Var | None]:
        """The results of a call of torch. Raises UncomputedError if a network cannot hold one."""
        values = list({v.name: v for v in _values(given)}.values())
        names = {v.name: f"x{n}" for n, v in enumerate(values)}
        writes = {f"r{n}": (r.dtype, r.shape) for n, r in enumerate(results) if r is not None and 0 not in r.shape}
        if open_sizes([*(s for _, s in writes.values()), *(v.shape for v in values)]):
            raise UncomputedError(f"{reason}; sizes are open", self.graph.node)
        model = written(target, given, names)
        made = self.graph.foreign(str(target), "torch", reason, model, {names[v.name]: v for v in values}, writes)
        held = iter(made)
        return [None if r is None else self._nothing(r) if 0 in r.shape else next(held) for r in results]

    def _nothing(self, of: Result) -> Var:
        return self.graph.constant(np.zeros(of.shape, of.dtype.numpy))

    def _result(self, told: Any) -> Result | None:
        if not isinstance(told, torch.Tensor):
            return None
        if wrong := plain(told):
            raise UncomputedError(f"a result: {wrong}", self.graph.node)
        return Result(type_of(told.dtype), self._shape(told))

    def _check(self, made: Var | None, meant: Result | None) -> None:
        """Raise UncomputedError unless a value has torch's type and shape."""
        if made is None or meant is None:
            raise UncomputedError("one of its results is not computed")
        if (made.dtype, made.shape) != (meant.dtype, meant.shape):
            raise UncomputedError(f"kernels give {made.value}, and torch {meant.dtype}{list(meant.shape)}")

    def _promoted(self, node: torch.fx.Node) -> Any:
        """The type used by torch to compare tensors and numbers."""
        parts: list[Any] = [n.meta.get("val") if isinstance(n, torch.fx.Node) else n for n in node.args[:2]]
        kinds: list[Any] = [x for x in parts if isinstance(x, torch.Tensor | int | float)]
        try:
            return type_of(torch.result_type(*kinds) if len(kinds) == 2 else kinds[0].dtype)
        except (IndexError, AttributeError, TypeError, UncomputedError):
            return None


def _values(x: Any) -> list[Var]:
    if isinstance(x, Var):
        return [x]
    if isinstance(x, dict):
        x = list(x.values())
    return [v for e in x for v in _values(e)] if isinstance(x, list | tuple) else []
