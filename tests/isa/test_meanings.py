"""Every intrinsic of the table gives what it says, on numbers, infinities, NaN, zeros, subnormals and ends of integers.

AVX2 runs on this CPU, AVX-512 there or under SIMDe, NEON under QEMU; what cannot be run is skipped aloud.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from isamap_encodings import bit_terms as bits
from isamap_smt.isa.meanings import Meaning, lanewise, table
from isamap_smt.isa.silicon import find_place, run_rows
from isamap_smt.language.hardware_library import host_features
from isamap_smt.runtime.simde import SHIM, find_simde
from tests.isa import intrinsics

ROWS = 60
COMMON_NEON = re.compile(
    r"v(ld1q|st1q|dupq_n|addq|mulq|negq|fmaq|mlaq|addvq|cvt_f64|get_)\w*_f(32|64)|vdotq_s32|v(us)?mmlaq_s32"
)


def family(m: Meaning) -> str:
    """Which test runs it."""
    if "asimd" in m.requires:
        return "neon"
    if "v" in m.requires:
        return "rvv"  # tests/isa/test_rvv.py
    return "avx512" if any(f.startswith("avx512") for f in m.requires) else "avx2"


def wrong(meanings: Iterable[Meaning], header: str) -> list[str]:
    """Those that give something else than the table says. Skips the test where they cannot be run."""
    listed = list(meanings)
    requires = sorted({f for m in listed for f in m.requires})
    place = find_place(requires)
    if isinstance(place, str):
        pytest.skip(place)
    calls, rows = intrinsics.calls(listed), intrinsics.pools(ROWS)
    source = intrinsics.source(calls, header)
    cc = None if header == "immintrin.h" else "zig -O0"  # compiled in half the time
    found = run_rows(place, source, requires, rows, sum(c.size for c in calls), cc)
    return intrinsics.differences(calls, rows, found)


def of_family(name: str) -> list[Meaning]:
    return [m for m in table().values() if family(m) == name]


@pytest.mark.needs("avx2", "fma")
def test_avx2() -> None:
    assert wrong(of_family("avx2"), "immintrin.h") == []


def test_neon_common() -> None:
    assert wrong([m for m in of_family("neon") if COMMON_NEON.fullmatch(m.name)], "arm_neon.h") == []


@pytest.mark.exhaustive
def test_neon() -> None:
    assert wrong(of_family("neon"), "arm_neon.h") == []


@pytest.mark.exhaustive
def test_avx512() -> None:
    whole = of_family("avx512")
    tried = whole if {f for m in whole for f in m.requires} <= host_features() else _that_simde_has(whole)
    assert wrong(tried, "immintrin.h") == []
    left = sorted({m.name for m in whole} - {m.name for m in tried})
    if left:
        pytest.skip(
            f"{len(tried)} meanings are right; this CPU has no AVX-512 and SIMDe none of the others: {', '.join(left)}"
        )


def _that_simde_has(listed: list[Meaning]) -> list[Meaning]:
    place = find_simde()
    if place is None:
        return []
    text = SHIM + "".join(f.read_text() for f in (place / "simde/x86/avx512").glob("*.h"))
    known = set(re.findall(r"#\s*define (_mm512_\w+)\(", text))
    return [m for m in listed if m.name in known]


@pytest.mark.needs("avx2", "fma")
def test_a_wrong_meaning_is_noticed() -> None:
    right = table()["_mm256_max_ps"]
    swapped = lanewise(32, lambda a, b: bits.ite(bits.compare("flt", a, b), b, a))
    wrong_one = Meaning(right.name, right.result, right.params, swapped, ("avx", "avx2", "fma"))
    assert len(wrong([wrong_one], "immintrin.h")) == 1
