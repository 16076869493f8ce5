"""Claim 15 on engines: wherever a use runs, the last write of each state cell it needs has the needed value.

A state belongs to one engine, and an engine follows the text. So the ways and the values are those of
isamap_smt.proof.reaching and .state_values, and a counterexample of a way counts only where a run shows it. The state's
content before a phase begins is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from isamap_encodings.verdict import Refuted, Unknown, Verdict
from isamap_smt.ir.engine_states import named_set, needed_value
from isamap_smt.ir.engines import KEPT
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.expr import evaluate, is_constant
from isamap_smt.ir.program import Configure, Program, Ref
from isamap_smt.ir.states import Need
from isamap_smt.proof.reaching import Reaching, either
from isamap_smt.proof.state_values import CLAIM, Ways, agreement, cells_of, names_of, touched, well_formed, written
from isamap_smt.proof.uses.book import Told, UseBook
from isamap_smt.proof.uses.cells import active, axes_inside
from isamap_smt.proof.uses.moments import Formula, Moment, Moments, UseSite
from isamap_smt.proof.uses.order import target

_FEW = (0, 1, 2)  # steps of all loops, at one point more of which a use is looked for that finds something else


def configuration_claims(book: UseBook, moments: Moments) -> None:
    """Notes the claims about states, for programs that write or need them."""
    states = {m.name: m for m in moments.machine.memories if m.is_state}
    using = [s for s in moments.sites if s.use.state or s.use.instruction.cells_needed]
    if not using:
        return
    by: dict[str, set[str]] = {}
    for site in using:
        for memory in {site.use.state or "", *(n.memory for n in site.use.instruction.cells_needed)} - {""}:
            by.setdefault(memory, set()).add(site.engine)
    for memory, engines in by.items():
        right = len(engines) == 1 and memory in states
        told = f"{' and '.join(sorted(engines))} do" if memory in states else f"the machine has no state {memory}"
        if not book.structure(CLAIM, memory, f"one engine writes and needs {memory}", right, told):
            return
    formed = [_well_formed(book, moments, s) for s in using]
    if not all(formed):
        return
    reaching, at = Reaching(touched), {s.path: s for s in moments.sites}
    reaching.body(moments.program.body, ())
    ways = Ways(book, reaching)
    for path, seen in reaching.seen.items():
        for (memory, _), visits in seen.items():
            for write, level in ways.possible(either(*(visit.reach for visit in visits))).items():
                _met(book, moments, at[path], memory, at[write.position] if write else None, level)


def _well_formed(book: UseBook, moments: Moments, site: UseSite) -> bool:
    """Each use names one existing set of each state; a write gives each of its cells a readable value."""
    use, i, right = site.use, site.use.instruction, True
    for memory in dict.fromkeys([use.state] if use.state else [n.memory for n in i.cells_needed]):
        count, number = moments.machine.memory(memory).count, named_set(use, memory)
        words = f"{site.name} names one of {count} sets of {memory}"
        said = "it names several" if number is None else f"it names {number}"
        right &= book.structure(
            CLAIM, site.name, words, number is not None and is_constant(number) and 0 <= number < count, said
        )
    if not isinstance(use, Configure):
        return right
    cells = cells_of(use)
    words = f"{site.name} gives each of {cells} cells a value"
    right &= book.structure(CLAIM, site.name, words, well_formed(use), f"it gives {len(use.cells)}")
    for e in use.cells:
        if isinstance(e, Ref):
            _readable(book, moments, site, e)
        else:
            _taken(book, moments, site, e)
    return right


def _taken(book: UseBook, moments: Moments, site: UseSite, value: Any) -> None:
    """The command can take the number: it obeys each limit closer than the one of its type."""
    i, x = site.use.instruction, moments.moment(site)

    def told(env: dict[str, Any]) -> str:
        sizes = " ".join(f"{n}={env[n]}" for n in sorted(x.sizes) if n in env)
        said = f"it is {evaluate(x.at(value), env)}" + (f" ({sizes})" if sizes else "")
        return f"{said}; where an output's rows are indexed backwards, and this is their stride, index the inputs so instead"

    for name, (low, high) in i.immediates.items():
        dtype, e = i.kernel.tensor(name).dtype, x.at(value)
        for closer, goal, limit in (
            (low > dtype.low, ("le", low, e), f"at least {low}"), (high < dtype.high, ("le", e, high), f"at most {high}"),
        ):  # fmt: skip
            if closer:
                words = f"{value}, which {site.name} writes, is {limit}"
                book.ask(CLAIM, site.name, words, x.ranges(), [goal], (x,), told)


def _readable(book: UseBook, moments: Moments, site: UseSite, element: Ref) -> None:
    """The core may read the element while engines run: it lies in its tensor, and no use writes the tensor."""
    x, shape = moments.moment(site), moments.program.kernel.tensor(element.name).shape
    goals = [f for i, n in zip(element.index, shape, strict=True) for f in (("le", 0, x.at(i)), ("lt", x.at(i), n))]
    if goals:
        book.ask("bounds", site.name, f"{site.name} stays inside {element.name}", x.ranges(), goals, (x,))
    written = [s.name for s in moments.sites if (to := target(s)) is not None and to.name == element.name]
    words = f"no use writes {element.name}, which the core reads for {site.name}"
    book.structure("order", site.name, words, not written, f"{' and '.join(written)} does")


def _met(
    book: UseBook, moments: Moments, site: UseSite, memory: str, write: UseSite | None, level: int
) -> None:  # fmt: skip
    """Asks for all needed cells of one state of a use, against a write that may reach it."""
    shapes, later = {t.name: t.shape for t in moments.program.kernel.tensors}, bool(book.computed)
    if write is None:
        words = f"something has written {memory} where {site.name} needs it"
        book.note(CLAIM, site.name, words, _unwritten(book, later))
        return
    words = f"{site.name} finds {memory} as it needs it, where {write.name} of {_loops(site, level)} has written it"
    x, y = moments.moment(site), moments.moment(write, "'set", names_of(site.loops[:level]))
    needs = [n for n in site.use.instruction.cells_needed if n.memory == memory]
    pairs = [(n, needed_value(site.use, n, shapes), written(write.use, n.at(0))) for n in needs]
    goals = [goal for _, value, cell in pairs for goal in agreement(value, cell, x, y)[1]]
    given = list(dict.fromkeys([*moments.known(x, y), *_at_work(site, x)]))
    told = _told(write, pairs, x, y)
    book.ask(CLAIM, site.name, words, given, goals, (x, y), told, trial=lambda at: _seen(book, at, later))


def _at_work(site: UseSite, x: Moment) -> list[Formula]:
    """A use without active points that leaves all others as they are does nothing, so it needs nothing."""
    i = site.use.instruction
    return [*axes_inside(site, x), *active(site, x)] if i.counted and i.beyond == KEPT else []


def _loops(site: UseSite, level: int) -> str:
    """The possible iterations of a write reaching a use, in words."""
    if level == len(site.loops):
        return "the same iteration"
    return f"the same {site.loops[level - 1].var}" if level else "any iteration"


def _wrong(program: Program, sizes: dict[str, int], later: bool) -> str:
    """The first use of the run at these sizes to find a wrong state, in words; '' if there is none."""
    from isamap_smt.simulator.configured import misconfigured
    from isamap_smt.simulator.sites import elaborate

    try:
        return next(iter(misconfigured(elaborate(program, sizes), unknown_at_first=later)), "")
    except IsamapError:
        return ""


def _seen(book: UseBook, sizes: dict[str, int], later: bool) -> bool | Refuted:
    """Whether a use finds a wrong state there; else the refutation at a few larger sizes, if there is one."""
    return bool(_wrong(book.sites.program, sizes, later)) or _seen_somewhere(book, later) or False


def _seen_somewhere(book: UseBook, later: bool) -> Refuted | None:
    """Refutation by the first use with a wrong state, at sizes one point above a few steps of all loops; else None."""
    for sizes in book.alike(_FEW):
        if seen := _wrong(book.sites.program, sizes, later):
            at = " ".join(f"{k}={v}" for k, v in sorted(sizes.items())) or "every size"
            return Refuted(sizes, f"{seen}, at {at}")
    return None


def _unwritten(book: UseBook, later: bool) -> Verdict:
    if later:
        return Unknown(
            "a way leads there on which this phase has not written it, and what earlier ones left is not looked at"
        )
    unseen = Unknown("a way leads there on which nothing has written it, and none was found that is taken")
    return _seen_somewhere(book, later) or unseen


def _told(write: UseSite, pairs: Sequence[tuple[Need, Any, Any]], x: Moment, y: Moment) -> Told:
    def value(e: Any, moment: Moment, env: dict[str, Any]) -> str:
        if isinstance(e, Ref):
            return f"{e.name}[{', '.join(str(evaluate(moment.at(i), env)) for i in e.index)}]"
        return str(evaluate(moment.at(e), env))

    def told(env: dict[str, Any]) -> str:
        sizes = " ".join(f"{n}={env[n]}" for n in sorted(x.sizes) if n in env)
        both = [(need, value(wanted, x, env), value(has, y, env)) for need, wanted, has in pairs]
        need, wanted, has = next((p for p in both if p[1] != p[2]), both[0])
        return (
            f"it needs {need.memory}[{need.at(0)}] = {wanted} ('{need.text}'), and {write.name} has written {has} there"
            + (f" ({sizes})" if sizes else "")
        )

    return told


__all__ = ["configuration_claims"]
