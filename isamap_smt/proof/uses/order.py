"""Contents of buffers in time: begun before use, used before the next one takes their place, and no deadlock.

One iteration of the beginning use puts a content into a buffer, and others add to it. Uses name the content by that
iteration. With

1. each use comes after the beginning of the content it names, in the same slot;
2. each use of a content is complete before a later content begins in its slot;
3. every addition to a content is complete before others read it, and before it is changed; changes follow the text

two uses of one cell are ordered whenever one writes and they name different contents: the earlier one's is complete
before the later one's begins. Pieces of different buffers lie apart. So no cell changes between its writer and its
readers, in any interleaving allowed by the counters.

**No deadlock.** Each counter is signalled by one engine. If earlier signals in the text meet each await, the text
itself is a legal execution. In any other execution, the first incomplete use in the text finds its awaits met and its
engine free: so some use can always go on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from isamap_smt.ir.expr import FloorDiv, evaluate
from isamap_smt.ir.machine_parameters import exceeds
from isamap_smt.ir.program import Buffer, Command, Ref
from isamap_smt.ir.scalar import reads
from isamap_smt.proof.uses.book import Told, UseBook
from isamap_smt.proof.uses.cells import axes_inside, cell, negated, rows_of, stays
from isamap_smt.proof.uses.moments import Formula, Moment, Moments, UseSite, lemma


def order_claims(book: UseBook, moments: Moments) -> None:
    """All claims about contents in time."""
    _numbers(book, moments)
    _apart(book, moments)
    for buffer in moments.buffers.values():
        begins = [
            s for s, _ in users(moments, buffer) if isinstance(s.use, Command) and s.use.begins and writes(s, buffer)
        ]
        words = f"one use begins the contents of {buffer.name}"
        if book.structure("order", buffer.name, words, len(begins) == 1, f"{len(begins)} uses begin them"):
            _contents(book, moments, buffer, begins[0])
    _progress(book, moments)


def users(moments: Moments, buffer: Buffer) -> Iterator[tuple[UseSite, Ref]]:
    """Uses with an operand in the buffer."""
    for site in moments.sites:
        for _, place in site.use.operands:
            if place.name == buffer.name:
                yield site, place


def target(site: UseSite) -> Ref | None:
    """The place a use writes; None if it writes no cell of a buffer or tensor."""
    statements = site.use.instruction.kernel.statements
    return dict(site.use.operands)[statements[0].target.tensor] if statements and not site.use.state else None


def writes(site: UseSite, buffer: Buffer) -> bool:
    """Whether a use writes the buffer."""
    place = target(site)
    return place is not None and place.name == buffer.name


def changes(site: UseSite) -> bool:
    """Whether a use computes new values of cells from their own: `x[r] = f(x[r])`."""
    return any(
        s.op == "=" and any(r.tensor == s.target.tensor for r in reads(s.value))
        for s in site.use.instruction.kernel.statements
    )


def _numbers(book: UseBook, moments: Moments) -> None:
    """The facts used about numbers of iterations follow from their definition."""
    loops = {id(x): x for s in moments.sites for x in s.loops[1:]}
    for loop in loops.values():
        book.ask("order", str(loop.var), f"{loop.number} grows with the iterations of {loop.var}", *lemma(loop))


def _apart(book: UseBook, moments: Moments) -> None:
    """Buffers of one memory have no row in common; a written tensor is written by one use and read by none."""
    kernel, every = moments.program.kernel, list(moments.buffers.values())
    for n, b in enumerate(every):
        memory = moments.machine.memory(b.memory)
        last = b.offset + b.slots * b.rows
        fits = b.offset >= 0 and not exceeds(last, memory.rows) and b.slots >= 1
        wrong = f"it ends at row {last}, and {b.memory} has {memory.rows}"
        book.structure("memory", b.name, f"{b.name} lies inside {b.memory}", fits, wrong)
        words = f"a row of {b.memory} holds the columns of {b.name}"
        book.ask("memory", b.name, words, [], [("le", b.shape[1] * b.dtype.bytes, memory.row)])
        for other in every[n + 1 :]:
            if other.memory == b.memory:
                end = other.offset + other.slots * other.rows
                free = not exceeds(last, other.offset) or not exceeds(end, b.offset)
                words = f"{b.name} and {other.name} have no row of {b.memory} in common"
                book.structure(
                    "memory",
                    b.name,
                    words,
                    free,
                    f"they are rows {b.offset} to {last - 1}, and {other.offset} to {end - 1}",
                )
    far = [(s, o, p) for s in moments.sites for o, p in s.use.operands if p.name not in moments.buffers]
    places = [(s, p) for s, o, p in far if o not in s.use.instruction.immediates]
    written = [p.name for s, p in places if p is target(s)]
    read = {p.name for s, p in places if p is not target(s)}
    for tensor in sorted({*written, *kernel.results}):
        right = written.count(tensor) == 1 and tensor not in read and tensor in kernel.results
        words = f"{tensor} is an output, which one use writes and none reads"
        book.structure("order", tensor, words, right, f"{written.count(tensor)} uses write it, or some use reads it")


def _contents(book: UseBook, moments: Moments, buffer: Buffer, begin: UseSite) -> None:
    own = next(p for s, p in users(moments, buffer) if s is begin)
    here = tuple(x.var for x in begin.loops)
    words = f"{begin.name} begins the content of its own iteration"
    book.structure("order", buffer.name, words, own.version == here, f"it says {own.version} inside {here}")
    if len(buffer.version) != len(here):
        return book.unknown(
            "order",
            buffer.name,
            words,
            "its contents are counted by other loops than those of the use that begins them",
        )
    for site, place in users(moments, buffer):
        _of_use(book, moments, buffer, begin, own, site, place)
    adding = [(s, p) for s, p in users(moments, buffer) if s is not begin and writes(s, buffer)]
    engines = {s.engine for s, _ in adding}
    words = f"whatever adds to {buffer.name} is issued by one engine"
    book.structure("order", buffer.name, words, len(engines) <= 1, f"{' and '.join(sorted(engines))} add to it")
    numbers = {s: n for n, s in enumerate(moments.sites)}
    for site, place in adding:
        for reader, read in users(moments, buffer):
            follows = not changes(site) or (changes(reader) and numbers[site] < numbers[reader])
            if reader is begin or (writes(reader, buffer) and not (changes(reader) and follows)) or site is reader:
                continue
            x, y = moments.moment(site), moments.moment(reader, "'")
            same = [("eq", x.at(a), y.at(b)) for a, b in zip(place.version, read.version, strict=True)]
            words = f"{site.name} has added to what {reader.name} reads from {buffer.name}"
            told = _late(reader, y, f"reads {buffer.name} before", site, x, "has added to it")
            given = [*moments.known(x, y), *same]
            _ordered(book, moments, buffer, words, given, (x, y), (x, y), told)
    return None


def _of_use(
    book: UseBook, moments: Moments, buffer: Buffer, begin: UseSite, own: Ref, site: UseSite, place: Ref
) -> None:
    """The content named by one use was begun, in its slot, and the next one there begins after the use."""
    x, z = moments.moment(site), moments.moment(begin, "'next")
    w = x if site is begin else moments.moment(begin, "'begun")
    counts = [loop.count for loop in begin.loops]
    operand = next(site.use.instruction.operand(o) for o, p in site.use.operands if p is place)
    at = cell(moments, site, operand, place)
    version = [x.at(v) for v in at.version]
    inside = [f for v, n in zip(version, counts, strict=True) for f in (("le", 0, v), ("lt", v, n))]
    slot, further = x.at(at.piece), not stays(site, operand, place, buffer)
    # those of its cells that are cells of contents; of the others, nothing is read
    here = [*x.ranges(), *axes_inside(site, x), *map(x.at, at.inside)] if further else x.ranges()
    words = f"{site.name} uses a slot of {buffer.name} that there is"
    book.ask("memory", buffer.name, words, here, [("le", 0, slot), ("lt", slot, buffer.slots)], (x,))
    content = [("eq", w.at(loop.var), v) for loop, v in zip(begin.loops, version, strict=True)]
    if site is not begin:
        words = f"{site.name} uses a content of {buffer.name} that is begun"
        issued = [w.at(g) for g in begin.guard]
        given = [*here, *content] if issued else here
        book.ask("order", buffer.name, words, given, [*inside, *issued], (x,))
        words = f"{site.name} looks for it where {begin.name} put it"
        given = [*here, *moments.known(x, w), *content]
        book.ask("order", buffer.name, words, given, [("eq", slot, w.at(own.index[0]))], (x, w))
        words = f"{begin.name} has begun what {site.name} uses of {buffer.name}"
        told = _late(site, x, f"uses {buffer.name} before", begin, w, "has filled it")
        _ordered(book, moments, buffer, words, given, (w, x), (x, w), told)
    if further and site is not begin and writes(site, buffer):
        words = f"{site.name} writes beside its contents of {buffer.name} only where none lies"
        beside = [*moments.known(x, w), *axes_inside(site, x), negated([x.at(f) for f in at.inside])]
        book.ask("order", buffer.name, words, beside, [("not", ("eq", slot, w.at(own.index[0])))], (x, w))
    if begin.loops:
        words = f"{begin.name} puts nothing in the place of what {site.name} still uses of {buffer.name}"
        first = z.at(own.index[0])
        there = [("le", first, slot), ("le", slot, first + _pieces_beyond(begin, buffer, own))]
        later = [("lt", w.number(), z.number()), *there]
        told = _late(begin, z, f"overwrites slot {{slot}} of {buffer.name} before", site, x, "has used it", slot)
        given = [*here, *moments.known(*dict.fromkeys((x, w, z))), *content, *later]
        _ordered(book, moments, buffer, words, given, (x, z), (x, w, z), told)


def _pieces_beyond(begin: UseSite, buffer: Buffer, own: Ref) -> Any:
    """The number of pieces behind its own that a beginning use may write to."""
    operand = next(begin.use.instruction.operand(o) for o, p in begin.use.operands if p is own)
    rows = rows_of(begin, operand)
    return FloorDiv(rows - 1, buffer.rows) if rows > buffer.rows else sp.S.Zero


def _ordered(
    book: UseBook, moments: Moments, buffer: Buffer, words: str, given: list[Formula], pair: tuple[Moment, Moment],
    among: tuple[Moment, ...], told: Told,
) -> None:  # fmt: skip
    """The first of a pair of moments happens before the second, by one counter or two. Longer chains may order engines, too."""
    first, second = pair
    apart = first.site.engine != second.site.engine
    ways = [moments.happens_before(first, second)]
    for w, known, follows in moments.between(first, second) if apart else ():
        given, among = [*given, *known], (*among, w)
        ways.append(follows)
    book.ask("order", buffer.name, words, given, [("or", *ways)], among, told, apart)


def _late(late: UseSite, y: Moment, does: str, early: UseSite, x: Moment, done: str, slot: Any = None) -> Told:
    """Words for a counterexample: `late` does something before `early` has done."""

    def told(env: dict[str, Any]) -> str:

        sizes = " ".join(f"{n}={env[n]}" for n in sorted(x.sizes) if n in env)
        where = does.format(slot="" if slot is None else evaluate(slot, env))
        return (
            f"{late.name} {evaluate(y.number(), env)} {where} {early.name} {evaluate(x.number(), env)} {done} ({sizes})"
        )

    return told


def _progress(book: UseBook, moments: Moments) -> None:
    """Earlier signals in the text meet each await."""
    for counter, sites in sorted(moments.signals.items()):
        words = f"one engine signals {counter}"
        if len({s.engine for s in sites}) > 1:
            book.unknown("progress", counter, words, f"{', '.join(s.name for s in sites)} signal it")
    for site in moments.sites:
        x = moments.moment(site)
        for counter, amount in site.use.awaits:
            words = f"what {site.name} awaits of {counter} is signalled earlier in the text"
            earlier = moments.signalled(counter, x)
            if earlier is None:
                book.unknown(
                    "progress",
                    counter,
                    words,
                    "how often it was signalled is no sum of numbers of loops around the await",
                )
                continue
            goal: Formula = ("le", x.at(amount), earlier)
            told = _never(site, x, counter, amount, earlier)
            book.ask("progress", counter, words, x.ranges(), [goal], (x,), told, True)


def _never(site: UseSite, x: Moment, counter: str, amount: Any, earlier: Any) -> Told:
    def told(env: dict[str, Any]) -> str:

        return (
            f"{site.name} {evaluate(x.number(), env)} waits for {counter} >= {evaluate(x.at(amount), env)}, "
            f"which is {evaluate(earlier, env)} by then, for ever"
        )

    return told
