"""The statements of a kernel as a graph: a box for each, in layers from top to bottom, below the statements it reads.

At the left of a box stand its inputs, at its right the result it is the last to write. A dashed outline is
around statements of one loop. Edges passing a layer have a place of their own there, and so cross no box.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from isamap_smt.ir.expr import words
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.program import Compute, Loop, Point, Program
from isamap_smt.ir.traversal import walk
from isamap_smt.report.labels import Box, Label, overlap, shortened, width_of
from isamap_smt.report.whole import Row

WIDTH, HEIGHT = 216.0, 46.0  # of a box with few inputs
SMALL, APART, SIDE = 20.0, 34.0, 14.0  # height of an input; between layers; of the arrow beside a box
MARGIN, LANE = 12.0, 16.0  # around an outline; width of an edge that passes a layer
CHARACTERS = int((WIDTH - 16) / width_of("0"))


@dataclass(frozen=True)
class Fused:
    """Statements, counted from 0, enclosed by one loop of the program; axes: of all loops around all of them, outermost first.

    steps: the loop is of their time steps.
    """

    statements: tuple[int, ...]
    axes: tuple[str, ...]
    steps: bool = False

    @property
    def text(self) -> str:
        """The words of the outline."""
        axes = ", ".join(self.axes)
        return f"time steps of {axes}" if self.steps else f"fused over {axes}" if axes else "fused"


def fused(program: Program) -> tuple[Fused, ...]:
    """The groups of two statements or more sharing an outermost loop, in the order of the program."""
    found: dict[int, dict[int, list[tuple[Loop, ...]]]] = {}
    for node, around in walk(program.body):
        loops = tuple(x for x in around if isinstance(x, Loop))
        if isinstance(node, Compute | Point) and loops:
            found.setdefault(id(loops[0]), {}).setdefault(node.statement, []).append(loops)
    groups = []
    for members in found.values():
        if len(members) > 1:
            every = [loops for each in members.values() for loops in each]
            common = [x for n, x in enumerate(every[0]) if all(n < len(e) and e[n] is x for e in every)]
            axes = tuple(dict.fromkeys(str(x.axis) for x in common if x.axis))
            block = program.kernel.recurrence_of(min(members))
            steps = block is not None and axes == (block.axis,)
            groups.append(Fused(tuple(sorted(members)), axes, steps))
    return tuple(groups)


@dataclass(frozen=True)
class Edge:
    """From a statement to a reader of its result. again: in the next time step."""

    source: int
    target: int
    again: bool = False


def edges(kernel: Kernel) -> tuple[Edge, ...]:
    """Edges into each statement from the earlier writers of tensors it reads or adds to, and from those of the time step before."""
    found: dict[Edge, None] = {}
    writes = [s.target.tensor for s in kernel.statements]
    for n, s in enumerate(kernel.statements):
        taken = {a.tensor for a in s.inputs} | ({s.target.tensor} if s.op != "=" else set())
        block = kernel.recurrence_of(n)
        for m, written in enumerate(writes):
            if m < n and written in taken:
                found[Edge(m, n)] = None
            elif m >= n and block and block.first <= m < block.end and written in {a.tensor for a in s.inputs}:
                found[Edge(m, n, True)] = None
    return tuple(found)


@dataclass(frozen=True)
class Statement:
    """A box: its rectangle, its three texts, its share of the time as a width, and its tooltip."""

    number: int
    box: Box
    labels: tuple[Label, ...]
    share: float
    tip: str
    scheduled: bool


@dataclass(frozen=True)
class Pill:
    """A tensor beside a box: an input, or a result. path: of the arrow."""

    box: Box
    label: Label
    path: str
    result: bool


@dataclass(frozen=True)
class Graph:
    """Everything in SVG coordinates. paths: (an edge, again); outlines: (members, rectangle, its note); notes: beside lines."""

    width: float
    height: float
    statements: tuple[Statement, ...]
    pills: tuple[Pill, ...]
    paths: tuple[tuple[str, bool], ...]
    outlines: tuple[tuple[tuple[int, ...], Box, Label], ...]
    notes: tuple[Label, ...]

    @property
    def again(self) -> bool:
        """Whether an edge leads to the next time step."""
        return any(again for _, again in self.paths)


@dataclass
class _Item:
    """In a layer: a statement, or the place of a passing edge (no number). left, right: its reach from its middle."""

    number: int | None
    left: float
    right: float
    above: list[_Item] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0
    high: float = 0.0

    @property
    def whole(self) -> Box:
        """With the tensors beside it."""
        return self.x - self.left, self.y, self.x + self.right, self.y + self.high

    @property
    def middle(self) -> float:
        """Of its height."""
        return self.y + self.high / 2


def draw_graph(kernel: Kernel, rows: Sequence[Row], groups: Sequence[Fused] = ()) -> Graph:
    """The graph of a kernel's statements; rows: one for each, in their order."""
    reads, gives = _inputs(kernel), _results(kernel)
    arrows = edges(kernel)
    layers, items = _layers(kernel, arrows, reads, gives)
    _place(layers)
    statements = tuple(_statement(kernel, n, items[n], rows[n]) for n in range(len(kernel.statements)))
    pills = tuple(p for n, item in enumerate(items) for p in _pills(item, reads[n], gives[n]))
    chains = [(_path(chain), False) for item in items for chain in _chains(item)]
    right = max(i.whole[2] for layer in layers for i in layer) + MARGIN
    back, labels = [], []
    for n, e in enumerate(e for e in arrows if e.again):
        path, label = _back(items[e.source], items[e.target], right + 10 + 8 * n, _axis(kernel, e))
        back.append((path, True))
        labels += [label] if n == 0 else []
    outlines = tuple(o for g in groups for o in _outlines(g, items))
    labels += [label for *_, label in outlines]
    far = max([right, *(label.span[1] + 4 for label in labels)]) + MARGIN
    high = max(i.y + i.high for i in items) + MARGIN + 4
    return Graph(far, high, statements, pills, (*chains, *back), outlines, tuple(labels))


