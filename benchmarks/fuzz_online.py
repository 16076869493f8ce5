"""Random sizes, types, blocks, masks, scores and values: running maxima and sums, proved, run and compiled, against their bounds.

Scores grow, fall, jump or lie at the ends of their type, values next to 0 or to what may overflow, factors at their least.
Beyond the values that are stated a result is off by no more than is stated all the same, or is no number.

python -m benchmarks.fuzz_online [CASES] [SEED] [MACHINE]

Every case is proved and interpreted; every twentieth is planned, proved and compiled for the machine, too.
"""

from __future__ import annotations

import sys
from typing import Any

import ml_dtypes
import numpy as np

import isamap_smt as im
from isamap_smt.ir.interpret import run_kernel
from isamap_smt.ir.online_rounding import online_rounding
from isamap_smt.ir.rewrite import Form

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
ENDS = (
    "Y[q,v] = O[q,v] / D[q]\n", "Y[q,v] = O[q,v] / D[q]\nL[q] = M[q] + log(D[q])\n",
    "Y[q,v] = O[q,v] / D[q]\nR[(q+v)//2] += Y[q,v]\n", "P[q,k] = E[q,k] / D[q]\n",
)  # fmt: skip
KINDS = ("f32", "f32", "f32", "f16", "bf16", "f64")
COMPILED = 20  # one case of so many


def kernel(rng: np.random.Generator, masked: bool) -> im.Kernel:
    """A chain: scores read or computed, scaled or not, with other ends."""
    score = "+= Q[q,d] * K[k,d]" if rng.random() < 0.5 else "= x[q,k]"
    term = "exp((S[q,k] - M[q]) * z[])" if rng.random() < 0.5 else "exp(S[q,k] - M[q])"
    text = HEAD.format(score=score, term=term, guard=GUARD if masked else "")
    end = ENDS[rng.integers(3 if masked else 4)]
    made = im.kernel(text + end, name="online")
    kind = str(rng.choice(KINDS)) if "= x[" in text else "f32"
    return made.with_dtypes({t.name: kind for t in made.tensors})


def scores(rng: np.random.Generator, q: int, k: int, block: int, kind: np.dtype) -> np.ndarray:
    """Rows that grow, fall, stay, jump from block to block, or lie far apart, some at the ends of the type."""
    most = float(ml_dtypes.finfo(kind).max)  # type: ignore[no-untyped-call]
    n = np.arange(k)
    ways = [
        lambda: rng.normal(size=k) * rng.choice([1e-6, 1, 30, 1e4]),
        lambda: np.sort(rng.normal(size=k)) * rng.choice([1, 30]),
        lambda: -np.sort(rng.normal(size=k)) * rng.choice([1, 30]),
        lambda: np.full(k, rng.normal()),
        lambda: n // block * rng.random() * 3 + rng.normal(size=k) * 1e-3,
        lambda: np.where((rng.random(k) < 0.4) & (n > 0), -np.inf, rng.normal(size=k) * 5),
        lambda: rng.choice([-most, most * 0.9, 0.0, -most / 2], k),
    ]
    return np.clip(np.stack([ways[rng.integers(len(ways))]() for _ in range(q)]), -np.inf, most).astype(kind)


def values(rng: np.random.Generator, shape: tuple[int, ...], kind: np.dtype, limit: float) -> np.ndarray:
    """Of any size, next to 0, or next to the limit, beyond which sums may overflow."""
    about: Any = ml_dtypes.finfo(kind)  # type: ignore[no-untyped-call]
    tiny = float(about.smallest_subnormal)
    scale = rng.choice([1.0, 3.0, tiny * 2, tiny * 50, limit / 4, limit, limit * 3])
    drawn = np.clip(rng.normal(size=shape), -1, 1) if rng.random() < 0.7 else rng.choice([-1.0, 1.0], shape)
    return np.clip(drawn * scale, -float(about.max), float(about.max)).astype(kind)


def one(seed: int, machine: str, compiled: bool) -> float:
    """The largest part of a stated bound that was seen. Raises AssertionError beyond 1, or where nothing is stated."""
    rng = np.random.default_rng(seed)
    k, q, v, d = int(rng.integers(1, 201)), int(rng.integers(1, 9)), int(rng.integers(1, 9)), int(rng.integers(1, 9))
    block = int(rng.integers(1, min(k, 64) + 1))
    masked = rng.random() < 0.3
    whole = kernel(rng, masked).with_sizes({"q": q, "k": k, "v": v})
    whole = whole.with_sizes({"d": d}) if "Q" in whole.inputs else whole
    made = im.online(whole, "k", block)
    kind = whole.tensor("V").dtype.numpy
    shapes = {n: tuple(map(int, whole.tensor(n).shape)) for n in whole.inputs}
    arrays = {n: np.asarray(rng.normal(size=s) * rng.choice([1, 3]), kind) for n, s in shapes.items()}
    stated = {b.tensor: b for b in online_rounding(made.split)}
    if "D" not in stated:  # so many terms overflow this type, or are no more than their rounding
        assert float(ml_dtypes.finfo(kind).eps) * k > 1, f"seed {seed}: {made}"  # type: ignore[no-untyped-call]
        return 0.0
    least = stated["D"].factors[0][1] if stated["D"].factors else 0.0
    z = rng.choice([rng.random() + 0.01, rng.random() + 0.01, least * 1.01, 50.0])
    rows = scores(rng, q, k, block, kind)
    arrays |= {n: a for n, a in {"x": rows, "z": np.asarray(z, kind)}.items() if n in shapes}
    assert stated["O"].values is not None
    arrays["V"] = values(rng, shapes["V"], kind, stated["O"].values[1])
    worst = judged(run_kernel(made.split.kernel, arrays), arrays, made.split, masked, f"seed {seed}: {made}")
    if compiled:
        plan = im.plan(whole, machine, fix={"online.k": block})
        assert plan.split is not None
        got: Any = im.build(plan)(**arrays)
        got = got if isinstance(got, dict) else {whole.results[0]: got}
        worst = max(worst, judged(got, arrays, plan.split.split, masked, f"seed {seed}, compiled: {plan}"))
    return worst


def judged(got: dict[str, Wide], arrays: dict[str, np.ndarray], split: Form, masked: bool, told: str) -> float:
    """The largest part of each bound that was seen. Scores are as they are computed; nothing is asked of rows without a number."""
    stated = {b.tensor: b for b in online_rounding(split)}
    assert {"D", "O"} <= set(stated) <= {"D", "O", "Y"}, told
    limit = stated["O"].values[1] if stated["O"].values else np.inf
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
        bound = {n: b.number + more for n, b in stated.items()}
        found = {n: a.astype(np.longdouble) for n, a in got.items()}
        seen = {
            "D": np.abs(found["D"] - sums) / sums / bound["D"],
            "O": np.abs(found["O"] - weighted) / (sums[:, None] * size * bound["O"] + stated["O"].absolute),
        }
        if "Y" in got:
            seen["Y"] = np.abs(found["Y"] - weighted / sums[:, None]) / (size * bound["Y"] + stated["Y"].absolute)
        if "P" in got and got["P"].dtype == np.float32:
            assert np.abs(found["P"] - e / sums[:, None])[fine].max(initial=0) < bound["D"] + 1e-5, told
        if size.max() > limit:  # an overflow is seen, or none was there
            seen = {n: np.where(np.isfinite(found[n]), p, 0) for n, p in seen.items()}
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
