"""Placement: each node of a model is given to our kernels or to a faster library, by costs measured on this CPU.

Nodes our network computes together are one block. Each block runs alone on the same arrays, by our kernels and by each
back end with rows for it; a back end failing, or giving other results, is no candidate. CP-SAT gives each block its
owner, at the least sum of work, calls, and values changing hands. Successive blocks of one back end become one step.
Last, the network so placed and each owner alone are measured whole, in turns, and the fastest is kept. A step of a back
end is stated, not proved.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Mapping as Dict
from dataclasses import asdict, dataclass, field
from functools import partial
from graphlib import CycleError, TopologicalSorter
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

from isamap_encodings.owners import Handed, Owners, cheapest_owners
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.errors import ArgumentError, IsamapError, NetworkError
from isamap_smt.networks.against import allowed, error_of
from isamap_smt.networks.compiled import CompiledNetwork
from isamap_smt.networks.extents import at
from isamap_smt.networks.foreign import BACKENDS, Reader, check_backend, evaluated
from isamap_smt.networks.graph import Foreign, Step, Var, View
from isamap_smt.networks.onnx.alone import model_of, read_by
from isamap_smt.networks.onnx.importer import Placed, printable, read
from isamap_smt.networks.onnx.model import library, load
from isamap_smt.networks.plan import Progress, plan_network
from isamap_smt.networks.values import Value, checked_inputs, random_inputs, sizes_of

Arrays = dict[str, np.ndarray]
HOME = "isamap"
PLACED = "placed"
FOREIGN = "foreign"  # our kernels, and a back end for what they refuse alone
SECONDS = 10.0  # for all measuring; planning is not in it
LEAST_RUNS = 3
GAIN = 0.98  # of the time of our kernels, for anything else to be kept: they are proved, and less is noise


@dataclass(frozen=True)
class Block:
    """Nodes computed by one owner. seconds: of each candidate alone. refused: why one is none.

    chosen: their owner by the search; owner: their owner in the kept network.
    """

    nodes: tuple[str, ...]
    operators: tuple[str, ...]
    seconds: Dict[str, float]
    refused: Dict[str, str]
    chosen: str
    owner: str

    def __str__(self) -> str:
        times = ", ".join(f"{o} {told(s)}" for o, s in sorted(self.seconds.items(), key=lambda e: e[1]))
        return f"{shortened(self.nodes)} ({shortened(self.operators)}) by {self.owner}: {times}"


@dataclass(frozen=True)
class Placement:
    """The owners of a model's nodes.

    blocks: in order. status: of the search. price: its predicted seconds; bound: the least possible. seconds: of whole
    calls in turns, the best of `runs`: of each owner computing everything alone, of the choice (`placed`), and of our
    kernels with a back end for refused nodes (`foreign`). kept: the fastest. failed: why one was not measured.
    """

    blocks: tuple[Block, ...]
    status: str
    price: float
    bound: float
    seconds: Dict[str, float]
    runs: int
    kept: str
    failed: Dict[str, str] = field(default_factory=dict)

    @property
    def away(self) -> tuple[Block, ...]:
        """The blocks computed by back ends in the kept network."""
        return tuple(b for b in self.blocks if b.owner != HOME)

    def document(self) -> dict[str, Any]:
        """The same as JSON."""
        return asdict(self) | {"away": [asdict(b) for b in self.away]}

    def __str__(self) -> str:
        times = ", ".join(f"{o} {told(s)}" for o, s in sorted(self.seconds.items(), key=lambda e: e[1]))
        lines = [
            f"kept {self.kept} of {times} (best of {self.runs} in turns)",
            f"search {self.status}: {told(self.price)} predicted, {told(self.bound)} at least",
        ]
        lines += [f"not proved: {b}" for b in self.away]
        lines += [f"not measured whole: {o}: {why}" for o, why in self.failed.items()]
        refused: dict[tuple[str, str], list[str]] = {}
        for block in self.blocks:
            for owner, why in block.refused.items():
                refused.setdefault((owner, why), []).append(shortened(block.nodes))
        lines += [f"no candidate: {o} for {shortened(n)}: {why}" for (o, why), n in refused.items()]
        return "\n".join(lines)


def told(seconds: float) -> str:
    """Seconds for people."""
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} µs"


def shortened(names: Sequence[str]) -> str:
    """Names for people, the first and the last of many."""
    return ", ".join(names) if len(names) <= 3 else f"{names[0]} ... {names[-1]} ({len(names)})"


def place_onnx(
    model: Any, backends: Sequence[str] | str, hardware: Any = "host", *, threads: int = 1, sizes: Dict[str, int] | None = None,
    most: Dict[str, int] | None = None, constants: Dict[str, Any] | None = None, sample: Dict[str, Any] | None = None,
    seed: int = 0, seconds: float = SECONDS, cc: str | None = None, tell: Callable[[str], Any] = lambda _: None,
    progress: Progress | None = None, **options: Any,
) -> CompiledNetwork:  # fmt: skip
    """The model compiled, its nodes placed with our kernels and these back ends; `.placement` tells where, and why.

    sample: inputs to measure with; else random ones of `seed`, at the largest sizes. seconds: for measuring. options:
    of plan(). Raises ArgumentError for an empty list of back ends, NetworkError for an unknown or missing back end, and
    the errors of from_onnx() and CompiledNetwork.
    """
    wanted = _asked(backends)
    if not seconds > 0:
        raise ArgumentError(f"placing measures for {seconds} seconds, and needs more than 0")
    end = _End(seconds)
    proto, folder = load(model)

    def compiled(proto: Any, groups: Sequence[Placed]) -> tuple[CompiledNetwork, dict[str, Var | None]]:
        network, known = read(proto, folder, sizes, most, constants, wanted, groups)
        planned = plan_network(network, hardware, threads=threads, progress=progress, **options)
        return CompiledNetwork(planned, cc=cc), known

    try:
        home, known = compiled(proto, ())
        given = random_inputs(home.network, seed) if sample is None else dict(sample)
        arrays = checked_inputs(home.network, given)
        graph = _Graph(proto, home, known, arrays)
        return _Placing(graph, wanted, threads, end, tell, compiled).best()
    except NetworkError as error:
        raise NetworkError(printable(str(error))) from None


def _asked(backends: Sequence[str] | str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys([backends] if isinstance(backends, str) else backends))
    if not names:
        raise ArgumentError(f"place: name back ends, such as {', '.join(sorted(BACKENDS))}")
    for name in names:
        if name == HOME:
            raise ArgumentError(f"place: {HOME} is our own kernels, which are candidates in any case; name others")
        check_backend(name)
    return names


class _End:
    """The time left for measuring; it runs in here alone."""

    def __init__(self, seconds: float) -> None:
        self.whole = self.left = seconds
        self.order = np.random.default_rng(0)

    def best(self, calls: Sequence[Callable[[], Any]], share: float) -> list[float]:
        """The best seconds of each call, in turns: of LEAST_RUNS, or as many as the share allows, after a warm-up."""
        taken: list[list[float]] = [[] for _ in calls]
        begin = time.perf_counter()
        for n, call in enumerate(calls):
            _tried(n, call)
        self.runs = 0
        while self.runs < LEAST_RUNS or time.perf_counter() - begin < share:
            for n in self.order.permutation(
                len(calls)
            ):  # who follows whom matters: caches hold what the one before read
                before = time.perf_counter()
                _tried(n, calls[n])
                taken[n].append(time.perf_counter() - before)
            self.runs += 1
            if time.perf_counter() - begin > 4 * share:  # a call of seconds is long enough to be seen once
                break
        self.left -= time.perf_counter() - begin
        return [min(t) for t in taken]


class _FailedCallError(NetworkError):
    """One of several calls failed; `number` is its position."""

    def __init__(self, number: int, why: str) -> None:
        super().__init__(why)
        self.number = number


def _tried(number: int, call: Callable[[], Any]) -> None:
    """A call: it may fail even if the one before did not."""
    try:
        call()
    except NetworkError as error:
        raise _FailedCallError(int(number), str(error)) from error


@dataclass
class _Part:
    """A block before it has an owner. reads, writes: names of the model's values, known ones left out."""

    nodes: list[int]
    reads: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


