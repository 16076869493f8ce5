"""A compiled network against today's sources: its claims derived and proved again, its C printed again and compared.

Stored verdicts prove nothing. The plan in the folder holds the decisions; each kernel's program is lowered and proved
from it, and the claims between kernels are asked again. Every text of the library must equal the derived text, byte for
byte.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Mapping as Dict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from isamap_smt.certificates.cache import Memory
from isamap_smt.certificates.claim_file import questions_of, second_opinion
from isamap_smt.certificates.derive import Step as Asked
from isamap_smt.certificates.derive import Watching
from isamap_smt.certificates.errors import DamagedError
from isamap_smt.certificates.remember import Outcome
from isamap_smt.certificates.sealed import MARK, changed, read_seal
from isamap_smt.certificates.subject import Sources
from isamap_smt.ir.errors import IsamapError, NotProvedError
from isamap_smt.networks.graph import Network
from isamap_smt.networks.library import HEADER_BYTES, Library, LibraryText
from isamap_smt.networks.plan import NetworkPlan, Question
from isamap_smt.networks.proof import prove_network
from isamap_smt.networks.record import network_record
from isamap_smt.networks.stored import (
    FORMAT,
    PLAN,
    derive_plan,
    network_document,
    network_from,
    placeholders,
    plan_from,
    question_from,
)
from isamap_smt.pipeline.plan import Plan

Progress = Callable[[int, int, Outcome], None]  # done, all, the latest
_WRONG = (LookupError, TypeError, ValueError, AttributeError, RecursionError)  # of a document that has another form


@dataclass(frozen=True)
class Checked:
    """The outcome of each file and of each group of claims, and sentences on everything left unchecked."""

    network: str
    outcomes: list[Outcome]
    left_out: tuple[str, ...]


def is_library(folder: Path) -> bool:
    """Whether `isamap compile MODEL.onnx` wrote the folder, as far as names of files say."""
    return (folder / PLAN).is_file() or (
        (folder / MARK).is_file() and '"digest_of_c"' in (folder / MARK).read_text(errors="replace")
    )


def check_library(
    folder: Path, model: Network | None = None, *, sources: Sources | None = None, cache: bool = True, cc: str | None = None,
    progress: Progress | None = None,
) -> Checked:  # fmt: skip
    """Derive everything again from the folder's files.

    model: the network as it was read, to compare constants and weights with. Never raises for the contents of the
    files; raises BuildError if a model is given and no compiler is there.
    """
    memory = Memory(cache)
    try:
        return _Check(folder, sources or Sources(), memory, progress).checked(model, cc)
    finally:
        memory.close()


@dataclass
class _Check:
    folder: Path
    sources: Sources
    memory: Memory
    progress: Progress | None
    outcomes: list[Outcome] = field(default_factory=list)
    name: str = ""
    expected: int = 1
    built: tuple[str, ...] = ()

    def checked(self, model: Network | None, cc: str | None) -> Checked:
        """Files, kernels, claims, texts, and with a model the weights, as far as each goes on from the one before."""
        self.name = self.folder.name
        record = self._record()
        document = None if record is None else self._document()
        if record is None or document is None:
            return self._end("nothing else was looked at")
        self.expected += len(document["kernels"]) + 1
        plans = dict(self._plans(document["kernels"]))
        if len(plans) < len(document["kernels"]):
            return self._end("the claims between kernels and the C were not looked at")
        try:
            planned = self._planned(document, plans, model)
            if planned is None or not self._network(planned, model is not None):
                return self._end("the C was not compared with what is proved")
            text = LibraryText(planned, str(record["prefix"]))
            self._texts(text, record, planned)
        except IsamapError as error:
            self._say("network", "broken", "it cannot be derived any more", str(error))
            return self._end("the C was not compared with what is proved")
        except _WRONG as error:
            self._say(PLAN, "damaged", f"it is no plan of a network: {type(error).__name__}: {error}")
            return self._end("the C was not compared with what is proved")
        binary = f"{text.name}.so: only that it is the file that was written"
        if model is None:
            size = f"{text.name}_weights.bin: only its size, and that it is the file that was written; name the model"
            return self._end(f"the elements of {len(planned.model.constants)} constants", size, binary)
        return self._end(*([] if self._weights(text, cc, record["target"]) else [binary]))

    def _end(self, *left_out: str) -> Checked:
        self.memory.flush()
        return Checked(self.name, self.outcomes, (*left_out, *self.built))

    def _say(self, what: str, status: str, *told: str, **numbers: Any) -> None:
        outcome = Outcome(f"{self.name}/{what}", status, told, **numbers)
        self.outcomes.append(outcome)
        if self.progress is not None:
            self.progress(len(self.outcomes), max(self.expected, len(self.outcomes)), outcome)

    # ---- Files

    def _record(self) -> dict[str, Any] | None:
        """The record, if it and all files it lists are unchanged; else None, and each difference is told."""
        try:
            record = read_seal(self.folder)
            self.name = str(record["prefix"])
        except DamagedError as error:
            self._say(MARK, "damaged", str(error))
            return None
        except (OSError, LookupError) as error:
            self._say(MARK, "damaged", f"it is no record of a network: {type(error).__name__}: {error}")
            return None
        built = self._built(record["files"])
        self.built = tuple(f"{n}: its Makefile builds it; only the C is looked at" for n in sorted(built))
        for name, told in changed(self.folder, record["files"]):
            if name not in built:
                self._say(name, "damaged", told)
        return None if self.outcomes else record

    def _built(self, files: Dict[str, Any]) -> set[str]:
        """Files left in the folder by `make`."""
        objects = {f"{Path(f).stem}.o" for f in files if f.endswith((".c", ".S"))}
        return {n for n in (*objects, f"lib{self.name}.a") if n not in files and (self.folder / n).exists()}

    def _document(self) -> dict[str, Any] | None:
        try:
            document: dict[str, Any] = json.loads((self.folder / PLAN).read_text(encoding="utf-8"))
            if document["format"] != FORMAT:
                raise ValueError(f"its format is {document['format']!r}, this version reads {FORMAT!r}")
            list(document["kernels"])
        except (OSError, *_WRONG) as error:
            self._say(PLAN, "damaged", f"it is no plan of a network: {error}")
            return None
        return document

    # ---- Kernels

    def _plans(self, kernels: Sequence[dict[str, Any]]) -> Iterator[tuple[Question, Plan]]:
        """The question and plan of each kernel proved today."""
        for number, then in enumerate(kernels):
            file = f"{self.name}_k{number}.c"
            try:
                question, derived = question_from(then), derive_plan(then, self.sources, self.memory.z3)
            except IsamapError as error:
                open_ = getattr(error, "code", 1) == 2 or (
                    isinstance(error, NotProvedError) and error.unproved and not error.refuted
                )
                self._say(
                    file,
                    "unknown" if open_ else "broken",
                    "no longer decided" if open_ else "no longer proved",
                    str(error),
                )
                continue
            except _WRONG as error:
                self._say(PLAN, "damaged", f"kernel {number} is of no form: {type(error).__name__}: {error}")
                continue
            changed = (
                []
                if derived.plan.fingerprint == then.get("certificate")
                else ["its program is not the one that was certified"]
            )
            self._answered(file, derived.steps, changed)
            yield question, derived.plan

    def _answered(self, what: str, steps: Sequence[Asked], changed: Sequence[str] = ()) -> None:
        """Tell cvc5's answers to the same questions; Z3 has proved all of these claims."""
        questions = questions_of(steps)
        tally = second_opinion(questions, self.memory.cvc5)
        told = ("the solvers disagree", *tally.disagreements) if tally.disagreements else tuple(changed)
        self._say(
            what, "unknown" if tally.disagreements else "stale" if changed else "ok", *told,
            claims=sum(len(s.claims) for s in steps), formulas=len(questions), second=tally.agreed,
            alone=tally.open + len(tally.disagreements), z3=tuple(round(q.seconds, 5) for s in steps for q in s.queries),
        )  # fmt: skip

    # ---- Between them

    def _planned(
        self, document: dict[str, Any], plans: Dict[Question, Plan], given: Network | None
    ) -> NetworkPlan | None:
        model, network = document["model"], document["network"]
        if given is None:
            made = network_from(model, placeholders(model)), network_from(network, placeholders(network))
            return plan_from(document, *made, plans)
        named = json.loads(json.dumps(network_document(given)))
        if differs := [k for k, v in named.items() if model.get(k) != v]:
            self._say("model", "stale", f"the model that was named is another one: its {', '.join(differs)} differ")
            return None
        values = {v["name"]: v for v in network["values"]}
        held = {}
        for name in network["constants"]:
            array, order = given.constants[values[name]["of"] or name], values[name]["order"]
            held[name] = np.ascontiguousarray(array if order is None else np.transpose(array, order))
        return plan_from(document, given, network_from(network, held), plans)

    def _network(self, planned: NetworkPlan, elements: bool) -> bool:
        """The claims between kernels. elements: whether constants are there; else nothing is said of them."""
        with Watching(self.memory.z3) as watch:
            proof = prove_network(planned)
            constants = {*planned.network.constants}
            watch([c for c in proof.claims if elements or c.claim != "same" or c.subject not in constants])
        if not proof.proved:
            told = [f"{c.claim} of {c.subject}: {c.statement}: {c.verdict.word}" for c in proof.failed()[:3]]
            self._say("network", "broken" if proof.word == "refuted" else "unknown", "no longer proved", *told)
            return False
        self._answered("network", watch.steps())
        return True

    # ---- What is printed

    def _texts(self, text: LibraryText, record: dict[str, Any], planned: NetworkPlan) -> None:
        name = text.name
        wanted = text.texts()
        for file in sorted({*wanted, PLAN, f"{name}_weights.bin", f"{name}.so"} ^ {*record["files"]}):
            self._say(file, "damaged", "it is no part of this library" if file in record["files"] else "it is missing")
        for file, content in wanted.items():
            path = self.folder / file
            if path.is_file() and path.read_bytes() != content.encode():
                self._say(file, "stale", "it is not what is printed today of the plan that is proved")
        weights = (self.folder / f"{name}_weights.bin").read_bytes()
        if len(weights) != text.size or weights[:HEADER_BYTES] != text.digest[:HEADER_BYTES].encode().ljust(
            HEADER_BYTES, b"\0"
        ):
            self._say(f"{name}_weights.bin", "damaged", "it holds weights of another network")
        library = Library(
            {}, planned.peak, text.size, text.digest, name, tuple(sorted(text.requires)), text.threads, record["target"]
        )
        today = json.loads(json.dumps(network_record(planned, library)))
        if differs := [k for k, v in today.items() if record.get(k) != v]:
            self._say(MARK, "stale", f"its {', '.join(differs)} are not what today's sources say")

    def _weights(self, text: LibraryText, cc: str | None, target: str | None) -> bool:
        """Compare the weights as the C packs them, compiled anew. Returns whether this compiler makes the same library."""
        with tempfile.TemporaryDirectory() as scratch:
            there = Path(scratch)
            for file, content in text.texts().items():
                (there / file).write_text(content, encoding="utf-8")
            text.link(there, cc, target)
            made = there / f"{text.name}.so"
            if text.weights(cc).tobytes() != (self.folder / f"{text.name}_weights.bin").read_bytes():
                self._say(f"{text.name}_weights.bin", "damaged", "it holds other elements than the model")
            return made.read_bytes() == (self.folder / f"{text.name}.so").read_bytes()
