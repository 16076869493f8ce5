"""Where the channels of images stand: last, so that they fill the lanes of vectors and a point's channels are one row.

Each value between kernels may have its dimensions stored in another order; inputs and outputs of the network keep theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from isamap_smt.ir.expr import symbols_of
from isamap_smt.ir.kernel import Statement
from isamap_smt.language import kernel as read_kernel
from isamap_smt.networks.extents import most, open_sizes
from isamap_smt.networks.graph import AnyStep, Network, Step, View
from isamap_smt.networks.kernels import plain_target, stored
from isamap_smt.networks.values import Value

Order = tuple[int, ...]


def with_layouts(network: Network) -> Network:
    """The network with channels last in all values between windows and what goes element by element with them."""
    orders = _chosen(network)
    fixed = {*network.inputs, *network.outputs, *(n for s in network.foreign for n in (*s.sources, *s.results))}
    orders = {n: o for n, o in orders.items() if n not in fixed}
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
    """The view; where the orders of its two sides do not fit, with steps that store its source, or its result, anew."""
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
    """Temporaries of a result's shape are stored as it is, where one statement writes all of them."""
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
    """The step that stores a value in another order."""
    index = [f"a{n}" for n in range(len(before))]
    sizes = "".join(f"param {s}\n" for s in open_sizes([held.shape]))
    axes = "\n".join(f"axis {index[n]} < {s}" for n, s in zip(before, held.shape, strict=True))
    text = sizes + "\n".join(f"{t}: {v.dtype}[{','.join(map(str, v.shape))}]" for t, v in (("X", held), ("Y", wanted)))
    text += f"\n{axes}\nY[{','.join(index[n] for n in after)}] = X[{','.join(index[n] for n in before)}]"
    return Step(node, read_kernel(text, name="step"), (("X", held.name),), (("Y", wanted.name),))


def _chosen(network: Network) -> dict[str, Order]:
    """The order of each value that is not stored as it is."""
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
    """Channels last, for what a window reads and writes."""
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
    """The statement over images of two spatial dimensions that reads more of a tensor than the element at its own place."""
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
    """One order for all that is read and written at the same place."""
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


def through(shape: Sequence[Any], order: Order, wanted: Sequence[Any]) -> Order | None:
    """The order in which a view's dimensions are stored, where its source's are stored in `order`; None where there is none.

    Both shapes are cut into the shortest runs of dimensions with as many elements; a run is stored together, and in its order.
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