def _axis(kernel: Kernel, e: Edge) -> str:
    block = kernel.recurrence_of(e.target)
    return block.axis if block else ""


def _inputs(kernel: Kernel) -> list[tuple[str, ...]]:
    """For each statement, the tensors it reads but no statement writes."""
    return [
        tuple(dict.fromkeys(a.tensor for a in s.inputs if a.tensor not in kernel.outputs)) for s in kernel.statements
    ]


def _results(kernel: Kernel) -> list[str]:
    """For each statement, the result it is the last to write, or ''."""
    last = {s.target.tensor: n for n, s in enumerate(kernel.statements)}
    return [
        s.target.tensor if last[s.target.tensor] == n and s.target.tensor in kernel.results else ""
        for n, s in enumerate(kernel.statements)
    ]


def _wide(text: str) -> float:
    return width_of(text) + 14


def _layers(
    kernel: Kernel, arrows: Sequence[Edge], reads: Sequence[Sequence[str]], gives: Sequence[str]
) -> tuple[list[list[_Item]], list[_Item]]:
    """Each statement in the layer after all those it reads, and a place in each layer passed by an edge."""
    depth, items = [0] * len(kernel.statements), []
    for n in range(len(kernel.statements)):
        depth[n] = max([depth[e.source] + 1 for e in arrows if e.target == n and not e.again], default=0)
        left = WIDTH / 2 + (max(map(_wide, reads[n])) + SIDE if reads[n] else 0)
        right = WIDTH / 2 + (_wide(gives[n]) + SIDE if gives[n] else 0)
        items.append(_Item(n, left, right, high=max(HEIGHT, (SMALL + 2) * len(reads[n]))))
    layers: list[list[_Item]] = [[] for _ in range(max(depth) + 1)]
    for item, d in zip(items, depth, strict=True):
        layers[d].append(item)
    passing: dict[tuple[int, int], _Item] = {}  # edges of one source share a place in a layer
    for e in arrows:
        last = items[e.source]
        for d in range(depth[e.source] + 1, 0 if e.again else depth[e.target]):
            if (e.source, d) not in passing:
                passing[e.source, d] = _Item(None, LANE / 2, LANE / 2, [last])
                layers[d].append(passing[e.source, d])
            last = passing[e.source, d]
        if not e.again:
            items[e.target].above.append(last)
    return layers, items


def _place(layers: Sequence[list[_Item]]) -> None:
    """Middles and heights: each layer is sorted and shifted by the middles of the items above it."""
    y = MARGIN + 14
    for layer in layers:
        layer.sort(key=lambda i: (_wanted(i), i.number is None, i.number or 0))
        x = 0.0
        for n, item in enumerate(layer):
            x += item.left + (2 * MARGIN if n else 0)
            item.x = x
            x += item.right
        drawn = [i for i in layer if i.above]
        shift = sum(_wanted(i) - i.x for i in drawn) / len(drawn) if drawn else -sum(i.x for i in layer) / len(layer)
        high = max(i.high for i in layer)
        for item in layer:
            item.x += shift
            item.y = y + (high - item.high) / 2 if item.number is not None else y
            item.high = item.high if item.number is not None else high
        y += high + APART
    least = min(i.whole[0] for layer in layers for i in layer) - 2 * MARGIN
    for layer in layers:
        for item in layer:
            item.x -= least


