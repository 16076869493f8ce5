"""Machines that contradict themselves are refused when they are made: each field of each part, with its line and what to write."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import isamap_hardware
import isamap_smt as im
from isamap_smt.ir.errors import HardwareError, LanguageError
from isamap_smt.ir.hardware import Hardware, Link, Memory
from isamap_smt.ir.instruction import Cost, Instruction
from isamap_smt.ir.ways import way_in
from isamap_smt.language.hardware_library import find_hardware

NAN, INFINITE = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"name": ""}, "memory '': a name is a letter, then letters, digits and _ + -, such as 'L1'"),
        ({"name": 3}, "memory 3: a name is a letter"),
        ({"name": "L 1"}, "memory 'L 1': a name is a letter"),
        ({"name": "L.1"}, "memory 'L.1': a name is a letter"),
        ({"name": "1"}, "memory '1': a name is a letter"),
        (
            {"name": "memory"},
            "memory 'memory': that word means something else (memory, code, no, none, ahead, register are taken)",
        ),
        ({"name": "no"}, "memory 'no': that word means something else"),
        ({"capacity": -5}, "memory L1: capacity, in bytes (None: unlimited)=-5: must be at least 1"),
        ({"capacity": 0}, "memory L1: capacity, in bytes (None: unlimited)=0: must be at least 1"),
        ({"capacity": 1024.0}, "memory L1: capacity, in bytes (None: unlimited)=1024.0 is float: pass a whole number"),
        ({"capacity": "32K"}, "memory L1: capacity, in bytes (None: unlimited)='32K' is str"),
        ({"capacity": 10**30}, "memory L1: capacity=1000000000000000000000000000000: at most 2^60 bytes; write None"),
        ({"capacity": True}, "memory L1: capacity, in bytes (None: unlimited)=True is bool"),
        ({"count": 0}, "memory L1: count=0: must be at least 1"),
        ({"count": 2.5}, "memory L1: count=2.5 is float"),
        ({"count": 5}, "memory L1: 64 bytes are no whole number of bytes for each of 5 registers; capacity counts all"),
        ({"count": 5, "capacity": None}, "memory L1: 5 registers of unlimited size; say how many bytes"),
        ({"energy": -1.0}, "memory L1: energy=-1.0: pass a number of picojoules per byte, 0 to 1e+06"),
        ({"energy": NAN}, "memory L1: energy=nan: pass a number"),
        ({"energy": "much"}, "memory L1: energy='much': pass a number"),
        ({"energy": True}, "memory L1: energy=True: pass a number"),
        ({"shared": 1}, "memory L1: shared=1: pass True where all cores share it, else False"),
        ({"kind": "cash"}, "memory L1: kind='cash'; did you mean cache?"),
        ({"bandwidth": 0}, "memory L1: bandwidth=0: pass a number of bytes per cycle, 0.0001 to 1e+06"),
        ({"bandwidth": "16"}, "memory L1: bandwidth='16': pass a number"),
        ({"bandwidth": NAN}, "memory L1: bandwidth=nan: pass a number"),
        ({"banks": 2}, "memory L1: banks=2: rows are interleaved over banks; add row=, the bytes of a row"),
        ({"banks": -1, "row": 8}, "memory L1: banks (0: no limit)=-1: must be at least 0"),
        (
            {"banks": 3, "row": 8},
            "memory L1: banks=3: 8 rows do not divide into so many; pass a number that divides them, such as 2, or another",
        ),
        ({"ports": 2, "row": 8}, "memory L1: ports=2 are of each bank; add banks=, 1 where all rows are one bank"),
        ({"ports": 0, "row": 8}, "memory L1: ports of a bank=0: must be at least 1"),
        ({"kind": "state", "bandwidth": 8}, "memory L1: a state has no bandwidth and no banks; leave them out"),
    ],
)
def test_no_such_memory(given: dict[str, Any], said: str) -> None:
    with pytest.raises(HardwareError, match=f"^{re.escape(said)}"):
        Memory(**{"name": "L1", "capacity": 64, **given})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"source": "L1"}, "link L1 -> L1: it leads from a memory to itself"),
        ({"source": None}, "link from None: a name is a letter"),
        ({"target": ""}, "link to '': a name is a letter"),
        ({"bandwidth": 0}, "link L2 -> L1: bandwidth=0: pass a number of bytes per cycle, 0.0001 to 1e+06"),
        ({"bandwidth": -1.0}, "link L2 -> L1: bandwidth=-1.0: pass a number"),
        ({"bandwidth": INFINITE}, "link L2 -> L1: bandwidth=inf: pass a number"),
        ({"bandwidth": 1e-300}, "link L2 -> L1: bandwidth=1e-300: pass a number"),
        ({"bandwidth": NAN}, "link L2 -> L1: bandwidth=nan: pass a number"),
        ({"bandwidth": "47"}, "link L2 -> L1: bandwidth='47': pass a number"),
        ({"bandwidth": False}, "link L2 -> L1: bandwidth=False: pass a number"),
        ({"latency": -1}, "link L2 -> L1: latency=-1: pass a number of cycles, 0 to 1e+06"),
        ({"latency": None}, "link L2 -> L1: latency=None: pass a number"),
    ],
)
def test_no_such_link(given: dict[str, Any], said: str) -> None:
    with pytest.raises(HardwareError, match=f"^{re.escape(said)}"):
        Link(**{"source": "L2", "target": "L1", "bandwidth": 47.0, **given})


# ---- parts that do not fit each other --------------------------------------------------------------------------------

AVX2: Hardware = isamap_hardware.load("avx2")


def with_memory(name: str, /, **fields: Any) -> tuple[Memory, ...]:
    return tuple(replace(m, **fields) if m.name == name else m for m in AVX2.memories)


def without(*ends: tuple[str, str]) -> tuple[Link, ...]:
    return tuple(k for k in AVX2.links if (k.source, k.target) not in ends)


def with_places(short: str, **places: str) -> tuple[Instruction, ...]:
    return tuple(
        replace(i, places=tuple((o, places.get(o, p)) for o, p in i.places)) if i.short == short else i
        for i in AVX2.instructions
    )


SPM = Memory("scratchpad", 1 << 18)
PATHS = {
    "a link that is missing": (
        {"links": without(("DRAM", "L3"))},
        "no links lead from DRAM into L3, only from L2, where none comes from there either: nothing would ever arrive there; add "
        "im.Link('DRAM', 'L3', bandwidth), or another that does",
    ),
    "a memory that nothing joins": (
        {"memories": (*AVX2.memories[:4], SPM, AVX2.memories[-1])},
        "no links lead from DRAM into scratchpad: nothing would ever arrive there; add im.Link('DRAM', 'scratchpad', bandwidth)",
    ),
    "no way out of the registers": (
        {"links": without(("ymm", "L1"))},
        "avx2.fmadd_ps leaves its results in ymm, and no links lead from there to DRAM; add im.Link('ymm', 'L1', bandwidth)",
    ),
    "no way out of a cache": (
        {"links": without(("L2", "L3"))},
        "avx2.fmadd_ps leaves its results in ymm, and no links lead from there to DRAM",
    ),
    "an unlimited cache": (
        {"memories": with_memory("L2", capacity=None)},
        "L2 and DRAM are unlimited, and only main memory is; give the others their capacity",
    ),
    "two of one name": ({"memories": with_memory("L3", name="L2")}, "two memories are called L2"),
    "a link from nowhere": (
        {"links": (*without(("L2", "L1")), Link("L22", "L1", 47.0))},
        "link L22 -> L1: there is no memory 'L22'; did you mean L2",
    ),
    "a link to nowhere": (
        {"links": (*AVX2.links, Link("DRAM", "HBM", 47.0))},
        "link DRAM -> HBM: there is no memory 'HBM'; ",
    ),
    "one link twice": (
        {"links": (*AVX2.links, Link("L2", "L1", 64.0))},
        "two links lead from L2 to L1; which bandwidth holds?",
    ),
    "an operand in a memory that is misspelt": (
        {"instructions": with_places("fmadd_ps", a="ymn")},
        "avx2.fmadd_ps has a in 'ymn', and there is no such memory; did you mean ymm?",
    ),
    "a move to a memory that is misspelt": (
        {"instructions": with_places("load_f32", m="memorie")},
        "avx2.load_f32 has m in 'memorie', and there is no such memory; did you mean memory?",
    ),
    "registers that are too small": (
        {"memories": with_memory("ymm", capacity=16 * 16)},
        "c of avx2.fmadd_ps has 32 bytes (f32[8]), and one of the 16 registers of ymm has 16",
    ),
    "a name that is none": ({"name": "../avx2"}, "hardware '../avx2': a name is a letter"),
    "a description that is none": ({"description": 3}, "description=3 is int: pass a text"),
    "memories that are none": ({"memories": AVX2.memories[0]}, "memories is a Memory: pass a tuple of im.Memory(...)"),
    "a link among memories": ({"memories": (*AVX2.memories, AVX2.links[0])}, "memories holds Link("),
    "text among instructions": ({"instructions": ("avx2.fmadd_ps",)}, "instructions holds 'avx2.fmadd_ps', which is str"),
    "instructions in one text": ({"instructions": "fmadd_ps"}, "instructions is 'fmadd_ps', which is str: pass a tuple"),
}  # fmt: skip


def test_the_order_of_the_memories_says_nothing() -> None:
    """What lies behind what is said by links: caches are found in their order, from the registers outwards."""
    for memories in (AVX2.memories[::-1], (*AVX2.memories[2:], *AVX2.memories[:2])):
        way = way_in(replace(AVX2, memories=memories), "ymm")
        assert way is not None and [m.name for m in way.memories] == ["L1", "L2", "L3", "DRAM"]
    around = replace(AVX2, links=(*AVX2.links, Link("DRAM", "L1", 100.0), Link("DRAM", "ymm", 100.0)))
    assert way_in(around, "ymm") == way_in(AVX2, "ymm")


@pytest.mark.parametrize("what", PATHS)
def test_no_such_machine(what: str) -> None:
    change, said = PATHS[what]
    with pytest.raises(HardwareError, match=re.escape(said)) as told:
        replace(AVX2, **change)
    assert str(told.value).startswith("hardware ")


def test_more_numbers_than_registers() -> None:
    amx = isamap_hardware.load("amx")
    fewer = tuple(replace(m, count=4) if m.name == "tmm" else m for m in amx.memories)
    with pytest.raises(
        HardwareError, match=r"c of amx\.dpbf16ps is one of 8 registers, and tmm has 4; write the same number"
    ):
        replace(amx, memories=fewer)


def test_lists_will_do() -> None:
    made = Hardware("avx2", list(AVX2.memories), list(AVX2.links), list(AVX2.instructions), AVX2.description)  # type: ignore[arg-type]
    assert made == AVX2
    assert hash(made) == hash(AVX2)


# ---- instructions ------------------------------------------------------------------------------------------------------

FMA, LOAD = AVX2.instruction("fmadd_ps"), AVX2.instruction("masked_load_f32")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"name": "a b"}, "instruction 'a b': a name has letters, digits and . _ + -, such as 'npu.dot'"),
        ({"name": None}, "instruction None: a name has letters"),
        ({"kernel": "c += a"}, "instruction avx2.fmadd_ps: kernel='c += a': pass a Kernel of one statement"),
        ({"kind": "loads"}, "instruction avx2.fmadd_ps: unknown kind 'loads'; did you mean load or broadcast?"),
        ({"kind": "load"}, "instruction avx2.fmadd_ps: a load only moves, which"),
        ({"cost": Cost(-1.0, 1.0)}, "instruction avx2.fmadd_ps: latency=-1.0: pass a number of cycles, 0 or more"),
        ({"cost": Cost(4.0, 0)}, "instruction avx2.fmadd_ps: per_cycle=0: pass a number of issues started each cycle"),
        ({"cost": Cost(NAN, 1.0)}, "instruction avx2.fmadd_ps: latency=nan"),
        ({"cost": Cost(4.0, INFINITE)}, "instruction avx2.fmadd_ps: per_cycle=inf"),
        ({"cost": Cost(True, 1.0)}, "instruction avx2.fmadd_ps: latency=True"),
        ({"cost": None}, "instruction avx2.fmadd_ps: latency=None"),
        ({"exact": "c += a"}, "instruction avx2.fmadd_ps: exact='c += a': pass a Kernel, or None"),
        ({"emit": 3}, "instruction avx2.fmadd_ps: emit=3 is int: pass a text"),
        ({"prelude": None}, "instruction avx2.fmadd_ps: prelude=None: pass a tuple of texts"),
        ({"rounding": 1}, "instruction avx2.fmadd_ps: rounding=1 is int: pass a text"),
        ({"emit": "{accu} = f({a}, {b});"}, "instruction avx2.fmadd_ps: emit, line 1, column 1: {accu} is no operand here"),
        ({"emit": "{ {acc} = {a}; }"}, "instruction avx2.fmadd_ps: emit, line 1, column 1: this { is half of something"),
        ({"emit": "{c} = {a:3};"}, "instruction avx2.fmadd_ps: emit, line 1, column 7: this { is half of something"),
        ({"emit": "{acc} = {a;"}, "instruction avx2.fmadd_ps: emit, line 1, column 1: {acc} is no operand here"),
        ({"emit": "{c} = f({a}, {b}, {active});"}, "instruction avx2.fmadd_ps: emit, line 1, column 19: {active} is no operand"),
        ({"places": ()}, "instruction avx2.fmadd_ps: operand c has no place; add places={..., 'c': ...}"),
        ({"places": (*FMA.places, ("d", "ymm"))}, "instruction avx2.fmadd_ps: places names 'd'; "),
        ({"places": (*FMA.places, ("a", "ymm"))}, "instruction avx2.fmadd_ps: places names a twice"),
        ({"places": (*FMA.places[:-1], (FMA.places[-1][0], 3))}, "instruction avx2.fmadd_ps: places of b is 3: pass a text"),
        ({"places": "ymm"}, "instruction avx2.fmadd_ps: places='ymm': pass a text for each operand"),
        ({"c_types": ()}, "instruction avx2.fmadd_ps: register operand c has no C type; add c_types={..., 'c': '__m512'}"),
        ({"c_types": (*FMA.c_types[1:], ("a", "enum 4"))}, "instruction avx2.fmadd_ps: c_types of a: 'enum 4' is gone"),
        ({"requires": "avx2"}, "instruction avx2.fmadd_ps: requires='avx2' is one text; write requires=('avx2',)"),
        ({"requires": (3,)}, "instruction avx2.fmadd_ps: requires holds 3"),
        ({"requires": ("avx2", "avx99")}, "instruction avx2.fmadd_ps: requires 'avx99', which no CPU is known to have; did you"),
        ({"requires": ("avx512vnni",)}, "instruction avx2.fmadd_ps: requires 'avx512vnni', which no CPU is known to have; did you "
                                        "mean avx512_vnni or"),
        ({"requires": ("FMA",)}, "instruction avx2.fmadd_ps: requires 'FMA', which no CPU is known to have; did you mean fma"),
        ({"requires": ("qqqq",)}, "instruction avx2.fmadd_ps: requires 'qqqq', which no CPU is known to have; write "
                                     "archspec's name (avx512_vnni) or LLVM's (dotprod, zve64d)"),
        ({"rounding": "fussed"}, "instruction avx2.fmadd_ps: unknown rounding 'fussed'; did you mean fused or unfused? Another "
                                 "rounding is described in several words, such as 'fused, flushes denormals'"),
        ({"rounding": "Exact"}, "instruction avx2.fmadd_ps: unknown rounding 'Exact'; did you mean exact?"),
        ({"rounding": " fused"}, "instruction avx2.fmadd_ps: unknown rounding ' fused'; did you mean fused or unfused?"),
        ({"rounding": "sloppy"}, "instruction avx2.fmadd_ps: unknown rounding 'sloppy'; known: exact, fused, unfused. Another"),
        ({"rounding": ""}, "instruction avx2.fmadd_ps: unknown rounding ''; known: exact, fused, unfused. Another"),
        ({"headers": None}, "instruction avx2.fmadd_ps: headers=None: pass a tuple of texts"),
        ({"preconditions": ("aligned z 32",)}, "instruction avx2.fmadd_ps: precondition 'aligned z 32' speaks of 'z'"),
        ({"assume": (("z", 0, 1),)}, "instruction avx2.fmadd_ps: assume names 'z'; "),
        ({"active": (("z", "active"),)}, "instruction avx2.fmadd_ps: active names 'z', no axis; known: l"),
        ({"active": (("l", "active"),)}, "instruction avx2.fmadd_ps: active={'l': 'active'}: of a core's instructions, only moves"),
        ({"needs": "a < 8"}, "instruction avx2.fmadd_ps: needs='a < 8' is one text"),
        ({"needs": ("a < 8",)}, "instruction avx2.fmadd_ps: a has the C type '__m256', and is a register with a number"),
    ],
)  # fmt: skip
def test_no_such_instruction(change: dict[str, Any], said: str) -> None:
    with pytest.raises(LanguageError, match=f"^{re.escape(said)}"):
        replace(FMA, **change)


@pytest.mark.parametrize(
    ("text", "change", "said"),
    [
        ("r[l] = m[l] * 2", {}, "m lies in 'memory', and 'r[l] = m[l] * 2' computes; what reads or writes 'memory' only copies"),
        ("r[l] += m[l]", {}, "m lies in 'memory', and 'r[l] += m[l]' computes"),
        ("r[l] = m[l] where l > 1", {}, "m lies in 'memory', and 'r[l] = m[l] where l > 1' computes"),
        ("r[l] = f32(m[l])", {"dtypes": {"r": "f32", "m": "i8"}}, "m lies in 'memory', and 'r[l] = f32(m[l])' computes"),
        ("r[l] = m[l]", {"places": {"r": "memory", "m": "memory"}}, "r lies in 'memory', and 'r[l] = m[l]' computes"),
        ("r[l,l] = m[l]", {}, "a load moves whole registers: in 'r[l,l] = m[l]' the index of r must be each axis once"),
        ("r[2*l] = m[l]", {}, "a load moves whole registers: in 'r[2*l] = m[l]' the index of r must be each axis once"),
    ],
)  # fmt: skip
def test_what_touches_memory_only_moves(text: str, change: dict[str, Any], said: str) -> None:
    """Programs are proved as if it only copied."""
    given: dict[str, Any] = {
        "axes": {"l": 8},
        "dtypes": {"r": "f32", "m": "f32"},
        "places": {"r": "ymm", "m": "memory"},
    }
    given |= {"emit": "{r} = f({m});", "c_types": {"r": "__m256"}}
    with pytest.raises(LanguageError, match=f"^instruction npu.load: {re.escape(said)}"):
        im.instruction("npu.load", text, **{**given, **change})


# ---- with its line -----------------------------------------------------------------------------------------------------

FILE = """\
import isamap_smt as im

