"""The claims between the kernels of a network; each kernel has a proof of its own.

same: each value is the model's (networks/same.py).
version: each read sees the result of the step named as the value's writer: nothing writes a byte of it in between, work
space included, and no other step writes the value.
kernel: the program to run is a proved one, of the step's kernel or of one proved to be the same. It reads and writes
the step's values.
room: a step's temporaries have places.
separate: the memory written by one step lies apart, each thread's work space too.
arena: all of it lies inside, and begins at addresses allowed for vectors.
types: a kernel's tensor has the type and the elements of its value.

Each is asked of the steps and addresses alone, from which the calls are made. The planner's lifetimes have no part in
it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from isamap_encodings import arena as encoded
from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.codegen.c_printer import workspace_cells, workspace_pieces
from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.expr import evaluate
from isamap_smt.ir.hypotheses import Stated
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.opened import opened
from isamap_smt.ir.proof import ClaimResult, Proof
from isamap_smt.networks.graph import ALIGNMENT, Step, View, has_shape, tensor_bytes
from isamap_smt.networks.plan import NetworkPlan, Work, callers, roots
from isamap_smt.networks.same import same_values
from isamap_smt.pipeline.plan import Plan
from isamap_smt.pipeline.split import rest

Place = tuple[str, int, int]  # the memory (the arena, a caller's array, a constant), where it begins, bytes
ARENA = ""


def prove_network(planned: NetworkPlan) -> Proof:
    """All claims between the kernels of a plan. Results of back ends are assumed, node by node."""
    assumed = tuple(
        Stated(f"{s.node} ({s.op}) by {s.backend} is what the model means: {s.reason}") for s in planned.network.foreign
    )
    return Proof((*same_values(planned.model, planned.network), *_claims(planned)), hypotheses=assumed)


def require_network_proof(planned: NetworkPlan) -> Proof:
    """The proof. Raises NotProvedError, naming the first failure."""
    proof = prove_network(planned)
    if not proof.proved:
        first = proof.failed()[0]
        raise NotProvedError(
            f"{planned.network.name}: {first.statement}: {first.verdict.word} {_witness(first.verdict)}"
        )
    return proof


def _witness(verdict: Verdict) -> str:
    return (verdict.text or str(dict(verdict.witness))) if isinstance(verdict, Refuted) else ""


def _claims(planned: NetworkPlan) -> Iterator[ClaimResult]:
    network, root = planned.network, roots(planned.network)
    places = _places(planned)
    kernels = len(network.kernels)
    if len(planned.work) != kernels:
        refuted = Refuted(text=f"there are {len(planned.work)} for {kernels} kernels")
        yield _result("room", network.name, "each kernel has its work space", refuted)
        return
    for name, array in network.constants.items():
        yield _constant(planned, name, array)
    writes: list[list[Place]] = []
    writer: dict[str, int] = {}
    works = iter(planned.work)
    given = {*network.inputs, *network.constants}
    there = set(given)

    def place_of(value: str) -> Place:
        held = root.get(value, value)
        return places.get(held, (held, 0, network.values[held].bytes))

    def version(reader: str, value: str, read: int) -> ClaimResult:
        held = root.get(value, value)
        written = writer.get(held, -1)
        if value not in there:
            return _result("version", value, f"{reader} reads {value}", Refuted(text="nothing writes it before"))
        between = [p for w in writes[written + 1 : read + 1] for p in w]
        left = "it was given" if written < 0 else f"{network.steps[written].node} left it"
        return _result("version", value, f"{reader} reads {value} as {left}", _untouched(place_of(value), between))

    for number, step in enumerate(network.steps):
        if isinstance(step, View):
            writes.append([])
            yield _types_of_view(planned, step)
            yield version(step.node, step.source, number)
            there.add(step.result)
            continue
        own = [place_of(v) for v in step.results]
        if isinstance(step, Step):
            yield _kernel(planned, step)
            if planned.question(step) not in planned.plans:
                return  # nothing else can be asked of it
            yield from _types(planned, step)
            work = next(works)
            yield _room(planned, step, work)
            if (grows := _grows(planned, step)) is not None:
                yield grows
            own += _work(planned, step, work)
        for value in step.results:
            if value in there:
                twice = Refuted(text="it is written twice, or was given")
                yield _result("version", value, f"{step.node} alone writes {value}", twice)
        for n, place in enumerate(own):
            yield _result("separate", step.node, f"what {step.node} writes lies apart", _untouched(place, own[:n]))
            yield _result("arena", step.node, f"what {step.node} writes lies in the arena", _inside(planned, place))
        writes.append(own)
        for value in step.sources:
            yield version(step.node, value, number)
        writer |= dict.fromkeys(step.results, number)
        there |= {*step.results}
    for value in network.outputs:
        yield version("the caller", value, len(network.steps))


def _untouched(place: Place, others: list[Place]) -> Verdict:
    memory, begin, size = place
    return encoded.untouched((begin, size), [(b, s) for m, b, s in others if m == memory])


def _inside(planned: NetworkPlan, place: Place) -> Verdict:
    memory, begin, size = place
    if memory != ARENA and memory not in callers(planned.network):
        return Refuted(text=f"{memory} has no place")
    if memory != ARENA:
        return Proved(how="it is an array of the caller's")
    if begin % ALIGNMENT:
        return Refuted({"begin": begin}, text=f"it begins at no multiple of {ALIGNMENT}")
    return encoded.within((begin, size), planned.peak)


def _places(planned: NetworkPlan) -> dict[str, Place]:
    """The place of each value in no other's memory."""
    network = planned.network
    root = roots(network)
    found = {n: (n, 0, network.values[n].bytes) for n in {*root.values()}}
    return {**found, **{n: (ARENA, p, network.values[n].bytes) for n, p in planned.places.items()}}


