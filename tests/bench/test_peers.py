"""Each peer that is installed computes what the kernel says, in every layout; one that is missing is skipped aloud."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from isamap_smt.bench import contenders
from isamap_smt.bench.case import Case
from isamap_smt.bench.contenders import CONTENDERS, OURS, Contender, find_contenders
from isamap_smt.bench.data import check, expected, inputs, tolerance
from isamap_smt.bench.deepbench import conv_case, recurrent_case
from isamap_smt.bench.machine import cores_for
from isamap_smt.bench.operators import OPERATORS, case_of
from isamap_smt.bench.session import Failed, Session
from isamap_smt.bench.turns import _result, save_array
from isamap_smt.ir.errors import UnknownNameError

TYPES = {"f32": ("f32", "f32", "f32"), "u8xi8": ("u8", "i8", "i32"), "bf16": ("bf16", "bf16", "f32")}
FORMS = {"NN": "gemm", "NT": "gemm_nt", "TN": "gemm_tn"}


def cases(contender: Contender, small: Case) -> list[tuple[Case, str]]:
    """Small cases of every kind that the contender takes. Weights of bytes stay small: some peers saturate."""
    products = [
        replace(small, name=f"{form} {types}", kernel=kernel, form=form, dtypes=tuple(zip("ABC", kinds, strict=True)))
        for form, kernel in FORMS.items()
        for types, kinds in TYPES.items()
    ]
    images = [
        conv_case("conv2d", (2, 5, 6, 8, 16, 3, 3), 1, 1, "3x3"),
        conv_case("conv2d", (1, 5, 5, 8, 16, 5, 3), 2, 0, "5x3 strided"),
        conv_case("conv2d", (1, 5, 5, 8, 16, 1, 1), 1, 0, "1x1"),
        conv_case("depthwise_conv2d", (1, 6, 6, 1, 16, 3, 3), 1, 1, "depthwise"),
        conv_case("depthwise_separable_conv2d", (1, 6, 6, 24, 16, 3, 3), 1, 1, "separable"),
        conv_case("depthwise_separable_conv2d", (1, 3, 4, 8, 16, 3, 3), 2, 1, "separable strided"),
    ]
    layers = [recurrent_case(cell, 24, 3, 4, inputs=17) for cell in ("gru", "lstm")]
    operators = [case_of(name, {n: o.small[n] for n in o.sizes[0]}) for name, o in OPERATORS.items()]
    found = [
        (c, w)
        for c in (*products, *images, *layers, *operators)
        for w in ("constant", "free")
        if contender.plays(c, w, 1)
    ]
    assert found
    return found


@pytest.mark.parametrize("name", [n for n in CONTENDERS if n != OURS])
def test_a_peer_computes_the_same(name: str, small: Case, tmp_path: Path) -> None:
    contender = CONTENDERS[name]
    if words := contender.missing():
        pytest.skip(words)
    with Session(contender, 1, cores_for(1)) as session:
        for case, condition in cases(contender, small):
            arrays = inputs(case)
            if case.elements == "u8xi8":
                arrays["B"] = (arrays["B"] % 4).astype(arrays["B"].dtype)
            for tensor, array in arrays.items():
                save_array(tmp_path / f"{tensor}.npy", array)
            request = {
                "do": "open", "case": case.document(), "condition": condition, "threads": 1,
                "folder": str(tmp_path), "output": str(tmp_path / "out.npy"),
            }  # fmt: skip
            try:
                session.ask(request, 120.0)
            except Failed as error:
                assert error.kind == "unsupported", f"{case.name}, {condition}: {error}"
                continue
            verdict = check(_result(tmp_path / "out.npy", name), expected(case, arrays), tolerance(case, ours=False))
            assert verdict.right, f"{case.name}, {condition}: {verdict.words}"
            assert session.ask({"do": "turn", "seconds": 0.001}, 60.0)["seconds"] > 0


def test_an_unknown_peer_lists_near_ones() -> None:
    with pytest.raises(UnknownNameError, match="no such peer 'onnx'; did you mean onednn or onnxruntime"):
        find_contenders(["onnx"])
    assert [c.name for c in find_contenders(["numpy", "isamap", "numpy"])] == [OURS, "numpy"]


def test_a_missing_package_is_named() -> None:
    gone = replace(CONTENDERS["torch"], needs=("no_such_package",))
    assert gone.missing() == "no_such_package not installed: pip install no_such_package"
    assert CONTENDERS[OURS].missing() == ""


def test_a_package_of_another_name_is_named_as_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contenders, "find_spec", lambda name: None)
    assert CONTENDERS["exo"].missing() == "exo-lang not installed: pip install exo-lang"
