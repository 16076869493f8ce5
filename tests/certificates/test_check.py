"""Every certificate is derived again from today's sources; a changed source is named with what it breaks."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import isamap_smt as im
from isamap_encodings.z3_check import cvc5_version
from isamap_smt.certificates import DamagedError, Outcome, check_directory, exit_status, load, save
from isamap_smt.certificates import cache as cache_module
from isamap_smt.certificates.derive import derive_program
from isamap_smt.certificates.explain import explain
from isamap_smt.certificates.manifest import INDEX, KIND, MANIFEST, read_certificate, write_index
from isamap_smt.certificates.remember import keys_of
from isamap_smt.certificates.run import load_sources
from isamap_smt.certificates.subject import Sources
from isamap_smt.ir.errors import NotProvedError
from isamap_smt.records import store
from isamap_smt.records.record import for_people, sealed
from tests.certificates.conftest import COMPLETE, DOT, FMA, MACHINE, EditedMachine, gemm_schedule, seal


def check(proofs: Path, *hardware: Path, cache: bool = True) -> dict[str, Outcome]:
    return {o.id: o for o in check_directory(proofs, [str(h) for h in hardware], jobs=1, cache=cache)}


def failing(found: dict[str, Outcome]) -> set[str]:
    return {i for i, o in found.items() if o.status != "ok"}


@pytest.mark.skipif(cvc5_version() is None, reason="cvc5 is not installed")
def test_two_solvers_agree_on_every_formula(proofs: Path) -> None:
    found = check(proofs, cache=False)
    assert {i: o.status for i, o in found.items()} == dict.fromkeys((FMA, DOT, COMPLETE, MACHINE), "ok")
    assert exit_status(list(found.values())) == 0
    assert found[FMA].formulas == found[FMA].second > 50
    assert found[FMA].claims > 100
    assert all(o.alone == 0 for o in found.values())


def test_a_certificate_of_a_library_kernel_follows_the_library(proofs: Path) -> None:
    document = json.loads((proofs / FMA / MANIFEST).read_text())
    assert document["kernel"]["source"] == "gemm"
    assert document["instruction"]["source"] == "avx2.fmadd_ps"


# ---- damage: one certificate is named, and it never counts ----------------------------------------------------------


def cut(file: Path) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2])


def turn(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


DAMAGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "a claim is missing": (lambda p: (p / "agreement.smt2").unlink(), "agreement.smt2 is missing"),
    "a claim is truncated": (lambda p: cut(p / "coverage.smt2"), "coverage.smt2 is not as it was written"),
    "a claim is edited": (
        lambda p: turn(p / "exclusive.smt2", "(! (<= 1 I)", "(! (<= 2 I)"),
        "exclusive.smt2 is not as it was written",
    ),
    "a manifest is missing": (lambda p: (p / MANIFEST).unlink(), "it is missing"),
    "a manifest is truncated": (lambda p: cut(p / MANIFEST), "manifest.json is truncated or no JSON"),
    "a manifest is edited": (
        lambda p: turn(p / MANIFEST, '"rounding": "exact"', '"rounding": "Exact"'),
        "manifest.json was edited by hand",
    ),
    "a manifest is of another version": (
        lambda p: turn(p / MANIFEST, "isamap certificate 2", "isamap certificate 1"),
        "manifest.json is of version 1, and this isamap reads version 2; `isamap proofs update` writes the library's anew, and ",
    ),
    "a manifest is of something else": (
        lambda p: turn(p / MANIFEST, "isamap certificate 2", "isamap decision 2"),
        "manifest.json is foreign: its format is 'isamap decision 2', not 'isamap certificate 2'; `isamap proofs update` ",
    ),
    "a manifest is binary": (lambda p: (p / MANIFEST).write_bytes(b"\xff\xfe\0"), "manifest.json cannot be read"),
    "a file is added": (lambda p: (p / "more.smt2").write_text("x"), "more.smt2 is not listed"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_certificate_is_named(proofs: Path, damage: str) -> None:
    spoil, sentence = DAMAGES[damage]
    spoil(proofs / DOT)
    found = check(proofs)
    assert failing(found) == {DOT}
    assert found[DOT].status == "damaged"
    assert sentence in str(found[DOT])
    assert exit_status(list(found.values())) == 1


@pytest.mark.parametrize("identifier", [FMA, DOT, COMPLETE, MACHINE])
def test_a_deleted_certificate_is_named(proofs: Path, identifier: str) -> None:
    for file in (proofs / identifier).iterdir():
        file.unlink()
    found = check(proofs)
    assert failing(found) == {identifier}
    assert "it is missing: proofs.json lists it" in str(found[identifier])


def test_a_certificate_that_nobody_listed_is_foreign(proofs: Path) -> None:
    index = json.loads((proofs / INDEX).read_text())
    del index["certificates"][DOT]
    (proofs / INDEX).write_text(for_people(sealed(KIND, index)))
    found = check(proofs)
    assert failing(found) == {DOT}
    assert "it is foreign: proofs.json does not list it" in str(found[DOT])


@pytest.mark.parametrize(
    "spoil", [lambda f: f.unlink(), cut, lambda f: turn(f, "certificates", "Certificates"), lambda f: f.write_text("3")]
)
def test_a_damaged_index_is_damage(proofs: Path, spoil: Callable[[Path], None]) -> None:
    spoil(proofs / INDEX)
    found = check(proofs)
    assert failing(found) == {INDEX}
    assert found[INDEX].status == "damaged"


# ---- forgery: digests that fit do not help --------------------------------------------------------------------------


def forge(place: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Edit a manifest and make every digest fit again."""
    root = place.parents[2]
    seal(root, place.relative_to(root).as_posix(), change)


