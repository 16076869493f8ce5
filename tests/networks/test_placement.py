"""Placement: each block has the owner that is fastest here, a wrong one is no candidate, and nothing that is placed goes unsaid."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isamap_smt as im
from isamap_encodings.owners import Handed, cheapest_owners
from isamap_smt.cli.app import run
from isamap_smt.ir.errors import ArgumentError, NetworkError
from isamap_smt.networks import foreign
from isamap_smt.networks.compiled import CompiledNetwork
from isamap_smt.networks.foreign import BACKENDS, Reader, evaluator
from isamap_smt.networks.onnx import rows
from isamap_smt.networks.onnx.by_numpy import NUMPY
from isamap_smt.networks.place import HOME, PLACED, ordered

HEADER = '<ir_version: 10, opset_import: ["": 20]>'
# NumPy has no row for Gelu; for the four largest our kernel compares each number with each
TOP = f"""{HEADER} top (float[4,4096] x) => (float[4,4] y, int64[4,4] at) <int64[1] k = {{4}}> {{
    g = Gelu(x) m = Mul(g, x) y, at = TopK(m, k) }}"""
SMALL = f"{HEADER} small (float[4,8] x) => (float[4,8] y) {{ e = Tanh(x) y = Softmax(e) }}"
X = np.random.default_rng(0).standard_normal((4, 4096)).astype(np.float32)
ROWS = np.random.default_rng(0).standard_normal((16, 4096)).astype(np.float32)


def placed(text: str, *backends: str, **options: Any) -> CompiledNetwork:
    made = im.compile_onnx(onnx.parser.parse_model(text), place=backends, **{"place_seconds": 0.5, **options})
    assert isinstance(made, CompiledNetwork)
    assert made.placement is not None
    return made


def owners(made: CompiledNetwork) -> dict[str, str]:
    """By each node."""
    assert made.placement is not None
    return {n: b.owner for b in made.placement.blocks for n in b.nodes}


@pytest.fixture
def backend() -> Iterator[Callable[..., None]]:
    """Registers a back end: NumPy's rows, but for some operators, and with its answers changed by a function."""
    names = []

    def made(name: str, change: Callable[[Any], Any] = lambda found: found, refuses: tuple[str, ...] = ()) -> None:
        def load(model: bytes) -> Any:
            kept = {n: r for n, r in NUMPY.rows.items() if n not in refuses}
            evaluate = rows.evaluate(rows.Library(name, kept, NUMPY.array_in, NUMPY.array_out), model)
            return lambda arrays: change(evaluate(arrays))

        BACKENDS[name] = load
        names.append(name)

    yield made
    for name in names:
        BACKENDS.pop(name)


@pytest.fixture
def oracle() -> Iterator[Callable[..., None]]:
    """Registers a back end that remembers its answers to all that it was ever asked, so that nobody is as fast."""

    def made(*refuses: str) -> None:
        kept = {n: r for n, r in NUMPY.rows.items() if n not in refuses}

        def load(model: bytes) -> Any:
            evaluate = rows.evaluate(rows.Library("oracle", kept, NUMPY.array_in, NUMPY.array_out), model)
            seen: list[tuple[dict[str, np.ndarray], dict[str, Any]]] = []

            def answer(arrays: dict[str, np.ndarray]) -> dict[str, Any]:
                corner = {n: a[:1].copy() for n, a in arrays.items()}
                for given_, answers in seen:
                    if all(np.array_equal(given_[n], a) for n, a in corner.items()):
                        return answers
                seen.append((corner, {n: np.array(a) for n, a in evaluate(arrays).items()}))
                return seen[-1][1]

            return Reader(answer)

        BACKENDS["oracle"] = load

    yield made
    BACKENDS.pop("oracle", None)


def test_a_block_goes_to_who_is_faster_and_is_named_as_not_proved() -> None:
    made = placed(TOP, "numpy")
    assert made.placement is not None
    assert owners(made) == {"Gelu_0": HOME, "Mul_1": HOME, "TopK_2": "numpy"}
    assert made.placement.kept == PLACED
    assert made.placement.status == "OPTIMAL"
    assert made.placement.price == made.placement.bound
    best = min(s for o, s in made.placement.seconds.items() if o != PLACED)
    assert made.placement.seconds[PLACED] < best
    assert [(s.node, s.backend) for s in made.network.foreign] == [("TopK_2", "numpy")]
    assert len(made.proof.assumptions) == 1
    assert str(made.proof.assumptions[0]).startswith("TopK_2 (TopK) by numpy is what the model means: placed: numpy ")
    assert "not proved: TopK_2 (TopK) by numpy: numpy " in str(made)
    other = np.random.default_rng(1).standard_normal(X.shape).astype(np.float32)
    for x in (X, other):
        got, wanted = made(x), im.compile_onnx(onnx.parser.parse_model(TOP))(x)
        assert np.array_equal(got["at"], wanted["at"])
        assert np.allclose(got["y"], wanted["y"])


