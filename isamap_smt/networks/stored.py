"""A network's plan as a document, enough to derive all of it: kernels as texts, mappings and schedules as decisions.

Nothing in the document is a verdict. Programs are lowered and proved anew; constants are named by their digests.
"""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import dataclass
from typing import Any

import numpy as np

from isamap_smt.certificates.claim_file import unproved
from isamap_smt.certificates.derive import Step as Asked
from isamap_smt.certificates.derive import Watching, derive_mapping, derive_split, further_from
from isamap_smt.certificates.errors import CertificateError
from isamap_smt.certificates.subject import (
    Sources,
    further_document,
    kernel_document,
    kernel_from,
    mapping_document,
    mapping_from,
    schedule_document,
    schedule_from,
    split_from,
)
from isamap_smt.codegen.lower import lower, lower_points
from isamap_smt.ir.dtypes import dtype
from isamap_smt.ir.errors import NotProvedError
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.ir.schedule import Schedule
from isamap_smt.language import kernel as read_kernel
from isamap_smt.language import to_text
from isamap_smt.language.loading import with_set
from isamap_smt.networks.extents import OpenSize, read_shape, written_shape
from isamap_smt.networks.graph import AnyStep, Foreign, Network, Step, View
from isamap_smt.networks.plan import NetworkPlan, Question, Work
from isamap_smt.networks.values import Value
from isamap_smt.pipeline.plan import Plan
from isamap_smt.proof import require_proof
from isamap_smt.proof.split import require_split
from isamap_smt.records.record import digest

Document = dict[str, Any]
FORMAT = "isamap network 1"
PLAN = "plan.json"


# ---- To a document


def plan_document(planned: NetworkPlan) -> Document:
    """Every decision of the plan. Raises CertificateError if a kernel cannot be written."""
    return {
        "format": FORMAT,
        "model": network_document(planned.model),
        "network": network_document(planned.network),
        "kernels": [_kernel(q, p, planned.threads) for q, p in planned.plans.items()],
        "places": planned.places,
        "work": [{"temporaries": dict(w.temporaries), "heap": w.heap} for w in planned.work],
        "peak": planned.peak,
        "bound": planned.bound,
        "threads": planned.threads,
    }


def network_document(network: Network) -> Document:
    """The network, with digests for the elements of its constants."""
    return {
        "name": network.name,
        "open": {s.name: s.most for s in network.open},
        "values": [_value(v) for v in network.values.values()],
        "inputs": list(network.inputs),
        "outputs": list(network.outputs),
        "constants": {n: constant_digest(a) for n, a in network.constants.items()},
        "steps": [_step(s) for s in network.steps],
        "labels": dict(network.labels),
    }


def constant_digest(array: np.ndarray) -> str:
    """Of its elements, row by row."""
    return digest(np.ascontiguousarray(array).tobytes())


def _value(v: Value) -> Document:
    order = None if v.order is None else list(v.order)
    return {"name": v.name, "dtype": v.dtype.name, "shape": written_shape(v.shape), "order": order, "of": v.of}


def _step(step: AnyStep) -> Document:
    if isinstance(step, View):
        return {"node": step.node, "source": step.source, "result": step.result}
    if isinstance(step, Foreign):
        raise CertificateError(f"{step} has no proof to store")
    kernel = _text(step.kernel)
    return {"node": step.node, "kernel": kernel, "reads": dict(step.reads), "writes": dict(step.writes)}


def _text(kernel: Kernel) -> Document:
    document = {"name": kernel.name, "text": to_text(kernel)}
    if _read(document) != kernel:
        raise CertificateError(f"{kernel.name} is not what its text says")
    return document


def _kernel(question: Question, plan: Plan, threads: int) -> Document:
    split, schedules = None if plan.split is None else plan.split.split, plan.program.schedules
    planned = (
        schedules[0].proved.mapping.kernel if schedules else plan.program.kernel
    )  # of the sizes that schedules give
    document = {
        "kernel": kernel_document(planned, None, split),
        "asked": _text(question.kernel),
        "constant": list(question.constant),
        "packs": list(plan.constant),
        "certificate": plan.fingerprint,
    }
    if not plan.program.schedules:
        return {**document, "hardware": plan.hardware.name, "parallel": threads > 1}
    first, *more = plan.program.schedules
    return {
        **document,
        "instruction": _source(first),
        "mapping": mapping_document(first.proved.mapping),
        "schedule": {**schedule_document(first), "hardware": _at_values(plan.hardware.name, first)},
        "further": [further_document(s, _source(s)) for s in more],
    }


