"""Layouts of images: channels last or channels first, whichever is cheapest over the whole graph.

Channels last fill the lanes of vectors, and a point's channels are one row. Few channels stay first, before rows and
columns: then a row of the image fills the lanes better.

Each value between kernels may have its dimensions stored in another order; inputs and outputs of the network keep
theirs. CP-SAT finds the cheapest choice from the costs of windows in each order, and the costs wherever orders meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
import sympy as sp

from isamap_encodings.two_ways import Pair, cheapest
from isamap_smt.ir.expr import affine, substitute, symbols_of
from isamap_smt.ir.kernel import Access, Statement
from isamap_smt.language import kernel as read_kernel
from isamap_smt.networks.extents import most, open_sizes
from isamap_smt.networks.graph import AnyStep, Network, Step, View
from isamap_smt.networks.kernels import plain_target, stored
from isamap_smt.networks.values import Value, largest

Order = tuple[int, ...]
BORDERS = (
    1.15  # a window whose lanes are neighbours in a row, beside one with channels in its lanes: it has masks at borders
)
STRIDED = 3.0  # the same where it reads every second point of a row
ALONE = 1.5  # and where it sums within a channel
SPLIT = 1.2  # where vectors go on from one row to the next: what follows the sum reads it from memory again
APART = 8  # for an element that is read in one order and written in the other


@dataclass(frozen=True)
class Layouts:
    """The chosen orders. last: values with channels last; others: values allowed to be so, and left in order.

    price: in steps of a vector, estimated; bound: no choice costs less.
    """

    last: tuple[str, ...]
    others: tuple[str, ...]
    price: int
    bound: int
    status: str

    def __str__(self) -> str:
        """How many images are stored how."""
        return f"{len(self.last)} images with channels last, {len(self.others)} with channels first; {self.status} by estimate"


def with_layouts(network: Network, lanes: int) -> tuple[Network, Layouts]:
    """The network with the values around its windows in the cheapest orders, and these orders.

    Elementwise operators between windows share them. lanes: of the machine's widest vectors of f32.
    """
    fixed = {*network.inputs, *network.outputs, *(n for s in network.foreign for n in (*s.sources, *s.results))}
    orders = {n: o for n, o in _possible(network).items() if n not in fixed}
    prices = Prices(network, orders, lanes)
    chosen = cheapest(prices.alone, prices.together)
    last = {n for n, way in chosen.ways.items() if way}
    told = [tuple(sorted(n for n in chosen.ways if (n in last) == way)) for way in (True, False)]
    layouts = Layouts(told[0], told[1], chosen.price, chosen.bound, chosen.status)
    orders = {n: o for n, o in orders.items() if {n, prices.weights.get(n)} & last}
    return _stored_so(network, orders), layouts


def _stored_so(network: Network, orders: dict[str, Order]) -> Network:
    """The network with these values in these orders."""
    constants = dict(network.constants)
    values = dict(network.values)
    for name, order in orders.items():
        values[name] = replace(values[name], shape=tuple(values[name].shape[n] for n in order), order=order)
        if name in constants:
            constants[name] = np.ascontiguousarray(np.transpose(constants[name], order))
    steps: list[AnyStep] = []
    plain: dict[str, str] = {}
    for step in network.steps:
        if isinstance(step, Step):
            found = {t: orders[v] for t, v in (*step.reads, *step.writes) if v in orders}
            steps.append(replace(step, kernel=stored(step.kernel, found | _inside(step, found))) if found else step)
            continue
        steps += _viewed(network, values, plain, orders, step) if isinstance(step, View) else [step]
    return replace(network, values=values, constants=constants, steps=tuple(steps))


def _viewed(
    network: Network, values: dict[str, Value], plain: dict[str, str], orders: dict[str, Order], step: View
) -> list[AnyStep]:
    """The view; if the orders of its two sides do not fit, with steps to store its source, or its result, anew."""
    of, to = network.values[step.source], network.values[step.result]
    before, after = orders.get(step.source), orders.get(step.result)
    seen = through(of.shape, before or tuple(range(len(of.shape))), to.shape)
    if seen == (after or tuple(range(len(to.shape)))):
        return [step]
    made: list[AnyStep] = []
    source = step.source
    if before is not None:
        if source not in plain:
            plain[source] = _fresh(values, of)
            made.append(_stored(step.node, values[source], values[plain[source]], before, range(len(before))))
        source = plain[source]
    if after is None:
        return [*made, replace(step, source=source)]
    whole = _fresh(values, to)
    made.append(View(step.node, source, whole))
    return [*made, _stored(step.node, values[whole], values[step.result], range(len(after)), after)]


def _inside(step: Step, found: dict[str, Order]) -> dict[str, Order]:
    """Orders of temporaries: those of a result's shape, written whole by one statement, are stored as the result."""
    kernel = step.kernel
    shapes = {kernel.tensor(t).shape: found[t] for t, _ in step.writes if t in found}
    plain = [
        s.target.tensor for s in kernel.statements if plain_target(s) is not None and not (s.op == "=" and s.guard)
    ]
    alone = [
        n for n in kernel.temporaries if plain.count(n) == 1 == [s.target.tensor for s in kernel.statements].count(n)
    ]
    return {n: shapes[s] for n in alone if (s := kernel.tensor(n).shape) in shapes}


