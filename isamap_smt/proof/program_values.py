"""A program with machine parameters is proved at each of their values, all sizes open: architectures have few vector lengths."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache

import sympy as sp

from isamap_encodings.verdict import Proved, Refuted, Unknown
from isamap_smt.ir.expr import is_constant
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.hypotheses import Fits, Hypothesis
from isamap_smt.ir.machine_parameters import every_value, instruction_at
from isamap_smt.ir.program import Program
from isamap_smt.ir.program_at import instances, program_at
from isamap_smt.ir.proof import ClaimResult, Proof, ProvedMapping
from isamap_smt.ir.schedule import Schedule
from isamap_smt.mapping.fuse import fuse_groups
from isamap_smt.proof.mapping import prove
from isamap_smt.proof.program_memory import LIMIT, entry_bound
from isamap_smt.proof.program_sites import UnrecognisedError

Result = tuple[Proof, tuple[Hypothesis, ...]]


class NotLegalError(Exception):
    """A mapping that is legal at the schedule's values of the parameters is not at these."""


def misplaced(program: Program) -> str:
    """Why its parameters are not those of a machine that all its schedules are for, in words; '' where they are."""
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
    """The proofs of the program at every value, as one; and the conditions that would mend preconditions which fail.

    stop: leave off after the first value at which something is not proved.
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
    """Each obligation that is proved at all values once, with the time of all; what is not proved, with the values."""
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
