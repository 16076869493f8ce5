"""Claims 3 and 10: each visit of an accumulator is one step 'output += some points', and no contribution is lost.

An accumulator (a buffer of an output's type) has a home: the output itself, or an accumulator in between (one transfer
nearer to the output). In the body of its declaration it is loaded from its home, then worked on, then stored back:

- before the work every live cell holds its home's value (so its present contributions are the home's);
- after the work every live cell is stored, and nothing else touches the home in between;
- live cells stand for distinct outputs, and for the same ones during the whole visit (their type mentions only loops
  around the declaration: program, frame).

An accumulator may also begin anew at each visit, at 0, and have its home's value added between the work and the stores:
at most once, if nothing keeps the order of the sum. If it is not added, the visit is the first of all (program_start).

Then a visit adds to each output just the points executed in it. Link and coverage show that all visits together add
every point once. An empty reduction runs no execution and leaves the output as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from isamap_smt.ir.expr import sym
from isamap_smt.ir.program import Loop, Ref
from isamap_smt.proof.program_accesses import Access
from isamap_smt.proof.program_accumulators import Accumulators
from isamap_smt.proof.program_book import Book, place
from isamap_smt.proof.program_cover import covered
from isamap_smt.proof.program_executions import execution
from isamap_smt.proof.program_held import TRUE, Place, Transfer, place_of
from isamap_smt.proof.program_sites import Formula, Site, UnrecognisedError, equal, own_names, primed, rename, state


@dataclass(frozen=True)
class Scope:
    """Transfers and work of one accumulator."""

    site: Site
    loads: tuple[Transfer, ...]
    stores: tuple[Transfer, ...]
    work: tuple[Site, ...]
    added: tuple[Transfer, ...] = ()

    @property
    def moved(self) -> tuple[Transfer, ...]:
        """All transfers between it and its home."""
        return (*self.loads, *self.added, *self.stores)

    @property
    def settled(self) -> int:
        """The statement of the accumulator's own body that brings its home up to date; -1 without stores."""
        return max((self.turn(t.site) for t in self.stores), default=-1)

    def turn(self, site: Site) -> int:
        """The number of the statement of the accumulator's own body around `site`."""
        return site.position[len(self.site.position) - 1]

    @property
    def name(self) -> str:
        return str(self.site.node.buffer.name)  # type: ignore[union-attr]


def scope_claims(book: Book, touched: Sequence[Access], accumulators: Accumulators) -> dict[tuple[int, ...], Scope]:
    """Both claims for every accumulator; no output is touched ahead of the call. Returns scopes by declaration."""
    outputs = set(book.sites.kernel.outputs)
    early = [a for a in touched if a.site.position[0] == 0 and a.place.held.tensor in outputs]
    book.structure(
        "progress", "", "outputs are not touched ahead of the call", not early, "an output is used ahead of the call"
    )
    found: dict[tuple[int, ...], Scope] = {}
    for h in accumulators.stored:
        name = h.node.buffer.name  # type: ignore[union-attr]
        words = f"{name} is loaded, added to and stored, in this order"
        s = book.attempt("progress", name, words, lambda h=h: _scope(h, touched, accumulators))
        if s is not None:
            found[h.position] = s
            book.attempt("progress", name, words, lambda s=s: _claims(book, s, touched))
    own = [t for s in found.values() for t in s.added]
    for t in dict.fromkeys(a.transfer for a in touched if a.transfer is not None and a.transfer.adds):
        words, wrong = (
            f"what is added to {t.dst.name} {place(t.site)} is what its elements held",
            f"{t.dst.name} is no sum",
        )
        book.structure("progress", t.dst.name, words, t in own, f"{wrong} that begins anew at each visit")
    return found


def _scope(h: Site, touched: Sequence[Access], accumulators: Accumulators) -> Scope:
    """The transfers of one accumulator: loads and stores go to a place nearer to the output, the rest is work."""
    loads: list[Transfer] = []
    stores: list[Transfer] = []
    added: list[Transfer] = []
    work = [a.site for a in touched if a.writes and a.transfer is None and a.place.home is h]
    mine = accumulators.distance(h)

    def nearer(p: Place | None) -> bool:
        other = 0 if p is None or p.home is None else accumulators.distance(p.home)
        if other == mine:
            raise UnrecognisedError("two accumulators exchange values")
        return other < mine

    for t in dict.fromkeys(a.transfer for a in touched if a.transfer is not None):
        if t.dst.home is h:
            into = added if t.adds else loads
            into.append(t) if nearer(t.src) else work.append(t.site)
        elif t.src is not None and t.src.home is h:
            stores.append(t) if nearer(t.dst) else work.append(t.site)
    return Scope(h, tuple(loads), tuple(stores), tuple(work), tuple(added))


