"""torch.compile(model, backend="isamap") beside torch as it runs by itself and inductor, f32, without gradients:
`python -m benchmarks.torch_models [--threads 1] [--seconds 4]`.

Calls take turns; the best of each counts. First calls are of this process, with what earlier ones kept on disk removed by `--cold`.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
import torch
from torch import nn

from benchmarks.einsum import best_of_turns


class Attention(nn.Module):
    """Self-attention with its projections."""

    def __init__(self, width: int, heads: int, causal: bool) -> None:
        super().__init__()
        self.heads, self.causal = heads, causal
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x: Any) -> Any:
        b, t, w = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4)
        made = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.out(made.transpose(1, 2).reshape(b, t, w))


class Block(nn.Module):
    """An encoder block, its norms first."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads, False)
        self.forward_ = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Any) -> Any:
        x = x + self.attention(self.first(x))
        return x + self.forward_(self.second(x))


def _mlp(*widths: int) -> Any:
    layers = [layer for a, b in pairwise(widths) for layer in (nn.Linear(a, b), nn.ReLU())]
    return nn.Sequential(*layers[:-1])


CASES: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "MLP 784-512-256-10, batch 32": (lambda: _mlp(784, 512, 256, 10), (32, 784)),
    "MLP 784-512-256-10, batch 1": (lambda: _mlp(784, 512, 256, 10), (1, 784)),
    "MLP 256-1024-256, batch 128": (lambda: _mlp(256, 1024, 256), (128, 256)),
    "attention 1x128x256, 4 heads": (lambda: Attention(256, 4, False), (1, 128, 256)),
    "causal attention 2x64x384, 6 heads": (lambda: Attention(384, 6, True), (2, 64, 384)),
    "encoder block 1x128x256": (lambda: Block(256, 4), (1, 128, 256)),
    "encoder block 2x96x384": (lambda: Block(384, 6), (2, 96, 384)),
    "torch's encoder layer 1x128x256": (
        lambda: nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True),
        (1, 128, 256),
    ),
}


def main() -> None:
    """Measure all cases."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.torch_models", description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=4.0, help="of each case")
    parser.add_argument("--cold", action="store_true", help="with an empty cache")
    parser.add_argument("--only", default="", help="cases whose names hold this")
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    if asked.cold:
        os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp()
    ratios = []
    with torch.no_grad():
        for name, (make, shape) in CASES.items():
            if asked.only not in name:
                continue
            torch.manual_seed(0)
            torch._dynamo.reset()
            model, x = make().eval(), torch.randn(*shape)
            meant = model.double()(x.double())
            runs, firsts = {"torch": partial(model.float(), x)}, []
            for backend in ("isamap", "inductor"):
                run = torch.compile(model, backend=backend)
                begin = time.perf_counter()
                found = run(x)
                firsts.append(f"{backend} {time.perf_counter() - begin:.1f} s")
                assert torch.allclose(found.double(), meant, rtol=1e-4, atol=1e-4), (name, backend)
                runs[backend] = partial(run, x)
            best = best_of_turns(runs, asked.seconds)
            ratios.append([best[o] / best["isamap"] for o in ("torch", "inductor")])
            times = ", ".join(f"{n} {t * 1e6:.0f}" for n, t in best.items())
            print(
                f"{name:36} first {', '.join(firsts)}; us: {times}: {ratios[-1][0]:.2f}, {ratios[-1][1]:.2f}",
                flush=True,
            )
    means = np.exp(np.mean(np.log(ratios), axis=0)) if ratios else [inf, inf]
    print(f"geometric mean {means[0]:.2f} of torch, {means[1]:.2f} of inductor, {asked.threads} threads")


if __name__ == "__main__":
    main()
