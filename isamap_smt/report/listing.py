"""The loop around an instruction, in printed C."""

from __future__ import annotations

import re


def innermost(source: str, emit: str, most: int = 9) -> list[str]:
    """The loop of the C around its first use of the instruction (`emit` as described), moved to the left.

    At most so many lines are returned; none without a use.
    """
    word, lines = max(re.findall(r"\w+", re.sub(r"{\w+}", "", emit)), key=len, default=""), source.splitlines()
    if not word:
        return []
    body = next((n for n, line in enumerate(lines) if line.startswith("int isamap_run")), 0)
    use = next((n for n in range(body, len(lines)) if word in lines[n]), None)
    if use is None:
        return []
    start = next((n for n in range(use, body, -1) if lines[n].lstrip().startswith("for (")), use)
    indent = len(lines[start]) - len(lines[start].lstrip())
    end = next((n for n in range(start + 1, len(lines)) if not lines[n].startswith(" " * (indent + 1))), len(lines) - 1)
    shown = [line[indent:] for line in lines[start : end + 1]]
    return shown if len(shown) <= most else [*shown[: most - 1], f"    ... {len(shown) - most} more lines", shown[-1]]
