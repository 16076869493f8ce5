"""C is printed and compiled from proved programs alone; whatever else is given, the sentence says what to give."""

from __future__ import annotations

import inspect
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt import codegen, pipeline, runtime
from isamap_smt.codegen.printed import PrintedC
from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.program import Compute, Loop, ProvedProgram
from isamap_smt.runtime.compiled import build_program


@pytest.fixture(scope="module")
def planned() -> im.Plan:
    return im.plan("gemm", "scalar", sizes={"i": 2, "j": 3, "k": 4})


def without_sums(program: im.Program) -> im.Program:
    """The program with nothing executed: wrong, and of the same type."""

    def visit(nodes: Any) -> Any:
        rest = (n for n in nodes if not isinstance(n, Compute))
        return tuple(replace(n, body=visit(n.body)) if isinstance(n, Loop) else n for n in rest)

    return replace(program, body=visit(program.body))


def test_print_c_takes_no_program_as_it_is(planned: im.Plan) -> None:
    for program in (planned.program, without_sums(planned.program)):
        with pytest.raises(NotProvedError, match=r"takes a ProvedProgram, not Program; make one with require_proof"):
            im.print_c(program)  # type: ignore[arg-type]


def test_a_wrong_program_is_not_built(planned: im.Plan) -> None:
    wrong = without_sums(planned.program)
    for make in (im.build, im.require_proof):
        with pytest.raises(NotProvedError, match="the program for gemm is wrong, so no code is made from it"):
            make(wrong)
    with pytest.raises(NotProvedError, match="is made by"):
        replace(planned.checked, program=wrong)
    with pytest.raises(NotProvedError, match="is made by"):
        ProvedProgram(wrong, planned.proof)


def test_only_what_was_printed_is_compiled(planned: im.Plan, tmp_path: Path) -> None:
    edited = planned.source.replace("+=", "-=") + "/* */"
    for text in (edited, str(planned.source) + "", planned.program, None):
        said = rf"build_program\(\) takes what print_c\(\) returns for a proved program, not {type(text).__name__}"
        with pytest.raises(NotProvedError, match=said):
            build_program(text)  # type: ignore[arg-type]
        with pytest.raises(NotProvedError, match=r"CompiledKernel\(\) takes what print_c\(\) returns"):
            im.CompiledKernel(text, tmp_path / "kernel.so")  # type: ignore[arg-type]
    with pytest.raises(NotProvedError, match="is made by"):
        PrintedC(edited, planned.checked)


def test_text_that_was_stored_is_text(planned: im.Plan) -> None:
    again = pickle.loads(pickle.dumps(planned.source))
    assert again == planned.source and type(again) is str


def test_a_proof_makes_all_of_it(planned: im.Plan) -> None:
    source = im.print_c(im.require_proof(planned.program))
    assert source.checked.program == planned.program
    assert (build_program(source)(np.ones((2, 4), np.float32), np.ones((4, 3), np.float32)) == 4).all()


def test_no_public_function_that_makes_code_takes_a_program() -> None:
    """Of all that these packages offer, only build(), proofs and the simulator have a Program for an argument; build() proves it,
    and the simulator makes no code."""
    taking = set()
    for package in (im, codegen, pipeline, runtime):
        for name in dir(package):
            value = getattr(package, name)
            ours = callable(value) and str(getattr(value, "__module__", "")).startswith("isamap")
            if name.startswith("_") or not ours or (isinstance(value, type) and issubclass(value, Exception)):
                continue
            arguments = inspect.signature(value).parameters.values()
            taking |= {
                name for a in arguments if "Program" in str(a.annotation).replace("ProvedProgram", "").split(" | ")
            }
    assert taking == {"build", "prove_program", "require_proof", "simulate", "ProvedProgram"}
