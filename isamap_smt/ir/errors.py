"""Every misuse is an IsamapError naming the fault, its place, and the next step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar


class IsamapError(Exception):
    """Misuse of the library. The text is meant for the user; `code` is the command line's exit status.

    option: the text for the command line, if it has other words for an argument, else ''.
    """

    code = 3
    option = ""


class LanguageError(IsamapError):
    """Kernel or instruction text without a legal meaning; carries line, column (from 1) and a caret."""

    line: int = 0
    column: int = 0


class SizeError(IsamapError):
    """Sizes are missing, below their least value, or contradict each other or the arrays."""


class AssumedError(SizeError):
    """A call violates an assumption of its program's proof."""


class DTypeError(IsamapError):
    """Element types do not fit the kernel, the instruction or the array."""


class RuleError(IsamapError):
    """A rewrite rule was asked for, and does not hold in the arithmetic."""


class RangeError(IsamapError):
    """An assumed range of values is empty, or is not written as a range."""


class UnknownNameError(IsamapError):
    """A kernel, instruction, hardware, axis or tensor nobody has defined."""


class HardwareError(IsamapError):
    """A hardware description does not load, or this CPU cannot run it."""


class DescriptionError(IsamapError):
    """An instruction was run, and contradicts its description.

    wrong: the observed behaviour. refused: instructions left out by instruction selection from then on (see Hardware),
    if only its own covers are wrong.
    """

    code = 5

    def __init__(self, wrong: str, advice: str = "", refused: tuple[str, ...] = ()) -> None:
        super().__init__(f"{wrong}\n{advice}" if advice else wrong)
        self.wrong, self.refused = wrong, refused


class UnnamedFileError(IsamapError):
    """Data, such as a certificate, names a file with code to run, and the user does not name it."""


class WrongResultError(IsamapError):
    """A compiled kernel was run, and its result differs from its kernel's."""

    code = 6


class BuildError(IsamapError):
    """There is no C compiler, or it refused the generated code."""


class ArgumentError(IsamapError):
    """A compiled kernel cannot run on these arrays: missing, not contiguous, aliased, changed or not finite."""


class NetworkError(IsamapError):
    """A network, or a model read as one, is wrong or cannot be computed. node: its place, "" if the text says it."""

    def __init__(self, text: str, node: str = "") -> None:
        super().__init__(f"{node}: {text}" if node else text)
        self.node = node


class UncomputedError(NetworkError):
    """A node may be right, but no kernel computes it: a back end may."""


class NotProvedError(IsamapError):
    """Something unproved was handed to a stage for proved values only.

    refuted: the claims with a witness against them. unproved: a program's obligations without a proof, in words.
    """

    refuted: frozenset[str] = frozenset()
    unproved: tuple[str, ...] = ()


class ScheduleError(IsamapError):
    """No schedule exists in the space, or a pinned decision is impossible."""


class OpenSizesError(ScheduleError):
    """No schedule exists with these sizes open; known ones may have one."""


class UndecidedError(ScheduleError):
    """The search ended without an answer: a limit was reached, or it was interrupted. A schedule may exist."""


class TimeLimitError(UndecidedError):
    """The caller's time was over before there was a result."""


class WrongKindError(IsamapError):
    """A value of another kind than a function takes."""


Misuse = TypeVar("Misuse", bound=IsamapError)


def of_argument(kind: type[Misuse], argument: str, value: object, why: str, option: str = "") -> Misuse:
    """Misuse of a function's argument, `fix={'slots.x': 2}`, also an option on the command line, `--fix slots.x=2`.

    option: the text behind the option's name; by default the value.
    """
    error = kind(f"{argument}={value!r}: {why}")
    error.option = f"--{argument.replace('_', '-')} {option or value}: {why}"
    return error


def headline(error: Exception) -> str:
    """The first line of the error's text, for use inside of another sentence."""
    return str(error).partition("\n")[0]


LISTED = 30  # names in an error


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """A sentence with near matches of `name`, or with all known names if none is near; a long list is cut."""
    names = sorted(set(known))
    lowered: dict[str, list[str]] = {}
    for n in names:
        lowered.setdefault(n.lower(), []).append(n)
    from difflib import get_close_matches

    near = [n for key in get_close_matches(str(name).lower(), lowered, n=3, cutoff=0.5) for n in lowered[key]]
    if near:
        return "did you mean " + " or ".join(near[:3]) + "?"
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED + 1 else ""
    return f"known: {', '.join(names[: LISTED if more else None])}{more}" if names else "there are none"
