"""Each wrong description is noticed, and told with words that lead to the mistake."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

import isamap_smt as im
from isamap_smt.language.hardware_library import missing_features
from isamap_smt.runtime.conformance import check_instructions
from isamap_smt.runtime.conformance.outcome import Checked
from tests.conformance.wrong import COMPUTES, FMA, MOVES, TILES, Mistake, compute, move, scattered

ALL = {**COMPUTES, **MOVES, **{f"tile: {n}": m for n, m in TILES.items()}}


TOGETHER = 12  # of one compilation; each runs in a process of its own
Group = tuple[str, ...]


def results_of(name: str) -> int:
    return 5_000 if name in MOVES or name in TILES else 20_000


def group_of(name: str) -> Group:
    """The descriptions that are compiled with this one; one alone that the compiler refuses."""
    mistake = ALL[name]
    if "compile" in mistake.said:
        return (name,)
    alike = [
        n
        for n, m in ALL.items()
        if m.machine is mistake.machine
        and results_of(n) == results_of(name)
        and "compile" not in m.said
        and not missing_features([m.instruction])
    ]
    first = alike.index(name) // TOGETHER * TOGETHER
    return tuple(alike[first : first + TOGETHER])


@cache
def checked(group: Group) -> dict[str, Checked]:
    instructions, first = [ALL[n].instruction for n in group], group[0]
    found = check_instructions(instructions, ALL[first].machine, results=results_of(first))
    return dict(zip(group, found, strict=True))


@pytest.mark.parametrize("name", ALL)
def test_a_wrong_description_is_noticed(name: str) -> None:
    mistake: Mistake = ALL[name]
    if lacking := missing_features([mistake.instruction]):
        pytest.skip(f"this CPU has no {', '.join(lacking)}")
    found = checked(group_of(name))[name]
    assert found.status == "wrong", str(found)
    assert mistake.said in found.reason


@pytest.mark.needs("avx2", "fma")
def test_a_counterexample_shows_the_operands_of_one_lane() -> None:
    (found,) = check_instructions([COMPUTES["subtracts"].instruction], COMPUTES["subtracts"].machine)
    first, contract, operands, wanted, got = found.reason.splitlines()
    assert first.endswith("results are wrong, such as this one:")
    assert contract == "contract: c[l] += a[l] * b[l]"
    assert operands == "operands: a[0] = 0, b[0] = 1, c[0] = 2" or operands.count("[") == 3
    assert wanted.startswith("the description gives c[") and got.startswith("the instruction gave c[")


@pytest.mark.needs("avx2", "fma")
def test_a_rounding_that_was_not_said_is_suggested() -> None:
    for instruction in (compute(FMA, rounding="exact"), COMPUTES["rounds twice"].instruction):
        (found,) = check_instructions([instruction], im.find_hardware("avx2"))
        assert (
            f"right but for rounding='{instruction.rounding}'; 'fused' rounds a product and its sum once"
            in found.reason
        )
    (found,) = check_instructions([COMPUTES["subtracts"].instruction], im.find_hardware("avx2"))
    assert "rounding=" not in found.reason


@pytest.mark.needs("avx2", "fma")
def test_right_descriptions_are_right() -> None:
    """What looks odd and is allowed: no braces needed, a fused negation, a range, an own order of the operands, an alignment."""
    saturating = COMPUTES["beyond the range"].instruction
    allowed = [
        compute(FMA),
        compute("{c} = _mm256_fnmadd_ps({a}, {b}, {c});", "c[l] += -(a[l] * b[l])"),
        replace(saturating, assume=(("a", 0, 127),)),
        compute("{c} = _mm256_add_ps(_mm256_mul_ps({a}, {b}), {c});", rounding="as the compiler likes"),
        move("load", "r[l] = m[l]", "{r} = _mm256_load_ps({m});", preconditions=("aligned m 32",)),
        move("store", "m[l] = r[l]", "_mm256_store_ps({m}, {r});", preconditions=("aligned m 32",)),
        move("load", "r[l] = m[l]", "{r} = _mm256_maskload_ps({m}, my_mask({active}));", active={"l": "active"}, beyond="zero"),
        move("load", "r[l] = m[7-l]", "{r} = _mm256_permutevar8x32_ps(_mm256_loadu_ps({m}), _mm256_setr_epi32(7,6,5,4,3,2,1,0));"),
        move("load", "r[l] = m[l]",
             "{{ float t[8]; for (int l = 0; l < 8; ++l) t[l] = ({m})[l * {step}]; {r} = _mm256_loadu_ps(t); }}",
             places={"r": "ymm", "m": "memory[l*step]"}),
        move("load", "r[l] = m[l]", "{{ float t[8]; for (int l = 0; l < 8; ++l) t[l] = ({m})[2 * l]; {r} = _mm256_loadu_ps(t); }}",
             places={"r": "ymm", "m": "memory[2*l]"}),
        scattered(),
        compute("{c} = {c} + {a} * {b};", "c[] += a[] * b[]", axes={}, dtypes=dict.fromkeys("abc", "f32"),
                c_types=dict.fromkeys("abc", "float"), rounding="unfused"),
    ]  # fmt: skip
    named = [replace(i, name=f"mine.right{n}") for n, i in enumerate(allowed)]
    found = check_instructions(named, im.find_hardware("avx2"), results=4_000)
    assert [str(c) for c in found if c.status != "right"] == []
    assert found[3].how == "within the error bound of its sum"


def test_what_cannot_be_run_is_said() -> None:
    avx2 = im.find_hardware("avx2")
    never = [
        replace(compute(""), name="mine.none"),
        replace(compute(FMA, requires=("avx2", "fma", "sve2")), name="mine.elsewhere"),
        replace(
            compute(FMA, c_types=dict.fromkeys("abc", "__m512"), requires=("avx2", "fma", "avx512f")), name="mine.wide"
        ),
        replace(compute("{c} = {c};", "c[l] += exp(a[l]) * b[l]", rounding="an estimate"), name="mine.words"),
    ]
    found = {c.name: c for c in check_instructions(never[:2] + never[3:], avx2)}
    assert {c.status for c in found.values()} == {"not run"}
    assert "has no `emit`" in found["mine.none"].reason
    assert "this CPU has no sve2" in found["mine.elsewhere"].reason
    assert "words that no check knows: 'an estimate'" in found["mine.words"].reason
    if not missing_features([never[2]]):
        (wide,) = check_instructions([never[2]], avx2)
        assert wide.status == "wrong" or "larger than its cells" in wide.reason


def test_one_that_does_not_compile_leaves_the_others() -> None:
    avx2 = im.find_hardware("avx2")
    if missing_features(avx2.instructions):
        pytest.skip("this CPU has no AVX2")
    broken = replace(compute("{c} = no_such_thing({a});"), name="mine.broken")
    found = check_instructions([broken, replace(compute(FMA), name="mine.good")], avx2, results=100)
    assert [c.status for c in found] == ["wrong", "right"]
    assert "no_such_thing" in found[0].reason
