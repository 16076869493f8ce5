"""isamap prove KERNEL INSTRUCTION --axes ...: a verdict for each claim, and an exit status for all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from isamap_encodings.verdict import Refuted, Unknown
from isamap_smt.cli import open_formulas
from isamap_smt.cli.options import (
    kernel_options,
    partial_option,
    read_pair,
    statement_option,
    timeout_option,
    verbose_option,
)
from isamap_smt.cli.output import console, print_json, progress, seconds, table, tell, verdict
from isamap_smt.ir.errors import DTypeError, IsamapError
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.proof import ClaimResult, Proof, ProvedMapping, phrase

if TYPE_CHECKING:
    from isamap_smt.proof import Rejection
    from isamap_smt.proof.ranges import RangePair

STATUS = {"proved": 0, "refuted": 1, "unknown": 2}


@click.command("prove")
@click.argument("words", nargs=-1, metavar="[KERNEL] INSTRUCTION")
@click.option(
    "--axes",
    required=True,
    metavar="i=n.p,j=k",
    help="Kernel axes that each instruction axis takes, fused; empty for one iteration at a time.",
)
@click.option(
    "--operands",
    default="fixed",
    metavar="fixed|any|a=I,b=W",
    help="Which kernel operand feeds which operand of the instruction.",
)
@partial_option
@click.option(
    "--given",
    metavar="'A<=200'",
    help="Where values are at fault: the largest range of another input under this one, and of this one under that.",
)
@statement_option
@timeout_option
@open_formulas.option
@verbose_option
@kernel_options
def command(
    words: tuple[str, ...], axes: str, partial: bool, given: str | None, undecided: str, verbose: bool, as_json: bool,
    **options: Any,
) -> int:  # fmt: skip
    """Prove or refute one mapping of KERNEL onto INSTRUCTION.

    Exit status: 0 proved, 1 refuted, 2 unknown, 3 misuse. If Z3 gives up, the formula is saved.
    """
    from isamap_smt.certificates.claim_file import undecided_formulas
    from isamap_smt.mapping.fuse import fuse
    from isamap_smt.proof import prove
    from isamap_smt.proof.ranges import range_pair

    kernel, instruction, statement = read_pair(words, options, axes)
    mapping = fuse(kernel, instruction, axes.strip() or {}, options["operands"], statement, partial=partial)
    if given is not None:
        _check_given(kernel, given)
    with progress(f"proving {mapping.id}"):
        result = prove(mapping, options["assume"], options["timeout"])
        pair = None if given is None or isinstance(result, ProvedMapping) else range_pair(result, given)
        left = {} if isinstance(result, ProvedMapping) else undecided_formulas(result)
    saved = open_formulas.save(left, undecided)
    if as_json:
        found = {"mapping": result.mapping.id, **proof_document(result.proof), **extras(result), **together(pair)}
        print_json({**found, "saved": saved})
    else:
        show(result, f"{kernel.name} onto {instruction.name}: {mapping.id}", verbose)
        if given is not None:
            tell(f"\ntogether: {pair or _no_pair(result, given)}{_further(pair)}")
        tell(*open_formulas.told(saved))
    return STATUS[result.proof.word]


def together(pair: RangePair | None) -> dict[str, Any]:
    """The ranges of two inputs under which the mapping is proved; empty if there are none."""
    return {} if pair is None else {"together": {"assume": list(pair.texts), "weakest": pair.exact}}


def _check_given(kernel: Kernel, given: str) -> None:
    """Nothing happens for values of an integer input, as --assume takes them."""
    from isamap_smt.language.ranges import assume

    try:
        ranged = assume(kernel, [given])
        for name, *_ in ranged.ranges:
            if kernel.tensor(name).dtype.is_float and ranged.ranges != kernel.ranges:
                raise DTypeError(f"{name} is {kernel.tensor(name).dtype}: values are at fault of integers only")
    except IsamapError as error:
        error.args = (f"--given: {error}",)
        raise


def _no_pair(result: ProvedMapping | Rejection, given: str) -> str:
    """Why there are no ranges of two inputs."""
    from isamap_smt.proof.ranges import values_at_fault

    if isinstance(result, ProvedMapping):
        return "proved as it is: --given asks about a mapping that is refuted for the values of its inputs"
    if not values_at_fault(result):
        return "it is rejected for another reason than the values of its inputs, which no range mends"
    return f"no range of another input is found that mends it under {given}"


def _further(pair: RangePair | None) -> str:
    return "; any end of either one further out is refuted" if pair is not None and pair.exact else ""


def extras(result: Any) -> dict[str, Any]:
    """Further facts: why a rejection fails and how to mend it, and when the accumulator cannot overflow."""
    from isamap_smt.proof.overflow import overflow

    longest = overflow(result.mapping.kernel)
    document: dict[str, Any] = {"try": [], "mend": None}
    if not isinstance(result, ProvedMapping):
        mend = None if result.ranges else result.mend
        document = {
            "claim": result.claim.claim,
            "subject": result.claim.subject,
            "reason": result.reason,
            "clash": list(result.clash),
            "try": [{"assume": r.text, "weakest": r.exact} for r in result.ranges],
            "mend": None if mend is None else {"text": mend.text, "change": mend.change},
            "suggestions": list(result.suggestions),
        }
    return {
        **document,
        "left": left_to_the_program(result),
        "overflow": None if longest is None else longest.document(),
    }


def left_to_the_program(result: Any) -> list[str]:
    """Facts left open by the proof of a mapping, in words; empty for most."""
    return list(result.left) if isinstance(result, ProvedMapping) else []


def proof_document(proof: Proof) -> dict[str, Any]:
    """A proof as JSON: the verdict of the whole, and of each claim."""
    return {
        "verdict": proof.word,
        "arithmetic": proof.arithmetic,
        "assumptions": list(proof.assumptions),
        "seconds": round(proof.seconds, 4),
        "claims": [claim_document(c) for c in proof.claims],
    }


def claim_document(claim: ClaimResult) -> dict[str, Any]:
    """One claim: its verdict, and the witness or the reason if it is not proved."""
    document: dict[str, Any] = {
        "claim": claim.claim,
        "subject": claim.subject,
        "statement": claim.statement,
        "verdict": claim.verdict.word,
        "seconds": round(claim.verdict.seconds, 4),
    }
    match claim.verdict:
        case Refuted(witness, text):
            document |= {"witness": dict(witness), "text": text}
        case Unknown(reason):
            document["reason"] = reason
    return document


def show(result: Any, title: str, verbose: bool = False) -> None:
    """The verdict; if refuted, a counterexample and remedies; then the unproved claims, or all if verbose."""
    from isamap_smt.proof.overflow import BEYOND, overflow

    proof: Proof = result.proof
    out = console()
    shown = proof.claims if verbose else proof.failed()
    told = f"{_obligations(len(proof.claims))} in {seconds(proof.seconds)}\n{title}" if proof.proved else str(result)
    out.print(verdict(proof.word), Text(f": {told}"), sep="", soft_wrap=True)
    if shown:
        rows = [
            (phrase(c.claim), *((Text(c.claim, style="dim"),) if verbose else ()), c.subject, verdict(c.verdict.word),
             seconds(c.verdict.seconds), c.statement) for c in shown
        ]  # fmt: skip
        columns = ("claim", *(("id",) if verbose else ()), "about", "verdict", "time", "what it says")
        out.print()
        out.print(table("", *columns, rows=rows, right=("time",)))
    if not proof.proved:
        proved = len(proof.claims) - len(proof.failed())
        tell(f"\n{_obligations(proved)} proved of {len(proof.claims)}, in {seconds(proof.seconds)}")
    if proof.assumptions:
        out.print(f"\nassumed: {'; '.join(proof.assumptions)}", style="dim")
    longest = overflow(result.mapping.kernel)
    if longest is not None:
        tell(f"\n{longest}\nbeyond, it {BEYOND}", style="dim")
    order = {"reassociate": "over the reals: sums may be added in any order, and nothing is said of rounding",
             "ordered": "in the kernel's own order", "exact": "bit for bit, in machine arithmetic"}  # fmt: skip
    meaning = order.get(proof.arithmetic, "")
    tell(
        f"arithmetic: {proof.arithmetic}" + (f" ({meaning})" if meaning else ""),
        *(f"left to the program's proof: {text}" for text in left_to_the_program(result)),
    )


def _obligations(count: int) -> str:
    return f"{count} obligation{'' if count == 1 else 's'}"