def _fresh(values: dict[str, Value], old: Value) -> str:
    name = f"{old.name}.plain"
    while name in values:
        name += "."
    values[name] = replace(old, name=name, of=old.original)
    return name


def _stored(node: str, held: Value, wanted: Value, before: Sequence[int], after: Sequence[int]) -> Step:
    """The step storing a value in another order."""
    index = [f"a{n}" for n in range(len(before))]
    sizes = "".join(f"param {s}\n" for s in open_sizes([held.shape]))
    axes = "\n".join(f"axis {index[n]} < {s}" for n, s in zip(before, held.shape, strict=True))
    text = sizes + "\n".join(f"{t}: {v.dtype}[{','.join(map(str, v.shape))}]" for t, v in (("X", held), ("Y", wanted)))
    text += f"\n{axes}\nY[{','.join(index[n] for n in after)}] = X[{','.join(index[n] for n in before)}]"
    return Step(node, read_kernel(text, name="step"), (("X", held.name),), (("Y", wanted.name),))


def _possible(network: Network) -> dict[str, Order]:
    """The order with channels last, of each value allowed to be stored so."""
    orders: dict[str, Order] = {}
    changed = True
    while changed:
        changed = False
        for step in network.steps:
            if isinstance(step, View):
                if step.source in orders and step.result not in orders:
                    order = through(
                        network.values[step.source].shape, orders[step.source], network.values[step.result].shape
                    )
                    if order is not None:
                        orders[step.result], changed = order, True
            elif isinstance(step, Step):
                changed |= _windows(network, step, orders) or _alike(network, step, orders)
    return orders


def _windows(network: Network, step: Step, orders: dict[str, Order]) -> bool:
    """Channels last, for the reads and writes of a window. Returns whether any order is new."""
    s = _window_of(step)
    if s is None:
        return False
    held = dict((*step.reads, *step.writes))
    found, rank = False, len(s.target.index)
    last = (0, *range(2, rank), 1)
    for tensor, value in held.items():
        shape = network.values[value].shape
        if value in orders or len(shape) != rank:
            continue
        if value in network.constants:
            if rank == 4 and tensor == "W":
                orders[value], found = (2, 3, 1, 0), True
            continue
        orders[value], found = last, True
    return found


def _window_of(step: Step) -> Statement | None:
    """The reduction over images of two spatial dimensions reading beyond the element at its own place, if any."""
    for s in step.kernel.statements:
        axes = plain_target(s)
        if axes is None or len(axes) != 4 or s.op == "=" or not s.reduction_axes:
            continue
        if any(_is_image(a.index, s.target.index) for a in s.inputs):
            return s
    return None


