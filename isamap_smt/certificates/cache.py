"""Answers remembered between runs, keyed by the digest of everything they depend on: changed text is asked again.

The cache may be deleted at any time. What a solver said is filed under the question's complete SMT-LIB text, the solver's name
and version, and the code and limits with which it is asked. Only that digest finds an answer, never a certificate's word for it.
"""

from __future__ import annotations

from typing import Any

from isamap_encodings.solve import DIRECT, SEED, versions
from isamap_encodings.z3_check import RESOURCES, cvc5_version
from isamap_smt.certificates.digests import encodings_digest
from isamap_smt.records.record import Kind, canonical, digest
from isamap_smt.records.store import Cache

KIND = Kind("answer", 1, most=200_000)
FILE = "answers.sqlite"


def opened(use: bool = True) -> Cache:
    """The user's cache of answers and outcomes. Without `use` nothing is remembered."""
    return Cache(KIND, FILE, use)


class Answers:
    """Answers of one solver. about: its name, its version, and everything else that may change its answers."""

    def __init__(self, cache: Cache, *about: Any) -> None:
        self._cache = cache
        self._about = about
        self._heard: dict[str, tuple[str, float]] = {}
        self._fresh: dict[str, dict[str, Any]] = {}

    def known(self, text: str) -> tuple[str, float] | None:
        """(answer, seconds it took) of exactly this text, or None."""
        key = self._key(text)
        found = self._heard.get(key)
        if found is None:
            match self._cache.get(key):
                case {"answer": str(answer), "seconds": int() | float() as seconds}:
                    found = self._heard[key] = answer, float(seconds)
        return found

    def note(self, text: str, answer: str, seconds: float) -> None:
        """The solver has just said this."""
        key = self._key(text)
        self._heard[key] = answer, seconds
        self._fresh[key] = {"answer": answer, "seconds": round(seconds, 5)}

    def flush(self) -> None:
        """Let later runs, and the other processes of this one, know the new answers."""
        self._cache.put(self._fresh)
        self._fresh = {}

    def _key(self, text: str) -> str:
        return digest(canonical([*self._about, text]))


class Memory:
    """Everything one process of a check remembers: outcomes of certificates, and each solver's answers.

    use: whether earlier runs count, and later ones may know. Without it every question is asked, once in each process.
    """

    def __init__(self, use: bool = True) -> None:
        self.outcomes = opened(use)
        self.z3 = Answers(self.outcomes, "z3", versions()["z3"], SEED, DIRECT, encodings_digest())
        self.cvc5 = Answers(self.outcomes, "cvc5", cvc5_version(), RESOURCES, encodings_digest())

    def flush(self) -> None:
        """Write down the new answers."""
        self.z3.flush()
        self.cvc5.flush()

    def close(self) -> None:
        """The same, and let go of the file."""
        self.flush()
        self.outcomes.close()
