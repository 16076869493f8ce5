"""Sums in cells of fewer bits than their type: whether no sum of a kernel leaves them, in any order of its terms."""

from __future__ import annotations

from functools import lru_cache

from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.kernel import Kernel
from isamap_smt.proof.overflow import Overflow, overflow


@lru_cache(maxsize=256)  # a plan asks for each mapping, and its proof again
def sums_fit(kernel: Kernel, bits: int, where: str) -> Verdict:
    """Whether each sum of the first statement, from 0, fits signed numbers of so many bits, and every part of it.

    Refuted with a number of terms and elements that add up to more, and with the sizes or ranges that would fit. where:
    the holder of the sums, in words.
    """
    found = overflow(kernel, 0, bits)
    if found is None or not isinstance(found.verdict, Proved):
        return Unknown(f"how large sums become in {where} is not known")
    if found.fits:
        return found.verdict
    elements = dict(found.witness)
    if not found.tight or not found.exact or len({n.partition("[")[0] for n in elements}) < len(elements):
        return Unknown(f"sums of more than {found.largest} terms may not fit the {bits} bits of {where}")
    terms = (found.largest or 0) + 1 if found.points is None else found.points
    return Refuted({found.name: terms}, f"{_told(found, terms, bits, where)}; {_fitting(kernel, found, bits)}")


def _told(found: Overflow, terms: int, bits: int, where: str) -> str:
    least = (found.largest or 0) + 1
    at = " and ".join(f"{n} = {v}" for n, v in found.witness)
    among = "" if terms == least else f", the first {least} of {terms},"
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    return f"{least} term{'s' * (least > 1)}{among} of {at} leave the {bits} bits of {where}, {low} to {high}"


def _fitting(kernel: Kernel, found: Overflow, bits: int) -> str:
    """The sizes or ranges that would fit, in words: fewer terms, or a range of one input for as many."""
    ways = [f"{found.name} <= {found.largest}"] if found.largest else []
    if found.points is not None:
        for name in dict.fromkeys(a.tensor for a in kernel.statements[0].inputs if a.tensor in kernel.inputs):
            most = _widest(kernel, name, found, bits)
            ways += [f"{'-' + str(most) if kernel.tensor(name).dtype.low else 0} <= {name} <= {most}"] if most else []
    return f"{' or '.join(ways)} would fit" if ways else "no sum of such terms fits"


def _widest(kernel: Kernel, name: str, found: Overflow, bits: int) -> int:
    """An n such that as many terms fit, proved, with an input between -n (unsigned: 0) and n; 0 if none is found.

    Terms grow as their factors do, so it is the largest one there.
    """
    d = kernel.tensor(name).dtype
    low, high = next(((low, high) for n, low, high in kernel.ranges if n == name), (d.low, d.high))
    most = ((1 << (bits - 1)) - 1) * max(-low, high) // ((found.points or 1) * max(-found.term[0], found.term[1]))
    if most < 1:
        return 0
    less = overflow(kernel.with_ranges({name: (-most if low < 0 else 0, most)}), 0, bits)
    return most if less is not None and less.fits else 0


__all__ = ["sums_fit"]
