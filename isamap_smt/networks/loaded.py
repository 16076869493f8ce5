"""A library of a network that was compiled before, as a function on arrays: nothing is planned and nothing is proved anew.

Its record says what every file beside it was when all was proved. Files that have changed since are refused.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Mapping as Dict
from pathlib import Path
from typing import Any

import numpy as np

from isamap_smt.certificates.digests import digest
from isamap_smt.certificates.errors import DamagedError
from isamap_smt.certificates.sealed import MARK, read_seal
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.errors import HardwareError, IsamapError, NetworkError
from isamap_smt.language.hardware_library import host_features
from isamap_smt.networks.graph import Network, Value
from isamap_smt.networks.interpret import as_given, checked_inputs
from isamap_smt.runtime.memory import lasting_empty


class LoadedNetwork:
    """`network(**inputs)` or `network(*inputs)` returns the outputs by name, as CompiledNetwork does; one call at a time."""

    def __init__(self, folder: Path, record: Dict[str, Any]) -> None:
        """Of a folder whose files are as the record says. Raises NetworkError, and HardwareError where this CPU lacks a feature."""
        self.folder, self.record = folder, record
        self._prefix = str(record["prefix"])
        values = [_value(v) for v in (*record["inputs"], *record["outputs"])]
        self._inputs = [v["name"] for v in record["inputs"]]
        self._outputs = [v["name"] for v in record["outputs"]]
        self.network = Network(
            str(record["network"]), {v.name: v for v in values}, tuple(self._inputs), tuple(self._outputs), {}, ()
        )
        if missing := sorted({*map(str, record["features"])} - host_features()):
            raise HardwareError(
                f"this CPU has no {', '.join(missing)}, which the library in {folder} needs; compile the model here"
            )
        try:
            self._code = ctypes.CDLL(str(folder / f"{self._prefix}.so"))
            self._run = getattr(self._code, f"{self._prefix}_run")
            self._text, self._node = (getattr(self._code, f"{self._prefix}_{n}") for n in ("text", "node"))
        except (OSError, AttributeError) as error:
            raise NetworkError(f"cannot load {folder / self._prefix}.so: {error}") from None
        self._run.argtypes, self._run.restype = [ctypes.c_void_p] * 4, ctypes.c_int
        for told in (self._text, self._node):
            told.argtypes, told.restype = [ctypes.c_int], ctypes.c_char_p
        self._weights = lasting_empty((folder / f"{self._prefix}_weights.bin").stat().st_size)
        self._weights[:] = np.fromfile(folder / f"{self._prefix}_weights.bin", np.uint8)
        self._arena = lasting_empty(max(1, int(record["arena"]["bytes"])))
        self._lock = threading.Lock()

    def __call__(self, *arrays: Any, **named: Any) -> dict[str, np.ndarray]:
        """The outputs. Raises ArgumentError for inputs of another name, type or shape, and NetworkError with the layer's name."""
        given = checked_inputs(self.network, dict(zip(self._inputs, arrays, strict=False)) | named)
        made = {n: np.empty(self.network.values[n].shape, self.network.values[n].dtype.numpy) for n in self._outputs}
        taken, results = (_addresses(list(a.values())) for a in (given, made))
        with self._lock:
            code = self._run(taken, results, self._arena.ctypes.data, self._weights.ctypes.data)
        if code:
            where = self._node(code).decode()
            raise NetworkError(self._text(code).decode(), where or str(self.network.name))
        return {n: as_given(self.network, n, a) for n, a in made.items()}

    def __repr__(self) -> str:
        return f"LoadedNetwork({self.network.name}, {self.folder})"


def load_network(folder: str | Path) -> LoadedNetwork:
    """What `isamap compile MODEL.onnx -o FOLDER` wrote, as a function. Raises NetworkError unless all files are as they were."""
    path = Path(folder)
    try:
        record = read_seal(path)
        for name, wanted in record["files"].items():
            if digest((path / name).read_bytes()) != wanted:
                raise NetworkError(f"{path / name} has been changed since it was written; compile the model again")
        return LoadedNetwork(path, record)
    except DamagedError as error:
        raise NetworkError(f"{path} holds no network that isamap compiled: {MARK}: {error}") from None
    except IsamapError:
        raise
    except OSError as error:
        raise NetworkError(f"cannot read {path}: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise NetworkError(f"{path} holds no network that isamap compiled") from None


def _addresses(arrays: list[np.ndarray]) -> Any:
    return (ctypes.c_void_p * max(1, len(arrays)))(*(a.ctypes.data for a in arrays))


def _value(told: Dict[str, Any]) -> Value:
    return Value(str(told["name"]), dtype(told["dtype"]), tuple(map(int, told["shape"])), bool(told["truth"]))
