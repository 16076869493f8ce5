"""im.torch_op(kernel): a kernel as an operator of torch, called, traced, exported and refused."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install isamap-smt[torch]")

import isamap_smt as im  # noqa: E402
from isamap_smt.ir.errors import ArgumentError, DTypeError, SizeError  # noqa: E402

_numbers = count()
TWICE = "param N\nA: f32[N]\nB: f32[N]\nC: f32[N]\naxis i < N\nC[i] = A[i] + 2*B[i]"
BOTH = "param N\nA: i32[N,3]\nS: i32[N]\nM: i32[2*N]\naxis i < N\naxis j < 3\naxis m < 2*N\nS[i] += A[i,j]\nM[m] += A[0,j] + 0*m"


def fresh() -> str:
    """A name that no operator has."""
    return f"test_{next(_numbers)}"


def test_it_computes_the_kernel_for_all_sizes() -> None:
    op = im.torch_op(TWICE, name=fresh())
    for n in (1, 5, 64):
        a, b = torch.randn(n), torch.randn(n)
        torch.testing.assert_close(op(a, b), a + 2 * b)


def test_torch_finds_nothing_wrong_with_it() -> None:
    name = fresh()
    im.torch_op(TWICE, name=name)
    torch.library.opcheck(getattr(torch.ops.isamap, name).default, (torch.randn(8), torch.randn(8)))


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "isamap"])
def test_compiled_graphs_hold_it_whole(backend: str) -> None:
    op, (a, b) = im.torch_op(TWICE, name=fresh()), (torch.randn(16), torch.randn(16))

    def model(a: Any, b: Any) -> Any:
        return op(a.relu(), b).sum() + 1

    torch._dynamo.reset()
    with torch.no_grad():
        torch.testing.assert_close(torch.compile(model, backend=backend, fullgraph=True)(a, b), model(a, b))


def test_exported_models_hold_it() -> None:
    name = fresh()
    op = im.torch_op(TWICE, name=name)

    class Model(torch.nn.Module):
        def forward(self, a: Any) -> Any:
            return op(a, a.exp())

    a = torch.randn(6)
    exported = torch.export.export(Model(), (a,), dynamic_shapes=({0: torch.export.Dim("n", min=2, max=64)},))
    assert name in str(exported.graph)
    longer = torch.randn(9)
    torch.testing.assert_close(exported.module()(longer), longer + 2 * longer.exp())


def test_several_results() -> None:
    op, a = im.torch_op(BOTH, name=fresh()), torch.arange(12, dtype=torch.int32).reshape(4, 3)
    sums, repeated = op(a)
    assert sums.tolist() == [3, 12, 21, 30]
    assert repeated.tolist() == [3] * 8


def test_tensors_of_any_order_and_those_with_gradients() -> None:
    op = im.torch_op("A: f32[4,6]\nC: f32[4,6]\naxis i < 4\naxis j < 6\nC[i,j] = relu(A[i,j])", name=fresh())
    a = torch.randn(6, 4).T
    torch.testing.assert_close(op(a), a.relu())
    with torch.no_grad():
        torch.testing.assert_close(op(torch.nn.Parameter(a)), a.relu())


def test_bfloat16() -> None:
    op = im.torch_op("A: bf16[32]\nC: bf16[32]\naxis i < 32\nC[i] = bf16(f32(A[i]) * 3)", name=fresh())
    a = torch.randn(32).to(torch.bfloat16)
    torch.testing.assert_close(op(a), (a.float() * 3).to(torch.bfloat16))


def test_tensors_that_do_not_fit() -> None:
    name = fresh()
    op = im.torch_op(TWICE, name=name)
    with pytest.raises(SizeError, match="63"):
        op(torch.randn(64), torch.randn(63))
    with pytest.raises(DTypeError, match="B is f64"):
        op(torch.randn(64), torch.randn(64).double())
    with pytest.raises(ArgumentError, match=rf"{name}: .*sparse"):
        op(torch.randn(64).to_sparse(), torch.randn(64))
    with pytest.raises(Exception, match=r"63|s\d+ elements"):
        torch.compile(op, backend="eager")(torch.randn(64), torch.randn(63))


def test_names() -> None:
    name = fresh()
    im.torch_op(TWICE, name=name)
    with pytest.raises(ArgumentError, match="already; pass another name"):
        im.torch_op(TWICE, name=name)
    with pytest.raises(ArgumentError, match="no name of an operator"):
        im.torch_op(TWICE, name="a b")
    with pytest.raises(ArgumentError, match="compiled already"):
        im.torch_op(im.compile(im.kernel(TWICE), "host"), name=fresh(), effort=1)
