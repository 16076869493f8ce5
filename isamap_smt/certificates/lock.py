"""The obligations, stated outside of the directory: PROOFS.lock beside PROOFS has a line for each certificate.

    <digest of the question>  <id>

No source states the question: which kernel with which element types, ranges and sizes, mapped how, in which schedule. So
a certificate that is gone, added, or about less than before differs from the lock, whatever was made to fit in the directory;
and a change of the lock is a change of a file that a review sees. Verdicts, formulas and lowering are not in it: they are derived.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping as Dict
from pathlib import Path
from typing import Any

from isamap_smt.certificates.errors import CertificateError, DamagedError
from isamap_smt.certificates.rounding import KEY
from isamap_smt.records.record import canonical, digest

_FIRST = "# What must be proved: the digest of the question, and the certificate's id. `isamap proofs update` writes this file."
_LINE = re.compile(r"([0-9a-f]{64})  (\S+)")
_DERIVED = ("digest", "text", "rounding", "parts", "candidates")


def lock_path(directory: Path) -> Path:
    """Beside the directory, with its name."""
    named = directory if directory.name not in ("", "..") else Path(os.path.abspath(directory))
    return named.with_name(f"{named.name}.lock")


def question(document: Dict[str, Any]) -> str:
    """The digest of a certificate's subject, without anything stated by today's sources."""
    asked = {k: document.get(k) for k in ("kind", "id", "hardware", "kernel", "instruction", "mapping", "schedule")}
    asked |= {"further": document.get("further", []), "family": document.get("family")}
    if KEY in document:
        asked[KEY] = document[KEY]["ranges"]
    return digest(canonical(_asked(asked)))


def _asked(value: Any) -> Any:
    if isinstance(value, dict):
        own = "source" in value and value["source"] is None  # a kernel that nothing but its text says
        return {k: _asked(v) for k, v in value.items() if k not in _DERIVED or (own and k == "text")}
    return list(map(_asked, value)) if isinstance(value, list) else value


def read_lock(path: Path) -> dict[str, str]:
    """Question by id. Raises CertificateError if there is no such file, DamagedError if it is none of ours."""
    try:
        first, *lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise CertificateError(f"there is no {path}, which should say what must be proved") from None
    except (OSError, ValueError) as error:
        raise DamagedError(f"{path.name} cannot be read: {error}") from None
    if first != _FIRST:
        raise DamagedError(f"{path.name} is foreign: its first line is not that of a list of certificates")
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 2):
        match = _LINE.fullmatch(line)
        if match is None or match[2] in found:
            wrong = "is no digest and id" if match is None else f"lists {match[2]} again"
            raise DamagedError(f"{path.name}, line {number}, {wrong}")
        found[match[2]] = match[1]
    return found


def lock_text(questions: Dict[str, str]) -> str:
    """The file."""
    return "\n".join([_FIRST, *(line_of(i, questions[i]) for i in sorted(questions))]) + "\n"


def line_of(identifier: str, asked: str) -> str:
    """One line of it."""
    return f"{asked}  {identifier}"
