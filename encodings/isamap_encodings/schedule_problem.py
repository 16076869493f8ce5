"""A schedule problem as plain data: tiles per axis and level, orders, packing, and integer costs.

Levels are numbered from the registers outwards: 0 is the register tile, 1..U the caches, U+1 the whole problem.
An axis' *chain* (T0, T1, ..., TU) gives its tile at each level; each divides the next, the last is cut by the extent.
Block u (1..U) holds the loops with step Tu inside one tile of level u+1; the loops of block U stand outermost. Inside
block 1 the accumulators open; there every reduction axis is walked point by point.

Nothing here knows a kernel or a machine, and nothing here solves anything.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

IN_PLACE = 0

# A choice of which any single part costs more is not in the space: sums of parts must stay far inside 64 bits.
CEILING = 1 << 53
WORK = 3 * CEILING  # of all threads, idle time included

Row = tuple[int, int]


@dataclass(frozen=True)
class CoreModel:
    """Figures of a kind of core, on which prices rest; whoever makes a problem sets them.

    While computing takes c and a link takes l, the two together take the largest of (weight of c) c + (weight of l)
    l over the rows, in parts of `whole`: the largest of linear forms is convex. into_first: rows of the link into
    level 1; into_others: of the links into others. sooner: a link asked for a whole block ahead takes sooner/whole
    of its time. chunks: a thread takes its trips of a shared loop in as many, if it has as many; waits: it waits for
    1/waits of a chunk. even: unevenness of threads is counted in parts of this; cut: such parts added if threads
    share parts of rows instead of rows.
    """

    whole: int
    into_first: tuple[Row, ...]
    into_others: tuple[Row, ...]
    sooner: int
    even: int
    chunks: int
    waits: int
    cut: int

    def contention(self, level: int) -> tuple[Row, ...]:
        """The rows for the link into a level."""
        return self.into_first if level == 1 else self.into_others

    @property
    def delaying(self) -> int:
        """Share of the link into level 1, in parts of `whole`, by which it delays computing if both take about as long."""
        return self.into_first[1][1]


@dataclass(frozen=True)
class TileAxis:
    """One loop axis with the tile chains it may take."""

    name: str
    extent: int
    reduction: bool
    chains: tuple[tuple[int, ...], ...]

    def tiles(self, chain: int, level: int) -> int:
        """How many tiles of `level` cover the axis: ceil(extent / tile); 1 beyond the last level."""
        row = self.chains[chain]
        return -(-self.extent // row[level]) if level < len(row) else 1

    def counts(self, level: int) -> list[int]:
        """tiles() of every chain."""
        n = self.extent
        return [-(-n // row[level]) if level < len(row) else 1 for row in self.chains]


@dataclass(frozen=True)
class Part:
    """How one axis moves one tensor dimension: by `stride` for each of `size` steps of `inner` points."""

    axis: int
    stride: int = 1
    inner: int = 1
    size: int = 1

    def span(self, tile: int) -> int:
        """Distance between the first and the last coordinate of `tile` points."""
        return (min(self.size, -(-tile // self.inner)) - 1) * self.stride


@dataclass(frozen=True)
class Component:
    """Tensor dimensions that share axes with no other dimension; `dims` holds the parts of each."""

    axes: tuple[int, ...]
    dims: tuple[tuple[Part, ...], ...]

    def footprint(self, tiles: dict[int, int]) -> int:
        """Cells one tile touches along these dimensions."""
        return prod(sum(p.span(tiles[p.axis]) for p in parts) + 1 for parts in self.dims)


@dataclass(frozen=True)
class Rows:
    """The pieces of an operand that lie apart in memory: its dimensions without the contiguous one.

    A visit to a row costs `RegisterTile.row`, because nothing fetched its line ahead of time. With at most
    `RegisterTile.kept` rows in use at once, cells read from them stay in the first cache. With at most
    `RegisterTile.ahead`, the next line is there too when the next tile asks for it.
    """

    components: tuple[Component, ...]

    @cached_property
    def axes(self) -> frozenset[int]:
        """Axes that select the row."""
        return frozenset(a for c in self.components for a in c.axes)


@dataclass(frozen=True)
class TileOperand:
    """One tensor. Costs are integers per element, one entry per level 1..U.

    link: moving an element into that level; exposed: the part of it that overlaps with nothing; pack: copying an
    element into a buffer for that level. options: the packings allowed (0 in place, u in 1..U packed for level u,
    U+1 packed ahead of the call, free of charge). rows: the rows visited if the operand is read in place or copied;
    None if visits are free. segment: beginning one row's piece of a copy. apart: per element into level 1 if it is
    read in place. blockwise: the fewest outputs per element in a register tile for which all uses of a tile of level
    2 can bring the next one there, given room for both; 0: never.
    """

    name: str
    bytes: int
    output: bool
    components: tuple[Component, ...]
    link: tuple[int, ...]
    exposed: tuple[int, ...]
    pack: tuple[int, ...] = ()
    options: tuple[int, ...] = (IN_PLACE,)
    rows: Rows | None = None
    segment: int = 0
    apart: int = 0
    blockwise: int = 0

    @cached_property
    def axes(self) -> frozenset[int]:
        """Axes that select the element."""
        return frozenset(a for c in self.components for a in c.axes)

    def bursts(self, level: int) -> bool:
        """Whether the first executions to use an element of the level wait until it comes from beyond."""
        return level > 1 and not self.output and self.link[level - 1] > 0


@dataclass(frozen=True)
class RegisterTile:
    """One register tile: T0 per axis, and the costs of the whole problem with it.

    compute: all executions; scope: opening and closing all accumulators once; in_place: per operand, the extra cost
    of reading it in place. row: per operand, the cost of visiting one of its rows there. kept, ahead: how many rows
    can be in use at once (see Rows). All three are empty if visits cost nothing.
    """

    tile: tuple[int, ...]
    compute: int
    scope: int
    in_place: tuple[int, ...]
    row: tuple[int, ...] = ()
    kept: tuple[int, ...] = ()
    ahead: tuple[int, ...] = ()

    def visit(self, operand: int) -> int:
        """The cost of visiting one row of the operand."""
        return self.row[operand] if self.row else 0


@dataclass(frozen=True)
class ScheduleProblem:
    """All decisions and costs. orders: the permutations of the axes (outermost first) allowed in each block.

    overlap: computing and the links run at the same time, the slowest pair of CoreModel.contention() counts
    (latency); otherwise they add (energy). threads: how many there are. Latency counts the cycles of all of them,
    idle ones included; energy is the same for any number. parallelizable: for each axis, whether threads may share
    one of its loops; empty if one thread does everything. Threads must then share one loop (schedule_sharing),
    unless `or_alone` lets one thread do everything and this costs less. start: the cost of starting one thread.
    inner: the shared loop may stand in any block, not only in the outermost. cutting: axes along which threads share
    parts of the output's rows instead of rows (schedule_sharing). core: figures of the kind of core.
    """

    core: CoreModel
    axes: tuple[TileAxis, ...]
    operands: tuple[TileOperand, ...]
    registers: tuple[RegisterTile, ...]
    capacities: tuple[int, ...]
    orders: tuple[tuple[int, ...], ...]
    overlap: bool = True
    parallelizable: tuple[bool, ...] = ()
    threads: int = 1
    start: int = 0
    inner: bool = False
    cutting: frozenset[int] = frozenset()
    or_alone: bool = False

    @property
    def levels(self) -> int:
        """Number of caches U."""
        return len(self.capacities)

    def nameless(self) -> ScheduleProblem:
        """The same with numbers for names: of equal ones the answers are the same, since a Choice and a Cost hold positions."""
        axes, operands = (dict.fromkeys(x.name for x in named) for named in (self.axes, self.operands))
        of_axis, of_operand = ({name: str(n) for n, name in enumerate(names)} for names in (axes, operands))
        return replace(
            self,
            axes=tuple(replace(a, name=of_axis[a.name]) for a in self.axes),
            operands=tuple(replace(o, name=of_operand[o.name]) for o in self.operands),
        )


@dataclass(frozen=True)
class Choice:
    """One point of the space: positions in `registers`, in each axis' chains, in `orders` per block, and packings."""

    register: int
    chains: tuple[int, ...]
    orders: tuple[int, ...]
    packing: tuple[int, ...]


@dataclass(frozen=True)
class Cost:
    """total: the objective, over all threads. links: per level 1..U. traffic: elements into each level, per operand.

    All parts are costs of one thread, and come to `alone`. shared: (block, axis) of the loop shared by threads, if
    any.
    """

    total: int
    compute: int
    links: tuple[int, ...]
    exposed: int
    scopes: int
    packing: int
    in_place: int
    traffic: tuple[tuple[int, ...], ...]
    alone: int
    shared: tuple[int, int] | None = None
