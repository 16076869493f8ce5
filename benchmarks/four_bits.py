"""Products with weights of 4 bits beside others': `python -m benchmarks.four_bits [--threads 1] [--size 4096] [--stretches]`.

com.microsoft.MatMulNBits, blocks of 32 with a scale each, of seeded weights; for one row and eight, in f32 and with the rows in
bytes (accuracy_level 4). Beside it onnxruntime, and ggml's `mul_mat` with the same weights in Q4_0 if llama-cpp-python is
installed, which rounds the rows to bytes at both levels. All are compared with NumPy in f64.

Calls take turns, one each on one thread, and so each finds others' weights in the cache; on several threads, and with
`--stretches`, a turn is many calls. The best of all repeats counts; the median, and how far the best of the repeats lie apart,
are said.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

import isamap_smt as im
from benchmarks import ggml
from benchmarks.networks import in_turns
from isamap_smt.networks.against import error_of, onnxruntime_session

BLOCK = 32
ROUNDED = 2e-2  # of the largest element: what rows in bytes may cost
EXACT = 1e-4  # the same, where NumPy's rows are rounded, too


def weights_of(size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bytes of two elements, scales, and the matrix in f32. ggml rounds it to the same: scales are exact in f16, and each block has
    a -8, by which ggml finds the scale."""
    rng, blocks = np.random.default_rng(0), size // BLOCK
    halves = rng.integers(0, 256, (size, blocks, BLOCK // 2), dtype=np.uint8)
    halves[:, :, 0] &= 0xF0
    scales = rng.uniform(0.01, 0.1, (size, blocks)).astype(np.float16).astype(np.float32)
    steps = np.stack([halves & 15, halves >> 4], -1).reshape(size, blocks, BLOCK).astype(np.float32) - 8
    return halves, scales, (steps * scales[:, :, None]).reshape(size, size)


def product(rows: int, size: int, level: int, halves: np.ndarray, scales: np.ndarray) -> Any:
    """A model of one product."""
    node = helper.make_node(
        "MatMulNBits", ["A", "W", "S"], ["Y"], name="product", domain="com.microsoft",
        K=size, N=size, bits=4, block_size=BLOCK, accuracy_level=level,
    )  # fmt: skip
    graph = helper.make_graph(
        [node], "four_bits", [helper.make_tensor_value_info("A", TensorProto.FLOAT, [rows, size])],
        [helper.make_tensor_value_info("Y", TensorProto.FLOAT, [rows, size])],
        [numpy_helper.from_array(halves, "W"), numpy_helper.from_array(scales.ravel(), "S")],
    )  # fmt: skip
    sets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=sets, ir_version=10)


def by_ggml(matrix: np.ndarray, a: np.ndarray, threads: int) -> dict[str, ggml.Product]:
    """Both layouts of the weights, each with its activations in place. Raises SystemExit for another result than NumPy's."""
    wanted = ggml.in_q8(a) @ matrix.T.astype(np.float64)
    found = {}
    for name, repacked in (("ggml", False), ("ggml repacked", True)):
        try:
            found[name] = ggml.Product(matrix, len(a), threads, repacked=repacked)
        except LookupError as error:
            print(f"{name}: {error}")
            continue
        found[name].give(a)
        found[name]()
        if not (error := error_of(found[name].result(), wanted)) <= EXACT:
            raise SystemExit(
                f"{name}: off by {error:.1e} of the largest element from NumPy's product of activations in Q8_0"
            )
    return found


def main() -> None:
    """Measure all four."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.four_bits", description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--size", type=int, default=4096, help="rows and columns of the weights")
    parser.add_argument("--seconds", type=float, default=4.0, help="of each repeat of each product")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--stretches", action="store_true", help="a turn is many calls on one thread, too")
    asked = parser.parse_args()
    if version := ggml.installed():
        print(f"ggml of llama-cpp-python {version}: rows are rounded to 8 bits at both levels")
    else:
        print("llama-cpp-python is not installed: nothing is compared with ggml")
    halves, scales, matrix = weights_of(asked.size)
    for level in (0, 4):
        for rows in (1, 8):
            proto = product(rows, asked.size, level, halves, scales)
            a = np.random.default_rng(1).standard_normal((rows, asked.size)).astype(np.float32)
            wanted = a.astype(np.float64) @ matrix.T.astype(np.float64)
            run = im.compile_network(im.from_onnx(proto), threads=asked.threads)
            session = onnxruntime_session(proto.SerializeToString(), asked.threads)
            peers = by_ggml(matrix, a, asked.threads) if version else {}
            errors = {
                "isamap": error_of(run(a)["Y"], wanted),
                "onnxruntime": error_of(session.run(None, {"A": a})[0], wanted),
            }
            errors |= {name: error_of(peer.result(), wanted) for name, peer in peers.items()}
            for name, error in errors.items():
                if not error <= ROUNDED:
                    raise SystemExit(f"{name}: off by {error:.1e} of the largest element from NumPy's product in f64")
            calls: dict[str, Callable[[], Any]] = {
                "isamap": lambda run=run, a=a: run(a), "onnxruntime": lambda s=session, a=a: s.run(None, {"A": a}), **peers,
            }  # fmt: skip
            many = max(2, asked.threads) if asked.stretches else asked.threads
            taken = [in_turns(list(calls.values()), asked.seconds, many) for _ in range(asked.repeats)]
            print(f"accuracy_level {level}, {rows} x {asked.size} x {asked.size}, threads {asked.threads}:")
            ours = min(min(repeat[0]) for repeat in taken)
            for at, name in enumerate(calls):
                best = [min(repeat[at]) for repeat in taken]
                median = np.median(np.concatenate([repeat[at] for repeat in taken]))
                print(
                    f"  {name:14}{min(best) * 1e6:7.0f} us, {min(best) / ours:.2f} of isamap's; median {median * 1e6:.0f} us; "
                    f"spread {max(best) / min(best) - 1:.1%}; off by {errors[name]:.1e}"
                )


if __name__ == "__main__":
    main()