def test_who_is_slower_gets_nothing(backend: Any) -> None:
    backend("slow", lambda found: (time.sleep(0.05), found)[1])
    made = placed(TOP, "slow", place_seconds=2)
    assert made.placement is not None
    assert made.placement.kept == HOME
    assert not made.network.foreign
    assert not made.placement.away
    assert not made.proof.assumptions
    (top,) = (b for b in made.placement.blocks if "TopK_2" in b.nodes)
    assert top.seconds["slow"] > 0.05 > top.seconds[HOME]


def _raises(_: Any) -> Any:
    raise RuntimeError("no luck")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda found: {n: a + 1 for n, a in found.items()}, "its at is another one than ours"),
        (lambda found: {**found, **({"y": found["y"] * 1.1} if "y" in found else {})}, "its y is off by 1.0e-01"),
        (lambda found: {n: a.astype(np.float64) for n, a in found.items()}, r"gives float64\[4, 4\] for y: f32"),
        (lambda found: {n: a[:2] for n, a in found.items()}, r"gives float32\[2, 4\] for y: f32"),
        (_raises, "the back end wrong fails: no luck"),
    ],
)
def test_a_wrong_answer_ends_a_candidacy(backend: Any, change: Any, told: str) -> None:
    backend("wrong", change)
    made = placed(TOP, "wrong")
    assert made.placement is not None
    assert made.placement.kept == HOME
    assert not made.network.foreign
    why = next(b.refused["wrong"] for b in made.placement.blocks if "TopK_2" in b.nodes)
    assert told.replace("\\", "") in why or (told.startswith("its at") and "its y is off" in why)
    assert "wrong" not in made.placement.seconds
    assert "no candidate: wrong for" in str(made.placement)


def test_blocks_that_follow_each_other_are_one_step(oracle: Any) -> None:
    oracle("Tanh")
    text = f"""{HEADER} chain (float[16,4096] x) => (float[16,4] y) <int64[1] k = {{8}}, int64[1] few = {{4}}> {{
        t = Tanh(x) a, b = TopK(t, k) y, c = TopK(a, few) }}"""
    made = placed(text, "oracle")
    assert owners(made) == {"Tanh_0": HOME, "TopK_1": "oracle", "TopK_2": "oracle"}
    assert [s.node for s in made.network.foreign] == ["TopK_1, TopK_2"]
    wanted = -np.sort(-np.tanh(ROWS))[:, :4]
    assert np.allclose(made(ROWS)["y"], wanted, rtol=1e-5)


def test_a_step_does_not_wait_for_itself(oracle: Any) -> None:
    """The first and the last node are the oracle's, and what is ours lies between them, so they are two steps."""
    oracle("Tanh")
    text = f"""{HEADER} around (float[16,4096] x) => (float[16,4] y) <int64[1] k = {{8}}, int64[1] few = {{4}}> {{
        a, b = TopK(x, k) t = Tanh(a) m = Concat<axis = 1>(a, t) y, c = TopK(m, few) }}"""
    made = placed(text, "oracle")
    assert owners(made)["TopK_0"] == "oracle"
    assert "TopK_0" in [s.node for s in made.network.foreign]
    top = -np.sort(-ROWS)[:, :8]
    wanted = -np.sort(-np.concatenate([top, np.tanh(top)], axis=1))[:, :4]
    assert np.allclose(made(ROWS)["y"], wanted, rtol=1e-5)


def test_one_back_end_alone_is_kept_where_it_is_fastest(oracle: Any) -> None:
    oracle()
    text = TOP.replace("Gelu", "Tanh")
    made = placed(text, "oracle")
    assert made.placement is not None
    assert made.placement.kept == "oracle as a step"
    assert [s.backend for s in made.network.foreign] == ["oracle"]
    assert not made.network.kernels
    assert np.array_equal(made(X)["at"], im.compile_onnx(onnx.parser.parse_model(text))(X)["at"])
    assert {n for b in made.placement.away for n in b.nodes} == {*owners(made)}


def test_what_no_kernel_computes_is_placed_in_any_case() -> None:
    text = f"{HEADER} n (float[6] x) => (int64[1,4] y, float[6] z) {{ z = Relu(x) y = NonZero(x) }}"
    x = np.float32([0, 1, 2, 0, -3, 4])
    made = placed(text, "numpy", sample={"x": x})
    assert made.placement is not None
    assert owners(made)["NonZero_1"] == "numpy"
    assert HOME not in made.placement.seconds
    assert made(x)["y"].tolist() == [[1, 2, 4, 5]]
    assert "no candidate: isamap for NonZero_1: no kernel computes the operator NonZero" in str(made)
    with pytest.raises(NetworkError, match=r"NonZero_1: the back end numpy gives int64\[1, 6\]"):
        placed(text, "numpy", sample={"x": np.ones(6, np.float32)})


