"""Forms of the parts of a core's program. If a part is misshapen, no claim is asked, and nothing runs.

field     every field holds a value of its annotation
core      a core's program has no parts for engines alone; its buffers, loops, places and copies are whole
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

import sympy as sp

from isamap_encodings.verdict import Proved, Refuted, Unknown
from isamap_smt.ir.annotated import misfit
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import is_constant
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.hypotheses import HYPOTHESES, Fits, Hypothesis
from isamap_smt.ir.machine_parameters import at_values, every_value, instruction_at
from isamap_smt.ir.phases import host_of, phases
from isamap_smt.ir.program import PARTS, Alloc, Buffer, Copy, If, Issued, Loop, Move, Program, Ref, Use
from isamap_smt.ir.program_at import instances, program_at
from isamap_smt.ir.proof import ClaimResult, Proof, ProvedMapping
from isamap_smt.ir.schedule import Schedule
from isamap_smt.ir.traversal import buffers, nodes_of, walk
from isamap_smt.mapping.fuse import fuse_groups
from isamap_smt.mapping.moves import accumulates, fills
from isamap_smt.proof.by_blocks import claims as block_claims
from isamap_smt.proof.mapping import prove
from isamap_smt.proof.program_memory import LIMIT, entry_bound
from isamap_smt.proof.program_sites import UnrecognisedError
from isamap_smt.proof.resident import claims as resident_claims
from isamap_smt.proof.resident import closed, residents
from isamap_smt.proof.uses.prove import goes_wrong_somewhere
from isamap_smt.proof.written_parts import claims as claims_of_parts

# ---- A program of several phases is right where each of them is: barriers keep them apart.
#
# Where a program is no such sequence, it is run at small sizes: a race or a deadlock there refutes it, in the
# simulator's words.


Result = tuple[Proof, tuple[Hypothesis, ...]]
Computed = frozenset[str]
HOST = "the program runs between what was written before the call and what reads its results"
BETWEEN_BARRIERS = "phases stand between barriers, with counters and loops of their own"


def at_each_phase(program: Program, proved: Callable[[Program, Computed], Result], stop: bool) -> Result | None:
    """The proofs of all phases as one; None for a program of one. Later phases read the tensors left in main memory.

    proved: takes a phase, and the tensors computed by earlier ones.
    """
    try:
        apart = phases(program)
        staying = residents(apart)
        parts = closed(apart, staying)
        blocked = tuple(block_claims(apart))
        written = tuple(claims_of_parts(program.kernel))
    except ScheduleError as error:
        started = time.perf_counter()
        found = goes_wrong_somewhere(program)
        verdict = (
            Unknown(str(error))
            if found is None
            else Refuted(found.witness, f"{BETWEEN_BARRIERS}: {found.text} ({error})")
        )
        seconds = time.perf_counter() - started
        return Proof((ClaimResult("order", "phases", verdict, BETWEEN_BARRIERS),), "reassociate", (), seconds), ()
    if apart == (program,) and not written:
        return None
    claims, seconds, arithmetic = [ClaimResult("order", "phases", Proved(), BETWEEN_BARRIERS)], 0.0, ""
    claims += (*resident_claims(program, apart, staying), *blocked, *written)
    if program.machine is not None and (host := host_of(program.machine)):
        claims.append(ClaimResult("order", host, Proved(), f"{HOST}, and barriers keep it apart from {host}"))
    hypotheses: list[Hypothesis] = []
    computed: frozenset[str] = frozenset()
    for n, part in parts:
        made, _ = proved(part, computed)
        computed |= set(part.kernel.results)
        claims += [replace(c, subject=f"phase {n + 1}: {c.subject}") if len(parts) > 1 else c for c in made.claims]
        hypotheses += made.hypotheses
        seconds, arithmetic = seconds + made.seconds, made.arithmetic
        if stop and not made.proved:
            break
    return Proof(tuple(claims), arithmetic, tuple(dict.fromkeys(hypotheses)), seconds), ()


# ---- A program with machine parameters is proved at each of their values, all sizes open: architectures have few
# vector lengths.


class NotLegalError(Exception):
    """A mapping legal at the schedule's values of the parameters, but not at these."""


def misplaced(program: Program) -> str:
    """Why the program's parameters do not belong to one machine of all its schedules, in words; '' if they do."""
    machine = program.schedules[0].hardware if program.schedules else None
    known = [m.name for m in machine.whole.parameters] if machine else []
    odd = next((p for n, p in enumerate(program.parameters) if p not in known or p in program.parameters[:n]), None)
    if odd is not None or machine is None:
        return f"{odd} is no parameter of the machine that the program is made for, or is named twice"
    has = {i.name for i in machine.whole.instructions}
    names = (s.proved.mapping.instruction.name for s in program.schedules)
    return next(
        (f"{machine.whole.name} has no instruction {n}, which a schedule maps" for n in names if n not in has), ""
    )