def test_a_forged_mapping_is_refuted(proofs: Path) -> None:
    forge(proofs / DOT, lambda d: d["mapping"].update(axes={"l": ["k"], "e": ["j"]}))
    found = check(proofs)
    assert failing(found) == {DOT}
    assert found[DOT].status == "broken"
    assert "does not map onto avx2.madd_u8i8" in str(found[DOT])
    with pytest.raises(NotProvedError, match="not proved today"):
        load(proofs / DOT)


def test_a_forged_legal_list_is_refuted(proofs: Path) -> None:
    forge(proofs / COMPLETE, lambda d: d["legal"].append("i=j,j=i,k=k;a=A,b=B"))
    found = check(proofs)[COMPLETE]
    assert found.status == "broken"
    assert "gemm does not map onto wmma.16x16x16" in str(found)


def test_a_legal_list_is_stale_where_operands_are_written_in_another_order(proofs: Path, edited: EditedMachine) -> None:
    """Every listed mapping is proved again and the family gone over: complete still, for an instruction that changed."""
    found = check(proofs, edited("wmma.py", "a[i,k] * b[k,j]", "b[k,j] * a[i,k]"))[COMPLETE]
    assert (found.status, found.told) == ("stale", ("the instruction wmma.16x16x16 has changed: its contract",))


def test_a_mapping_listed_twice_is_noticed(proofs: Path) -> None:
    def turned(document: dict[str, Any]) -> None:
        axes, _, operands = document["legal"][0].partition(";")
        first, _, second = operands.partition(",")
        document["legal"][1] = f"{axes};{second},{first}"

    forge(proofs / COMPLETE, turned)
    found = check(proofs)[COMPLETE]
    assert found.status == "broken"
    assert "nothing accounts for" in str(found)


def test_a_shortened_legal_list_is_refuted(proofs: Path) -> None:
    forge(proofs / COMPLETE, lambda d: d["legal"].pop())
    found = check(proofs)[COMPLETE]
    assert found.status == "broken"
    assert "nothing accounts for" in str(found)


def test_a_witness_left_out_is_noticed(proofs: Path) -> None:
    forge(proofs / COMPLETE, lambda d: d["witnesses"].pop())
    assert check(proofs)[COMPLETE].status == "broken"


