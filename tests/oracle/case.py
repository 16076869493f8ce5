"""One case of the kernel fuzzer: a text, its types and sizes, a machine, how it is compiled and called; and what it computes."""

from __future__ import annotations

import base64
import json
import math
import random
from dataclasses import asdict, dataclass, field
from typing import Any

from tests.oracle.held import Held
from tests.oracle.meaning import Meaning, execute, inputs_in_range
from tests.oracle.numbers import Kind, Number, converted, encoded, rounded
from tests.oracle.text import read_text

DATA = ("whole", "any", "edges")


@dataclass(frozen=True)
class Case:
    """Everything that decides what happens. fixed: the sizes known when it is compiled; the others are passed at the call.

    data: 'whole' numbers so small that sums are exact, 'any' numbers, or the 'edges' of the types. out: whether the call
    accumulates into arrays. infer: whether sizes are left to the shapes. again: whether calls with other data come first, whose
    values stay behind in memory.
    """

    text: str
    sizes: dict[str, int]
    machine: str = "scalar"
    dtypes: dict[str, str] = field(default_factory=dict)
    fixed: tuple[str, ...] = ()
    threads: int = 1
    call_threads: int = 1
    constant: tuple[str, ...] = ()
    fix: dict[str, Any] = field(default_factory=dict)
    out: bool = False
    infer: bool = False
    data: str = "whole"
    seed: int = 0
    compiler: str = ""
    again: bool = False

    def json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def of(cls, document: str) -> Case:
        given = json.loads(document)
        return cls(**{**given, "fixed": tuple(given["fixed"]), "constant": tuple(given["constant"])})

    def command(self) -> str:
        """About the same on the command line; the command draws its own arrays."""
        words = ["isamap run", self.machine, f"--text {json.dumps(self.text)}"]
        for option, pairs in (("sizes", self.sizes), ("dtypes", self.dtypes), ("fix", self.fix)):
            if pairs:
                words.append(f"--{option} {','.join(f'{n}={v}' for n, v in pairs.items())}")
        words += [f"--constant {c}" for c in self.constant]
        return " ".join([*words, *[f"--threads {self.threads}"] * (self.threads > 1)])


@dataclass(frozen=True)
class Expected:
    """What the oracle says of a case."""

    shapes: dict[str, tuple[int, ...]]
    kinds: dict[str, Kind]
    inputs: dict[str, list[Number]]
    given: dict[str, list[Number]]
    results: dict[str, Held]

    def arrays(self) -> dict[str, dict[str, Any]]:
        """Inputs and outputs to add to, as another process can read them."""
        return {
            group: {n: _array(self.kinds[n], self.shapes[n], v) for n, v in held.items()}
            for group, held in (("inputs", self.inputs), ("given", self.given))
        }


def _array(kind: Kind, shape: tuple[int, ...], numbers: list[Number]) -> dict[str, Any]:
    return {"kind": kind.name, "shape": shape, "data": base64.b64encode(encoded(kind, numbers)).decode()}


def expected(case: Case) -> Expected:
    """The result by the oracle. Raises Outside, ValueError and OverflowError where the kernel cannot be carried out."""
    meaning = Meaning(read_text(case.text), case.dtypes, case.sizes)
    rng = random.Random(case.seed)
    inputs = {n: numbers(meaning, n, case.data, rng) for n in meaning.inputs}
    given = {n: numbers(meaning, n, case.data, rng) for n in meaning.outputs} if case.out else {}
    results = execute(meaning, inputs, given)
    kinds = {n: meaning.kind(n) for n in meaning.tensors}
    return Expected(meaning.shapes, kinds, inputs, given, {n: results[n] for n in meaning.outputs})


def numbers(meaning: Meaning, name: str, data: str, rng: random.Random) -> list[Number]:
    """Random elements of one tensor."""
    kind, count = meaning.kind(name), math.prod(meaning.shapes[name])
    if bounds := inputs_in_range(meaning, name):
        return [rng.randint(max(kind.low, bounds[0]), min(kind.high, bounds[1])) for _ in range(count)]
    return [_number(kind, data, rng) for _ in range(count)]


def _number(kind: Kind, data: str, rng: random.Random) -> Number:
    small = rng.randint(-4 if kind.signed or kind.floating else 0, 4)
    if kind.name == "bool":
        return rng.randint(0, 1)
    if data == "whole":
        return rounded(kind, small) if kind.floating else small
    if not kind.floating:
        if data == "edges" and rng.random() < 0.5:
            return rng.choice([kind.low, kind.high, kind.low + 1, kind.high - 1, 0])
        return (
            rng.randint(kind.low, kind.high)
            if kind.bits <= 16 or data == "edges"
            else rng.randint(-1000, 1000) % kind.high
        )
    if data == "edges" and rng.random() < 0.3:
        return rng.choice([0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, converted(kind, 60000.0)])
    return converted(kind, rng.uniform(-2, 2))


__all__ = ["DATA", "Case", "Expected", "expected", "numbers"]
