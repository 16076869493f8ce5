"""Notes are strings; what decisions ask of them is said by values, in a process and behind a record."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

import isamap_smt as im
from isamap_smt.ir.errors import NotProvedError, ScheduleError
from isamap_smt.ir.notes import ByElement, GivenUp, Note, NotUsed, OneThread, Rewritten, read_note
from isamap_smt.ir.schedule import schedule_of, schedule_record
from isamap_smt.pipeline.element_by_element import _short, computed

ALONE = OneThread.because(": no loop has a trip for each of 8 threads")
NOTES = (
    ALONE,
    NotUsed("a", refuted=True),
    ByElement("b", 3),
    GivenUp.idea("c", ByElement("b", 3, True)),
    Rewritten((1, 2)),
)


@pytest.mark.parametrize("note", NOTES, ids=lambda n: type(n).__name__)
def test_a_note_is_its_sentence_and_keeps_its_values(note: Note) -> None:
    for again in (pickle.loads(pickle.dumps(note)), copy.deepcopy(note)):
        assert type(again) is type(note) and again == note and vars(again) == vars(note)
    assert json.loads(json.dumps([note])) == [str(note)]


def test_why_an_idea_was_given_up_is_known_of_it() -> None:
    """Of a note that says so, not of a sentence that reads like one."""
    why = ByElement("k is computed element by element, in portable C", None, refuted=True)
    for given in (GivenUp.idea("it", why), GivenUp.idea("that", GivenUp.idea("it", why))):
        assert given.endswith(f"it; given up: {why}")
        assert given.by_element and given.refuted
    words = GivenUp.idea("it", str(why))
    assert words == GivenUp.idea("it", why) and not (words.by_element or words.refuted)


def test_a_record_gives_the_notes_back() -> None:
    machine = im.find_hardware("avx2")
    proved = im.prove(im.fuse(im.find_kernel("gemm"), im.find_instruction("avx2.fmadd_ps"), "l=j"))
    assert isinstance(proved, im.ProvedMapping)
    made = im.schedule(proved, machine, {"i": 1, "j": 8, "k": 64}, threads=2)
    assert any(isinstance(n, OneThread) for n in made.notes)
    record = json.loads(json.dumps(schedule_record(made)))
    again = schedule_of(record, proved, machine)
    assert again.notes == made.notes
    assert [type(n) is OneThread for n in again.notes] == [type(n) is OneThread for n in made.notes]
    assert type(read_note("priced with a test")) is Note
    with pytest.raises(TypeError):
        schedule_of({**record, "notes": [3]}, proved, machine)


def test_what_refuses_a_program_is_asked_of_its_error() -> None:
    """The words of an error decide nothing."""
    open_ = NotProvedError("the program for k is not proved\n  bounds A: unknown: why")
    assert _short(open_) == str(open_)
    open_.unproved = ("bounds A: unknown: why\nmore",)
    assert _short(open_) == "with instructions the program is not proved (bounds A: unknown: why)"
    assert not _short(open_).refuted
    open_.refuted = frozenset({"bounds"})
    assert _short(open_).refuted and "fault of isamap" in _short(open_)
    words = ScheduleError("nothing shows that it is wrong\n  so")
    assert _short(words) == str(words) and not _short(words).refuted
    kernel = im.find_kernel("gemm")
    note = computed(kernel, im.find_hardware("avx2"), None, _short(open_))
    assert note.refuted and note.by_element and note.statement is None
    assert not computed(kernel, im.find_hardware("avx2"), None, str(_short(open_))).refuted
