"""Which machine this is, as far as its speed depends on it: processor, features, cores and caches. Never its name."""

from __future__ import annotations

import functools
import hashlib
import os
import platform
from dataclasses import dataclass, replace
from pathlib import Path

_CPUINFO = Path("/proc/cpuinfo")


@dataclass(frozen=True)
class Identity:
    """processor: what it calls itself. cores: those this process may use. caches: (name, bytes)."""

    processor: str
    architecture: str
    features: str
    cores: int
    caches: tuple[tuple[str, int], ...]

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that stand for this machine."""
        return hashlib.blake2b(repr(self).encode(), digest_size=8).hexdigest()

    def serves(self, other: Identity) -> bool:
        """Whether what was measured here holds there: the same machine, with as many cores to use or fewer."""
        return other.cores <= self.cores and replace(other, cores=self.cores) == self

    def __str__(self) -> str:
        caches = ", ".join(f"{name} {size >> 10} KiB" for name, size in self.caches)
        return f"{self.processor}, {self.cores} core{'' if self.cores == 1 else 's'}" + (
            f", {caches}" if caches else ""
        )


@functools.cache
def identity() -> Identity:
    """The machine this process runs on."""
    from isamap_hardware.host import cache_sizes, cpu_name, features

    digest = hashlib.blake2b(" ".join(sorted(features())).encode(), digest_size=8).hexdigest()
    return Identity(
        _processor(cpu_name()), platform.machine(), digest, usable_cores(), tuple(sorted(cache_sizes().items()))
    )


def usable_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def _processor(family: str) -> str:
    """Model name, family, model and stepping where Linux tells them, else the microarchitecture."""
    try:
        lines = _CPUINFO.read_text().split("\n\n", 1)[0].splitlines()
    except OSError:
        return family
    told = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    numbers = [told[k] for k in ("cpu family", "model", "stepping") if k in told]
    return " ".join([told.get("model name", family), *([f"({'/'.join(numbers)}, {family})"] if numbers else [])])
