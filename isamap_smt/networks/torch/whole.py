"""Layers of recurrent networks, as operators that torch traces whole.

Behind torch.compile, ATen's own ones come apart into an operator for each product of each time step. A graph without
gradients holds these instead, which have their names, schemas and results, and no gradient.
"""

from __future__ import annotations

from typing import Any

import torch

SPACE = "isamap_whole"  # torch.ops.isamap_whole
_library = torch.library.Library(SPACE, "DEF")
_OPS = {getattr(torch, name): name for name in ("lstm", "gru", "rnn_tanh", "rnn_relu")}


def _fake(several: bool) -> Any:
    def shaped(
        input: Any, hx: Any, params: Any, has_biases: bool, num_layers: int, dropout: float, train: bool,
        bidirectional: bool, batch_first: bool,
    ) -> tuple[Any, ...]:  # fmt: skip
        starts = hx if several else [hx]
        width = starts[0].shape[2] * (2 if bidirectional else 1)
        return input.new_empty((*input.shape[:2], width)), *(torch.empty_like(s) for s in starts)

    return shaped


def _defined() -> None:
    for name in _OPS.values():
        op = getattr(torch.ops.aten, name).input
        text = str(op._schema).partition("::")[2]
        _library.define(text)
        _library.impl(f"{name}.input", op, "CompositeExplicitAutograd")
        torch.library.register_fake(f"{SPACE}::{name}.input", _fake(name == "lstm"), lib=_library)


_defined()


def keep_whole(traced: torch.fx.GraphModule) -> None:
    """Put these operators into a graph for calls of torch.lstm, torch.gru and their like; those of packed sequences stay."""
    found = [n for n in traced.graph.nodes if n.op == "call_function" and n.target in _OPS and _padded(n)]
    for node in found:
        node.target = getattr(getattr(torch.ops, SPACE), _OPS[node.target]).input
    if found:
        traced.recompile()


def _padded(node: torch.fx.Node) -> bool:
    """Whether the call is that of `input`, and not of `data`, a packed sequence: its third argument lists parameters."""
    return len(node.args) == 9 and isinstance(node.args[2], list | tuple)