def _is_image(read: Sequence[Any], written: Sequence[Any]) -> bool:
    """Whether a place of an image is read: the same one of a batch, and along each spatial dimension a point at the one written."""
    if len(read) != 4 or read[0] != written[0]:
        return False
    return all(symbols_of([w]) <= symbols_of([r]) for r, w in zip(read[2:], written[2:], strict=True))


def _alike(network: Network, step: Step, orders: dict[str, Order]) -> bool:
    """One order for all reads and writes at the same place. Returns whether any order is new."""
    shapes = {v: network.values[v].shape for _, v in (*step.reads, *step.writes)}
    result = step.results[0]
    whole = [v for v, s in shapes.items() if len(s) == len(shapes[result]) and v not in network.constants]
    order = next((orders[v] for v in whole if v in orders), None)
    if order is None or len(whole) < 2:
        return False
    found = False
    for v in whole:
        if v not in orders:
            orders[v], found = order, True
    return found


class Prices:
    """Costs of orders, in steps of a vector; way 1 of a value is channels last.

    weights: for each constant of a window, the value it follows in order.

    The factors above come from 27 windows and 7 chains of them, measured on Zen 4 with 16 lanes. There, lanes along
    summed channels take a quarter longer than lanes along written ones.
    """

    def __init__(self, network: Network, orders: dict[str, Order], lanes: int) -> None:
        self.network, self.orders, self.lanes = network, orders, lanes
        self.alone: dict[str, tuple[int, int]] = {}
        self.together: dict[tuple[str, str], Pair] = {}
        self.weights: dict[str, str] = {}
        for name in orders:
            if name not in network.constants:
                self.alone[name] = (1, 0)  # where nothing else decides, channels stand last
        for step in network.steps:
            if isinstance(step, View):
                self._view(step)
            elif isinstance(step, Step):
                self._step(step)

    def _step(self, step: Step) -> None:
        window = _window_of(step)
        held = dict((*step.reads, *step.writes))
        result = step.results[0] if window is None else held.get(window.target.tensor, step.results[0])
        rank = len(self.network.values[result].shape)
        images = {v for v in held.values() if v in self.alone and len(self.network.values[v].shape) == rank} - {result}
        if window is not None:
            read = next(a for a in window.inputs if _is_image(a.index, window.target.index))
            source = held.get(read.tensor, result)
            self._window(window, read, source, result)
            images -= {source}
            for value in set(held.values()) & set(self.network.constants) & set(self.orders):
                self.weights[value] = result if result in self.alone else source
        for value in sorted(images):
            apart = APART * self._elements(value)
            self._priced(value, result, (0, apart, apart, 0))

    def _window(self, s: Statement, read: Access, source: str, result: str) -> None:
        """Lanes go along rows if both sides stand so, else along channels: then one number is read for all lanes."""
        points = prod(self._number(a.extent) for a in s.axes)
        written, summed = (symbols_of([i]) for i in (s.target.index[1], read.index[1]))
        channels = max(self._filled(s, written), 0.0 if summed == written else 0.8 * self._filled(s, summed))
        column = symbols_of([s.target.index[3]])
        sides = affine(read.index[3], column)
        beside = sides is not None and all(abs(n) == 1 for n in sides[0].values())
        wide = {a.name for a in s.axes if a.name in s.reduction_axes and self._number(a.extent) > 1}
        one = beside and not symbols_of(read.index[2:]) & wide  # a point is of one point: rows follow each other
        rows = self._filled(s, symbols_of(s.target.index[2:]) if one else column)
        whole = self._number(s.axis(str(s.target.index[3])).extent) % self.lanes == 0 if column else False
        slow = ((1.0 if whole else SPLIT) if one else BORDERS) * (1.0 if beside else STRIDED)
        if summed == written:
            slow *= ALONE
        along_rows, along_channels = (round(points / self.lanes * n) for n in (slow / rows, 1 / channels))
        scattered, spread = along_channels + APART * self._elements(result), along_channels // 20
        along_rows = min(along_rows, spread + scattered)
        self._priced(source, result, (along_rows, spread + along_channels, scattered, along_channels))

    def _filled(self, s: Statement, axes: set[str]) -> float:
        """The share of the lanes filled by these axes' points."""
        points = prod(self._number(a.extent) for a in s.axes if a.name in axes)
        if not points:
            return 1.0
        return points / (-(-points // self.lanes) * self.lanes)

    def _view(self, step: View) -> None:
        """A view disallowed by its orders has its source, or its result, stored anew."""
        of, to = (self.network.values[n].shape for n in (step.source, step.result))
        plain = tuple(range(len(of))), tuple(range(len(to)))
        ways = [
            [plain[n], self.orders[v]] if v in self.alone else [plain[n], plain[n]]
            for n, v in enumerate((step.source, step.result))
        ]
        anew = APART * self._elements(step.source)
        prices = [0 if through(of, a, to) == b else anew for a in ways[0] for b in ways[1]]
        self._priced(step.source, step.result, (prices[0], prices[1], prices[2], prices[3]))

    def _priced(self, one: str, other: str, prices: Pair) -> None:
        """Add to the costs of both ways; a value with only one way keeps its order."""
        if one in self.alone and other in self.alone:
            before = self.together.get((one, other), (0, 0, 0, 0))
            self.together[one, other] = tuple(a + b for a, b in zip(before, prices, strict=True))  # type: ignore[assignment]
        elif one in self.alone:
            self._alone(one, prices[0], prices[2])
        elif other in self.alone:
            self._alone(other, prices[0], prices[1])

    def _alone(self, name: str, first: int, last: int) -> None:
        if name in self.alone:
            zero, one = self.alone[name]
            self.alone[name] = (zero + first, one + last)

    def _elements(self, name: str) -> int:
        return prod(self._number(n) for n in self.network.values[name].shape)

    def _number(self, extent: Any) -> int:
        """An extent at the largest sizes."""
        return int(most(extent)) if not isinstance(extent, sp.Basic) else int(substitute(extent, largest(self.network)))


def through(shape: Sequence[Any], order: Order, wanted: Sequence[Any]) -> Order | None:
    """The storage order of a view's dimensions if its source is stored in `order`; None if there is none.

    Both shapes are cut into the shortest runs of dimensions with as many elements; a run is stored together, and in its
    order.
    """
    runs: list[tuple[list[int], list[int]]] = []
    i = j = 0
    while i < len(shape) or j < len(wanted):
        left: list[int] = []
        right: list[int] = []
        a: Any = 1
        b: Any = 1
        while True:
            if most(a) <= most(b) and i < len(shape) and (most(a) < most(b) or not left):
                a *= shape[i]
                left.append(i)
                i += 1
            elif j < len(wanted):
                b *= wanted[j]
                right.append(j)
                j += 1
            elif i < len(shape):
                a *= shape[i]
                left.append(i)
                i += 1
            if (a == b and left and right) or (i == len(shape) and j == len(wanted)):
                break
        if a != b:
            return None
        runs.append((left, right))
    place = {d: n for n, d in enumerate(order)}
    made: list[int] = []
    begins = []
    for number, (left, _) in enumerate(runs):
        big = [d for d in left if shape[d] != 1]
        places = [place[d] for d in big]
        if any(
            (q != p + 1 and any(shape[order[k]] != 1 for k in range(min(p, q) + 1, max(p, q)))) or q < p
            for p, q in pairwise(places)
        ):
            return None
        begins.append((places[0] if places else -1, number))
    for _, number in sorted(begins):
        made += runs[number][1]
    return tuple(made)
