"""Registers of rows have just the rows and bytes of what lies in them, in every thread; a wrong configuration is refuted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import isamap_hardware
import isamap_smt as im
from isamap_encodings.verdict import Refuted
from isamap_smt.certificates import check_directory
from isamap_smt.ir.errors import HardwareError, IsamapError, LanguageError
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.program import Alloc, Exec, Loop, Node, Program, walk
from isamap_smt.ir.tiles import TileConfiguration
from isamap_smt.proof.program import prove_program

REPOSITORY = Path(__file__).parents[2]
ENTER, LEAVE = "amx_tiles_enter({configuration})", "amx_tiles_leave();"
TEXT = "C[i,j] += i32(A[i,k]) * i32(B[k,j])"


@cache
def program(threads: int = 1, j: int = 20) -> Program:
    """A product of bytes on tiles."""
    return planned(isamap_hardware.load("amx"), threads, j)


def planned(machine: im.Hardware, threads: int = 1, j: int = 20) -> Program:
    """Lowered for a machine, and not proved."""
    kernel = im.kernel(TEXT, name="gemm", dtypes={"A": "u8", "B": "i8", "C": "i32"})
    mapping = im.fuse(kernel, machine.instruction("dpbusd"), {"i": ("i",), "j": ("j",), "k": ("k",)})
    proved = im.prove(mapping)
    assert isinstance(proved, im.ProvedMapping)
    return im.lower(im.schedule(proved, machine, {"i": 20, "j": j, "k": 64}, threads=threads))


def changed(change: Callable[[Instruction], Instruction], threads: int = 1, j: int = 20) -> Program:
    """The same for a machine each of whose instructions is another."""
    amx = isamap_hardware.load("amx")
    return planned(replace(amx, instructions=tuple(map(change, amx.instructions))), threads, j)


def configured(*tiles: tuple[int, int]) -> Program:
    state = TileConfiguration(tiles, ENTER, LEAVE)
    return changed(lambda i: replace(i, state=state))


def refuted(p: Program) -> dict[str, str]:
    """What is refuted, with its first text."""
    found: dict[str, str] = {}
    for c in prove_program(p).failed():
        assert isinstance(c.verdict, Refuted), c
        found.setdefault(c.claim, c.verdict.text)
    return found


def test_the_machine_as_it_is() -> None:
    for threads, j in ((1, 20), (2, 640)):
        proof = prove_program(program(threads, j))
        assert proof.proved
        assert {c.subject for c in proof.claims if c.claim == "configuration"} >= {"dpbusd a", "dpbusd b", "dpbusd c"}
    assert any("each thread of" in c.subject for c in proof.claims if c.claim == "configuration")


WRONG = {
    "too few rows": (((8, 64),) * 8, "16 rows of 64 bytes, and may lie in tile 0, which is configured for 8 rows of 64 bytes"),
    "too few bytes": (((16, 32),) * 8, "which is configured for 16 rows of 32 bytes"),
    "one of them": ((*((16, 64),) * 7, (16, 60)), "may lie in tile 7, which is configured for 16 rows of 60 bytes"),
    "not all tiles": (((16, 64),) * 6, "may lie in tile 6, which is configured for nothing"),
    "a hole": (((16, 64), (0, 0), *((16, 64),) * 6), "may lie in tile 1, which is configured for nothing"),
    "none": ((), "may lie in tile 0, which is configured for nothing"),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG)
def test_only_configuration_refutes(wrong: str) -> None:
    """No other claim sees it: the mutants that show that this one is needed."""
    tiles, said = WRONG[wrong]
    found = refuted(configured(*tiles))
    assert set(found) == {"configuration"}
    assert said in found["configuration"]


def test_nothing_that_configures() -> None:
    found = refuted(changed(lambda i: replace(i, state=None, tiles=())))
    assert set(found) == {"configuration"}
    assert "lies in a register that nothing configures; add state=..." in found["configuration"]


def test_an_operand_of_which_nothing_is_said() -> None:
    with pytest.raises(LanguageError, match=r"dpbf16ps: a lies in a configured register; pass rows and bytes of a row"):
        changed(lambda i: replace(i, tiles=i.tiles[1:]))


def test_two_configurations_in_one_thread() -> None:
    """Each fits its own instructions; the one that is entered last would hold for both."""

    def other(i: Instruction) -> Instruction:
        assert i.state is not None
        return replace(i, state=replace(i.state, leave="other_leave();")) if i.kind == "store" else i

    found = refuted(changed(other))
    assert set(found) == {"configuration"}
    assert "the call: its instructions need 2 different configurations, and a thread has one" in found["configuration"]
    assert "each thread of" in refuted(changed(other, 2, 640))["configuration"]


def test_a_tile_that_is_kept_over_a_parallel_loop() -> None:
    """The loop's threads, this one among them, configure their tiles anew: what was in them is gone."""
    p = program()
    loops = [n for n, _ in walk(p.body) if isinstance(n, Loop) and any(isinstance(x, Alloc) for x in n.body)]
    holder = next(n for n in loops if any(isinstance(x, Loop) and _runs(x) for x in n.body))
    spread = replace(holder, body=tuple(replace(x, kind="parallel") if _runs(x) else x for x in holder.body))  # type: ignore[type-var]
    found = refuted(_replaced(p, holder, spread))
    assert "is declared outside the parallel loop" in found["configuration"]


def _runs(node: Node) -> bool:
    return isinstance(node, Loop) and any(isinstance(n, Exec) for n, _ in walk(node.body))


