"""Whether a kernel's results are right: equal if its arithmetic is exact, within the bound of its rounding otherwise.

Integers are exact; so is floating point if its proof says 'exact' or 'ordered': it is compared with the interpreter bit for
bit, NaN with NaN. If a sum may be reordered, n terms of it are off by at most n roundings of its largest partial sum. The
bound, 4 e (n + 8) of the largest element of the result, counts every one of them in the same direction, in the coarsest type
written (e: the distance from 1 to the next number), up to a quarter. Infinities and NaN must stand where the reference
has them, rounded to the result's type. If a result feeds on, as the state of a recurrence does, its consequences are
compared with those of the program's own result: each step is judged, and not the drift of two orbits. For
short runs every operation's rounding is followed besides, the stated ULP of functions included
(isamap_smt.runtime.explained): each element must lie within the resulting bound.
"""

from __future__ import annotations

import math
from collections.abc import Mapping as Dict
from dataclasses import dataclass
from typing import Any

import numpy as np

from isamap_smt.ir.convert import converted
from isamap_smt.ir.fibres import fibres
from isamap_smt.ir.interpret import reference, run_kernel
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.left_behind import feeding
from isamap_smt.ir.near import Near
from isamap_smt.ir.points import box
from isamap_smt.ir.program import Program

Arrays = Dict[str, np.ndarray]
MOST = 4_000_000  # points that the interpreter is asked for
FLOAT64, INTEGERS, IN_ORDER = "float64", "exact integers", "the kernel's own order and rounding"
STEPS = "float64, each step from what the steps before it left"


@dataclass(frozen=True)
class Judgement:
    """exact: equal bit for bit. error: max|got-ref| / max|ref|, the worst over all outputs.

    error is infinite if a NaN or an infinity stands in one of both alone. bound: the error explained by rounding; 0 if
    the results must be equal. reason: the fault, or ''. undefined: the number of elements NaN in both; they count as equal and say
    little of the code. stated: the largest error following from the rounding of each operation, as a part of max|ref|; None if it
    was not followed. foreseen: facts of each result known before the run, for all inputs between the ends of these.
    """

    exact: bool
    error: float
    bound: float
    against: str
    reason: str = ""
    undefined: int = 0
    stated: float | None = None
    foreseen: tuple[str, ...] = ()


def must_be_equal(kernel: Kernel, arithmetic: str) -> bool:
    """Whether the interpreter's result is the only right one, by the proof's `arithmetic`, and short enough to ask for."""
    free = [s for s in kernel.statements if s.op in ("+", "*") and not s.ordered and not fibres(kernel, s).apart]
    in_any_order = any(kernel.tensor(s.target.tensor).dtype.is_float for s in free)
    return "reassociate" not in arithmetic and not in_any_order and visited(kernel) <= MOST


def arithmetic_of(program: Program) -> str:
    """The meaning of 'equal' in the proofs behind the program."""
    return "; ".join(dict.fromkeys(s.proved.proof.arithmetic for s in program.schedules))


def visited(kernel: Kernel) -> int:
    """Points visited by the interpreter: every statement's box. Sizes must be known."""
    return sum(map(box, kernel.statements))


def wanted(kernel: Kernel, arrays: Arrays, arithmetic: str, got: Any = None) -> dict[str, np.ndarray]:
    """The reference for results: the interpreter's if they must be equal to it, else one of high precision.

    got: the results judged; without them the reference is its own alone, even if feeding(kernel) names results.
    """
    floating = any(kernel.tensor(n).dtype.is_float for n in kernel.results)
    if floating and must_be_equal(kernel, arithmetic):
        return run_kernel(kernel, arrays)
    return reference(kernel, arrays, left=None if got is None else by_name(kernel, got))


def by_name(kernel: Kernel, got: Any) -> dict[str, np.ndarray]:
    """A call's results by name; the only one may stand alone."""
    return got if isinstance(got, dict) else {kernel.results[0]: got}


