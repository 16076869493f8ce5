"""From schedules to a program: one nest for each mapped statement, the other statements inside and between the nests."""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import replace

from isamap_smt.codegen.mapped import LoweredNest, lower_nest
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.program import Alloc, Compute, Copy, Exec, If, Loop, Move, Node, Program, Ref, walk
from isamap_smt.ir.schedule import Schedule

Nodes = tuple[Node, ...]


def lower(schedule: Schedule, *more: Schedule) -> Program:
    """The program of a schedule: loops, buffers with index types, moves, executions. str() is its pseudo-code.

    more: schedules of further statements of the same kernel; what no schedule maps is computed element by element.
    Nothing about it is proved yet: build() and prove_program() do that. Sizes the schedule leaves open become run-time
    parameters. Raises ScheduleError when the schedule cannot be carried out.
    """
    schedules = sorted((schedule, *more), key=lambda s: s.proved.mapping.statement_index)
    starts = [s.proved.mapping.statement_index for s in schedules]
    if len(set(starts)) < len(starts):
        raise ScheduleError("two schedules are for one statement; give one for each")
    bounds = zip([0, *starts[1:]], [*starts[1:], None], strict=True)
    nests = [lower_nest(s, first, end) for s, (first, end) in zip(schedules, bounds, strict=True)]
    if any(n.kernel != nests[0].kernel for n in nests):
        raise ScheduleError("the schedules are for different kernels, or for different sizes of one")
    nests = [_apart(n, k) for k, n in enumerate(nests)]
    ahead = tuple(node for n in nests for node in n.ahead)
    body = tuple(node for n in nests for node in n.body)
    assumptions = tuple(dict.fromkeys(a for n in nests for a in n.assumptions))
    kernel = nests[0].kernel
    return Program(schedules[0], kernel, ahead, body, assumptions, kernel.name, tuple(schedules[1:]))


def _apart(nest: LoweredNest, number: int) -> LoweredNest:
    """Buffers named apart from those of other nests: `acc` becomes `acc_2` in the second one."""
    if number == 0:
        return nest
    own = {n.buffer.name for n, _ in walk((*nest.ahead, *nest.body)) if isinstance(n, Alloc)}
    names = {name: f"{name}_{number + 1}" for name in own}
    return replace(nest, ahead=_renamed(nest.ahead, names), body=_renamed(nest.body, names))


def _renamed(nodes: Nodes, names: Dict[str, str]) -> Nodes:
    def ref(r: Ref) -> Ref:
        return replace(r, name=names.get(r.name, r.name))

    def visit(node: Node) -> Node:
        match node:
            case Loop() | If():
                return replace(node, body=_renamed(node.body, names))
            case Alloc():
                return Alloc(replace(node.buffer, name=names.get(node.buffer.name, node.buffer.name)))
            case Copy():
                return replace(node, dst=ref(node.dst), src=ref(node.src))
            case Move():
                return replace(node, register=ref(node.register), memory=ref(node.memory) if node.memory else None)
            case Exec():
                return replace(node, operands=tuple((o, ref(r)) for o, r in node.operands))
            case Compute():
                return replace(node, dst=ref(node.dst), reads=tuple(map(ref, node.reads)))

    return tuple(map(visit, nodes))
