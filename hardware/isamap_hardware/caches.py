"""The memories of a core behind its registers, with the bandwidths measured on one x86 core.

Bandwidths are bytes per cycle at 4.1 GHz, measured on a Zen 5 core: L1 493, L2 194, L3 97 and DRAM 41 GB/s.
Energies are picojoule per byte. 32 KiB (20 pJ per 64 bits), 1 MiB (100 pJ) and DRAM (1.3 nJ) are Horowitz's figures
(ISSCC 2014, 45 nm); the register file and L3 are interpolated. They rank schedules; they are not measurements.
"""

from __future__ import annotations

import isamap_smt as im

SIZES = (48 << 10, 1 << 20, 32 << 20)  # bytes of L1, L2 and L3, where the machine at hand is not asked


def memories(
    register: str, count: int, register_bytes: int, sizes: tuple[int, int, int] = SIZES
) -> tuple[im.Memory, ...]:
    """A register file of `count` registers of `register_bytes`, then L1, L2 and L3 of `sizes` bytes, and DRAM."""
    l1, l2, l3 = sizes
    return (
        im.Memory(register, count * register_bytes, count=count, energy=0.15),
        im.Memory("L1", l1, energy=2.5),
        im.Memory("L2", l2, energy=12.5),
        im.Memory("L3", l3, energy=35.0, shared=True),
        im.Memory("DRAM", None, energy=162.5, shared=True),
    )


def links(register: str, load: float, store: float) -> tuple[im.Link, ...]:
    """Each memory joined to the next, both ways; `load` and `store` are bytes per cycle between L1 and registers."""
    return (
        im.Link("L1", register, load, latency=5),
        im.Link(register, "L1", store, latency=5),
        im.Link("L2", "L1", 47.0, latency=14),
        im.Link("L1", "L2", 47.0, latency=14),
        im.Link("L3", "L2", 23.6, latency=50),
        im.Link("L2", "L3", 23.6, latency=50),
        im.Link("DRAM", "L3", 10.0, latency=400),
        im.Link("L3", "DRAM", 10.0, latency=400),
    )
