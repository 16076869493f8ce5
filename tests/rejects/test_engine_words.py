"""What a machine with engines lacks, or has in vain, is said by its name: the instruction, operand, memory, engine or argument."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.language.hardware_library import find_hardware
from tests.staging.engines import Shape, machine

SPEC = f"{Path(__file__).parents[2] / 'examples' / 'weight_array.py'}:MACHINE"
ARRAY = find_hardware(SPEC)
SIZES = {"i": 64, "j": 32, "k": 64}
KERNEL = im.kernel("C[i,j] += i32(A[i,k]) * i32(B[k,j])", name="bytes", dtypes={"C": "i32", "A": "i8", "B": "i8"})


def altered(m: im.Hardware, name: str, **fields: Any) -> im.Hardware:
    return replace(m, instructions=tuple(replace(i, **fields) if i.name == name else i for i in m.instructions))


def refused(m: im.Hardware, kernel: im.Kernel = KERNEL, **asked: Any) -> str:
    with pytest.raises(im.IsamapError) as error:
        im.stage(kernel, m, **{"sizes": SIZES, **asked})
    return str(error.value)


def notes(m: im.Hardware, kernel: im.Kernel = KERNEL) -> tuple[str, ...]:
    return im.stage(kernel, m, sizes=SIZES).notes


def taken_on(**fields: Any) -> im.Hardware:
    """Sums are taken on to a memory of their own, and stored from there. Nothing begins cells there."""
    acc = im.Memory("acc", 16 << 10, row=64)
    take = im.instruction(
        "take", "x[r,c] = s[r,c]", axes={"r": 16, "c": 16}, dtypes={"x": "i32", "s": "i32"},
        places={"x": "acc[r,c]", "s": "sums[r,c]"}, engine="array", work=im.Work(0, 1, ("r",)),
    )  # fmt: skip
    store = ARRAY.instruction("store")
    store = replace(store, places=tuple((o, "acc" if m == "sums" else m) for o, m in store.places))
    rest = (i for i in ARRAY.instructions if i.name != "store")
    return replace(
        ARRAY, memories=(*ARRAY.memories, acc), instructions=(*rest, store, replace(take, line="", **fields))
    )


def test_sums_are_taken_on_to_a_memory_where_nothing_begins() -> None:
    """The move begins the cells there; and the memory is not said to be passed by nothing."""
    plan = im.stage(KERNEL, taken_on(), sizes=SIZES)
    assert {s.memory for s in plan.schedule.stages} >= {"sums", "acc"}
    assert plan.notes == ()


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"engine": "dma_in"}, "take takes them from sums to acc, but dma_in issues it"),
        ({"active": (("r", "rows"),)}, "take takes them from sums to acc, but a part of a tile, rows"),
    ],
)
def test_what_takes_sums_on_and_does_not_help(fields: dict[str, Any], why: str) -> None:
    assert why in refused(taken_on(**fields))


def test_sums_that_are_taken_on_and_not_stored() -> None:
    m = taken_on()
    m = replace(m, instructions=tuple(i for i in m.instructions if i.name != "store"))
    assert "take takes them from sums to acc, and nothing stores what is asked for from acc either" in refused(m)


@pytest.mark.parametrize("text", ["C[i,j] += i32(A[i,k]) * i32(B[k])", "C[i,j] += i32(A[k]) * i32(B[k,j])"])
def test_an_element_at_all_points_of_an_axis(text: str) -> None:
    """A load whose stride is 0 brings it to all rows of a tile."""
    kernel = im.kernel(text, name="same", dtypes={"C": "i32", "A": "i8", "B": "i8"})
    assert im.stage(kernel, ARRAY, sizes=SIZES).cycles > 0


def test_an_element_at_all_points_through_a_further_memory() -> None:
    kernel = im.kernel("C[i,j] += A[k] * B[k,j]", name="same")
    plan = im.stage(kernel, machine(Shape(further=16, past=False)), sizes={"i": 16, "j": 16, "k": 16})
    assert plan.cycles > 0


def test_a_transposed_place_is_refused_where_it_is_described() -> None:
    i, k = (e for e in ARRAY.instruction("product").indices["a"])
    with pytest.raises(im.IsamapError) as error:
        altered(ARRAY, "product", cells=(("acc", *ARRAY.instruction("product").indices["acc"]), ("a", k, i)))
    assert str(error.value) == (
        "instruction product: a lies in 'a_pad[k,i]', transposed: the contract writes a[i,k], and its first index counts rows; "
        "write a[k,i] in the contract, or 'a_pad[i,k]'"
    )


def test_a_transposed_place_of_a_move_is_a_transposed_move() -> None:
    r, c = ARRAY.instruction("load_a").indices["s"]
    turned = im.kernel("C[i,j] += i32(A[k,i]) * i32(B[k,j])", name="t", dtypes={"C": "i32", "A": "i8", "B": "i8"})
    assert notes(altered(ARRAY, "load_a", cells=(("s", c, r),)), turned) == ()


def test_beyond_that_was_forgotten() -> None:
    left = altered(ARRAY, "load_a", beyond="kept")
    assert im.stage(KERNEL, left, sizes=SIZES).cycles  # whole tiles
    said = refused(left, sizes={"i": 60, "j": 60, "k": 60})
    assert "load_a leaves cells beyond its active points as they were (beyond='kept')" in said
    assert "say beyond='zero'" in said


def test_work_that_was_forgotten() -> None:
    (note,) = notes(altered(ARRAY, "product", work=None))
    assert note == (
        "product says no work: each use is taken to occupy array for 1 cycle; add work=im.Work(start, each, per)"
    )
    (note,) = notes(altered(ARRAY, "product", work=im.Work(0, 0)))
    assert note == "product occupies array for 0 cycles, as its work says; give it some"


def test_engines_that_do_nothing() -> None:
    assert notes(replace(ARRAY, engines=(*ARRAY.engines, im.Engine("spare")))) == (
        "engine spare issues no instruction of array",
    )
    slow = replace(ARRAY.instruction("load_a"), name="load_slowly", engine="spare", work=im.Work(4000, 100, ("r",)))
    both = replace(ARRAY, engines=(*ARRAY.engines, im.Engine("spare")), instructions=(*ARRAY.instructions, slow))
    assert notes(both) == ("engine spare idles in all of this program: it needs none of load_slowly",)


def test_engines_of_one_name() -> None:
    with pytest.raises(
        im.IsamapError, match="two engines are called array; give each a name of its own, or leave one out"
    ):
        replace(ARRAY, engines=(*ARRAY.engines, im.Engine("array")))
    with pytest.raises(im.IsamapError, match="engine 'a b': a name is a letter, then letters, digits and _"):
        replace(ARRAY, engines=(*ARRAY.engines, im.Engine("a b")))


@pytest.mark.parametrize(
    ("asked", "python", "options", "command"),
    [
        ({"fix": {"slots.q": 1}}, "fix={'slots.q': 1}: no such decision for ", ["--fix", "slots.q=1"],
         "--fix slots.q: no such decision for "),
        ({"fix": {"slots.a": 9}}, "fix={'slots.a': 9}: pass a whole number from 1 to 4", ["--fix", "slots.a=9"],
         "--fix slots.a=9: pass a whole number from 1 to 4"),
        ({"fix": {"via.a": "x"}}, "fix={'via.a': 'x'}: no way to move a", ["--fix", "via.a=x"], "--fix via.a=x: no way to move a"),
        ({"instruction": "produkt"}, "instruction='produkt': array computes with no such one; did you mean product?",
         ["--instruction", "produkt"], "--instruction produkt: array computes with no such one; did you mean product?"),
    ],
)  # fmt: skip
def test_python_and_the_command_line_have_their_own_words(
    asked: dict[str, Any], python: str, options: list[str], command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert python in refused(ARRAY, **asked)
    assert run(["schedule", "gemm", SPEC, "--sizes", "i=64,j=32,k=64", *options]) == 3
    assert command in capsys.readouterr().err


def test_plan_and_its_options_of_other_machines() -> None:
    with pytest.raises(im.IsamapError, match=r"threads=2: programs for the engines of array have no such choice"):
        im.plan(KERNEL, ARRAY, sizes=SIZES, threads=2)


def test_shapes_of_an_instruction_are_numbers() -> None:
    with pytest.raises(im.IsamapError) as error:
        im.instruction(
            "x", "c[i] += a[i-1]", axes={"i": 4}, dtypes={"c": "f32", "a": "f32"}, places={"c": "r", "a": "r"}
        )
    assert "declare the shape of a, such as `a: [4]`" in str(error.value)
    declared = "a: [4]\nc[i] += a[i-1] where 1 <= i"
    i = im.instruction("x", declared, axes={"i": 4}, dtypes={"c": "f32", "a": "f32"}, places={"c": "r", "a": "r"})
    assert i.shapes["a"] == (4,)


def test_the_memory_that_overflows_is_named() -> None:
    small = replace(ARRAY, memories=tuple(replace(m, capacity=m.row * 16) for m in ARRAY.memories))
    assert refused(small, fix={"slots.a": 2}).endswith(
        "no plan fits with slots.a=2: a_pad, with its 16 rows, is too small; free a pin, or enlarge a_pad"
    )


@pytest.mark.parametrize("largest", [(1 << 31) - 1])
def test_the_largest_sizes_have_a_plan(largest: int) -> None:
    """Counts that leave 64 bits are shortened, and said; nothing is called too small for it."""
    assert im.stage(KERNEL, ARRAY, sizes=dict.fromkeys("ijk", largest)).cycles > largest


@pytest.mark.parametrize(
    ("engines", "memory", "why"),
    [
        (
            False,
            im.Memory("DRAM", None, bandwidth=8),
            "the machine has no engines; a core's bandwidth is that of its links",
        ),
        (
            True,
            im.Memory("spare", 1 << 10, row=32, banks=2),
            "spare has a bandwidth or banks, and no instruction has an",
        ),
        (True, im.Memory("spare", 1 << 10, bandwidth=8), "tensors lie in the memory without a capacity, im.Memory("),
    ],
)
def test_a_bandwidth_that_no_engine_meets_is_refused(engines: bool, memory: im.Memory, why: str) -> None:
    with pytest.raises(im.IsamapError) as error:
        if engines:
            replace(ARRAY, memories=(*ARRAY.memories, memory))
        else:
            im.Hardware("core", (memory,))
    assert why in str(error.value)


def test_tensors_lie_in_one_memory_that_has_a_bandwidth() -> None:
    both = (im.Memory("near", None, kind="main", bandwidth=8), im.Memory("far", None, kind="main"))
    with pytest.raises(im.IsamapError, match="one main memory where near has a bandwidth, and here are near and far"):
        replace(ARRAY, memories=(*ARRAY.memories, *both))


@pytest.mark.parametrize(
    ("text", "sizes", "axes"),
    [
        ("O[2*p+r,k] += i32(A[p,c]) * i32(B[r,c,k])", {"p": 20, "r": 3, "c": 16, "k": 16}, "p, r"),
        ("O[p+q] += i32(A[p,c]) * i32(B[q,c])", {"p": 20, "q": 20, "c": 16}, "p, q"),
    ],
)
def test_sums_that_meet_in_one_element(text: str, sizes: dict[str, int], axes: str) -> None:
    """Windows of a transposed convolution that overlap: told by the element, and not as a program that is refuted."""
    kernel = im.kernel(text, name="meets", dtypes={"O": "i32", "A": "i8", "B": "i8"})
    told = refused(ARRAY, kernel, sizes=sizes)
    assert f"several points of {axes} add to one element of O, and programs for the engines of array" in told
    assert "TRANSPOSED_BY_OUTPUT in examples/convolutions.py" in told and "refuted" not in told


def test_windows_that_do_not_overlap_are_planned() -> None:
    text, sizes = "O[2*p+r,k] += i32(A[p,c]) * i32(B[r,c,k])", {"p": 20, "r": 2, "c": 16, "k": 16}
    kernel = im.kernel(text, dtypes={"O": "i32", "A": "i8", "B": "i8"})
    assert im.stage(kernel, ARRAY, sizes=sizes).proof.proved


def test_a_move_that_leaves_out_points_in_front_is_advised_and_helps() -> None:
    """Rows of zeros before a line: the note names the axis of the move, and the plan with it takes half the cycles or less."""
    unit = find_hardware(f"{Path(__file__).parents[2] / 'examples' / 'outer_product.py'}:MACHINE")
    line = im.kernel("I: [N,P,C]\nO[n,p,k] += I[n,p+r-1,c] * W[r,c,k] where 0 <= p+r-1 < P")
    sizes = {"n": 1, "k": 16, "c": 16, "r": 3}
    plain = im.stage(line, unit, sizes=sizes)
    told = next(n for n in plain.notes if "from the front" in n)
    assert (
        "and gather leaves out points from the end alone; if it can leave out some in front, say front={'c': 'above'}"
        in told
    )
    able = im.stage(line, altered(unit, "gather", front=(("c", "above"),)), sizes=sizes)
    assert able.proof.proved and able.schedule.proved.mapping.id.startswith("i=p,j=k,k=c")
    assert not any("from the front" in n for n in able.notes) and 2 * able.cycles < plain.cycles
    known = {"p": 64} | sizes  # then the rows at which the window leaves the line are phases of their own
    apart = im.stage(line, unit, sizes=known)
    assert "p in parts of 1, 62, 1, each a phase: proved to be equal, over the real numbers" in apart.notes
    assert im.stage(line, able.hardware, sizes=known).cycles < apart.cycles < plain.cycles / 2


def test_one_row_is_told_what_other_numbers_of_rows_are_told() -> None:
    """An axis of one point maps to nothing; with its size open it does, and what is then missing is the reason."""
    text = "temporary C\nC[i,j] += i32(A[i,k]) * i32(B[j,k])\nY[i,j] = i8(C[i,j])"
    kernel = im.kernel(text, name="row", dtypes={"C": "i32", "A": "i8", "B": "i8", "Y": "i8"})
    one, many = (refused(find_hardware("vta"), kernel, sizes={"i": rows, "j": 1024, "k": 768}) for rows in (1, 16))
    assert one == many
    assert "no instruction moves tiles of B from memory to wgt" in one
