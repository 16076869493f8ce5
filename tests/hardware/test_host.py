"""`host` is what this CPU supports, best first, plus scalar; cache sizes are its own."""

from __future__ import annotations

from pathlib import Path

import archspec.cpu
import pytest

import isamap_hardware
from isamap_hardware.host import cache_sizes, features, host
from isamap_smt.ir.dtypes import DTYPES
from isamap_smt.ir.machine_parameters import is_open
from isamap_smt.language.hardware_library import find_hardware, hardware_names

EVERYTHING = {f for n in isamap_hardware.names() for i in isamap_hardware.load(n).instructions for f in i.requires}


def machines(have: set[str] | None) -> list[str]:
    """The machines whose instructions a host with these features offers, in order."""
    return list(dict.fromkeys(i.name.split(".", 1)[0] for i in host(have).instructions))


@pytest.mark.parametrize(
    ("have", "wanted"),
    [
        (set(), ["scalar"]),
        ({"avx2", "fma"}, ["avx2", "scalar"]),
        ({"avx2", "fma", "avx512f"}, ["avx512", "avx2", "scalar"]),
        ({"avx2", "fma", "avx_vnni"}, ["avx_vnni", "avx2", "scalar"]),
        ({"asimd", "asimddp"}, ["neon", "scalar"]),
        (
            EVERYTHING,
            ["amx", "avx512_bf16", "avx512_fp16", "avx512_vnni", "avx512", "avx_vnni", "avx2", "neon", "scalar"],
        ),
    ],
)
def test_best_first(have: set[str], wanted: list[str]) -> None:
    assert machines(have) == wanted


def test_only_what_the_features_allow() -> None:
    have = {"avx2", "fma", "avx512f", "avx512bw"}
    names = {i.name for i in host(have).instructions}
    assert "avx512_vnni.maddubs_dot" in names
    assert "avx512_vnni.dpbusd" not in names
    assert all(have >= set(i.requires) for i in host(have).instructions)


def test_nothing_that_cannot_be_emitted_is_in_it() -> None:
    assert all(i.emit for i in host(EVERYTHING | {"wmma"}).instructions)


def test_this_cpu() -> None:
    assert features() >= set(archspec.cpu.host().features)
    assert machines(None)[-1] == "scalar"
    assert find_hardware("host") == host()
    assert "host" in hardware_names()


def test_every_register_of_an_instruction_is_a_memory_with_a_link() -> None:
    for machine in (*map(isamap_hardware.load, isamap_hardware.names()), host(), host(EVERYTHING)):
        names = {m.name for m in machine.memories}
        for i in machine.instructions:
            for _, place in i.places:
                assert place in ("memory", "code", *names), f"{machine.name}: {i.name} is in {place}"
        for link in machine.links:
            assert {link.source, link.target} <= names
        assert [m.name for m in machine.memories if m.is_main] == ([] if machine.engines else ["DRAM"])


def test_every_instruction_says_its_c_type() -> None:
    for machine in (isamap_hardware.load(n) for n in isamap_hardware.names() if n not in ("wmma", "gemmini", "vta")):
        types: dict[tuple[str, str, tuple[object, ...], int], str] = {}
        for i in machine.instructions:
            for operand, place in i.places:
                if place == "memory" or operand in i.registers or i.kind == "configure":
                    assert operand not in dict(i.c_types)
                    continue
                tensor = i.kernel.tensor(operand)
                cells = tuple("open" if is_open(e) else e for e in tensor.shape)
                key = (place, tensor.dtype.name, cells, i.group(operand))
                assert types.setdefault(key, dict(i.c_types)[operand]) == dict(i.c_types)[operand], i.name


def test_scalar_covers_every_dtype() -> None:
    outputs = {i.kernel.tensor(i.kernel.outputs[0]).dtype.name for i in isamap_hardware.load("scalar").computes}
    computed = {n for n, d in DTYPES.items() if d.bits > 8 or (d.bits == 8 and not d.is_float)}
    assert outputs == computed  # of the others there are no sums of products


def test_wmma_has_the_three_shapes() -> None:
    shapes = {i.name: i.axes for i in isamap_hardware.load("wmma").instructions}
    assert shapes == {
        "wmma.16x16x16": {"i": 16, "j": 16, "k": 16},
        "wmma.32x8x16": {"i": 32, "j": 8, "k": 16},
        "wmma.8x32x16": {"i": 8, "j": 32, "k": 16},
    }


def test_cache_sizes_of_sysfs(tmp_path: Path) -> None:
    caches = [("Data", "1", "48K"), ("Instruction", "1", "64K"), ("Unified", "2", "1024K"), ("Unified", "3", "32M")]
    for n, (kind, level, size) in enumerate(caches):
        place = tmp_path / f"index{n}"
        place.mkdir()
        for name, value in (("type", kind), ("level", level), ("size", size)):
            (place / name).write_text(value + "\n")
    (tmp_path / "index9").mkdir()  # nothing readable in it
    assert cache_sizes(tmp_path) == {"L1": 48 << 10, "L2": 1 << 20, "L3": 32 << 20}
    assert cache_sizes(tmp_path / "nowhere") == {}


def test_a_move_that_machines_share_has_the_shortest_name() -> None:
    have = ("avx2", "fma", "avx512f", "avx512bw", "avx512vl", "avx512_bf16")
    moves = {i.name: i for i in host(have).moves}
    assert "avx512.load_f32" in moves and "avx512_bf16.load_f32" not in moves
    assert {"avx2.load_f32", "scalar.load_f32"} <= set(moves)  # other registers, other moves
    described = {i.emit for m in ("avx512_bf16", "avx512") for i in find_hardware(m).moves}
    assert described <= {i.emit for i in moves.values()}