class _Graph:
    """The model's own graph as our network computes it: its blocks of nodes, and each value's array."""

    def __init__(self, proto: Any, home: CompiledNetwork, known: Dict[str, Var | None], arrays: Arrays) -> None:
        self.onnx, self.proto, self.home, self.known, self.arrays = library(), proto, home, known, arrays
        self.sizes = sizes_of(home.network, arrays)
        self.nodes = list(proto.graph.node)
        self.names = [printable(n.name or f"{n.op_type}_{k}") for k, n in enumerate(self.nodes)]
        self.outputs = [o.name for o in proto.graph.output]
        self.opsets = {("" if o.domain == "ai.onnx" else o.domain): int(o.version) for o in proto.opset_import}
        self.maker = {r: k for k, n in enumerate(self.nodes) for r in n.output if r}
        self.reads = [[n for n in read_by([node]) if n in known and not self._fixed(n)] for node in self.nodes]
        self.live = self._live()
        self.orders: dict[str, tuple[int, ...]] = {}
        self.held = self._held()

    def _fixed(self, name: str) -> bool:
        """Whether a value is known without a call, or follows from the sizes alone."""
        x = self.known[name]
        return x is None or x.constant is not None or x.extents is not None

    def _live(self) -> list[int]:
        """The nodes needed by results and computing something."""
        wanted = {n for n in self.outputs if not self._fixed(n)}
        found = []
        for k in reversed(range(len(self.nodes))):
            if any(r in wanted and not self._fixed(r) for r in self.nodes[k].output if r):
                found.append(k)
                wanted |= {*self.reads[k]}
        return found[::-1]

    def _held(self) -> Arrays:
        """Values of the model, as our network computes them; its missing ones are left out."""
        network, own = self.home.network, dict(self.arrays)
        for _, name, array in self.home.traced(self.arrays):
            value = network.values[name]
            if value.order is not None:
                self.orders[value.original] = value.order
                own[value.original] = np.ascontiguousarray(np.transpose(array, np.argsort(value.order)))
            else:
                own[value.original] = array
        return {n: own[x.name] for n, x in self.known.items() if x is not None and x.name in own}

    def value(self, name: str) -> Value:
        """The type and shape of a model's value."""
        x = self.known[name]
        assert x is not None
        return Value(name, x.dtype, x.shape)

    def array(self, name: str) -> np.ndarray:
        """Its elements on the arrays."""
        x = self.known[name]
        if x is not None and x.extents is not None:
            return np.array(at(tuple(x.extents.reshape(-1)), self.sizes), np.int64).reshape(x.extents.shape)
        return self.held[name]

    def order(self, name: str) -> tuple[int, ...] | None:
        """Its storage order in our network, if it has one of its own."""
        x = self.known[name]
        return None if x is None else self.orders.get(x.name)

    def parts(self) -> list[_Part]:
        """The blocks, each after those it reads."""
        group = {k: k for k in self.live}

        def root(k: int) -> int:
            while group[k] != k:
                group[k] = k = group[group[k]]
            return k

        for k in self.live:
            for name in self.reads[k]:
                if name in self.maker and name not in self.held:  # nobody has it but who computes both
                    group[root(k)] = root(self.maker[name])
        while True:
            before: dict[int, set[int]] = {root(k): set() for k in self.live}
            for k in self.live:
                before[root(k)] |= {root(self.maker[n]) for n in self.reads[k] if n in self.maker} - {root(k)}
            try:
                TopologicalSorter(before).prepare()
            except CycleError as error:
                first, *others = error.args[1]
                for k in others:
                    group[root(k)] = root(first)
                continue
            break
        members: dict[int, list[int]] = {}
        for k in self.live:
            members.setdefault(root(k), []).append(k)
        order = ordered({b: min(nodes) for b, nodes in members.items()}, before)
        assert order is not None
        return [self.part(members[b]) for b in order]

    def part(self, nodes: Iterable[int]) -> _Part:
        """Some nodes as one."""
        made = _Part(sorted(nodes))
        inside = set(made.nodes)
        results = {r for k in made.nodes for r in self.nodes[k].output if r}
        made.reads = list(dict.fromkeys(n for k in made.nodes for n in self.reads[k] if n not in results))
        read = {n for k in self.live if k not in inside for n in self.reads[k]} | {*self.outputs}
        made.writes = [r for k in made.nodes for r in self.nodes[k].output if r in read and not self._fixed(r)]
        return made

    def foreign(self, part: _Part, backend: str) -> Foreign:
        """The nodes as one step of a back end, with the model's own names. Raises NetworkError."""
        nodes = [self.nodes[k] for k in part.nodes]
        reads = {n: x for n in read_by(nodes) if (x := self.known.get(n)) is not None}
        model = model_of(self.onnx, nodes, self.opsets, self.proto, reads, part.writes).SerializeToString()
        given = tuple((n, n) for n, x in reads.items() if x.constant is None)
        names, operators = self.told(part)
        return Foreign(
            shortened(names), shortened(operators), backend, "", model, given, tuple((n, n) for n in part.writes)
        )

    def told(self, part: _Part) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of the nodes, and their operators."""
        operators = tuple(dict.fromkeys(self.nodes[k].op_type for k in part.nodes))
        return tuple(self.names[k] for k in part.nodes), operators

    def own_seconds(self, parts: Sequence[_Part], budget: float) -> None:
        """Time each block by our kernels, as the sum of its steps; a step without a value of the model is its reader's."""
        network = self.home.network
        of_node = {k: part for part in parts for k in part.nodes}
        makers: dict[str, _Part] = {}
        for name, x in self.known.items():
            if x is not None and name in self.maker and self.maker[name] in of_node:
                makers.setdefault(x.name, of_node[self.maker[name]])
        steps = [s for s in network.steps if not isinstance(s, View)]
        times = dict(zip((id(s) for s in steps), self.home.timed(self.arrays, budget), strict=True))
        elsewhere: list[tuple[_Part, str]] = []
        for part in parts:
            part.seconds[HOME] = 0.0
        for step in reversed(network.steps):
            original = [network.values[r].original for r in step.results]
            part_of = next((makers[r] for r in original if r in makers), None)
            if part_of is None:
                continue
            for source in step.sources:
                makers.setdefault(network.values[source].original, part_of)
            if isinstance(step, Step):
                part_of.seconds[HOME] += times[id(step)]
            elif isinstance(step, Foreign):
                elsewhere.append((part_of, step.reason))
        for part, reason in elsewhere:
            part.seconds.pop(HOME, None)
            part.refused[HOME] = reason


