"""Where the configurations of engines stand: Program -> Program, before the proof.

A use needs an image of a state's cells. A write of an image stands as far outside as possible: its values are known
there, and its set holds no other image before the uses. This is in front of a whole loop nest, or inside a loop if the
values depend on its variable, or if two images take turns in it. Images needed in the innermost loops get sets of their
own first. A use that needs some cells alone shares the image of one that needs these and more. Nothing of it is trusted:
the claim `configuration` finds the writes that reach each use.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import sympy as sp

from isamap_smt.ir.engine_states import needed_cells
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import IMin, symbols_of
from isamap_smt.ir.hardware import Hardware, Memory
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.program import AnyLoop, Command, Configure, If, Loop, Node, Program, Ref
from isamap_smt.ir.traversal import map_bodies, map_nodes, nodes_of, walk

Nodes = tuple[Node, ...]
Image = tuple[Any, ...]


def engines_configured(program: Program, machine: Hardware) -> Program:
    """The program of one phase, with writes of the states its uses need. Raises ScheduleError."""
    for memory in (m for m in machine.memories if m.is_state):
        program = replace(program, body=_Placing(program, machine, memory).body())
    return program


@dataclass(frozen=True)
class _Placing:
    """The writes of one state."""

    program: Program
    machine: Hardware
    memory: Memory

    def body(self) -> Nodes:
        sets = self._sets()
        body = self.program.body
        for number in sorted(set(sets.values())):
            body = self._placed(body, frozenset(), number, {i for i, n in sets.items() if n == number}, None)[0]
        return self._named(body, sets)

    def _image(self, node: Node) -> Image | None:
        """The cells of the state as a use finds them; None if it needs none."""
        needed = self._needed(node)
        return None if needed is None else self._whole[needed]

    @cached_property
    def _whole(self) -> dict[Image, Image]:
        """Cells needed by a use -> an image with all of them: of a use with more needs if they agree, else with zeros."""
        depths: dict[Image, int] = {}
        for node, around in walk(self.program.body):
            if (needed := self._needed(node)) is not None:
                depths[needed] = max(len(around), depths.get(needed, 0))
        found: dict[Image, Image] = {}
        for needed in sorted(depths, key=lambda n: (n.count(None), -depths[n])):
            alike = (
                whole for whole in found.values() if all(a in (None, b) for a, b in zip(needed, whole, strict=True))
            )
            found[needed] = next(alike, tuple(sp.S.Zero if cell is None else cell for cell in needed))
        return found

    def _needed(self, node: Node) -> Image | None:
        """The cells of the state needed by a use, None for those that it does not need; None if it needs none."""
        if not isinstance(node, Command) or all(n.memory != self.memory.name for n in node.instruction.cells_needed):
            return None
        shapes = {t.name: t.shape for t in self.program.kernel.tensors}
        cells = needed_cells(node, shapes)[self.memory.name]
        found = (cells.get(n) for n in range(int(self._write.kernel.axes[0].extent)))
        return tuple(_inside(e, shapes[e.name]) if isinstance(e, Ref) else e for e in found)

    @property
    def _write(self) -> Instruction:
        found = self.machine.writing(self.memory.name)
        if found is None:
            raise ScheduleError(f"{self.machine.name}: nothing writes {self.memory.name}")
        return found

    def _images(self, body: Nodes) -> Iterator[tuple[Image, int]]:
        """(image, number of loops around) of each use that needs one."""
        for node, around in walk(body):
            if (image := self._image(node)) is not None:
                yield image, len(around)

    def _sets(self) -> dict[Image, int]:
        """Image -> its set; all images left over share the last one."""
        depths: dict[Image, int] = {}
        for image, depth in self._images(self.program.body):
            depths[image] = max(depth, depths.get(image, 0))
        first = sorted(depths, key=lambda i: -depths[i])
        return {image: min(n, self.memory.count - 1) for n, image in enumerate(first)}

    def _placed(
        self, body: Nodes, known: frozenset[str], number: int, own: set[Image], held: Image | None
    ) -> tuple[Nodes, Image | None]:
        """The body with its writes, and the image held behind it. known: variables of outer loops. held: the image before."""
        found: list[Node] = []
        for node in body:
            needed = [i for i, _ in self._images((node,)) if i in own]
            if not needed:
                found.append(node)
                continue
            if len(set(needed)) == 1 and self._bound(needed[0]) <= known:
                if held != needed[0]:
                    found.append(Configure(self._write, needed[0], ((self.memory.name, number),)))
                found.append(node)
                held = needed[0]
                continue
            assert isinstance(node, Loop | If)
            found.append(self._within(node, known, number, own))
            held = None
        return tuple(found), held

    def _within(self, node: AnyLoop | If, known: frozenset[str], number: int, own: set[Image]) -> Node:
        inside = known | ({node.var.name, node.number.name} if isinstance(node, Loop) else frozenset())
        return map_bodies(node, lambda body: self._placed(body, inside, number, own, None)[0])

    def _bound(self, image: Image) -> set[str]:
        """The loop variables in its values."""
        loops = nodes_of(Loop, self.program.body)
        names = {e.name for x in loops for e in (x.var, x.number)}
        return names & symbols_of(e for cell in image for e in (cell.index if isinstance(cell, Ref) else (cell,)))

    def _named(self, body: Nodes, sets: dict[Image, int]) -> Nodes:
        """The body, whose uses name their sets."""

        def named(node: Node) -> Node:
            if not isinstance(node, Command) or (image := self._image(node)) is None:
                return node
            return replace(node, sets=(*node.sets, (self.memory.name, sets[image])))

        return map_nodes(body, named)


def _inside(element: Ref, shape: Sequence[Any]) -> Ref:
    """The element, with indices clamped to the tensor: no use is active beyond its end."""
    pairs = zip(element.index, shape, strict=True)
    return replace(element, index=tuple(IMin(i, n - 1) if symbols_of([i]) else i for i, n in pairs))


__all__ = ["engines_configured"]
