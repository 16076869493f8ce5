"""Predicted cycles of a plan, and lower bounds over a space of plans, in cycles of all threads together."""

from __future__ import annotations

from dataclasses import dataclass

NOTHING = 1e-6  # a gap that is none


@dataclass(frozen=True)
class Least:
    """Lower bounds. apart: for a statement by itself. computing: for its instructions alone, at full rate, with any cache contents.

    The second also holds if statements share blocks.
    """

    apart: float
    computing: float

    def __add__(self, other: Least) -> Least:
        return Least(self.apart + other.apart, self.computing + other.computing)

    def __sub__(self, other: Least) -> Least:
        return Least(self.apart - other.apart, self.computing - other.computing)


@dataclass(frozen=True)
class Whole:
    """Predicted cycles of a plan, of all threads together, and a lower bound for all plans of `space`; None if none is known."""

    cycles: float
    bound: float | None
    space: str

    @property
    def gap(self) -> float | None:
        """The difference between cycles and bound, as a part of the cycles; None without a bound."""
        return None if self.bound is None else (self.cycles - self.bound) / self.cycles if self.cycles else 0.0

    @property
    def status(self) -> str:
        """OPTIMAL if the bound is met, else FEASIBLE."""
        return "OPTIMAL" if self.gap is not None and self.gap < NOTHING else "FEASIBLE"

    def __str__(self) -> str:
        found = f"{self.cycles:,.0f} cycles predicted"
        if self.bound is None:
            return f"{found}, with no bound"
        least = "less" if self.status == "OPTIMAL" else f"less than {self.bound:,.0f}: gap {self.gap:.1%}"
        return f"{found}, and no plan takes {least} ({self.space})"


def always(cycles: float) -> Least:
    """The bound of a part without alternatives: these cycles."""
    return Least(cycles, cycles)


def both(*found: Least | None) -> Least | None:
    """The sum; None if one is not known."""
    total = always(0.0)
    for one in found:
        if one is None:
            return None
        total += one
    return total


def smaller(*found: Least | None) -> Least | None:
    """A bound below each of them; None if one is not known."""
    if any(one is None for one in found):
        return None
    known = [one for one in found if one is not None]
    return Least(min(n.apart for n in known), min(n.computing for n in known))


__all__ = ["Least", "Whole", "always", "both", "smaller"]
