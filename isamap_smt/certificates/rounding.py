"""The bound of a program's rounding as a part of its certificate: input ranges, a claim for each result, and its proof.

The manifest has it under `rounding_bound`. The ranges are a part of the question; the bounds are claims, derived again at each
check.
"""

from __future__ import annotations

import re
from collections.abc import Mapping as Dict
from dataclasses import dataclass
from math import isfinite
from typing import Any

from isamap_encodings.solve import Answers
from isamap_smt.certificates.derive import Derived, Watching
from isamap_smt.certificates.errors import CertificateError, DamagedError
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.expr import is_constant
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.program import Program
from isamap_smt.ir.rewrite import Form, Rewrite
from isamap_smt.ir.rows import Numbered
from isamap_smt.proof.rounded_as import computed_by, rounds_as_written
from isamap_smt.proof.rounding import prove_rounding

KEY = "rounding_bound"
WITHIN = "within"  # of ids
PROGRAM, KERNEL = "program", "kernel"
Bounds = Dict[str, tuple[float, float]]
Ranges = Dict[str, tuple[float, float]]


@dataclass(frozen=True)
class Rounding:
    """The claim: for inputs in these ranges each result is off by no more than (a part of it, and absolutely).

    follows: whose operations are followed. `program`: those of the program, as its sums are taken apart; `kernel`: those of the
    kernel with its sums in any order, including the program's.
    """

    ranges: tuple[tuple[str, float, float], ...]
    follows: str
    bounds: tuple[tuple[str, float, float], ...]

    def document(self) -> dict[str, Any]:
        """As it stands in a manifest."""
        bounds = {n: {"relative": relative, "absolute": absolute} for n, relative, absolute in self.bounds}
        return {"ranges": ranges_document(self.ranges), "follows": self.follows, "bounds": bounds}

    def __str__(self) -> str:
        said = [f"{n} is off by at most {r:.3g} of it and {a:.3g}" for n, r, a in self.bounds]
        return f"{'; '.join(said)}, for {' and '.join(f'{low:g} <= {n} <= {high:g}' for n, low, high in self.ranges)}"


def ranges_document(ranges: tuple[tuple[str, float, float], ...]) -> dict[str, list[float]]:
    """As they stand in a manifest."""
    return {n: [low, high] for n, low, high in ranges}


def sorted_ranges(ranges: Ranges) -> tuple[tuple[str, float, float], ...]:
    """By name; whole numbers without a point."""
    return tuple((n, _plain(float(low)), _plain(float(high))) for n, (low, high) in sorted(ranges.items()))


def _plain(x: float) -> float:
    return int(x) if x.is_integer() and abs(x) < 2**53 else x


def rounding_from(document: Dict[str, Any]) -> Rounding | None:
    """A manifest's statement on it, if any. Raises DamagedError if it is not of its form."""
    then = document.get(KEY)
    if then is None:
        return None
    if set(then) != {"ranges", "follows", "bounds"} or then["follows"] not in (PROGRAM, KERNEL):
        raise DamagedError(f"its {KEY} is not of the form it should have")
    ranges = tuple((str(n), _number(low), _number(high)) for n, (low, high) in then["ranges"].items())
    bounds = tuple((str(n), _number(b["relative"]), _number(b["absolute"])) for n, b in then["bounds"].items())
    if any(r < 0 or a < 0 for _, r, a in bounds) or list(ranges) != sorted(ranges):
        raise DamagedError(f"its {KEY} has a bound below 0, or ranges out of their order")
    return Rounding(ranges, then["follows"], bounds)


def _number(x: Any) -> float:
    if not isinstance(x, int | float) or isinstance(x, bool) or not isfinite(x):
        raise DamagedError(f"{x!r:.40} in its {KEY} is no number")
    return x


def name_of(ranges: tuple[tuple[str, float, float], ...]) -> str:
    """A part of the certificate's id: `within,x=-4..4`."""
    return ",".join([WITHIN, *(re.sub(r"\s", "", f"{n}={low!r}..{high!r}") for n, low, high in ranges)])


def made_rounding(program: Program, split: Form | None, ranges: Ranges) -> Rounding:
    """The nearest proved bound. Raises CertificateError if there is none, and the errors of the ranges."""
    found: list[tuple[float, Rounding]] = []
    failed: list[str] = []
    for follows in (PROGRAM, KERNEL):
        if (of := _followed(program, split, follows)) is None:
            continue
        proof, derived = prove_rounding(of[0], ranges, of[1])
        if proof.proved and derived:
            bounds = tuple((n, r, a) for n, (r, a) in derived.items())
            found.append((max(r + a for _, r, a in bounds), Rounding(sorted_ranges(ranges), follows, bounds)))
        else:
            failed += [f"{c}: {_reason(c.verdict)}" for c in proof.failed()] or ["no result is of floating point"]
    if not found:
        raise CertificateError(f"no bound of the rounding of {program.kernel.name} is proved\n" + "\n".join(failed[:3]))
    return min(found, key=lambda f: f[0])[1]


def _reason(verdict: Any) -> str:
    return getattr(verdict, "reason", "") or getattr(verdict, "text", "") or "it does not follow"


def derive_rounding(
    program: Program, split: Form | None, claimed: Rounding, answers: Answers | None = None
) -> tuple[Derived, Rounding]:
    """The claims, asked again, and the bound derived today. Raises IsamapError if the program's rounding is not followed."""
    of = _followed(program, split, claimed.follows)
    if of is None:
        raise CertificateError(
            "its instructions compute its sums in other words: the kernel's bound is not the program's"
        )
    kernel, trees = of
    ranges = {n: (low, high) for n, low, high in claimed.ranges}
    with Watching(answers) as watch:
        proof, found = prove_rounding(kernel, ranges, trees, {n: (r, a) for n, r, a in claimed.bounds}, watch)
    bounds = tuple((n, r, a) for n, (r, a) in found.items())
    return Derived(proof, watch.steps()), Rounding(sorted_ranges(ranges), claimed.follows, bounds)


def _rounds_alike(one: Form) -> bool:
    """Whether it computes each term as the kernel before it does."""
    return isinstance(one, Rewrite) and not isinstance(one.row, Numbered)


def _followed(program: Program, split: Form | None, follows: str) -> tuple[Kernel, dict[int, Any]] | None:
    """The kernel to follow, and the expressions computed in place of its own.

    Returns None if the kernel does not stand for the program. Raises SizeError if an instruction rounds in a way of its own.
    """
    kernel, trees = computed_by(program)
    if follows == PROGRAM:
        return kernel, trees
    if split is None or not rounds_as_written(program) or not all(map(_rounds_alike, split.chain)):
        return None
    origin = split.origin
    extents = {a.name: int(a.extent) for a in kernel.axes if is_constant(a.extent)}
    sizes = {a.name: extents[a.name] for a in origin.axes if a.extent.is_Symbol and a.name in extents}
    try:
        return origin.with_sizes(sizes), {}
    except IsamapError:
        return None
