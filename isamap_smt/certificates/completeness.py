"""Completeness as data: the legal list and the witnesses, checked over the whole family with plain integers."""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import asdict
from typing import Any

from isamap_smt.certificates.errors import DamagedError
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Access, Kernel
from isamap_smt.ir.mapping import Mapping
from isamap_smt.mapping.axes import AxesError, parse_axes
from isamap_smt.mapping.fuse import fuse
from isamap_smt.proof.family import Family
from isamap_smt.proof.family_witnesses import KernelWitness, OneWitness, PairWitness, Witness


def family_document(family: Family) -> dict[str, Any]:
    """What the family is, besides kernel and instruction."""
    return {
        "name": "fuse",
        "operands": family.operands,
        "partial": family.partial,
        "statement": family.statement,
        "candidates": family.size,
    }


def family_from(document: Dict[str, Any], kernel: Kernel, instruction: Instruction) -> Family:
    """The family between today's kernel and instruction."""
    return Family(kernel, instruction, document["operands"], document["partial"], document["statement"])


def witness_document(witness: Witness, family: Family) -> dict[str, Any]:
    """One witness: integers, and the element it speaks of by its place in the statement."""
    match witness:
        case PairWitness():
            places = accesses(family)
            return {
                "kind": "pair",
                "claim": witness.claim,
                "access": places.index(witness.access),
                "element": f"{witness.access.tensor}[{', '.join(map(str, witness.access.index))}]",
                "sizes": dict(witness.sizes),
                "first": list(witness.first),
                "second": list(witness.second),
            }
    kind = "kernel" if isinstance(witness, KernelWitness) else "one"
    return {"kind": kind, **asdict(witness), "values": dict(witness.values)}


def witness_from(document: Dict[str, Any], family: Family) -> Witness:
    """The witness against today's kernel. Raises DamagedError for one that speaks of nothing there is."""
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
                )
            case "kernel":
                values = tuple(document["values"].items())
                return KernelWitness(
                    document["claim"], document["subject"], document["binding"], values, document["text"]
                )
            case "one":
                values = tuple(document["values"].items())
                return OneWitness(document["claim"], int(document["candidate"]), values, document["text"])
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise DamagedError(f"a witness is not of the form it should have: {error!r}") from None
    raise DamagedError(f"a witness is of the unknown kind {document['kind']!r}")


def listed(family: Family, identifier: str) -> Mapping:
    """The mapping of the family that this id names (`l=j,e=k;a=A,b=B`), in whichever order its instruction writes the
    operands today. Raises IsamapError where there is none.
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
    """The elements of the family's statement: the target, then what is read."""
    statement = family.kernel.statements[family.statement]
    return (statement.target, *statement.inputs)
