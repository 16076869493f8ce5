"""What was decided and printed stays: of schedules by hand, and of the answers to questions (tests/pinned/answers.py)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.pinned.answers import answered, by_hand, recorded
from tests.pinned.questions import Question, questions

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "codegen"))

import pinned

KEPT = recorded()
BY_HAND = {c.name: c for c in pinned.ALL}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", BY_HAND)
def test_schedules_by_hand(name: str) -> None:
    assert by_hand(BY_HAND[name]) == KEPT[name]


@pytest.mark.one_in(25)
@pytest.mark.parametrize("q", questions(), ids=lambda q: q.id)
def test_answers(q: Question) -> None:
    assert answered(q) == KEPT[q.id]


def test_each_question_is_kept() -> None:
    assert set(KEPT) == {*BY_HAND, *(q.id for q in questions())}
