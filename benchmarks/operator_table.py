"""docs/operators.md: each operator of examples/, what carries it out on a CPU, and its time against other libraries.

isamap bench operators --threads 1 -o operators.json
python -m benchmarks.operator_table operators.json > docs/operators.md
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from math import exp, log
from pathlib import Path
from typing import Any

from isamap_smt.bench.contenders import OURS
from isamap_smt.bench.results import load

LIBRARIES = ("numpy", "torch", "onnxruntime")


def main(path: str) -> None:
    """The page of these results."""
    results = load(Path(path))
    entries = [e for e in results.entries if e["suite"] == "operators" and e["threads"] == 1]
    best = [max(found.values()) for e in entries if (found := rates(e)) and OURS in e["contenders"]]
    ratios = [speed(e["contenders"][OURS]) / b for e, b in zip(entries, best, strict=True)]
    mean = exp(sum(map(log, ratios)) / len(ratios))
    day = datetime.fromtimestamp(Path(path).stat().st_mtime, UTC).date()
    installed = ", ".join(f"{n} {results.peers[n]}" for n in LIBRARIES if n in results.peers)
    print(_HEAD.format(cpu=results.machine["cpu"], day=day, turns=results.settings["turns"], installed=installed,
                       mean=mean, worst=min(ratios), count=len(ratios)))  # fmt: skip
    for entry in entries:
        print(row(entry))
    print(_FOOT)


def row(entry: dict[str, Any]) -> str:
    """The operator's line."""
    case, ours = entry["case"], entry["contenders"][OURS]
    sizes = " ".join(f"{n}={v}" for n, v in case["sizes"].items())
    if ours["status"] != "ok":
        return f"| `{case['family']}` | {sizes} | {ours['words']} | | | | |"
    mine, others = speed(ours), rates(entry)
    told = " | ".join(f"{mine / others[n]:.2f}" if n in others else "-" for n in LIBRARIES)
    taken = entry["operations"] / mine / 1e3
    return f"| `{case['family']}` | {sizes} | {_how(ours['about'])} | {taken:.0f} | {told} |"


def rates(entry: dict[str, Any]) -> dict[str, float]:
    """Billions of operations in a second of each library that takes part."""
    return {n: speed(c) for n, c in entry["contenders"].items() if n != OURS and c["status"] == "ok"}


def speed(contender: dict[str, Any]) -> float:
    """The median of the turns' best."""
    return float(contender["gflops"]["median"])


def _how(about: dict[str, Any]) -> str:
    """The instructions by which statements are computed; all others are computed element by element."""
    names = about.get("instruction") or ""
    return ", ".join(f"`{n}`" for n in names.split(" and ")) if names else "element by element"


_HEAD = """\
# Operators

Each is a kernel in [examples](../examples). It is compared with a reference in NumPy of its own, compiled
(`tests/kernels/test_operators.py`: whole numbers and bytes bit for bit), and with torch and onnxruntime on the same arrays
(`tests/bench/test_peers.py`); it is proved when it is compiled.

`isamap bench operators --threads 1 -o operators.json` measured, and `python -m benchmarks.operator_table operators.json >
docs/operators.md` wrote this page: {cpu}, {day}, {installed}; one thread,
whole calls from Python in the same turns, {turns} of them, on a machine that others were using, so the ratios are rough. A ratio is
our speed over theirs: above 1, ours is the faster. Weights of layers of bytes are packed ahead by everybody, all others are given
at each call. Against the best of the libraries: geometric mean {mean:.2f} of {count}, worst {worst:.2f}.

| operator | sizes | computed by | us | NumPy | torch | onnxruntime |
|---|---|---|---|---|---|---|"""

_FOOT = """
## What is missing

- **Data as an index** is read element by element: portable C, which the compiler vectorises along the row that is found.
  Writing at an index that is data is refused, and so is an index that a statement computes.
- **Guards that leave the last lanes** of a reduction (`M[q] max= S[q,k] where q <= k` with k in the lanes) are portable C; those
  that leave the first ones are masks of loads. Those that all lanes share are tests around it, as for
  `max_pool`, whose windows reach out of the image.
- **Axes as values** that are no sum of axes with whole numbers (`2*i + j // 2` of two axes) are given to no instruction.
  Nor are running sums mapped, whose time steps read what the one before wrote.
- **Zero points of weights** are 0 in `qlinear_conv`, as ONNX's quantisers make them; in `qlinear_matmul` each column has its
  own.
- **Views with strides** are refused, with the call that copies them (`np.ascontiguousarray`). Where they lie in their array
  is a part of the kernel instead, and nothing is copied: `gemm_of_a_part` takes columns o to o + K of a wider matrix, with
  both widths left open, and is proved for all of them.
- **A comparison of floats in a statement of integers** needs a written cast somewhere in it, as `argmax` has, and is refused
  without: elements would be converted to the output's type before they are compared.
"""

if __name__ == "__main__":
    main(*sys.argv[1:])
