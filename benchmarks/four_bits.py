"""Products with weights of 4 bits beside onnxruntime's: `python -m benchmarks.four_bits [--threads 1] [--size 4096]`.

com.microsoft.MatMulNBits, blocks of 32 with a scale each, of seeded weights; for one row and eight, in f32 and with the rows in
bytes (accuracy_level 4). Calls take turns; the best of each counts.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

import isamap_smt as im
from benchmarks.networks import in_turns
from isamap_smt.networks.against import onnxruntime_session

BLOCK = 32


def product(rows: int, size: int, level: int) -> Any:
    """A model of one product."""
    rng, blocks = np.random.default_rng(0), size // BLOCK
    weights = rng.integers(0, 256, (size, blocks, BLOCK // 2), dtype=np.uint8)
    scales = rng.uniform(0.01, 0.1, size * blocks).astype(np.float32)
    node = helper.make_node(
        "MatMulNBits", ["A", "W", "S"], ["Y"], name="product", domain="com.microsoft",
        K=size, N=size, bits=4, block_size=BLOCK, accuracy_level=level,
    )  # fmt: skip
    graph = helper.make_graph(
        [node], "four_bits", [helper.make_tensor_value_info("A", TensorProto.FLOAT, [rows, size])],
        [helper.make_tensor_value_info("Y", TensorProto.FLOAT, [rows, size])],
        [numpy_helper.from_array(weights, "W"), numpy_helper.from_array(scales, "S")],
    )  # fmt: skip
    sets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=sets, ir_version=10)


def main() -> None:
    """Measure all four."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.four_bits", description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--size", type=int, default=4096, help="rows and columns of the weights")
    parser.add_argument("--seconds", type=float, default=4.0, help="of each product")
    asked = parser.parse_args()
    for level in (0, 4):
        for rows in (1, 8):
            proto = product(rows, asked.size, level)
            a = np.random.default_rng(1).standard_normal((rows, asked.size)).astype(np.float32)
            run = im.compile_network(im.from_onnx(proto), threads=asked.threads)
            session = onnxruntime_session(proto.SerializeToString(), asked.threads)
            got, (wanted,) = run(a)["Y"], session.run(None, {"A": a})
            error = np.abs(got - wanted).max() / np.abs(wanted).max()
            calls = [lambda run=run, a=a: run(a), lambda s=session, a=a: s.run(None, {"A": a})]
            ours, theirs = (min(t) for t in in_turns(calls, asked.seconds, asked.threads))
            print(
                f"accuracy_level {level}, {rows} x {asked.size} x {asked.size}: isamap {ours * 1e6:.0f} us, "
                f"onnxruntime {theirs * 1e6:.0f} us: {theirs / ours:.2f}; apart by {error:.1e}"
            )


if __name__ == "__main__":
    main()
