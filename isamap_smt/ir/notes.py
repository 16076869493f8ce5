"""Notes for the user: strings when they are shown, joined and saved; some carry values for decisions."""

from __future__ import annotations

_ALONE = "runs on one thread"


class Note(str):
    """A sentence. by_element: no instruction computes its subject. refuted: a proof refuted the idea given up."""

    by_element: bool = False
    refuted: bool = False


class OneThread(Note):
    """Why one thread does work several could share."""

    @staticmethod
    def because(why: str) -> OneThread:
        """The note; why: the text behind its first words."""
        return OneThread(f"{_ALONE}{why}")


class NotUsed(Note):
    """Why a program with instructions is not used. open: a claim of it is neither proved nor refuted."""

    open: bool

    def __new__(cls, text: str, refuted: bool = False, open: bool = False) -> NotUsed:
        made = super().__new__(cls, text)
        made.refuted, made.open = refuted, open
        return made


class ByElement(Note):
    """Which statement is computed element by element, and why. statement: its number; None: all of them."""

    by_element = True
    statement: int | None

    def __new__(cls, text: str, statement: int | None = None, refuted: bool = False) -> ByElement:
        made = super().__new__(cls, text)
        made.statement, made.refuted = statement, refuted
        return made


class GivenUp(Note):
    """An idea of the planner's own, found in no plan, with the values of its reason."""

    @staticmethod
    def idea(idea: object, why: str) -> GivenUp:
        """The note; why: a note, or a sentence."""
        made = GivenUp(f"{idea}; given up: {why}")
        if isinstance(why, Note):
            made.by_element, made.refuted = why.by_element, why.refuted
        return made


class Rewritten(Note):
    """Another kernel is computed in place of the requested one. rewrite: the proved rewrite."""

    rewrite: object

    def __new__(cls, rewrite: object) -> Rewritten:
        made = super().__new__(cls, str(rewrite))
        made.rewrite = rewrite
        return made


def read_note(text: object) -> Note:
    """The note of a schedule, given its recorded text. Raises TypeError unless it is a text."""
    if not isinstance(text, str):
        raise TypeError(f"{text!r} is no note")
    return OneThread(text) if text.startswith(_ALONE) else Note(text)


__all__ = ["ByElement", "GivenUp", "NotUsed", "Note", "OneThread", "Rewritten", "read_note"]