def judge(
    kernel: Kernel, got: Any, right: Arrays, arithmetic: str = "reassociate", near: Dict[str, Near] | None = None
) -> Judgement:
    """How the results compare with wanted(). arithmetic: of the program's proof. near: bounds known for its rounding."""
    results = by_name(kernel, got)
    equal = must_be_equal(kernel, arithmetic)
    exact, worst, bound, undefined, reasons = True, 0.0, 0.0, 0, []
    for name, ref in right.items():
        dtype, out = kernel.tensor(name).dtype, results[name]
        with np.errstate(all="ignore"):
            rounded = converted(ref, dtype)
        same = _same(out, rounded)
        exact = exact and bool(same.all())
        undefined += int((_nan(out) & _nan(rounded)).sum())
        error = 0.0 if same.all() else _distance(out, ref, rounded)
        worst = max(worst, error)
        allowed = 0.0 if equal or not dtype.is_float else rounding_bound(kernel)
        bound = max(bound, allowed)
        if allowed == 0.0 and not same.all():
            reasons.append(f"{name} is not the exact result: {_first(name, out, rounded, ~same)}")
        elif not error <= allowed:
            reasons.append(
                f"{name} differs by {error:.1e} of its largest element; rounding explains {allowed:.1e}: "
                f"{_first(name, out, rounded, _far(out, ref, rounded))}"
            )
    stated: float | None = None
    for name, n in (near or {}).items():
        out, size = results[name].astype(np.float64), float(np.abs(n.value).max(initial=0.0)) or 1.0
        stated = max(stated or 0.0, float(np.where(np.isfinite(n.error), n.apart, np.inf).max(initial=0.0)) / size)
        with np.errstate(all="ignore"):
            off = np.where(out == n.value, 0.0, np.abs(out - n.value))  # of equal infinities, too
        beyond = ~(off <= n.apart) & np.isfinite(n.error)
        if beyond.any():
            at = np.unravel_index(int(np.argmax(np.where(beyond, off, -1.0))), beyond.shape)
            where = f"{name}[{','.join(str(int(i)) for i in at)}]"
            reasons.append(
                f"{where} is {out[at]}, and the rounding of each operation leaves {n.value[at]} within {n.apart[at]:.1e}"
            )
    stated = stated if stated is not None and math.isfinite(stated) else None  # where some element is not followed
    floating = any(kernel.tensor(n).dtype.is_float for n in right)
    against = INTEGERS if not floating else IN_ORDER if equal else STEPS if feeding(kernel) else FLOAT64
    return Judgement(exact, worst, bound, against, "; ".join(reasons), undefined, stated)


def _same(out: np.ndarray, rounded: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.asarray((out == rounded) | (_nan(out) & _nan(rounded)))


def _nan(x: np.ndarray) -> np.ndarray:
    return np.asarray(x != x)  # noqa: PLR0124 - also of bfloat16, which has no isnan


def _far(out: np.ndarray, ref: np.ndarray, rounded: np.ndarray) -> np.ndarray:
    """The distance of each element from the reference; infinite if one of both is not finite and they are not the same."""
    with np.errstate(all="ignore"):
        far = np.abs(out.astype(np.float64) - ref.astype(np.float64))
        far = np.where(np.isfinite(out.astype(np.float64)) & np.isfinite(rounded.astype(np.float64)), far, np.inf)
        return np.where(_same(out, rounded), 0.0, far)


def _distance(out: np.ndarray, ref: np.ndarray, rounded: np.ndarray) -> float:
    size = np.abs(ref.astype(np.float64))
    scale = float(size[np.isfinite(size)].max(initial=0.0)) or 1.0
    return float(_far(out, ref, rounded).max(initial=0.0)) / scale


def _first(name: str, out: np.ndarray, rounded: np.ndarray, wrong: np.ndarray) -> str:
    """The worst element, or the first of several."""
    at = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
    where = f"{name}[{','.join(str(int(n)) for n in at)}]"
    return f"{where} is {out[at]}, and should be {rounded[at]}"


def rounding_bound(kernel: Kernel) -> float:
    """The rounding of every addition of every sum, all in one direction, in the coarsest type written, up to a quarter.

    A sum may end in a temporary, so its rounding arrives in a result that adds nothing up itself.
    """
    terms = 0
    for s in kernel.statements:
        meeting = fibres(kernel, s)
        terms += 0 if meeting.apart else int(meeting.most)
    kinds = [kernel.tensor(n).dtype for n in kernel.outputs]
    epsilon = max(_epsilon(kind.numpy) for kind in kinds if kind.is_float)
    return min(0.25, 4.0 * epsilon * (max(terms, 1) + 8))


def _epsilon(kind: np.dtype) -> float:
    """The distance from 1 to the next number of a floating-point type."""
    one = np.ones(1, kind)
    step = 1.0
    while (one + np.asarray(step / 2, kind)).astype(np.float64)[0] > 1.0:
        step /= 2
    return step
