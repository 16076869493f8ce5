"""Loops made loops of another kind."""

from __future__ import annotations

from dataclasses import fields
from typing import TypeVar

from isamap_smt.ir.program import AnyLoop, Loop

Kind = TypeVar("Kind", bound=AnyLoop)


def of_kind(kind: type[Kind], loop: Loop) -> Kind:
    """The same loop as one of that kind, with the fields that it has there."""
    return kind(**{f.name: getattr(loop, f.name) for f in fields(kind) if hasattr(loop, f.name)})
