"""Where cells lie in main memory: what a place says of it, and what it may not say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import isamap_smt as im
from isamap_smt.ir.addresses import Steps
from isamap_smt.ir.errors import HardwareError, LanguageError
from isamap_smt.ir.expr import sym

ROWS, GROUPS, BACK = "r[i,k] = m[i,k]", "r[i,k] = m[i,k//4,k%4]", "r[i,k] = m[i,7-k]"


def load(place: str, text: str = ROWS, **more: object) -> im.Instruction:
    return im.instruction(
        "x.load", text, axes={"i": 4, "k": 8}, dtypes=dict.fromkeys("rm", "f32"), places={"r": "ymm", "m": place},
        c_types={"r": "__m256"}, **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("place", "text", "steps", "shown"),
    [
        ("memory", ROWS, (), "8*i + k"),
        ("memory[i*8 + k]", ROWS, (), "8*i + k"),
        ("memory[i*stride + k]", ROWS, ("stride", 1), "i*stride + k"),
        (" memory [ k + stride * i ] ", ROWS, ("stride", 1), "i*stride + k"),
        ("memory[r0*i + 2*k]", ROWS, ("r0", 2), "i*r0 + 2*k"),
        ("memory[i*down + right*k]", ROWS, ("down", "right"), "i*down + k*right"),
        ("memory[i*16 + k]", ROWS, (16, 1), "16*i + k"),
        ("memory", GROUPS, (), "8*i + 4*(k // 4) + k % 4"),
        ("memory[i*4 + k//4*stride + k%4]", GROUPS, (4, "stride", 1), "4*i + (k // 4)*stride + k % 4"),
        ("memory[i*32 + 3*(7 - k)]", BACK, (32, 3), "32*i + 3*(7 - k)"),
    ],
)
def test_an_address_is_a_sum_of_indices(place: str, text: str, steps: Steps, shown: str) -> None:
    made = load(place, text)
    assert dict(made.places)["m"] == "memory" and dict(made.steps).get("m", ()) == steps
    assert str(made.address("m")) == shown
    assert made.strides == tuple(s for s in steps if isinstance(s, str))


def test_strides_are_read_from_where_cells_lie() -> None:
    i, k, n = sym("i"), sym("k"), sym("N")
    rows, both = load("memory[i*stride + k]").address("m"), load("memory[i*down + k*right]").address("m")
    assert rows.strides(n * (3 + i) + k + 5) == {"stride": n} and rows.apart(n * (3 + i) + k + 5) == 0
    assert rows.apart(n * i + 2 * k) == k
    assert both.strides(n * k + i) == {"down": 1, "right": n} and both.apart(n * k + i) == 0
    assert both.apart(i * i + k) == i * i - i
    groups = load("memory[i*4 + k//4*stride + k%4]", GROUPS).address("m")
    at = groups.form.subs(sym("stride"), n)
    assert groups.strides(at) == {"stride": n} and groups.apart(at) == 0
    assert load("memory").address("m").apart(n * i + k) == n * i - 8 * i


SUM = "write its address as a sum of its indices (i, k), each once and times one number or one stride at most"


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("memory[i*stride + k", f": {SUM}"),
        ("memory[]", f": {SUM}"),
        ("memory[i*stride +]", f": {SUM}"),
        ("memory[i, k]", f", and '(i, k)' is no index with its step; {SUM}"),
        ("memory[i*stride + q]", f", and 'q' is no index with its step; {SUM}"),
        ("memory[q*stride + k]", f", and 'q * stride' is no index with its step; {SUM}"),
        ("memory[i*k]", f", and 'i * k' is no index with its step; {SUM}"),
        ("memory[i*i + k]", f", and 'i * i' is no index with its step; {SUM}"),
        ("memory[i*a*b + k]", f", and 'i * a * b' is no index with its step; {SUM}"),
        ("memory[i*stride + k + 1]", f", and '1' is no index with its step; {SUM}"),
        ("memory[i*stride - k]", f", and 'i * stride - k' is no index with its step; {SUM}"),
        (
            "memory[i*(stride + 1) + k]",
            ", and 'stride + 1' is no step: write a number of elements, 1 or more, or a name",
        ),
        ("memory[i*stride]", f", and k is missing; {SUM}"),
        ("memory[i*stride + k + i]", f", and i stands there twice; {SUM}"),
        ("memory[i*0 + k]", ", and '0' is no step: write a number of elements, 1 or more, or a name"),
        ("memory[i*1.5 + k]", ", and '1.5' is no step: write a number of elements, 1 or more, or a name"),
    ],
)
def test_what_is_no_sum_of_indices(place: str, said: str) -> None:
    with pytest.raises(LanguageError) as caught:
        load(place)
    assert str(caught.value) == f"instruction x.load: m lies in {place!r}{said}"


@pytest.mark.parametrize(
    ("place", "text", "said"),
    [
        ("memory[i*s + k*s]", ROWS, "the stride 's' of m is a stride already"),
        ("memory[i*m + k]", ROWS, "the stride 'm' of m is an operand already"),
        ("memory[i*r + k]", ROWS, "the stride 'r' of m is an operand already"),
        ("memory[i*some + k]", ROWS, "the stride 'some' of m is a number of active points already"),
        ("memory[i*k + k//4*4 + k%4]", GROUPS, "the stride 'k' of m is an axis already"),
        (
            "memory[i*8 + (7 - k)*s]",
            BACK,
            "m has the stride 's' along 7 - k; strides stand with an axis, or with one // or % by a",
        ),
    ],
)
def test_a_stride_has_a_name_and_an_axis_of_its_own(place: str, text: str, said: str) -> None:
    with pytest.raises(LanguageError) as caught:
        load(place, text, active={"i": "some"}, beyond="zero")
    assert str(caught.value).startswith(f"instruction x.load: {said}")


def test_steps_are_checked_without_their_text() -> None:
    made = load("memory[i*stride + k]")
    assert replace(made, steps=()).strides == ()
    for steps in (
        (("m", ("stride",)),),
        (("r", ("stride", 1)),),
        (("m", ("i", 1)),),
        (("m", (8.0, 1)),),
        (("m", None),),
        "memory",
    ):
        with pytest.raises(LanguageError, match=r"^instruction x\.load: (steps|the stride)"):
            replace(made, steps=steps)  # type: ignore[arg-type]


def test_the_line_of_a_file_is_told(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import isamap_smt as im\n\nMINE = im.instruction('x.f', 'r[l] = m[l]', axes={'l': 4}, dtypes=dict.fromkeys('rm', 'f32'),\n"
        "    places={'r': 'xmm', 'm': 'memory[l*l]'})\n"
    )
    with pytest.raises(HardwareError) as caught:
        im.find_instruction(f"{file}:MINE")
    assert "mine.py line 3:\ninstruction x.f: m lies in 'memory[l*l]', and 'l * l' is no index" in str(caught.value)


def test_emit_has_the_strides_of_its_place() -> None:
    assert load("memory[i*stride + k]", emit="{r} = f({m}, 4 * {stride});").strides == ("stride",)
    with pytest.raises(LanguageError, match=r"\{stride\} is no operand here"):
        load("memory[i*down + k]", emit="{r} = f({m}, {stride});")
