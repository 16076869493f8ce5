"""`host`: every machine of this package for this CPU, best first, and its own cache sizes.

archspec tells the features of the CPU and their names. Cache sizes come from Linux's sysfs; for those
it does not give, the sizes of isamap_hardware.caches stand.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Collection, Hashable
from dataclasses import replace
from pathlib import Path

import isamap_smt as im
from isamap_hardware import IN_HOST, load

SYSFS = Path("/sys/devices/system/cpu/cpu0/cache")


@functools.cache
def features() -> frozenset[str]:
    """Names of the instruction-set features of this CPU, as archspec names them ('avx2', 'fma', 'avx512_vnni')."""
    import archspec.cpu
    import archspec.cpu.detect

    # The features the kernel reports, not those of the nearest known microarchitecture: a virtual machine that hides
    # one feature of a Zen 5 is taken for a Zen 2, which has no AVX-512.
    found = frozenset(archspec.cpu.detect.detected_info().features) | frozenset(archspec.cpu.host().features)
    tiles = frozenset(f for f in found if f.startswith("amx"))
    return found if not tiles or tiles_granted() else found - tiles


def tiles_granted() -> bool:
    """Whether Linux gives this process the tile registers of AMX; they have to be asked for once."""
    request, tile_data, arch_prctl = 0x1023, 18, 158  # ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA, its number on x86-64
    try:
        return bool(ctypes.CDLL(None).syscall(arch_prctl, request, tile_data) == 0)
    except (AttributeError, OSError):
        return False


def cpu_name() -> str:
    """The microarchitecture, as archspec names it."""
    import archspec.cpu

    return str(archspec.cpu.host().name)


@functools.cache
def cache_sizes(sysfs: Path = SYSFS) -> dict[str, int]:
    """Bytes of the data caches reported by this CPU: a part of {'L1', 'L2', 'L3'}."""
    found: dict[str, int] = {}
    for index in sorted(sysfs.glob("index*")):
        try:
            kind = (index / "type").read_text().strip()
            level = (index / "level").read_text().strip()
            size = (index / "size").read_text().strip()
        except OSError:
            continue
        if kind != "Instruction" and size[:-1].isdigit() and size[-1] in "KM":
            found[f"L{level}"] = int(size[:-1]) << {"K": 10, "M": 20}[size[-1]]
    return found


def host(available: Collection[str] | None = None) -> im.Hardware:
    """All that a CPU with these features (by default this one) can run: `scalar` always, no machine with parameters
    or engines."""
    have = features() if available is None else frozenset(available)
    named = f"this CPU ({cpu_name()})" if available is None else "a CPU with " + ", ".join(sorted(have))
    return _host(have, tuple(cache_sizes().items()), named)


@functools.lru_cache(maxsize=8)  # a thousand instructions are checked against each other
def _host(have: frozenset[str], known_sizes: tuple[tuple[str, int], ...], description: str) -> im.Hardware:
    """A CPU with these features and bytes of caches."""
    instructions: dict[str, im.Instruction] = {}
    moves: dict[Hashable, str] = {}
    memories: dict[str, im.Memory] = {}
    links: dict[tuple[str, str], im.Link] = {}
    for machine in (load(name) for name, feature in IN_HOST.items() if not feature or feature in have):
        runs = [i for i in machine.instructions if i.emit and have.issuperset(i.requires)]
        if not any(i.kind == "compute" for i in runs):
            continue
        for i in runs:
            same = _move(i)  # machines that share registers each describe their moves: the shortest name is kept
            if same is None or same not in moves or len(i.name) < len(moves[same]):
                if same in moves:
                    del instructions[moves[same]]
                instructions[i.name] = i
                moves |= {} if same is None else {same: i.name}
        for memory in machine.memories:
            memories.setdefault(memory.name, memory)
        for link in machine.links:
            links.setdefault((link.source, link.target), link)
    sizes = dict(known_sizes)
    return im.Hardware(
        "host",
        tuple(replace(m, capacity=sizes.get(m.name, m.capacity)) for m in memories.values()),
        tuple(links.values()),
        tuple(instructions.values()),
        description,
    )


def _move(i: im.Instruction) -> Hashable:
    """A move's description without its machine's name; None for computing instructions."""
    if i.kind == "compute":
        return None
    return (i.short, i.kind, i.places, i.emit, i.requires, i.c_types, i.active)
