"""The C of a description may not reach beyond itself: each way that it could is refused with its line."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import isamap_smt as im
from isamap_smt.ir.errors import HardwareError, LanguageError
from isamap_smt.ir.instruction import Instruction

PIECES: dict[str, Any] = {
    "axes": {"l": 8}, "dtypes": dict.fromkeys("abc", "f32"), "places": dict.fromkeys("abc", "ymm"),
    "c_types": dict.fromkeys("abc", "__m256"), "requires": ("avx2", "fma"),
}  # fmt: skip
TYPES = PIECES["c_types"]
FMA = "{c} = _mm256_fmadd_ps({a}, {b}, {c});"


def made(**pieces: Any) -> Instruction:
    return im.instruction("x.fma", "c[l] += a[l] * b[l]", **{**PIECES, "emit": FMA, **pieces})


def load(emit: str, **pieces: Any) -> Instruction:
    return im.instruction(
        "x.load", "r[l] = m[l]", axes={"l": 8}, dtypes=dict.fromkeys("rm", "f32"), places={"r": "ymm", "m": "memory"},
        emit=emit, c_types={"r": "__m256"}, **pieces,
    )  # fmt: skip


EMITS = {
    "{{ __m256 im_acc = {a}; {c} = im_acc; }}": "im_acc is a name that only isamap may use",
    "{c} = isamap_max({a}, {b});": "isamap_max is a name that only isamap may use",
    "{c} = ISAMAP_SHUFFLE({a}, {b});": "ISAMAP_SHUFFLE is a name that only isamap may use",
    '__asm__("" : "+x"({c}) : "x"(im\\\n_acc));': "im_acc is a name that only isamap may use",
    '__asm__("call isamap_run" : "+x"({c}));': "isamap_run is a name that only isamap may use",
    "{c} = {a}; /* sum */": "a comment",
    "{c} = {a}; // sum": "a comment",
    "{c} = {a}; /* sum": "this comment is never closed",
    '{c} = f("{a});': "this string is never closed",
    "{c} = f({a};": "this ( is never closed",
    "{c} = {a});": "this ) closes nothing",
    "{{ {c} = {a};": "this { is never closed",
    "{c} = {a}; }}": "this } closes nothing",
    "{c} = {a}; {": "this { is half of something",
    "{c} = {a}": "the last statement is not ended",
    "if ({a}) return;": "return would leave the statements",
    "for (;;) break;": "break would leave the statements",
    "goto out;": "goto would leave the statements",
    "again: {c} = {a};": "again is a label",
    "switch (1) {{ case 1: {c} = {a}; }}": "switch would leave the statements",
    "#define x 1\n{c} = {a};": "a line for the preprocessor",
    '_Pragma("STDC FP_CONTRACT ON") {c} = {a};': "_Pragma changes how the compiler reads what follows",
    "{c} = {a} ??! {b};": "??! is a trigraph",
    "<% {c} = {a}; %>": "<% is a digraph",
    "{c} = {a};\\": "this backslash would join what follows the text to it",
    "{c} = \\u0069m_A;": "the character '\\\\' is no part of C here",
    "{c} = {q};": "{q} is no operand here",
    "{c} = {};": "{} is no operand here",
    "{c} = {a!r};": "this { is half of something",
    "{c} = {a.x};": "this { is half of something",
    "{c} = {a}{b};": "{a} would grow together with its neighbour",
    "{c} = x{a};": "{a} would grow together with its neighbour",
    "{c} = {a}2;": "{a} would grow together with its neighbour",
    '{c} = f("{a}");': "an operand stands in a string",
    "{c} = {active};": "{active} is no operand here",
    "   ": "this says nothing",
}


@pytest.mark.parametrize("emit", EMITS)
def test_an_emit(emit: str) -> None:
    with pytest.raises(LanguageError) as caught:
        made(emit=emit)
    said = str(caught.value)
    assert said.startswith("instruction x.fma: emit, line ") and EMITS[emit] in said and "^" in said


PRELUDES = {
    "static int im_x;": "im_x is a name that only isamap may use",
    "int isamap_run(void);": "isamap_run is a name that only isamap may use",
    "#define f(x) im_##x": "im_ is a name that only isamap may use",
    "#define f(x) x##_1": "## makes a name of two",
    "#define for if": "#define of for, a word of C",
    "#define int64_t int": "#define of int64_t, a word of C",
    "#undef INT64_C": "#undef of INT64_C, a word of C",
    "#define free(p) 0": "#define of free, a word of C",
    "#define __builtin_prefetch(...) 0": "#define of __builtin_prefetch, a word of C",
    "#define OPEN {": "this { is never closed",
    "static int f(void) {": "this { is never closed",
    "#if 0": "this #if has no #endif",
    "#endif": "#endif without #if",
    "#else\n": "#else without #if",
    "#pragma STDC FP_CONTRACT ON": "#pragma reaches beyond the prelude",
    "#include <math.h>": "#include reaches beyond the prelude",
    "#define __v4di int": "#define of __v4di, a word of C",
    "void free(void *p) { }": "free is defined by C itself",
    "typedef int size_t;": "size_t is defined by C itself",
    "#line 1": "#line reaches beyond the prelude",
    "#include_next <stdint.h>": "#include_next reaches beyond the prelude",
    "/* never": "this comment is never closed",
    "// joins \\": "this backslash would join what follows the text to it",
    "%:define x": "%: is a digraph",
}


@pytest.mark.parametrize("prelude", PRELUDES)
def test_a_prelude(prelude: str) -> None:
    with pytest.raises(LanguageError) as caught:
        made(prelude=("/* two */\n/* lines */", f"static int x;\n{prelude}"))
    said = str(caught.value)
    assert said.startswith("instruction x.fma: prelude 2, line 2, ") and PRELUDES[prelude] in said


OTHERS = [
    ({"c_types": {**TYPES, "a": "enum 8"}}, "c_types of a: 'enum 8' is gone: leave it out, and write needs=('a < 8',)"),
    (
        {"c_types": {**TYPES, "a": "__m256 *"}},
        "c_types of a: '__m256 *' is no type that can stand before a list of variables",
    ),
    ({"c_types": {**TYPES, "a": "static float"}}, "c_types of a: 'static float' is no type"),
    ({"c_types": {**TYPES, "a": "float x; int"}}, "c_types of a: 'float x; int' is no type"),
    ({"c_types": {**TYPES, "a": "im_type"}}, "im_type is a name that only isamap may use"),
    ({"headers": ("stdint.h>\n#define im_A 1\n#include <stdio.h",)}, "is no name of a file, such as 'immintrin.h'"),
]


@pytest.mark.parametrize(("pieces", "said"), OTHERS)
def test_the_rest(pieces: dict[str, Any], said: str) -> None:
    with pytest.raises(LanguageError) as caught:
        made(**pieces)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("emit", "said"),
    [
        ("enter({new});", "emit, line 1, column 13: ; in an expression"),
        ("enter({new}", "emit, line 1, column 6: this ( is never closed"),
        ("enter({cfg})", "emit, line 1, column 7: {cfg} is no operand here"),
    ],
)
def test_what_the_system_may_refuse_is_one_expression(emit: str, said: str) -> None:
    with pytest.raises(LanguageError, match=re.escape(said)):
        im.instruction(
            "x.write", "cfg[x] = new[x]", axes={"x": 8}, dtypes={"cfg": "u8", "new": "u8"}, emit=emit, may_fail=True,
            places={"cfg": "cfg[x]", "new": "code"},
        )  # fmt: skip


@pytest.mark.parametrize(
    "emit",
    [
        "{{ __m256 acc = _mm256_mul_ps({a},{b}); {c} = _mm256_add_ps({c}, acc); }}",
        "__m256 t = {a}; {c} = _mm256_fmadd_ps(t, {b}, {c});",
        "{c} = 1 ? (__m256) {a} : {b};",
        '__asm__("vfmadd231ps %2, %1, %0" : [x] "+x"({c}) : "x"({a}), "x"({b}) : "memory");',
        "do {{ {c} = {a}; }} while (0);",
        "if (1) {{ {c} = {a}; }} else {{{c} = {b};}}",
    ],
)
def test_what_stays_within_itself_is_taken(emit: str) -> None:
    assert made(emit=emit).emit == emit


def test_a_copy_is_checked_too() -> None:
    with pytest.raises(LanguageError, match="im_A is a name that only isamap may use"):
        replace(made(), emit="{c} = im_A;")
    assert replace(made(), prelude="int f(void);").prelude == ("int f(void);",)


def test_words_of_masks_and_rows() -> None:
    assert load("{r} = f({m}, {active});", active={"l": "active"}, beyond="zero").active == (("l", "active"),)
    with pytest.raises(LanguageError, match=r"\{stride\} is no operand here"):
        load("{r} = f({m}, {stride});")
    with pytest.raises(LanguageError, match=r"operand active is called what \{active\} means in emit; rename it"):
        im.instruction(
            "x.load", "r[l] = active[l]", axes={"l": 8}, dtypes={"r": "f32", "active": "f32"}, active={"l": "active"},
            beyond="zero", places={"r": "ymm", "active": "memory"}, emit="{r} = f({active});", c_types={"r": "__m256"},
        )  # fmt: skip


def test_the_line_of_a_file_is_told(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import isamap_smt as im\n\nMINE = im.instruction('x.f', 'c[] += a[]', axes={}, places=dict.fromkeys('ac', 'r'),\n"
        "    dtypes=dict.fromkeys('ac', 'f32'), c_types=dict.fromkeys('ac', 'float'), emit='''{c} +=\n  im_A;''')\n"
    )
    with pytest.raises(HardwareError) as caught:
        im.find_instruction(f"{file}:MINE")
    assert "mine.py line 3:" in str(caught.value) and "emit, line 2, column 3: im_A is a name" in str(caught.value)


def machine(*instructions: Instruction) -> im.Hardware:
    return im.Hardware("x", (), (), instructions)


def test_a_macro_of_one_prelude_in_the_c_of_another_instruction() -> None:
    one = made(prelude="#define square(x) ((x) * (x))")
    other = replace(made(emit="{{ int square = 1; {c} = {a}; }}"), name="x.other")
    with pytest.raises(LanguageError) as caught:
        machine(one, other)
    assert str(caught.value).startswith(
        "instruction x.fma: its prelude defines the macro square, which the C of x.other"
    )
    assert "prelude=(COMMON, OWN)" in str(caught.value)
    assert machine(one, replace(other, prelude=one.prelude))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("#define N 1", "#define N 2"),
        ("#ifndef N\n#define N\nstatic int f(void) { return 1; }\n#endif", "#ifndef N\n#define N\nint g;\n#endif"),
        ("static int f(void) { return 1; }", "static inline int f(void) { return 2; }"),
        ("typedef int f;", "typedef long long f;"),
        ("typedef int f;", "static inline float *f(int a) { return 0; }"),
    ],
)
def test_one_name_in_two_preludes(one: str, other: str) -> None:
    with pytest.raises(LanguageError, match=r"instruction x\.fma: its prelude defines"):
        machine(made(prelude=one), replace(made(prelude=other), name="x.other"))
    common = made(prelude=(one,))
    assert machine(common, replace(common, name="x.other", prelude=(one, "static int own(void) { return 3; }")))
