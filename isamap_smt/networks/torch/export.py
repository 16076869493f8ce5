"""A model of torch as a Network, by torch.export."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.export.graph_signature import InputKind, OutputKind
from torch.fx.experimental.symbolic_shapes import is_symbolic

from isamap_smt.ir.errors import NetworkError
from isamap_smt.networks.extents import named_sizes
from isamap_smt.networks.graph import Network
from isamap_smt.networks.torch.backend import kept_whole
from isamap_smt.networks.torch.importer import network_of


def from_torch(
    model: Any, inputs: Sequence[Any] = (), *, dynamic_shapes: Any = None, name: str | None = None
) -> Network:
    """The network of a torch.nn.Module as it is called with these tensors, or of a torch.export.ExportedProgram.

    dynamic_shapes: the open dimensions, as torch.export.export() takes them, each with its largest size:
    `{"x": {0: torch.export.Dim("batch", max=8)}}`. Weights are constants. Results are called result_0, result_1 and so
    on.
    An operator without a kernel is a foreign step, computed by torch without proof.

    Raises NetworkError for a model that no network holds: it changes its buffers, has a size without a largest one, or
    other types.
    """
    program = model
    if not isinstance(model, torch.export.ExportedProgram):
        with torch.no_grad():
            program = torch.export.export(model, tuple(inputs), dynamic_shapes=dynamic_shapes)
    with torch.no_grad():
        program = program.run_decompositions(kept_whole())
    told = program.graph_signature
    for out in told.output_specs:
        if out.kind != OutputKind.USER_OUTPUT:
            raise NetworkError(
                f"the model changes {out.target}, and networks keep nothing between calls; call its eval() first"
            )
    constants = {}
    for given in told.input_specs:
        if given.kind in (InputKind.PARAMETER, InputKind.BUFFER):
            held = program.state_dict.get(given.target)
            constants[given.arg.name] = program.constants[given.target] if held is None else held
        elif given.kind == InputKind.CONSTANT_TENSOR:
            constants[given.arg.name] = program.constants[given.target]
        elif given.kind != InputKind.USER_INPUT:
            raise NetworkError(f"{given.arg.name}: an input of the kind {given.kind.name} is not read")
    title = name or type(model).__name__
    return network_of(program.graph, constants, named_sizes(_largest(program)), title)[0]


def _largest(program: Any) -> dict[str, int]:
    """The largest value of each size left open by an input. Raises NetworkError for one without."""
    most = {}
    for node in program.graph.nodes:
        value = node.meta.get("val") if node.op == "placeholder" else None
        for size in value.shape if isinstance(value, torch.Tensor) else ():
            for symbol in size.node.expr.free_symbols if isinstance(size, torch.SymInt) and is_symbolic(size) else ():
                end = program.range_constraints[symbol].upper
                if not end.is_Integer or end > 1 << 24:
                    raise NetworkError(
                        f"a dimension of {node.name} has no largest size; give it: torch.export.Dim('name', max=8)"
                    )
                most[str(symbol)] = int(end)
    return most
