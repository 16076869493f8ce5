"""What machine this is: figures mean nothing without it."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version

import archspec.cpu


def describe() -> dict[str, str]:
    """CPU model, micro-architecture, vector features, cores, load and versions, as text."""
    host = archspec.cpu.host()
    vector = [f for f in ("avx2", "fma", "avx512f", "avx512_vnni", "avx512_bf16") if f in host.features]
    model = next((line.split(":")[1].strip() for line in _cpuinfo() if line.startswith("model name")), "unknown")
    return {
        "cpu": f"{model} ({host.name})",
        "features": " ".join(vector),
        "cores": str(os.cpu_count()),
        "load": f"{os.getloadavg()[0]:.2f}",
        "python": platform.python_version(),
        **{p: version(p) for p in ("z3-solver", "ortools", "sympy", "numpy")},
    }


def _cpuinfo() -> list[str]:
    try:
        with open("/proc/cpuinfo") as f:
            return f.read().splitlines()
    except OSError:
        return []
