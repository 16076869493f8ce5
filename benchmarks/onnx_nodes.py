"""docs/onnx.md: each operator of ONNX, what computes it, and how many of the node cases that ONNX ships come out right.

python -m benchmarks.onnx_nodes > docs/onnx.md             # by the interpreter: a minute
python -m benchmarks.onnx_nodes --compiled > docs/onnx.md  # compiled for this CPU, too: half an hour

Exit status 1 where a case is computed wrongly.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import onnx

import isamap_smt as im
from isamap_smt.ir.errors import IsamapError
from isamap_smt.networks.onnx import operators  # noqa: F401 - the operators register themselves
from isamap_smt.networks.onnx.importer import ELSEWHERE
from isamap_smt.networks.onnx.node import OPERATORS
from isamap_smt.networks.onnx.schema import MICROSOFT
from tests.networks.onnx_nodes import ROUNDED_INSIDE, Arrays, Result, cases, result

Operator = tuple[str, str]  # domain, name
DOMAINS = ("ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training")  # beside ONNX's own
FUNCTION = "ONNX's definition"
# Why no kernel computes an operator, where a kernel is not all that it would take.
WHY = {
    "nodes within nodes: which of them run, or how often, is not fixed": ("If", "Loop", "Scan", "SequenceMap"),
    "sequences and optional values are no tensors": (
        "ConcatFromSequence", "Optional", "OptionalGetElement", "OptionalHasElement", "SequenceAt", "SequenceConstruct",
        "SequenceEmpty", "SequenceErase", "SequenceInsert", "SequenceLength", "SplitToSequence",
    ),
    "strings are no numbers": ("CategoryMapper", "RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit"),
    "maps are no tensors": ("CastMap", "DictVectorizer", "ZipMap"),
    "the result's shape depends on data": ("NonMaxSuppression", "NonZero", "Unique"),
    "random numbers": ("Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"),
    "training": ("Adagrad", "Adam", "Gradient", "Momentum"),
    "decoding of files": ("ImageDecoder",),
}  # fmt: skip
NOT_WRITTEN = "no kernel is written for it"
STRINGS = "object"  # NumPy's type of a tensor of strings


@dataclass
class Cases:
    """An operator's cases by what became of them: `right` of `all`, `refused` with their reasons, `rounded` in other places."""

    all: int = 0
    right: int = 0
    rounded: int = 0
    reasons: tuple[str, ...] = ()


# operators without cases -> what of them is refused (tests/networks/test_microsoft_attention.py)
STATED: dict[Operator, str] = {
    (
        MICROSOFT,
        "Attention",
    ): "do_rotary; past_sequence_length with a shared past; masks [3 * batch + 2] and of four dimensions",
    (MICROSOFT, "GroupQueryAttention"): (
        "smooth_softmax, head_sink, quantised caches and output_qk; several tokens at once behind a past, "
        "unless total_sequence_length is known"
    ),
    (MICROSOFT, "MultiHeadAttention"): (
        "past_sequence_length, cache_indirection and the result qk; masks [3 * batch + 2]; a bias for keys that come in heads"
    ),
    (MICROSOFT, "MatMulNBits"): "other than 4 and 8 bits, g_idx, zero points that are no constants",
    (MICROSOFT, "MatMulIntegerToFloat"): "scales of float16, and several scales of the left operand",
    (MICROSOFT, "RotaryEmbedding"): "is_packed_batching, and a scale",
}
Ways = tuple[defaultdict[Operator, Cases], ...]  # by the interpreter, and compiled where that was asked for


def catalogue() -> dict[Operator, str]:
    """Each operator of the installed ONNX, and what computes it: the family, FUNCTION, or why nothing does.

    Deprecated operators are left out, unless they are computed.
    """
    found = {key: make.__module__.rsplit(".", 1)[1] for key, make in OPERATORS.items()}
    why_not = {name: why for why, names in WHY.items() for name in names}
    for schema in onnx.defs.get_all_schemas():
        key = (schema.domain, schema.name)
        if key in found or schema.deprecated:
            continue
        function = schema.has_function or schema.has_context_dependent_function
        found[key] = why_not.get(schema.name) or (FUNCTION if function else NOT_WRITTEN)
    return dict(sorted(found.items(), key=lambda item: (item[0][0], item[0][1].lower())))


def families() -> set[str]:
    """The modules that compute operators."""
    return {make.__module__.rsplit(".", 1)[1] for make in OPERATORS.values()}


def compiled(network: im.Network, arrays: Arrays) -> Arrays:
    """The outputs of the compiled network."""
    return im.compile_network(network)(**arrays)


def tried(compile_too: bool) -> tuple[Ways, list[str]]:
    """What became of each operator's cases by the interpreter and, if asked, compiled; and those that are wrong."""
    ways = (im.run_network, compiled) if compile_too else (im.run_network,)
    made: Ways = tuple(defaultdict(Cases) for _ in ways)
    wrong: list[str] = []
    for number, case in enumerate(cases()):
        node = case.model.graph.node[0]
        for way, into in zip(ways, made, strict=True):
            fault = ""
            try:
                found = result(case, way)
            except IsamapError as error:
                found = Result(refused=str(error))
            except Exception as error:  # a fault of ours: the other cases go on
                fault = f"{type(error).__name__}: {error}"
                found = Result(wrong=fault)
            explained = bool(found.wrong) and not fault and case.name in ROUNDED_INSIDE
            counted = into[node.domain, node.op_type]
            counted.all += 1
            counted.right += found.ok
            counted.rounded += explained
            counted.reasons += (found.refused,) if found.refused else ()
            if found.wrong and not explained:
                wrong.append(f"{case.name}, {way.__name__}: {found.wrong}")
        if sys.stderr.isatty() or number % 100 == 0:
            print(f"{number} of {len(cases())}: {case.name}", file=sys.stderr)
    return made, wrong


