"""What commands say of a result: how it compares with the reference, and what the simulator saw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isamap_smt.cli.output import console, say
from isamap_smt.cli.status import WRONG_RESULT

if TYPE_CHECKING:
    from isamap_smt.pipeline.plan import Plan
    from isamap_smt.runtime.judge import Judgement
    from isamap_smt.targets.simulate import Observed


def status_of(wrong: str) -> int:
    """The exit status of a run; where its result is wrong, standard error says why."""
    if wrong:
        say(f"error: the result is wrong: {wrong}")
    return WRONG_RESULT if wrong else 0


def judgement_document(seen: Judgement) -> dict[str, Any]:
    """How a result compares with the reference, as JSON."""
    return {
        "exact": seen.exact,
        "max_error": seen.error,
        "bound": seen.bound,
        "stated": seen.stated,
        "foreseen": list(seen.foreseen),
        "wrong": seen.reason,
        "undefined": seen.undefined,
    }


def show_judgement(seen: Judgement) -> None:
    """How a result that is not wrong compares with the reference."""
    if seen.exact:
        console().print(f"equal to the reference ({seen.against}) bit for bit", style="green")
    elif not seen.reason:
        console().print(
            f"largest error {seen.error:.2e} of the largest element, against {seen.against}; "
            f"up to {seen.bound:.2e} passes as rounding"
        )
    if seen.stated is not None and not seen.exact and not seen.reason:
        console().print(
            "bound for this run's inputs, from the rounding of each operation: at most "
            f"{seen.stated:.2e} of the largest element; each element is within its own"
        )
    for told in () if seen.exact else seen.foreseen:
        console().print(f"bound computed without a run: {told}")
    if seen.undefined:
        say(
            f"warning: {seen.undefined:,} elements of the results are NaN here and in the reference; try another --seed"
        )


def observed_document(seen: Observed) -> dict[str, Any]:
    """What the simulator saw, as JSON. cycles: null of a core."""
    return {
        "wrong": seen.wrong,
        "cycles": seen.cycles,
        "engines": {n: {"cycles": b.cycles, "uses": b.uses} for n, b in seen.engines.items()},
        "interleavings": seen.orders,
        "races": list(seen.races),
    }


def show_orders(seen: Observed, planned: Plan) -> None:
    """In how many orders the simulator ran the program, and what it found."""
    orders = "1 order" if seen.orders == 1 else f"{seen.orders} orders"
    console().print(
        f"simulated in {orders}: {len(seen.races) or 'no'} races; proved: {len(planned.proof.claims)} claims"
    )
    if seen.cycles is not None:
        off = planned.cycles / seen.cycles - 1 if seen.cycles else 0.0
        console().print(f"{seen.cycles:,.0f} cycles simulated, {planned.cycles:,.0f} predicted ({off:+.1%})")
        busy = (f"{n} {b.cycles / seen.cycles:.0%} of the time ({b.uses:,} uses)" for n, b in seen.engines.items())
        console().print("engines: " + ", ".join(busy))