def ordered(first: Dict[int, int], before: Dict[int, set[int]]) -> list[int] | None:
    """An order with each element after those before it, the least number first; None if there is none.

    >>> ordered({0: 0, 1: 1, 2: 2}, {0: {2}, 1: set(), 2: set()})
    [1, 2, 0]
    """
    left = {b: len(p) for b, p in before.items()}
    after: dict[int, list[int]] = {b: [] for b in before}
    for b, preceding in before.items():
        for p in preceding:
            after[p].append(b)
    ready = [(first[b], b) for b, n in left.items() if not n]
    heapify(ready)
    found = []
    while ready:
        _, b = heappop(ready)
        found.append(b)
        for a in after[b]:
            left[a] -= 1
            if not left[a]:
                heappush(ready, (first[a], a))
    return found if len(found) == len(before) else None


class _Placing:
    """One search. compiled: a network of the model with some groups placed."""

    def __init__(
        self, graph: _Graph, backends: Sequence[str], threads: int, end: _End, tell: Callable[[str], Any],
        compiled: Callable[[Any, Sequence[Placed]], tuple[CompiledNetwork, dict[str, Var | None]]],
    ) -> None:  # fmt: skip
        self.graph, self.backends, self.threads, self.end, self.tell, self.compiled = (
            graph, backends, threads, end, tell, compiled,
        )  # fmt: skip
        self.parts = graph.parts()
        self.copied: dict[str, float] = {}  # seconds of a value into other memory
        self.calls: dict[str, float] = {}  # seconds of a call that computes next to nothing
        self.copies: set[str] = set()  # the back ends that get copies
        self.failed: dict[str, str] = {}

    def best(self) -> CompiledNetwork:
        """The fastest network."""
        graph, home = self.graph, self.graph.home
        if not self.parts:  # all is known
            home.placement = Placement((), "OPTIMAL", 0.0, 0.0, {}, 0, HOME)
            return home
        self._measure()
        chosen = self._choose()
        networks = {FOREIGN if home.network.foreign else HOME: home}
        whole = graph.part(graph.live)
        groups = self._groups(chosen.owners)
        one = next((o for o, part in groups if part.nodes == whole.nodes), None)  # has all of it
        name = PLACED if one is None else _step(one)
        if groups and (made := self._compiled(groups, name)) is not None:
            networks[name] = made
        calls = {n: partial(made, **graph.arrays) for n, made in networks.items()} | dict(self._alone())
        self.tell("measuring whole calls")
        share = 0.5 * max(self.end.left, 0.4 * self.end.whole)
        taken = self._turns(calls, networks, share)
        runs = self.end.runs
        first = min(taken, key=taken.__getitem__)
        step = _step(first)
        new = first not in networks and step not in networks
        if new and (made := self._compiled([(first, whole)], step)) is not None:
            networks[step], calls[step] = made, partial(made, **graph.arrays)
            taken = self._turns(calls, networks, share)  # of as many runs each
            runs = self.end.runs
        if not networks:
            raise NetworkError(f"no way to compute it lasts: {next(iter(self.failed.values()))}")
        kept = min(networks, key=taken.__getitem__)
        if HOME in networks and taken[kept] > GAIN * taken[HOME]:
            kept = HOME  # proved, and as fast
        blocks = []
        for n, part in enumerate(self.parts):
            refused = next((s.backend for s in home.network.foreign if HOME in part.refused), HOME)
            owner = {HOME: HOME, FOREIGN: refused, PLACED: chosen.owners[str(n)]}.get(kept)
            owner = owner or next(b for b in self.backends if _step(b) == kept)
            blocks.append(Block(*graph.told(part), part.seconds, part.refused, chosen.owners[str(n)], owner))
        price, bound = chosen.price / 1e9, chosen.bound / 1e9
        run = networks[kept]
        run.placement = Placement(tuple(blocks), chosen.status, price, bound, taken, runs, kept, self.failed)
        return run

    def _measure(self) -> None:
        """The seconds of each block by each candidate."""
        graph, end = self.graph, self.end
        self.tell("measuring our kernels")
        graph.own_seconds(self.parts, end.whole * 0.1)
        end.left -= end.whole * 0.1
        share = 0.4 * end.whole / max(1, len(self.parts) * len(self.backends))
        for backend in self.backends:
            self.calls[backend] = self._empty(backend)
        for part in sorted(self.parts, key=lambda p: -p.seconds.get(HOME, np.inf)):
            for backend in self.backends:
                name = shortened(graph.told(part)[0])
                self.tell(f"measuring {name} by {backend}")
                if end.left < 0.4 * end.whole:
                    part.refused[backend] = f"not measured within {end.whole:g} seconds"
                    continue
                try:
                    part.seconds[backend] = self._timed(part, backend, share)
                except NetworkError as error:
                    part.refused[backend] = str(error).removeprefix(f"{name}: ")
            if not part.seconds:
                told_ = "; ".join(f"{b}: {why}" for b, why in part.refused.items())
                raise NetworkError(f"no back end computes it on these inputs: {told_}", shortened(graph.told(part)[0]))
        for backend in self.backends:
            known = [p.seconds[backend] for p in self.parts if backend in p.seconds]
            self.calls[backend] = min([self.calls[backend], *known])

    def _empty(self, backend: str) -> float:
        """Seconds of a call copying one number; infinite if the back end fails."""
        helper, kind = self.graph.onnx.helper, self.graph.onnx.TensorProto.FLOAT
        x, y = (helper.make_tensor_value_info(n, kind, [1]) for n in "xy")
        made = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "empty", [x], [y])
        model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        step = Foreign("empty", "Identity", backend, "", model.SerializeToString(), (("x", "x"),), (("y", "y"),))
        one = np.ones(1, np.float32)
        value = {n: Value(n, dtype("f32"), (1,)) for n in "xy"}
        try:
            evaluate = step.loaded(self.threads)
            return self.end.best([lambda: step.answers(value, {"x": one}, {}, evaluate)], 0.002)[0]
        except NetworkError:
            return float("inf")

    def _timed(self, part: _Part, backend: str, share: float) -> float:
        """Seconds of a block by a back end, copies left out. Raises NetworkError if it is no candidate."""
        graph, step = self.graph, self.graph.foreign(part, backend)
        values = {n: graph.value(n) for n in (*step.sources, *step.results)}
        held = {n: graph.array(n) for n in step.sources}
        evaluate = step.loaded(self.threads)
        if not isinstance(evaluate, Reader):
            self.copies.add(backend)

        def call() -> Arrays:  # a result that is a view is copied element by element, which is the back end's work
            found = step.answers(values, held, graph.sizes, evaluate)
            return {n: np.ascontiguousarray(a) for n, a in found.items()}

        for name, array in call().items():
            _compare(values[name], array, graph.array(name))
        return self.end.best([call], share)[0]

    def _copied(self, name: str) -> float:
        if name not in self.copied:
            array = self.graph.array(name)
            other = np.empty_like(array)
            self.copied[name] = self.end.best([lambda: np.copyto(other, array)], 0.0)[0]
        return self.copied[name]

    def _stored_anew(self, name: str) -> float:
        """Seconds to store a value in the model's order, if our network has another one."""
        order = self.graph.order(name)
        if order is None:
            return 0.0
        array = np.transpose(self.graph.array(name), order)
        return self.end.best([lambda: np.ascontiguousarray(array)], 0.0)[0]

    def _choose(self) -> Owners:
        """The cheapest owners, in nanoseconds, by the number of the block."""
        graph, home = self.graph, self.graph.home
        writer = {w: str(n) for n, p in enumerate(self.parts) for w in p.writes}
        readers: dict[str, list[str]] = {}
        for n, part in enumerate(self.parts):
            for name in part.reads:
                readers.setdefault(name, []).append(str(n))
        values = []
        for name in dict.fromkeys([*writer, *readers]):
            anew = self._stored_anew(name)
            out, into = _ns(self._copied(name) + anew), _ns(anew)
            values.append(
                Handed(
                    writer.get(name), tuple(readers.get(name, ())), name in graph.outputs,
                    dict.fromkeys(self.backends, out),
                    {b: into + (_ns(self._copied(name)) if b in self.copies else 0) for b in self.backends},
                )
            )  # fmt: skip
        work = {
            str(n): {o: _ns(max(0.0, s - self.calls.get(o, 0.0))) for o, s in p.seconds.items()}
            for n, p in enumerate(self.parts)
        }
        calls = {b: _ns(s) for b, s in self.calls.items() if s != float("inf")}
        self.tell("choosing")
        return cheapest_owners(work, values, calls, HOME, _ns(home.seconds_watched(graph.arrays)))

    def _groups(self, owners: Dict[str, str]) -> list[tuple[str, _Part]]:
        """Successive blocks of one back end, merged; none waits for itself."""
        graph, parts = self.graph, self.parts
        maker = {w: n for n, p in enumerate(parts) for w in p.writes}
        before = {n: {maker[r] for r in p.reads if r in maker} for n, p in enumerate(parts)}
        group = {n: n for n in range(len(parts))}

        def contracted(of: Dict[int, int]) -> dict[int, set[int]]:
            made: dict[int, set[int]] = {of[n]: set() for n in before}
            for n, preceding in before.items():
                made[of[n]] |= {of[p] for p in preceding} - {of[n]}
            return made

        for n in range(len(parts)):
            for p in sorted(before[n]):
                if owners[str(n)] == HOME or owners[str(n)] != owners[str(p)] or group[n] == group[p]:
                    continue
                tried = {k: group[p] if g == group[n] else g for k, g in group.items()}
                if ordered({g: g for g in tried.values()}, contracted(tried)) is not None:
                    group = tried
        members: dict[int, list[int]] = {}
        for n, g in group.items():
            members.setdefault(g, []).append(n)
        away = [(owners[str(g)], m) for g, m in members.items() if owners[str(g)] != HOME]
        return [(o, graph.part(k for n in m for k in parts[n].nodes)) for o, m in away]

    def _compiled(self, groups: Sequence[tuple[str, _Part]], name: str) -> CompiledNetwork | None:
        """The network with these placed, if it gives our results; why not is kept."""
        graph = self.graph
        self.tell(f"compiling {name}")
        try:
            made, _ = self.compiled(*self._placed(groups))
            wanted = graph.home(**graph.arrays)
            for n, array in made(**graph.arrays).items():
                _compare(graph.home.network.values[n], array, wanted[n])
        except IsamapError as error:
            self.failed[name] = str(error).splitlines()[0]
            return None
        return made

    def _placed(self, groups: Sequence[tuple[str, _Part]]) -> tuple[Any, list[Placed]]:
        """The model with the nodes of each group one after the other, and the groups."""
        graph = self.graph
        count = len(graph.nodes)
        group = {k: k for k in range(count)}
        for number, (_, part) in enumerate(groups):
            group |= dict.fromkeys(part.nodes, count + number)
        before: dict[int, set[int]] = {g: set() for g in group.values()}
        for k, node in enumerate(graph.nodes):
            before[group[k]] |= {group[graph.maker[n]] for n in read_by([node]) if n in graph.maker} - {group[k]}
        first: dict[int, int] = {}
        for k, g in group.items():
            first.setdefault(g, k)
        order = ordered(first, before)
        assert order is not None
        members: dict[int, list[int]] = {}
        for k, g in group.items():
            members.setdefault(g, []).append(k)
        made = type(graph.proto)()
        made.CopyFrom(graph.proto)
        del made.graph.node[:]
        found = []
        for g in order:
            begin = len(made.graph.node)
            for k in members[g]:
                made.graph.node.add().CopyFrom(graph.nodes[k])
                made.graph.node[-1].name = graph.names[k]
            if g >= count:
                owner, part = groups[g - count]
                names, operators = (shortened(t) for t in graph.told(part))
                writes = {n: (graph.value(n).dtype, graph.value(n).shape) for n in part.writes}
                end = len(made.graph.node)
                found.append(Placed(begin, end, names, operators, owner, self._reason(part, owner), writes))
        return made, found

    def _reason(self, group: _Part, owner: str) -> str:
        """Why: the sum of the blocks' seconds, ours and theirs."""
        inside = [p for p in self.parts if {*p.nodes} <= {*group.nodes}]
        sums = [(o, sum(p.seconds[o] for p in inside)) for o in (owner, HOME) if all(o in p.seconds for p in inside)]
        refused = next((p.refused[HOME] for p in inside if HOME in p.refused), "")
        measured = ", ".join(f"{o} {told(s)}" for o, s in sums)
        return f"placed: {measured}" if not refused else f"placed: {measured}; {refused}"

    def _turns(
        self, calls: dict[str, Callable[[], Any]], networks: dict[str, CompiledNetwork], share: float
    ) -> dict[str, float]:
        """The best seconds of each call; a failing one is dropped, and named. Raises NetworkError if none is left."""
        while calls:
            try:
                return dict(zip(calls, self.end.best(list(calls.values()), share), strict=True))
            except _FailedCallError as failed:
                name = list(calls)[failed.number]
                self.failed[name] = str(failed)
                del calls[name]
                networks.pop(name, None)
        raise NetworkError(f"no way to compute it lasts: {next(iter(self.failed.values()))}")

    def _alone(self) -> Iterator[tuple[str, Callable[[], Any]]]:
        """Each back end computing all of it, called as itself."""
        graph, part = self.graph, self.graph.part(self.graph.live)
        node = shortened(graph.told(part)[0])
        for backend in self.backends:
            try:
                step = graph.foreign(part, backend)
                evaluate = step.loaded(self.threads)
                values = {n: graph.value(n) for n in (*step.sources, *step.results)}
                held = {n: graph.array(n) for n in step.sources}
                for name, array in step.answers(values, held, graph.sizes, evaluate).items():
                    _compare(values[name], array, graph.array(name))
            except NetworkError as error:
                self.failed[backend] = str(error).removeprefix(f"{node}: ")
                continue
            yield backend, partial(evaluated, backend, node, evaluate, held)


def _step(backend: str) -> str:
    """The name of the network with this back end as its one step."""
    return f"{backend} as a step"


def _ns(seconds: float) -> int:
    return round(seconds * 1e9)


def _compare(value: Value, got: np.ndarray, wanted: np.ndarray) -> None:
    """Raise NetworkError for a result not explained by rounding: of whole numbers of more than a byte any other."""
    exact = not value.dtype.is_float and value.dtype.bits != 8
    if exact and not np.array_equal(got, wanted):
        raise NetworkError(f"its {value.name} is another one than ours")
    if not exact and (error := error_of(got, wanted)) > allowed(value):
        raise NetworkError(
            f"its {value.name} is off by {error:.1e} of the largest element; {allowed(value):.0e} is allowed"
        )
