"""isamap list kernels|models|hardware|instructions|rules: the names that commands take, and the rewrite rules."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from textwrap import shorten
from typing import Any

import click

from isamap_smt.cli.options import as_json
from isamap_smt.cli.output import answer, byte_count, console, table, tell
from isamap_smt.ir.errors import UnknownNameError, did_you_mean
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel

_WIDTH = 40  # characters of a row's description


@click.command("list")
@click.argument("what", metavar="kernels|models|hardware|instructions|rules")
@click.argument("name", required=False, metavar="[NAME]")
@as_json
def command(what: str, name: str | None, as_json: bool) -> None:
    """List the kernels, the models, the hardware or the instructions that other commands know by name, or the rewrite
    rules, each with the arithmetics in which it is proved.

    With NAME, a kernel or a machine is described in full; of instructions, those of this machine are listed.
    """
    things: dict[str, tuple[Callable[[str | None], dict[str, Any]], Callable[[dict[str, Any]], None]]] = {
        "kernels": (list_kernels, _show_kernel if name else _show_kernels),
        "models": (list_models, _show_models),
        "hardware": (list_hardware, _show_machine if name else _show_hardware),
        "instructions": (list_instructions, _show_instructions),
        "rules": (list_rules, _show_rules),
    }
    if what not in things:
        raise UnknownNameError(f"list {what!r}: {did_you_mean(what, things)}")
    listed, show = things[what]
    document = listed(name)
    answer(as_json, lambda: document, lambda: show(document))


def list_kernels(only: str | None = None) -> dict[str, Any]:
    """{"kernels": [{name, text, axes, tensors, parameters}]}, of one name or all."""
    from isamap_smt.language.library import find_kernel, kernel_names

    return {"kernels": [_kernel(name, find_kernel(name)) for name in ([only] if only else kernel_names())]}


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


def list_models(only: str | None = None) -> dict[str, Any]:
    """{"models": [{name, about, file, bytes}]}: the bundled networks. They are listed all together."""
    import isamap_kernels

    if only:
        raise click.UsageError(f"unexpected argument {only!r}: models are listed all together")
    about, files = isamap_kernels.NETWORKS, isamap_kernels.models()
    return {
        "models": [{"name": n, "about": about[n], "file": str(f), "bytes": f.stat().st_size} for n, f in files.items()]
    }


def _show_models(document: dict[str, Any]) -> None:
    rows = [(m["name"], m["about"], byte_count(m["bytes"])) for m in document["models"]]
    console().print(table("Models", "name", "what", "file", rows=rows))
    tell("\n`isamap run NAME` runs one beside onnxruntime, `isamap compile NAME -o DIR` makes a C library of it")


def list_hardware(only: str | None = None) -> dict[str, Any]:
    """{"hardware": [{name, description, memories, instructions, parameters, runs_here, target, executor}]}, of one name or all."""
    from isamap_smt.language.hardware_library import find_hardware, hardware_names

    return {"hardware": [_hardware(name, find_hardware(name)) for name in ([only] if only else hardware_names())]}


def _hardware(name: str, machine: Hardware) -> dict[str, Any]:
    from isamap_smt.architectures import ReadMachine
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
        **(
            {"notes": list(machine.notes), "unread": list(map(str, machine.unread))}
            if isinstance(machine, ReadMachine)
            else {}
        ),
    }


def list_instructions(only: str | None = None) -> dict[str, Any]:
    """{"instructions": [{name, axes, text, dtypes, kind, requires, runs_here}]} of one machine or all, computing ones first."""
    from isamap_smt.language.hardware_library import find_hardware, hardware_names

    machines = [find_hardware(name) for name in ([only] if only else hardware_names()) if only or name != "host"]
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
    """Whether this CPU has all features the instruction needs, and there is C for it."""
    from isamap_smt.language.hardware_library import missing_features

    return bool(instruction.emit) and not missing_features([instruction])


def _show_kernels(document: dict[str, Any]) -> None:
    from isamap_kernels import ABOUT

    rows = [(k["name"], ABOUT.get(k["name"], k["statements"][0])) for k in document["kernels"]]
    console().print(table("Kernels", "name", "what", rows=rows))
    folder, found = _examples()
    if found:
        console().print(table(f"\nExamples in {folder}", "file", "what", "kernels", rows=found))
        first, _, names = found[0]
        tell(
            f"\n`isamap list kernels {folder}/{first}:{names.split(', ')[0]}` shows one, `isamap list kernels gemm` another"
        )


def _examples() -> tuple[str, list[tuple[str, str, str]]]:
    """(the folder of the examples, (file, its subject, its kernels) of each), read and not run."""
    import isamap_kernels

    package = Path(isamap_kernels.__file__).parent
    folder = next((f for f in (package / "examples", package.parents[1] / "examples") if f.is_dir()), None)
    rows = []
    for file in sorted(folder.glob("*.py")) if folder else ():
        module = ast.parse(file.read_text())
        made = [n for n in module.body if isinstance(n, ast.Assign) and isinstance(n.value, ast.Call)]
        if any(ast.unparse(n.value.func) == "im.Hardware" for n in made if isinstance(n.value, ast.Call)):
            continue
        names = [t.id for n in made for t in n.targets if isinstance(t, ast.Name) and not t.id.startswith("_")]
        rows.append((file.name, _short(ast.get_docstring(module) or ""), ", ".join(names)))
    where = folder or package
    here = Path.cwd()
    return str(where.relative_to(here) if where.is_relative_to(here) else where), [r for r in rows if r[2]]


def _show_kernel(document: dict[str, Any]) -> None:
    (k,) = document["kernels"]
    console().print(k["name"], style="bold")
    tell(*(f"  {line}" for line in k["statements"]))
    tell("axes        " + ", ".join(f"{a} < {e}" for a, e in k["axes"].items()))
    tell("tensors     " + ", ".join(f"{t}[{', '.join(shape)}]" for t, shape in k["tensors"].items()))
    if k["parameters"]:
        tell("parameters  " + ", ".join(f"{n} >= {low}" for n, low in k["parameters"].items()))


def _short(text: str) -> str:
    """The first clause of a description, in at most _WIDTH characters."""
    whole = " ".join(text.split())
    clause = re.split(r"[:,.;](?= |$)| \(", whole)[0]
    clause = clause if " " in clause else whole
    return clause if len(clause) <= _WIDTH else shorten(clause, _WIDTH, placeholder="...")


def _how(h: dict[str, Any]) -> str:
    """Who executes a machine's programs here: this CPU, an emulator of it, a simulator or model, or nothing."""
    from isamap_smt.language.hardware_library import find_hardware

    if h["target"] == "c":
        return "runs here"
    machine = find_hardware(h["name"])
    if machine.no_c or (not h["target"] and any(i.emit for i in machine.computes)):
        return "simulator"
    return "emulator" if h["target"] else "maps only"


