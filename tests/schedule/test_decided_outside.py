"""What a schedule's bound says nothing of is named beside it."""

from __future__ import annotations

from typing import Any

import pytest

import isamap_smt as im

CONV = {
    **dict.fromkeys(("n", "sp", "sq", "dp", "dq", "pp", "pq"), 1),
    "p": 14,
    "q": 14,
    "k": 64,
    "c": 64,
    "r": 3,
    "s": 3,
}
PLANS: dict[str, tuple[str, dict[str, int], dict[str, Any], str]] = {
    "mapping": ("gemm", {"i": 64, "j": 64, "k": 64}, {}, "the mapping: 1 scheduled of 3 that yield code"),
    "sum in pieces": ("matvec", {"i": 100, "k": 4000}, {"threads": 2}, "the sum in pieces, by what both ways"),
    "sum in one piece": ("gemm", {"i": 4, "j": 16, "k": 300}, {"threads": 2}, "the sum in one piece: 1 ways"),
    "digits": (
        "gemm",
        {"i": 12, "j": 12, "k": 4096},
        {"constant": ("A", "B"), "family": "digits"},
        "axes in digits, by what both ways",
    ),
    "no digits": ("gemm", {"i": 6, "j": 6, "k": 8}, {"family": "digits"}, "no axis in digits: 2 ways"),
    "padding": ("conv2d", CONV, {}, "the padding of I: tests at its border, or a copy with zeros"),
    "blocks": ("two_layers", {"i": 2000, "j": 64, "k": 64, "m": 64}, {}, "blocks of "),
    "time steps": (
        "lstm",
        {"b": 4, "j": 64, "c": 32, "t": 5},
        {},
        "the loop over t, around the schedule of one time step",
    ),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", PLANS)
def test_it_is_named(name: str) -> None:
    kernel, sizes, more, text = PLANS[name]
    planned = im.plan(kernel, "avx2", sizes=sizes, **more)
    told = [t for s in planned.program.schedules for t in s.decided_outside]
    assert any(t.startswith(text) for t in told), told


def test_one_mapping_alone_is_no_choice() -> None:
    proved = im.prove(im.fuse(im.find_kernel("gemm"), im.find_instruction("avx2.fmadd_ps"), "l=j"))
    assert isinstance(proved, im.ProvedMapping)
    assert im.schedule(proved, im.find_hardware("avx2"), {"i": 64, "j": 64, "k": 64}).decided_outside == ()
