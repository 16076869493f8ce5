"""Timeloop's architectures: version 0.4, a list of nodes, each above the next; and 0.2 and 0.3, a tree of local components.

In both, components are gone through from the outside in, and the mesh grows on the way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from isamap_smt.architectures.document import Tagged, number_of, read
from isamap_smt.architectures.energies import with_energies
from isamap_smt.architectures.fields import Fields
from isamap_smt.architectures.form import ACC, A, Architecture, B, Level, Mesh, Unread, integer_type, listed, refused
from isamap_smt.architectures.settings import Settings, settle
from isamap_smt.architectures.timeloop_constraints import Constraints, targets_of
from isamap_smt.architectures.timeloop_parts import (
    MAC,
    NETWORK,
    OTHER,
    STORAGE,
    Multiplier,
    kind_of,
    multiplier,
    storage,
)
from isamap_smt.architectures.types import typed

RANGE = re.compile(r"(?P<name>[^\[]+)(\[(?P<low>\d+)\.\.(?P<high>\d+)\])?\s*")
BESIDE = ("architecture_constraints", "mapspace_constraints", "constraints")


def is_timeloop(data: Mapping[str, Any]) -> bool:
    """Whether these keys are those of an architecture of Timeloop."""
    return "architecture" in data


@dataclass(frozen=True)
class Component:
    """A component with the meshes above it, what constrains it, and what containers say for all below them."""

    fields: Fields
    name: str
    over: tuple[str, ...]
    constraints: Constraints
    around: dict[str, Any]


def timeloop_architecture(
    source: str | Path, dtypes: Mapping[str, str] | None, values: Mapping[str, int], ert: str | Path | None
) -> Architecture:
    """What the file says. Raises ArchitectureError."""
    file, data = read(source)
    if not is_timeloop(data):
        raise refused(
            file, "", f"keys {listed([*data])}: an architecture of Timeloop stands below the key architecture"
        )
    if isinstance(data["architecture"], Tagged):
        tag = data["architecture"].tag
        raise refused(
            file,
            "architecture",
            f"{tag} {data['architecture']}: other files are not included; pass the file that it names",
        )
    settle(file, _adjustable(data["architecture"]), values)
    unread: list[Unread] = []
    whole = Fields(file, "", data, unread)
    top = whole.required("architecture")
    version = top.take("version")
    if (number_of(version) or 0.4) > 0.4:
        top.note("version", str(version), "read as 0.4, the newest that is known here")
    beside = {n: c for key in BESIDE for n, c in targets_of(whole, key).items()}
    tables = whole.take("ERT")
    walk = _Nodes() if "nodes" in top else _Tree(beside)
    components = list(walk.components(top))
    top.close()
    for key in list(whole.left):
        whole.leave(key, "no part of an architecture: kernels, mappings and estimates are this project's own")
    levels, array = _levels(file, components, unread)
    meshes = tuple(m for m in walk.meshes if m.size > 1)
    known = {m.name for m in meshes}
    levels = [replace(x, over=tuple(o for o in x.over if o in known)) for x in levels]
    types = _types(file, levels, array, dtypes, unread)
    levels, energy = with_energies(file, levels, array, tables, ert, unread)
    return Architecture(
        walk.name or Path(file).stem,
        file,
        "Timeloop",
        tuple(levels),
        meshes,
        tuple(types.items()),
        energy,
        tuple(unread),
    )


def _levels(file: str, components: list[Component], unread: list[Unread]) -> tuple[list[Level], Multiplier]:
    """Storage from the outside in, and the multiplier."""
    found: list[Level] = []
    array: Multiplier | None = None
    for c in components:
        kind = kind_of(c.fields)
        if kind == STORAGE:
            level = storage(c.fields, c.name, c.over, c.constraints, main=not found, around=c.around)
            if level is not None:
                found.append(level)
        elif kind == MAC:
            if array is not None:
                c.fields.note("", c.name, f"a second kind of multiplier; products are computed by {array.name}")
                continue
            array = multiplier(c.fields, c.name)
        else:
            _leave(c, kind)
    if array is None:
        raise refused(file, "architecture", "no component multiplies; add one of the class intmac or fpmac")
    if not found:
        raise refused(
            file, "architecture", "no component stores; the outermost one is main memory, such as one of the class DRAM"
        )
    main = found[0]
    if missing := [o for o in (A, B, ACC) if o not in main.holds]:
        raise refused(
            file,
            main.path,
            f"{main.name} is the outermost memory and does not keep {listed(missing)}; all tensors lie there",
        )
    return found, array


def _leave(c: Component, kind: str) -> None:
    """A component that is neither is named, with what is said of it."""
    dummy = "dummy" in f"{c.name} {c.fields.data.get('class')}".lower()
    why = "a dummy; its mesh alone is taken" if dummy else "a class that is not known; left out"
    if kind == NETWORK:
        why = "a network; moves take as long as the memories at both ends"
    attributes = c.fields.take("attributes")
    said = [str(k) for k in attributes] if isinstance(attributes, dict) else []
    c.fields.note("class", listed([c.name, str(c.fields.take("class", "subclass")), *said]), why)
    c.fields.close()


def _types(
    file: str, levels: list[Level], array: Multiplier, given: Mapping[str, str] | None, unread: list[Unread]
) -> dict[str, str]:
    """Of each operand as the innermost memory has it, else as the multiplier takes it."""
    bits: dict[str, int] = {}
    for o in (A, B, ACC):
        words = [x.word for x in levels if o in x.holds and x.word]
        bits[o] = words[-1] if words else (array.sums if o == ACC else array.bits) or 8
    bits[ACC] = max(bits.values()) if array.sums is None else max(*bits.values(), array.sums)
    known = {}
    for o, n in bits.items():
        if array.is_float:
            kind = {16: "f16", 32: "f32", 64: "f64"}.get(n)
            if kind is None and o not in (given or {}):
                raise refused(
                    file, array.path, f"floating point of {n} bits for {o}: say the type, dtypes={{'{o}': 'bf16'}}"
                )
            known[o] = kind or "f32"
        else:
            known[o] = integer_type(n)
            if known[o] != f"i{n}" and o not in (given or {}):
                unread.append(
                    Unread(array.path, f"{o} of {n} bits", f"elements of {known[o]} here, the next that there is")
                )
    return typed(known, given, file)


def _adjustable(top: Any) -> Settings:
    """name -> (mapping, key) of every number of a component, as NAME_ATTRIBUTE; and of meshes."""
    found: Settings = {}

    def visit(node: Any) -> None:
        if isinstance(node, list):
            for n in node:
                visit(n)
        if not isinstance(node, dict):
            return
        name = str(node.get("name", "")).partition("[")[0]
        for part in ("attributes", "spatial"):
            inner = node.get(part)
            for key, value in inner.items() if isinstance(inner, dict) and name else ():
                if type(value) is int:
                    found.setdefault(re.sub(r"\W", "_", f"{name}_{key}"), (inner, key))
        for key in ("nodes", "local", "subtree"):
            visit(node.get(key))

    visit(top)
    return found


def _for_all(container: Fields) -> dict[str, Any]:
    """The bits of an element, where a container says them for all below it; its other attributes are named."""
    attributes = container.inside("attributes")
    if attributes is None:
        return {}
    found = {k: v for k in ("datawidth", "word_bits") if (v := attributes.take(k)) is not None}
    attributes.close()
    return found


class _Nodes:
    """Version 0.4: !Container, !Component, !Parallel."""

    def __init__(self) -> None:
        self.meshes: list[Mesh] = []
        self.name = ""
        self.around: dict[str, Any] = {}

    def components(self, top: Fields) -> Iterator[Component]:
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


class _Tree:
    """Versions 0.2 and 0.3: subtrees with local components, whose names say how many there are: PE[0..15]."""

    def __init__(self, beside: Mapping[str, Constraints]) -> None:
        self.meshes: list[Mesh] = []
        self.name = ""
        self.beside = beside
        self.count, self.across = 1, 1
        self.hint: tuple[str, ...] = ()

    def components(self, top: Fields) -> Iterator[Component]:
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
        """Where there are more of a component than of those above it, the mesh has grown, by columns and by rows."""
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


__all__ = ["is_timeloop", "timeloop_architecture"]