def _work(planned: NetworkPlan, step: Step, work: Work) -> list[Place]:
    program = planned.plan_of(step).program
    there = {t.name for t in program.kernel.tensors}
    found = [(ARENA, at, tensor_bytes(program.kernel, t)) for t, at in work.temporaries if t in there]
    pieces = workspace_pieces(program, planned.threads) or [(0, 0)]
    return [*found, *((ARENA, work.heap + at, size) for at, size in pieces)]


def _kernel(planned: NetworkPlan, step: Step) -> ClaimResult:
    """The program to run computes the step's kernel, of the constants it packs."""
    question = planned.question(step)
    made, wrong = planned.plans.get(question), ""
    if made is None:
        wrong = "it has no plan"
    elif made.split is None and made.program.kernel != step.kernel:
        wrong = "its program is of another kernel"
    elif made.split is not None and not _rewritten(made, step.kernel):
        wrong = "its program is of another kernel than the one that was rewritten"
    elif not {*made.constant} <= {*question.constant}:
        wrong = f"it packs {made.constant}, and {question.constant} are constants"
    elif sorted(t for t, _ in step.reads) != sorted(step.kernel.inputs) or sorted(t for t, _ in step.writes) != sorted(
        step.kernel.results
    ):
        wrong = "it does not read its inputs, or does not write its results"
    return _result("kernel", step.node, f"{step.node} is what is computed", Refuted(text=wrong) if wrong else Proved())


def _rewritten(made: Plan, kernel: Kernel) -> bool:
    """Whether its program is of the rewritten kernel: as it is, or as one of open sizes at its own."""
    assert made.split is not None
    split, (_, sizes) = made.split.split, opened(kernel)
    known = {n: v for n, v in sizes.items() if n in split.origin.free_sizes}
    return (
        split.origin.with_sizes(known) == kernel and split.kernel.with_sizes(rest(split, sizes)) == made.program.kernel
    )


def _constant(planned: NetworkPlan, name: str, array: np.ndarray) -> ClaimResult:
    value = planned.network.values.get(name)
    alike = (
        value is not None
        and value.dtype.numpy == array.dtype
        and value.shape == array.shape
        and array.flags.c_contiguous
    )
    verdict: Verdict = Proved() if alike else Refuted(text=f"its elements are {array.dtype}{list(array.shape)}")
    return _result("types", name, f"the constant {name} is {value}", verdict)


def _room(planned: NetworkPlan, step: Step, work: Work) -> ClaimResult:
    """Each temporary of the program has a place, and nothing else has."""
    wanted, given = planned.plan_of(step).program.kernel.temporaries, [t for t, _ in work.temporaries]
    verdict: Verdict = (
        Proved() if sorted(wanted) == sorted(given) else Refuted(text=f"it has {given}, and needs {list(wanted)}")
    )
    return _result("room", step.node, f"the temporaries of {step.node} have room", verdict)


MOST_TRIED = 1 << 16  # of the open sizes together


def _grows(planned: NetworkPlan, step: Step) -> ClaimResult | None:
    """Buffers apart at the largest sizes are apart at all: each begins at the same place, and is no longer.

    Values' bytes are polynomials, taken at their ends; bytes of work space are computed at all sizes. None without open
    sizes.
    """
    program = planned.plan_of(step).program
    free = [s for s in planned.network.open if s.name in program.kernel.free_sizes]
    if not free:
        return None
    words = f"the work space of {step.node} is no longer at smaller sizes"
    if math.prod(s.most for s in free) > MOST_TRIED:
        many = Unknown(f"{' and '.join(map(str, free))} are more than {MOST_TRIED:,} sizes")
        return _result("room", step.node, words, many)
    ranges = np.meshgrid(*(np.arange(1, s.most + 1) for s in free), indexing="ij")
    sizes = {s.name: r.reshape(-1) for s, r in zip(free, ranges, strict=True)}
    verdict: Verdict = Proved()
    for cells, most_cells in workspace_cells(program):
        if (np.broadcast_to(evaluate(cells, sizes), ranges[0].size) > most_cells).any():
            verdict = Refuted(text=f"a buffer of {cells} elements has room for {most_cells}")
    return _result("room", step.node, words, verdict)


def _types(planned: NetworkPlan, step: Step) -> Iterator[ClaimResult]:
    """The program's kernel has the tensors bound by the step, each with the type and shape of its value."""
    kernel, network = planned.plan_of(step).program.kernel, planned.network
    bound = dict((*step.reads, *step.writes))
    for tensor in kernel.tensors:
        if tensor.name in kernel.temporaries:
            continue
        value = network.values.get(bound.get(tensor.name, ""))
        alike = value is not None and value.dtype == tensor.dtype and has_shape(kernel, tensor.name, value)
        verdict: Verdict = (
            Proved() if alike else Refuted(text=f"{tensor.name} is {tensor.dtype}{list(tensor.shape)}, and not {value}")
        )
        yield _result("types", step.node, f"{tensor.name} of {step.node} is {value}", verdict)


def _types_of_view(planned: NetworkPlan, step: View) -> ClaimResult:
    of, to = (planned.network.values[n] for n in (step.source, step.result))
    alike = of.dtype == to.dtype and of.elements == to.elements
    return _result("types", step.node, f"{to} shows {of}", Proved() if alike else Refuted(text="it has other elements"))


def _result(claim: str, subject: str, statement: str, verdict: Verdict) -> ClaimResult:
    return ClaimResult(claim, subject, verdict, statement)
