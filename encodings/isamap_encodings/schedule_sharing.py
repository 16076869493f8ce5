"""How threads share one loop, and the cost of it: the work of the most loaded thread, and starting threads.

A cost counts the cycles of all threads, idle ones included: it is the time from start to end, times `threads`. Shared
evenly and started for nothing, a loop leaves the cost of one thread as it is. The loop is no decision of its own: of
the loops allowed, the cheapest is shared.

Threads are not equally fast. A finished thread helps the others, chunk by chunk, and is idle for a part of the last
chunk. On a machine with neighbours, two threads took 165 us for a GRU's products of 3 MB each in one chunk a thread, 89
in two and 80 in four.

If threads share parts of the output's rows, bf16, 700x1024x512, takes 455 to 503 us, and 408 to 413 if they share
rows. Both prices were set by measuring the shapes of `isamap bench --quick`; the cause is not known.
"""

from __future__ import annotations

from math import prod

from isamap_encodings.schedule_problem import CEILING, Choice, ScheduleProblem

Loop = tuple[int, int]  # block, axis


def trips(problem: ScheduleProblem, chain: int, block: int, axis: int) -> int:
    """Trips of the axis' loop in the block, in the first tile around it."""
    return -(-_around(problem, chain, block, axis) // problem.axes[axis].chains[chain][block])


def _around(problem: ScheduleProblem, chain: int, block: int, axis: int) -> int:
    """Points of the axis in the first tile around its loop in the block."""
    a = problem.axes[axis]
    return min(a.chains[chain][block + 1], a.extent) if block < problem.levels else a.extent


def loops(problem: ScheduleProblem) -> tuple[Loop, ...]:
    """The loops threads may share if the tiles allow it, outermost block first."""
    allowed = [d for d, may in enumerate(problem.parallelizable) if may]
    innermost = 1 if problem.inner else problem.levels
    return tuple((u, d) for u in range(problem.levels, innermost - 1, -1) for d in allowed)


def uneven(problem: ScheduleProblem, chain: int, loop: Loop) -> int | None:
    """The busiest thread's work and wait for the last chunk (beyond one of its chunks), over an equal share of the work.

    In parts of CoreModel.even, rounded up; at least `even`, less than 2.2 times it; more if rows are cut. Work is
    counted in register tiles, as trips at the end of an axis may have fewer. None if the loop has fewer trips than
    threads.
    """
    block, d = loop
    count = trips(problem, chain, block, d)
    if count < problem.threads:
        return None
    row = problem.axes[d].chains[chain]
    most = -(-count // problem.threads)
    core = problem.core
    chunk = -(-most // core.chunks)
    time = (core.waits * core.chunks - 1) * most + core.chunks * chunk  # in parts of a trip
    every = -(-_around(problem, chain, block, d) // row[0])
    share = -(-core.even * problem.threads * time * (row[block] // row[0]) // (core.waits * core.chunks * every))
    return share + core.cut * (d in problem.cutting)


def repeats(problem: ScheduleProblem, chain: int, block: int, axis: int) -> int:
    """How often the axis' loops of this block and of those around it begin the code inside them."""
    return prod(trips(problem, chain, u, axis) for u in range(block, problem.levels + 1))


def outside(order: tuple[int, ...], loop: Loop) -> tuple[int, ...]:
    """Per axis the innermost block with its loop outside this one, in a block with this order."""
    block, d = loop
    return tuple(block + (order.index(e) >= order.index(d)) for e in range(len(order)))


def most_starts(problem: ScheduleProblem) -> int:
    """How often threads may be started if starts have a price: more would cost more than CEILING."""
    return CEILING // max(1, problem.start * problem.threads)


def shared(problem: ScheduleProblem, choice: Choice, alone: int) -> tuple[int, Loop | None] | None:
    """(cost, loop) of the loop cheapest to share, given the cycles `alone` of one thread; None if none can be shared."""
    best: tuple[int, Loop] | None = None
    for loop in loops(problem):
        block, d = loop
        share = uneven(problem, choice.chains[d], loop)
        first = outside(problem.orders[choice.orders[block - 1]], loop)
        starts = prod(repeats(problem, choice.chains[e], first[e], e) for e in range(len(problem.axes)))
        if share is None or (problem.overlap and starts > most_starts(problem)):
            continue
        cost = -(-alone * share // problem.core.even) + starts * problem.start * problem.threads
        if best is None or cost < best[0]:
            best = cost, loop
    return best
