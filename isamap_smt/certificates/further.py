"""Further statements that a certified program maps: proved again from what the manifest says of them."""

from __future__ import annotations

from collections.abc import Mapping as Dict
from typing import Any

from isamap_encodings.solve import Answers
from isamap_smt.certificates.derive import derive_mapping
from isamap_smt.certificates.subject import Sources, mapping_from, schedule_from
from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.schedule import Schedule


def further_from(
    document: Dict[str, Any], kernel: Kernel, sources: Sources, answers: Answers | None = None
) -> tuple[Schedule, ...]:
    """Their schedules. Raises NotProvedError where a mapping is no longer proved, IsamapError where it cannot be made."""
    found: list[Schedule] = []
    for part in document.get("further", []):
        instruction = sources.instruction_of(part, kernel)
        _, result = derive_mapping(mapping_from(part["mapping"], kernel, instruction), answers)
        if not isinstance(result, ProvedMapping):
            raise NotProvedError(f"statement {part['mapping']['statement'] + 1} is no longer proved\n{result}")
        then = part["schedule"]
        found.append(schedule_from(then, result, sources.hardware(then["hardware"])))
    return tuple(found)
