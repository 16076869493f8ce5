"""The certificates in proofs/ hold for the sources as they are: machine by machine, with nothing taken from a cache.

`make test-all` proves every claim of every certificate anew by Z3 and by cvc5. `make test` compares the sources of every one
with today's, and proves again those that are drawn, one in five: Z3 every claim, cvc5 a part.

Where this fails, the message names the certificate and what is the matter with it. A source that changed on purpose is
followed by `isamap proofs update`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import isamap_hardware
import isamap_kernels
from isamap_encodings.z3_check import cvc5_version
from isamap_smt.certificates import check, check_directory
from isamap_smt.certificates.cache import Answers
from isamap_smt.certificates.claim_file import Question, Tally, second_opinion
from isamap_smt.certificates.lock import lock_path, read_lock
from isamap_smt.certificates.manifest import read_certificate, read_index
from isamap_smt.certificates.remember import Outcome
from isamap_smt.certificates.subject import Sources
from isamap_smt.cli.proofs_update import BOUNDED, Bounded, wanted
from isamap_smt.language.library import find_kernel
from isamap_smt.mapping.types_of import with_types_of
from isamap_smt.search import find_mappings
from tests.families import draw

SHORT = 1000  # characters of a question that takes cvc5 a few milliseconds
ONE_IN = 10  # of the longer ones
DRAWN = 5  # certificates of which `make test` proves one


def drawn_of(proofs: Path, machine: str, among: int) -> list[str]:
    """Of as many of a machine's certificates one; the first of a machine that has few, of which none is drawn."""
    own = [i for i in read_index(proofs) if i.startswith(f"{machine}/")]
    return [i for i in own if draw(i, among) == 0] or own[:1]


def every_certificate_is_ok(proofs: Path, machine: str, among: int = 1) -> list[Outcome]:
    """Those of a machine, or of as many one that is drawn."""
    chosen = drawn_of(proofs, machine, among)
    found = check_directory(proofs, jobs=1, cache=False, only=lambda i: i in chosen)
    bad = [str(o) for o in found if o.status != "ok"]
    assert not bad, "\n".join(bad)
    assert found
    return found


@pytest.mark.parametrize("machine", isamap_hardware.names())
def test_what_every_shipped_certificate_is_about_is_as_it_was(repository: Path, machine: str) -> None:
    """Files, kernel and instructions, by their digests; nothing is proved."""
    sources, proofs, changed = Sources({}), repository / "proofs", []
    for identifier, expected in read_index(proofs).items():
        if identifier.startswith(f"{machine}/"):
            told = read_certificate(proofs / identifier, expected).document
            changed += [f"{identifier}: {what}" for what in different(told, sources)]
    assert not changed, "\n".join(changed)


def different(told: dict[str, Any], sources: Sources) -> list[str]:
    """What is not what a manifest says."""
    if told["kind"] == "machine":
        return [] if sources.digests(told["hardware"]) == told["parts"] else [told["hardware"]]
    kernel, today = sources.kernel(told["kernel"])
    parts = [told, *told.get("further", [])]
    instructions = [sources.digests_of(p, kernel).changed(p["instruction"]) for p in parts]
    return [*([kernel.name] if today != told["kernel"]["digest"] else []), *filter(None, instructions)]


@pytest.mark.parametrize("machine", isamap_hardware.names())
def test_the_shipped_certificates_that_are_drawn_are_ok(
    repository: Path, machine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By Z3; cvc5 confirms the short questions and one in ten of the others."""
    asked: list[Tally] = []

    def opinion(questions: Sequence[Question], answers: Answers) -> Tally:
        part = [q for q in questions if len(q.script) < SHORT or draw(q.script, ONE_IN) == 0]
        asked.append(second_opinion(part, answers))
        return asked[-1]

    monkeypatch.setattr(check, "second_opinion", opinion)
    found = every_certificate_is_ok(repository / "proofs", machine, DRAWN)
    assert sum(t.agreed + t.open for t in asked) >= sum(o.formulas for o in found) // (2 * ONE_IN)
    if cvc5_version() is not None:
        assert not sum(t.open for t in asked), "cvc5 does not confirm what Z3 proves"


def test_those_that_are_drawn_are_of_every_kernel_and_kind(repository: Path) -> None:
    drawn = {i for m in isamap_hardware.names() for i in drawn_of(repository / "proofs", m, DRAWN)}
    assert {i.split("/")[1] for i in drawn} >= {*isamap_kernels.names(), "machine"}
    assert {i.split("/")[0] for i in drawn} == set(isamap_hardware.names())
    assert (
        any("/complete," in i for i in drawn)
        and any(",statement-" in i for i in drawn)
        and any(",at," in i for i in drawn)
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize("machine", isamap_hardware.names())
def test_both_solvers_prove_every_shipped_certificate(repository: Path, machine: str) -> None:
    found = every_certificate_is_ok(repository / "proofs", machine)
    if cvc5_version() is not None:
        assert sum(o.alone for o in found) == 0, "cvc5 does not confirm what Z3 proves"


def test_the_shipped_certificates_are_those_of_the_index(repository: Path) -> None:
    listed = read_index(repository / "proofs")
    assert {i.split("/")[0] for i in listed} == set(isamap_hardware.names())
    found = check_directory(repository / "proofs", jobs=1, only=lambda i: i.endswith("/machine"))
    assert [o.id for o in found] == sorted(f"{m}/machine" for m in isamap_hardware.names())


def test_the_lock_lists_what_the_library_certifies(repository: Path) -> None:
    """Each line is one of a kernel on an instruction of the library; of each such pair there is one, or no mapping of it."""
    locked = read_lock(lock_path(repository / "proofs"))
    assert set(locked) == set(read_index(repository / "proofs"))
    chosen = wanted()
    assert not [i for i in locked if sum(w.covers(i) for w in chosen) != 1]
    for one in chosen:
        if isinstance(one, Bounded):
            assert any(one.covers(i) and ",within," in i for i in locked), one.name
        elif one.kernel and not any(one.covers(i) for i in locked):
            instruction = isamap_hardware.load(one.hardware).instruction(one.instruction)
            found = find_mappings(with_types_of(find_kernel(one.kernel), instruction, "any"), instruction)
            assert not found.family.bindings or (found.complete and not found.legal), one.name


def test_every_kernel_and_every_compute_instruction_has_a_certificate(repository: Path) -> None:
    listed = read_index(repository / "proofs")
    kernels = {*isamap_kernels.names(), *(one.kernel for one in BOUNDED)}
    assert {i.split("/")[1] for i in listed} - {"machine"} == kernels
    for machine in isamap_hardware.names():
        for i in isamap_hardware.load(machine).computes:
            if i.kernel.statements[0].op == "=":
                continue  # of lanes: no sum is mapped onto it
            # of products of halves of bytes; of every other instruction gemm's
            kernel, of = "linear_q4" if len(i.kernel.inputs) > 2 else "gemm", i.name.rpartition(".")[0]
            # saturating in between: no mapping onto it is legal, and its legal list says so
            empty = f"{of}/gemm/complete,{i.short}"
            found = any(k.startswith(f"{of}/{kernel}/{i.short},") for k in listed)
            assert found or empty in listed, f"{i.name} has no certificate"
