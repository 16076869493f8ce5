"""isamap list kernels|hardware|instructions|rules: the names that the other commands take, and what values may be rewritten by."""

from __future__ import annotations

from typing import Any

import click

from isamap_smt.cli.options import as_json
from isamap_smt.cli.output import answer, byte_count, console, table
from isamap_smt.ir.errors import UnknownNameError, did_you_mean
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel

_SHOWN = 6  # instructions of a machine that its row names


@click.command("list")
@click.argument("what", metavar="kernels|hardware|instructions|rules")
@as_json
def command(what: str, as_json: bool) -> None:
    """List the kernels, the hardware or the instructions that the other commands know by name, or the rewrite rules, each with
    the arithmetics in which it is proved."""
    things = {
        "kernels": (list_kernels, _show_kernels),
        "hardware": (list_hardware, _show_hardware),
        "instructions": (list_instructions, _show_instructions),
        "rules": (list_rules, _show_rules),
    }
    if what not in things:
        raise UnknownNameError(f"list {what!r}: {did_you_mean(what, things)}")
    listed, show = things[what]
    document = listed()
    answer(as_json, lambda: document, lambda: show(document))


def list_kernels() -> dict[str, Any]:
    """{"kernels": [{name, text, axes, tensors, parameters}]}."""
    from isamap_smt.language.library import find_kernel, kernel_names

    return {"kernels": [_kernel(name, find_kernel(name)) for name in kernel_names()]}


def _kernel(name: str, kernel: Kernel) -> dict[str, Any]:
    from isamap_smt.language.printer import source_lines

    return {
        "name": name,
        "text": kernel.text,
        "statements": source_lines(kernel),
        "axes": {a.name: str(a.extent) for a in kernel.axes},
        "tensors": {t.name: [str(e) for e in t.shape] for t in kernel.tensors},
        "parameters": {p.name: p.low for p in kernel.parameters},
    }


def list_hardware() -> dict[str, Any]:
    """{"hardware": [{name, description, memories, instructions, parameters, runs_here, target, executor}]}."""
    from isamap_smt.language.hardware_library import find_hardware, hardware_names

    return {"hardware": [_hardware(name, find_hardware(name)) for name in hardware_names()]}


def _hardware(name: str, machine: Hardware) -> dict[str, Any]:
    from isamap_smt.targets.target import executor_of

    target, executor = executor_of(machine)
    return {
        "name": name,
        "description": machine.description,
        "memories": [{"name": m.name, "bytes": m.capacity, "count": m.count} for m in machine.memories],
        "parameters": {p.name: list(p.values) for p in machine.whole.parameters},
        "instructions": [i.name for i in machine.computes],
        "runs_here": all(_runs_here(i) for i in machine.computes),
        "target": target,
        "executor": executor,
    }


def list_instructions() -> dict[str, Any]:
    """{"instructions": [{name, axes, text, dtypes, kind, requires, runs_here}]}, those that compute first."""
    from isamap_smt.language.hardware_library import find_hardware, hardware_names

    machines = [find_hardware(name) for name in hardware_names() if name != "host"]
    found = {i.name: i for m in machines for i in (*m.computes, *m.moves)}
    ordered = sorted(found.values(), key=lambda i: i.kind != "compute")
    return {"instructions": [_instruction(i) for i in ordered]}


def _instruction(instruction: Instruction) -> dict[str, Any]:
    return {
        "name": instruction.name,
        "axes": instruction.axes,
        "text": instruction.kernel.statements[0].source,
        "dtypes": {t.name: str(t.dtype) for t in instruction.kernel.tensors},
        "kind": instruction.kind,
        "requires": list(instruction.requires),
        "runs_here": _runs_here(instruction),
    }


def _runs_here(instruction: Instruction) -> bool:
    """Whether this CPU has what the instruction needs, and there is C for it."""
    from isamap_smt.language.hardware_library import missing_features

    return bool(instruction.emit) and not missing_features([instruction])


def _show_kernels(document: dict[str, Any]) -> None:
    rows = ((k["name"], "\n".join(k["statements"]), ", ".join(k["parameters"])) for k in document["kernels"])
    console().print(table("Kernels", "name", "statements", "parameters", rows=rows))


def _show_hardware(document: dict[str, Any]) -> None:
    rows = []
    for h in document["hardware"]:
        memories = ", ".join(m["name"] + (f" {byte_count(m['bytes'])}" if m["bytes"] else "") for m in h["memories"])
        names = ", ".join(name.rsplit(".", 1)[-1] for name in h["instructions"][:_SHOWN])
        if len(h["instructions"]) > _SHOWN:
            names += f" and {len(h['instructions']) - _SHOWN} more"
        by = h["executor"] if h["target"] else f"nothing here: {h['executor']}"
        rows.append((h["name"], h["description"], memories, names, by))
    console().print(table("Hardware", "name", "what", "memories", "computes with", "executed by", rows=rows))


def _show_instructions(document: dict[str, Any]) -> None:
    shown = table("Instructions that compute", "name", "meaning", "axes", "types", "runs here")
    for i in document["instructions"]:
        if i["kind"] == "compute":
            axes = " ".join(f"{a}={n}" for a, n in i["axes"].items())
            types = " ".join(f"{t}:{d}" for t, d in i["dtypes"].items())
            shown.add_row(i["name"], i["text"], axes, types, "yes" if i["runs_here"] else "no")
    moves = sum(i["kind"] != "compute" for i in document["instructions"])
    console().print(shown)
    console().print(f"and {moves} that move data (--json lists them)")


def list_rules() -> dict[str, Any]:
    """{"rules": [{name, left, right, where, types, verdicts, rounding}]}: see rule_document."""
    from isamap_smt.mapping.rule_list import rule_document

    return {"rules": rule_document()}


def _show_rules(document: dict[str, Any]) -> None:
    from isamap_smt.mapping.rule_list import shown_verdict

    shown = table("Rewrite rules", "name", "equal", "proved in", "refuted, or unknown")
    for r in document["rules"]:
        verdicts = r["verdicts"].items()
        proved = [
            a + (" " + " ".join(r["rounding"]) if a == "reals" else "") for a, v in verdicts if v["verdict"] == "proved"
        ]
        others = [f"{a} {shown_verdict(v) or v['verdict']}" for a, v in verdicts if v["verdict"] != "proved"]
        where = f"\nwhere {r['where']}" if r["where"] else ""
        types = "".join(f"\n{n}: {d}" for n, d in r["types"].items())
        shown.add_row(r["name"], f"{r['left']}\n{r['right']}{where}{types}", ", ".join(proved), "\n".join(others))
    console().print(shown)