def test_a_forged_formula_is_no_longer_what_the_sources_say(proofs: Path) -> None:
    turn(proofs / DOT / "exclusive.smt2", "(! (<= 1 I)", "(! (<= 2 I)")
    forge(proofs / DOT, lambda d: None)
    found = check(proofs)[DOT]
    assert (found.status, found.told) == ("stale", ("exclusive.smt2 is not what today's sources make",))


@pytest.mark.parametrize(
    ("old", "new"),
    [("(set-info :status unsat)", "(set-info :status sat)"), ("(assert (! (not", "(assert (! (or true")],
)
def test_what_a_file_says_of_a_solver_is_not_said_by_the_solver(proofs: Path, old: str, new: str) -> None:
    """Solvers are asked what today's sources make. A status or a formula of a file is compared with that, and no more."""
    turn(proofs / DOT / "agreement.smt2", old, new)
    forge(proofs / DOT, lambda d: None)
    found = check(proofs)
    assert (found[DOT].status, found[DOT].told) == ("stale", ("agreement.smt2 is not what today's sources make",))
    assert "says" not in str(found[DOT])
    assert exit_status(list(found.values())) == 1


def test_the_program_is_lowered_again(proofs: Path) -> None:
    forge(proofs / FMA, lambda d: d["schedule"].update(registers=[["i", 4], ["j", 8], ["k", 1]]))
    found = check(proofs)[FMA]
    assert found.status == "broken"
    assert "innermost step 2 is not the register tile 4" in str(found)


# ---- an instruction that changes ------------------------------------------------------------------------------------


def test_an_edited_contract_breaks_its_proofs_alone(proofs: Path, edited: EditedMachine) -> None:
    file = edited("avx2.py", '"acc[l] += i32(a[l,e]) * i32(b[l,e])"', '"acc[l] += i32(a[l,e]) * i32(b[l,0])"')
    found = check(proofs, file)
    assert failing(found) == {DOT, MACHINE}
    assert found[DOT].status == "broken"
    assert "both use cell b[0,0], which cannot hold B[0,0] and B[1,0]" in str(found[DOT])
    assert "avx2.madd_u8i8" in str(found[MACHINE])
    assert "fmadd_ps" not in str(found[MACHINE])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('_float("fmadd_ps", "f32", 8', '_float("fmadd_ps", "f32", 4'),
        ("latency=4.0", "latency=5.0"),
        ("{{c}} = _mm256_{name}({{a}}, {{b}}, {{c}});", "{{c}} = _mm256_{name}({{b}}, {{a}}, {{c}});"),
    ],
)
def test_whatever_changes_in_a_description_is_named(proofs: Path, edited: EditedMachine, old: str, new: str) -> None:
    found = check(proofs, edited("avx2.py", old, new))
    assert failing(found) == {FMA, MACHINE}
    assert "avx2.fmadd_ps" in str(found[FMA]) and "avx2.fmadd_ps" in str(found[MACHINE])


def test_a_changed_memory_is_named(proofs: Path, edited: EditedMachine) -> None:
    found = check(proofs, edited("avx2.py", 'memories("ymm", 16, 32)', 'memories("ymm", 32, 32)'))
    assert failing(found) == {MACHINE}
    assert "memories of avx2 changed" in str(found[MACHINE])


def test_an_instruction_that_is_gone_breaks_its_proofs(proofs: Path, edited: EditedMachine) -> None:
    found = check(proofs, edited("avx2.py", '_dot("madd_u8i8"', '_dot("madd_other"'))
    assert failing(found) == {DOT, MACHINE}
    assert "avx2 has no instruction 'madd_u8i8'" in str(found[DOT])


# ---- the cache ------------------------------------------------------------------------------------------------------


def test_only_what_changed_is_derived_again(proofs: Path, edited: EditedMachine) -> None:
    assert all(o.remembered and o.status == "ok" for o in check(proofs).values())
    file = edited("avx2.py", '"acc[l] += i32(a[l,e]) * i32(b[l,e])"', '"acc[l] += i32(a[l,e]) * i32(b[l,0])"')
    found = check(proofs, file)
    assert {i for i in (FMA, DOT, COMPLETE) if found[i].remembered} == {FMA, COMPLETE}
    assert found[DOT].status == "broken"


