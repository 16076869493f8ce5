"""The examples' architectures, and plans on them, each made once."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import isamap_smt as im

EXAMPLES = Path(__file__).parents[2] / "examples" / "architectures"
NAMES = ("eyeriss_like", "weight_stationary", "tpu_like")


def example(name: str) -> Path:
    """The file of an architecture."""
    return EXAMPLES / f"{name}.yaml"


@lru_cache(maxsize=32)
def planned(name: str, kernel: str, *sizes: tuple[str, int]) -> im.Plan:
    """A plan of a kernel on the machine of a file."""
    return im.plan(kernel, str(example(name)), sizes=dict(sizes))
