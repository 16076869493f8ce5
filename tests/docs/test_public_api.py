"""The public names are reachable however the package was imported first, and say what they give and what they raise."""

from __future__ import annotations

import inspect
import pydoc
import subprocess
import sys
import types

import pytest

import isamap_smt as im

STEPS = ("kernel", "instruction", "find_mappings", "prove", "schedule", "lower", "build", "compile")


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "first", ["isamap_smt", "isamap_smt.pipeline", "isamap_smt.cli.schedule_kernel", "isamap_smt.mapping.fuse"]
)
def test_no_public_name_is_hidden_by_a_module(first: str) -> None:
    code = (
        f"import {first}, types, isamap_smt as im\n"
        "print(*(n for n in im.__all__ if isinstance(getattr(im, n), types.ModuleType)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


@pytest.mark.parametrize("name", STEPS)
def test_every_step_says_what_it_gives_and_raises(name: str) -> None:
    step = getattr(im, name)
    assert isinstance(step, types.FunctionType)
    said = inspect.getdoc(step) or ""
    assert "Raises" in said
    for word in ("Any", "object"):
        assert inspect.signature(step).return_annotation != word
    keywords = [p for p in inspect.signature(step).parameters.values() if p.kind is p.KEYWORD_ONLY]
    silent = [p.name for p in keywords if p.name not in said and name not in ("instruction", "kernel", "compile")]
    assert not silent, f"{name} does not mention {silent}"


@pytest.mark.parametrize("name", im.__all__)
def test_every_public_name_has_a_docstring(name: str) -> None:
    value = getattr(im, name)
    own = value.__doc__ or ""
    assert len(own) > 20
    # what a dataclass without a docstring gets is its signature
    assert not own.startswith(f"{name}(")


def test_help_on_prove_reads_well() -> None:
    page = pydoc.render_doc(im.prove, renderer=pydoc.plaintext)
    assert "prove(mapping: 'Mapping'" in page
    assert "-> 'ProvedMapping | Rejection'" in page
    for part in ("symbolic", "seconds", "reassociate", "Raises MappingError", ">>> "):
        assert part in page
    assert max(map(len, page.splitlines())) <= 130


def test_dir_lists_the_public_names_and_an_unknown_one_is_an_attribute_error() -> None:
    assert set(STEPS) <= set(dir(im))
    with pytest.raises(AttributeError, match="no attribute 'shedule'"):
        im.shedule  # noqa: B018
