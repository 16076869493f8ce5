"""Why there is no plan: each edit that is named restores one where the description is written so, and fewer edits do not."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.cli.why import lines
from isamap_smt.exploration.machine_edits import Add, Alter, Edit, Enlarge, Widen
from isamap_smt.ir.addresses import address_of
from isamap_smt.language.hardware_library import find_hardware
from tests.staging.engines import Shape, machine

ARRAY = find_hardware(f"{Path(__file__).parents[2] / 'examples' / 'weight_array.py'}:MACHINE")
SIZES = {"i": 64, "j": 32, "k": 64}
BYTES = {"C": "i32", "A": "i8", "B": "i8"}


def product(a: str = "i,k", b: str = "k,j") -> im.Kernel:
    return im.kernel(f"C[i,j] += i32(A[{a}]) * i32(B[{b}])", name=f"p_{a}_{b}".replace(",", ""), dtypes=BYTES)


def without(m: im.Hardware, *names: str) -> im.Hardware:
    return replace(m, instructions=tuple(i for i in m.instructions if i.name not in names))


def altered(m: im.Hardware, name: str, **fields: Any) -> im.Hardware:
    return replace(m, instructions=tuple(replace(i, **fields) if i.name == name else i for i in m.instructions))


def asked(kernel: im.Kernel, m: im.Hardware, sizes: dict[str, int] = SIZES) -> im.Why:
    return im.why(kernel, m.computes[0], machine=m, sizes=sizes)


def edits(found: im.Why) -> list[tuple[Edit, ...]]:
    assert found.planned is not None
    return [e.edits for e in found.planned.edits]


def edited(m: im.Hardware, every: tuple[Edit, ...]) -> im.Hardware:
    for e in every:
        m = e.apply(m)
    return m


def told(found: im.Why) -> list[str]:
    return [" and ".join(map(str, every)) for every in edits(found)]


def admitted(kernel: im.Kernel, m: im.Hardware, sizes: dict[str, int] = SIZES) -> list[tuple[Edit, ...]]:
    """The edits named, each planned by somebody else, and none of them with one left out."""
    found = asked(kernel, m, sizes)
    assert found.planned is not None
    for mended in found.planned.edits:
        plan = im.plan(kernel, edited(m, mended.edits), sizes=sizes)
        assert plan.cycles == mended.cycles
        assert found.planned.cycles is None or plan.cycles < found.planned.cycles
        for fewer in combinations(mended.edits, len(mended.edits) - 1):
            if fewer:
                with pytest.raises(im.IsamapError):
                    im.plan(kernel, edited(m, fewer), sizes=sizes)
    return edits(found)


def test_a_machine_that_plans_lacks_nothing() -> None:
    found = asked(product(), ARRAY)
    assert found.planned is not None
    assert found.planned.complete
    assert found.helped
    assert edits(found) == []


@pytest.mark.parametrize("name", [i.name for i in ARRAY.instructions if i.kind != "compute"])
def test_an_instruction_that_is_gone_is_named(name: str) -> None:
    """One like it is proposed: the same cells in the same memory, what it copies or clears, and its element types."""
    gone = ARRAY.instruction(name)
    found = admitted(product(), without(ARRAY, name))
    made = [e.instruction for every in found for e in every if isinstance(e, Add)]
    assert all(len(every) == 1 for every in found)
    assert any(
        (i.places, i.types) == (gone.places, gone.types)
        or (i.target and sorted(m for _, m in i.places) == sorted(m for _, m in gone.places) and i.kind == gone.kind)
        for i in made
    )


@pytest.mark.parametrize("names", [("clear", "load_a"), ("clear", "store"), ("load_b", "store")])
def test_two_edits_where_one_is_not_enough(names: tuple[str, str]) -> None:
    found = admitted(product(), without(ARRAY, *names))
    assert found
    assert all(len(every) == 2 for every in found)


def test_what_is_said_is_what_is_missing() -> None:
    found = asked(product(), without(ARRAY, "clear", "load_a"))
    assert found.planned is not None
    assert len(found.planned.reasons) == 2
    assert told(found)[0] == (
        "add an instruction that begins 16x16 sums in sums at 0 and add a load of 16x16 i8 into a_pad"
    )


@pytest.mark.parametrize(("a", "b", "operand"), [("k,i", "k,j", "a"), ("i,k", "j,k", "b")])
def test_a_transposed_operand(a: str, b: str, operand: str) -> None:
    """A plan that leaves an axis unused is one; a load that takes columns for rows admits one that uses all."""
    found = asked(product(a, b), ARRAY)
    assert found.planned is not None
    assert found.planned.partial
    assert told(found) == [
        f'give load_{operand} places={{"s": "{operand}_pad[r,c]", "m": "memory[r*down + c*right]"}}',
        f"add a load of 16x16 i8 into {operand}_pad, transposed",
    ]
    admitted(product(a, b), ARRAY)


def test_a_free_stride() -> None:
    dense = altered(ARRAY, "load_a", steps=(("m", (16, 1)),))
    found = admitted(product(), dense)
    (given,) = next(every for every in found if isinstance(every[0], Alter))
    assert isinstance(given, Alter)
    assert given.fields == ("places",)
    assert given.line == 'places={"s": "a_pad[r,c]", "m": "memory[r*down + c]"}'
    assert address_of(given.instruction.kernel, "m", dict(given.instruction.steps)["m"]).steps == ("down", 1)


PADDED = im.kernel(
    "Y[p,m] += i32(X[p+r-1,c]) * i32(W[r,c,m]) where 0 <= p+r-1 < P", name="padded", sizes={"r": 3},
    dtypes={"Y": "i32", "X": "i8", "W": "i8"},
)  # fmt: skip


def test_padding() -> None:
    found = admitted(PADDED, altered(ARRAY, "load_a", front=()), {"p": 32, "c": 16, "m": 16})
    assert (Alter(ARRAY.instruction("load_a"), ("front",)),) in found


def test_tiles_at_the_rim() -> None:
    """Without sizes: a move that always takes whole tiles is given what says how many points there are."""
    whole = altered(ARRAY, "load_a", active=(), front=(), beyond="kept")
    assert any(
        isinstance(e, Alter) and e.fields == ("active", "beyond")
        for every in admitted(product(), whole, {})
        for e in every
    )


def test_a_larger_memory() -> None:
    """Both inputs in one scratchpad, which has room for one tile."""
    small = machine(Shape())
    memories = tuple(replace(m, capacity=m.row * 8) if m.name == "scratchpad" else m for m in small.memories)
    gemm = im.kernel("C[i,j] += A[i,k] * B[k,j]", name="gemm_f32")
    found = admitted(gemm, replace(small, memories=memories), {"i": 16, "j": 16, "k": 16})
    assert found == [(Enlarge("scratchpad", 2 * 8 * 32),)]


def test_the_fewest_bits() -> None:
    narrow = replace(ARRAY, memories=tuple(replace(m, bits=20 * (m.name == "sums")) for m in ARRAY.memories))
    found = admitted(product(), narrow)
    assert found == [(Widen("sums", 22),)]
    with pytest.raises(im.IsamapError):
        im.plan(product(), edited(narrow, (Widen("sums", 21),)), sizes=SIZES)


def test_sums_begin_on_the_engine_that_computes() -> None:
    found = admitted(product(), altered(ARRAY, "clear", engine="dma_in"))
    assert (Alter(ARRAY.instruction("clear"), ("engine",)),) in found


def test_results_of_another_type() -> None:
    kernel = im.kernel(
        "temporary T\nT[i,j] += i32(A[i,k]) * i32(B[k,j])\nY[i,j] = sat_i8(T[i,j] + b[j])", name="bytes",
        dtypes={"T": "i32", "A": "i8", "B": "i8", "b": "i32", "Y": "i8"},
    )  # fmt: skip
    ((made,),) = admitted(kernel, ARRAY)
    assert isinstance(made, Add)
    assert made.instruction.kernel.text.strip() == "m[r,c] = sat_i8(s[r,c] + b[c])"


def test_nothing_is_named_where_the_kernel_is_at_fault() -> None:
    """Both a sum and what is made of it are results, and only one is stored: no machine does that."""
    kernel = im.kernel(
        "T[i,j] += i32(A[i,k]) * i32(B[k,j])\nY[i,j] = max(T[i,j], 0)",
        name="both",
        dtypes={"A": "i8", "B": "i8", "T": "i32", "Y": "i32"},
    )
    found = asked(kernel, ARRAY)
    assert found.legal
    assert found.planned is not None
    assert found.planned.cycles is None
    assert not found.helped
    assert edits(found) == []
    assert "add the line 'temporary T'" in found.planned.reasons[0]


def test_more_edits_than_are_tried() -> None:
    """Nothing that moves is left: no three edits do, and none is named."""
    found = asked(product(), without(ARRAY, "load_a", "load_b", "clear", "store"))
    assert edits(found) == []
    assert found.planned is not None
    assert len(found.planned.reasons) == 3
    assert any("no 3 edits" in line for line in lines([found]))


@pytest.mark.parametrize("names", [("load_a",), ("clear", "store")])
def test_the_line_is_the_instruction(names: tuple[str, ...]) -> None:
    """What is printed, run as Python, describes the instruction that was planned with."""
    for every in edits(asked(product(), without(ARRAY, *names))):
        for e in every:
            assert isinstance(e, Add)
            assert eval(e.line, {"im": im}) == e.instruction  # noqa: S307 - our own line


def test_of_several_kernels() -> None:
    """An edit that helps two kernels is counted once for each."""
    found = [asked(product("k,i"), ARRAY), asked(product("k,i", "j,k"), ARRAY), asked(product(), ARRAY)]
    assert "add a load of 16x16 i8 into a_pad, transposed: 1 more kernel planned" in lines(found)
    batch = im.kernel("C[z,i,j] += i32(A[z,k,i]) * i32(B[z,k,j])", name="batch", dtypes=BYTES)
    found.append(asked(batch, ARRAY, {**SIZES, "z": 2}))
    assert "add a load of 16x16 i8 into a_pad, transposed: 2 more kernels planned" in lines(found)


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    source = Path(__file__).parents[2] / "examples" / "weight_array.py"
    text = source.read_text().replace('load("load_a", "dma_in"),', "")
    (tmp_path / "less.py").write_text(text)
    spec = f"{tmp_path / 'less.py'}:MACHINE"
    assert run(["why", "gemm@i=64,j=64,k=64", spec]) == 1
    printed = capsys.readouterr().out
    assert "no plan on array" in printed
    assert '    im.instruction("load_a_pad", "s[r,c] = m[r,c]", ' in printed
    assert run(["why", "gemm", f"{spec}.product", "--sizes", "i=64,j=64,k=64", "--json"]) == 1
    (answer,) = json.loads(capsys.readouterr().out)
    assert answer["planned"]["cycles"] is None
    first = answer["planned"]["edits"][0]
    assert first["cycles"] > 0
    assert first["edits"][0]["kind"] == "add"
    assert first["edits"][0]["line"].startswith('im.instruction("load_')
    assert run(["why", "gemm", f"{source}:MACHINE"]) == 0
    assert "planned on array" in capsys.readouterr().out
