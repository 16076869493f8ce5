"""Shipped machines read contracts when they are first asked for: what is said of them before is what the contracts say."""

from __future__ import annotations

import subprocess
import sys

import pytest

import isamap_hardware
import isamap_smt as im
from isamap_smt.ir.described import Described, key_text
from isamap_smt.language.outline import outline

SAID = ("name", "kind", "places", "emit", "requires", "rounding", "c_types", "active", "target", "combines", "types", "shapes",
        "indices", "needs", "preconditions", "assume", "front", "may_fail", "grants", "engine")  # fmt: skip

# In a process of its own: every machine as its file makes it when it is imported, and as find_hardware() makes it.
_BOTH = """
import sys, importlib
import isamap_smt as im, isamap_hardware
from isamap_smt.ir.described import Described
later = {n: im.find_hardware(n) for n in isamap_hardware.NAMES}
ours = [i for h in later.values() for i in h.instructions if type(i) is Described]
said = {id(i): {n: i.__dict__[n] for n in SAID if n in i.__dict__} for i in ours}
assert len(said) > 900 and {n for s in said.values() for n in s} == set(SAID)
assert all(type(i) is Described for i in ours)
hashes = {id(i): hash(i) for h in later.values() for i in h.instructions}
for module in [m for m in sys.modules if m.startswith("isamap_hardware")]:
    del sys.modules[module]
for n, h in later.items():
    now = importlib.import_module(f"isamap_hardware.{n}").HARDWARE.at()
    assert [i.name for i in h.instructions] == [i.name for i in now.instructions]
    for one, other in zip(h.instructions, now.instructions):
        for field, value in said.get(id(one), {}).items():
            assert value == getattr(other, field), (one.name, field, value, getattr(other, field))
            assert list(value) == list(getattr(other, field)) if field == "types" else True
        assert hashes[id(one)] == hash(other) and one == other and repr(one) == repr(other), one.name
    assert h == now, n
print("same")
"""


def test_every_shipped_contract() -> None:
    run = subprocess.run([sys.executable, "-c", f"SAID = {SAID}\n{_BOTH}"], capture_output=True, text=True, check=False)
    assert run.stdout == "same\n", run.stderr


_FIRST = """
import copy, pickle
from dataclasses import replace
import isamap_smt as im
from isamap_smt.ir.described import Described, key_text
from isamap_smt.ir.instruction import Instruction
machine = im.find_hardware("avx2")
key, first, second, third = key_text(machine), *machine.computes[:3]
assert {type(i) for i in (first, second, third)} == {Described}
assert replace(first, temporaries=2).temporaries == 2
assert type(first) is Instruction
assert type(replace(second, emit="")) is Instruction and replace(second, emit="").kernel is second.kernel
assert pickle.loads(pickle.dumps(third)) == third == copy.deepcopy(third)
assert machine.computes[4] != machine.computes[5] and type(machine.computes[4]) is Described
assert machine.computes[6] == replace(machine.computes[6], temporaries=machine.computes[6].temporaries)
assert key_text(machine) == key
"""


def test_a_described_instruction_is_an_instruction() -> None:
    run = subprocess.run([sys.executable, "-c", _FIRST], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_what_a_user_describes_is_read_at_once() -> None:
    assert not any(type(i) is Described for i in im.find_hardware("examples/outer_product.py:MACHINE").instructions)
    with pytest.raises(im.IsamapError, match="never closed"):
        im.instruction("u.bad", "c[l] = a[l] + b[", axes={"l": 4}, dtypes={}, places={})


def test_what_a_user_adds_is_in_the_key() -> None:
    avx2 = im.find_hardware("avx2")
    lanes = dict.fromkeys("abc", "ymm")
    given = dict(
        axes={"l": 8}, dtypes=dict.fromkeys("abc", "f32"), places=lanes, c_types=dict.fromkeys("abc", "__m256")
    )
    own = [
        im.instruction("u.add", "c[l] = a[l] + b[l]", emit="{c} = {a} + {b};", temporaries=n, **given) for n in (1, 3)
    ]
    more = [im.Hardware("mine", avx2.memories, avx2.links, (*avx2.instructions, i)) for i in own]
    assert len({key_text(h) for h in (avx2, *more)}) == 3


@pytest.mark.parametrize("name", isamap_hardware.IN_HOST)
def test_the_feature_that_a_machine_in_host_needs(name: str) -> None:
    machine, feature = isamap_hardware.load(name), isamap_hardware.IN_HOST[name]
    computing = [i for i in machine.instructions if i.kind == "compute" and i.emit]
    assert computing and all(feature in i.requires for i in computing if feature)


def test_host_has_every_machine_without_engines_and_parameters() -> None:
    others = [isamap_hardware.load(n) for n in isamap_hardware.NAMES if n not in isamap_hardware.IN_HOST]
    assert all(m.engines or m.parameters or not any(i.emit for i in m.computes) for m in others)


def test_all_of_a_cpu_at_once_fits_together() -> None:
    """What host() makes of any features is a part of this, whose parts are checked against each other."""
    from isamap_hardware.host import host

    for features in ({"asimd"}, {"amx_tile", "avx512f", "avx2"}):
        machines = [im.find_hardware(n) for n, f in isamap_hardware.IN_HOST.items() if not f or f in features]
        all_ = host({f for m in machines for i in m.instructions for f in i.requires})
        assert {i.name for i in all_.instructions} > {i.name for m in machines for i in m.computes if i.emit}
        im.Hardware("all", all_.memories, all_.links, all_.instructions)


@pytest.mark.parametrize(
    "text", ["c[l] = a[i]", "c[l] = a[l]\nd[l] = a[l]", "c[l] = sum(k, a[k])", "c[l] += a[l-1]", "c[l] =a[l]"]
)
def test_no_outline(text: str) -> None:
    assert outline(text, {"l": 4}) is None
