"""isamap proofs update|check|why|export: certificates for others to check."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from isamap_smt.certificates.errors import CertificateError
from isamap_smt.cli import network_check, open_formulas
from isamap_smt.cli.bar import counting_bar
from isamap_smt.cli.network import constants_option, most_option
from isamap_smt.cli.options import as_json, kernel_options, plan_options, read_plan
from isamap_smt.cli.output import console, print_json, say, table, tell
from isamap_smt.ir.errors import SizeError

if TYPE_CHECKING:
    from isamap_smt.certificates import Outcome
    from isamap_smt.certificates.explain import Reason

DIRECTORY = "proofs"
SHOWN = 5  # ids that one line names
STYLE = {"ok": "green", "stale": "yellow", "unknown": "yellow", "broken": "bold red", "damaged": "bold red"}


@click.group("proofs")
def command() -> None:
    """Write certificates, check them against today's sources with two solvers, and explain them."""


jobs_option = click.option("--jobs", type=click.IntRange(min=1), help="Processes to use; by default one for each core.")
directory_option = click.option(
    "--dir", "directory", default=DIRECTORY, metavar="DIR", help="Where the certificates are."
)


source_option = click.option(
    "--source",
    "sources",
    multiple=True,
    metavar="FILE.py",
    help="A file that certificates may name, such as mine.py of mine.py:dot: its code is carried out, and that of no other.",
)


@command.command("check")
@click.argument("place", required=False, metavar="[DIR]")
@directory_option
@click.option("--lock", metavar="FILE", help="The list of what must be there; by default DIR.lock, where there is one.")
@click.option("--hardware", multiple=True, metavar="FILE", help="Check against this edited description; repeatable.")
@source_option
@click.option("--no-cache", is_flag=True, help="Ask every question again, whatever earlier runs answered.")
@click.option(
    "--model", metavar="MODEL.onnx", help="Of a compiled network: compare its constants and weights with this model."
)
@click.option(
    "--sizes", multiple=True, metavar="NAME=N", help="Open dimensions of the model, as it was compiled with them."
)
@most_option
@constants_option
@open_formulas.option
@jobs_option
@as_json
def check(
    place: str | None,
    directory: str,
    lock: str | None,
    hardware: tuple[str, ...],
    sources: tuple[str, ...],
    no_cache: bool,
    model: str | None,
    sizes: tuple[str, ...],
    most: tuple[str, ...],
    constants: tuple[str, ...],
    undecided: str,
    jobs: int | None,
    as_json: bool,
) -> int:
    """Derive every claim of the certificates in --dir (./proofs) again, and discharge it with Z3 and with cvc5.

    A DIR written by `isamap compile MODEL.onnx` is checked in the same way: its files, its kernels' programs, the
    claims between them, and its C, printed anew.

    Exit status: 0 all ok; 1 some broken (a claim no longer holds), stale (it holds, but was written for something else)
    or damaged; 2 unknown; 3 misuse.
    """
    from isamap_smt.certificates import check_directory, exit_status
    from isamap_smt.certificates.run import lock_of

    if place is not None:
        if directory not in (DIRECTORY, place):
            raise click.UsageError(f"name one directory, not {place} and {directory}")
        directory = place
    if network_check.is_library(Path(directory)):
        if lock is not None:
            raise click.UsageError(f"--lock is of certificates; {directory} is a compiled network")
        return network_check.check(
            Path(directory), hardware, sources, not no_cache, model, sizes, most, constants, as_json
        )
    if model is not None or sizes or constants:
        raise click.UsageError(f"--model, --sizes and --constants are of compiled networks; {directory} is none")
    if place is not None:
        say(f"note: write --dir {place}, as for the other commands")
    given = None if lock is None else Path(lock)
    with counting_bar("checking") as count:
        outcomes = check_directory(
            Path(directory),
            hardware,
            sources=sources,
            jobs=jobs,
            cache=not no_cache,
            progress=lambda n, of, o: count(n, of, o.id),
            lock=given,
        )
    status = exit_status(outcomes)
    saved = open_formulas.save({path: text for o in outcomes for path, text in o.formulas_left}, undecided)
    used = given or lock_of(Path(directory))
    if as_json:
        documents = [o.as_document() for o in outcomes]
        about = {"lock": used and str(used), "status": status, "saved": saved}
        print_json({**summary(outcomes), **about, "certificates": documents})
    else:
        show(outcomes)
        tell(lock_words(used, directory), *open_formulas.told(saved))
    return status


