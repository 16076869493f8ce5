"""No name of a user or of a description meets one that isamap prints in C, whatever either is called."""

from __future__ import annotations

import re
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "attacks"))

import clashing_names as names

import isamap_hardware
import isamap_smt as im
from isamap_smt.codegen.c_printer import _text
from isamap_smt.ir.c_names import KEYWORDS, STANDARD, c_string, comment_lines, reserved
from isamap_smt.ir.c_text import filled
from isamap_smt.ir.errors import LanguageError
from isamap_smt.ir.instruction import Instruction
from isamap_smt.runtime.cache import build_library
from isamap_smt.runtime.compiled import _by_hand
from isamap_smt.runtime.packing import used_instructions
from isamap_smt.runtime.simde import find_simde
from isamap_smt.targets.gemmini import sources as gemmini
from isamap_smt.targets.vta import sources as vta
from tests.codegen.pinned import ALL
from tests.families import with_one

WORD = r"(?<![\w.])[A-Za-z_]\w*"
IN_TESTS = [("amx", 0), ("avx2", 0), ("scalar", 0)]  # the other machines have vectors as `avx2`
needs_avx2 = pytest.mark.needs("avx2", "fma")


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("machine", "seed"),
    [
        pytest.param(m, s, marks=() if (m, s) in IN_TESTS else pytest.mark.exhaustive)
        for m in names.MACHINES
        for s in (0, 1)
    ],
)
def test_names_drawn_to_clash(machine: str, seed: int) -> None:
    names.check(machine, seed)


def product(c: str, a: str, b: str) -> im.Kernel:
    return im.kernel(f"{c}[i,j] += i32({a}[i,k]) * i32({b}[k,j])", dtypes={a: "i8", b: "i8", c: "i32"})


def bytes_of(rows: int, columns: int) -> np.ndarray:
    return np.random.default_rng(rows).integers(-128, 128, (rows, columns)).astype(np.int8)


@pytest.mark.parametrize(
    ("c_a_b", "emulated"),
    with_one(["C part_ B", "C part words_", "part_ rows_ words_", "tiles t p", "stride some r"], [False, True]),
)
def test_tensors_called_like_locals_of_macros(c_a_b: str, emulated: bool) -> None:
    """Macros of amx.py declare `part_`, `rows_` and `words_`: 80 of 400 cells were wrong, or the process died."""
    kernel, sizes = product(*c_a_b.split()), {"i": 20, "j": 20, "k": 64}
    a, b = bytes_of(20, 64), bytes_of(64, 20)
    if emulated:
        if find_simde() is None:
            pytest.skip("SIMDe (libsimde-dev) is not installed")
        planned = im.plan(kernel, "amx", sizes=sizes)
        requires = {f for i in used_instructions(planned.program) for f in i.requires}
        run = _by_hand(planned.program, planned.source, build_library(planned.source, requires, simde=True))
    else:
        run = names.compiled("amx", kernel, sizes)
    assert (run(a, b) == a.astype(np.int32) @ b.astype(np.int32)).all()


def avx2(emit: str, **pieces: Any) -> im.Hardware:
    """AVX2 with one instruction for f32, whose C is this."""
    machine = im.find_hardware("avx2")
    own = im.instruction(
        "avx2.own", "c[l] += a[l] * b[l]", axes={"l": 8}, dtypes=dict.fromkeys("abc", "f32"),
        rounding="unfused" if "_mul_ps" in emit else "fused",
        places=dict.fromkeys("abc", "ymm"), emit=emit, requires=("avx2", "fma"), c_types=dict.fromkeys("abc", "__m256"), **pieces,
    )  # fmt: skip
    return im.Hardware("mine", machine.memories, machine.links, (own, *machine.moves))


def right(machine: im.Hardware, kernel: im.Kernel | str = "C[i,j] += A[i,k] * B[k,j]", **options: Any) -> bool:
    """Whether the machine's product of small integers is NumPy's."""
    given = im.kernel(kernel) if isinstance(kernel, str) else kernel
    run = im.compile(given, machine, sizes={"i": 5, "j": 12, "k": 9}, **options)
    rng = np.random.default_rng(5)
    a, b = (rng.integers(-4, 5, s).astype(np.float32) for s in ((5, 9), (9, 12)))
    return bool((run(a, b) == a @ b).all())


