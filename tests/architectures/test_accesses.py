"""What a product reads from a level at the array, gone through step by step in every instance."""

from __future__ import annotations

from itertools import product

import pytest

import isamap_smt as im
from isamap_smt.architectures.choice import place
from isamap_smt.architectures.form import AXES, INDEXED
from isamap_smt.architectures.machine import machine_from
from isamap_smt.architectures.zigzag import zigzag_architecture

FILE = """\
name: small
operational_array: {{dimensions: [D1, D2], sizes: [2, 3], input_precision: [8, 8]}}
dataflows: {{D1: ["{0}, 2"], D2: ["{1}, 3"]}}
memories:
  ra: {{size: 8, r_bw: 8, w_bw: 8, latency: 0, operands: [I1], served_dimensions: {2}}}
  rb: {{size: 8, r_bw: 8, w_bw: 8, latency: 0, operands: [I2], served_dimensions: {3}}}
  rc: {{size: 8, r_bw: 8, w_bw: 8, latency: 0, operands: [O], served_dimensions: {4}}}
  sram: {{size: 80000, r_bw: 64, w_bw: 64, latency: 0, operands: [I1, I2, O], served_dimensions: [D1, D2]}}
  dram: {{size: 80000, r_bw: 64, w_bw: 64, latency: 0, operands: [I1, I2, O], served_dimensions: [D1, D2]}}
"""
SERVED = ("[]", "[D1]", "[D2]", "[D1, D2]")
CASES = [(a, b, *s) for a, b in (("K", "C"), ("OX", "K"), ("C", "OX"), ("K", "K")) for s in product(SERVED, repeat=3)][
    ::7
]


def in_steps(extents: dict[str, int], axes: dict[str, str], over: tuple[str, ...], operand: str) -> int:
    """Elements that all instances of a level read: in each step those that their multipliers take, less what they took before."""
    sizes = {"D1": 2, "D2": 3}
    across = dict.fromkeys(AXES, 1)
    for mesh, axis in axes.items():
        across[axis] *= sizes[mesh]
    turns = {a: extents[a] // across[a] for a in AXES}
    inner = max(turns, key=lambda a: turns[a])
    order = [a for a in AXES if a != inner] + [inner]
    before: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
    total = 0
    for step in product(*(range(turns[a]) for a in order)):
        at = dict(zip(order, step, strict=True))
        needed: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
        for places in product(*(range(n) for n in sizes.values())):
            where = dict(zip(sizes, places, strict=True))
            point = dict(at)
            for a in AXES:
                digit = 0
                for mesh in (m for m in axes if axes[m] == a):
                    digit = digit * sizes[mesh] + where[mesh]
                point[a] = at[a] * across[a] + digit
            instance = tuple(where[m] for m in over)
            needed.setdefault(instance, set()).add(tuple(point[a] for a in INDEXED[operand]))
        total += sum(len(v) for k, v in needed.items() if before.get(k) != v)
        before = needed
    return total


@pytest.mark.parametrize("case", CASES, ids=["-".join(c) for c in CASES])
def test_each_step_of_the_array(case: tuple[str, ...]) -> None:
    architecture = zigzag_architecture(FILE.format(*case), None, {})
    placed = place(architecture, None, dict.fromkeys(AXES, 4) if case[0] != case[1] else None)
    machine = machine_from(architecture, in_time=dict.fromkeys(AXES, 4) if case[0] != case[1] else None)
    assert isinstance(machine, im.ReadMachine)
    for c in machine.counted:
        way = placed.ways[c.operand]
        level = (way.inside or (way.own,))[-1]
        if c.level == level.name:
            found = in_steps(dict(placed.extents), dict(placed.axes), level.over, c.operand)
            assert c.read == found, (c, placed.extents, placed.axes)
