"""A feature that no CPU has, and a rounding that nobody defines, are refused with the line; those of other CPUs are not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import isamap_smt as im
from isamap_smt.cli.app import run
from isamap_smt.ir.features import OWN, architectures, feature_names

MACHINE = """\
import isamap_smt as im

DOT = im.instruction(
    "npu.dot", "c[l] += a[l] * b[l]", axes={"l": 4}, dtypes=dict.fromkeys("abc", "f32"),
    places=dict.fromkeys("abc", "v"), FIELD,
)
"""


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("requires=('fma', 'avx512_vni')",
         "instruction npu.dot: requires 'avx512_vni', which no CPU is known to have; did you mean avx512_vnni or "),
        ("rounding='unfussed'", "instruction npu.dot: unknown rounding 'unfussed'; did you mean unfused or fused?"),
    ],
)  # fmt: skip
def test_a_misspelt_word_in_a_file(
    in_empty_directory: Path, capsys: pytest.CaptureFixture[str], field: str, said: str
) -> None:
    Path("m.py").write_text(MACHINE.replace("FIELD", field))
    assert run(["map", "gemm", "m.py:DOT"]) == 3
    first, second, *_ = capsys.readouterr().err.splitlines()
    assert first == "error: m.py does not load: m.py line 3:"
    assert second.startswith(said)


@pytest.mark.parametrize("feature", ["neon", "dotprod", "sve", "asimddp", "v", "zve64d", "amx_tile", "wmma", "mfma"])
def test_other_machines_have_features_that_this_cpu_lacks(feature: str) -> None:
    assert architectures(feature)
    fma = im.find_instruction("avx2.fmadd_ps")
    assert replace(fma, requires=(feature,)).requires == (feature,)


def test_the_features_of_our_own_machines_are_known() -> None:
    import isamap_hardware

    machines = [isamap_hardware.load(name) for name in isamap_hardware.names()]
    assert {f for m in machines for i in m.instructions for f in i.requires} == OWN
    assert set(feature_names()) >= OWN


@pytest.mark.parametrize("words", ["as it likes", "fused, flushes denormals", "exact", "fused", "unfused"])
def test_a_rounding_in_several_words_is_taken(words: str) -> None:
    assert replace(im.find_instruction("avx2.fmadd_ps"), rounding=words).rounding == words
