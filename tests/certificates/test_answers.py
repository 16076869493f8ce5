"""An answer counts for the question it was given to, by the solver and the code that gave it, and for nothing else."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sympy as sp
import z3

from isamap_encodings import smtlib, solve
from isamap_encodings.verdict import Proved, Refuted
from isamap_smt.certificates import cache as answers_module
from isamap_smt.certificates import check_directory, exit_status
from isamap_smt.certificates import claim_file as discharge
from isamap_smt.certificates.cache import FILE, KIND, Answers, Memory, opened
from isamap_smt.certificates.remember import Outcome, _outcome
from isamap_smt.records.record import Kind, compact, read, sealed
from tests.certificates.conftest import DOT, FMA, EditedMachine
from tests.certificates.test_check import forge, turn

X, Y = sp.Symbol("x", integer=True), sp.Symbol("y", integer=True)
CONTRACT = '"acc[l] += i32(a[l,e]) * i32(b[l,e])"'
SWAPPED = '"acc[l] += i32(b[l,e]) * i32(a[l,e])"'  # the same value: everything is derived again, and holds
WRONG = '"acc[l] += i32(a[l,e]) * i32(b[l,0])"'


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that only this test writes; where `proofs` is used, too, what it holds has been checked once."""
    place = tmp_path / "own"
    monkeypatch.setenv("ISAMAP_CACHE", str(place))
    return place


