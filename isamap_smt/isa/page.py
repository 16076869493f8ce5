"""What is refuted, as a page in Markdown that one could send to whoever keeps the table."""

from __future__ import annotations

from collections.abc import Iterable

from isamap_smt.isa.entry import Finding


def page(title: str, findings: Iterable[Finding]) -> str:
    """One section for each refuted entry: its text, its C, an input, and both values."""
    listed = list(findings)
    refuted = [f for f in listed if f.verdict == "refuted"]
    counts = ", ".join(f"{sum(f.verdict == v for f in listed)} {v}" for v in ("proved", "refuted", "unknown", "unread"))
    lines = [
        f"# {title}: C that does not do what its text says",
        "",
        f"{len(listed)} instructions were compared, for all that their operands can hold: {counts}.",
        "Values that no line below names make no difference.",
    ]
    for f in refuted:
        lines += ["", f"## `{f.name}`", "", f"{f.where}: {f.reason}.", ""]
        if f.input:
            lines += ["| | |", "|---|---|", *(f"| `{name}` | {value} |" for name, value in f.input.items())]
        if f.expected and f.input and " = " in f.expected:
            lines += [f"| by the text | `{f.expected}` |", f"| by the code | `{f.got}` |"]
        lines += ["", "The text:", "", *_fenced(f.contract)]
        if f.code:
            lines += ["", "The code:", "", *_fenced(f.code)]
    return "\n".join(lines) + "\n"


def _fenced(text: str) -> list[str]:
    return ["```", *text.splitlines(), "```"]
