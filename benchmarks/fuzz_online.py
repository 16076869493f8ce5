"""Random sizes, blocks, masks and scores: running maxima and sums, proved, run and compiled, against their stated bounds.

python -m benchmarks.fuzz_online [CASES] [SEED] [MACHINE]

Every case is proved and interpreted; every twentieth is planned, proved and compiled for the machine, too.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import isamap_smt as im
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.online_rounding import online_rounding
from isamap_smt.ir.split import Apart

Wide = np.ndarray
GUARD = "where k <= q + 3"
HEAD = """
temporary S, M, E
S[q,k] {score} {guard}
M[q] max= S[q,k] {guard}
E[q,k] = {term} {guard}
D[q] += E[q,k] {guard}
O[q,v] += E[q,k] * V[k,v] {guard}
"""
ENDS = ("Y[q,v] = O[q,v] / D[q]\n", "Y[q,v] = O[q,v] / D[q]\nL[q] = M[q] + log(D[q])\n", "P[q,k] = E[q,k] / D[q]\n")
COMPILED = 20  # one case of so many


def kernel(rng: np.random.Generator, masked: bool) -> im.Kernel:
    """A chain: scores read or computed, scaled or not, with other ends."""
    score = "+= Q[q,d] * K[k,d]" if rng.random() < 0.5 else "= x[q,k]"
    term = "exp((S[q,k] - M[q]) * z[])" if rng.random() < 0.5 else "exp(S[q,k] - M[q])"
    text = HEAD.format(score=score, term=term, guard=GUARD if masked else "")
    end = ENDS[rng.integers(2 if masked else 3)]
    return im.kernel(text + end, name="online")


def scores(rng: np.random.Generator, q: int, k: int, block: int) -> np.ndarray:
    """Rows that grow, fall, stay, jump from block to block, or lie far apart."""
    n = np.arange(k)
    ways = [
        lambda: rng.normal(size=k) * rng.choice([1e-6, 1, 30, 1e4]),
        lambda: np.sort(rng.normal(size=k)) * rng.choice([1, 30]),
        lambda: -np.sort(rng.normal(size=k)) * rng.choice([1, 30]),
        lambda: np.full(k, rng.normal()),
        lambda: n // block * rng.random() * 3 + rng.normal(size=k) * 1e-3,
        lambda: np.where((rng.random(k) < 0.4) & (n > 0), -np.inf, rng.normal(size=k) * 5),
    ]
    return np.stack([ways[rng.integers(len(ways))]() for _ in range(q)]).astype(np.float32)


def one(seed: int, machine: str, compiled: bool) -> float:
    """The largest part of a stated bound that was seen. Raises AssertionError beyond 1, or where nothing is stated."""
    rng = np.random.default_rng(seed)
    k, q, v, d = int(rng.integers(1, 201)), int(rng.integers(1, 9)), int(rng.integers(1, 9)), int(rng.integers(1, 9))
    block = int(rng.integers(1, min(k, 64) + 1))
    masked = rng.random() < 0.3
    whole = kernel(rng, masked).with_sizes({"q": q, "k": k, "v": v})
    whole = whole.with_sizes({"d": d}) if "Q" in whole.inputs else whole
    made = im.online(whole, "k", block)
    rows = scores(rng, q, k, block)
    shapes = {n: tuple(map(int, whole.tensor(n).shape)) for n in whole.inputs}
    arrays = {n: np.asarray(rng.normal(size=s) * rng.choice([1, 3]), np.float32) for n, s in shapes.items()}
    arrays |= {n: a for n, a in {"x": rows, "z": np.asarray(rng.random() + 0.01, np.float32)}.items() if n in shapes}
    worst = judged(run_kernel(made.split.kernel, arrays), arrays, made.split, masked, f"seed {seed}: {made}")
    if compiled:
        plan = im.plan(whole, machine, fix={"online.k": block})
        assert plan.split is not None
        got: Any = im.build(plan)(**arrays)
        got = got if isinstance(got, dict) else {whole.results[0]: got}
        worst = max(worst, judged(got, arrays, plan.split.split, masked, f"seed {seed}, compiled: {plan}"))
    return worst


def judged(got: dict[str, Wide], arrays: dict[str, np.ndarray], split: Apart, masked: bool, told: str) -> float:
    """The largest part of each bound that was seen. Scores are those of f32; nothing is asked of rows without a number."""
    stated = {b.tensor: b.number for b in online_rounding(split)}
    assert set(stated) >= {"D", "O"}, told
    s = arrays["x"].astype(np.longdouble) if "x" in arrays else None
    if s is None:  # sums of products have an error of their own, of which every exponential takes part
        wide = {n: arrays[n].astype(np.longdouble) for n in ("Q", "K")}
        s = wide["Q"] @ wide["K"].T
        off = float((np.abs(wide["Q"]) @ np.abs(wide["K"]).T).max()) * 2.0**-24 * (wide["Q"].shape[1] + 1)
    else:
        off = 0.0
    z = np.longdouble(arrays["z"][()]) if "z" in arrays else np.longdouble(1)
    q, k = np.ogrid[: s.shape[0], : s.shape[1]]
    s = np.where(k <= q + 3, s, -np.inf) if masked else s
    fine = np.isfinite(s.max(1))
    with np.errstate(all="ignore"):
        e = np.exp((s - s.max(1, keepdims=True)) * z)
        v = arrays["V"].astype(np.longdouble)
        sums, weighted, size = e.sum(1), e @ v, np.abs(v).max(0)
        more = np.expm1(4 * off * float(z))
        bound = {n: number + more for n, number in stated.items()}
        seen = {
            "D": np.abs(got["D"] - sums) / sums / bound["D"],
            "O": np.abs(got["O"] - weighted) / (sums[:, None] * size) / bound["O"],
        }
        if "Y" in got:
            seen["Y"] = np.abs(got["Y"] - weighted / sums[:, None]) / size / bound["Y"]
        if "P" in got:
            assert np.abs(got["P"] - e / sums[:, None])[fine].max(initial=0) < bound["D"] + 1e-5, told
    parts = [float(np.asarray(p)[fine].max(initial=0.0)) for p in seen.values()]
    assert all(p <= 1 for p in parts), f"{told}\n{dict(zip(seen, parts, strict=True))}"
    return max(parts)


def main() -> None:
    """Count the cases."""
    words = sys.argv[1:]
    cases, seed = int(words[0]) if words else 300, int(words[1]) if len(words) > 1 else 0
    machine = words[2] if len(words) > 2 else "avx2"
    worst = [one(seed + n, machine, n % COMPILED == COMPILED - 1) for n in range(cases)]
    print(
        f"{cases} cases, none beyond its bound; largest part of one {max(worst):.2f}, half of them above {np.median(worst):.2f}"
    )


if __name__ == "__main__":
    main()
