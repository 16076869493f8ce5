"""Mistakes in the text of a kernel and in the words of a command, each with the whole message: kernel_text.txt, commands.txt."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from isamap_smt.cli.app import run
from isamap_smt.ir.errors import LanguageError
from isamap_smt.language import kernel

HERE = Path(__file__).parent
CASE = re.compile(r"^# (?P<about>.+)\n(?P<given>(?:[>$].*\n)+)(?P<message>(?:(?!# ).*\n)+)", re.MULTILINE)


def cases(name: str) -> list[pytest.ParameterSet]:
    """(what is given, the message) of each case of the table."""
    text = (HERE / name).read_text()
    found = list(CASE.finditer(text + "\n"))
    assert len(found) == sum(line.startswith("# ") for line in text.splitlines())
    return [pytest.param(m["given"], m["message"].rstrip("\n"), id=m["about"]) for m in found]


@pytest.mark.parametrize(("given", "message"), cases("kernel_text.txt"))
def test_kernel_text(given: str, message: str) -> None:
    lines = [line.removeprefix(">").removeprefix(" ") for line in given.removesuffix("\n").split("\n")]
    with pytest.raises(LanguageError) as e:
        kernel("\n".join(lines))
    assert str(e.value) == message


@pytest.mark.parametrize(("given", "message"), cases("commands.txt"))
def test_a_command(given: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, *words = shlex.split(given.removeprefix("$ "))
    assert run(words) == 3
    said = capsys.readouterr()
    assert said.err == message + "\n"
    assert said.out == ""
