"""im.einsum beside np.einsum and torch.einsum, one thread each, f32: `python -m benchmarks.einsum [--seconds 1]`.

Calls take turns; the best of each counts. NumPy's is the faster of its two ways, with and without its order of contraction. PyTorch
is left out where it is not installed, which is said.
"""

from __future__ import annotations

import argparse
import importlib
import os
import time
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

import isamap_smt as im

SLOW = 3e-3  # seconds of a call that is timed once
CASES: list[tuple[str, list[tuple[int, ...]]]] = [
    ("ij,jk->ik", [(256, 256), (256, 256)]),
    ("bhqd,bhkd->bhqk", [(2, 8, 128, 64), (2, 8, 128, 64)]),
    ("bhqk,bhkd->bhqd", [(2, 8, 128, 128), (2, 8, 128, 64)]),
    ("bqhd,bkhd->bhqk", [(2, 128, 8, 64), (2, 128, 8, 64)]),
    ("bhqk,bkhd->bqhd", [(2, 8, 128, 128), (2, 128, 8, 64)]),
    ("bij,bjk->bik", [(16, 32, 32), (16, 32, 32)]),
    ("bsm,mhd->bshd", [(2, 64, 256), (256, 8, 32)]),
    ("bshd,hdm->bsm", [(2, 64, 8, 32), (8, 32, 256)]),
    ("ij->ji", [(512, 512)]),
    ("ij->i", [(512, 512)]),
    ("ij->j", [(512, 512)]),
    ("ii->i", [(512, 512)]),
    ("ii->", [(512, 512)]),
    ("i,j->ij", [(256,), (256,)]),
    ("i,i->", [(4096,), (4096,)]),
    ("bn,anm,bm->ba", [(32, 48), (8, 48, 40), (32, 40)]),
    ("ijk,ilm,njm,nlk,abc->", [(8, 9, 10), (8, 12, 13), (11, 9, 13), (11, 12, 10), (3, 4, 5)]),
    ("ij,jk,kl->il", [(64, 64), (64, 64), (64, 64)]),
    ("abcd,cdef->abef", [(16, 16, 8, 16), (8, 16, 16, 16)]),
    ("...ij,...jk->...ik", [(8, 32, 24), (8, 24, 16)]),
    ("bhwi,io->bhwo", [(2, 14, 14, 64), (64, 32)]),
    ("bchw,oc->bohw", [(2, 64, 14, 14), (32, 64)]),
    ("ij,ij->ij", [(256, 256), (256, 256)]),
    ("ij,ij->", [(256, 256), (256, 256)]),
    ("bij,bij->bj", [(8, 64, 64), (8, 64, 64)]),
    ("hqd,kd->hqk", [(8, 64, 64), (128, 64)]),
]


def _contenders(equation: str, arrays: list[np.ndarray], torch: Any) -> dict[str, Callable[[], Any]]:
    way: Any = "optimal" if len(arrays) > 2 else True
    made = {
        "isamap": lambda: im.einsum(equation, *arrays),
        "NumPy": lambda: np.einsum(equation, *arrays, optimize=way),
    }
    if len(arrays) < 5:
        made["NumPy, in one"] = lambda: np.einsum(equation, *arrays)
    if torch is not None:
        tensors = [torch.from_numpy(a) for a in arrays]
        made["PyTorch"] = lambda: torch.einsum(equation, *tensors)
    return made


def best_of_turns(contenders: dict[str, Callable[[], Any]], seconds: float) -> dict[str, float]:
    best = dict.fromkeys(contenders, float("inf"))
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for name, call in contenders.items():
            for _ in range(0 if SLOW < best[name] < float("inf") else 5):
                begin = time.perf_counter()
                call()
                best[name] = min(best[name], time.perf_counter() - begin)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.einsum", description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each equation")
    seconds = parser.parse_args().seconds
    try:
        torch = importlib.import_module("torch")
        torch.set_num_threads(1)
    except ImportError:
        torch = None
        print("PyTorch is not installed")
    if os.environ.get("OPENBLAS_NUM_THREADS") != "1":
        print("OPENBLAS_NUM_THREADS is not 1: NumPy may take more threads than one")
    draw = np.random.default_rng(0)
    ratios = []
    for equation, shapes in CASES:
        arrays = [draw.standard_normal(s).astype(np.float32) for s in shapes]
        begin = time.perf_counter()
        made = im.einsum(equation, *arrays)
        first = time.perf_counter() - begin
        expected = np.einsum(equation, *(a.astype(np.float64) for a in arrays), optimize="optimal")
        if not np.allclose(made, expected, rtol=1e-3, atol=1e-4 * max(1, prod(map(max, shapes))) ** 0.5):
            raise SystemExit(f"{equation}: another result")
        best = best_of_turns(_contenders(equation, arrays, torch), seconds)
        ratios.append(min(t for n, t in best.items() if n != "isamap") / best["isamap"])
        times = ", ".join(f"{n} {t * 1e6:.1f}" for n, t in best.items())
        print(f"{equation:24} first {first:.1f} s; us: {times}: {ratios[-1]:.2f}", flush=True)
    print(
        f"geometric mean {np.exp(np.mean(np.log(ratios))):.2f}, {sum(r >= 1 for r in ratios)} of {len(ratios)} at 1 and more"
    )


if __name__ == "__main__":
    main()