def at_each_value(program: Program, proved: Callable[[Program], Result], stop: bool) -> Result:
    """The proofs of the program at every value, as one; and the conditions to mend failing preconditions.

    stop: end after the first value with an obligation not proved.
    """
    machine = program.schedules[0].hardware
    assert machine is not None
    parts: list[tuple[dict[str, int], Proof]] = []
    wanted: dict[Hypothesis, None] = {}
    for values in every_value(machine.whole):
        made, conditions = _at(program, machine, values, proved)
        parts.append((values, made))
        wanted |= dict.fromkeys(conditions)
        if stop and not made.proved:
            break
    claims, listed = _together(parts), [h for _, p in parts for h in p.hypotheses]
    try:
        above = entry_bound(program)
        bounds = {Fits(entry_bound(p)) for p in instances(program)}
    except UnrecognisedError:  # then nothing is proved
        above, bounds = sp.S.Zero, set()
    if is_constant(above) and above >= LIMIT:
        words = "every number of the C fits 64 bits at every value"
        claims = (*claims, ClaimResult("memory", "", Unknown(f"a number may reach {above}"), words))
    # in the place of a bound on the numbers for each value, the one above all of them
    kept = tuple(dict.fromkeys(Fits(above) if h in bounds else h for h in listed))
    return Proof(claims, parts[0][1].arithmetic, kept, sum(p.seconds for _, p in parts)), tuple(wanted)


def _at(program: Program, machine: Hardware, values: Mapping[str, int], proved: Callable[[Program], Result]) -> Result:
    words = "the mapping is proved for this machine"
    try:
        schedules = tuple(_schedule_at(s, machine, values) for s in program.schedules)
    except NotLegalError as e:
        return Proof((ClaimResult("link", "", Refuted(values, f"{words}: {e}"), words),)), ()
    return proved(replace(program_at(program, values), schedule=schedules[0], more=schedules[1:]))


def _schedule_at(schedule: Schedule, machine: Hardware, values: Mapping[str, int]) -> Schedule:
    found = _mapping_at(schedule.proved, machine.whole, tuple(sorted(values.items())))
    return replace(schedule, proved=found, hardware=machine.at(**values))


@lru_cache(maxsize=1024)
def _mapping_at(proved: ProvedMapping, machine: Hardware, values: tuple[tuple[str, int], ...]) -> ProvedMapping:
    """The proved mapping of the same axes onto the instruction at these values. Raises NotLegalError."""
    m = proved.mapping
    instruction = instruction_at(machine.instruction(m.instruction.name), dict(values))
    if instruction == m.instruction:
        return proved
    found = prove(fuse_groups(m.kernel, instruction, m.groups, m.binding, m.statement_index))
    if not isinstance(found, ProvedMapping):
        raise NotLegalError(str(found))
    return found


def _together(parts: list[tuple[dict[str, int], Proof]]) -> tuple[ClaimResult, ...]:
    """If all is proved at all values, each obligation once, with the total time; else each one with its values."""
    shapes = {tuple((c.claim, c.subject) for c in p.claims) for _, p in parts}
    found: list[ClaimResult] = []
    if len(shapes) == 1 and all(p.proved for _, p in parts):
        for same in zip(*(p.claims for _, p in parts), strict=True):
            found.append(replace(same[0], verdict=Proved(sum(c.verdict.seconds for c in same))))
        return tuple(found)
    for values, proof in parts:
        where = ", ".join(f"{n} = {v}" for n, v in values.items())
        for c in proof.claims:
            found.append(replace(c, verdict=_said(c, where, values), statement=f"where {where}: {c.statement}"))
    return tuple(found)


def _said(c: ClaimResult, where: str, values: Mapping[str, int]) -> Proved | Refuted | Unknown:
    match c.verdict:
        case Refuted(witness=witness, text=text):
            return replace(c.verdict, witness={**witness, **values}, text=f"where {where}: {text}")
        case Unknown(reason=reason):
            return replace(c.verdict, reason=f"where {where}: {reason}")
    return c.verdict


# ---- Instructions allowed in a program of a core: those of the machines it was scheduled for, as described there, and
# those made by isamap: of several by selection, of a broadcast and a number, of a load and an addition, of one point of
# a statement.
#
# The description gives an instruction's meaning, and its C. So a use with another C for the same contract is no use of
# the machine's instruction.


WORDS = "each use is of an instruction of the machine, as its description says it"


