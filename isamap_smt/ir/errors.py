"""Every misuse is an IsamapError that says what is wrong, where, and what to do next."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar


class IsamapError(Exception):
    """Misuse of the library. The text is meant for the user; `code` is the command line's exit status.

    option: the text where the command line shows it, if that has other words for an argument, else ''.
    """

    code = 3
    option = ""


class LanguageError(IsamapError):
    """Kernel or instruction text that does not say anything legal; carries line, column (from 1) and a caret."""

    line: int = 0
    column: int = 0


class SizeError(IsamapError):
    """Sizes that are missing, not positive, or contradict each other or the arrays."""


class AssumedError(SizeError):
    """A call that does not meet what its program's proof assumes."""


class DTypeError(IsamapError):
    """Element types that do not fit the kernel, the instruction or the array."""


class RuleError(IsamapError):
    """A rewrite rule asked for in an arithmetic in which it does not hold."""


class RangeError(IsamapError):
    """An assumed range of values that nothing satisfies, or that is not written as one."""


class UnknownNameError(IsamapError):
    """A kernel, instruction, hardware, axis or tensor nobody has defined."""


class HardwareError(IsamapError):
    """A hardware description that does not load, or that this CPU cannot run."""


class DescriptionError(IsamapError):
    """An instruction that was run and does something else than its description says.

    wrong: what it does instead. refused: what instruction selection leaves out from then on (see Hardware), if only covers that it
    made are wrong.
    """

    code = 5

    def __init__(self, wrong: str, advice: str = "", refused: tuple[str, ...] = ()) -> None:
        super().__init__(f"{wrong}\n{advice}" if advice else wrong)
        self.wrong, self.refused = wrong, refused


class UnnamedFileError(IsamapError):
    """Data, such as a certificate, names a file whose code would be carried out, and the user does not."""


class WrongResultError(IsamapError):
    """A compiled kernel that was run and computed something else than its kernel says."""

    code = 6


class BuildError(IsamapError):
    """No C compiler, or a compiler that refused the generated code."""


class ArgumentError(IsamapError):
    """Arrays that a compiled kernel cannot run on: missing, not contiguous, aliased, changed or not finite."""


class NetworkError(IsamapError):
    """A network, or a model that is read as one, is wrong or cannot be computed. node: where, "" if the text says it."""

    def __init__(self, text: str, node: str = "") -> None:
        super().__init__(f"{node}: {text}" if node else text)
        self.node = node


class UncomputedError(NetworkError):
    """A node that may be right, and that no kernel computes: a back end may."""


class NotProvedError(IsamapError):
    """Something unproved was handed to a stage that takes only proved values.

    refuted: the claims that failed with a witness. unproved: of a program, the obligations that are not proved, in words.
    """

    refuted: frozenset[str] = frozenset()
    unproved: tuple[str, ...] = ()


class ScheduleError(IsamapError):
    """No schedule exists in the space, or a pinned decision is impossible."""


class UndecidedError(ScheduleError):
    """Whether there is a schedule was not found out: a limit was reached, or the search was interrupted."""


class TimeLimitError(UndecidedError):
    """The time that the caller gave was over before there was anything to give back."""


class WrongKindError(IsamapError):
    """A value of another kind than a function takes."""


Misuse = TypeVar("Misuse", bound=IsamapError)


def of_argument(kind: type[Misuse], argument: str, value: object, why: str, option: str = "") -> Misuse:
    """Misuse of an argument of a function, `fix={'slots.x': 2}`, that the command line takes as an option, `--fix slots.x=2`.

    option: what follows the option's name; the value where nothing is said.
    """
    error = kind(f"{argument}={value!r}: {why}")
    error.option = f"--{argument.replace('_', '-')} {option or value}: {why}"
    return error


def headline(error: Exception) -> str:
    """The first line of what it says, to be shown inside of another sentence."""
    return str(error).partition("\n")[0]


LISTED = 30  # names in an error


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """A sentence that lists near matches of `name`, or what is known when nothing is near: the first, where that is much."""
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
