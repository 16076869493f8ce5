"""A program's own instructions are checked before it is compiled, once; wrong results end in a status of their own."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.ir.errors import DescriptionError
from isamap_smt.records.record import compact, sealed
from isamap_smt.runtime.conformance import remembered
from isamap_smt.runtime.conformance.check import RIGHT as IS_RIGHT
from isamap_smt.runtime.conformance.check import WRONG as IS_WRONG
from isamap_smt.runtime.conformance.check import check_instructions
from isamap_smt.runtime.packing import used_instructions

pytestmark = pytest.mark.needs("avx2", "fma")

MACHINE = """
import isamap_smt as im

avx2 = im.find_hardware("avx2")
own = im.instruction(
    "mine.own", {text!r}, axes={{"l": {lanes}}}, dtypes=dict.fromkeys("abc", {dtype!r}), places=dict.fromkeys("abc", "ymm"),
    emit={emit!r}, c_types=dict.fromkeys("abc", {c_type!r}), requires=("avx2", "fma"), rounding={rounding!r},
)
moves = {moves}
M = im.Hardware("mine", avx2.memories, avx2.links, (own, *moves))
"""
FLOATS = {
    "text": "c[l] += a[l] * b[l]",
    "lanes": 8,
    "dtype": "f32",
    "c_type": "__m256",
    "rounding": "fused",
    "moves": "avx2.moves",
}
RIGHT = FLOATS | {"emit": "{c} = _mm256_fmadd_ps({a}, {b}, {c});"}
WORDS = """[
    im.instruction(f"mine.{n}", t, axes={"l": 16}, dtypes=dict.fromkeys("rm" if k != "zero" else "r", "i16"), emit=e,
                   places={"r": "ymm"} | ({} if k == "zero" else {"m": "memory"}), requires=("avx2",),
                   c_types={"r": "__m256i"}, headers=H)
    for H in [("immintrin.h", "stdint.h", "string.h")]
    for n, k, t, e in [
        ("load", "load", "r[l] = m[l]", "{r} = _mm256_loadu_si256((const __m256i *)({m}));"),
        ("broadcast", "broadcast", "r[l] = m[]", "{r} = _mm256_set1_epi16(*({m}));"),
        ("zero", "zero", "r[l] = 0", "{r} = _mm256_setzero_si256();"),
        ("store", "store", "m[l] = r[l]", "_mm256_storeu_si256((__m256i *)({m}), {r});"),
    ]
]"""
WRONG = {
    "subtracts": FLOATS | {"emit": "{c} = _mm256_fmsub_ps({a}, {b}, {c});"},
    "overwrites": FLOATS | {"emit": "{a} = _mm256_mul_ps({a}, {b}); {c} = _mm256_add_ps({c}, {a});", "rounding": "unfused"},
    "saturates": {
        "text": "c[l] += a[l] * b[l]", "lanes": 16, "dtype": "i16", "c_type": "__m256i", "rounding": "exact", "moves": WORDS,
        "emit": "{c} = _mm256_adds_epi16({c}, _mm256_mullo_epi16({a}, {b}));",
    },
}  # fmt: skip


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache."""
    monkeypatch.setenv("ISAMAP_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def kept(fresh: Path) -> dict[str, str]:
    """The records of what was right, by key."""
    if not (fresh / remembered.FILE).exists():
        return {}
    with closing(sqlite3.connect(fresh / remembered.FILE)) as c:
        return dict(c.execute("SELECT key, text FROM record"))


def machine(place: Path, description: dict[str, object]) -> str:
    """A file with that machine, as the command line names it."""
    place.mkdir(exist_ok=True)
    (place / "mine.py").write_text(MACHINE.format(**description))
    return f"{place / 'mine.py'}:M"


def question(description: dict[str, object]) -> list[str]:
    types = ",".join(f"{t}={description['dtype']}" for t in "ABC")
    return ["--sizes", "i=16,j=32,k=16", "--dtypes", types, "--instruction", "own"]


@pytest.mark.parametrize(
    ("name", "command"), [*((name, "run") for name in WRONG), ("subtracts", "compile"), ("subtracts", "tune")]
)
def test_a_wrong_instruction_is_neither_run_nor_compiled(
    name: str, command: str, fresh: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = machine(tmp_path / "m", WRONG[name])
    rest = question(WRONG[name])
    words = {
        "run": ["run", "gemm", where, "--seconds", "0", *rest],
        "compile": ["compile", "gemm", where, "-o", str(tmp_path / "out"), *rest],
        "tune": ["tune", "gemm", "--hardware", where, "--trials", "1", *rest],
    }[command]
    assert run(words) == 5
    said = capsys.readouterr().err
    assert "mine.own does not do what its description says" in said
    assert "isamap check-hardware" in said
    assert not (tmp_path / "out").exists()
    assert all("mine.own" not in text for text in kept(fresh).values())


def test_two_instructions_of_one_name_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = machine(tmp_path / "m", RIGHT | {"moves": "(*avx2.moves, im.instruction('mine.own', 'r[l] = 0', axes={'l': 8}, "
                    "dtypes={'r': 'f32'}, places={'r': 'ymm'}))"})  # fmt: skip
    assert run(["check-hardware", where]) == 3
    assert (
        "mine has two instructions of the name mine.own, at mine.py line 5 and mine.py line 9"
        in capsys.readouterr().err
    )


def test_the_answer_is_remembered_by_the_description(
    fresh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    real = remembered.check_instructions

    def counted(chosen: tuple[im.Instruction, ...], *rest: object, **more: object) -> object:
        asked.extend(i.name for i in chosen)
        return real(chosen, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(remembered, "check_instructions", counted)
    where = machine(tmp_path / "m", RIGHT)
    a, b = np.ones((4, 4), np.float32), np.ones((4, 8), np.float32)

    def product(hardware: im.Hardware) -> np.ndarray:
        return im.compile("gemm", hardware, sizes={"i": 4, "j": 8, "k": 4}, instruction="own")(a, b)

    hardware = im.find_hardware(where)
    assert (product(hardware) == 4).all() and asked == ["mine.own"]  # and not AVX2's moves, which are shipped
    assert (product(hardware) == 4).all() and asked == ["mine.own"]
    ((key, text),) = kept(fresh).items()
    other = sealed(remembered.KIND, {"instruction": "mine.own", "results": 1, "key": "of another"})
    for damaged in ("", "{}", "[", json.dumps({"instruction": "other", "digest": key}), text[:-9], compact(other)):
        with closing(sqlite3.connect(fresh / remembered.FILE)) as c, c:
            c.execute("UPDATE record SET text = ?", (damaged,))
        asked.clear()
        product(hardware)
        assert asked == ["mine.own"]
    dearer = replace(hardware.computes[0], cost=im.Cost(9.0, 1.0))
    asked.clear()
    product(replace(hardware, instructions=(dearer, *hardware.moves)))
    assert asked == []
    edited = replace(hardware.computes[0], emit="{c} = _mm256_fmadd_ps({b}, {a}, {c});")
    product(replace(hardware, instructions=(edited, *hardware.moves)))
    assert asked == ["mine.own"]


def test_an_edited_copy_of_a_shipped_instruction_is_checked(fresh: Path) -> None:
    avx2 = im.find_hardware("avx2")
    assert all(
        remembered.is_tested(i) for m in ("avx2", "avx512", "amx", "scalar") for i in im.find_hardware(m).instructions
    )
    edited = replace(avx2.instruction("fmadd_ps"), emit="{c} = _mm256_fmsub_ps({a}, {b}, {c});")
    copy = replace(avx2, instructions=(edited, *avx2.moves))
    with pytest.raises(DescriptionError, match=r"avx2\.fmadd_ps does not do what its description says"):
        im.compile("gemm", copy, sizes={"i": 4, "j": 8, "k": 4})


def test_scalar_code_of_a_kernel_is_our_own(fresh: Path) -> None:
    compiled = im.compile(im.kernel("C[i] = max(A[i], 2.0) * A[i]"), "scalar", sizes={"i": 9})
    assert not [n for n in compiled.notes if "checked" in n] and not kept(fresh)


def test_what_this_cpu_lacks_is_said_and_not_remembered(
    fresh: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembered, "missing_features", lambda _: ("fma",))
    where = machine(tmp_path / "m", RIGHT)
    assert run(["compile", "gemm", where, "-o", str(tmp_path / "out"), "--json", *question(RIGHT)]) == 0
    out, err = capsys.readouterr()
    assert "note: mine.own was not checked: this CPU has no fma" in err
    assert "mine.own was not checked: this CPU has no fma" in json.loads(out)["notes"]
    assert not kept(fresh)


def test_a_wrong_result_has_a_status_of_its_own(
    fresh: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a check missed it: the reproduction that printed `largest error 2.00e+00` and was content."""
    from isamap_smt.runtime import compiled as build

    monkeypatch.setattr(build, "require_checked", lambda *_: ())
    for name, said in (("subtracts", "C differs by"), ("saturates", "C is not the exact result: C[")):
        where = machine(tmp_path / "m", WRONG[name])
        words = ["run", "gemm", where, "--seconds", "0", *question(WRONG[name])]
        assert run(words) == 6
        out, err = capsys.readouterr()
        assert f"error: the result is wrong: {said}" in err and "WRONG" in out
        assert run([*words, "--json"]) == 6
        document = json.loads(capsys.readouterr().out)
        assert said in document["wrong"] and document["exact"] is False


def test_covers_of_several_statements_are_checked_each_though_they_share_a_name() -> None:
    text = "temporary e\ne[i,n] = exp(x[i,n] - 1)\ny[i,n] = e[i,n] * e[i,n] + x[i,n]"
    program = im.plan(im.kernel(text, name="covers"), "avx2", sizes={"i": 64, "n": 300}).program
    first, second = (i for i in used_instructions(program) if i.kind == "compute")
    assert first.name == second.name
    assert "_mm256_sub_ps" in first.emit
    wrong = replace(first, emit=first.emit.replace("_mm256_sub_ps", "_mm256_add_ps"))
    for chosen, expected in (((wrong, second), [IS_WRONG, IS_RIGHT]), ((second, first), [IS_RIGHT, IS_RIGHT])):
        assert [c.status for c in check_instructions(chosen, im.find_hardware("avx2"))] == expected
