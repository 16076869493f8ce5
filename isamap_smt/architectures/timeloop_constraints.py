"""Timeloop's constraints: the operands kept by a memory, the axes taken by a mesh. The others are named."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from isamap_smt.architectures.fields import Fields
from isamap_smt.architectures.form import ACC, OPERANDS, A, B, last_name, listed

DATASPACES = {
    **dict.fromkeys(("inputs", "input", "activations", "ifmap", "a", "i"), A),
    **dict.fromkeys(("weights", "weight", "filters", "filter", "b", "w"), B),
    **dict.fromkeys(("outputs", "output", "psums", "ofmap", "z", "o"), ACC),
}
LAYER = {**dict.fromkeys("MK", "j"), **dict.fromkeys("CRS", "k"), **dict.fromkeys("NPQG", "i")}
_FACTOR = re.compile(r"([A-Z]\w*)\s*=\s*(-?\d+)")
LOOPS = "loops are the schedule's to choose; pin them with --fix"


@dataclass(frozen=True)
class Constraints:
    """keep, bypass: operands, None if nothing is said. axes: those a mesh may take; empty: any."""

    keep: tuple[str, ...] | None = None
    bypass: tuple[str, ...] = ()
    axes: tuple[str, ...] = ()

    @staticmethod
    def of(fields: Fields | None) -> Constraints:
        """Of a node of version 0.4. Raises ArchitectureError."""
        if fields is None:
            return Constraints()
        axes: tuple[str, ...] = ()
        space = fields.inside("dataspace")
        keep: tuple[str, ...] | None = None
        bypass: tuple[str, ...] = ()
        if space is not None:
            keep, bypass = _spaces(space)
            space.close()
        spatial = fields.inside("spatial")
        if spatial is not None:
            axes = spatial_axes(spatial)
        fields.leave("temporal", LOOPS)
        fields.close()
        return Constraints(keep, bypass, axes)

    def holds(self) -> tuple[str, ...]:
        """The operands kept by a memory: those named, else all but those bypassing it."""
        kept = OPERANDS if self.keep is None else self.keep
        return tuple(o for o in OPERANDS if o in kept and o not in self.bypass)

    @property
    def open(self) -> tuple[str, ...]:
        """Operands neither kept nor bypassed, if the file names some to keep."""
        return () if self.keep is None else tuple(o for o in OPERANDS if o not in self.keep and o not in self.bypass)


def _spaces(fields: Fields) -> tuple[tuple[str, ...] | None, tuple[str, ...]]:
    keep = fields.words("keep", "keep_only")
    bypass = fields.words("bypass")
    return None if keep is None else _operands(fields, keep), _operands(fields, bypass or [])


def _operands(fields: Fields, names: Iterable[str]) -> tuple[str, ...]:
    found = []
    for name in names:
        operand = DATASPACES.get(name.lower())
        if operand is None:
            raise fields.refused(
                "", f"dataspace {name!r}: those known are Inputs (A), Weights (B) and Outputs (Z); call it one of them"
            )
        found.append(operand)
    return tuple(dict.fromkeys(found))


def spatial_axes(fields: Fields) -> tuple[str, ...]:
    """The axes of a product allowed to a mesh by its factors; the rest is named."""
    axes: tuple[str, ...] = ()
    for key in ("factors", "factors_only"):
        value = fields.data.get(key)
        if value is None:
            continue
        fields.take(key)
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        factors = {n: int(v) for n, v in _FACTOR.findall(text)}
        taken = [n for n, v in factors.items() if v != 1]
        free = (
            taken or [] if key == "factors_only" else taken or [n for n in LAYER if n not in factors and n not in "KG"]
        )
        found = tuple(dict.fromkeys(LAYER[n] for n in free if n in LAYER))
        axes = axes or (() if set(found) == {"i", "j", "k"} else found)
        fields.note(key, text, f"the mesh takes one axis, of {listed(found) or 'none that is known'}")
    if (dims := fields.data.get("maximize_dims")) is not None:
        fields.take("maximize_dims")
        named = re.findall(r"\b[A-Z]\b", str(dims))
        found = tuple(dict.fromkeys(LAYER[n] for n in named if n in LAYER))
        axes = axes or (() if set(found) == {"i", "j", "k"} else found)
        fields.note(
            "maximize_dims", listed(named), f"the mesh takes one axis, of {listed(found) or 'none that is known'}"
        )
    fields.leave("permutation", "the order of factors in a mesh has no part here")
    fields.leave("split", "which factors go along which side of a mesh is for unroll=... to say")
    fields.close()
    return axes


def targets_of(whole: Fields, key: str) -> dict[str, Constraints]:
    """Constraints beside the architecture, by component. Raises ArchitectureError."""
    found: dict[str, Constraints] = {}
    if key not in whole:
        return found
    value = whole.data[key]
    holder = Fields(whole.file, "", {key: value}, whole.unread) if isinstance(value, list) else whole.inside(key)
    whole.take(key)
    if holder is None:
        return found
    for target in holder.items(key if isinstance(value, list) else "targets"):
        name, kind = str(target.take("target", "name") or ""), str(target.take("type") or "")
        name = last_name(name)
        before = found.get(name, Constraints())
        if kind in ("bypass", "bypassing", "dataspace", "datatype"):
            keep, bypass = _spaces(target)
            found[name] = Constraints(keep if keep else before.keep, bypass or before.bypass, before.axes)
        elif kind == "spatial":
            found[name] = Constraints(before.keep, before.bypass, spatial_axes(target) or before.axes)
        else:
            target.note("", f"{kind or 'a constraint'} of {name} ({listed([*target.left])})", LOOPS)
            continue
        target.close()
    if not isinstance(value, list):
        holder.close()
    return found
