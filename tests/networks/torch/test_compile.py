"""torch.compile(model, backend="isamap"): whole models, beside torch as it computes them without a compiler."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install isamap-smt[torch]")

from torch import nn  # noqa: E402

from isamap_smt.networks.torch.backend import LOG, MOST_SIZES, Compiled  # noqa: E402


@pytest.fixture(autouse=True)
def _anew() -> Iterator[None]:
    """No graph of another test is known, weights are seeded, and nothing asks for gradients."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    with torch.no_grad():
        yield


def compiled(model: Any, **options: Any) -> Any:
    return torch.compile(model, backend="isamap", options=options)


def assert_same(model: Any, *xs: Any, strict: bool = True, **options: Any) -> Any:
    """The compiled model gives what the model does, twice; nothing is left to torch where it is strict."""
    meant, run = model(*xs), compiled(model, strict=strict, **options)
    for _ in range(2):
        torch.testing.assert_close(run(*xs), meant, rtol=2e-5, atol=2e-5)
    return run


class Attention(nn.Module):
    """Self-attention with its projections."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x: Any) -> Any:
        b, t, w = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4)
        made = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(made.transpose(1, 2).reshape(b, t, w))


MODELS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "mlp": (lambda: nn.Sequential(nn.Linear(24, 40), nn.GELU(), nn.LayerNorm(40), nn.Linear(40, 8), nn.Softmax(-1)), (6, 24)),
    "image": (lambda: nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, groups=4),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 5),
    ), (2, 3, 16, 16)),
    "encoder": (lambda: nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), (2, 7, 16)),
    "attention": (lambda: Attention(16, 2), (2, 7, 16)),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_a_model(name: str) -> None:
    make, shape = MODELS[name]
    assert_same(make().eval(), torch.randn(*shape))


def test_an_operator_that_no_kernel_computes_is_named(caplog: pytest.LogCaptureFixture) -> None:
    def model(x: Any) -> Any:
        return (x * 2).sort(1)[0] + 1

    x = torch.randn(3, 8)
    with caplog.at_level(logging.INFO, LOG.name):
        assert_same(model, x, strict=False)
    assert any("aten.sort" in m and "torch" in m for m in caplog.messages)
    torch._dynamo.reset()
    with pytest.raises(Exception, match=r"left to torch: sort.*aten\.sort"):
        compiled(model, strict=True)(x)


def test_a_graph_that_no_network_holds_is_torchs_own() -> None:
    def model(x: Any) -> Any:
        return torch.view_as_real(torch.complex(x, x))

    x = torch.randn(3, 8)
    with pytest.warns(UserWarning, match=r"left to torch: .*complex64"):
        found = compiled(model)(x)
    torch.testing.assert_close(found, model(x))


def test_training_is_torchs_own() -> None:
    model, x = nn.Linear(8, 4), torch.randn(3, 8)
    with torch.enable_grad(), pytest.warns(UserWarning, match=r"no_grad"):
        run = compiled(model)
        run(x).sum().backward()
    weight = model.weight.grad
    assert weight is not None
    torch.testing.assert_close(weight, x.sum(0).expand(4, 8))


def test_weights_that_change_are_seen() -> None:
    model, x = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.BatchNorm1d(8)).eval(), torch.randn(3, 8)
    run = assert_same(model, x)
    model[0].weight.mul_(2)
    torch.testing.assert_close(run(x), model(x))
    model.load_state_dict({n: v + 1 for n, v in model.state_dict().items()})
    torch.testing.assert_close(run(x), model(x), rtol=2e-5, atol=2e-5)
    model[0].weight.data = torch.randn(8, 8)
    torch.testing.assert_close(run(x), model(x), rtol=2e-5, atol=2e-5)


def test_buffers_that_each_call_writes_are_no_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    model, theirs = nn.BatchNorm1d(4), nn.BatchNorm1d(4)
    run, graphs, made = compiled(model), [], Compiled._compiled
    monkeypatch.setattr(Compiled, "_compiled", lambda self, *a: graphs.append(a) or made(self, *a))
    for _ in range(3):
        x = torch.randn(6, 4)
        torch.testing.assert_close(run(x), theirs(x), rtol=2e-5, atol=2e-5)
        torch.testing.assert_close(model.running_var, theirs.running_var)
    assert len(graphs) == 1


def test_a_tensor_that_the_model_writes_is_written() -> None:
    def model(x: Any, y: Any) -> Any:
        x.mul_(2)
        y[:, 0] = x[:, 1]
        return x + y

    run = compiled(model, strict=False)
    x, y = torch.randn(4, 4), torch.randn(4, 4)
    mine, theirs = [x.clone(), y.clone()], [x.clone(), y.clone()]
    torch.testing.assert_close(run(*mine), model(*theirs))
    torch.testing.assert_close(mine, theirs)


def test_tensors_that_share_memory() -> None:
    def model(x: Any, y: Any) -> Any:
        x.add_(1)
        return x * y

    run = compiled(model, strict=False)
    run(torch.arange(8.0), torch.arange(8.0))  # traced as they are apart
    for n in (4, 0, 2, 0):
        mine, theirs = torch.arange(12.0), torch.arange(12.0)
        torch.testing.assert_close(run(mine[:8], mine[n : n + 8]), model(theirs[:8], theirs[n : n + 8]))
        torch.testing.assert_close(mine, theirs)


def test_results_that_are_inputs_and_constants() -> None:
    weight = nn.Parameter(torch.randn(4))

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = weight

        def forward(self, x: Any) -> Any:
            return x, x.view(2, 2), self.weight, x + self.weight, 3, x.shape[0]

    model, x = Model(), torch.randn(4)
    found, meant = compiled(model)(x), model(x)
    torch.testing.assert_close(found[:4], meant[:4])
    assert found[4:] == meant[4:]
    assert found[0].data_ptr() == x.data_ptr()
    assert found[1].data_ptr() == x.data_ptr()


@pytest.mark.parametrize("lie", ["channels_last", "transposed", "part"])
def test_tensors_that_do_not_lie_row_by_row(lie: str) -> None:
    x = torch.randn(2, 4, 6, 6)
    x = {
        "channels_last": x.to(memory_format=torch.channels_last),
        "transposed": x.transpose(2, 3),
        "part": x[:, :, ::2],
    }[lie]
    model = nn.Sequential(nn.Conv2d(4, 8, 3, padding=1), nn.ReLU()).eval()
    run = assert_same(model, x)
    assert run(x).stride() == model(x).stride()


@pytest.mark.parametrize("of", [torch.float64, torch.bfloat16, torch.float16, torch.int32])
def test_types(of: Any) -> None:
    x = (torch.randn(6, 8) * 4).to(of)
    torch.testing.assert_close(compiled(lambda x: (x * 3 + x).relu(), strict=True)(x), (x * 3 + x).relu())


def test_a_batch_with_a_largest_size_is_compiled_once() -> None:
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).eval()
    run, graphs = compiled(model, strict=True), []
    made = Compiled._compiled
    for n in (3, 5, 2, 8):
        x = torch.randn(n, 8)
        torch._dynamo.mark_dynamic(x, 0, min=2, max=8)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Compiled, "_compiled", lambda self, *a: graphs.append(a) or made(self, *a))
            torch.testing.assert_close(run(x), model(x), rtol=2e-5, atol=2e-5)
    assert len(graphs) == 1


def test_open_results_in_an_order_of_torchs_and_numbers() -> None:
    def model(x: Any) -> Any:
        return x.relu().transpose(0, 1), x.shape[0] * 2, x.sum()

    run = compiled(model, strict=True)
    for n in (3, 6):
        x = torch.randn(n, 5)
        torch._dynamo.mark_dynamic(x, 0, min=2, max=8)
        (made, twice, total), meant = run(x), model(x)
        torch.testing.assert_close((made, total), (meant[0], meant[2]))
        assert made.stride() == meant[0].stride()
        assert twice == 2 * n


def test_sizes_without_a_largest_one_are_compiled_apart() -> None:
    run = torch.compile(lambda x: x.relu() * 2, backend="isamap", dynamic=True)
    for n in range(3, 3 + MOST_SIZES):
        x = torch.randn(n, 4)
        torch.testing.assert_close(run(x), x.relu() * 2)
    with pytest.warns(UserWarning, match="mark_dynamic"):
        x = torch.randn(50, 4)
        torch.testing.assert_close(run(x), x.relu() * 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = torch.randn(51, 4)  # it has been said
        torch.testing.assert_close(run(x), x.relu() * 2)


def test_random_numbers_stay_torchs() -> None:
    run, x = compiled(lambda x: nn.functional.dropout(x + 1, 0.5) * 2), torch.ones(64, 64)
    torch.manual_seed(3)
    first = run(x)
    second = run(x)
    assert {*first.unique().tolist()} == {0.0, 8.0}
    assert not torch.equal(first, second)


def test_within_inference_mode() -> None:
    model, x = nn.Linear(8, 4).eval(), torch.randn(3, 8)
    with torch.inference_mode():
        torch.testing.assert_close(compiled(model)(x), model(x))
        made = nn.Linear(8, 4)  # torch counts no changes of its weights
        run = compiled(made)
        torch.testing.assert_close(run(x), made(x))
        made.weight.mul_(3)
        torch.testing.assert_close(run(x), made(x))


def test_a_wrong_option_is_named() -> None:
    with pytest.raises(Exception, match=r"no option 'thread'.*threads"):
        compiled(nn.Linear(8, 4), thread=2)(torch.randn(3, 8))
