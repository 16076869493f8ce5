"""Machines that are read from architectures are planned for, their programs proved, and simulated with the values of the kernel."""

from __future__ import annotations

import numpy as np
import pytest

import isamap_smt as im
from tests.architectures.shown import NAMES, example, planned

EVEN = (("i", 32), ("j", 48), ("k", 64))
ODD = (("i", 33), ("j", 29), ("k", 37))


@pytest.mark.parametrize("sizes", [EVEN, ODD], ids=["even", "odd"])
@pytest.mark.parametrize("name", NAMES)
def test_a_product_is_planned_proved_and_simulated(name: str, sizes: tuple[tuple[str, int], ...]) -> None:
    plan = planned(name, "gemm", *sizes)
    assert plan.proof.word == "proved"
    draw = np.random.default_rng(7)
    arrays = {
        n: draw.integers(-128, 128, [int(e) for e in plan.kernel.tensor(n).shape]).astype(np.int8)
        for n in plan.kernel.inputs
    }
    run = im.simulate(plan.program, arrays)
    assert run.sound and run.cycles == plan.cycles
    expected = arrays["A"].astype(np.int32) @ arrays["B"].astype(np.int32)
    assert (run.outputs["C"] == expected).all()


def test_a_program_of_open_sizes_is_proved_for_all() -> None:
    plan = im.plan("gemm", str(example("weight_stationary")))
    assert plan.proof.word == "proved" and plan.kernel.free_sizes
    assert plan.traffic().sizes == (("i", 64), ("j", 64), ("k", 64))
    assert plan.traffic({"i": 16, "j": 16, "k": 16}).of("dram", "C").writes == 256


def test_memories_and_moves_are_those_of_the_levels() -> None:
    machine = im.from_timeloop(example("weight_stationary"))
    rows = {m.name: (m.rows, m.row) for m in machine.memories}
    assert rows == {"scratchpad": (4096, 16), "accumulator": (1024, 64), "weight": (32, 16), "dram": (0, 0)}
    assert machine.memory("dram").bandwidth == 16 and machine.memory("scratchpad").bandwidth is None
    product, load, move = (machine.instruction(n) for n in ("product", "load_a", "move_b"))
    assert product.axes == {"i": 16, "j": 16, "k": 16} and product.occupies.cycles(1) == 16
    assert load.occupies == im.Work(0, 1, ("r",))  # 16 bytes of a row at 16 a cycle
    assert move.occupies == im.Work(0, 0.5, ("r",)) and move.engine == "from_scratchpad"
    assert dict(move.places) == {"s": "weight", "g": "scratchpad"}


def test_the_mesh_takes_the_axes_that_are_asked_for() -> None:
    machine = im.from_zigzag(example("tpu_like"), unroll={"i": 16, "k": 16})
    # weights are the same along D1: two tiles of 16 x 4 have room in the 16 bytes times 8 that differ
    assert machine.instruction("product").axes == {"i": 16, "j": 4, "k": 16}
    assert "D1 (16) takes i" in machine.notes and "D2 (16) takes k" in machine.notes
    wide = im.from_zigzag(example("tpu_like"), unroll={"k": 256})
    assert wide.instruction("product").axes["k"] == 256


def test_numbers_of_the_file_are_replaced() -> None:
    machine = im.from_zigzag(example("tpu_like"), D1=8, sram_size=1 << 21, i=32)
    assert machine.instruction("product").axes == {"i": 32, "j": 8, "k": 16}
    assert sum(m.capacity for m in machine.memories if m.name.startswith("sram")) == 1 << 18
    assert im.find_hardware(f"{example('eyeriss_like')}(buffer_depth=1024)").memory("buffer").capacity == 4092


def test_sums_have_the_part_of_a_memory_that_is_said() -> None:
    machine = im.from_zigzag(example("tpu_like"), sums=0.25)
    assert [machine.memory(n).capacity for n in ("sram", "sram_sums")] == [98304, 32768]
    with pytest.raises(im.IsamapError, match="sums=1"):
        im.from_zigzag(example("tpu_like"), sums=1)


def test_a_sweep_and_a_table_take_the_file() -> None:
    swept = im.sweep(str(example("tpu_like")), {"sram_size": [1 << 17, 1 << 19]}, ["gemm@i=32,j=32,k=32"], jobs=1)
    assert swept.complete and [m.title for m in swept.machines] == ["sram_size=131072", "sram_size=524288"]
    asked = im.table(["gemm@i=32,j=32,k=32"], [str(example("weight_stationary"))], jobs=1)
    assert asked.answers[0][0] is not None and asked.answers[0][0].status == "OPTIMAL"


def test_floating_point_and_types_that_are_given() -> None:
    text = example("eyeriss_like").read_text().replace("intmac", "fpmac").replace("datawidth: 8", "datawidth: 16")
    machine = im.from_timeloop(text)
    assert {t.name: str(t.dtype) for t in machine.instruction("product").kernel.tensors} == {
        "a": "f16",
        "b": "f16",
        "acc": "f32",
    }
    plan = im.plan("gemm", machine, sizes={"i": 16, "j": 16, "k": 16})
    assert plan.proof.word == "proved"
    other = im.from_timeloop(example("eyeriss_like"), dtypes={"acc": "i64"})
    assert str(other.instruction("clear").kernel.tensor("acc").dtype) == "i64"


def test_containers_say_the_bits_of_elements_for_all_below_them() -> None:
    text = (
        example("weight_stationary")
        .read_text()
        .replace(", word-bits: 8", "")
        .replace("attributes: {technology: 22nm}", "attributes: {datawidth: 16}")
    )
    machine = im.from_timeloop(text)
    types = {t.name: str(t.dtype) for t in machine.instruction("product").kernel.tensors}
    assert types == {"a": "i16", "b": "i16", "acc": "i32"}


def test_one_multiplier_and_one_dimension() -> None:
    lines = example("tpu_like").read_text().splitlines(keepends=True)
    one = "".join(lines).replace("sizes: [16, 16]", "sizes: [1, 1]")
    machine = im.from_zigzag(one.replace("size: 64\n", "size: 65536\n"), in_time={"i": 8, "j": 8, "k": 8})
    assert machine.instruction("product").occupies.start >= 512
    assert im.plan("gemm", machine, sizes={"i": 9, "j": 9, "k": 9}).proof.word == "proved"
    row = im.from_zigzag(
        "".join(lines).replace("sizes: [16, 16]", "sizes: [1, 16]").replace("size: 64\n", "size: 1024\n")
    )
    assert row.instruction("product").axes["k"] == 16  # along D2 sums are added


def test_a_machine_is_sent_to_other_processes() -> None:
    import pickle

    machine = im.from_architecture(example("eyeriss_like"))
    again = pickle.loads(pickle.dumps(machine))
    assert again == machine and again.unread == machine.unread and again.counted == machine.counted
