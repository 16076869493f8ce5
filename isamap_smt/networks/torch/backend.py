"""torch.compile(model, backend="isamap"): graphs traced by torch without gradients run as compiled networks.

Parameters and buffers are constants: they are packed once, and each call looks whether they have changed. Operators
without a kernel are called in torch, between the kernels. Graphs of training, and those that cannot be networks, stay
torch's own; a warning says so once.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Sequence
from collections.abc import Mapping as Dict
from dataclasses import dataclass, field, fields
from itertools import count
from typing import Any, ClassVar

import torch
from functorch.compile import make_boxed_func
from torch._decomp import core_aten_decompositions
from torch._dynamo.backends.common import aot_autograd
from torch._guards import TracingContext
from torch.fx.experimental.symbolic_shapes import is_symbolic

from isamap_smt.ir.errors import ArgumentError, IsamapError, UncomputedError, did_you_mean
from isamap_smt.networks.compiled import CompiledNetwork, compile_network
from isamap_smt.networks.extents import Extent, OpenSize, named_sizes
from isamap_smt.networks.torch.call import OPERATORS, name_of
from isamap_smt.networks.torch.importer import Sizes, extent_of, network_of
from isamap_smt.networks.torch.tensors import array_of, tensor_of
from isamap_smt.networks.torch.whole import keep_whole

LOG = logging.getLogger(__name__)
MOST_SIZES = 8  # of one graph that are compiled apart, where torch gives no largest one
_numbers = count(1)


@dataclass(frozen=True)
class Options:
    """The `options` of torch.compile.

    hardware: the machine. threads: torch.get_num_threads() by default. constant: whether parameters and buffers are
    constants, packed once; a call after a change of them compiles anew. strict: raise if a graph, or an operator in
    one, is left to torch.
    """

    hardware: str = "host"
    threads: int | None = None
    constant: bool = True
    strict: bool = False


def isamap(
    traced: torch.fx.GraphModule, inputs: Sequence[Any], *, options: Dict[str, Any] | None = None
) -> Callable[..., Any]:
    """The back end `isamap` of torch.compile(). Raises ArgumentError for options missing in `Options`."""
    names = [f.name for f in fields(Options)]
    for name in options or {}:
        if name not in names:
            raise ArgumentError(f"torch.compile: isamap has no option {name!r}; {did_you_mean(name, names)}")
    asked, writes = Options(**(options or {})), False
    if not torch.is_grad_enabled():
        keep_whole(traced)

    def inference(graph: torch.fx.GraphModule, _: Sequence[Any]) -> Callable[..., Any]:
        nonlocal writes
        context = TracingContext.try_get()
        told = None if context is None else context.fw_metadata
        writes = told is None or any(i.mutates_data for i in told.input_info)
        static = () if told is None else tuple(told.static_input_indices or ())  # what a graph writes is no constant
        return Compiled(graph, tuple(n for n in static if told and not told.input_info[n].mutates_data), asked)

    def training(graph: torch.fx.GraphModule, _: Sequence[Any]) -> Callable[..., Any]:
        _left(asked, "a graph of training", "it asks for gradients; call it within torch.no_grad()")
        return make_boxed_func(graph.forward)

    ours = aot_autograd(
        fw_compiler=training, bw_compiler=training, inference_compiler=inference, decompositions=kept_whole()
    )
    run = ours(traced, inputs)
    return _where_they_lie(run, traced, inputs) if writes else run


def _where_they_lie(run: Callable[..., Any], traced: Callable[..., Any], inputs: Sequence[Any]) -> Callable[..., Any]:
    """Run a graph writing into its inputs, if these share memory as they did when traced; else run it as traced.

    Torch does not ask about shared memory itself.
    """
    known = _shared(inputs)
    return lambda *args: run(*args) if _shared(args) == known else traced(*args)


def _shared(tensors: Sequence[Any]) -> tuple[tuple[int, int, int], ...]:
    """Pairs of tensors in one storage, and how many elements the second begins behind the first."""
    held = [
        (n, x.untyped_storage()._cdata, x.storage_offset())
        for n, x in enumerate(tensors)
        if isinstance(x, torch.Tensor)
    ]
    first: dict[int, tuple[int, int]] = {}
    found = []
    for n, storage, offset in held:
        before, start = first.setdefault(storage, (n, offset))
        if before != n:
            found.append((before, n, offset - start))
    return tuple(found)


def kept_whole() -> dict[Any, Any]:
    """torch's decompositions, but of operators with a kernel for the whole."""
    return {o: d for o, d in core_aten_decompositions().items() if name_of(o) not in OPERATORS}


def _left(asked: Options, what: str, reason: str) -> None:
    if asked.strict:
        raise UncomputedError(f"isamap: {what} is left to torch: {reason}")
    warnings.warn(f"isamap: {what} is left to torch: {reason}", stacklevel=3)


@dataclass
class _Ready:
    """A compiled network. inputs: the arguments it reads.

    places: for each output of the graph, the name of a result, or a number. weights, versions: the constant tensors,
    and their versions at compilation.
    """

    network: CompiledNetwork
    inputs: tuple[int, ...]
    places: list[Any]
    weights: tuple[torch.Tensor, ...]
    versions: tuple[tuple[int, int], ...]

    @property
    def fresh(self) -> bool:
        """Whether no weight has changed since."""
        return tuple((w._version, w.data_ptr()) for w in self.weights) == self.versions