def _replaced(p: Program, old: Node, new: Node) -> Program:
    def visit(nodes: Any) -> Any:
        return tuple(
            new if n is old else replace(n, body=visit(n.body)) if isinstance(n, Loop) else n for n in nodes
        )  # fmt: skip

    return replace(p, body=visit(p.body))


def test_each_thread_enters_what_the_claims_read() -> None:
    """The configuration stands in the C as data, at the head of each function that uses tiles."""
    kernel = im.kernel(TEXT, name="gemm", dtypes={"A": "u8", "B": "i8", "C": "i32"})
    source = im.plan(kernel, "amx", sizes={"i": 64, "j": 640, "k": 64}, threads=2, cost_model="analytic").source
    state = isamap_hardware.load("amx").computes[0].state
    assert state is not None
    assert state.c_bytes.count("= 64") == state.c_bytes.count("= 16") == 8
    assert source.count(state.c_bytes) == source.count(LEAVE) > 0


# ---- a copy of the machine ------------------------------------------------------------------------------------------


def copy(tmp_path: Path, old: str, new: str) -> Path:
    text = (REPOSITORY / "hardware" / "isamap_hardware" / "amx.py").read_text()
    assert old in text
    file = tmp_path / "amx.py"
    file.write_text(text.replace(old, new))
    return file


def test_a_copy_with_eight_rows_is_refuted(tmp_path: Path) -> None:
    file = copy(tmp_path, "(WHOLE,) * 8", "((8, 64),) * 8")
    kernel = im.kernel(TEXT, name="gemm", dtypes={"A": "u8", "B": "i8", "C": "i32"})
    with pytest.raises(IsamapError, match="which is configured for 8 rows of 64 bytes"):
        im.build(im.plan(kernel, str(file), sizes={"i": 20, "j": 20, "k": 64}, cost_model="analytic"))


def test_certificates_of_such_a_copy_are_broken(tmp_path: Path) -> None:
    """Not stale: those with a program, those of a mapping alone, those of a list, and the machine's own."""
    file = copy(tmp_path, "(WHOLE,) * 8", "((8, 64),) * 8")
    ids = ("amx/gemm/dpbusd,i=i,j=j,k=k,a=A,b=B", "amx/gru/dpbssd,i=b,j=j,k=c,a=X,b=W", "amx/gemm/complete,dpbusd")
    chosen = {*ids, "amx/machine"}
    found = check_directory(REPOSITORY / "proofs", [str(file)], jobs=1, only=chosen.__contains__, cache=False)
    assert {o.id: o.status for o in found} == dict.fromkeys(chosen, "broken")
    assert all("configured for 8 rows of 64 bytes" in "\n".join(o.told) for o in found)


# ---- what is refused when it is made ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"palette": 2}, r"palette=2 is not known; palette 1: 8 tiles of at most 16 rows of 64 bytes"),
        ({"palette": True}, r"palette=True is not known"),
        ({"tiles": ((17, 64),)}, r"tile 0 has 17 rows; a tile of palette 1 has at most 16"),
        ({"tiles": ((16, 64), (16, 65))}, r"tile 1 has 65 bytes a row; a tile of palette 1 has at most 64"),
        ({"tiles": ((16, 64),) * 9}, r"9 tiles, but palette 1 has 8"),
        ({"tiles": ((16, 0),)}, r"tile 0 has 16 rows of 0 bytes: both are 0 or none"),
        ({"tiles": ((16, -1),)}, r"bytes of a row of tile 0=-1: must be at least 0"),
        ({"tiles": ((16, 6.4),)}, r"bytes of a row of tile 0=6\.4 is float"),
        ({"tiles": (16, 64)}, r"tile 0 is 16: pass \(rows, bytes of a row\), such as \(16, 64\)"),
        ({"tiles": 8}, r"tiles=8: pass \(rows, bytes of a row\) of each tile"),
        ({"enter": "configure()"}, r"enter='configure\(\)' must use \{configuration\} once"),
        ({"leave": ""}, r"leave='': pass C, such as"),
    ],
)
def test_no_such_configuration(given: dict[str, Any], said: str) -> None:
    with pytest.raises(HardwareError, match=f"^tile configuration: .*{said}"):
        TileConfiguration(**{"tiles": ((16, 64),) * 8, "enter": ENTER, "leave": LEAVE, **given})


STATE = TileConfiguration(((16, 64),) * 8, ENTER, LEAVE)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"state": ("enter()", "leave();")}, r"state=\('enter\(\)', 'leave\(\);'\): pass im\.TileConfiguration"),
        ({"state": STATE}, r"r lies in a configured register; pass rows and bytes of a row"),
        ({"state": STATE, "tiles": {"r": (8, 64)}}, r"r has 1024 bytes \(f32\[16, 16\]\), and 8 rows of 64 bytes hold 512"),
        ({"state": STATE, "tiles": {"r": (16,)}}, r"tiles of r is \(16,\): pass rows and bytes"),
        ({"state": STATE, "tiles": {"r": (0, 64)}}, r"tiles of r=0: must be at least 1"),
        ({"state": STATE, "tiles": {"m": (16, 64)}}, r"tiles names 'm', which lies in no register with a number; known: r"),
        ({"tiles": 3}, r"tiles=3: pass rows and bytes of a row"),
    ],
)  # fmt: skip
def test_no_such_instruction(given: dict[str, Any], said: str) -> None:
    with pytest.raises(LanguageError, match=f"instruction npu.load: {said}"):
        im.instruction(
            "npu.load", "r[i,j] = m[i,j]", axes={"i": 16, "j": 16}, dtypes={"r": "f32", "m": "f32"},
            places={"r": "tmm", "m": "memory"}, c_types={"r": "enum 8"}, **given,
        )  # fmt: skip
