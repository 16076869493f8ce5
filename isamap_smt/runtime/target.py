"""The machine that code is compiled for, where it is another one: which instructions can exist there."""

from __future__ import annotations

import re
from collections.abc import Iterable

from isamap_smt.ir.errors import BuildError, HardwareError
from isamap_smt.ir.features import architectures

_SPELT = {"x86-64": "x86_64", "amd64": "x86_64", "arm64": "aarch64", "powerpc64le": "ppc64le", "powerpc64": "ppc64"}


def check_target(triple: str, requires: Iterable[str]) -> None:
    """Nothing happens where CPUs of that architecture may have these features (archspec's names).

    Raises BuildError for a text that is no triple, HardwareError for features that belong to others.
    """
    if not re.fullmatch(r"[A-Za-z0-9_.]+(-[A-Za-z0-9_.]+){1,3}", triple):
        raise BuildError(f"--target {triple!r}: it is ARCHITECTURE-SYSTEM-LIBRARY, such as aarch64-linux-musl")
    family = _SPELT.get(triple.split("-", maxsplit=1)[0], triple.split("-", maxsplit=1)[0])
    lacking = sorted(f for f in requires if family not in architectures(f))
    if lacking:
        where = ", ".join(sorted(frozenset.intersection(*map(architectures, lacking)))) or "no CPU that is known"
        raise HardwareError(
            f"--target {triple}: the instructions chosen need {', '.join(lacking)}, which exist on {where} alone; "
            "compile for the hardware `scalar`, whose code is portable C"
        )
