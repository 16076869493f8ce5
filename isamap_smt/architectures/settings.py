"""Numbers of a file set by a call: `eyeriss.yaml(shared_glb_depth=8192)`, `from_zigzag(path, D1=32)`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isamap_smt.architectures.form import refused
from isamap_smt.ir.errors import did_you_mean

Settings = dict[str, tuple[Any, Any]]


def settle(file: str, known: Settings, values: Mapping[str, int]) -> None:
    """Sets each. known: name -> the holder of the number, and its key there.

    Raises ArchitectureError for an unknown name, and for a value other than a whole number from 1 on.
    """
    for name, value in values.items():
        if name not in known:
            raise refused(file, "", f"no number is called {name!r}; {did_you_mean(name, list(known))}")
        if type(value) is not int or value < 1:
            raise refused(file, "", f"{name}={value!r}: pass a whole number, at least 1")
        held, key = known[name]
        held[key] = value