@pytest.fixture
def certificate(own_cache: Path, proofs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One certificate, checked, with a cache that holds its formulas."""
    monkeypatch.setenv("ISAMAP_CACHE", str(own_cache))
    assert check(proofs).status == "ok"
    return proofs


def check(proofs: Path, *hardware: Path) -> Outcome:
    (found,) = check_directory(proofs, [str(h) for h in hardware], jobs=1, only=DOT.__eq__)
    return found


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Who was asked, question by question: 'z3' for a formula, 'z3 text', 'cvc5'."""
    heard: list[str] = []

    def listen(module: Any, name: str, who: str) -> None:
        real: Callable[..., Any] = getattr(module, name)

        def call(*arguments: Any) -> Any:
            heard.append(who)
            return real(*arguments)

        monkeypatch.setattr(module, name, call)

    listen(solve, "_asked", "z3")
    listen(discharge, "cvc5_answer", "cvc5")
    return heard


def rows(place: Path) -> dict[str, str]:
    with sqlite3.connect(place / FILE) as database:
        return dict(database.execute("select key, text from record"))


def write(place: Path, entries: dict[str, str]) -> None:
    with sqlite3.connect(place / FILE) as database:
        database.executemany("insert or replace into record values (?, ?)", list(entries.items()))


def forget_outcomes(place: Path) -> None:
    """Leave only the solvers' answers, so that what is checked is derived again."""
    with sqlite3.connect(place / FILE) as database:
        gone = [k for k, v in database.execute("select key, text from record") if '"outcome"' in v]
        assert gone
        database.executemany("delete from record where key = ?", [(k,) for k in gone])


def asking(memory: Memory, claim: Any) -> Any:
    with solve.recording(memory.z3):
        return solve.check([sp.Ge(X, 1)], claim)


# ---- what is known is not asked, anything else is -------------------------------------------------------------------


def test_a_formula_is_asked_once_by_each_solver(certificate: Path, own_cache: Path, asked: list[str]) -> None:
    forget_outcomes(own_cache)
    found = check(certificate)
    assert (found.status, found.remembered) == ("ok", False)
    assert found.formulas == found.second > 10
    assert "cvc5" not in asked and "z3 text" not in asked
    assert asked.count("z3") <= 1  # what Z3 could not decide is asked each time


def test_an_edit_that_changes_no_meaning_is_stale_and_asks_only_what_is_new(
    certificate: Path, edited: EditedMachine, asked: list[str]
) -> None:
    found = check(certificate, edited("avx2.py", CONTRACT, SWAPPED))
    assert found.status == "stale" and exit_status([found]) == 1
    assert len(asked) < found.formulas


def test_an_edit_that_changes_the_meaning_is_broken_whatever_is_remembered(
    certificate: Path, edited: EditedMachine
) -> None:
    for _ in range(2):
        found = check(certificate, edited("avx2.py", CONTRACT, WRONG))
        assert found.status == "broken" and not found.remembered and exit_status([found]) == 1
        assert "both use cell b[0,0], which cannot hold B[0,0] and B[1,0]" in str(found)
    assert check(certificate).status == "ok"


@pytest.mark.parametrize("what", ["versions", "cvc5_version", "encodings_digest", "SEED", "RESOURCES"])
def test_another_solver_or_other_code_is_asked_again(
    certificate: Path, own_cache: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    forget_outcomes(own_cache)
    changed: dict[str, Any] = {
        "versions": lambda: {"z3": "0.0"},
        "cvc5_version": lambda: "0.0",
        "encodings_digest": lambda: "other",
        "SEED": 1,
        "RESOURCES": 1,
    }
    monkeypatch.setattr(answers_module, what, changed[what])
    found = check(certificate)
    assert found.status == "ok"
    z3_too, cvc5_too = what not in ("cvc5_version", "RESOURCES"), what not in ("versions", "SEED")
    assert (asked.count("z3") > 10) == z3_too
    assert (asked.count("cvc5") > 10) == cvc5_too


def test_a_changed_formula_is_another_question() -> None:
    memory = Memory()
    assert isinstance(asking(memory, sp.Ge(X, 0)), Proved)
    assert isinstance(asking(memory, sp.Ge(X, 2)), Refuted)
    memory.close()
    later = Memory()
    with solve.recording() as queries:
        solve.check([sp.Ge(X, 1)], sp.Ge(X, 0))
    assert later.z3.known(queries[0].smtlib) is not None
    for old, new in (("(<= 0 x)", "(<= 2 x)"), ("x", "y"), ("(not", "(and"), ("1: ", "2: "), ("\n", " ")):
        assert old in queries[0].smtlib
        assert later.z3.known(queries[0].smtlib.replace(old, new)) is None
    assert isinstance(asking(later, sp.Ge(X, 2)), Refuted)


def test_a_refutation_is_asked_for_its_model_each_time(asked: list[str]) -> None:
    memory = Memory()
    for _ in range(2):
        verdict = asking(memory, sp.Ge(X, 2))
        assert isinstance(verdict, Refuted) and verdict.witness == {"x": 1}
    assert asked == ["z3", "z3"]
    with solve.recording(memory.z3) as queries:
        solve.check([sp.Ge(X, 1)], sp.Ge(X, 2))
    memory.z3.note(queries[0].smtlib, "sat", 0.0)  # as Z3 says of stored text
    verdict = asking(memory, sp.Ge(X, 2))
    assert isinstance(verdict, Refuted) and verdict.witness == {"x": 1}


@pytest.mark.parametrize("word", ["unknown", "error: no", "", "UNSAT", "unsat "])
def test_only_a_decided_answer_stands_for_asking(asked: list[str], word: str) -> None:
    memory = Memory()
    with solve.recording(memory.z3) as queries:
        solve.check([sp.Ge(X, 1)], sp.Ge(X, 0))
    memory.z3.note(queries[0].smtlib, word, 0.0)
    assert isinstance(asking(memory, sp.Ge(X, 0)), Proved)
    assert asked == ["z3", "z3"]


def test_assumptions_that_can_hold_are_asked_once_and_those_that_cannot_stay_refuted(asked: list[str]) -> None:
    memory = Memory()
    for _ in range(2):
        with solve.recording(memory.z3):
            assert isinstance(solve.satisfiable([sp.Ge(X, 1)]), Proved)
            assert isinstance(solve.satisfiable([sp.Ge(X, 1), sp.Lt(X, 1)]), Refuted)
    assert asked == ["z3", "z3"]


def test_without_the_cache_every_run_asks_again(own_cache: Path, asked: list[str]) -> None:
    for _ in range(2):
        memory = Memory(use=False)
        asking(memory, sp.Ge(X, 0))
        asking(memory, sp.Ge(X, 0))
        memory.close()
    assert asked == ["z3", "z3"]
    assert not own_cache.exists()


# ---- a cache that says what nobody answered -------------------------------------------------------------------------


def spoiled(place: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """The cache's entries, in ways that a file can come to be wrong."""
    entries = rows(place)
    keys = list(entries)
    yield "answers turned round", {k: v.replace('"sat"', '"unsat"') for k, v in entries.items()}
    yield "under each other's keys", {k: entries[o] for k, o in zip(keys, [*keys[1:], keys[0]], strict=True)}
    yield "cut", {k: v[: len(v) // 2] for k, v in entries.items()}
    yield "without seals", {k: v[: v.index(',"digest"')] + "}" for k, v in entries.items()}
    yield "empty", dict.fromkeys(keys, "")
    yield "no text", {k: v.encode("utf-16")[:9] for k, v in entries.items()}  # type: ignore[misc]
    yield (
        "all proved",
        dict.fromkeys(keys, compact(sealed(KIND, {"answer": "unsat", "seconds": 0.0, "key": "another"}))),
    )
    yield "of another version", {k: compact(sealed(Kind("answer", 9), read(KIND, v))) for k, v in entries.items()}


def test_a_spoiled_entry_is_no_entry(own_cache: Path, asked: list[str]) -> None:
    def both(memory: Memory) -> None:
        assert isinstance(asking(memory, sp.Ge(X, 0)), Proved)
        with solve.recording(memory.z3):
            assert isinstance(solve.satisfiable([sp.Ge(X, 1)]), Proved)
        memory.close()

    both(Memory())
    kept = rows(own_cache)
    assert len(kept) == 2
    for what, entries in list(spoiled(own_cache)):
        write(own_cache, entries)
        asked.clear()
        both(Memory())
        assert len(asked) == sum(entries[k] != kept[k] for k in kept) >= 1, what
        assert rows(own_cache).keys() == kept.keys()


def test_what_does_not_hold_is_never_proved_by_a_spoiled_cache(
    certificate: Path, own_cache: Path, edited: EditedMachine
) -> None:
    file = edited("avx2.py", CONTRACT, WRONG)
    proved = rows(own_cache)
    assert check(certificate, file).status == "broken"
    for what, entries in list(spoiled(own_cache)):
        write(own_cache, entries)
        found = check(certificate, file)
        assert (found.status, exit_status([found])) == ("broken", 1), what
        found = check(certificate)
        assert (found.status, exit_status([found])) == ("ok", 0), what
        write(own_cache, proved)


def test_a_remembered_answer_does_not_mend_a_forged_formula(certificate: Path) -> None:
    file = certificate / DOT / "agreement.smt2"
    text = file.read_text()
    last = text.rindex("(assert (! (not")
    file.write_text(text[:last] + text[text.index("\n", last) + 1 :])
    forge(certificate / DOT, lambda d: None)
    found = check(certificate)
    assert (found.status, exit_status([found]), found.remembered) == ("stale", 1, False)
    assert found.told == ("agreement.smt2 is not what today's sources make",)


def test_solvers_that_disagree_are_unknown_the_second_time_too(
    certificate: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget_outcomes(own_cache)
    monkeypatch.setattr(answers_module, "cvc5_version", lambda: "another")
    monkeypatch.setattr(discharge, "cvc5_answer", lambda script: "sat")
    for _ in range(2):
        found = check(certificate)
        assert (found.status, exit_status([found]), found.remembered) == ("unknown", 2, False)
        assert "Z3 says unsat, cvc5 says sat" in str(found)


def test_a_damaged_certificate_is_damaged_with_every_formula_known(certificate: Path, own_cache: Path) -> None:
    forget_outcomes(own_cache)
    turn(certificate / DOT / "exclusive.smt2", "(! (<= 1 I)", "(! (<= 2 I)")
    found = check(certificate)
    assert (found.status, exit_status([found])) == ("damaged", 1)


def test_an_entry_is_read_under_its_own_key_alone(own_cache: Path) -> None:
    cache = opened()
    cache.put({"one": {"answer": "value"}, "two": {"answer": "other"}})

    def found() -> list[str | None]:
        return [None if (r := cache.get(k)) is None else r["answer"] for k in ("one", "two", "three")]

    assert found() == ["value", "other", None]
    kept = rows(own_cache)
    write(own_cache, {"two": kept["one"], "three": kept["one"]})
    assert found() == ["value", None, None]
    cache.close()


def test_solvers_have_answers_of_their_own() -> None:
    cache = opened()
    first, second = Answers(cache, "z3", "1"), Answers(cache, "cvc5", "1")
    first.note("text", "unsat", 0.25)
    first.flush()
    assert Answers(cache, "z3", "1").known("text") == ("unsat", 0.25)
    assert second.known("text") is None and Answers(cache, "z3", "2").known("text") is None
    cache.close()


@pytest.mark.parametrize(
    "forged", [{}, {"answer": "unsat"}, {"answer": 7, "seconds": 1}, {"answer": "unsat", "seconds": "soon"}]
)
def test_a_record_without_an_answer_in_it_is_none(own_cache: Path, forged: dict[str, Any]) -> None:
    """Sealed as it has to be."""
    cache = opened()
    answers = Answers(cache, "z3", "1")
    answers.note("text", "unsat", 0.25)
    answers.flush()
    (key,) = rows(own_cache)
    cache.put({key: forged})
    assert Answers(cache, "z3", "1").known("text") is None
    cache.close()


@pytest.mark.parametrize("forged", [{}, {"outcome": 7}, {"outcome": {"id": "x"}}, {"outcome": {"none": 1}}])
def test_a_record_without_an_outcome_in_it_is_none(forged: dict[str, Any]) -> None:
    assert _outcome(forged) is None and _outcome(None) is None


# ---- the text that an answer is filed under says what was asked -----------------------------------------------------


def test_the_text_of_a_question_is_the_question(
    certificate: Path, proofs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each text of a mapping and of a program, read again, is what Z3 was asked: the same terms, but for conjunctions of
    one, which SMT-LIB does not have."""
    real: Callable[..., str] = smtlib.script
    pairs: list[tuple[list[Any], str]] = []

    def keep(assertions: Any, known: Any = None) -> str:
        text = real(assertions, known)
        pairs.append((list(assertions), text))
        return text

    monkeypatch.setattr(solve, "script", keep)
    (found,) = check_directory(proofs, jobs=1, cache=False, only=FMA.__eq__)
    assert found.status == "ok" and len(pairs) > 50
    conjunctions = 0
    for assertions, text in pairs:
        context = z3.Context()
        read = z3.parse_smt2_string(text, ctx=context)
        assert len(read) == len(assertions)
        for mine, theirs in zip(assertions, read, strict=True):
            asked_for = mine.translate(context)
            if not asked_for.eq(theirs):
                solver = z3.Solver(ctx=context)
                solver.add(asked_for != theirs)
                assert solver.check() == z3.unsat, f"{mine}\n{theirs}"
                conjunctions += 1
    assert conjunctions < sum(len(assertions) for assertions, _ in pairs) / 2
