"""What docs/command-line.md shows is what happens: every command runs, and prints the lines shown."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from isamap_smt.cli import app, status
from isamap_smt.cli.app import COMMANDS, run
from tests.docs.pages import blocks, commands, first_missing

REPOSITORY = Path(__file__).resolve().parents[2]
TEXT = (REPOSITORY / "docs" / "command-line.md").read_text()
BLOCKS = [
    c
    for b in blocks(REPOSITORY / "docs" / "command-line.md")
    if b.language == "console" and not b.unrun
    for c in commands(b.text)
]


@pytest.mark.parametrize(("command", "shown"), BLOCKS, ids=[b[0].split()[2] + str(n) for n, b in enumerate(BLOCKS)])
def test_the_examples(
    command: str, shown: list[str], capsys: pytest.CaptureFixture[str], in_empty_directory: Path
) -> None:
    Path("examples").symlink_to(REPOSITORY / "examples")
    words, _, wanted = command.removeprefix("isamap ").partition("  # exit status ")
    assert run(shlex.split(words)) == int(wanted or 0)
    assert first_missing(shown, capsys.readouterr().out) == ""


def test_every_command_is_described() -> None:
    assert len(BLOCKS) >= 5
    for name in COMMANDS:
        assert f"`isamap {name}" in TEXT


def test_every_option_is_described() -> None:
    """Each option of each command stands in the page, or speaks for itself in --help."""
    import importlib

    for module, _ in COMMANDS.values():
        for parameter in importlib.import_module(f"isamap_smt.cli.{module}").command.params:
            names = [o for o in parameter.opts if o.startswith("--")]
            if names and names[0] not in ("--open", "--output", "--family", "--seed", "--measure"):
                assert names[0] in TEXT, names[0]


def test_every_exit_status_is_in_the_table() -> None:
    shown = [
        int(line.split("|")[1])
        for line in TEXT.split("## Exit statuses")[1].split("\n## ")[0].splitlines()
        if re.match(r"\| \d+ \|", line)
    ]
    told = [int(line.split()[0]) for line in str(app.__doc__).splitlines() if re.match(r"\d", line)]
    known = {0, 1, 2, *(value for name, value in vars(status).items() if name.isupper())}
    assert shown == told == sorted(known)
