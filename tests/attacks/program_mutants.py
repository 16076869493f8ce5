"""Systematic mutants of lowered programs: every edit that the fuzzer draws at random, at every node, once."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol
from zlib import crc32

import sympy as sp
from rich.console import Console
from rich.progress import Progress

from benchmarks.parallel import spread
from isamap_smt.ir.program import (
    Alloc,
    Compute,
    Copy,
    Counted,
    If,
    IndexType,
    Loop,
    Move,
    Node,
    Parallel,
    Point,
    Program,
    Ref,
    Serial,
)
from isamap_smt.ir.traversal import walk
from isamap_smt.proof.program import prove_program
from isamap_smt.proof.program_trial import trials
from tests.codegen.pinned import ALL, EVERY_SIZE
from tests.programs.loop_kinds import of_kind

# edits of what a program says about itself: they make a claim false and leave what it does alone
CLAIMS = ("type", "point", "step")
Edit = tuple[str, str, tuple[Node, ...]]  # kind, in words, what stands in the node's place
PARTS = 4  # in which the mutants of one program are divided among processes


class Case(Protocol):
    """A program to mutate."""

    @property
    def name(self) -> str: ...

    def program(self) -> Program:
        """As it is proved."""


@dataclass(frozen=True)
class Original:
    """A program on the toy machine: of several statements, or with turns."""

    module: str
    name: str

    def program(self) -> Program:
        made: Program = _originals(self.module)[self.name]()
        return made


def _originals(module: str) -> dict[str, Any]:
    folder = str(Path(__file__).resolve().parents[1] / "programs")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    found: dict[str, Any] = import_module(module).ORIGINALS
    return found


ORIGINALS = tuple(Original(m, n) for m in ("statements", "recurrences", "tables") for n in _originals(m))


def mutants(program: Program) -> Iterator[tuple[str, str, Program]]:
    """(kind, in words, program), each different from the program."""
    moves = [n.instruction for n, _ in walk(program) if isinstance(n, Move)]
    kinds = tuple(dict.fromkeys(moves))
    for t in program.kernel.tensors:
        for field in ("starts", "assigned"):
            now: tuple[str, ...] = getattr(program, field)
            other = tuple(n for n in now if n != t.name) if t.name in now else (*now, t.name)
            yield field, f"{t.name} {'not ' * (t.name in now)}in {field}", replace(program, **{field: other})
    for part in ("ahead", "body"):
        for kind, what, nodes in _edits(getattr(program, part), (), kinds):
            if nodes != getattr(program, part):
                yield kind, f"{part} {what}", replace(program, **{part: nodes})


def _edits(nodes: tuple[Node, ...], at: tuple[int, ...], moves: tuple[Any, ...]) -> Iterator[Edit]:
    """Every way to change one node of these, or of those inside."""
    for n, node in enumerate(nodes):
        where = f"{type(node).__name__} {(*at, n)}"

        def put(new: tuple[Node, ...], k: int = n) -> tuple[Node, ...]:
            return (*nodes[:k], *new, *nodes[k + 1 :])

        for kind, what, new in _node(node, moves):
            yield kind, f"{where}: {what}", put((new,))
        yield "statement", f"{where}: dropped", put(())
        if not isinstance(node, Alloc):
            yield "statement", f"{where}: twice", put((node, node))
        if n + 1 < len(nodes):
            yield "order", f"{where}: after its successor", (*nodes[:n], nodes[n + 1], node, *nodes[n + 2 :])
        if isinstance(node, Loop) and len(node.body) == 1 and isinstance(node.body[0], Loop):
            inner = node.body[0]
            exchanged = replace(inner, body=(replace(node, body=inner.body),))
            yield "order", f"{where}: exchanged with the loop inside", put((exchanged,))
        if isinstance(node, Loop | If):
            for kind, what, body in _edits(node.body, (*at, n), moves):
                yield kind, what, put((replace(node, body=body),))


def _node(node: Node, moves: tuple[Any, ...]) -> Iterator[tuple[str, str, Node]]:
    match node:
        case Loop():
            for d in (-1, 1):
                yield "bound", f"count {d:+}", replace(node, count=sp.sympify(node.count) + d)
                yield "step", f"step {d:+}", replace(node, step=node.step + d)
            yield "bound", "count 1", replace(node, count=sp.S.One)
            if isinstance(node, Counted):
                other = Serial if isinstance(node, Parallel) else Parallel
                yield "parallel", other.__name__.lower(), of_kind(other, node)
        case If():
            for what, guard in _guards(node.condition):
                known = node.known if len(guard) == len(node.condition) else ()
                yield "guard", what, replace(node, condition=guard, known=known)
        case Copy():
            yield from _copy(node)
        case Move():
            yield from _move(node, moves)
        case Compute():
            for k, (o, ref) in enumerate(node.operands):
                for what, new in _refs(ref):
                    operands = (*node.operands[:k], (o, new), *node.operands[k + 1 :])
                    yield "offset", f"operand {o} {what}", replace(node, operands=operands)
            for k, (a, e) in enumerate(node.point):
                for d in (-1, 1):
                    point = (*node.point[:k], (a, sp.sympify(e) + d), *node.point[k + 1 :])
                    yield "point", f"{a} {d:+}", replace(node, point=point)
        case Point():
            yield from _compute(node)
        case Alloc():
            yield from _alloc(node)


def _index(index: tuple[Any, ...]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    for n, e in enumerate(index):
        for what, new in (("+1", sp.sympify(e) + 1), ("-1", sp.sympify(e) - 1), ("at 0", sp.S.Zero)):
            if new != e:
                yield f"index {n} {what}", (*index[:n], new, *index[n + 1 :])
        if n and e != index[0]:
            changed = list(index)
            changed[0], changed[n] = changed[n], changed[0]
            yield f"indices 0 and {n} swapped", tuple(changed)


def _refs(ref: Ref) -> Iterator[tuple[str, Ref]]:
    for what, index in _index(ref.index):
        yield what, replace(ref, index=index)


def _guards(guard: tuple[Any, ...]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    for n, g in enumerate(guard):
        yield f"condition {n} dropped", (*guard[:n], *guard[n + 1 :])
        for d in (-1, 1) if g.args else ():
            moved = g.func(g.args[0] + d, g.args[1], evaluate=False)
            yield f"condition {n} {d:+}", (*guard[:n], moved, *guard[n + 1 :])


def _copy(node: Copy) -> Iterator[tuple[str, str, Node]]:
    for what, ref in _refs(node.src):
        yield "offset", f"src {what}", node.placed(node.dst, ref)
    for what, ref in _refs(node.dst):
        yield "offset", f"dst {what}", node.placed(ref, node.src)
    for what, guard in _guards(node.where):
        yield "guard", what, replace(node, where=guard)
    for fill in ("0", "-0", ""):
        if fill != node.fill:
            yield "fill", f"fill {node.fill!r} -> {fill!r}", replace(node, fill=fill)
    for n, (s, c) in enumerate(node.over):
        for d in (-1, 1):
            over = (*node.over[:n], (s, sp.sympify(c) + d), *node.over[n + 1 :])
            yield "bound", f"{s} {d:+}", replace(node, over=over)


def _move(node: Move, moves: tuple[Any, ...]) -> Iterator[tuple[str, str, Node]]:
    for part in ("memory", "register"):
        ref = getattr(node, part)
        for what, new in _refs(ref) if ref is not None else ():
            yield "offset", f"{part} {what}", node.put(**{part: new})
    for n, active in enumerate(node.active):
        for d in (-1, 1):
            changed = (*node.active[:n], sp.sympify(active) + d, *node.active[n + 1 :])
            yield "mask", f"active lanes {d:+}", replace(node, active=changed)
    for other in moves:
        same = other.kind == node.instruction.kind or {other.kind, node.instruction.kind} == {"load", "broadcast"}
        if other != node.instruction and same:
            if other.active == node.instruction.active:
                yield "instruction", f"{node.instruction.short} -> {other.short}", replace(node, instruction=other)
            elif not other.active:
                yield "mask", f"no mask: {other.short}", replace(node, instruction=other, active=())


def _compute(node: Point) -> Iterator[tuple[str, str, Node]]:
    for what, ref in _refs(node.dst):
        yield "offset", f"dst {what}", node.placed(ref, *node.reads)
    for k, read in enumerate(node.reads):
        for what, new in _refs(read):
            yield "offset", f"operand {k} {what}", node.placed(node.dst, *node.reads[:k], new, *node.reads[k + 1 :])
        swapped = list(node.reads)
        swapped[0], swapped[k] = swapped[k], swapped[0]
        yield "offset", f"operands 0 and {k} swapped", node.placed(node.dst, *swapped)
    for k, (a, e) in enumerate(node.point):
        for d in (-1, 1):
            point = (*node.point[:k], (a, sp.sympify(e) + d), *node.point[k + 1 :])
            yield "point", f"{a} {d:+}", replace(node, point=point)
    for other in {0, node.statement - 1, node.statement + 1} - {-1, node.statement}:
        yield "statement", f"statement {other + 1} instead", replace(node, statement=other)


def _alloc(node: Alloc) -> Iterator[tuple[str, str, Node]]:
    b, t = node.buffer, node.buffer.type
    keep = len(b.shape) - b.lanes if b.memory == "registers" else len(b.shape)
    for n in range(keep):
        for d in (-1, 1):
            shape = (*b.shape[:n], sp.sympify(b.shape[n]) + d, *b.shape[n + 1 :])
            yield "packing", f"dimension {n} {d:+}", replace(node, buffer=replace(b, shape=shape))
    for what, index in _index(t.coordinates):
        new = IndexType(t.tensor, index, t.guard, t.outside)
        yield "type", f"type {what}", replace(node, buffer=replace(b, type=new))
    for what, guard in _guards(t.guard):
        new = IndexType(t.tensor, t.coordinates, guard, t.outside)
        yield "type", f"type {what}", replace(node, buffer=replace(b, type=new))
    for outside in ("0", "-0", "dead"):
        if outside != t.outside:
            new = IndexType(t.tensor, t.coordinates, t.guard, outside)
            yield "type", f"outside {t.outside} -> {outside}", replace(node, buffer=replace(b, type=new))


def judge(case: str, kind: str, what: str, program: Program, score: Any, runs: int = 8) -> None:
    """Prove one mutant; run it unless it is refuted."""
    try:
        proof = prove_program(program, stop=True)
    except (KeyError, ValueError, TypeError, IndexError) as e:
        score.survivors.append(f"{case}: {what}: the prover ends with {e!r}")
        score.counts["the prover fails"] += 1
        return
    score.kinds[kind] += 1
    if proof.word == "refuted":
        score.counts["refuted"] += 1
        return
    try:
        trial = trials(program, runs, 11)
        wrong = f"{trial.text} at {trial.sizes}" if trial else ""
    except (IndexError, KeyError, ValueError, TypeError) as e:
        wrong = f"does not run: {e!r}"
    text = f"{case}: {what}"
    if not wrong:
        score.counts["equivalent, proved" if proof.proved else "equivalent, not proved"] += 1
        why = "what it says of itself is false or unused" if kind in CLAIMS else "no run differs"
        score.equivalent.append(f"{text} ({why}; {proof.word})")
    elif proof.proved:
        score.counts["PROVED BUT WRONG"] += 1
        score.unsound.append(f"{text}: {wrong}")
    else:
        bad = proof.failed()[0]
        score.counts["unknown, and wrong"] += 1
        score.survivors.append(f"{text}: {wrong}\n    {bad}: {getattr(bad.verdict, 'reason', '')}")


def programs(
    score: Any, every: int = 1, cases: tuple[Case, ...] = (*ALL, *EVERY_SIZE, *ORIGINALS), jobs: int = 1
) -> None:
    """Mutate programs: every so-maniest mutant of each. Ctrl-C and the score's deadline leave what is done so far."""
    units = [(case, part, every, type(score)(deadline=score.deadline)) for case in cases for part in range(PARTS)]
    results = spread(_part, units, jobs)
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("mutants of programs", total=len(units))
        try:
            for name, took, part in results:
                score.add(part)
                progress.update(task, advance=1, description=f"{score.total} mutants of programs")
                if "-v" in sys.argv:
                    print(f"  {name}: {part.total} mutants, {took:.1f} s", flush=True)
        except KeyboardInterrupt:
            print(f"stopped after {score.total} mutants", file=sys.stderr)
        results.close()  # type: ignore[attr-defined]


@lru_cache(maxsize=2)
def _all_mutants(case: Case) -> list[tuple[str, str, Program]]:
    return list(mutants(case.program()))


def _part(unit: tuple[Case, int, int, Any]) -> tuple[str, float, Any]:
    """Every PARTS-th of the chosen mutants of one program."""
    case, part, every, score = unit
    started = time.perf_counter()
    if not score.late:
        first = crc32(case.name.encode())  # so that few of many are not always the same nodes
        chosen = [m for n, m in enumerate(_all_mutants(case), first) if n % every == 0]
        for n, (kind, what, program) in enumerate(chosen, first):
            if n % PARTS == part and not score.late:
                judge(case.name, kind, what, program, score)
    return case.name, time.perf_counter() - started, score
