"""Timeloop's architectures: version 0.4, a list of nodes, each above the next; and 0.2 and 0.3, a tree of local components.

Their components are gone through by isamap_smt.architectures.timeloop_walk.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from isamap_smt.architectures.document import Tagged, number_of, read
from isamap_smt.architectures.energies import with_energies
from isamap_smt.architectures.fields import Fields
from isamap_smt.architectures.form import ACC, A, Architecture, B, Level, Unread, integer_type, listed, refused
from isamap_smt.architectures.settings import Settings, settle
from isamap_smt.architectures.timeloop_constraints import targets_of
from isamap_smt.architectures.timeloop_parts import (
    MAC,
    NETWORK,
    STORAGE,
    Multiplier,
    kind_of,
    multiplier,
    storage,
)
from isamap_smt.architectures.timeloop_walk import Component, Nodes, Tree
from isamap_smt.architectures.types import typed

BESIDE = ("architecture_constraints", "mapspace_constraints", "constraints")


def is_timeloop(data: Mapping[str, Any]) -> bool:
    """Whether these keys are those of an architecture of Timeloop."""
    return "architecture" in data


def timeloop_architecture(
    source: str | Path, dtypes: Mapping[str, str] | None, values: Mapping[str, int], ert: str | Path | None
) -> Architecture:
    """The architecture in the file. Raises ArchitectureError."""
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
    walk = Nodes() if "nodes" in top else Tree(beside)
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
    """Name a component that is neither memory nor multiplier, with its attributes."""
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


__all__ = ["is_timeloop", "timeloop_architecture"]
