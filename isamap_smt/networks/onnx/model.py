"""An ONNX file as the parts for an importer: nothing outside of the model's own folder is opened, and nothing is run."""

from __future__ import annotations

import math
from collections.abc import Iterator
from collections.abc import Mapping as Dict
from pathlib import Path
from typing import Any

import numpy as np

import isamap_kernels
from isamap_smt.ir.errors import NetworkError

MOST_BYTES = 1 << 34  # of one tensor


def load(model: Any) -> tuple[Any, Path | None]:
    """The ModelProto, and the folder of its external data. Raises NetworkError."""
    onnx = library()
    if isinstance(model, onnx.ModelProto):
        return _spelled(model, "the model"), None
    if isinstance(model, bytes | bytearray | memoryview):
        return _parsed(onnx, bytes(model), "the model"), None
    path = file_of(model)
    try:
        return _parsed(onnx, path.read_bytes(), str(path)), path.parent
    except (OSError, ValueError) as error:  # no name of a file
        raise NetworkError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None


def file_of(model: Any) -> Path:
    """The file of a path, or of a bundled network's name."""
    known = isamap_kernels.models()
    return known[model] if isinstance(model, str) and model in known else Path(model)


def external_files(data: bytes, folder: Path) -> list[Path]:
    """The files in a model's folder that its bytes name as places of data; none if they are no model."""
    if b"location" not in data:  # the key of each such entry
        return []
    try:
        proto = _parsed(library(), data, "the model")
    except NetworkError:
        return []
    found = {e.value for t in _tensors(proto.graph) for e in t.external_data if e.key == "location"}
    return sorted(folder / name for name in found)


def _tensors(graph: Any) -> Iterator[Any]:
    """Every tensor of a graph, and of those inside its nodes."""
    yield from graph.initializer
    for node in graph.node:
        for a in node.attribute:
            yield from (a.t, *a.tensors)
            for inner in (a.g, *a.graphs):
                if inner.node or inner.initializer:
                    yield from _tensors(inner)


def in_type(values: Any, of: np.dtype) -> np.ndarray:
    """The array as it is; numbers and lists of them in this type, if it has each.

    Floats are rounded to a floating-point one.
    """
    array = np.asarray(values)
    if isinstance(values, np.ndarray | np.generic) or array.dtype.kind not in "biuf":
        return array
    with np.errstate(all="ignore"):
        made = array.astype(of)
    rounded = array.dtype.kind == "f" and of.kind not in "biu"
    return made if rounded or np.array_equal(made, array) else array


def as_declared(model: bytes, constants: Dict[str, Any]) -> dict[str, np.ndarray]:
    """The constants a model was read with, in the types of its inputs."""
    proto, _ = load(model)
    types = {i.name: i.type.tensor_type.elem_type for i in proto.graph.input}
    return {n: in_type(v, library().helper.tensor_dtype_to_np_dtype(types[n])) for n, v in constants.items()}


def library() -> Any:
    """The onnx package. Raises NetworkError if it is not installed."""
    try:
        import onnx
        import onnx.numpy_helper
    except ImportError:
        raise NetworkError("reading ONNX models needs the onnx package: pip install 'isamap-smt[onnx]'") from None
    return onnx


def _parsed(onnx: Any, data: bytes, name: str) -> Any:
    made = onnx.ModelProto()
    try:
        made.ParseFromString(data)
    except Exception:
        raise NetworkError(f"{name} is no ONNX model: its bytes are not those of a ModelProto") from None
    if not made.HasField("graph"):
        raise NetworkError(f"{name} is no ONNX model: it has no graph")
    return _spelled(made, name)


def _spelled(message: Any, name: str) -> Any:
    """The message. Raises NetworkError for a text that is no UTF-8: protobuf gives it as bytes."""
    for field, value in message.ListFields():
        parts = [value] if isinstance(value, str | bytes) or hasattr(value, "ListFields") else value
        if field.type == field.TYPE_MESSAGE:
            for part in parts:
                _spelled(part, name)
        elif field.type == field.TYPE_STRING and any(isinstance(part, bytes) for part in parts):
            raise NetworkError(f"{name} is no ONNX model: the {field.name} of a {message.DESCRIPTOR.name} is no text")
    return message


def array_of(tensor: Any, folder: Path | None) -> np.ndarray:
    """A TensorProto as an array. Raises NetworkError for data not fitting its shape, or outside of the folder."""
    onnx = library()
    name, dims = tensor.name or "a tensor", list(tensor.dims)
    if any(d < 0 for d in dims):
        raise NetworkError(f"{name}: a dimension of {dims} is negative")
    try:
        of = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
    except (KeyError, TypeError):
        raise NetworkError(f"{name}: its element type {tensor.data_type} is unknown") from None
    if math.prod(dims) * max(1, np.dtype(of).itemsize) > MOST_BYTES:
        raise NetworkError(f"{name}: {dims} elements are more than {MOST_BYTES:,} bytes")
    if tensor.data_location == onnx.TensorProto.EXTERNAL:
        return _external(tensor, np.dtype(of), dims, folder)
    try:
        made = np.asarray(onnx.numpy_helper.to_array(tensor))
    except Exception as error:
        raise NetworkError(f"{name}: its data does not fit {dims}: {error}") from None
    if list(made.shape) != dims:
        raise NetworkError(f"{name}: its data does not fit {dims}")
    return made


def _external(tensor: Any, of: np.dtype[Any], dims: list[int], folder: Path | None) -> np.ndarray:
    told = {e.key: e.value for e in tensor.external_data}
    location, wanted = told.get("location", ""), math.prod(dims) * of.itemsize
    if folder is None:
        raise NetworkError(f"{tensor.name}: its data is in the file {location!r}; give the model's path, not its bytes")
    try:
        inside = folder.resolve()
        path = (inside / location).resolve()
        there = bool(location) and inside in path.parents and path.is_file()
    except (OSError, ValueError, RuntimeError):  # a name that no file can have, or links in a circle
        there = False
    if not there:
        raise NetworkError(f"{tensor.name}: its data is in {location!r}, which is no file in the model's folder")
    try:
        begin, length = int(told.get("offset", 0)), int(told.get("length", wanted))
    except ValueError:
        raise NetworkError(f"{tensor.name}: offset and length of its data are no whole numbers") from None
    if length != wanted or not 0 <= begin < 1 << 62:
        raise NetworkError(f"{tensor.name}: {dims} elements are {wanted} bytes, and its data has {length} at {begin}")
    try:
        if (size := path.stat().st_size) < begin + wanted:
            raise NetworkError(f"{tensor.name}: {location!r} ends after {max(0, size - begin)} of {wanted} bytes")
        with path.open("rb") as file:
            file.seek(begin)
            data = file.read(wanted)
    except OSError as error:
        raise NetworkError(f"{tensor.name}: cannot read {location!r}: {error.strerror or error}") from None
    if len(data) != wanted:
        raise NetworkError(f"{tensor.name}: {location!r} was cut while it was read")
    return np.frombuffer(data, of).reshape(dims)
