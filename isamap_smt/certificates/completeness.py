"""Completeness as data: the legal list, the witnesses with their clauses, and the claim that nothing else satisfies these."""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import asdict
from typing import Any

from isamap_encodings.models import Cube, Model
from isamap_encodings.verdict import Verdict
from isamap_smt.certificates.errors import DamagedError
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Access, Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.proof import ClaimResult
from isamap_smt.mapping.axes import AxesError, parse_axes
from isamap_smt.mapping.fuse import Binding, fuse
from isamap_smt.proof.family import Family, known_family
from isamap_smt.proof.family_witnesses import KernelWitness, OneWitness, OrderWitness, PairWitness, Witness

OUTSIDE = "-"  # of the instruction


def family_document(family: Family) -> dict[str, Any]:
    """The family, besides kernel and instruction."""
    return {
        "name": family.name,
        "operands": family.operands,
        "partial": family.partial,
        "statement": family.statement,
        "candidates": family.size,
    }


def family_from(document: Dict[str, Any], kernel: Kernel, instruction: Instruction) -> Family:
    """The family between today's kernel and instruction."""
    name = known_family(document["name"])
    return Family(kernel, instruction, document["operands"], document["partial"], document["statement"], name)


def witness_document(witness: Witness, family: Family) -> dict[str, Any]:
    """One witness: integers, its element by the place in the statement, and the candidates it excludes."""
    match witness:
        case PairWitness():
            places = accesses(family)
            return {
                "kind": "pair",
                "claim": witness.claim,
                "access": places.index(witness.access),
                "element": _element(witness.access),
                "sizes": dict(witness.sizes),
                "first": list(witness.first),
                "second": list(witness.second),
                "excludes": _cube_document(witness.where, family),
            }
        case OneWitness():
            candidate = family.mapping(witness.candidate).id
            return {"kind": "one", **asdict(witness), "candidate": candidate, "values": dict(witness.values)}
    kind = "order" if isinstance(witness, OrderWitness) else "kernel"
    return {"kind": kind, **asdict(witness), "values": dict(witness.values)}


def _element(access: Access) -> str:
    return f"{access.tensor}[{', '.join(map(str, access.index))}]"


def _cube_document(cube: Cube, family: Family) -> dict[str, Any]:
    """For each restricted kernel axis, its possible instruction axes (- for none); and the operands, unless in any order."""
    names = (OUTSIDE, *family.choices.places)
    pairs = zip(family.axes, cube.places, strict=True)
    axes = {a: [names[g] for g in sorted(places)] for a, places in pairs if len(places) < len(names)}
    if len(cube.bindings) == len(family.bindings):
        return {"axes": axes}
    return {"axes": axes, "operands": [_fed(family.bindings[b]) for b in sorted(cube.bindings)]}


def _fed(binding: Binding) -> dict[str, str]:
    return {operand: _element(access) for operand, access in binding}


def _cube_from(document: Dict[str, Any], family: Family) -> Cube:
    """Raises KeyError and ValueError for unknown names."""
    names, everything = (OUTSIDE, *family.choices.places), family.everything
    places = list(everything.places)
    for a, where in document["axes"].items():
        places[family.axes.index(a)] = frozenset(names.index(t) for t in where)
    fed = list(map(_fed, family.bindings))
    bound = document.get("operands")
    bindings = everything.bindings if bound is None else frozenset(fed.index(one) for one in bound)
    return Cube(bindings, tuple(places))


def witness_from(document: Dict[str, Any], family: Family) -> Witness:
    """The witness against today's kernel. Raises DamagedError if it speaks of unknown things."""
    try:
        match document["kind"]:
            case "pair":
                axes = len(family.axes)
                first, second = tuple(map(int, document["first"])), tuple(map(int, document["second"]))
                if len(first) != axes or len(second) != axes:
                    raise DamagedError("a witness has another number of axes than the kernel")
                return PairWitness(
                    document["claim"],
                    accesses(family)[document["access"]],
                    tuple((n, int(v)) for n, v in document["sizes"].items()),
                    first,
                    second,
                    _cube_from(document["excludes"], family),
                )
            case "kernel":
                values = tuple(document["values"].items())
                return KernelWitness(
                    document["claim"], document["subject"], document["binding"], values, document["text"]
                )
            case "order":
                values = tuple(document["values"].items())
                found = OrderWitness(document["axis"], document["point"], values, document["text"])
                found.where(family)  # its names are names of something
                return found
            case "one":
                values = tuple(document["values"].items())
                return OneWitness(
                    document["claim"], _candidate(document["candidate"], family), values, document["text"]
                )
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise DamagedError(f"a witness is not of the form it should have: {error!r}") from None
    raise DamagedError(f"a witness is of the unknown kind {document['kind']!r}")


def _candidate(identifier: str, family: Family) -> Model:
    try:
        found = family.candidate(listed(family, identifier))
    except IsamapError as error:
        raise DamagedError(f"a witness speaks of {identifier}: {error}") from None
    if found is None:
        raise DamagedError(f"a witness speaks of {identifier}, which is not of the family")
    return found


def complete_claim(legal: int, witnesses: int, family: Family, verdict: Verdict) -> ClaimResult:
    """The claim in words, with the solver's verdict."""
    words = (
        f"each of {family.size} candidates is one of {legal} listed ones, not in normal form, or excluded by one of "
        f"{witnesses} witnesses"
    )
    return ClaimResult("complete", "", verdict, words)


def listed(family: Family, identifier: str) -> Mapping:
    """The family's mapping of this id (`l=j,e=k;a=A,b=B`), in whichever order its instruction writes the
    operands today. Raises IsamapError if there is none.
    """
    groups, pairs = _named(identifier)
    mapping = fuse(family.kernel, family.instruction, groups, pairs, family.statement, partial=family.partial)
    if _named(mapping.id) != (groups, pairs):
        raise AxesError(f"{identifier!r} is not the id of a mapping; {mapping.id!r} would be")
    return mapping


def _named(identifier: str) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    """The groups of axes, and the tensor of each operand, of a mapping's id."""
    axes, _, operands = identifier.partition(";")
    pairs = dict(pair.partition("=")[::2] for pair in operands.split(","))
    return {} if axes == "point" else dict(parse_axes(axes)), pairs


def accesses(family: Family) -> tuple[Access, ...]:
    """The elements of the family's statement: the target, then the reads."""
    statement = family.kernel.statements[family.statement]
    return (statement.target, *statement.inputs)