@pytest.mark.skipif(
    not all(map(find_spec, ("onnxruntime", "torch"))), reason="onnxruntime and torch are not both installed"
)
def test_each_wins_somewhere() -> None:
    """Owners that others are behind by a factor of two and more."""
    from benchmarks.placement import BACKENDS as ASKED
    from benchmarks.placement import FRAMES, LENGTH, model

    proto = model()
    made = im.compile_onnx(proto, place=ASKED, place_seconds=2)
    assert isinstance(made, CompiledNetwork) and made.placement is not None
    assert made.placement.kept == PLACED
    assert made.placement.seconds[PLACED] < min(s for o, s in made.placement.seconds.items() if o != PLACED)
    found = owners(made)
    assert (found["DFT_6"], found["TopK_12"]) == ("torch", "onnxruntime")
    assert found["NonZero_15"] == "numpy"
    assert found["Tanh_0"] == HOME
    signal = np.random.default_rng(3).standard_normal((FRAMES, LENGTH)).astype(np.float32)
    wanted = evaluator("onnxruntime", proto.SerializeToString(), "whole")({"signal": signal})
    got = made(signal)
    assert np.array_equal(got["places"], wanted["places"])
    assert np.allclose(got["classes"], wanted["classes"], rtol=1e-3, atol=1e-5)


def test_sizes_stay_open() -> None:
    text = f"""{HEADER} open (float[rows,4096] x) => (float[rows,4] y) <int64[1] k = {{4}}> {{
        e = Tanh(x) y, at = TopK(e, k) }}"""
    made = placed(text, "numpy", most={"rows": 16})
    assert owners(made)["TopK_1"] == "numpy"
    for rows_ in (16, 3):
        got = made(ROWS[:rows_])["y"]
        assert np.allclose(got, -np.sort(-np.tanh(ROWS[:rows_]))[:, :4], rtol=1e-5)


def test_it_is_off_unless_asked_for_and_not_kept() -> None:
    plain = im.compile_onnx(onnx.parser.parse_model(SMALL))
    assert getattr(plain, "placement", None) is None
    first, second = placed(SMALL, "numpy"), placed(SMALL, "numpy")
    assert first.about.kept is None and second.about.kept is None


def test_constants_alone_need_nobody() -> None:
    made = placed(f"{HEADER} c (float[2] x) => (float[2] y) <float[2] w = {{1.0, 2.0}}> {{ y = Exp(w) }}", "numpy")
    assert made.placement is not None and not made.placement.blocks
    assert np.allclose(made(np.zeros(2, np.float32))["y"], np.exp([1, 2]))


def test_time_that_is_over_is_said() -> None:
    made = placed(TOP, "numpy", place_seconds=1e-4)
    assert made.placement is not None
    assert "no candidate: numpy for" in str(made.placement)
    assert "not measured within 0.0001 seconds" in str(made.placement)


def test_what_says_nothing_is_refused(monkeypatch: Any) -> None:
    model = onnx.parser.parse_model(SMALL)
    with pytest.raises(NetworkError, match="there is no back end 'numpi'; did you mean numpy"):
        im.compile_onnx(model, place=["numpi"])
    with pytest.raises(ArgumentError, match="place: name back ends, such as numpy, onnxruntime, reference, torch"):
        im.compile_onnx(model, place=[])
    with pytest.raises(ArgumentError, match="place: isamap is our own kernels, which are candidates in any case"):
        im.compile_onnx(model, place=["isamap"])
    with pytest.raises(ArgumentError, match=r"foreign and place: .* give place alone"):
        im.compile_onnx(model, place=["numpy"], foreign="reference")
    with pytest.raises(ArgumentError, match=r"sample is of place=\[...\], which is not given"):
        im.compile_onnx(model, sample={})
    with pytest.raises(ArgumentError, match="placing measures for 0 seconds, and needs more than 0"):
        im.compile_onnx(model, place=["numpy"], place_seconds=0)
    with pytest.raises(ArgumentError, match="the input x is missing"):
        im.compile_onnx(model, place=["numpy"], sample={})
    monkeypatch.setattr(foreign, "find_spec", lambda _: None)
    with pytest.raises(NetworkError, match="the back end torch is not installed: pip install torch"):
        im.compile_onnx(model, place=["numpy", "torch"])