def test_a_changed_cost_asks_nothing_again_and_is_stale_all_the_same(proofs: Path, edited: EditedMachine) -> None:
    found = check(proofs, edited("avx2.py", "latency=4.0", "latency=4.5"))
    assert found[FMA].remembered and found[FMA].status == "stale"
    assert found[FMA].told == ("the instruction avx2.fmadd_ps has changed, but not its contract or rounding",)
    assert found[MACHINE].status == "stale" and not found[MACHINE].remembered
    assert check(proofs)[FMA].status == "ok"


@pytest.mark.parametrize(
    ("old", "new"),
    [('links("ymm", load=64.0', 'links("ymm", load=60.0'), ('memories("ymm", 16, 32)', 'memories("ymm", 17, 32)')],
)
def test_what_only_schedules_are_made_with_asks_nothing_again(
    proofs: Path, edited: EditedMachine, old: str, new: str
) -> None:
    found = check(proofs, edited("avx2.py", old, new))
    assert failing(found) == {MACHINE}
    assert found[FMA].remembered and found[FMA].status == "ok"


def test_a_changed_move_is_lowered_and_proved_again(proofs: Path, edited: EditedMachine) -> None:
    found = check(proofs, edited("avx2.py", "_mm256_loadu_ps({m});", "_mm256_loadu_ps( {m});"))
    assert failing(found) == {FMA, MACHINE}  # whose C says another move now
    assert found[FMA].told == ("the program has changed: program.txt is not what is lowered today",)
    assert found[DOT].remembered  # has no program


def test_the_order_of_moves_counts() -> None:
    """The first that fits is taken."""
    machine = im.find_hardware("avx2")
    turned = dataclasses.replace(machine, instructions=machine.instructions[::-1])
    here, there = Sources({"avx2": machine}), Sources({"avx2": turned})
    assert here.moves("avx2") != there.moves("avx2")
    assert sorted(here.moves("avx2")) == sorted(there.moves("avx2"))


def test_what_a_further_statement_uses_counts(repository: Path, edited: EditedMachine) -> None:
    """A program of two statements depends on the instructions of both, though its manifest names one first."""
    (place,) = (repository / "proofs" / "avx2" / "two_layers").glob("fmadd_ps,l=j*")
    stored = read_certificate(place)
    document = stored.document
    assert document["further"]
    before = keys_of(FMA, stored, Sources())
    document["further"][0]["instruction"]["source"] = "avx2.mullo_i32"  # any other than the first statement's
    other = keys_of(FMA, stored, Sources())
    assert before is not None and other is not None
    assert before.exact != other.exact and before.claims != other.claims
    file = edited(
        "avx2.py",
        '"avx2.mullo_i32",\n        "c[l] += a[l] * b[l]"',
        '"avx2.mullo_i32",\n        "c[l] += a[l] + b[l]"',
    )
    again = keys_of(FMA, stored, load_sources((str(file),)))
    assert again is not None and again.claims != other.claims


def test_lowering_and_proofs_look_at_no_memory_and_no_link() -> None:
    """What lets changed links and memories ask nothing again."""

    class Untouchable:
        def __getattribute__(self, name: str) -> Any:
            raise AssertionError(f"{name} was looked at")

        def __iter__(self) -> Any:
            raise AssertionError("it was gone over")

    schedule = gemm_schedule()
    assert schedule.hardware is not None
    bare = dataclasses.replace(schedule.hardware)
    object.__setattr__(bare, "memories", Untouchable())
    object.__setattr__(bare, "links", Untouchable())
    derived, _ = derive_program(dataclasses.replace(schedule, hardware=bare))
    assert derived.proof.proved
    root = Path(im.__file__).parent
    for part in ("mapping", "proof", "codegen"):
        for file in (root / part).rglob("*.py"):
            if file.parent.name == "uses" or file.stem.startswith(("staged", "configure_engines")):
                continue  # of machines with engines: no certificate speaks of them yet, and their memories are what is proved
            text = file.read_text()
            assert not any(word in text for word in (".memories", ".links", ".memory(")), file


