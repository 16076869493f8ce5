"""What machine this is, and what may run where: figures mean nothing without it."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version

import archspec.cpu

from isamap_smt.ir.errors import HardwareError
from isamap_smt.language.hardware_library import host_features

_VECTORS = ("avx2", "fma", "avx512f", "avx512_vnni", "avx512_bf16", "avx_vnni", "amx_bf16", "amx_int8")
_PACKAGES = ("isamap-smt", "z3-solver", "ortools", "sympy", "numpy", "ziglang")


def describe(packages: Iterable[str] = ()) -> dict[str, str]:
    """CPU model, micro-architecture, vector features, cores, load and versions, as text. `packages` besides ours."""
    host = archspec.cpu.host()
    # those that the system reports, not those of the nearest microarchitecture that archspec knows
    vector = [f for f in _VECTORS if f in host_features()]
    return {
        "cpu": f"{_model()} ({host.name})",
        "features": " ".join(vector),
        "cores": str(len(cores())),
        "load": f"{os.getloadavg()[0]:.2f}",
        "python": platform.python_version(),
        **versions((*_PACKAGES, *packages)),
    }


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Name -> version of those that are installed."""
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _model() -> str:
    try:
        with open("/proc/cpuinfo") as f:
            names = [line.split(":")[1].strip() for line in f if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or "unknown"


def cores() -> list[int]:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def cores_for(threads: int) -> frozenset[int]:
    """As many cores as threads, the last ones: the first takes the system's interrupts. Raises HardwareError."""
    have = cores()
    if threads > len(have):
        there = "1 core" if len(have) == 1 else f"{len(have)} cores"
        raise HardwareError(
            f"--threads {threads}: this process may use {there}; figures for more threads than cores say nothing"
        )
    return frozenset(have[-threads:])


def core_type() -> str | None:
    """What to tell OpenBLAS, which takes CPUs that it does not know for older ones; None where it is right."""
    return "SkylakeX" if "avx512f" in archspec.cpu.host().features else None


def free_bytes() -> int | None:
    """Memory that can be had without swapping; None where the system does not say."""
    try:
        with open("/proc/meminfo") as f:
            found = [line.split()[1] for line in f if line.startswith("MemAvailable:")]
    except OSError:
        return None
    return int(found[0]) << 10 if found else None
