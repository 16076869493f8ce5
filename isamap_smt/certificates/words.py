"""What a certificate says, beside what it would say if it were written today: its words, its names, its files.

Claims are derived and discharged anew whatever the files say. But a reader, or another solver, reads the files: a question
made trivial, a claim in other words, a proof under the name of something else must not stand beside `ok`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from collections.abc import Mapping as Dict
from pathlib import Path
from typing import Any

from isamap_smt.certificates.store import Certificate
from isamap_smt.language.library import kernel_names

# what the manifest has besides: who answered and in what time, and its own digests, which read_manifest() checks
_APART = {"format", "digest", "files", "solvers", "seconds"}


def differences(place: Path, identifier: str, document: Dict[str, Any], today: Certificate) -> Iterator[str]:
    """In words, everything that is not as `isamap proofs update` would write it today."""
    if identifier != today.id:
        yield f"it stands in the place of another: {today.id} is what it proves"
    kernel = document.get("kernel")
    if kernel and kernel["source"] is None and kernel["name"] in kernel_names():
        yield f"it is about a kernel of its own under the name of the library's {kernel['name']}"
    written = json.loads(json.dumps(today.document))
    for key in sorted({*document, *written} - _APART):
        if document.get(key) != written.get(key):
            yield f"its {key} is not what today's sources say"
    for name in sorted({*document["files"], *today.files}):
        if name not in today.files:
            yield f"{name} belongs to no such certificate"
        elif name not in document["files"]:
            yield f"{name} is missing"
        elif (place / name).read_text(encoding="utf-8") != today.files[name]:
            yield f"{name} does not say what is proved"
