"""Shipped machines with one field damaged at random: a sentence that names the place comes out, or a right result; nothing else."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import isamap_hardware
import isamap_smt as im
from isamap_smt.ir.errors import IsamapError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Cost, Instruction
from isamap_smt.ir.kernel import Kernel

EACH = 25  # damages of each machine
SEED = 17
JUNK: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, -5, 3, 10**30, 0.0, -0.5, 1e-300, 1e300, float("nan"), float("inf"), "", " ", "x", "L1",
    "memory", "{", "}", "{zz}", "enum", "enum 0", "enum x", "../x", "ä ö", (), ("x",), ((),), (None,), [], {}, object(),
)  # fmt: skip
GEMM = im.kernel("C[i,j] += A[i,k] * B[k,j]", name="gemm", dtypes=dict.fromkeys("ABC", "f32"))
BYTES = im.kernel("C[i,j] += i32(A[i,k]) * i32(B[k,j])", name="bytes", dtypes={"A": "u8", "B": "i8", "C": "i32"})
KERNELS = {
    "amx": (BYTES, "dpbusd"),
    "avx2": (GEMM, "fmadd_ps"),
    "avx512": (GEMM, "fmadd_ps"),
    "avx512_vnni": (BYTES, "dpbusd"),
    "scalar": (GEMM, "muladd_f32"),
    "wmma": (GEMM.with_dtypes({"A": "f16", "B": "f16", "C": "f32"}), "16x16x16"),
}


def damaged(value: Any, rng: random.Random) -> Callable[[], Any]:
    """The value with one field in it replaced, dropped or doubled; made when it is called, as that may be refused."""
    match value:
        case Hardware() | im.Memory() | im.Link() | Instruction() | Cost():
            f = rng.choice(dataclasses.fields(value))
            part = getattr(value, f.name)
            inner = damaged(part, rng)
            return lambda: dataclasses.replace(value, **{f.name: inner()})
        case Kernel() if rng.random() < 0.8:
            text = _other_text(value, rng)
            extents = {a.name: rng.choice((int(a.extent), 1, 2, 4, 8, 16)) for a in value.axes}
            kinds = {t.name: rng.choice((str(t.dtype), str(t.dtype), "f32", "i8")) for t in value.tensors}
            return lambda: im.kernel(text, name=value.name, dtypes=kinds).with_sizes(extents)
        case tuple() if value and rng.random() < 0.9:
            n = rng.randrange(len(value))
            how = rng.randrange(8)
            if how == 0:
                return lambda: value[:n] + value[n + 1 :]
            if how == 1:
                return lambda: (*value, value[n])
            if how == 2:
                return lambda: value[::-1]
            inner = damaged(value[n], rng)
            return lambda: (*value[:n], inner(), *value[n + 1 :])
        case str() if value and rng.random() < 0.6:
            n = rng.randrange(len(value))
            return lambda: value[:n] + rng.choice(("", "x", "{", "_", value[n] * 2)) + value[n + 1 :]
        case int() | float() if not isinstance(value, bool) and rng.random() < 0.4:
            by = rng.choice((-1, 0, 0.5, 2, 3, 1000))
            return lambda: value * by
    junk = rng.choice(JUNK)
    return lambda: junk


def _other_text(kernel: Kernel, rng: random.Random) -> str:
    text = kernel.text.strip()
    return rng.choice((text, text.replace("+=", "="), text.replace("=", "-=", 1), text + " where 0 < 1", text + " * 2"))


def said(action: Callable[[], Any]) -> tuple[Any, str]:
    """(value, '') or (None, the sentence of a refusal); any other exception is what this file looks for."""
    try:
        return action(), ""
    except IsamapError as e:
        return None, str(e)


def use(machine: Hardware, kernel: im.Kernel, name: str) -> Iterator[str]:
    """What map, prove, schedule and lower say of one machine: '' for an answer."""
    instruction, refusal = said(lambda: machine.instruction(name))
    yield refusal
    if instruction is None:
        return
    found, refusal = said(lambda: im.find_mappings(kernel, instruction))
    yield refusal
    for proved in found.legal[:1] if found is not None else ():
        schedule, refusal = said(lambda p=proved: im.schedule(p, machine, {"i": 20, "j": 24, "k": 32}, timeout=2.0))
        yield refusal
        if schedule is not None:
            yield from checked(schedule)


def checked(schedule: im.Schedule) -> Iterator[str]:
    """A schedule's figures are figures, its parts are its objective, and its program is proved or said not to be."""
    assert schedule.objective is not None
    assert 0 < schedule.objective < float("inf")
    added = sum(p.amount for p in schedule.costs if not p.within)
    assert added == pytest.approx(schedule.objective)
    if all(i.emit for i in (schedule.proved.mapping.instruction,)):
        program, refusal = said(lambda: im.lower(schedule))
        yield refusal
        if program is not None:
            source, refusal = said(lambda: im.print_c(program))
            yield refusal
            assert source is None or "isamap_run" in source


def attack(name: str, seed: int) -> tuple[int, int]:
    """(damages that were refused when made, those used) of one machine."""
    rng = random.Random(f"{name} {seed}")
    machine = isamap_hardware.load(name)
    kernel, instruction = KERNELS[name]
    # instructions are many, and a damage in most of them is not met by the kernel
    small = dataclasses.replace(
        machine, instructions=tuple(i for i in machine.instructions if _near(i, machine, instruction))
    )
    refused = used = 0
    for _ in range(EACH):
        other, refusal = said(damaged(small, rng))
        if not isinstance(other, Hardware):
            refused += 1
            assert other is not None or refusal.strip(), refusal
            assert "fault of isamap" not in refusal
            continue
        used += 1
        for sentence in use(other, kernel, instruction):
            assert "fault of isamap" not in sentence
    return refused, used


def _near(i: Instruction, machine: Hardware, name: str) -> bool:
    """The instruction itself, and the moves of its registers."""
    wanted = machine.instruction(name)
    types = {t.dtype for t in wanted.kernel.tensors}
    return i is wanted or (i.kind != "compute" and i.kernel.tensors[0].dtype in types)


@pytest.mark.parametrize("name", KERNELS)
def test_a_sentence_or_a_right_result(name: str) -> None:
    refused, used = attack(name, SEED)
    assert refused > EACH // 6, "hardly a damage was noticed"
    assert used > EACH // 20, "nothing but refusals"
