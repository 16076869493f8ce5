"""Energies of accesses, from attributes of components or from a table of Accelergy (ERT)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from isamap_smt.architectures.document import Map, read
from isamap_smt.architectures.fields import Fields
from isamap_smt.architectures.form import Level, Unread, last_name, listed, refused
from isamap_smt.architectures.timeloop_parts import Multiplier


def with_energies(
    file: str, levels: list[Level], array: Multiplier, beside: Any, ert: str | Path | None, unread: list[Unread]
) -> tuple[list[Level], float | None]:
    """The levels, and the energy of a product. Raises ArchitectureError."""
    tables: dict[str, dict[str, float]] = {}
    if beside is not None:
        tables |= _tables(Fields(file, "", Map({"ERT": beside}), unread))
    if ert is not None:
        name, data = read(ert)
        if "ERT" not in data:
            raise refused(name, "", f"keys {listed([*data])}: a table of energies stands below the key ERT")
        whole = Fields(name, "", data, unread)
        tables |= _tables(whole)
        whole.close()
    found = []
    for x in levels:
        actions = tables.pop(x.name, {})
        reads, writes = actions.get("read", x.read_energy), actions.get("write", actions.get("update", x.write_energy))
        found.append(replace(x, read_energy=reads, write_energy=writes))
    energy = tables.pop(array.name, {}).get("compute", array.energy)
    for name in tables:
        unread.append(Unread("ERT", name, "energies of a component that the machine does not have"))
    without = [x.name for x in found if x.read_energy is None or x.write_energy is None]
    if without:
        unread.append(
            Unread("", f"energy of {listed(without)}", "not said: no energies, until attributes or an ERT say them")
        )
    return found, energy


def _tables(whole: Fields) -> dict[str, dict[str, float]]:
    """Picojoules by component, by action."""
    ert = whole.inside("ERT")
    found: dict[str, dict[str, float]] = {}
    if ert is None:
        return found
    ert.take("version")
    for table in ert.items("tables"):
        name = last_name(str(table.take("name") or ""))
        for action in table.items("actions"):
            kind, energy = str(action.take("name") or ""), action.number("energy")
            arguments = action.take("arguments")
            if kind == "leak" and energy:
                action.note("energy", f"{energy:g} for {name}", "what leaks in each cycle is not counted")
            varied = isinstance(arguments, dict) and any(k in arguments for k in ("address_delta", "data_delta"))
            own = found.setdefault(name, {})
            if energy is not None and kind in own:
                if varied and energy > own[kind]:
                    own[kind] = energy  # the dearest, as where addresses and data differ
            elif energy is not None:
                own[kind] = energy
            action.close()
        table.close()
    ert.close()
    return found
