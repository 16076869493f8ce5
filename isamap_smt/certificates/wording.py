"""Names of assertions as sentences: `3: 0 <= j` is "axis j starts at 0 (0 <= j)" for a kernel that has such an axis."""

from __future__ import annotations

import re
from collections.abc import Mapping as Dict

from isamap_smt.ir.mapping import Mapping

_NAME = re.compile(r"(?:[qrm]!\([^!]*?\)(?://|%)\([^()]*\))|[A-Za-z_][\w.]*'*(?:\d+)?")
_WORDS = {"and", "or", "not", "implies"}
_LOW = re.compile(r"(-?\d+) <= ([\w.']+)\Z")
_LOW_TOO = re.compile(r"([\w.']+) >= (-?\d+)\Z")
_BELOW = re.compile(r"([\w.']+) < (.+)\Z")
_BELOW_TOO = re.compile(r"(\d+) > ([\w.']+)\Z")


def vocabulary(mapping: Mapping) -> dict[str, str]:
    """What each name of the mapping is: 'size I', 'parameter s', 'axis i', 'loop i_out', 'lane index l'."""
    kernel = mapping.kernel
    parameters = {p.name for p in kernel.parameters}
    found = {n: f"lane index {n} of {mapping.instruction.short}" for n in mapping.instruction.axes}
    found |= {a.name: f"loop {a.name}" for a in mapping.outer}
    # An axis of the kernel may be called like one of the instruction; formulas about both name the kernel's.
    found |= {a.name: f"axis {a.name}" for a in mapping.statement.axes}
    found |= {n: f"{'parameter' if n in parameters else 'size'} {n}" for n in (*kernel.free_sizes, *parameters)}
    return found


def sentence(label: str, known: Dict[str, str]) -> str:
    """What an assertion says, in words with the user's names; the formula itself in brackets."""
    head, _, formula = label.partition(": ")
    if head == "denied":
        return f"the claim is denied: not ({formula}){_named(formula, known)}"
    said = _bound(formula, known)
    if said:
        return f"{said} ({formula})"
    return f"{formula}{_named(formula, known)}"


def meaning(name: str, known: Dict[str, str]) -> str:
    """What a variable of a formula stands for; '' for one that only the proof has."""
    if name.startswith("..") or name.endswith(".."):
        return ""
    base, _, mark = name.partition("'")
    if base in known:
        return f"{known[base]}{' at the other point' if mark or name.endswith(chr(39)) else ''}"
    stem, dot, part = base.partition(".")
    if dot and stem in known:
        return f"the {part} of {known[stem]}{' at the other point' if mark else ''}"
    if dot and stem and part:
        return f"the {part} of {stem}"
    if base.startswith("c_"):
        return f"cell index {base[2:]}"
    if name.startswith("q!"):
        return "a quotient"
    if name.startswith("r!"):
        return "a remainder"
    if name.startswith("m!"):
        return "a product"
    return ""


def _bound(formula: str, known: Dict[str, str]) -> str:
    """A lower or upper bound of one name, in words; '' for anything else."""
    if (m := _LOW.match(formula)) or (m := _LOW_TOO.match(formula)):
        name, low = (m[2], m[1]) if m.re is _LOW else (m[1], m[2])
        what = meaning(name, known)
        return (
            f"{what} {'starts at' if what.startswith(('axis', 'loop', 'lane', 'the loop', 'cell')) else 'is at least'} {low}"
            if what
            else ""
        )
    if (m := _BELOW.match(formula)) or (m := _BELOW_TOO.match(formula)):
        name, high = (m[1], m[2]) if m.re is _BELOW else (m[2], m[1])
        what = meaning(name, known)
        return f"{what} ends before {high}" if what else ""
    return ""


def _named(formula: str, known: Dict[str, str]) -> str:
    """What the names of a formula are: `, with axis i, size J`."""
    names = [n for n in dict.fromkeys(_NAME.findall(formula)) if n not in _WORDS]
    found = list(dict.fromkeys(filter(None, (meaning(n, known) for n in names))))
    return f", with {', '.join(found)}" if found else ""


__all__ = ["meaning", "sentence", "vocabulary"]
