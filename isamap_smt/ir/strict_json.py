"""Values as strict JSON holds them."""

from __future__ import annotations

import math
from typing import Any


def finite(value: Any) -> Any:
    """The same value with null for numbers unknown to JSON (NaN, infinities), at any depth."""
    match value:
        case dict():
            return {k: finite(v) for k, v in value.items()}
        case list() | tuple():
            return [finite(v) for v in value]
        case float() if not math.isfinite(value):
            return None
    return value