def foreign(program: Program) -> str:
    """An instruction of none of the schedules' machines, in words; '' if there is none, or a machine is not described."""
    described = [s.hardware for s in program.schedules if s.hardware is not None]
    if program.machine is not None or not described or len(described) < len(program.schedules):
        return ""
    machines = list(dict.fromkeys(m for h in described for m in (h, h.whole, *_at_each(h.whole))))
    known = {i for m in machines for i in m.instructions} | {s.proved.mapping.instruction for s in program.schedules}
    for node in nodes_of(Use, program):
        for i in node.instructions:
            if not (i.portable or i in known or any(fills(m, i) or accumulates(m, i) for m in machines)):
                names = " and ".join(dict.fromkeys(m.name for m in described))
                like = any(i.name == x.name for x in known)
                return f"{i.name} is {'another one' if like else 'none'} on {names}"
    return ""


def _at_each(machine: Hardware) -> Iterator[Hardware]:
    if machine.parameters:
        yield from (at_values(machine, values) for values in every_value(machine))


CACHES = range(1, 5)  # that __builtin_prefetch names: the last is none that keeps the line


def misshapen(program: Program) -> str:
    """The first part without its form, in words; '' if all have theirs."""
    if program.machine is not None:  # its claims ask for the forms of engines' parts, one by one
        return ""
    if wrong := misfit(program, (*PARTS, *HYPOTHESES)):
        return wrong
    ranks = {t.name: len(t.shape) for t in program.kernel.tensors}
    registers = {b.name for b in buffers(program).values() if b.memory == "registers"}
    for node, _ in walk(program):
        match node:
            case Alloc(buffer=b):
                found = _of_a_buffer(b, ranks)
            case Loop():
                found = _of_a_loop(node, ranks)
            case Issued():
                found = iter((f"{node.instruction.name} is issued by an engine, of which a core has none",))
            case Use():
                found = _of_a_use(node, ranks, registers)
            case If():
                short = node.known and len(node.known) != len(node.condition)
                said = f"{len(node.known)} of {len(node.condition)} relations are said to hold at some values"
                found = iter((said,) if short else ())
        for wrong in found:
            return wrong
    return ""


def _of_a_buffer(b: Buffer, ranks: Mapping[str, int]) -> Iterator[str]:
    if (b.offset, b.slots, b.version) != (0, 0, ()):
        yield f"buffer {b.name} says what slots of an engine's memory have"
    if b.first is not None and b.memory != "registers":
        yield f"buffer {b.name} says the number of a register, and lies in none"
    if b.type.tensor not in ranks:
        yield f"buffer {b.name} holds elements of {b.type.tensor}, which is no tensor"
    if b.type.outside != "dead" and not _is_number(b.type.outside):
        yield f"cells of buffer {b.name} that hold no element hold {b.type.outside!r}"
    if b.lanes not in range(len(b.shape) + 1):
        yield f"{b.lanes} dimensions of buffer {b.name} lie in one register, of {len(b.shape)}"


def _of_a_loop(loop: Loop, ranks: Mapping[str, int]) -> Iterator[str]:
    if loop.base is None and loop.extent is not None:
        yield f"the loop {loop.var} says an extent, and has no base"
    if odd := [name for name, _ in (*loop.folds, *loop.rings) if name not in ranks]:
        yield f"the loop {loop.var} folds {odd[0]}, which is no tensor"


def _of_a_use(use: Use, ranks: Mapping[str, int], registers: set[str]) -> Iterator[str]:
    prefetch = use.prefetch if isinstance(use, Move) else ()
    asked = [p.place for p in prefetch if p.place is not None]
    for ref in (*(r for _, r in use.operands), *asked):
        yield from _of_a_place(ref, ranks)
    if lost := [r.name for r in asked if r.name in registers]:
        yield f"a line of {lost[0]} is asked for, which lies in registers"
    if any(p.cache not in CACHES or p.lines < 0 for p in prefetch):
        yield f"{use.instruction.name} asks for less than no line, or for one in a cache that C has no word for"
    if odd := [v for v, _ in (use.over if isinstance(use, Copy) else ()) if not getattr(v, "is_Symbol", False)]:
        yield f"{use.instruction.name} counts by {odd[0]}, which is no name"


def _of_a_place(ref: Ref, ranks: Mapping[str, int]) -> Iterator[str]:
    if len(ref.index) != ranks.get(ref.name, len(ref.index)):
        yield f"{ref.name} has {ranks[ref.name]} dimensions and is given {len(ref.index)} indices"


def _is_number(text: str) -> bool:
    """Whether it is a number as a type says it: '0', '-0', '-128', '-oo'."""
    try:
        float(text.replace("oo", "inf"))
    except ValueError:
        return False
    return True
