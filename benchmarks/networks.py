"""Networks beside onnxruntime, in turns: python -m benchmarks.networks [NAME ...] [--threads N] [--error] [--json FILE]

Each line: planning's CPU seconds, milliseconds of both (best, in turns), their ratio, memory with its lower bound and the peak of a
greedy plan, and with --error the largest error of each beside a computation in f64, in units of the largest element.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import isamap_smt as im
from benchmarks.network_models import NAMES, inputs, model
from isamap_smt.networks.against import error_of, onnxruntime_session
from isamap_smt.networks.plan import buffers


def cpu() -> float:
    """CPU seconds of this process and of those it waited for."""
    return sum(
        u.ru_utime + u.ru_stime for u in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


SETTLED = 0.03  # seconds for which one contender's threads look for work when the other one has begun


def in_turns(calls: list[Callable[[], Any]], seconds: float, threads: int = 1) -> list[list[float]]:
    """Seconds of each call, in turns until the time is over; at least five of each. On several threads a turn is several calls, of
    which those do not count that begin while the other's threads still look for work."""
    taken: list[list[float]] = [[] for _ in calls]
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(taken[0]) < 5:
        for call, times in zip(calls, taken, strict=True):
            settled = time.perf_counter() + (SETTLED if threads > 1 else 0.0)
            while time.perf_counter() < settled:
                call()
            turn = time.perf_counter() + (SETTLED if threads > 1 else 0.0)
            while True:
                begun = time.perf_counter()
                call()
                times.append(time.perf_counter() - begun)
                if begun >= turn:
                    break
    return taken


def in_double(proto: Any, arrays: dict[str, np.ndarray]) -> list[np.ndarray]:
    """The outputs as onnx's reference evaluator computes them, with everything in f64."""
    import onnx
    from onnx import TensorProto, numpy_helper
    from onnx.reference import ReferenceEvaluator
    from onnx.reference.op_run import OpRun

    class Conv(OpRun):  # type: ignore[misc]
        """As ONNX defines it for two dimensions, by NumPy's products: the evaluator's own takes minutes."""

        def _run(self, x, w, b=None, pads=None, strides=None, group=1, dilations=None, **_):  # type: ignore[no-untyped-def]
            (top, left, bottom, right), (sp, sq) = pads or [0] * 4, strides or [1, 1]
            assert dilations in (None, [1, 1])
            x = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
            seen = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], (2, 3))[:, :, ::sp, ::sq]
            parts = [
                np.tensordot(a, k, ((1, 4, 5), (1, 2, 3)))
                for a, k in zip(np.split(seen, group, 1), np.split(w, group, 0), strict=True)
            ]
            y = np.moveaxis(np.concatenate(parts, -1), -1, 1)
            return (y if b is None else y + b[:, None, None],)

    class BatchNormalization(OpRun):  # type: ignore[misc]
        """By the statistics that are given: the evaluator's own, of versions before 14, takes those of the batch."""

        def _run(self, x, scale, bias, mean, variance, epsilon=1e-5, **_):  # type: ignore[no-untyped-def]
            by = [a.reshape(-1, *[1] * (x.ndim - 2)) for a in (scale, bias, mean, variance)]
            return ((x - by[2]) / np.sqrt(by[3] + epsilon) * by[0] + by[1],)

    class LRN(OpRun):  # type: ignore[misc]
        """By a window of channels for each: the evaluator's own has single precision."""

        def _run(self, x, alpha=1e-4, beta=0.75, bias=1.0, size=None, **_):  # type: ignore[no-untyped-def]
            before = (size - 1) // 2
            squares = np.pad(x * x, ((0, 0), (before, size - 1 - before), (0, 0), (0, 0)))
            around = sum(squares[:, k : k + x.shape[1]] for k in range(size))
            return (x / (bias + alpha / size * around) ** beta,)

    wide = onnx.ModelProto()
    wide.CopyFrom(proto)
    for constant in wide.graph.initializer:
        if constant.data_type == TensorProto.FLOAT:
            constant.CopyFrom(
                numpy_helper.from_array(numpy_helper.to_array(constant).astype(np.float64), constant.name)
            )
    given = {n: a.astype(np.float64) if a.dtype == np.float32 else a for n, a in arrays.items()}
    return list(ReferenceEvaluator(wide, new_ops=[Conv, BatchNormalization, LRN]).run(None, given))