def told(reasons: tuple[str, ...]) -> str:
    """The reasons, each once, without the names of nodes; elements of many types in one sentence."""
    plain = [re.sub(r"^(?:\S+: )+", "", r.removesuffix(ELSEWHERE)) for r in reasons]
    types = [found[1] for r in plain if (found := re.fullmatch(r"elements of type (\S+) are not computed with", r))]
    said = [f"elements of type {t}" if t != STRINGS else "strings" for t in dict.fromkeys(types)]
    if len(said) > 1:
        said = ["elements of type " + ", ".join(t.removeprefix("elements of type ") for t in said)]
    rest = [re.sub(r"^bits of \S+ are not read as \S+$", "bits as another type", r) for r in plain]
    return "; ".join(dict.fromkeys([*said, *(r for r in rest if not r.startswith("elements of type "))]))


def page(catalogued: dict[Operator, str], by: Ways, wrong: int) -> Iterator[str]:
    """The page's lines. wrong: how many cases are."""
    (meant, *_) = by
    yield _HEAD.format(
        version=onnx.__version__,
        all=sum(found.all for found in meant.values()),
        how="; compiled, ".join(["By the interpreter " + summed(meant), *map(summed, by[1:])]),
        wrong=f"{wrong or 'none'} {'are' if wrong > 1 else 'is'} wrong",
        rounded=sum(found.rounded for found in meant.values()),
    )
    cells, line = " | ".join(["cases", "compiled"][: len(by)]), "|---" * len(by)
    yield f"## Computed by kernels\n\n| operator | family | {cells} | refused |\n|---|---{line}|---|"
    apart: dict[str, list[Operator]] = defaultdict(list)
    for key, made in catalogued.items():
        fails = made == FUNCTION and meant[key].all and not meant[key].right
        how = f"its definition: {reasons(key, by)}" if fails else made
        if how in families():
            yield f"| {shown(key)} | {how} | {counts(key, by)} | {reasons(key, by)} |"
        else:
            apart[how].append(key)
    yield f"\n{_FUNCTIONS}\n\n| operator | {cells} | refused |\n|---{line}|---|"
    for key in apart.pop(FUNCTION, []):
        yield f"| {shown(key)} | {counts(key, by)} | {reasons(key, by)} |"
    yield "\n## Not computed\n\n| operators | reason |\n|---|---|"
    for why, keys in apart.items():
        yield f"| {', '.join(map(shown, keys))} | {why} |"


def summed(by: dict[Operator, Cases]) -> str:
    """How many come out right, and how many are refused."""
    right, refused = sum(found.right for found in by.values()), sum(len(found.reasons) for found in by.values())
    return f"{right:,} come out right and {refused:,} are refused"


def counts(key: Operator, by: Ways) -> str:
    """The cells that count cases: those that come out right, of all; without a case a dash."""
    cells = []
    for found in (way[key] for way in by):
        rounded = f", {found.rounded} rounded elsewhere" if found.rounded else ""
        cells.append(f"{found.right} of {found.all}{rounded}" if found.all else "-")
    return " | ".join(cells)


def reasons(key: Operator, by: Ways) -> str:
    """Why cases of an operator are refused; of one without cases, what is known to be."""
    return told(tuple(r for way in by for r in way[key].reasons)) or STATED.get(key, "")


def shown(key: Operator) -> str:
    """An operator's name, with its domain where it is not ONNX's own."""
    return f"`{key[0]}.{key[1]}`" if key[0] else f"`{key[1]}`"


_HEAD = """\
# ONNX's operators

`im.from_onnx` reads these operators ([how to](networks.md)). Each is a kernel text, or ONNX's own definition by simpler
operators. What no kernel computes, an operator or a case of it, is refused by its name,
unless [another library](networks.md#what-another-library-computes) is asked for it.

`python -m benchmarks.onnx_nodes > docs/onnx.md` wrote this page; with `--compiled` each case is compiled, too. It runs the node
cases of onnx {version}: {all:,} models of one node, each with its inputs and results.
{how}; {wrong}.
The other {rounded} are of bf16: they round every intermediate to bf16, and kernels compute in f32 and round once.
`tests/networks/test_onnx_nodes.py` runs the same cases by the interpreter, and a few of them compiled.

A family is a file of [isamap_smt/networks/onnx/operators](../isamap_smt/networks/onnx/operators). Inputs on which shapes
depend are given as constants. An operator without cases has a dash.
"""

_FUNCTIONS = f"""\
## Computed by {FUNCTION}

ONNX defines these operators as functions of simpler ones, and the importer expands them."""


def main() -> int:
    """Write the page to standard output; the status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiled", action="store_true", help="also compile each case, and run it")
    asked = parser.parse_args()
    with np.errstate(all="ignore"):
        by, wrong = tried(asked.compiled)
    print(*page(catalogue(), by, len(wrong)), sep="\n")
    for text in wrong:
        print(f"wrong: {text}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
