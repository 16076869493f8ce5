"""Who computes what fastest, in one network: `python -m benchmarks.placement [--threads 1] [--seconds 20] [--rounds 5]`.

Frames of a signal are shaped and windowed, their spectra taken, the loudest places of all found and named in their order, and each
frame is classified. Our kernels, onnxruntime, torch and NumPy are candidates for each step; a line of a step says what each of them
takes alone. Afterwards the network so placed and each of them alone take turns in rounds. A ratio above 1 says how many times as
fast the placement is. NumPy's products run on as many threads as OPENBLAS_NUM_THREADS says.
"""

from __future__ import annotations

import argparse
import statistics
import time
from functools import partial
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

import isamap_smt as im
from benchmarks.networks import in_turns
from isamap_smt.networks.foreign import evaluator

FRAMES, LENGTH, LOUDEST, CLASSES = 64, 1024, 32, 16
BACKENDS = ("onnxruntime", "torch", "numpy")
BINS = LENGTH // 2 + 1
TEXT = f"""<ir_version: 10, opset_import: ["": 20]>
spectra (float[{FRAMES},{LENGTH}] signal)
 => (int64[1,{LOUDEST}] places, float[{LOUDEST}] loudness, float[{FRAMES},{CLASSES}] classes)
<float half = {{0.5}}, float tiny = {{0.000001}}, int64 one = {{1}}, int64[1] last = {{-1}}, int64[1] flat = {{-1}},
 int64[1] loudest = {{{LOUDEST}}}, int64[1] first = {{0}}, int64[1] end = {{{LOUDEST}}}, int64[1] before = {{{LOUDEST - 1}}}> {{
    bent = Tanh(signal)
    gate = Sigmoid(signal)
    shaped = Mul(bent, gate)
    mixed = Add(shaped, signal)
    windowed = Mul(mixed, window)
    columns = Unsqueeze(windowed, last)
    spectrum = DFT<onesided = 1>(columns, , one)
    squares = Mul(spectrum, spectrum)
    power = ReduceSum<keepdims = 0>(squares, last)
    level = Add(power, tiny)
    logarithm = Log(level)
    whole = Reshape(logarithm, flat)
    loudness, unordered = TopK(whole, loudest)
    least = Slice(loudness, before, end, first)
    loud = GreaterOrEqual(whole, least)
    places = NonZero(loud)
    hidden = MatMul(logarithm, inner)
    raised = Add(hidden, bias)
    active = Relu(raised)
    scores = MatMul(active, outer)
    classes = Softmax(scores)
}}"""


def model() -> Any:
    """The network, with seeded weights."""
    rng = np.random.default_rng(0)
    made = onnx.parser.parse_model(TEXT)
    weights = {
        "window": np.hanning(LENGTH),
        "inner": rng.standard_normal((BINS, 64)) / np.sqrt(BINS),
        "bias": rng.standard_normal(64),
        "outer": rng.standard_normal((64, CLASSES)) / 8,
    }
    made.graph.initializer.extend(numpy_helper.from_array(a.astype(np.float32), n) for n, a in weights.items())
    return made


def main() -> None:
    """Place the network, print what each step costs, and measure it beside each back end alone."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.placement", description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20.0, help="of measuring, for the search")
    parser.add_argument("--rounds", type=int, default=5, help="of calls in turns afterwards, a second each")
    asked = parser.parse_args()
    proto = model()
    begin = time.perf_counter()
    run = im.compile_onnx(proto, place=BACKENDS, threads=asked.threads, place_seconds=asked.seconds)
    print(f"placed in {time.perf_counter() - begin:.0f} s, {asked.threads} threads, {time.strftime('%Y-%m-%d')}")
    print(run)
    for block in run.placement.blocks:
        print(block)
    signal = np.random.default_rng(1).standard_normal((FRAMES, LENGTH)).astype(np.float32)
    given = {"signal": signal}
    calls = [partial(run, **given)]
    data = proto.SerializeToString()
    for backend in BACKENDS:
        alone = evaluator(backend, data, "whole", asked.threads)
        wanted, got = alone(given), run(**given)
        assert np.array_equal(got["places"], wanted["places"])
        off = max(float(np.abs(got[n] - wanted[n]).max() / np.abs(wanted[n]).max()) for n in ("loudness", "classes"))
        print(f"beside {backend}: the same places, off by {off:.1e} of the largest element")
        calls.append(partial(alone, given))
    rounds = [[min(t) for t in in_turns(calls, 1.0, asked.threads)] for _ in range(asked.rounds)]
    best = [min(column) for column in zip(*rounds, strict=True)]
    print(f"placed {best[0] * 1e6:.0f} µs")
    for number, backend in enumerate(BACKENDS, 1):
        ratios = sorted(r[number] / r[0] for r in rounds)
        print(
            f"{backend:12} alone {best[number] * 1e6:.0f} µs: ratio {statistics.median(ratios):.2f} "
            f"({ratios[0]:.2f} to {ratios[-1]:.2f} in {asked.rounds} rounds)"
        )


if __name__ == "__main__":
    main()