def _claims(book: Book, s: Scope, touched: Sequence[Access]) -> None:
    _phases(book, s)
    if s.added:
        _begins_anew(book, s)
    home = _home(s)
    if home is not None:
        _undisturbed(book, s, home, touched)
    cells = s.site.node.buffer.cells  # type: ignore[union-attr]
    here = place_of(book.sites, s.site, _ref(s), cells)
    live = [*state(s.site), here.held.guard]
    for words, group in (("loaded before it is added to", s.loads), ("stored after it was added to", s.stores)):
        writers: list[tuple[Site, Place, Formula]] = []
        for t in group:
            p = t.dst if t.dst.home is s.site else t.src
            assert p is not None
            writers.append((t.site, p, TRUE if t.src is None else t.selected))  # a zero is put into every cell
        goal = covered(s.site, cells, writers, len(s.site.position) - 1)
        book.ask("progress", s.name, f"every live cell of {s.name} {place(s.site)} is {words}", live, [goal])
    _distinct(book, s, here, live)


def _ref(s: Scope) -> Ref:
    b = s.site.node.buffer  # type: ignore[union-attr]
    return Ref(b.name, b.cells)


def _phases(book: Book, s: Scope) -> None:
    """The body of the declaration holds all loads, all work, all additions and all stores, in this order."""
    turns = [
        [s.turn(t.site) for t in s.loads], [s.turn(x) for x in s.work], [s.turn(t.site) for t in s.added],
        [s.turn(t.site) for t in s.stores],
    ]  # fmt: skip
    flat = [t for t in turns if t]
    apart = all(max(a) < min(b) for n, a in enumerate(flat) for b in flat[n + 1 :])
    words = f"{s.name} is loaded, then added to, then stored, each visit {place(s.site)}"
    if not (turns[0] and turns[-1]):
        missing = "loaded" if not turns[0] else "stored"
        book.structure("progress", s.name, words, False, f"{s.name} is never {missing}, so what it held before is lost")
    elif not apart:
        raise UnrecognisedError(f"loads, executions and stores of {s.name} are interleaved")
    else:
        book.structure("progress", s.name, words, True, "")


def _home(s: Scope) -> Place | None:
    """The one place the accumulator is loaded from and stored to."""
    found = {(t.src.name, t.src.home and t.src.home.position): t.src for t in (*s.loads, *s.added) if t.src is not None}
    found |= {(t.dst.name, t.dst.home and t.dst.home.position): t.dst for t in s.stores}
    if len(found) > 1:
        raise UnrecognisedError(
            f"{s.name} is loaded from and stored to different places: {sorted(n for n, _ in found)}"
        )
    home = next(iter(found.values()), None)
    if home is not None and home.home is not None:
        prefix = home.home.position[:-1]
        if s.site.position[: len(prefix)] != prefix:
            raise UnrecognisedError(f"{s.name} outlives {home.name}, which it is loaded from")
    return home


def _undisturbed(book: Book, s: Scope, home: Place, touched: Sequence[Access]) -> None:
    """Between the first load and the last store nothing else touches the home."""
    turns = [s.turn(t.site) for t in s.moved]
    prefix = s.site.position[:-1]
    own = {t.site.position for t in s.moved}
    for a in touched:
        touches = a.place.name == home.name and a.place.home is home.home
        inside = a.site.position[: len(prefix)] == prefix and len(a.site.position) > len(prefix)
        if touches and a.site.position not in own and inside and min(turns) <= s.turn(a.site) <= max(turns):
            raise UnrecognisedError(f"{home.name} is used while {s.name} stands for part of it")
    book.structure("progress", s.name, f"nothing else touches {home.name} while {s.name} stands for it", True, "")


def _begins_anew(book: Book, s: Scope) -> None:
    """Every visit begins at 0, sums in any order, and adds its home's value at most once to each cell."""
    found = [execution(book.sites, x) for x in s.work]
    words = f"{s.name} begins at 0 at each visit {place(s.site)}, and sums in any order"
    anew = all(t.src is None and t.fill == "0" for t in s.loads)
    loose = all(e.statement.op == "+" and not (e.statement.ordered and e.target.held.dtype.is_float) for e in found)
    wrong = "the order of its sum is fixed, or it is no sum" if anew else "it holds what its home held before"
    book.structure("progress", s.name, words, anew and loose, f"what {s.name}'s home holds is added to it, and {wrong}")
    outside = len(s.site.position) - 2
    for n, a in enumerate(s.added):
        for b in s.added[n:]:
            inner = [x.var.name for x in b.site.around[outside:] if isinstance(x, Loop)] + own_names(b.site.node)
            again = primed(inner)
            given = [*state(a.site), a.selected, *rename([*state(b.site), b.selected], again)]
            given += equal(a.dst.index, [rename(i, again) for i in b.dst.index])
            goals: list[Formula] = [("or",)] if a is not b else [("eq", sym(v), again[v]) for v in inner]
            beside = "" if a is b else f" and {place(b.site)}"
            words = f"no cell of {s.name} has its element added twice {place(a.site)}{beside}"
            if goals:
                book.ask("progress", s.name, words, given, goals)


def _distinct(book: Book, s: Scope, here: Place, live: list[Formula]) -> None:
    cells = [c.name for c in s.site.node.buffer.cells]  # type: ignore[union-attr]
    again = primed(cells)
    same = equal(here.held.coordinates, [rename(c, again) for c in here.held.coordinates])
    book.ask(
        "exclusive", s.name, f"distinct live cells of {s.name} stand for distinct outputs",
        [*live, *rename(live, again), *same], [("eq", sym(c), again[c]) for c in cells],
    )  # fmt: skip
