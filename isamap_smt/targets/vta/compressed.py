"""Consecutive moves as one instruction; consecutive products, resets and operations on sums as one with two loops.

The two loops go around micro-ops. Each computing instruction has 16 rows: one micro-op and a loop over them. Successive
ones without a token in between are one run. If tiles of a run lie one behind the other, its loop has more rows; if the
run repeats itself a constant distance apart, the other loop does it; the rest are micro-ops. Within a run sums are
added in another order, without effect modulo 2^32, and other operations touch each entry once.

Hardware pipelines the accumulator: the same entry in two consecutive micro-ops is a hazard, so a run is cut before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from isamap_smt.ir.errors import HardwareError
from isamap_smt.targets.vta.stream import ALU, ALU_ACC, COMPUTE, GEMM, LOADS, RESET, STORES, UOPS, Issue

ROWS = 16
MICRO_OPS = 2048  # that the memory holds
LONGEST = (1 << 14) - 1  # of a loop
LONGEST_STEP = 1 << 16  # rows of a move, and how far they are apart, are below
STEPS = (1 << 11, 1 << 11, 1 << 10)  # of dst, src and wgt are below
Base = tuple[int, int, int]  # dst, src, wgt


def compressed(issues: Sequence[Issue]) -> tuple[list[Issue], list[int]]:
    """The same with fewer instructions, and the micro-ops in the order of their loading.

    fields of computing instructions: begin and end of the micro-ops, rows, (times, steps of dst, src and wgt), and for
    `alu` operation and number. Loads of micro-ops stand before the first instruction in need of them. Raises
    HardwareError.
    """
    return _placed(_joined(_moved(issues)))


def _moved(issues: Sequence[Issue]) -> list[Issue]:
    """Each load or store that continues the engine's last one, in rows as far apart, merged with it."""
    made: list[Issue | None] = []
    before: dict[int, int] = {}  # engine -> position of its last instruction
    for i in issues:
        at = before.get(i.engine)
        last = None if at is None else made[at]
        whole = None if last is None or last.signals or i.awaits else _rows(last, i)
        before[i.engine] = len(made)
        if at is not None and last is not None and whole is not None:
            made[at] = None
            made.append(replace(i, fields=whole, awaits=last.awaits))
        else:
            made.append(i)
    return [i for i in made if i is not None]


def _rows(a: Issue, b: Issue) -> tuple[int, ...] | None:
    """The fields of one move in place of two; None if there is none."""
    if a.what != b.what or a.what not in (LOADS, STORES):
        return None
    memory, entry, element, rows, stride, zeros, front = a.fields
    other, next_entry, next_element, more, apart, end, before = b.fields
    stride = stride if rows > 1 else next_element - element
    follows = (other, next_entry, next_element) == (memory, entry + front + rows, element + rows * stride)
    even = (more == 1 or apart == stride) and 0 <= stride < LONGEST_STEP and rows + more < LONGEST_STEP
    return (
        (memory, entry, element, rows + more, stride, end, front) if follows and even and zeros == before == 0 else None
    )


def _joined(issues: Sequence[Issue]) -> list[tuple[Issue, list[Base], tuple[int, ...]]]:
    """Each instruction, with the micro-ops it needs and its loops: (rows, times, steps)."""
    found: list[tuple[Issue, list[Base], tuple[int, ...]]] = []
    last = {id(run[-1]): run for run in _runs(issues)}
    inside = {id(i) for run in last.values() for i in run}
    for i in issues:
        if id(i) not in inside:
            found.append((i, [], ()))
        elif id(i) in last:
            found += _pieces(last[id(i)])
    return found


def _runs(issues: Sequence[Issue]) -> Iterator[list[Issue]]:
    """Candidates for one instruction: all of one kind, tokens taken by the first alone and given by the last alone."""
    run: list[Issue] = []
    for i in (i for i in issues if i.engine == COMPUTE):
        if (
            run
            and (i.what, i.fields[3:5]) == (run[0].what, run[0].fields[3:5])
            and not i.awaits
            and not run[-1].signals
            and not (i.what == ALU_ACC and _meets(run, i))
        ):
            run.append(i)
            continue
        if run:
            yield run
        run = [i] if i.what in (GEMM, RESET, ALU, ALU_ACC) else []
    if run:
        yield run


