"""A rewrite rule: two equal values, as text, with conditions on its numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from isamap_smt.ir.errors import LanguageError, did_you_mean

# how a condition is written, what it is called in proofs, and how many numbers it names
CONDITIONS = {
    r"(\w+) is a number": "number",
    r"(\w+) is not 0": "not zero",
    r"(\w+) is a power of two": "power of two",
    r"(\w+) is twice (\w+)": "twice",
    r"(\w+) is minus (\w+)": "minus",
    r"(\w+) <= (\w+)": "at most",
    r"(\w+) < (\w+)": "less",
}
WRITTEN = ("c is a number", "c is not 0", "c is a power of two", "c is twice h", "c is minus h", "a <= b", "a < b")


@dataclass(frozen=True)
class Rule:
    """`left` and `right` are one value. Names stand for any values of one element type, names in `types` for another's.

    where: conditions on names of numbers: see WRITTEN, joined by 'and'.
    arithmetics: the rule is asked to hold in these ('f32', 'i16', 'saturating', 'reals' ...): a machine with a rule
    false in one of them is refused; without any, it is used wherever it is proved.
    Raises LanguageError unless all parts are texts and the conditions are known.

    >>> Rule("halves", "x / c", "x * (1 / c)", where="c is a power of two").given
    (('power of two', 'c'),)
    """

    name: str
    left: str
    right: str
    where: str = ""
    types: tuple[tuple[str, str], ...] = ()
    arithmetics: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.arithmetics, str):
            object.__setattr__(self, "arithmetics", (self.arithmetics,))
        if isinstance(self.types, dict):
            object.__setattr__(self, "types", tuple(self.types.items()))
        texts = (
            self.name,
            self.left,
            self.right,
            self.where,
            *self.arithmetics,
            *(t for pair in self.types for t in pair),
        )
        for text in texts:
            if not isinstance(text, str):
                raise LanguageError(
                    f"rule {self.name!r}: {text!r} is {type(text).__name__}, and rules are text, such as 'x + y'"
                )
        _ = self.given

    @cached_property
    def given(self) -> tuple[tuple[str, ...], ...]:
        """Each condition: its name in proofs, and the names in it."""
        return tuple(self._condition(c.strip()) for c in self.where.split(" and ")) if self.where else ()

    def _condition(self, text: str) -> tuple[str, ...]:
        for pattern, called in CONDITIONS.items():
            if found := re.fullmatch(pattern, text):
                return (called, *found.groups())
        raise LanguageError(f"rule {self.name!r}: {text!r} is no condition: {did_you_mean(text, WRITTEN)}")

    @property
    def numbers(self) -> tuple[str, ...]:
        """The names of numbers."""
        return tuple(dict.fromkeys(n for c in self.given for n in c[1:]))

    def __str__(self) -> str:
        return f"{self.left} = {self.right}" + (f" where {self.where}" if self.where else "")


__all__ = ["CONDITIONS", "WRITTEN", "Rule"]