def unsaturated(proto: Any) -> Any:
    """The model without a Softmax at its end: of large scores that is a one and zeros, whatever was rounded before."""
    made = type(proto)()
    made.CopyFrom(proto)
    names = {o.name: o for o in made.graph.output}
    for node in [n for n in made.graph.node if n.op_type == "Softmax" and n.output[0] in names]:
        output = names[node.output[0]]
        output.name = node.input[0]
        output.type.tensor_type.ClearField("shape")
        made.graph.node.remove(node)
    return made


def errors(proto: Any, arrays: dict[str, np.ndarray], threads: int) -> tuple[float, float]:
    """The largest errors of ours and of onnxruntime, beside f64, in units of the largest element."""
    proto = unsaturated(proto)
    session = onnxruntime_session(proto.SerializeToString(), threads)
    names = [o.name for o in session.get_outputs()]
    exact = dict(zip(names, in_double(proto, arrays), strict=True))
    got = im.compile_network(im.from_onnx(proto), threads=threads)(**arrays)
    theirs = dict(zip(names, session.run(None, arrays), strict=True))
    ours, beside = (max(error_of(found[n], exact[n]) for n in names) for found in (got, theirs))
    return ours, beside


def greedy(intervals: list[tuple[int, int, int]]) -> int:
    """The peak of a plan that gives each buffer, largest first, the lowest place that is free while it lives."""
    placed: list[tuple[int, int, int, int]] = []
    for begin, end, size in sorted(intervals, key=lambda b: -b[2]):
        beside = sorted((p, p + s) for b, e, s, p in placed if b < end and begin < e)
        place = 0
        for low, high in beside:
            if place + size <= low:
                break
            place = max(place, -(-high // 64) * 64)
        placed.append((begin, end, size, place))
    return max((p + s for *_, s, p in placed), default=0)


def measured(name: str, threads: int, seconds: float, error: bool) -> dict[str, Any]:
    """One row of the table."""
    proto = model(name)
    arrays = inputs(proto)
    begun = cpu()
    network = im.from_onnx(proto)
    plan = im.plan_network(network, threads=threads)
    ours = im.CompiledNetwork(plan)
    planning = cpu() - begun
    session = onnxruntime_session(proto.SerializeToString(), threads)
    names = [o.name for o in session.get_outputs()]
    got, wanted = ours(**arrays), dict(zip(names, session.run(None, arrays), strict=True))
    row: dict[str, Any] = {
        "name": name, "threads": threads, "kernels": len(plan.network.kernels), "different": len(plan.plans),
        "planning": planning, "peak": plan.peak, "bound": plan.bound,
        "greedy": greedy(buffers(plan.network, [plan.plan_of(s) for s in plan.network.kernels], threads)),
        "apart": max(error_of(got[n], wanted[n]) for n in names),
    }  # fmt: skip
    if error:
        row |= dict(zip(("ours", "theirs"), errors(proto, arrays, threads), strict=True))
    taken = in_turns([lambda: ours(**arrays), lambda: session.run(None, arrays)], seconds, threads)
    row |= {
        "ms": [1e3 * min(t) for t in taken],
        "median": [1e3 * statistics.median(t) for t in taken],
        "turns": len(taken[0]),
    }
    return row


def shown(row: dict[str, Any]) -> str:
    """The row as a line."""
    (ours, theirs), medians = row["ms"], row["median"]
    text = (
        f"{row['name']:12s} {row['threads']} {row['kernels']:4d}/{row['different']:<3d} plan {row['planning']:5.1f} s  "
    )
    text += f"{ours:8.3f} ms, onnxruntime {theirs:8.3f}: {theirs / ours:.2f} "
    text += f"(medians {medians[1] / medians[0]:.2f}, {row['turns']} turns)  "
    peak, least, simple = (row[n] / 2**20 for n in ("peak", "bound", "greedy"))
    text += f"peak {peak:.2f} MiB, least {least:.2f}, greedy {simple:.2f}"
    if "ours" in row:
        text += f"  error {row['ours']:.1e}, onnxruntime {row['theirs']:.1e}"
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES, metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--error", action="store_true")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows = []
    for name in given.names:
        rows.append(measured(name, given.threads, given.seconds, given.error))
        print(shown(rows[-1]), flush=True)
        if given.json:
            given.json.write_text(json.dumps(rows, indent=1))
    ratios = [r["ms"][1] / r["ms"][0] for r in rows]
    print(f"geometric mean {statistics.geometric_mean(ratios):.2f}, least {min(ratios):.2f}")


if __name__ == "__main__":
    main()