def _meets(run: list[Issue], i: Issue) -> bool:
    """Whether it touches an entry changed in the run, or changes one read in it."""
    changed, read = ({x.fields[n] for x in run} for n in (0, 1))
    return any(abs(e - i.fields[0]) < ROWS for e in changed | read) or any(abs(e - i.fields[1]) < ROWS for e in changed)


def _pieces(run: list[Issue]) -> Iterator[tuple[Issue, list[Base], tuple[int, ...]]]:
    """The run as instructions; the first takes its tokens, the last gives them."""
    made = list(_instructions([_base(i) for i in run], run[0].what))
    for n, (bases, loops) in enumerate(made):
        awaits = run[0].awaits if n == 0 else set()
        signals = run[-1].signals if n == len(made) - 1 else set()
        yield replace(run[0], awaits=set(awaits), signals=set(signals)), bases, loops


def _base(i: Issue) -> Base:
    dst, src, wgt = i.fields[:3]
    return (dst, src, wgt)


def _instructions(bases: list[Base], what: int) -> Iterator[tuple[list[Base], tuple[int, ...]]]:
    """Micro-ops and loops of each instruction of a run."""
    each = (ROWS, ROWS if what in (GEMM, ALU_ACC) else 0, 0)
    rows = _in_line(bases, each)
    heads = bases[::rows]
    while heads:
        count, length, steps = _repeated(heads, what)
        yield heads[:length], (ROWS * rows, count // length, *steps)
        heads = heads[count:]


def _in_line(bases: list[Base], each: Base) -> int:
    """How many neighbours lie one behind the other, all through the run."""
    longest = next((n for n in range(1, len(bases)) if _apart(bases[n - 1], bases[n]) != each), len(bases))
    for n in range(min(longest, LONGEST // ROWS), 1, -1):
        if len(bases) % n == 0 and all(
            _apart(bases[g + k], bases[g + k + 1]) == each for g in range(0, len(bases), n) for k in range(n - 1)
        ):
            return n
    return 1


def _apart(a: Base, b: Base) -> Base:
    return (b[0] - a[0], b[1] - a[1], b[2] - a[2])


def _repeated(heads: list[Base], what: int) -> tuple[int, int, Base]:
    """(how many of the first are one instruction, how many of these are micro-ops, steps of the loop around them)."""
    for length in range(1, min(len(heads), MICRO_OPS) + 1):
        if len(heads) % length or len(heads) // length > LONGEST or _hazard(heads[:length], what):
            continue
        steps = _apart(heads[0], heads[length]) if length < len(heads) else (0, 0, 0)
        if _fits(steps) and all(_apart(a, b) == steps for a, b in zip(heads, heads[length:], strict=False)):
            return len(heads), length, steps
    steps = _apart(heads[0], heads[1])
    if not _fits(steps):
        return 1, 1, (0, 0, 0)
    count = next((n for n in range(1, len(heads)) if _apart(heads[n - 1], heads[n]) != steps), len(heads))
    return min(count, LONGEST), 1, steps


def _fits(steps: Base) -> bool:
    return all(0 <= s < most for s, most in zip(steps, STEPS, strict=True))


def _hazard(ops: list[Base], what: int) -> bool:
    """Whether neighbours add to the same entries."""
    return what == GEMM and any(a[0] == b[0] for a, b in pairwise(ops))


def _placed(joined: list[tuple[Issue, list[Base], tuple[int, ...]]]) -> tuple[list[Issue], list[int]]:
    """Micro-ops get their places; as many as the memory holds are loaded at once."""
    made: list[Issue] = []
    words: list[int] = []
    places: dict[tuple[Base, ...], int] = {}
    loading: Issue | None = None
    start = 0
    for i, bases, loops in joined:
        if not bases:
            made.append(i)
            continue
        if len(bases) > MICRO_OPS:
            raise HardwareError(f"VTA: an instruction of {len(bases)} micro-ops, and there is room for {MICRO_OPS}")
        key = tuple(bases)
        if loading is None or (key not in places and len(words) - start + len(bases) > MICRO_OPS):
            places, start = {}, len(words)
            loading = Issue(COMPUTE, UOPS, (start, 0))
            made.append(loading)
        if key not in places:
            places[key] = len(words) - start
            words += [dst | src << 11 | wgt << 22 for dst, src, wgt in bases]
            loading.fields = (start, len(words) - start)
        made.append(replace(i, fields=(places[key], places[key] + len(bases), *loops, *i.fields[3:5])))
    return made, words