def summary(outcomes: list[Outcome]) -> dict[str, Any]:
    """Counts over all certificates, with index, lock and archives apart, and the solvers just asked."""
    from isamap_smt.certificates.manifest import INDEX
    from isamap_smt.certificates.remember import STATUSES
    from isamap_smt.certificates.store import solvers

    times = sorted(s for o in outcomes for s in o.z3)
    return {
        "solvers": solvers(),
        "index": next((o.status for o in outcomes if o.id == INDEX), "ok"),
        "counts": {s: sum(o.status == s and "/" in o.id for o in outcomes) for s in STATUSES},
        "claims": sum(o.claims for o in outcomes),
        "formulas": sum(o.formulas for o in outcomes),
        "confirmed": sum(o.second for o in outcomes),
        "one_solver": sum(o.alone for o in outcomes),
        "from_cache": sum(o.remembered for o in outcomes),
        "median_ms": round(times[len(times) // 2] * 1e3, 2) if times else None,
    }


def show(outcomes: list[Outcome]) -> None:
    """Everything not ok, each with its reason, then the counts."""
    for o in outcomes:
        if o.status != "ok":
            head, *rest = str(o).split("\n")
            tell(head, style=STYLE[o.status])
            tell(*rest)
    found = summary(outcomes)
    counts = ", ".join(f"{n} {word}" for word, n in found["counts"].items() if n) or "none"
    remembered = f" ({found['from_cache']} unchanged since an earlier check)" if found["from_cache"] else ""
    number = sum(found["counts"].values())
    tell(f"{counted(number, 'certificate')}: {counts}{remembered}; {counted(found['claims'], 'claim')}")
    tell(solver_words(found))


def counted(number: int, noun: str) -> str:
    """`1 claim`, `2 claims`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def solver_words(found: dict[str, Any]) -> str:
    """The solvers and how many formulas each discharged."""
    z3, cvc5 = found["solvers"]["z3"], found["solvers"]["cvc5"]
    if cvc5 == "not installed":
        return (
            f"one solver: Z3 {z3} proved {counted(found['formulas'], 'formula')}; cvc5 is not installed "
            "(pip install 'isamap-smt[cvc5]')"
        )
    if not found["formulas"]:
        return f"two solvers: Z3 {z3} and cvc5 {cvc5}; there were no formulas to ask"
    words = f"two solvers: Z3 {z3} and cvc5 {cvc5} agree on {found['confirmed']} of {found['formulas']} formulas"
    return words + (f"; {found['one_solver']} rest on Z3 alone" if found["one_solver"] else "")


def lock_words(lock: Path | None, directory: str) -> str:
    """A sentence naming the source of the list of required certificates."""
    if lock is None:
        return (
            f"which certificates must be there, {directory} alone says: `isamap proofs update` writes a lock beside it"
        )
    return f"which certificates must be there, and what each asks, {lock} says"


@command.command("update")
@click.argument("pattern", required=False, default="*")
@directory_option
@source_option
@open_formulas.option
@jobs_option
def update(pattern: str, directory: str, sources: tuple[str, ...], undecided: str, jobs: int | None) -> int:
    """Write the certificates of the library's kernels on its machines, and anew the certificates of your own files in DIR.

    PATTERN such as avx2/gemm picks some. DIR.lock, beside it, lists the certificates required from now on.
    All of them appear, or none: an interrupt leaves the old ones.
    """
    from isamap_smt.certificates.claim_file import UndecidedError
    from isamap_smt.cli.proofs_update import update_directory

    try:
        with counting_bar("proving") as count:
            done = update_directory(
                Path(directory), pattern, jobs, lambda n, of, ids: count(n, of, " ".join(ids)), sources
            )
    except UndecidedError as error:
        saved = open_formulas.told(open_formulas.save(error.formulas, undecided))
        raise UndecidedError("\n".join([str(error), *saved]), error.formulas) from None
    say(f"{counted(len(done.written), 'certificate')} written to {directory}")
    for words, ids in (("new", done.added), ("no longer there", done.removed), ("asks something else", done.changed)):
        if ids:
            more = f", and {len(ids) - SHOWN} more" if len(ids) > SHOWN else ""
            say(f"{done.lock}: {words}: {' '.join(ids[:SHOWN])}{more}")
    return 0


@command.command("add")
@click.argument("words", nargs=-1, metavar="[KERNEL] HARDWARE")
@directory_option
@click.option(
    "--within", multiple=True, metavar="'-4<=x<=4'",
    help="Where an input's elements lie: certifies how far rounding may carry the results. Repeatable.")  # fmt: skip
@plan_options
@kernel_options
def add(words: tuple[str, ...], directory: str, within: tuple[str, ...], as_json: bool, **options: Any) -> int:
    """Plan KERNEL for HARDWARE as `isamap compile` does, and write the certificate of this program into --dir.

    With --within for each input of floating point it says how far rounding may carry each result, for all such
    inputs; `proofs check` derives this bound again.
    """
    from isamap_smt.certificates import save
    from isamap_smt.certificates.manifest import manifest_alone
    from isamap_smt.cli.plan_view import planned_with_notes
    from isamap_smt.ir.time_limit import limited
    from isamap_smt.language.ranges import within as ranges_of

    asked = read_plan(words, options)
    kernel = asked["kernel"].with_sizes(asked["sizes"])
    ranges = ranges_of(kernel, within)
    if ranges and kernel.free_sizes:
        raise SizeError(
            f"--within: rounding depends on all sizes; give {', '.join(kernel.free_sizes)} with --sizes, too"
        )
    named = words[0] if options["text"] is None and ".py" in words[0] else None
    with limited(options["timeout"], f"the certificate of {kernel.name}"):
        planned = planned_with_notes({**asked, "reorder": False})  # a certificate is of the kernel that is named
        if not planned.program.schedules:
            raise CertificateError(
                f"{planned.kernel.name} is computed element by element: no instruction is mapped onto it"
            )
        place = save(planned.checked, directory, split=planned.split, kernel=named, ranges=ranges)
    bound = manifest_alone(place).get("rounding_bound")
    if as_json:
        print_json({"certificate": str(place), "rounding_bound": bound})
        return 0
    tell(f"certified: {place}")
    for name, b in (bound or {"bounds": {}})["bounds"].items():
        tell(
            f"for all inputs with {' and '.join(within)}, {name} is off by at most {b['relative']:.3g} of each exact element and "
            f"{b['absolute']:.3g}: proved, operation by operation"
        )
    return 0


@command.command("export")
@click.argument("to", metavar="TO")
@directory_option
def export(to: str, directory: str) -> int:
    """Write the certificates into the directory TO, each formula in an SMT-LIB file of its own, for any solver.

    `isamap proofs check --dir TO` checks them there.
    """
    from isamap_smt.certificates.directory import whole_directory
    from isamap_smt.certificates.place import export as write_out
    from isamap_smt.certificates.place import no_certificate

    with whole_directory(Path(to), no_certificate) as scratch:
        count = write_out(Path(directory), scratch)
    say(f"{counted(count, 'certificate')} written to {to}")
    return 0


@command.command("why")
@click.argument("name", metavar="ID[/CLAIM]")
@directory_option
@click.option("--hardware", multiple=True, metavar="FILE", help="Explain against this edited description.")
@source_option
@as_json
def why(name: str, directory: str, hardware: tuple[str, ...], sources: tuple[str, ...], as_json: bool) -> int:
    """Show a claim in words, its formula, and the assumptions its proof needs, or the counterexample.

    ID may be any part of an id, if only one certificate has it. Without CLAIM, every claim is listed in words.
    """
    from isamap_smt.certificates.explain import explain, find_certificate
    from isamap_smt.certificates.manifest import check_root
    from isamap_smt.certificates.run import load_sources

    root = Path(directory)
    check_root(root)
    identifier, claim = find_certificate(root, name)
    reasons = explain(root, identifier, claim, load_sources(hardware, sources))
    if as_json:
        print_json({"id": identifier, "claims": [r.as_document() for r in reasons]})
        return 0
    out = console()
    out.print(identifier, style="bold")
    if not claim:
        rows = ((r.claim, r.subject, r.verdict, r.statement) for r in reasons)
        out.print(table("", "claim", "about", "verdict", "what it says", rows=rows))
        tell(f"isamap proofs why '{identifier}/CLAIM' shows the formulas of one claim")
    for r in reasons:
        if claim or r.witness:
            _show_reason(r)
    return 0


def _show_reason(reason: Reason) -> None:
    about = f"{reason.claim} of {reason.subject}" if reason.subject else reason.claim
    tell(f"\n{about}: {reason.verdict}", style="bold")
    tell(*(f"  {line}" for line in (reason.statement, *(reason.witness.split("\n") if reason.witness else ()))))
    for formula, core in reason.cores:
        tell("  formula", style="dim")
        tell(*(f"    {line}" for line in formula.rstrip().split("\n")))
        if core:
            tell("  unsatisfiable already because of", style="dim")
            tell(*(f"    {' '.join(line.split())}" for line in core))