ACC = "{{ __m256 acc = _mm256_mul_ps({a},{b}); {c} = _mm256_add_ps({c}, acc); }}"


@needs_avx2
@pytest.mark.parametrize(
    ("emit", "fix"),
    with_one(
        [
            ACC,  # 59 of 60 cells were wrong
            ACC[1:-1].strip("{} "),  # the same declared at the level of the loop, again and again in one block
            "float *C = 0, *A = 0, *B = 0; int i0 = 0, k0 = 0; (void)C, (void)A, (void)B, (void)i0, (void)k0; "
            "{c} = _mm256_fmadd_ps({a}, {b}, {c});",
            "const __m256 a_r = {b}, b_r = {a}, acc_0 = {c}; {c} = _mm256_fmadd_ps(b_r, a_r, acc_0);",
            "typedef __m256 int64; enum {{ n_I, tensors }}; int64 t = {a}; {c} = _mm256_fmadd_ps(t, {b}, {c});",
        ],
        [{"register.i": 1, "register.j": 8}, {"register.i": 4, "register.j": 8}],
    ),
)
def test_locals_of_an_emit(emit: str, fix: dict[str, int]) -> None:
    emit = emit if emit.endswith((";", "}")) else emit + ";"
    assert right(avx2(emit), fix=fix)


@needs_avx2
def test_a_local_called_like_a_function_of_another_prelude() -> None:
    """The masked moves of AVX2 call avx2_mask32, in the same block."""
    assert right(
        avx2("__m256 avx2_mask32 = {a}; {c} = _mm256_fmadd_ps(avx2_mask32, {b}, {c});"), fix={"register.j": 16}
    )


@needs_avx2
def test_macros_of_a_prelude_do_not_reach_the_printed_c() -> None:
    """Of names that are printed without their prefix, and of all that a helper function calls its own."""
    words = [
        "A",
        "B",
        "C",
        "i0",
        "k0",
        "acc_0",
        "a_r",
        "b_r",
        "n_I",
        "tensors",
        "sizes",
        "threads",
        "share",
        "count",
        "part",
        "state",
        "lock",
        "from",
        "to",
    ]
    text = "".join(f"#define {w} 7\n" for w in words)
    assert right(avx2("{c} = _mm256_fmadd_ps({a}, {b}, {c});", prelude=text), threads=2)


def test_a_macro_that_another_instruction_of_the_program_says_is_refused() -> None:
    """At the machine, and again where the mapping's instruction is of another machine than the moves."""
    with pytest.raises(LanguageError, match=r"defines the macro avx2_mask32, which the C of avx2\.\w+ holds"):
        avx2("{c} = _mm256_fmadd_ps({a}, {b}, {c});", prelude="#define avx2_mask32 7")


def test_operands_are_closed_expressions() -> None:
    given = {"a": "im_A + 4 * im_i", "b": "-8", "r": "im_r", "n": "isamap_max(0, im_n)", "two": "f(1) + f(2)"}
    for code, text in {
        "{r} = *{a};": "im_r = *(im_A + 4 * im_i);",
        "{r} = {a} * {b};": "im_r = (im_A + 4 * im_i) * (-8);",
        "{r} = f({a}, {b}, {n});": "im_r = f(im_A + 4 * im_i, -8, isamap_max(0, im_n));",
        "{r} = ({a})[1] - {b};": "im_r = (im_A + 4 * im_i)[1] - (-8);",
        "{r} = 2 * {n} + {two};": "im_r = 2 * isamap_max(0, im_n) + (f(1) + f(2));",
        "{{ {r} = 1; }}": "{ im_r = 1; }",
    }.items():
        assert filled(code, given) == text
    assert filled("{r} = F({a});", given, frozenset("F")) == "im_r = F((im_A + 4 * im_i));"


