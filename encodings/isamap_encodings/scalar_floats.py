"""Scalar, bit for bit: two trees with floating point have the same value for all elements.

Z3's theory of floating point has one NaN and tells +0 from -0, so 'equal' is: the same bits, whatever a NaN carries.
It is asked of small trees only; most equal trees are one tree and need no solver (scalar.same_tree).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isamap_encodings.machine import Bits
from isamap_encodings.scalar_values import Kind
from isamap_encodings.solve import ask
from isamap_encodings.terms import NotExpressible
from isamap_encodings.verdict import Proved, Unknown, Verdict

RLIMIT = 3_000_000  # about two seconds of bit-blasting; a product of two f32 elements takes far more


def equal_floats(
    left: Any, right: Any, types: Mapping[str, Kind], result: Kind, ranges: Mapping[str, tuple[int, int]]
) -> Verdict:
    """Proved when both trees have the same bits for all elements in range, NaN and infinities included. Never Refuted: a
    difference is shown on numbers elsewhere, so that it replays; here it is Unknown."""
    bits = Bits(types)
    try:
        a, b = bits.any(left, result), bits.any(right, result)
    except NotExpressible as e:
        return Unknown(f"not expressible in floating point: {e}")
    given = [bits.between(name, low, high) for name, (low, high) in sorted(ranges.items())]
    verdict = ask(given, a == b, "scalar in floating point", RLIMIT)
    if isinstance(verdict, Proved):
        return verdict
    reason = verdict.reason if isinstance(verdict, Unknown) else "the bits differ for some elements"
    return Unknown(reason, verdict.seconds)