def test_a_damaged_file_is_not_taken_from_the_cache(proofs: Path) -> None:
    turn(proofs / DOT / "exclusive.smt2", "(! (<= 1 I)", "(! (<= 2 I)")
    assert check(proofs)[DOT].status == "damaged"
    forge(proofs / DOT, lambda d: None)
    assert check(proofs)[DOT].status == "stale"


def test_a_cache_that_is_no_database_does_no_harm(
    proofs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISAMAP_CACHE", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    foreign = "no database, but long enough to be taken for one" * 20
    (tmp_path / "cache" / cache_module.FILE).write_text(foreign)
    first, again = (check_directory(proofs, jobs=1, only=DOT.__eq__) for _ in range(2))
    assert [(o.status, o.remembered) for o in (*first, *again)] == [("ok", False), ("ok", True)]
    assert (tmp_path / "cache" / f"{cache_module.FILE}.1").read_text() == foreign  # whosever it is


def test_a_cache_that_another_process_holds_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISAMAP_CACHE", str(tmp_path))
    monkeypatch.setattr(store, "PATIENCE", 0.05)
    first = cache_module.opened()
    first.put({"key": {"answer": "value"}})
    with closing(sqlite3.connect(tmp_path / cache_module.FILE, isolation_level=None)) as other:
        other.execute("begin exclusive")
        waiting = cache_module.opened()
        assert waiting.get("key") is None
        waiting.close()
        other.execute("rollback")
    again = cache_module.opened()
    found = again.get("key")
    assert found is not None and found["answer"] == "value"
    again.close()
    first.close()


# ---- loading and saving ---------------------------------------------------------------------------------------------


def test_a_loaded_mapping_was_proved_here_and_now(proofs: Path) -> None:
    proved = load(proofs / DOT)
    assert isinstance(proved, im.ProvedMapping)
    assert proved.mapping.id == "l=j,e=k;a=A,b=B"
    assert all(c.verdict.word == "proved" for c in proved.proof.claims)


def test_a_damaged_certificate_does_not_load(proofs: Path) -> None:
    cut(proofs / DOT / "agreement.smt2")
    with pytest.raises(DamagedError, match=r"agreement\.smt2 is not as it was written"):
        load(proofs / DOT)


@pytest.mark.parametrize("part", ["kernel", "instruction", "mapping", "files"])
def test_a_manifest_of_another_form_is_damage_to_whoever_reads_it(proofs: Path, part: str) -> None:
    """Its digests fit, but where a table should be there is a number."""
    path = proofs / DOT / MANIFEST
    path.write_text(for_people(sealed(KIND, {**json.loads(path.read_text()), part: 3})))
    write_index(proofs)
    words = "manifest.json is not of the form it should have"
    assert words in str(check(proofs)[DOT])
    with pytest.raises(DamagedError, match=words):
        load(proofs / DOT)
    with pytest.raises(DamagedError, match=words):
        explain(proofs, DOT, "agreement", Sources())


def test_a_kernel_of_ones_own_is_certified_by_its_text(tmp_path: Path) -> None:
    own = im.kernel("D[m,n] += L[m,q] * R[q,n]", name="mine")
    proved = im.prove(im.fuse(own, im.find_instruction("avx2.fmadd_ps"), "l=n"))
    assert isinstance(proved, im.ProvedMapping)
    place = save(proved, tmp_path / "mine")
    assert place.relative_to(tmp_path).as_posix() == "mine/avx2/mine/fmadd_ps,l=n,a=L,b=R"
    assert failing(check(tmp_path / "mine")) == set()
    assert load(place).mapping == proved.mapping


def test_no_claim_and_no_lowering_reads_a_cost() -> None:
    """What lets a changed cost ask nothing again: the parts of the library that make claims do not look at it."""
    root = Path(im.__file__).parent
    for part in ("mapping", "proof", "codegen", "certificates"):
        for file in (root / part).rglob("*.py"):
            # What is chosen for values are instructions: certificates hold their digest, or the program with them. moves hands a
            # cost on, unread.
            if file.name not in ("selection.py", "epilogue.py", "moves.py"):
                assert ".cost" not in file.read_text(), file
