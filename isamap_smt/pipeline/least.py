"""What a plan takes, and lower bounds of it: what nothing in a space needs less of, in cycles of all threads together."""

from __future__ import annotations

from dataclasses import dataclass

NOTHING = 1e-6  # a gap that is none


@dataclass(frozen=True)
class Least:
    """apart: of a statement by itself. computing: by its instructions alone, at full rate, whatever lies in a cache: that is also a
    bound where statements share blocks."""

    apart: float
    computing: float

    def __add__(self, other: Least) -> Least:
        return Least(self.apart + other.apart, self.computing + other.computing)

    def __sub__(self, other: Least) -> Least:
        return Least(self.apart - other.apart, self.computing - other.computing)


@dataclass(frozen=True)
class Whole:
    """What a plan is predicted to take, in cycles of all threads together, and no plan of `space` less than: that is None where no
    bound is known."""

    cycles: float
    bound: float | None
    space: str

    @property
    def gap(self) -> float | None:
        """The part of the cycles by which the bound is below them."""
        return None if self.bound is None else (self.cycles - self.bound) / self.cycles if self.cycles else 0.0

    @property
    def status(self) -> str:
        """OPTIMAL where the bound is met, else FEASIBLE."""
        return "OPTIMAL" if self.gap is not None and self.gap < NOTHING else "FEASIBLE"

    def __str__(self) -> str:
        found = f"{self.cycles:,.0f} cycles predicted"
        if self.bound is None:
            return f"{found}, with no bound"
        least = "less" if self.status == "OPTIMAL" else f"less than {self.bound:,.0f}: gap {self.gap:.1%}"
        return f"{found}, and no plan takes {least} ({self.space})"


def always(cycles: float) -> Least:
    """Of what is not decided."""
    return Least(cycles, cycles)


def both(*found: Least | None) -> Least | None:
    """The sum; None where one is not known."""
    total = always(0.0)
    for one in found:
        if one is None:
            return None
        total += one
    return total


def smaller(*found: Least | None) -> Least | None:
    """What is a bound of each; None where one is not known."""
    if any(one is None for one in found):
        return None
    known = [one for one in found if one is not None]
    return Least(min(n.apart for n in known), min(n.computing for n in known))


__all__ = ["Least", "Whole", "always", "both", "smaller"]
