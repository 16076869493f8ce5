"""Tensors of torch as arrays of NumPy, and back: of the CPU, in the same memory wherever it lies row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.ir.errors import UncomputedError

_TORCH = {
    "f64": torch.float64, "f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "i64": torch.int64,
    "i32": torch.int32, "i16": torch.int16, "i8": torch.int8, "u64": torch.uint64, "u32": torch.uint32,
    "u16": torch.uint16, "u8": torch.uint8, "bool": torch.bool,
}  # fmt: skip
_NAMES = {t: n for n, t in _TORCH.items()}


def type_of(of: torch.dtype) -> DType:
    """The element type. Raises UncomputedError for one unknown to kernels."""
    if of not in _NAMES:
        raise UncomputedError(f"elements of {of} are not computed with")
    return DTYPES[_NAMES[of]]


def torch_type(of: DType) -> torch.dtype:
    """The same in torch."""
    return _TORCH[of.name]


def array_of(tensor: torch.Tensor) -> np.ndarray:
    """The elements of a tensor of the CPU, row by row."""
    if tensor.requires_grad:
        tensor = tensor.detach()
    if not tensor.is_contiguous():
        tensor = tensor.contiguous()
    if tensor.dtype == torch.bfloat16:
        held = tensor.view(torch.int16).numpy()
        return held.view(DTYPES["bf16"].numpy)
    return tensor.numpy()


def tensor_of(array: np.ndarray) -> torch.Tensor:
    """The opposite, in the array's memory."""
    if array.dtype == DTYPES["bf16"].numpy:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def plain(tensor: Any) -> str:
    """The reason why kernels cannot read an object's elements as a tensor's; empty if they can."""
    if not isinstance(tensor, torch.Tensor):
        return f"a {type(tensor).__name__} is no tensor"
    if tensor.device.type != "cpu":
        return f"it is on the device {tensor.device}, and kernels run on the CPU"
    if tensor.layout != torch.strided:
        return f"its layout is {tensor.layout}"
    if tensor.is_quantized or tensor.dtype not in _NAMES:
        return f"its elements are {tensor.dtype}"
    return ""
