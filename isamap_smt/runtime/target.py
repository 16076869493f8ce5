"""The target machine of compiled code: which instructions can exist there."""

from __future__ import annotations

import re
from collections.abc import Iterable

from isamap_smt.ir.errors import BuildError, HardwareError
from isamap_smt.ir.features import architectures
from isamap_smt.runtime.feature_flags import architecture_of, own_architecture

_TRIPLE = re.compile(r"[A-Za-z0-9_.]+(-[A-Za-z0-9_.]+){1,3}")


def is_triple(text: str) -> bool:
    """Whether the text has the form of a triple, such as aarch64-linux-musl."""
    return _TRIPLE.fullmatch(text) is not None


def check_here(requires: Iterable[str]) -> None:
    """Raise HardwareError unless CPUs of this machine's architecture may have these features."""
    own = own_architecture()
    lacking = _lacking(requires, own)
    if lacking:
        raise HardwareError(
            f"the instructions chosen need {', '.join(lacking)}, which exist on {_where(lacking)} alone, and this machine is "
            f"{own}: compile for another with --target, such as aarch64-linux-musl"
        )


def check_target(triple: str, requires: Iterable[str]) -> None:
    """Raise HardwareError unless CPUs of that architecture may have these features (archspec's names).

    Raises BuildError for a text that is no triple.
    """
    if not is_triple(triple):
        raise BuildError(f"--target {triple!r}: it is ARCHITECTURE-SYSTEM-LIBRARY, such as aarch64-linux-musl")
    lacking = _lacking(requires, architecture_of(triple))
    if lacking:
        raise HardwareError(
            f"--target {triple}: the instructions chosen need {', '.join(lacking)}, which exist on {_where(lacking)} alone; "
            "compile for the hardware `scalar`, whose code is portable C"
        )


def _lacking(requires: Iterable[str], architecture: str) -> list[str]:
    return sorted(f for f in requires if architecture not in architectures(f))


def _where(features: Iterable[str]) -> str:
    return ", ".join(sorted(frozenset.intersection(*map(architectures, features)))) or "no CPU that is known"
