"""What a file says and the machine does not have is named, with its place."""

from __future__ import annotations

import pytest
import yaml

import isamap_smt as im
from tests.architectures.shown import NAMES, example


def said(machine: im.ReadMachine) -> str:
    return "\n".join(map(str, machine.unread))


def test_networks_classes_loops_and_other_parts_of_the_file() -> None:
    text = said(im.from_timeloop(example("weight_stationary")))
    assert "local[bus].class: bus, XY_NoC, datawidth: a network" in text
    assert (
        "architecture_constraints.targets[3]: temporal of scratchpad (permutation): loops are the schedule's to choose"
        in text
    )
    more = example("eyeriss_like").read_text() + "sparse_optimizations: {targets: []}\nmapper: {algorithm: random}\n"
    text = said(im.from_timeloop(more))
    assert "sparse_optimizations: targets: no part of an architecture" in text and "mapper: algorithm" in text
    assert "attributes: technology: physical figures" in text


@pytest.mark.parametrize("name", NAMES)
def test_a_key_that_nobody_knows_is_named_wherever_it_stands(name: str) -> None:
    """One more key in each mapping of the file in turn, but where keys are names."""
    whole = yaml.compose(example(name).read_text())

    def mappings(node: yaml.Node, path: tuple[str, ...]) -> list[tuple[yaml.MappingNode, tuple[str, ...]]]:
        if isinstance(node, yaml.SequenceNode):
            return [x for n, inner in enumerate(node.value) for x in mappings(inner, (*path, str(n)))]
        if not isinstance(node, yaml.MappingNode):
            return []
        inner = [x for k, v in node.value for x in mappings(v, (*path, k.value))]
        return [(node, path), *inner]

    for node, path in mappings(whole, ()):
        if path == ("memories",):
            continue  # its keys are names
        node.value.append(
            (yaml.ScalarNode("tag:yaml.org,2002:str", "unheard_of"), yaml.ScalarNode("tag:yaml.org,2002:int", "1"))
        )
        changed = yaml.serialize(whole)
        node.value.pop()
        assert "unheard_of" in said(im.from_architecture(changed)), path


def test_levels_that_are_passed_by_or_taken_into_the_array() -> None:
    text = example("tpu_like").read_text()
    between = """\
  buffer:
    size: 2097152
    r_bw: 512
    w_bw: 512
    r_cost: 60
    w_cost: 60
    area: 0
    latency: 1
    operands: [I1, I2]
    served_dimensions: [D1, D2]
  more:
    size: 16777216
    r_bw: 512
    w_bw: 512
    r_cost: 60
    w_cost: 60
    area: 0
    latency: 1
    operands: [I1]
    served_dimensions: [D1, D2]
  dram:
"""
    machine = im.from_zigzag(text.replace("  dram:\n", between))
    found = said(machine)
    assert "memories.buffer: holds a: passed by: a stops at more, sram alone on its way" in found
    assert "memories.column_sum: holds acc: taken as a part of the array" in found
    assert machine.instruction("move_b").engine == "from_buffer"
    plan = im.plan("gemm", machine, sizes={"i": 32, "j": 32, "k": 32})
    assert plan.proof.word == "proved" and plan.traffic().of("more", "A").writes


def test_names_of_memories_say_what_they_hold_where_no_constraint_does() -> None:
    text = (
        example("weight_stationary")
        .read_text()
        .split("architecture_constraints")[0]
        .replace("accumulator", "psum_accumulator")
    )
    machine = im.from_timeloop(text.replace("name: weight\n", "name: weight_reg\n"))
    assert "psum_accumulator: keeps acc alone, as its name says" in said(machine)
    assert dict(machine.instruction("product").places)["b"] == "weight_reg"


def test_energies_come_from_a_table_too() -> None:
    actions = "{name: read, energy: 2}, {name: write, energy: 3}, {name: leak, energy: 0.1}"
    names = ("dram", "scratchpad", "accumulator", "weight", "other")
    tables = [f"{{name: 'system.{n}[1..4]', actions: [{actions}]}}" for n in names]
    tables.append("{name: 'x.mac[1..256]', actions: [{name: compute, energy: 4}]}")
    ert = f"ERT:\n  version: 0.4\n  tables: [{', '.join(tables)}]\n"
    machine = im.from_timeloop(example("weight_stationary"), ert=ert)
    assert machine.compute_energy == 4
    assert "ERT: other: energies of a component that the machine does not have" in said(machine)
    assert "what leaks in each cycle is not counted" in said(machine)
    t = im.plan("gemm", machine, sizes={"i": 16, "j": 16, "k": 16}).traffic()
    a = t.of("scratchpad", "A")
    assert a.energy == pytest.approx((a.read_accesses * 2 + a.write_accesses * 3) * 8 / 128)
    assert t.energy is not None
    beside = im.from_timeloop(example("weight_stationary").read_text() + ert)
    assert beside.compute_energy == 4
