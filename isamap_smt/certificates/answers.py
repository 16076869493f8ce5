"""What a solver said of a whole question: in this run, in an earlier one, or not at all.

An answer is filed under the digest of everything that it depends on: the question's complete SMT-LIB text, the solver's
name and version, and the code and limits with which it is asked. Anything else is another question. Only that digest
finds an answer, never a certificate's word for it, and what is found is what this library heard the solver say.
"""

from __future__ import annotations

import json
from typing import Any

from isamap_encodings.cvc5_check import RESOURCES, cvc5_version
from isamap_encodings.engines import DIRECT, SEED
from isamap_encodings.solve import versions
from isamap_smt.certificates.cache import Cache
from isamap_smt.certificates.digests import canonical, digest, encodings_digest


class Answers:
    """Answers of one solver. about: its name, its version, and whatever else makes it answer as it does."""

    def __init__(self, cache: Cache, *about: Any) -> None:
        self._cache = cache
        self._about = about
        self._heard: dict[str, tuple[str, float]] = {}
        self._fresh: dict[str, str] = {}

    def known(self, text: str) -> tuple[str, float] | None:
        """(answer, seconds it took) of exactly this text, or None."""
        key = self._key(text)
        found = self._heard.get(key)
        if found is None and (kept := self._cache.get(key)) is not None:
            answer, seconds = json.loads(kept)
            found = self._heard[key] = str(answer), float(seconds)
        return found

    def note(self, text: str, answer: str, seconds: float) -> None:
        """The solver has just said this."""
        key = self._key(text)
        self._heard[key] = answer, seconds
        self._fresh[key] = json.dumps([answer, round(seconds, 5)])

    def flush(self) -> None:
        """Let later runs, and the other processes of this one, know what is new."""
        self._cache.put(self._fresh)
        self._fresh = {}

    def _key(self, text: str) -> str:
        return digest(canonical([*self._about, text]))


class Memory:
    """All that one process of a check remembers: outcomes of certificates, and each solver's answers.

    use: whether earlier runs count, and later ones may know. Without it every question is asked, once in each process.
    """

    def __init__(self, use: bool = True) -> None:
        self.outcomes = Cache(use)
        self.z3 = Answers(self.outcomes, "z3", versions()["z3"], SEED, DIRECT, encodings_digest())
        self.cvc5 = Answers(self.outcomes, "cvc5", cvc5_version(), RESOURCES, encodings_digest())

    def flush(self) -> None:
        """Write down what is new."""
        self.z3.flush()
        self.cvc5.flush()

    def close(self) -> None:
        """The same, and let go of the file."""
        self.flush()
        self.outcomes.close()
