"""Program nodes as functions of the machine, made once per node. A node is a value, so its function can be kept.

Whether an execution depends on a poisoned operand is decided by running it with two different fillings: zero times
anything is clean for integers and is not for floating point.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isamap_smt.ir.compiled import holds, integers
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.interpret import Action, instruction_actions
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.machine import BOUNDS, UNDEFINED, Machine, Memory, Recent, another, bits
from isamap_smt.ir.move_form import register_operand
from isamap_smt.ir.pointwise import Pointwise, pointwise
from isamap_smt.ir.program import Alloc, Compute, Copy, If, Loop, Node, Ref, Use
from isamap_smt.ir.states import needs_at
from isamap_smt.ir.transfer_steps import Step, copy_step, move_step

KEPT = 20_000  # functions that are kept

_kept: dict[int, tuple[Any, Any]] = {}


def step_of(node: Node) -> Step:
    """What runs the node."""
    return _once(node, _step)


def _once(thing: Any, make: Any) -> Any:
    """make(thing), made once as long as it is kept: the edits of a program share most of its nodes."""
    found = _kept.get(id(thing))
    if found is None:
        if len(_kept) >= KEPT:
            _kept.clear()
        found = _kept[id(thing)] = (thing, make(thing))  # with the thing itself, so that its id stays its own
    return found[1]


def _step(node: Node) -> Step:
    match node:
        case Alloc():
            return _alloc(node)
        case Loop():
            return _loop(node)
        case If():
            return _if(node)
        case Copy():
            return copy_step(node)
        case Use() if node.moves:
            return _in_state(node.instruction, ((register_operand(node.instruction), node.register),), move_step(node))
        case Use() if node.computes:
            return _in_state(node.instruction, node.operands, _exec(node))
        case Use():
            return _use(node)
        case Compute():
            return _compute(node)


def body_of(nodes: tuple[Node, ...]) -> Step:
    """Runs nodes in order; buffers allocated among them end with the body."""
    steps = tuple(map(step_of, nodes))
    names = [n.buffer.name for n in nodes if isinstance(n, Alloc)]

    def run(m: Machine) -> None:
        for step in steps:
            step(m)

    def scoped(m: Machine) -> None:
        before = dict(m.memory)
        for step in steps:
            step(m)
        m.memory = before

    return scoped if names else run


def _alloc(node: Alloc) -> Step:
    b = node.buffer
    shape_of = integers(b.shape)
    registers = b.numbers

    def run(m: Machine) -> None:
        shape = tuple(max(0, n) for n in shape_of(m.env))
        if registers:
            m.lose_registers(registers)
        m.memory[b.name] = Memory(
            b.name,
            m.fresh(shape, b.dtype),
            shape,
            b.dtype,
            poison=m.poisoning,
            level=len(m.parallel),
            numbers=registers,
        )

    return run


def _in_state(i: Instruction, operands: tuple[tuple[str, Ref], ...], step: Step) -> Step:
    """The step, where the thread's states are as the instruction needs them for the registers that it uses."""
    if not i.cells_needed:
        return step
    places = [(o, ref.name, integers(ref.index)) for o, ref in operands if o in i.registers]

    def run(m: Machine) -> None:
        lies = {o: (m.memory[n].register(index(m.env)),) for o, n, index in places}
        m.check_states(i.name, needs_at(i, lies))
        step(m)

    return run


def _use(node: Use) -> Step:
    """A state is written: what lies in registers that have numbers is gone."""

    def run(m: Machine) -> None:
        m.lose_registers()
        m.states = {**m.states, node.state: node.cells}

    return run


def _loop(node: Loop) -> Step:
    body, count, name = body_of(node.body), integers((node.count,)), node.var.name
    edges = body_of(node.enter), body_of(node.leave)
    turn = str(node.backwards) if node.backwards is not None else ""
    run = _parallel(body, count, name, edges) if node.kind == "parallel" else _serial(body, count, name, turn)

    def scoped(m: Machine) -> None:
        if name not in m.env:
            run(m)
            m.env.pop(name, None)
            return
        before = m.env[name]
        run(m)
        m.env[name] = before

    return scoped


def _serial(body: Step, count: Any, name: str, turn: str) -> Step:
    def run(m: Machine) -> None:
        env = m.env
        iterations = range(count(env)[0])
        for v in reversed(iterations) if turn and env[turn] % 2 else iterations:
            env[name] = v
            body(m)

    return run


def _parallel(body: Step, count: Any, name: str, edges: tuple[Step, Step]) -> Step:
    """Iterations in an order drawn at random, each on a thread of its own or on the one around, which enters and leaves last."""
    enter, leave = edges

    def run(m: Machine) -> None:
        m.instances += 1
        instance = m.instances
        around, turns = m.states, max(0, count(m.env)[0])
        for v in map(int, m.random.permutation(turns)):
            m.parallel.append((instance, v))
            m.env[name] = v
            m.states = around if m.random.integers(2) else {}
            enter(m)
            body(m)
            leave(m)
            m.parallel.pop()
        m.states = around
        if turns:
            enter(m)
            leave(m)
        for array in m.memory.values():
            array.tracks.pop(instance, None)

    return run


