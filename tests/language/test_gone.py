"""What descriptions said once by special fields, they say by contracts now: the fields are gone, and old files are told so."""

from __future__ import annotations

from dataclasses import fields
from inspect import signature
from pathlib import Path

import pytest

import isamap_smt as im
from isamap_smt.ir.errors import LanguageError

LIBRARY = Path(im.__file__).parent
GONE = {
    "kind": "leave it out",  # derived from the contract and the places
    "masked": "write active={'l': 'active'}",  # a use parameter for each axis
    "state": "describe the memory, im.Memory\\('tilecfg', 64, kind='state'\\)",  # cells that an instruction writes and others need
    "tiles": "write needs=",
}
PLACES = {
    (
        "r[l] = m[l]",
        "contiguous m",
    ): "leave it out: cells in 'memory' lie next to each other, row by row, unless the place of m says more",
    (
        "r[i,l] = m[i,l]",
        "rows m",
    ): "say in its place where its cells lie: places={'m': 'memory[i*stride + l]'}, in elements",
    (
        "r[i,l] = m[l//4,i,l%4]",
        "rows m",
    ): "say in its place where its cells lie: places={'m': 'memory[(l // 4)*stride + 4*i + l % 4]'}, in elements",
}
STRINGS = (
    'startswith("__m")',
    "is_one_intrinsic",
    "i.masked",
    "instruction.masked",
    "by_rows",
    "row_step",
    "TileConfiguration(",
    '"enum 8"',
    "_behind(",  # the linear chain of memories
    "open_relations",  # tests that the printer left out by itself
    "class Move:",
    "class Exec:",
    "class MachineInstruction",  # a second form of programs, with its proof and its executor
    "class UseProgram",
    "def machine_of",
    "def prove_uses",
    "class Packing",  # a second form of schedules
    "class Staging(",
    "class StagedLoop",
    "class Copy:",  # nodes beside Use
    "class Compute:",
    "turn by turn",  # names that the field has others for: time step, operand staging, peeled boundary, accumulators, untiled ...
    "class Feed",
    "class Border",
    "class Holders",
    ".unbroken",
    "further_statements",
)


@pytest.mark.parametrize(("parameter", "hint"), GONE.items())
def test_an_old_description_is_told_the_new_spelling(parameter: str, hint: str) -> None:
    assert parameter not in signature(im.instruction).parameters
    with pytest.raises(LanguageError, match=rf"^instruction old.load: there is no parameter '{parameter}'; {hint}"):
        im.instruction(
            "old.load", "r[l] = m[l]", axes={"l": 8}, dtypes=dict.fromkeys("rm", "f32"),
            places={"r": "ymm", "m": "memory"}, **{parameter: 1},
        )  # fmt: skip


@pytest.mark.parametrize(("text", "asked"), PLACES)
def test_an_old_precondition_is_told_the_place(text: str, asked: str) -> None:
    with pytest.raises(LanguageError) as caught:
        im.instruction(
            "old.load", text, axes={"i": 4, "l": 8} if "i" in text else {"l": 8}, dtypes=dict.fromkeys("rm", "f32"),
            places={"r": "ymm", "m": "memory"}, preconditions=(asked,),
        )  # fmt: skip
    assert str(caught.value) == f"instruction old.load: there is no precondition {asked!r}; {PLACES[text, asked]}"


def test_no_field_and_no_string_of_them_is_left() -> None:
    assert not {"masked", "state", "tiles"} & {f.name for f in fields(im.Instruction)}
    for file in LIBRARY.rglob("*.py"):
        text = file.read_text()
        assert not [s for s in STRINGS if s in text], file


@pytest.mark.parametrize(("old", "new"), [("Packing", "Stage"), ("prove_uses", "prove_program")])
def test_an_old_name_is_told_the_new_one(old: str, new: str) -> None:
    with pytest.raises(AttributeError, match=f"has no attribute '{old}'; it is {new} now"):
        getattr(im, old)
    assert getattr(im, new)


def test_what_moves_is_derived() -> None:
    def kind(text: str, **places: str) -> str:
        given = {"r": "ymm", **places}
        return im.instruction(
            "a.move", text, axes={"l": 8}, dtypes=dict.fromkeys(given, "f32"), places=given
        ).kind  # fmt: skip

    assert kind("r[l] = m[l]", m="memory") == "load"
    assert kind("r[l] = m[]", m="memory") == "broadcast"
    assert kind("m[l] = r[l]", m="memory") == "store"
    assert kind("r[l] = 0") == "zero"
    assert kind("r[l] += s[l]", s="ymm") == "compute"
