"""The certificates in proofs/ hold for the sources as they are: machine by machine, with nothing taken from a cache.

Z3 proves every claim anew. cvc5 is asked about all of them in `make test-all`, and in `make test` about a part.

Where this fails, the message names the certificate and what is the matter with it. A source that changed on purpose is
followed by `isamap proofs update`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import isamap_hardware
import isamap_kernels
from isamap_encodings.z3_check import cvc5_version
from isamap_smt.certificates import check, check_directory
from isamap_smt.certificates.cache import Answers
from isamap_smt.certificates.claim_file import Question, Tally, second_opinion
from isamap_smt.certificates.lock import lock_path, read_lock
from isamap_smt.certificates.manifest import read_index
from isamap_smt.certificates.remember import Outcome
from isamap_smt.cli.options import with_types_of
from isamap_smt.cli.proofs_update import wanted
from isamap_smt.language.library import find_kernel
from isamap_smt.search import find_mappings
from tests.families import draw

SHORT = 1000  # characters of a question that takes cvc5 a few milliseconds
ONE_IN = 10  # of the longer ones


def every_certificate_is_ok(proofs: Path, machine: str) -> list[Outcome]:
    found = check_directory(proofs, jobs=1, cache=False, only=lambda i: i.startswith(f"{machine}/"))
    bad = [str(o) for o in found if o.status != "ok"]
    assert not bad, "\n".join(bad)
    assert found
    return found


@pytest.mark.parametrize("machine", isamap_hardware.names())
def test_every_shipped_certificate_is_ok(repository: Path, machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By Z3; cvc5 confirms the short questions and one in ten of the others."""
    asked: list[Tally] = []

    def opinion(questions: Sequence[Question], answers: Answers) -> Tally:
        part = [q for q in questions if len(q.script) < SHORT or draw(q.script, ONE_IN) == 0]
        asked.append(second_opinion(part, answers))
        return asked[-1]

    monkeypatch.setattr(check, "second_opinion", opinion)
    found = every_certificate_is_ok(repository / "proofs", machine)
    assert sum(t.agreed + t.open for t in asked) > sum(o.formulas for o in found) / (2 * ONE_IN)
    if cvc5_version() is not None:
        assert not sum(t.open for t in asked), "cvc5 does not confirm what Z3 proves"


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
        if one.kernel and not any(one.covers(i) for i in locked):
            instruction = isamap_hardware.load(one.hardware).instruction(one.instruction)
            found = find_mappings(with_types_of(find_kernel(one.kernel), instruction, "any"), instruction)
            assert not found.family.bindings or (found.complete and not found.legal), one.name


def test_every_kernel_and_every_compute_instruction_has_a_certificate(repository: Path) -> None:
    listed = read_index(repository / "proofs")
    assert {i.split("/")[1] for i in listed} - {"machine"} == set(isamap_kernels.names())
    for machine in isamap_hardware.names():
        for i in isamap_hardware.load(machine).computes:
            name = f"{i.name.rpartition('.')[0]}/gemm/{i.short},"
            # saturating in between: no mapping onto it is legal, and its legal list says so
            empty = f"{i.name.rpartition('.')[0]}/gemm/complete,{i.short}"
            assert any(k.startswith(name) for k in listed) or empty in listed, f"{i.name} has no certificate"
