"""Neighbouring phases in loops over blocks: block after block, all phases of each, in place of phase after phase.

    for block:                       for block:  phase 1
        phase 1;  barrier            barrier
        phase 2;  barrier            for block:  phase 2

Each phase is proved with these loops for itself, as on the right. The program on the left leaves the same behind if

1. every content in use was begun in the same iteration: what other phases put into its rows meanwhile is no matter;
2. no phase reads an element of a tensor that a later block of an earlier phase writes;
3. no phase needs a state, which another one may change between two of its blocks.

Each engine takes a phase's uses in the same order on both sides, and counters belong to one phase. The barriers order
more on the left, and a part proved alone has the one that ends a block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from isamap_encodings.program_implication import implied
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.phases import blocks_of, written
from isamap_smt.ir.program import Alloc, Command, Issued, Program, Ref
from isamap_smt.ir.proof import ClaimResult
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.proof.program_sites import UnrecognisedError, collect
from isamap_smt.proof.uses.cells import active, axes_inside
from isamap_smt.proof.uses.moments import Formula, Moments, UseSite
from isamap_smt.proof.uses.text import in_order


def claims(phases: Sequence[Program]) -> Iterator[ClaimResult]:
    """The claims of all loops over blocks. phases: as phases() makes them."""
    around = [tuple(x.var for x in blocks_of(p)) for p in phases]
    for loops in dict.fromkeys(filter(None, around)):
        inside = [(n, p) for n, p in enumerate(phases) if around[n] == loops]
        yield from _of_one_block(loops, inside)
        yield from _without_states(loops, inside)
        yield from _in_order(loops, inside)


def _named(loops: Sequence[Any]) -> str:
    return ", ".join(map(str, loops))


def _of_one_block(loops: Sequence[Any], phases: Sequence[tuple[int, Program]]) -> Iterator[ClaimResult]:
    """Every use names a content of its own iteration of these loops."""
    places: dict[str, list[tuple[int, Ref]]] = {}
    for n, p in phases:
        held = {a.buffer.name for a in nodes_of(Alloc, p.body)}
        for use in nodes_of(Command, p.body):
            for _, ref in use.operands:
                if ref.name in held:
                    places.setdefault(ref.name, []).append((n, ref))
    for name, refs in places.items():
        words = f"uses of {name} name contents of their own iteration of {_named(loops)}"
        counted = [k for k, v in enumerate(refs[0][1].version) if v in loops]
        wrong = next(
            (
                f"phase {n + 1} names {', '.join(map(str, r.version)) or 'one for all'}"
                for n, r in refs
                if [*map(r.version.__getitem__, counted)] != list(loops) or len(r.version) != len(refs[0][1].version)
            ),
            "",
        )
        yield _result(name, words, Refuted({}, f"{words}: {wrong}") if wrong else Proved())


def _without_states(loops: Sequence[Any], phases: Sequence[tuple[int, Program]]) -> Iterator[ClaimResult]:
    for n, p in phases:
        words = f"phase {n + 1} needs no state from one iteration of {_named(loops)} to the next"
        odd = [u for u in nodes_of(Issued, p.body) if u.state or u.instruction.cells_needed]
        why = f"{odd[0].instruction.name} has to do with one" if odd else ""
        yield _result(f"phase {n + 1}", words, Unknown(why) if odd else Proved())


def _in_order(loops: Sequence[Any], phases: Sequence[tuple[int, Program]]) -> Iterator[ClaimResult]:
    """What is read from main memory was written by no later block."""
    try:
        made = [(n, Moments(collect(in_order(p)), p.machine)) for n, p in phases if p.machine is not None]
    except UnrecognisedError as error:  # its own proof says more
        words = f"what one phase reads was written by no later block of {_named(loops)}"
        yield _result(_named(loops), words, Unknown(str(error)))
        return
    for k, (n, first) in enumerate(made):
        outputs = sorted({written(u) for u in nodes_of(Command, phases[k][1].body)} - {"", *first.buffers})
        for tensor in outputs:
            writers = [s for s in _sites(first, tensor) if written(s.command) == tensor]
            for later, second in made[k + 1 :]:
                words = f"block by block, phase {later + 1} reads of {tensor} what phase {n + 1} has written"
                pairs = ((w, r) for w in writers for r in _sites(second, tensor))
                found = [_later(loops, tensor, (first, w), (second, r), words) for w, r in pairs]
                if found:
                    yield _result(tensor, words, next((v for v in found if not isinstance(v, Proved)), found[0]))
            words = f"no phase before phase {n + 1} looks for {tensor}"
            early = next((m for m, other in made[:k] if _sites(other, tensor)), None)
            if early is not None:
                yield _result(tensor, words, Refuted({}, f"{words}: phase {early + 1} does"))


def _sites(moments: Moments, tensor: str) -> list[UseSite]:
    commands = (s for s in moments.sites if isinstance(s.use, Command))
    return [s for s in commands if any(r.name == tensor for _, r in s.use.operands)]


def _later(
    loops: Sequence[Any], tensor: str, writes: tuple[Moments, UseSite], reads: tuple[Moments, UseSite], words: str
) -> Verdict:
    """Whether no block reads an element that a later one writes."""
    (first, writer), (second, reader) = writes, reads
    x, y = first.moment(writer, "'written"), second.moment(reader, "'read")
    to = dict(writer.use.operands)[writer.use.instruction.target]
    known = [*first.given, *second.given]
    known += [f for m in (x, y) for f in (*m.ranges(), *axes_inside(m.site, m), *active(m.site, m))]
    sizes = sorted(first.sizes | second.sizes)
    found: Verdict = Proved()
    for at in (r for _, r in reader.use.operands if r.name == tensor):
        same = [("eq", x.at(a), y.at(b)) for a, b in zip(to.index, at.index, strict=True)]
        goal = _no_later([x.at(v) for v in loops], [y.at(v) for v in loops])
        found = implied([*known, *same], [goal], sizes, f"blocks {tensor}: {words}")
        if isinstance(found, Refuted):
            told = " ".join(f"{k}={v}" for k, v in sorted(found.witness.items()))
            return Refuted(found.witness, f"{words}: a later block writes an element ({told})", found.seconds)
        if not isinstance(found, Proved):
            return found
    return found


def _no_later(one: Sequence[Any], other: Sequence[Any]) -> Formula:
    """One iteration of the loops is the other, or comes before it."""
    if len(one) == 1:
        return ("le", one[0], other[0])
    inner = ("and", ("eq", one[0], other[0]), _no_later(one[1:], other[1:]))
    return ("or", ("lt", one[0], other[0]), inner)


def _result(subject: str, words: str, verdict: Verdict) -> ClaimResult:
    return ClaimResult("order", subject, verdict, words)
