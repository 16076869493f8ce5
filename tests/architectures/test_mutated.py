"""Files with values changed, left out or twice: a machine comes out of each, or an error that names the file."""

from __future__ import annotations

import random

import pytest
import yaml

import isamap_smt as im
from tests.architectures.shown import NAMES, example

VALUES = [
    ("int", "0"), ("int", "-3"), ("int", "7"), ("int", "1000000"), ("float", "2.5"), ("float", ".inf"), ("float", ".nan"),
    ("str", "x"), ("str", ""), ("null", "null"), ("bool", "true"), ("str", "1e400"),
]  # fmt: skip


def every(node: yaml.Node) -> list[yaml.Node]:
    """A node and all below it."""
    below = node.value if isinstance(node, yaml.SequenceNode | yaml.MappingNode) else []
    return [node, *(x for inner in below for x in every(inner[1] if isinstance(inner, tuple) else inner))]


def scalar(draw: random.Random) -> yaml.ScalarNode:
    kind, text = draw.choice(VALUES)
    return yaml.ScalarNode(f"tag:yaml.org,2002:{kind}", text, style="'" if kind == "str" else None)


def change(draw: random.Random, root: yaml.Node) -> None:
    """One value becomes another, or one entry is left out, replaced, or in a list stands twice."""
    node = draw.choice([n for n in every(root) if n.value])
    if isinstance(node, yaml.ScalarNode):
        other = scalar(draw)
        node.tag, node.value, node.style = other.tag, other.value, other.style
        return
    at, entry = draw.randrange(len(node.value)), scalar(draw)
    how = draw.choice(("left out", "replaced", "twice"))
    if how == "left out":
        del node.value[at]
    elif how == "replaced":
        node.value[at] = (node.value[at][0], entry) if isinstance(node, yaml.MappingNode) else entry
    else:
        node.value.append(node.value[at])


@pytest.mark.parametrize("name", NAMES)
def test_nothing_else_is_raised(name: str) -> None:
    draw, made, refused = random.Random(name), 0, 0
    for _ in range(60):
        root = yaml.compose(example(name).read_text())
        for _ in range(draw.choice((1, 1, 2))):
            change(draw, root)
        try:
            im.from_architecture(yaml.serialize(root) + "\n#\n")
            made += 1
        except im.IsamapError as error:
            assert "text: " in str(error)
            refused += 1
    assert made > 5 and refused > 5