def _show_hardware(document: dict[str, Any]) -> None:
    first = sorted(document["hardware"], key=lambda h: h["name"] != "host")
    rows = (
        (h["name"], _short(h["description"]) if h["name"] != "host" else h["description"][:_WIDTH], _how(h))
        for h in first
    )
    console().print(table("Hardware", "name", "what", "executed", rows=rows))
    tell("\n`isamap list hardware NAME` tells a machine in full, `isamap list instructions NAME` its instructions")


def _show_machine(document: dict[str, Any]) -> None:
    (h,) = document["hardware"]
    console().print(f"{h['name']}: {h['description']}", style="bold")
    memories = ", ".join(m["name"] + (f" {byte_count(m['bytes'])}" if m["bytes"] else "") for m in h["memories"])
    by = (
        h["executor"]
        if h["target"] or _how(h) == "maps only"
        else f"{h['executor']}; --target simulate executes programs"
    )
    console().print(f"{_how(h):<13}  {by}")
    console().print(f"memories       {memories or 'none'}")
    if h["parameters"]:
        values = "; ".join(f"{n} = {', '.join(map(str, of)) or 'any'}" for n, of in h["parameters"].items())
        console().print(f"parameters     {values}")
    names = ", ".join(name.removeprefix(f"{h['name']}.") for name in h["instructions"])
    console().print(f"computes with  {names or 'nothing'}")
    if h.get("unread"):
        tell(*h["notes"], "not read or not kept of the file:", *(f"  {u}" for u in h["unread"]))


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


def list_rules(only: str | None = None) -> dict[str, Any]:
    """{"rules": [{name, left, right, where, types, verdicts, rounding}]}: see rule_document. They are listed all together."""
    from isamap_smt.mapping.rule_list import rule_document

    if only:
        raise click.UsageError(f"unexpected argument {only!r}: rules are listed all together")
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
