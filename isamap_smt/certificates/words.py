"""What a certificate says, beside what it would say if it were written today: its words, its names, its files.

Claims are derived and discharged anew whatever the files say. But a reader, or another solver, reads the files: a question
made trivial, a claim in other words, a proof under the name of something else must not stand beside `ok`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from isamap_smt.certificates.manifest import CLAIMS, Stored
from isamap_smt.certificates.store import Certificate
from isamap_smt.language.library import kernel_names

_APART = {"format", "digest", "files"}  # its own digests, which read_certificate() checks


def differences(identifier: str, then: Stored, today: Certificate) -> Iterator[str]:
    """In words, everything that is not as `isamap proofs update` would write it today."""
    document = then.document
    if identifier != today.id:
        yield f"it stands in the place of another: {today.id} is what it proves"
    kernel = document.get("kernel")
    if kernel and kernel["source"] is None and kernel["name"] in kernel_names():
        yield f"it is about a kernel of its own under the name of the library's {kernel['name']}"
    written = json.loads(json.dumps(today.document))
    for key in sorted({*document, *written} - _APART):
        if document.get(key) != written.get(key):
            yield f"its {key} is not what today's sources say"
    if CLAIMS in today.files and then.claims != json.loads(today.files[CLAIMS])["claims"]:
        yield "its claims are not what today's sources say"
    for name in sorted({*then.files, *today.files} - {CLAIMS}):
        if name not in today.files:
            yield f"{name} belongs to no such certificate"
        elif name not in then.files:
            yield f"{name} is missing"
        elif then.files[name] != today.files[name]:
            yield f"{name} is not what today's sources make"
