"""Which instructions a program of a core may use: those of the machines that it was scheduled for, as they are described there, and
those that isamap makes: of several by selection, of a broadcast and a number, of one point of a statement.

What an instruction does is taken from its description, and so is its C. So a use that says another C of the same contract is no use
of the machine's.
"""

from __future__ import annotations

from collections.abc import Iterator

from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.machine_parameters import at_values, every_value
from isamap_smt.ir.program import Program, Use
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.mapping.moves import fills

WORDS = "each use is of an instruction of the machine, as its description says it"


def foreign(program: Program) -> str:
    """What is wrong with an instruction that is none of these; '' where all are, and where nothing says what the machine is."""
    described = [s.hardware for s in program.schedules if s.hardware is not None]
    if program.machine is not None or not described or len(described) < len(program.schedules):
        return ""
    machines = list(dict.fromkeys(m for h in described for m in (h, h.whole, *_at_each(h.whole))))
    known = {i for m in machines for i in m.instructions} | {s.proved.mapping.instruction for s in program.schedules}
    for node in nodes_of(Use, program):
        for i in node.instructions:
            if not (i.portable or i in known or any(fills(m, i) for m in machines)):
                names = " and ".join(dict.fromkeys(m.name for m in described))
                like = any(i.name == x.name for x in known)
                return f"{i.name} is {'another one' if like else 'none'} on {names}"
    return ""


def _at_each(machine: Hardware) -> Iterator[Hardware]:
    if machine.parameters:
        yield from (at_values(machine, values) for values in every_value(machine))


__all__ = ["WORDS", "foreign"]
