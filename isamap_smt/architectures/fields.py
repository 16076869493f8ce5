"""The keys of one mapping of a file: some are read, and the others are named."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from isamap_smt.architectures.document import Map, number_of
from isamap_smt.architectures.form import ArchitectureError, Unread, listed, refused

PHYSICAL = {
    "technology", "global_cycle_seconds", "area", "n_banks", "n_buffets", "n_ports", "n_rdwr_ports", "n_rd_ports", "n_wr_ports",
    "type", "mem_type", "update_fifo_depth", "has_power_gating", "power_gated_at", "latency_cycles", "unit_area", "multiplier_area",
    "cell_config", "min_r_granularity", "min_w_granularity", "n_rdports", "n_wrports", "action_latency_cycles", "leak_energy",
}  # fmt: skip


FINITE = 1e18


class Fields:
    """A mapping read key by key. `-` and `_` in keys are the same."""

    def __init__(self, file: str, path: str, data: Any, unread: list[Unread]) -> None:
        if not isinstance(data, dict):
            raise refused(file, path, f"{_short(data)} stands where keys are expected")
        self.file, self.path, self.unread = file, path, unread
        self.data = {str(k).replace("-", "_"): v for k, v in data.items()}
        self.said = {str(k).replace("-", "_"): str(k) for k in data}
        self.left = dict.fromkeys(self.data)
        self.tag = data.tag if isinstance(data, Map) else ""

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def at(self, key: str) -> str:
        """The path of a key."""
        return f"{self.path}.{self.said.get(key, key)}" if self.path else self.said.get(key, key)

    def take(self, *keys: str) -> Any:
        """The value of the first of these keys present, or None. All of them are read."""
        found = [k for k in keys if k in self.data]
        for k in found:
            self.left.pop(k, None)
        return self.data[found[0]] if found else None

    def number(self, *keys: str, low: float = 0.0, most: float = FINITE) -> float | None:
        """The same for a number from `low` to `most`. Raises ArchitectureError for any other value."""
        key = next((k for k in keys if k in self.data), None)
        if key is None:
            return None
        value = self.take(*keys)
        if value is None:
            return None
        found = number_of(value)
        if found is None or not low <= found <= most:
            what = f"{_short(value)} is no number from {low:g} on"
            raise self.refused(key, f"{what}; write one (expressions and variables are not evaluated here)")
        return found

    def rate(self, *keys: str) -> float | None:
        """The same for a bandwidth; None if it is infinite."""
        found = self.number(*keys, most=math.inf)
        return None if found == math.inf else found

    def whole(self, *keys: str, low: int = 1) -> int | None:
        """The same for a whole number."""
        found = self.number(*keys, low=low)
        if found is None:
            return None
        if found != int(found) or found > 1 << 50:
            key = next(k for k in keys if k in self.data)
            raise self.refused(key, f"{found} is no whole number; write one")
        return int(found)

    def words(self, *keys: str) -> list[str] | None:
        """The same for a list of words; one word is a list of one."""
        value = self.take(*keys)
        if value is None:
            return None
        if isinstance(value, str):
            return [w for w in value.replace(",", " ").split() if w]
        if isinstance(value, list) and all(isinstance(w, str) for w in value):
            return [str(w).strip() for w in value]
        key = next(k for k in keys if k in self.data)
        raise self.refused(key, f"{_short(value)} stands where a list of words is expected")

    def inside(self, key: str) -> Fields | None:
        """The mapping below a key, or None."""
        value = self.take(key)
        return None if value is None else Fields(self.file, self.at(key), value, self.unread)

    def required(self, key: str) -> Fields:
        """The same. Raises ArchitectureError if nothing is there."""
        found = self.inside(key)
        if found is None:
            raise self.refused(key, "nothing stands here, where keys are expected")
        return found

    def items(self, key: str) -> Iterator[Fields]:
        """The mappings in the list below a key. Raises ArchitectureError for another value."""
        value = self.take(key)
        if value is None:
            return
        if not isinstance(value, list):
            raise self.refused(key, f"{_short(value)} stands where a list is expected")
        for n, item in enumerate(value):
            name = str(item.get("name") or "").partition("[")[0].strip() if isinstance(item, dict) else ""
            yield Fields(self.file, f"{self.at(key)}[{name or n}]", item, self.unread)

    def inherit(self, given: dict[str, Any]) -> None:
        """Give missing keys the values of the containers around."""
        for key, value in given.items():
            self.data.setdefault(key, value)

    def leave(self, key: str, why: str) -> None:
        """Name a present key as left out."""
        if key in self.left:
            self.note(key, _short(self.take(key)), why)

    def note(self, key: str, what: str, why: str) -> None:
        """Something is named."""
        self.unread.append(Unread(self.at(key) if key else self.path, what, why))

    def refused(self, key: str, what: str) -> ArchitectureError:
        """The error for a fault at a key."""
        return refused(self.file, self.at(key) if key else self.path, what)

    def close(self) -> None:
        """Names the keys nobody read."""
        physical = [self.said[k] for k in self.left if k in PHYSICAL]
        others = [self.said[k] for k in self.left if k not in PHYSICAL]
        if physical:
            self.note("", listed(physical), "physical figures, which no machine here has")
        if others:
            self.note("", listed(others), "not known, and without effect here")
        self.left = {}


def _short(value: Any) -> str:
    if isinstance(value, dict):
        text = listed([*value]) or "no keys"
    elif isinstance(value, list):
        text = listed([str(v) for v in value if isinstance(v, str | int | float)]) or f"{len(value)} items"
    else:
        text = "nothing" if value is None else str(value)
    return text if len(text) <= 60 else text[:57] + "..."


__all__ = ["Fields"]