def _source(schedule: Schedule) -> Document:
    return {"source": _at_values(schedule.proved.mapping.instruction.name, schedule)}


def _at_values(name: str, schedule: Schedule) -> str:
    """The name with the machine's parameter values used for planning."""
    values = () if schedule.hardware is None else schedule.hardware.values
    return with_set(name, [f"{n}={v}" for n, v in values])


# ---- From a document


def network_from(document: Document, constants: Dict[str, np.ndarray]) -> Network:
    """The network of a document, with these elements.

    Raises LookupError, TypeError, ValueError, IsamapError for any other document.
    """
    values = _values_from(document)
    return Network(
        str(document["name"]), values, tuple(document["inputs"]), tuple(document["outputs"]),
        {n: constants[n] for n in document["constants"]}, tuple(map(_step_from, document["steps"])), dict(document["labels"]),
    )  # fmt: skip


def placeholders(document: Document) -> dict[str, np.ndarray]:
    """Arrays of the constants' types and shapes, for claims not looking at elements."""
    values = _values_from(document)
    return {n: np.zeros(values[n].shape, values[n].dtype.numpy) for n in document["constants"]}


def _values_from(document: Document) -> dict[str, Value]:
    known = {str(n): OpenSize(str(n), int(most)) for n, most in document["open"].items()}
    return {v["name"]: _value_from(v, known) for v in document["values"]}


def _value_from(then: Document, known: Dict[str, OpenSize]) -> Value:
    order = None if then["order"] is None else tuple(map(int, then["order"]))
    return Value(str(then["name"]), dtype(then["dtype"]), read_shape(then["shape"], known), order, then["of"])


def _step_from(then: Document) -> AnyStep:
    if "kernel" not in then:
        return View(then["node"], then["source"], then["result"])
    return Step(then["node"], _read(then["kernel"]), tuple(then["reads"].items()), tuple(then["writes"].items()))


def _read(then: Document) -> Kernel:
    return read_kernel(then["text"], name=then["name"])


def question_from(then: Document) -> Question:
    """The planned question."""
    return Question(_read(then["asked"]), tuple(then["constant"]))


@dataclass(frozen=True)
class Derived:
    """A kernel's plan, proved again, and the questions asked on the way."""

    plan: Plan
    steps: tuple[Asked, ...]


def derive_plan(then: Document, sources: Sources, answers: Any) -> Derived:
    """The plan with its mappings proved, its program lowered and proved.

    Raises NotProvedError, naming the failure, and IsamapError for missing sources.
    """
    kernel, split = kernel_from(then["kernel"]), split_from(then["kernel"])
    steps: list[Asked] = []
    checked_split = None
    if split is not None:
        apart = derive_split(split, answers)
        if not apart.proof.proved:
            raise unproved(f"{split}: not proved to be the same\n{apart.proof}", kernel.name, apart, NotProvedError)
        steps += apart.steps
        checked_split = require_split(split)
    if "schedule" in then:
        derived, proved = derive_mapping(
            mapping_from(then["mapping"], kernel, sources.instruction_of(then, kernel)), answers
        )
        if not isinstance(proved, ProvedMapping):
            raise unproved(str(proved), kernel.name, derived, NotProvedError)
        steps += derived.steps
        hardware = sources.hardware(then["schedule"]["hardware"])
        schedules = (schedule_from(then["schedule"], proved, hardware), *further_from(then, kernel, sources, answers))
        program = lower(*schedules)
    else:
        hardware, program = sources.hardware(then["hardware"]), lower_points(kernel, bool(then["parallel"]))
    with Watching(answers) as watch:
        checked = require_proof(program, watch)
    steps += [
        s for s in watch.steps() if all(c.verdict.word == "proved" for c in s.claims)
    ]  # of the attempt that is proved
    made = Plan(program.kernel, hardware, checked, constant=tuple(then["packs"]), split=checked_split)
    return Derived(made, tuple(steps))


def plan_from(document: Document, model: Network, network: Network, plans: Dict[Question, Plan]) -> NetworkPlan:
    """The network's plan, from derived plans of its kernels."""
    work = tuple(
        Work(tuple((t, int(n)) for t, n in w["temporaries"].items()), int(w["heap"])) for w in document["work"]
    )
    places = {str(n): int(p) for n, p in document["places"].items()}
    peak, bound, threads = (int(document[n]) for n in ("peak", "bound", "threads"))
    return NetworkPlan(model, network, dict(plans), places, work, peak, bound, threads)
