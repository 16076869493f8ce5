"""Networks in bytes beside onnxruntime: `python -m benchmarks.quantised_networks [NAME ...] [--threads 1] [--activations u8]`.

onnxruntime's static quantisation makes them of models with seeded weights, from two seeded inputs, as QuantizeLinear and
DequantizeLinear around each operator. Calls take turns; the best of each counts.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import onnx

import isamap_smt as im
from benchmarks.network_models import inputs, model
from benchmarks.networks import cpu, in_turns
from isamap_smt.networks.against import onnxruntime_session

NAMES = ("mobilenetv2", "resnet50v15", "bert")


def quantised(proto: Any, activations: str) -> Any:
    """The model in bytes, weights signed, by onnxruntime's own quantiser."""
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
    from onnxruntime.quantization.shape_inference import quant_pre_process

    class Seeded(CalibrationDataReader):  # type: ignore[misc]
        def __init__(self) -> None:
            self.left = iter([inputs(proto, seed) for seed in (0, 1)])

        def get_next(self) -> Any:
            return next(self.left, None)

    kind = {"u8": QuantType.QUInt8, "i8": QuantType.QInt8}[activations]
    with tempfile.TemporaryDirectory() as folder:
        plain, prepared, made = (str(Path(folder) / f"{n}.onnx") for n in ("plain", "prepared", "made"))
        onnx.save(proto, plain)
        quant_pre_process(plain, prepared, skip_symbolic_shape=True)
        quantize_static(
            prepared, made, Seeded(), quant_format=QuantFormat.QDQ, activation_type=kind, weight_type=QuantType.QInt8
        )
        return onnx.load(made)


def main() -> None:
    """Measure the networks that are named, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quantised_networks", description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--activations", choices=("u8", "i8"), default="u8")
    parser.add_argument("--seconds", type=float, default=8.0, help="of each network")
    asked = parser.parse_args()
    ratios = []
    for name in asked.names:
        proto = quantised(model(name), asked.activations)
        begin = cpu()
        run = im.compile_network(im.from_onnx(proto), threads=asked.threads)
        planning = cpu() - begin
        session = onnxruntime_session(proto.SerializeToString(), asked.threads)
        given = inputs(proto)
        names = [o.name for o in session.get_outputs()]
        theirs, ours = dict(zip(names, session.run(names, given), strict=True)), run(**given)
        off = max(float(np.abs(ours[n] - theirs[n]).max() / np.abs(theirs[n]).max()) for n in names)
        calls = [lambda r=run, g=given: r(**g), lambda s=session, g=given, n=names: s.run(n, g)]
        best = [min(t) for t in in_turns(calls, asked.seconds, asked.threads)]
        ratios.append(best[1] / best[0])
        print(
            f"{name:14} {asked.activations} planned in {planning:.0f} CPU s; isamap {best[0] * 1e3:.2f} ms, "
            f"onnxruntime {best[1] * 1e3:.2f} ms: {ratios[-1]:.2f}; largest difference {off:.1e}",
            flush=True,
        )
    print(f"geometric mean {np.exp(np.mean(np.log(ratios))):.2f}, {asked.threads} threads, {time.strftime('%Y-%m-%d')}")


if __name__ == "__main__":
    main()
