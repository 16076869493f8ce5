"""Timeloop's components: memories and multipliers. Bandwidths are words a cycle of one instance, energies an access."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from isamap_smt.architectures.document import number_of
from isamap_smt.architectures.fields import Fields
from isamap_smt.architectures.form import ACC, OPERANDS, A, B, Level, listed
from isamap_smt.architectures.timeloop_constraints import Constraints

STORAGE, MAC, NETWORK, OTHER = "storage", "mac", "network", ""
_STORES = re.compile(
    r"dram|sram|buffer|regfile|register|storage|scratch|cache|(^|_)rf($|_)|spad|memory|fifo", re.IGNORECASE
)
_COMPUTES = re.compile(r"mac$|mac_|^compute|multipl", re.IGNORECASE)
_NETWORKS = re.compile(r"noc|network|wire|router|^xy", re.IGNORECASE)
_SAID = {A: re.compile(r"ifmap|input|act", re.IGNORECASE), B: re.compile(r"weight|filter", re.IGNORECASE),
         ACC: re.compile(r"psum|output|ofmap|accum", re.IGNORECASE)}  # fmt: skip


def kind_of(c: Fields) -> str:
    """The kind of a component, by its class."""
    name = str(c.data.get("subclass") or c.data.get("class") or "")
    both = f"{name} {c.data.get('class')}"
    if _NETWORKS.search(name):
        return NETWORK
    if re.search("dummy", f"{both} {c.data.get('name')}", re.IGNORECASE):
        return OTHER
    return STORAGE if _STORES.search(both) else MAC if _COMPUTES.search(both) else OTHER


@dataclass(frozen=True)
class Multiplier:
    """bits: of a factor; sums: bits of a sum; None if the file gives none."""

    name: str
    path: str
    bits: int | None
    sums: int | None
    is_float: bool
    energy: float | None


def multiplier(c: Fields, name: str) -> Multiplier:
    """Raises ArchitectureError."""
    kind = str(c.take("class", "subclass"))
    attributes = c.inside("attributes")
    bits = sums = energy = None
    if attributes is not None:
        bits = attributes.whole("multiplier_width", "datawidth", "width", "word_bits")
        sums = attributes.whole("adder_width")
        energy = attributes.number("compute_energy", "energy", "energy_per_compute")
        attributes.take("instances", "meshX", "meshY", "cluster_size")
        attributes.close()
    c.take("enabled")
    c.close()
    return Multiplier(name, c.path, bits, sums, "fp" in kind.lower() or "float" in kind.lower(), energy)


def storage(
    c: Fields, name: str, over: tuple[str, ...], constraints: Constraints, main: bool, around: dict[str, Any]
) -> Level | None:
    """The level; None if its size has no limit and it is not main memory. Raises ArchitectureError."""
    kind = str(c.take("class", "subclass"))
    given = c.inside("attributes")
    t = given if given is not None else Fields(c.file, c.at("attributes"), {}, c.unread)
    t.inherit(around)
    width = t.whole("width", "memory_width")
    word = t.whole("word_bits", "datawidth")
    block = t.whole("block_size", "cluster_size")
    bits = None if main else _bits(t, width, word)
    if bits is not None and not math.isfinite(bits):
        c.note("", name, "without limit, and no main memory; left out")
        return None
    if bits is None and not main:
        raise t.refused("", f"{name} does not say its size; write depth and width, or entries and word_bits")
    if main:
        _main(c, t, kind, name)
    read, write, shared = _bandwidths(t)
    size = word or width or 8
    access = width or (block or 1) * size
    energies = [
        t.number(*keys)
        for keys in (("read_energy", "energy_per_read"), ("write_energy", "energy_per_write", "update_energy"))
    ]
    both = t.number("vector_access_energy", "access_energy")
    energies = [both if e is None else e for e in energies]
    t.take("instances", "meshX", "meshY", "block_size", "cluster_size")
    if (number_of(t.take("multiple_buffering")) or 1) != 1:
        t.note("multiple_buffering", "", "how many tiles lie in a memory is the schedule's choice here")
    t.close()
    c.close()
    return Level(
        name, c.path, _holds(c, name, constraints), None if bits is None else int(bits), over,
        None if read is None else read * size, None if write is None else write * size, energies[0], energies[1], access,
        word or width, shared=None if shared is None else shared * size,
    )  # fmt: skip


def _bits(t: Fields, width: int | None, word: int | None) -> float | None:
    """The capacity of one instance."""
    depth = t.take("depth", "memory_depth")
    entries, kilobytes = t.number("entries"), t.number("sizeKB", "size_KB")
    if entries is not None and (word or width):
        return entries * (word or width or 0)
    if kilobytes is not None:
        return kilobytes * 8192
    if depth is None or width is None:
        return None
    found = number_of(depth)
    if found is None or found < 1:
        raise t.refused(
            "depth", f"{depth!r} is no number of words; write one (expressions and variables are not evaluated here)"
        )
    return found * width


def _main(c: Fields, t: Fields, kind: str, name: str) -> None:
    if "dram" not in kind.lower():
        c.note("class", f"{name}, {kind}", "the outermost memory is main memory here, without limit")
    for key in ("depth", "memory_depth", "entries", "sizeKB", "size_KB"):
        t.leave(key, "main memory has no limit here")


def _bandwidths(t: Fields) -> tuple[float | None, float | None, float | None]:
    """Words a cycle, read, written, and of both together."""
    read, write, shared = (
        t.rate("read_bandwidth"),
        t.rate("write_bandwidth"),
        t.rate("shared_bandwidth", "bandwidth"),
    )
    read, write = (shared if x is None else x for x in (read, write))
    for key, value in (("read_bandwidth", read), ("write_bandwidth", write)):
        if value == 0:
            raise t.refused(key, "nothing is ever moved; write words a cycle, or leave it out for no limit")
    if read is None or write is None:
        t.note(
            "",
            "no " + listed([w for w, x in (("read_bandwidth", read), ("write_bandwidth", write)) if x is None]),
            "no limit, as there",
        )
    return read, write, shared


def _holds(c: Fields, name: str, constraints: Constraints) -> tuple[str, ...]:
    """By constraints; without any, by a name such as weights_spad; else every operand."""
    found = constraints.holds()
    if constraints.keep is None and not constraints.bypass:
        guessed = tuple(o for o in OPERANDS if _SAID[o].search(name))
        if guessed:
            c.note("name", name, f"keeps {listed(guessed)} alone, as its name says: no constraint does")
            return guessed
    if constraints.open:
        c.note("constraints", listed(constraints.open), "neither kept nor bypassed in the file; not kept here")
    return found
