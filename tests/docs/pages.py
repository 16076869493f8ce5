"""Runs a page of the documentation as a reader would, top to bottom, in an empty directory.

```python                 runs; all blocks of a page share one namespace
```python file=mine.py    is written to that file; ```c file=table.h, too
```text                   exactly what the python block before it prints
```console                each `$ isamap ...` runs; a comment `exit status N` is what it must exit with, 0 otherwise; the lines
                          below it are its whole output but for empty lines. `⋮` stands for lines that are left out, `...` for what
                          differs from run to run or from CPU to CPU within a line. A command without lines shows nothing
```console unrun="WHY"    is not run, for this reason
```python needs=WHERE     and others: for Session(page).read(WHERE) alone. WHERE is a target or a CPU's feature; such blocks may
                          use nothing of those that need nothing
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import archspec.cpu

from isamap_smt.cli.app import run
from isamap_smt.ir.errors import UnknownNameError
from isamap_smt.ir.features import architectures
from isamap_smt.targets import find_target

_FENCE = re.compile(r"^```(\w*)[ \t]*(.*?)\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the words after it, its text, and its first line in the page."""

    language: str
    about: str
    text: str
    line: int

    @property
    def needs(self) -> str:
        """The target or feature that it runs on; '' where it runs anywhere."""
        return found[1] if (found := re.search(r"needs=(\S+)", self.about)) else ""

    @property
    def unrun(self) -> str:
        """Why it is not run anywhere; '' where it is."""
        return found[1] if (found := re.search(r'unrun="([^"]+)"', self.about)) else ""


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    source = page.read_text()
    for found in _FENCE.finditer(source):
        yield Block(found[1], found[2].strip(), found[3], source.count("\n", 0, found.start(3)) + 1)


def lacking(where: str) -> str:
    """Why blocks that need this target or feature cannot run here; '' where they can. Raises UnknownNameError."""
    try:
        return find_target(where).available()
    except UnknownNameError:
        if not architectures(where):
            raise
    host = archspec.cpu.host()
    return "" if where in host else f"this CPU ({host.name}) has no {where}"


@dataclass
class Session:
    """What has run so far. `ran` counts blocks and commands, so that a page cannot pass by running nothing."""

    page: Path
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    printed: str | None = None
    ran: dict[str, int] = field(default_factory=lambda: {"python": 0, "outputs": 0, "commands": 0})

    def read(self, where: str = "") -> None:
        """Run the page's blocks that need `where`. Raises AssertionError where it says something else than what happens."""
        for block in (b for b in blocks(self.page) if b.needs == where):
            if block.language == "c" and block.about.startswith("file="):
                Path(block.about.removeprefix("file=")).write_text(block.text)
            elif block.language == "python":
                self._python(block)
            elif block.language == "text":
                self._output(block)
            elif block.language == "console" and not block.unrun:
                for command, wanted in commands(block.text):
                    self._command(command, wanted, block)
            if block.language != "python":
                self.printed = None

    def _where(self, block: Block) -> str:
        return f"{self.page.name}, line {block.line}"

    def _python(self, block: Block) -> None:
        if block.about.startswith("file="):
            Path(block.about.removeprefix("file=")).write_text(block.text)
            return
        out = io.StringIO()
        # Padding keeps the page's line numbers in tracebacks.
        code = compile("\n" * (block.line - 1) + block.text, str(self.page), "exec")
        with contextlib.redirect_stdout(out):
            exec(code, self.names)  # noqa: S102
        self.printed = out.getvalue()
        self.ran["python"] += 1

    def _output(self, block: Block) -> None:
        assert self.printed is not None, f"{self._where(block)}: no python block stands before this output"
        said, meant = _plain(self.printed), _plain(block.text)
        assert said == meant, f"{self._where(block)}: the page shows\n{meant}\nbut the code prints\n{said}"
        self.ran["outputs"] += 1

    def _command(self, command: str, wanted: list[str], block: Block) -> None:
        words = shlex.split(command, comments=True)
        status = int(found[1]) if (found := re.search(r"#.*exit status (\d+)", command)) else 0
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            got = run(words[1:])
        text = out.getvalue()
        assert got == status, f"{self._where(block)}: {command}\nexits with {got}, not {status}:\n{text}"
        missing = first_missing(wanted, text)
        assert not missing, f"{self._where(block)}: {command}\ndoes not print {missing!r} there, but\n{text}"
        self.ran["commands"] += 1


CUT = "⋮"
END = "the end"


def first_missing(wanted: list[str], text: str) -> str:
    """The first of the lines of a page that a command's output does not have where it should; '' where it has all.

    Output is all lines that are not empty. Without CUT between them, lines follow each other, from the first to the last (END).
    """
    if not wanted:
        return ""
    printed = [line.rstrip() for line in text.splitlines() if line.strip()]
    places = {0}  # how many printed lines may be read before the next wanted one
    for line in wanted:
        if line.strip() == CUT:
            places = set(range(min(places), len(printed) + 1))
            continue
        pattern = re.compile(".*".join(re.escape(part) for part in line.rstrip().split("...")))
        places = {n + 1 for n in places if n < len(printed) and pattern.fullmatch(printed[n])}
        if not places:
            return line
    return "" if len(printed) in places else END


def commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each `$ isamap` command with the lines shown below it. A line that ends in a backslash goes on."""
    command, wanted = "", []
    for line in text.replace("\\\n", " ").splitlines():
        if line.startswith("$ "):
            if command:
                yield command, wanted
            command, wanted = line.removeprefix("$ "), []
            assert command.startswith("isamap "), f"only isamap is run from a console block, not {command!r}"
        elif line.strip():
            wanted.append(line)
    if command:
        yield command, wanted


def _plain(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").splitlines()]


if __name__ == "__main__":
    session = Session(Path(sys.argv[1]).resolve())
    session.read()
    print(session.ran)
