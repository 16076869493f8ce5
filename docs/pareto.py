"""Draws docs/pareto.svg: cost of the machines of examples/weight_array.py, and cycles of a transformer's layer on them.

python -m docs.pareto
"""

from __future__ import annotations

from pathlib import Path

import isamap_smt as im
from isamap_smt.report.explored import svg

PICTURE = Path(__file__).with_name("pareto.svg")
MACHINE = Path(__file__).parents[1] / "examples" / "weight_array.py"
LAYER = ["4*gemm@i=64,j=128,k=128", "gemm@i=64,j=256,k=128", "gemm@i=64,j=128,k=256"]
OVER = {"kib": [1, 4, 16], "bus": [4, 8, 32], "dmas": [1, 2]}
COST = "bytes + 512*bus*dmas"


def drawn() -> str:
    """The picture."""
    return svg(im.sweep(f"{MACHINE}:MACHINE", OVER, LAYER, cost=COST))


if __name__ == "__main__":
    PICTURE.write_text(drawn())
