"""Every kernel of the library, at fixed sizes, is an instruction; the kernel maps onto it, and that is proved.

Convolutions are taken without padding: an instruction runs through its whole box, a padded kernel does not.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import isamap_kernels
import isamap_smt as im
from isamap_encodings.verdict import Unknown
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.proof import MappingError
from tests.attacks.executed import Work, right

SIZES = {
    "gemm": {"i": 2, "j": 3, "k": 4},
    "gemm_nt": {"i": 3, "j": 2, "k": 2},
    "gemm_tn": {"i": 2, "j": 3, "k": 2},
    "matvec": {"i": 3, "k": 4},
    "batched_gemm": {"b": 2, "i": 3, "j": 2, "k": 2},
    "conv2d": {"n": 1, "p": 2, "q": 2, "k": 2, "c": 3, "r": 3, "s": 2, "sp": 2, "sq": 1, "dp": 1, "dq": 2, "pp": 0, "pq": 0},
    "depthwise_conv2d": {"n": 2, "p": 2, "q": 3, "c": 2, "r": 2, "s": 2, "sp": 1, "sq": 2, "dp": 1, "dq": 1, "pp": 0, "pq": 0},
    "pointwise_conv2d": {"n": 2, "p": 2, "q": 2, "k": 3, "c": 2},
    "depthwise_separable_conv2d": {
        "n": 1, "p": 2, "q": 2, "c": 2, "k": 3, "r": 2, "s": 1, "sp": 1, "sq": 2, "dp": 2, "dq": 1, "pp": 0, "pq": 0
    },
    "linear_relu": {"i": 2, "j": 3, "k": 2},
    "linear_int8": {"i": 2, "j": 3, "k": 2},
    "linear_q4": {"i": 2, "j": 3, "b": 2},
    "two_layers": {"i": 2, "j": 3, "k": 2, "m": 2},
    "gru": {"t": 2, "b": 2, "j": 3, "c": 2},
    "lstm": {"t": 2, "b": 2, "j": 2, "c": 3},
}  # fmt: skip


STATEMENTS = [(name, n) for name in sorted(SIZES) for n in range(len(im.find_kernel(name).statements))]


def several_places(name: str, n: int) -> bool:
    """Whether the statement names one tensor at several places, as the step of a recurrent layer does."""
    s = im.find_kernel(name).statements[n]
    accesses = {s.target, *s.inputs}
    return len({a.tensor for a in accesses}) < len(accesses)


STEPS = [x for x in STATEMENTS if several_places(*x)]


def itself(kernel: Kernel, statement: int = 0) -> Instruction:
    """The instruction that computes the whole box of a statement in one execution (without padding every guard holds)."""
    s = replace(kernel.statements[statement], guard=())
    used = {s.target.tensor, *(a.tensor for a in s.inputs)}
    tensors = tuple(t for t in kernel.tensors if t.name in used)
    places = tuple((t.name, "memory") for t in tensors)
    contract = replace(
        kernel, tensors=tensors, statements=(s,), temporaries=(), recurrences=(), name=f"{kernel.name} itself"
    )
    return Instruction(f"self.{kernel.name}", contract, places=places)


def test_every_kernel_is_tried() -> None:
    assert set(SIZES) == set(isamap_kernels.names())


@pytest.mark.parametrize(("name", "n"), [x for x in STATEMENTS if x not in STEPS])
def test_a_kernel_maps_onto_itself(name: str, n: int) -> None:
    kernel = im.find_kernel(name).with_sizes(SIZES[name])
    axes = {a.name: (a.name,) for a in kernel.statements[n].axes}
    result = im.prove(im.fuse(kernel, itself(kernel, n), axes, statement=n))
    assert isinstance(result, ProvedMapping), str(result)
    assert all(int(a.extent) == 1 for a in result.mapping.outer)
    if kernel.statements[n].op == "+":  # the harness that carries mappings out knows products
        assert right(Work(kernel, {}, n), result.mapping)


def test_no_instruction_takes_one_operand_from_several_places() -> None:
    assert STEPS == [("gru", 4), ("linear_q4", 0), ("lstm", 4)]
    for name, n in STEPS:
        kernel = im.find_kernel(name).with_sizes(SIZES[name])
        mapping = im.fuse(
            kernel, itself(kernel, n), {a.name: (a.name,) for a in kernel.statements[n].axes}, statement=n
        )
        with pytest.raises(MappingError, match=r"at \d+ cells per point"):
            im.prove(mapping)


@pytest.mark.parametrize("name", ["gemm", "matvec"])
def test_a_kernel_of_any_size_maps_onto_its_own_block(name: str) -> None:
    kernel = im.find_kernel(name)
    block = itself(kernel.with_sizes(SIZES[name]))
    assert isinstance(im.prove(im.fuse(kernel, block, {a.name: (a.name,) for a in kernel.axes})), ProvedMapping)


def test_a_twisted_identity_is_refuted() -> None:
    kernel = im.find_kernel("gemm").with_sizes(SIZES["gemm"])
    result = im.prove(im.fuse(kernel, itself(kernel), {"i": ("j",), "j": ("i",), "k": ("k",)}))
    assert result.proof.word == "refuted"


def test_an_instruction_that_leaves_its_own_operands_is_refused() -> None:
    """A padded convolution taken for an instruction without its guard reads the cell before the first."""
    kernel = im.find_kernel("depthwise_conv2d").with_sizes({**SIZES["depthwise_conv2d"], "pq": 1})
    with pytest.raises(MappingError, match=re.escape("reads cell I[0,0,-1,0], and I has shape [2,3,4,2]")):
        im.prove(im.fuse(kernel, itself(kernel), {a.name: (a.name,) for a in kernel.axes}))


def test_a_padded_kernel_is_no_instruction_and_the_verdict_says_why() -> None:
    """Its identity is Unknown, not proved: a contract with a guard would compute some of its points only, and neither
    lowering nor the proof of programs knows such an instruction. Masks of real ones are a number of active lanes."""
    kernel = im.find_kernel("depthwise_conv2d").with_sizes({**SIZES["depthwise_conv2d"], "pq": 1})
    padded = Instruction("self.padded", replace(kernel, name="padded"), places=itself(kernel).places)
    result = im.prove(im.fuse(kernel, padded, {a.name: (a.name,) for a in kernel.axes}))
    assert result.proof.word == "unknown"
    (failed,) = result.proof.failed()
    assert (failed.claim, failed.subject) == ("scalar", "instruction")
    assert isinstance(failed.verdict, Unknown)
    assert failed.verdict.reason == "a contract is one statement without a guard; this one is not"


@pytest.mark.parametrize("name", ["conv2d", "depthwise_conv2d"])
def test_a_padded_kernel_maps_onto_its_own_unpadded_block(name: str) -> None:
    """Padding in the kernel is proved: points outside its guard are masked, or filled with what is neutral."""
    padded = im.find_kernel(name).with_sizes({**SIZES[name], "pq": 1})
    block = itself(im.find_kernel(name).with_sizes(SIZES[name]))
    axes = {a.name: (a.name,) for a in padded.axes}
    result = im.prove(im.fuse(padded, block, axes))
    assert result.proof.word in ("proved", "refuted")
    assert right(Work(padded, {}), result.mapping) is (result.proof.word == "proved")