@dataclass
class Compiled:
    """A traced graph without gradients; networks are compiled at its calls. static: the arguments known as weights."""

    graph: torch.fx.GraphModule
    static: tuple[int, ...]
    asked: Options
    _boxed_call: ClassVar[bool] = True  # torch gives it a list, which it may empty
    _ready: dict[Any, _Ready | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._holders = [n for n in self.graph.graph.nodes if n.op == "placeholder"]
        told = [n.meta["val"] for n in self._holders]
        # each symbol of torch -> the argument that tells it, and which of its dimensions
        self._symbols: dict[str, tuple[int, int | None]] = {}
        for n, v in enumerate(told):
            sizes = enumerate(v.shape) if isinstance(v, torch.Tensor) else [(None, v)]
            for d, s in sizes:
                if isinstance(s, torch.SymInt) and is_symbolic(s) and s.node.expr.is_Symbol:
                    self._symbols.setdefault(str(s.node.expr), (n, d))
        self._open = self._largest(told)
        self.name = f"torch_{next(_numbers)}"
        result = next(n for n in self.graph.graph.nodes if n.op == "output").args[0]
        told = [r.meta.get("val") if isinstance(r, torch.fx.Node) else r for r in result]
        # of outputs that do not lie row by row
        self._strides = [r.stride() if isinstance(r, torch.Tensor) and not r.is_contiguous() else None for r in told]

    def _largest(self, told: Sequence[Any]) -> dict[str, OpenSize] | None:
        """Open sizes of all symbols; None if torch knows no maximum of one."""
        most: dict[str, int] = {}
        for v in told:
            for s in v.shape if isinstance(v, torch.Tensor) else (v,):
                if isinstance(s, torch.SymInt) and is_symbolic(s):
                    for symbol in s.node.expr.free_symbols:
                        end = s.node.shape_env.var_to_range[symbol].upper
                        if not end.is_Integer or end > 1 << 24:
                            return None
                        most[str(symbol)] = int(end)
        return named_sizes(most)

    def __call__(self, args: list[Any]) -> list[Any]:
        """The outputs of the graph."""
        given = list(args)
        args.clear()
        sizes = {s: given[n] if d is None else given[n].shape[d] for s, (n, d) in self._symbols.items()}
        key = () if self._open else tuple(sizes.values())
        ready = self._ready.get(key)
        if ready is None or not ready.fresh:
            ready = self._made(key, given, sizes)
            if ready is None:
                return list(self.graph.forward(*given))
        found = ready.network(*[array_of(given[n]) for n in ready.inputs])
        return [
            self._tensor(tensor_of(found[p]), strides, sizes) if isinstance(p, str) else self._number(p, sizes)
            for p, strides in zip(ready.places, self._strides, strict=True)
        ]

    @staticmethod
    def _tensor(made: torch.Tensor, strides: Sequence[Any] | None, sizes: dict[str, int]) -> torch.Tensor:
        """With its elements in the order expected by torch."""
        if strides is None:
            return made
        return torch.empty_strided(made.shape, [extent_of(s, sizes) for s in strides], dtype=made.dtype).copy_(made)

    def _number(self, n: Any, sizes: dict[str, int]) -> Any:
        """An output computed by no network."""
        if isinstance(n, Extent) and self._open:
            return n.at({size.name: sizes[symbol] for symbol, size in self._open.items()})
        return n

    def _made(self, key: Any, given: Sequence[Any], sizes: dict[str, int]) -> _Ready | None:
        """Compiled for these sizes; None if the graph stays torch's own."""
        if key in self._ready and self._ready[key] is None:
            return None
        if key not in self._ready and len(self._ready) == MOST_SIZES:
            self._ready[key] = None
            _left(
                self.asked,
                self.name,
                f"it was compiled for {MOST_SIZES} sizes; torch._dynamo.mark_dynamic(x, 0, min=2, max=...) compiles it once",
            )
            return None
        if self._open:
            try:
                self._ready[key] = self._compiled(given, self._open)
                return self._ready[key]
            except IsamapError as error:
                LOG.info("%s: for open sizes: %s", self.name, error)
                self._open, key = None, tuple(sizes.values())
        try:
            self._ready[key] = self._compiled(given, sizes)
        except IsamapError as error:
            self._ready[key] = None
            _left(self.asked, self.name, str(error))
        return self._ready[key]

    def _compiled(self, given: Sequence[Any], sizes: Sizes) -> _Ready:
        held = [n for n in self.static if self.asked.constant and _versioned(given[n])]
        weights = {self._holders[n].name: given[n] for n in held}
        network, places = network_of(self.graph.graph, weights, sizes, self.name)
        for step in network.foreign:
            LOG.info("%s: %s", self.name, step)
            if self.asked.strict:
                raise UncomputedError(step.reason, step.node)
        threads = self.asked.threads or torch.get_num_threads()
        compiled = compile_network(network, self.asked.hardware, threads=threads)
        LOG.info("%s: %s", self.name, compiled)
        numbers = {h.name: n for n, h in enumerate(self._holders)}
        constant = tuple(given[n] for n in held)
        return _Ready(
            compiled, tuple(numbers[n] for n in network.inputs), places, constant,
            tuple((w._version, w.data_ptr()) for w in constant),
        )  # fmt: skip


def _versioned(x: Any) -> bool:
    """Whether changes of a tensor are seen: torch counts none of an inference tensor."""
    return isinstance(x, torch.Tensor) and not x.is_inference()