def _wanted(item: _Item) -> float:
    return sum(i.x for i in item.above) / len(item.above) if item.above else 0.0


def _statement(kernel: Kernel, n: int, item: _Item, row: Row) -> Statement:
    s = kernel.statements[n]
    left, top = item.x - WIDTH / 2, item.y
    op = "=" if s.op == "=" else f"{s.op}="
    share = "" if row.share is None else f"{100 * row.share:.1f} %"
    said = f"{s.target.tensor}[{','.join(map(words, s.target.index))}] {op}"
    room = CHARACTERS - len(share) - 1
    middle = top + item.high / 2
    labels = (
        Label(left + 8, middle - 6, shortened(said, room), "start"),
        Label(left + WIDTH - 8, middle - 6, share, "end"),
        Label(left + 8, middle + 12, shortened(row.by, CHARACTERS), "start"),
    )
    source = " ".join(s.source.split())
    return Statement(
        n + 1, (left, top, left + WIDTH, top + item.high), labels, WIDTH * (row.share or 0.0),
        f"statement {n + 1}: {source or said}\n{row.by}", row.share is not None,
    )  # fmt: skip


def _pills(item: _Item, reads: Sequence[str], gives: str) -> Iterator[Pill]:
    top = item.middle - (SMALL + 2) * len(reads) / 2 + 1
    edge = item.x - WIDTH / 2
    for n, name in enumerate(reads):
        y = top + (SMALL + 2) * n
        right = edge - SIDE
        box = (right - _wide(name), y, right, y + SMALL)
        yield Pill(box, Label((box[0] + right) / 2, y + 14, name), f"M{right},{y + 10} L{edge},{y + 10}", False)
    if gives:
        left, y = item.x + WIDTH / 2 + SIDE, item.middle - SMALL / 2
        box = (left, y, left + _wide(gives), y + SMALL)
        path = f"M{left - SIDE},{y + 10} L{left},{y + 10}"
        yield Pill(box, Label((box[0] + box[2]) / 2, y + 14, gives), path, True)


def _chains(item: _Item) -> Iterator[list[_Item]]:
    """The edges into a statement, each with the places it passes, from its source on."""
    for above in item.above:
        chain = [item, above]
        while chain[-1].number is None:
            chain.append(chain[-1].above[0])
        yield chain[::-1]


def _path(chain: Sequence[_Item]) -> str:
    x, y = chain[0].x, chain[0].y + chain[0].high
    path = f"M{x:.1f},{y:.1f}"
    for item in chain[1:]:
        half = (item.y - y) / 2
        path += f" C{x:.1f},{y + half:.1f} {item.x:.1f},{item.y - half:.1f} {item.x:.1f},{item.y:.1f}"
        x, y = item.x, item.y
        if item.number is None:
            y = item.y + item.high
            path += f" L{x:.1f},{y:.1f}"
    return path


def _back(source: _Item, target: _Item, x: float, axis: str) -> tuple[str, Label]:
    """From the right side of a box to that of one above it, or of itself."""
    begin, end = source.y + source.high - 6, target.y + (target.high - 14 if source is target else 6)
    from_x, to_x = source.x + WIDTH / 2, target.x + WIDTH / 2
    path = f"M{from_x:.1f},{begin:.1f} L{x:.1f},{begin:.1f} L{x:.1f},{end:.1f} L{to_x:.1f},{end:.1f}"
    return path, Label(x + 6, (begin + end) / 2 + 4, f"next {axis}", "start")


def _outlines(group: Fused, items: Sequence[_Item]) -> Iterator[tuple[tuple[int, ...], Box, Label]]:
    """One around all members, or one around each if another statement would be inside."""
    inside = [items[n] for n in group.statements]
    whole = _around(inside)
    text = group.text
    label = Label(whole[0] + 8, whole[1] + 13, text, "start")
    strangers = [i for n, i in enumerate(items) if n not in group.statements]
    if not any(overlap(whole, i.whole) for i in strangers):
        yield group.statements, whole, label
        return
    for n in group.statements:
        own = _around([items[n]])
        yield (n,), own, Label(own[0] + 8, own[1] + 13, text, "start")


def _around(items: Sequence[_Item]) -> Box:
    boxes = [i.whole for i in items]
    return (
        min(b[0] for b in boxes) - 8,
        min(b[1] for b in boxes) - 20,
        max(b[2] for b in boxes) + 8,
        max(b[3] for b in boxes) + 8,
    )