def test_the_command_line_says_it(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "top.onnx"
    onnx.save(onnx.parser.parse_model(TOP.replace("4096", "1024")), file)  # the interpreter compares a 16th as often
    asked = [
        "run",
        str(file),
        "--place",
        "numpy",
        "--place-seconds",
        "0.5",
        "--seconds",
        "0",
        "--against",
        "interpreter",
    ]
    assert run([*asked, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["placement"]["kept"] == PLACED
    assert [b["nodes"] for b in told["placement"]["away"]] == [["TopK_2"]]
    assert told["foreign"][0]["by"] == "numpy"
    assert run(asked) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "placed kept placed of placed" in out
    assert "placed not proved: TopK_2 (TopK) by numpy:" in out
    assert run([*asked, "--foreign", "reference"]) != 0
    assert "give --place alone" in " ".join(capsys.readouterr().err.split())
    assert run(["run", "gemm", "avx2", "--place", "numpy"]) != 0
    assert "--place is of a model" in capsys.readouterr().err
    assert run(["run", str(file), "--place-seconds", "1"]) != 0
    assert "--place-seconds is of --place" in capsys.readouterr().err


def _price(
    chosen: dict[str, str], work: dict[str, dict[str, int]], values: list[Handed], calls: dict[str, int], away: int
) -> int:
    """What owners cost, said a second time and in other words."""
    price = sum(work[b][o] for b, o in chosen.items()) + (away if {*chosen.values()} - {"we"} else 0)
    for block, owner in chosen.items():
        before = {v.writer for v in values if v.writer is not None and block in v.readers}
        price += 0 if any(chosen[p] == owner for p in before) else calls.get(owner, 0)
    for v in values:
        writer = None if v.writer is None else chosen[v.writer]
        takers = {chosen[r] for r in v.readers} - {writer}
        if writer is not None and (takers or v.leaves):
            price += v.out.get(writer, 0)
        price += sum(v.into.get(o, 0) for o in takers)
    return price


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_choice_of_owners_is_cheaper(data: Any) -> None:
    """Beside all choices."""
    number = st.integers(0, 9)
    count = data.draw(st.integers(1, 4))
    blocks = [f"b{n}" for n in range(count)]
    who = ("we", "they", "others")
    work = {b: {o: data.draw(number) for o in data.draw(st.sets(st.sampled_from(who), min_size=1))} for b in blocks}
    values = []
    for n in range(-1, count):
        later = blocks[n + 1 :]
        readers = tuple(sorted(data.draw(st.sets(st.sampled_from(later))))) if later else ()
        out, into = ({o: data.draw(number) for o in who[1:]} for _ in range(2))
        values.append(Handed(None if n < 0 else blocks[n], readers, data.draw(st.booleans()), out, into))
    calls, away = {o: data.draw(number) for o in who[1:]}, data.draw(number)
    found = cheapest_owners(work, values, calls, "we", away)
    every = (dict(zip(blocks, row, strict=True)) for row in itertools.product(*[work[b] for b in blocks]))
    assert found.status == "OPTIMAL"
    assert _price(dict(found.owners), work, values, calls, away) == found.price
    assert found.price == min(_price(chosen, work, values, calls, away) for chosen in every)


def test_an_order_follows_what_is_read() -> None:
    assert ordered({0: 5, 1: 1, 2: 0}, {0: set(), 1: {0}, 2: {1}}) == [0, 1, 2]
    assert ordered({0: 0, 1: 1}, {0: {1}, 1: {0}}) is None


def test_what_a_back_end_writes_into_its_arguments_is_not_the_callers(backend: Callable[..., None]) -> None:
    written = []

    def spoiled(model: bytes) -> Any:
        evaluate = by_numpy(model)

        def call(arrays: Any) -> Any:
            found = {n: np.array(a) for n, a in evaluate(arrays).items()}
            for array in arrays.values():
                array[...] = 7
                written.append(array)
            return found

        return call

    backend("spoils")
    BACKENDS["spoils"] = spoiled
    sample = X[:, :8].copy()
    made = placed(SMALL, "spoils", sample={"x": sample})
    assert written
    np.testing.assert_array_equal(sample, X[:, :8])
    np.testing.assert_allclose(made(X[:, :8])["y"].sum(1), 1, rtol=1e-5)


@pytest.mark.parametrize("calls", range(1, 9))
def test_a_back_end_that_fails_later_is_named_and_left(backend: Callable[..., None], calls: int) -> None:
    left = itertools.count(calls, -1)

    def change(found: Any) -> Any:
        if next(left) <= 0:
            raise RuntimeError("tired")
        return found

    backend("tires", change)
    made = placed(SMALL, "tires")
    assert made.placement is not None
    refused = " ".join(w for b in made.placement.blocks for w in b.refused.values())
    assert made.placement.kept == HOME and "tired" in f"{made.placement.failed} {refused}"


def by_numpy(model: bytes) -> Any:
    return rows.evaluate(NUMPY, model)
