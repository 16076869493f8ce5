"""The components of Timeloop's nodes, and of its older tree, from the outside in; the mesh grows on the way."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from isamap_smt.architectures.fields import Fields
from isamap_smt.architectures.form import Mesh
from isamap_smt.architectures.timeloop_constraints import Constraints
from isamap_smt.architectures.timeloop_parts import MAC, OTHER, STORAGE, kind_of

RANGE = re.compile(r"(?P<name>[^\[]+)(\[(?P<low>\d+)\.\.(?P<high>\d+)\])?\s*")


@dataclass(frozen=True)
class Component:
    """A component with the meshes above it, its constraints, and its containers' attributes for all below them."""

    fields: Fields
    name: str
    over: tuple[str, ...]
    constraints: Constraints
    around: dict[str, Any]


def _for_all(container: Fields) -> dict[str, Any]:
    """The bits of an element, if a container gives them for all below it; its other attributes are named."""
    attributes = container.inside("attributes")
    if attributes is None:
        return {}
    found = {k: v for k in ("datawidth", "word_bits") if (v := attributes.take(k)) is not None}
    attributes.close()
    return found


class Nodes:
    """Version 0.4: !Container, !Component, !Parallel."""

    def __init__(self) -> None:
        self.meshes: list[Mesh] = []
        self.name = ""
        self.around: dict[str, Any] = {}

    def components(self, top: Fields) -> Iterator[Component]:
        """Each, from the outside in. Raises ArchitectureError."""
        yield from self._list(top, ())

    def _list(self, of: Fields, over: tuple[str, ...]) -> Iterator[Component]:
        for node in of.items("nodes"):
            if node.tag in ("!Parallel", "!Hierarchical", "!Pipelined") or "nodes" in node:
                before = len(self.meshes)
                yield from self._list(node, over)
                if len(self.meshes) != before and node.tag == "!Parallel":
                    raise node.refused(
                        "", "a mesh inside of one of several parallel branches; give all of them one mesh, above them"
                    )
                over = tuple(m.name for m in self.meshes)
                node.close()
                continue
            name = str(node.take("name") or f"node {node.path}")
            if node.take("enabled") is False:
                node.note("enabled", name, "switched off in the file")
                continue
            constraints = Constraints.of(node.inside("constraints"))
            over = (*over, *self._spread(node, name, constraints))
            if node.tag == "!Component" or (node.tag == "" and "class" in node):
                yield Component(node, name, over, constraints, dict(self.around))
                continue
            if node.tag not in ("!Container", ""):
                node.note("", f"{node.tag} {name}", "a kind of node that is not known; taken as a container")
            self.name = self.name or name
            if name.lower() in ("system", "system_top_level") or not self.name:
                self.name = ""
            self.around |= _for_all(node)
            node.take("class", "required_actions")
            node.close()

    def _spread(self, node: Fields, name: str, constraints: Constraints) -> Iterator[str]:
        spatial = node.inside("spatial")
        for key in ("meshX", "meshY") if spatial is not None else ():
            size = spatial.whole(key) if spatial is not None else None
            if size is not None and size > 1:
                mesh = f"{name}.{key}"
                self.meshes.append(Mesh(mesh, size, constraints.axes, node.path))
                yield mesh
        if spatial is not None:
            spatial.close()


class Tree:
    """Versions 0.2 and 0.3: subtrees with local components, whose names say how many there are: PE[0..15]."""

    def __init__(self, beside: Mapping[str, Constraints]) -> None:
        self.meshes: list[Mesh] = []
        self.name = ""
        self.beside = beside
        self.count, self.across = 1, 1
        self.hint: tuple[str, ...] = ()

    def components(self, top: Fields) -> Iterator[Component]:
        """Each, from the outside in. Raises ArchitectureError."""
        for node in top.items("subtree"):
            yield from self._subtree(node, 1, {})

    def _subtree(self, node: Fields, times: int, around: dict[str, Any]) -> Iterator[Component]:
        name, own = self._named(node)
        if times == 1 and own == 1 and name.lower() not in ("system", "system_arch", "system_top_level"):
            self.name = self.name or name
        around = {**around, **_for_all(node)}
        times *= own
        for local in node.items("local"):
            part, many = self._named(local)
            if local.take("enabled") is False:
                local.note("enabled", part, "switched off in the file")
                continue
            constraints = self.beside.get(part, Constraints())
            kind = kind_of(local)
            if kind in (STORAGE, MAC) or (kind == OTHER and times * many > self.count):
                self._grow(local, part, times * many)
            local.take("required_actions")
            yield Component(local, part, tuple(m.name for m in self.meshes), constraints, around)
            self.hint = constraints.axes or self.hint
        branches = list(node.items("subtree"))
        for n, branch in enumerate(branches):
            if n:
                branch.note("", str(branch.take("name")), "a second branch of the tree; the first one is the machine")
                continue
            yield from self._subtree(branch, times, around)
        node.close()

    @staticmethod
    def _named(node: Fields) -> tuple[str, int]:
        text = str(node.take("name") or "")
        found = RANGE.fullmatch(text)
        if found is None:
            raise node.refused("name", f"{text!r}: write a name, or a name with a range, such as PE[0..15]")
        low, high = found["low"], found["high"]
        count = 1 if low is None else int(high) - int(low) + 1
        if count < 1:
            raise node.refused("name", f"{text!r}: the range holds nothing; write the first and the last number")
        return found["name"].strip(), count

    def _grow(self, node: Fields, name: str, count: int) -> None:
        """If a component is more numerous than those above it, the mesh grows, by columns and by rows.

        Raises ArchitectureError if the number below each of those above differs.
        """
        raw = node.data.get("attributes")
        said = Fields(node.file, node.at("attributes"), raw if isinstance(raw, dict) else {}, [])
        instances, mesh = said.whole("instances"), said.whole("meshX")
        count = instances if instances and count == 1 else count
        if count == self.count:
            return
        across = mesh if mesh else max(count // max(self.count // self.across, 1), 1)
        if (
            count % self.count
            or across % self.across
            or count % across
            or (count // across) % (self.count // self.across)
        ):
            raise node.refused(
                "", f"there are {count} of {name}, {across} across, and {self.count} of what stands above, {self.across} across; "
                "each needs the same number below it"
            )  # fmt: skip
        columns, rows = across // self.across, (count // across) // (self.count // self.across)
        self.count, self.across = count, across
        for key, size in (("meshX", columns), ("meshY", rows)):
            if size > 1:
                self.meshes.append(Mesh(f"{name}.{key}", size, self.hint, node.path))