def scalar(load: str, prelude: str = "") -> im.Hardware:
    """The portable machine, with this load of f32."""
    machine = im.find_hardware("scalar")
    own = im.instruction(
        "scalar.load_f32", "r[] = m[]", axes={}, dtypes=dict.fromkeys("rm", "f32"), places={"r": "scalar", "m": "memory"},
        emit=load, c_types={"r": "float"}, headers=("stdint.h",), prelude=prelude,
    )  # fmt: skip
    rest = (i for i in machine.instructions if i.short != "load_f32")
    return im.Hardware("mine", machine.memories, machine.links, (own, *rest))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("load", "prelude"),
    [
        ("{r} = *{m};", ""),
        ("{r} = {m}[0];", ""),
        ("{r} = *(const float *)(const void *){m};", ""),
        ("{r} = AT({m});", "#define AT(p) *p"),
        ("{r} = 0 [{m}];", ""),
        ("float i = *{m}; {r} = i;", ""),
    ],
)
def test_an_address_is_one_operand_wherever_it_stands(load: str, prelude: str) -> None:
    assert right(scalar(load, prelude))


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "name",
    [
        "*/ int x; /*",
        "a\nb\n#error no\n",
        "ends\\",
        "ends\\\r\n",
        "??/",
        "\u202e\u2028x",
        "main",
        "a??/\n*/",
        '"',
        "\f#if 0\v",
    ],
)
def test_a_kernel_may_be_called_anything(name: str) -> None:
    assert right(im.find_hardware("scalar"), im.kernel("C[i,j] += A[i,k] * B[k,j]", name=name))


def test_texts_in_comments_and_strings(tmp_path: Path) -> None:
    odd = '*/ \\ \n ?\u003f/ \x00\x7f " \u00e4 /* // \\'
    assert not any("*/" in line or line.endswith("\\") or not line.isascii() for line in comment_lines(odd))
    comment, literal = " ".join(comment_lines(odd)), c_string(odd[:6] + odd[12:])
    source = f"#include <string.h>\n/* {comment} */\nint same(const char *t) {{ return strcmp(t, {literal}); }}\n"
    assert build_library(source).is_file()


@pytest.mark.parametrize("case", ALL, ids=lambda c: c.name)
def test_every_word_of_the_c_is_kept_for_it(case: Any) -> None:
    """C's own words, those of STANDARD, reserved ones, and what the descriptions in use say."""
    program = case.program()
    used = [i for i in used_instructions(program) if not i.own]
    text = re.sub(r"/\*.*?\*/", " ", _text(program), flags=re.DOTALL)
    first = re.search(r"^(struct isamap_part_0 \{|int isamap_run)", text, re.MULTILINE)
    assert first is not None
    described = [re.sub(r"\{\w+\}", "", t) for i in used for t in (i.emit, *(c for _, c in i.c_types))]
    theirs = set(re.findall(WORD, " ".join(described)))
    said = set(re.findall(WORD, re.sub(r'"[^"]*"', "", text[first.start() :])))
    stray = {w for w in said - KEYWORDS - STANDARD - theirs if not reserved(w) and not w.startswith("__builtin_")}
    assert not stray


def test_no_header_defines_a_name_of_ours() -> None:
    machines = map(isamap_hardware.load, isamap_hardware.names())
    foreign = {h for headers in names.FOREIGN.values() for h in headers}
    assert {h for m in machines for i in m.instructions for h in i.headers} <= {
        *names.HEADERS,
        *foreign,
        gemmini.HEADER,
        vta.HEADER,
    }
    texts = [(guest.GUEST / guest.HEADER).read_text() for guest in (gemmini, vta)]
    own = re.findall(r"^#define (\w+)", "\n".join(texts), re.MULTILINE)
    assert own and not [n for n in own if reserved(n)]
    assert len(names.macros()) > 1000
    assert [n for n in names.macros() if reserved(n)] == []


@pytest.mark.parametrize("target", names.FOREIGN)
def test_no_header_of_another_architecture_defines_a_name_of_ours(target: str) -> None:
    if find_spec("ziglang") is None:
        pytest.skip("the compiler is not installed: pip install ziglang")
    found = names.macros(target)
    assert len(found) > 500
    assert [n for n in found if reserved(n)] == []


def test_the_shipped_machines_are_taken_together() -> None:
    everything: dict[str, Instruction] = {
        i.name: i for m in isamap_hardware.names() for i in isamap_hardware.load(m).at().instructions if not i.engine
    }
    cores = [m for m in map(isamap_hardware.load, isamap_hardware.names()) if not m.engines]
    memories = (x for m in cores for x in m.memories)
    states = tuple(dict.fromkeys(x for x in memories if x.is_state))
    places = {place for i in everything.values() for _, place in i.places} - {
        "memory",
        "code",
        *(s.name for s in states),
    }
    files = tuple(im.Memory(place, 1 << 20, count=64) for place in sorted(places))
    assert im.Hardware("all", (*files, *states), (), tuple(everything.values())).instructions