dot = im.instruction("npu.dot", "c[l] += a[l] * b[l]", axes={"l": 4}, dtypes=dict.fromkeys("abc", "f32"),
                     places=dict.fromkeys("abc", "vector"))
MEMORIES = (im.Memory("vector", 64, count=4), im.Memory("scratchpad", 4096), im.Memory("DRAM", None))
LINKS = (im.Link("scratchpad", "vector", 64.0), im.Link("vector", "scratchpad", 64.0), im.Link("scratchpad", "DRAM", 8.0),
         im.Link("DRAM", "scratchpad", 8.0))
HARDWARE = im.Hardware("npu", MEMORIES, LINKS, (dot,))
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"scratchpad", 4096', '"scratchpad", -5', "line 5:\nmemory scratchpad: capacity, in bytes (None: unlimited)=-5"),
        ('"DRAM", "scratchpad", 8.0', '"DRAM", "scratchpad", 0', "line 7:\nlink DRAM -> scratchpad: bandwidth=0"),
        ('im.Link("DRAM", "scratchpad", 8.0))', ")", "line 8:\nhardware npu: no links lead from DRAM into scratchpad"),
        ('"abc", "vector"', '"abc", "vectro"', "line 8:\nhardware npu: npu.dot has c in 'vectro', and there is no such"),
        ("MEMORIES, LINKS", "LINKS, MEMORIES", "line 8:\nhardware npu: memories holds Link("),
        ('dict.fromkeys("abc", "vector")', 'dict.fromkeys("abc", "vector"), masked=2', "line 3:\ninstruction npu.dot: there is no"),
    ],
)  # fmt: skip
def test_the_line_is_told(tmp_path: Path, old: str, new: str, said: str) -> None:
    file = tmp_path / "machine.py"
    assert old in FILE
    file.write_text(FILE)
    assert find_hardware(str(file)).name == "npu"
    file.write_text(FILE.replace(old, new))
    with pytest.raises(HardwareError, match=re.escape(f"machine.py does not load: machine.py {said}")):
        find_hardware(str(file))


def test_a_machine_without_memories_only_maps() -> None:
    axpy = im.instruction(
        "npu.axpy", "c[l] += a[] * b[l]", axes={"l": 4}, dtypes=dict.fromkeys("abc", "f32"), places=dict.fromkeys("abc", "v")
    )  # fmt: skip
    npu = Hardware("npu", (), (), (axpy,))
    proved = im.prove(im.fuse(im.kernel("C[i,j] += A[i,k] * B[k,j]"), npu.instruction("axpy"), {"l": ("j",)}))
    assert isinstance(proved, im.ProvedMapping)
    with pytest.raises(HardwareError, match=r"npu has no memory 'v', where npu\.axpy keeps c"):
        im.schedule(proved, npu, {"i": 8, "j": 8, "k": 8})