def _if(node: If) -> Step:
    condition, body = holds(node.condition), body_of(node.body)

    def run(m: Machine) -> None:
        if condition(m.env):
            body(m)

    return run


class _Register:
    """One operand of an execution: a whole register."""

    def __init__(self, kernel: Kernel, operand: str, ref: Ref) -> None:
        tensor = kernel.tensor(operand)
        self.operand, self.name, self.dtype = operand, ref.name, tensor.dtype
        self.cells = tuple(int(e) for e in tensor.shape)
        self.size = int(np.prod(self.cells))
        self._lead = integers(ref.index)
        self._known: Recent[slice] = Recent()

    def at(self, m: Machine, array: Memory) -> slice:
        """Where its cells are, checked."""
        lead = self._lead(m.env)
        key = (array.shape, lead, array.dtype.name)
        found = self._known.get(key)
        if found is None:
            found = self._checked(m, array, lead)
            self._known.put(key, found)
        return found

    def _checked(self, m: Machine, array: Memory, lead: tuple[int, ...]) -> slice:
        shape = array.shape
        if shape[len(lead) :] != self.cells:
            m.stop(BOUNDS, f"{self.name}{list(lead)} is no register of shape {list(self.cells)}")
        start = 0
        for i, n, s in zip(lead, shape, array.strides, strict=False):
            if not 0 <= i < n:
                m.stop(BOUNDS, f"{self.name}{list(lead)}: no such register")
            start += i * s
        if array.dtype != self.dtype:
            m.stop(UNDEFINED, f"{self.name} holds {array.dtype}, operand {self.operand} is {self.dtype}")
        return slice(start, start + self.size)


def _exec(node: Use) -> Step:
    kernel = node.instruction.kernel
    target = kernel.statements[0].target.tensor
    actions = _once(node.instruction, _actions)
    registers = [_Register(kernel, o, ref) for o, ref in node.operands]
    output = next(r for r in registers if r.operand == target)

    def run(m: Machine) -> None:
        values: dict[str, np.ndarray] = {}
        poison: dict[str, np.ndarray] = {}
        for r in registers:
            array = m.memory[r.name]
            where = r.at(m, array)
            if m.parallel:
                m.note(array, where, r is output)
            values[r.operand] = array.data[where]
            if array.poison.find(1, where.start, where.stop) >= 0:
                poison[r.operand] = array.mask[where]
        array = m.memory[output.name]
        where = output.at(m, array)
        result = _act(actions, values, target)
        dirty: Any = False
        if poison:
            other = {
                o: np.where(poison[o], another(v), v).astype(v.dtype) if o in poison else v for o, v in values.items()
            }
            dirty = bits(_act(actions, other, target)) != bits(result)
        array.put(where, result, dirty)

    return run


def _actions(instruction: Instruction) -> tuple[Action, ...]:
    return instruction_actions(instruction)


def _act(actions: tuple[Action, ...], values: dict[str, np.ndarray], target: str) -> np.ndarray:
    """The accumulator after one execution, flat. The operands are kept."""
    held = {**values, target: values[target].copy()}
    for act in actions:
        act(held)
    return held[target]


def _compute(node: Compute) -> Step:
    reads = [(r.name, integers(r.index)) for r in node.reads]
    dst, to = node.dst.name, integers(node.dst.index)
    functions: dict[int, tuple[Kernel, Pointwise]] = {}  # by the kernel's id, of which there is one, or a few

    def run(m: Machine) -> None:
        known = functions.get(id(m.kernel))
        if known is None:
            if not 0 <= node.statement < len(m.kernel.statements):
                m.stop(UNDEFINED, f"the kernel has no statement {node.statement + 1}")
            known = functions[id(m.kernel)] = (m.kernel, pointwise(m.kernel, node.statement))
        function = known[1]
        places = [(m.memory[n], _element(m, m.memory[n], index(m.env))) for n, index in reads]
        for array, at in places:
            if m.parallel:
                m.note(array, at, False)
        values = [array.data[at] for array, at in places]
        value = function.value(values)
        dirty: Any = np.zeros(1, bool)
        if any(array.poison[at.start] for array, at in places):
            other = [another(v) if a.poison[at.start] else v for v, (a, at) in zip(values, places, strict=True)]
            dirty = bits(function.value(other)) != bits(value)
        array = m.memory[dst]
        at = _element(m, array, to(m.env))
        if function.op != "=":
            if m.parallel:
                m.note(array, at, False)
            value, dirty = function.reduce(array.data[at], value), dirty | array.mask[at]
        if array.readonly:
            m.check_writable(array)
        array.put(at, value, dirty)
        if m.parallel:
            m.note(array, at, True)

    return run


def _element(m: Machine, array: Memory, index: tuple[int, ...]) -> slice:
    """The place of one element, checked."""
    m.check_rank(array, len(index))
    start = 0
    for i, n, s in zip(index, array.shape, array.strides, strict=True):
        if not 0 <= i < n:
            m.check_inside(array, [np.asarray([x]) for x in index])
        start += i * s
    return slice(start, start + 1)


__all__ = ["body_of", "step_of"]
