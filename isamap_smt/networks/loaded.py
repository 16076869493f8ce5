"""The library of a network compiled before, as a function on arrays: nothing is planned and nothing is proved anew.

Its record holds the digest of every file beside it at the time of the proof. Files changed since are refused.
"""

from __future__ import annotations

from collections.abc import Mapping as Dict
from pathlib import Path
from typing import Any

import numpy as np

from isamap_hardware.host import features as host_features
from isamap_smt.certificates.errors import DamagedError
from isamap_smt.certificates.sealed import MARK, read_seal
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.errors import HardwareError, IsamapError, NetworkError
from isamap_smt.networks.extents import OpenSize, read_shape
from isamap_smt.networks.running import About, Arrays, Running
from isamap_smt.networks.values import Signature, Value
from isamap_smt.records.record import digest
from isamap_smt.runtime.memory import lasting_empty


class LoadedNetwork:
    """`network(**inputs)` or `network(*inputs)` returns the outputs by name, as CompiledNetwork does; one call at a time."""

    def __init__(self, folder: Path, record: Dict[str, Any], weights: np.ndarray, threads: int | None = None) -> None:
        """Of a folder whose files match the record. Raises NetworkError, and HardwareError if this CPU lacks a feature."""
        self.folder, self.record = folder, record
        self.kept: str | None = None  # the day on which it was compiled, where compile_onnx() did that before
        prefix = str(record["prefix"])
        known = {str(n): OpenSize(str(n), int(most)) for n, most in record.get("open", {}).items()}
        values = [_value(v, known) for v in (*record["inputs"], *record["outputs"])]
        inputs, outputs = (tuple(v["name"] for v in record[kind]) for kind in ("inputs", "outputs"))
        self.network = Signature(str(record["network"]), {v.name: v for v in values}, inputs, outputs)
        if missing := sorted({*map(str, record["features"])} - host_features()):
            raise HardwareError(
                f"this CPU has no {', '.join(missing)}, which the library in {folder} needs; compile the model here"
            )
        wanted = int(record["threads"]) if threads is None else threads
        self._running = Running(
            self.network, prefix, folder / f"{prefix}.so", weights, int(record["arena"]["bytes"]), wanted
        )

    def __call__(self, *arrays: Any, **named: Any) -> dict[str, np.ndarray]:
        """The outputs. Raises ArgumentError for inputs of another name, type or shape, and NetworkError with the layer's name."""
        return self._running(self._running.given(arrays, named), self._refused)

    @property
    def about(self) -> About:
        """The facts in its record."""
        record, network = self.record, self.network
        claims = sum(int(k["claims"]) for k in record["kernels"]) + len(record["claims"])
        arena = record["arena"]
        return About(
            network.name, len(record["steps"]), len(record["kernels"]), claims, int(arena["bytes"]), int(arena["bound"]),
            {n: str(network.values[n]) for n in network.outputs}, kept=self.kept,
        )  # fmt: skip

    def _refused(self, code: int, text: str, node: str, arrays: Arrays) -> NetworkError:
        return NetworkError(text, node or str(self.network.name))

    def __repr__(self) -> str:
        return f"LoadedNetwork({self.network.name}, {self.folder})"


def load_network(folder: str | Path, *, threads: int | None = None) -> LoadedNetwork:
    """The output of `isamap compile MODEL.onnx -o FOLDER`, as a function.

    Raises NetworkError unless all files are as they were. threads: by default, and at most, the number it was compiled
    for.
    """
    path = Path(folder)
    try:
        record = read_seal(path)
        weights = np.empty(0, np.uint8)
        for name, wanted in record["files"].items():
            held = _read(path / name)
            if digest(held.data) != wanted:
                raise NetworkError(f"{path / name} has been changed since it was written; compile the model again")
            weights = held if name == f"{record['prefix']}_weights.bin" else weights
        return LoadedNetwork(path, record, weights, threads)
    except DamagedError as error:
        raise NetworkError(f"{path} holds no network that isamap compiled: {MARK}: {error}; compile it again") from None
    except IsamapError:
        raise
    except OSError as error:
        raise NetworkError(f"cannot read {path}: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise NetworkError(f"{path} holds no network that isamap compiled") from None


def _read(file: Path) -> np.ndarray:
    """Its bytes, at a place where they may stay."""
    held = lasting_empty(file.stat().st_size)
    with file.open("rb") as opened:
        if opened.readinto(held.data) != len(held):
            raise OSError(f"{file} was cut while it was read")
    return held


def _value(then: Dict[str, Any], sizes: Dict[str, OpenSize]) -> Value:
    return Value(str(then["name"]), dtype(then["dtype"]), read_shape(then["shape"], sizes))
