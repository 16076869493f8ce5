"""What no engine's state is: of two engines, of a core's kind, half written, or needed without saying which set or what value."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import isamap_hardware
import isamap_smt as im
from isamap_smt.ir.errors import HardwareError, LanguageError

MACHINE = isamap_hardware.load("gemmini")
BY_NAME = {i.short: i for i in MACHINE.instructions}


def machine(name: str = "", memory: str = "", also: Any = None, **fields: Any) -> im.Hardware:
    """Gemmini with another instruction or memory, or one more."""
    changed = {**BY_NAME, name: replace(BY_NAME[name], **fields)} if name else BY_NAME
    memories = tuple(replace(m, **fields) if m.name == memory else m for m in MACHINE.memories)
    more = () if also is None else (also,)
    return replace(MACHINE, instructions=(*changed.values(), *more), memories=memories)


def needing(*needs: str) -> im.Hardware:
    return machine("mvin", needs=needs)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (
            lambda: machine("config_ld", engine="store"),
            r"mvin.* needs loads on load, and gemmini.config_ld writes it on store; engines do not wait for each other there",
        ),
        (
            lambda: replace(MACHINE, instructions=tuple(i for i in MACHINE.instructions if i.short != "config_st")),
            r"gemmini.mvout needs stores, and no instruction writes it; add one with the contract 'cfg.x. = new.x.'",
        ),
        (
            lambda: machine(also=replace(BY_NAME["config_st"], name="gemmini.config_again")),
            r"gemmini.config_st and gemmini.config_again write stores; one instruction writes all cells of a set",
        ),
        (
            lambda: machine("mvin", emit=BY_NAME["mvin"].emit.replace("{loads}", "0")),
            r"takes one of 3 sets of loads, and its emit does not say which; \{loads\} is the number there",
        ),
        (
            lambda: machine(memory="loads", capacity=160, count=4),
            r"writes 4 cells of 8 bytes of loads, which has 160 bytes for 4 sets",
        ),
        (lambda: needing("loads[4] = 1"), r"needs 'loads.4. = 1', and loads has 4 cells"),
        (
            lambda: machine("mvout", needs=("store[0] = 1",)),
            r"store is no memory of kind=.state.; did you mean .?stores",
        ),
        (
            lambda: replace(
                isamap_hardware.load("amx"),
                memories=tuple(
                    replace(m, count=2, capacity=128) if m.is_state else m for m in isamap_hardware.load("amx").memories
                ),
            ),
            r"memory tilecfg: the cells of a core's state are one set; leave count out",
        ),
    ],
)
def test_no_such_machine(make: Any, told: str) -> None:
    with pytest.raises(HardwareError, match=told):
        make()


@pytest.mark.parametrize(
    ("needs", "told"),
    [
        (
            "loads[0] = across",
            r"needs 'loads.0. = across': 'across' is no stride, no operand of one element and no axis",
        ),
        ("loads[0] = rows", r"'rows' is no stride"),
        ("loads[down] = 0", r"write a cell by its number and what it must hold"),
        ("loads[0.5] = 0", r"write a cell by its number and what it must hold"),
        ("loads", r"write a cell by its number and what it must hold"),
    ],
)
def test_no_such_need(needs: str, told: str) -> None:
    with pytest.raises(LanguageError, match=told):
        needing(needs)


def test_no_value_of_two_operands() -> None:
    i = BY_NAME["mvout_i8"]
    with pytest.raises(LanguageError, match="a number, a sum of products of strides, or one operand, such as"):
        replace(i, needs=("stores[1] = s + down",))
    with pytest.raises(LanguageError, match="a cell holds one number"):
        replace(i, needs=("stores[1] = s", "stores[1] = 0"))


def test_what_writes_it_is_a_command_of_numbers() -> None:
    fields: dict[str, Any] = dict(
        axes={"x": 4}, places={"cfg": "loads[x]", "new": "code"}, engine="load", emit="f({new});"
    )
    with pytest.raises(LanguageError, match="cells of an engine's state hold numbers of the type i64"):
        im.instruction("g.config", "cfg[x] = new[x]", dtypes={"cfg": "u8", "new": "u8"}, **fields)
    cleared = fields | {"dtypes": {"cfg": "i64"}, "places": {"cfg": "loads[x]"}, "emit": "f();"}
    with pytest.raises(LanguageError, match="hold numbers of the type i64"):
        im.instruction("g.config", "cfg[x] = 0", **cleared)
