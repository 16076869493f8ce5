"""What a search says: its certificate can be checked again, conflicts are smallest, and nothing is counted twice."""

from __future__ import annotations

from dataclasses import replace

import pytest

import isamap_smt as im
from isamap_smt.ir.proof import ProvedMapping
from isamap_smt.proof.family import FamilyError
from isamap_smt.proof.family_witnesses import KernelWitness, OneWitness, OrderWitness, PairWitness
from isamap_smt.search import MappingSet, check_certificate, find_mappings

F32 = dict.fromkeys("abc", "f32")
PLACES = dict.fromkeys("abc", "v")
MMA = im.instruction("toy.mma", "c[i,j] += a[i,k] * b[k,j]", axes={"i": 4, "j": 4, "k": 4}, dtypes=F32, places=PLACES)
PAIR = im.instruction("toy.pair", "c[l] += a[l] * b[l]", axes={"l": 4}, dtypes=F32, places=PLACES)
GEMM = im.kernel("C[i,j] += A[i,k] * B[k,j]", name="gemm")
CONV = im.kernel("O[n,p,k] += I[n,p+r,c] * W[r,k,c]", name="conv1d")


@pytest.fixture(scope="module")
def conv() -> MappingSet:
    return find_mappings(CONV, MMA, operands="fixed")


def test_legal_mappings_are_proved_and_named_by_their_axes(conv: MappingSet) -> None:
    assert all(isinstance(p, ProvedMapping) for p in conv)
    assert conv["i=n.p,j=k,k=r.c;a=I,b=W"].proof.proved
    assert len(conv) == 9
    assert "9 legal of 390 candidates" in str(conv)


def test_the_certificate_holds(conv: MappingSet) -> None:
    checked = check_certificate(conv)
    assert checked.ok and checked.candidates == 390 and not checked.uncovered


def test_no_witness_can_be_left_out(conv: MappingSet) -> None:
    """Witnesses are found one after another for candidates that the earlier ones leave open; some may become idle."""
    needed = 0
    for k in range(len(conv.witnesses)):
        checked = check_certificate(replace(conv, witnesses=conv.witnesses[:k] + conv.witnesses[k + 1 :]))
        needed += not checked.ok
        assert checked.ok or checked.uncovered
    assert needed > 0
    assert not check_certificate(replace(conv, witnesses=conv.witnesses[:-1])).ok
    assert not check_certificate(replace(conv, witnesses=())).ok


def test_a_legal_mapping_cannot_be_left_out(conv: MappingSet) -> None:
    checked = check_certificate(replace(conv, legal=conv.legal[1:]))
    assert not checked.ok
    assert checked.uncovered == (conv.legal[0].mapping.id,)


def test_a_forged_witness_is_a_fault(conv: MappingSet) -> None:
    good = next(w for w in conv.witnesses if isinstance(w, PairWitness))
    same_point = replace(good, second=good.first)
    outside = replace(good, second=tuple(v + 100 for v in good.second))
    for forged in (same_point, outside):
        checked = check_certificate(replace(conv, witnesses=(*conv.witnesses, forged)))
        assert not checked.ok and checked.faults
    everything = KernelWitness("bounds", "a", None, tuple({**dict(good.sizes), **dict.fromkeys("npkrc", 0)}.items()))
    assert not check_certificate(replace(conv, witnesses=(everything,))).ok


def test_conflicts_are_the_smallest_parts_with_a_witness(conv: MappingSet) -> None:
    parts = {str(c.part): c for c in conv.conflicts}
    assert {"i=k", "i=r", "i=c", "j=n", "j=p", "j=r", "j=c", "k=n", "k=p", "k=k"} == set(parts)
    assert parts["k=p"].claim == "agreement"
    assert "which cannot hold O[0,0,0] and O[0,1,0]" in parts["k=p"].witness
    assert "(smallest; C=1 K=1 N=1 P=2 R=1)" in parts["k=p"].witness
    assert parts["i=r"].claim == "exclusive"


def test_fixed_sizes_show_no_conflict_that_a_legal_mapping_contains() -> None:
    found = find_mappings(GEMM.with_sizes({"j": 2, "k": 6}), MMA, operands="fixed", partial=True)
    used = [{(t, a) for t, g in p.mapping.groups for a in g} for p in found]
    for c in found.conflicts:
        literals = {(t, a) for t, g in c.part.items() for a in g}
        assert not any(literals <= u for u in used)


def test_a_digit_that_never_changes_is_an_outer_loop() -> None:
    free = find_mappings(GEMM, MMA, operands="fixed")
    assert free.redundant == 0
    fixed = find_mappings(GEMM.with_sizes({"k": 8}), MMA, operands="fixed", partial=True)
    assert fixed.redundant > 0
    ids = {p.mapping.id for p in fixed}
    assert "i=i,j=j,k=k;a=A,b=B" in ids
    # k alone fills whole tiles, so an axis fused outside it never changes within an execution.
    assert not any("i.k" in i or "j.k" in i for i in ids)
    one = find_mappings(GEMM.with_sizes({"k": 1}), MMA, operands="fixed", partial=True)
    assert {p.mapping.id for p in one if ",k=-;" not in p.mapping.id} == set()


def test_where_nothing_is_legal_the_smallest_reason_per_axis_is_given() -> None:
    found = find_mappings(im.kernel("y[i] += A[i,k] * x[k]", name="matvec"), MMA, operands="fixed")
    assert found.complete and not found.legal
    assert found.candidates == 0
    why = "matvec has 2 axes and toy.mma needs 3; partial use pads the others: --partial, or partial=True"
    assert found.reasons == (("i,j,k", why),)
    dot = find_mappings(im.kernel("s[n] += A[n,k] * B[n,k]\n", name="dots").with_sizes({}), PAIR)
    assert [p.mapping.id for p in dot] == ["l=n;a=A,b=B"]
    none = find_mappings(im.kernel("s[] += A[k] * B[k]", name="dot"), PAIR)
    ((axis, why),) = none.reasons
    assert axis == "l"
    assert why.startswith("no axis of dot can feed it (k: exclusive cells c[0] and c[1] would both hold s[]")


def test_element_types_that_fit_no_operand_are_the_reason() -> None:
    found = find_mappings(GEMM.with_dtypes({"A": "f64"}), MMA, operands="any")
    assert found.complete and not found.legal
    assert "f64" in str(found)
    fixed = find_mappings(GEMM.with_dtypes({"A": "f64"}), MMA, operands="fixed")
    assert (len(fixed.legal), fixed.refuted) == (0, fixed.candidates)
    assert len(fixed.witnesses) == 1 and isinstance(fixed.witnesses[0], KernelWitness)
    assert "operand a of toy.mma is f32, A holds f64" in str(fixed)
    assert check_certificate(fixed).ok


def test_a_kernel_that_reads_past_its_tensor_is_refuted_once() -> None:
    k = im.kernel("A: [I,K]\nC[i,j] += A[i,k+1] * B[k,j]", name="shifted")
    found = find_mappings(k, MMA, operands="fixed")
    assert found.complete and not found.legal
    assert [type(w).__name__ for w in found.witnesses][-1] == "KernelWitness"
    assert check_certificate(found).ok


def test_ordered_sums_refuse_every_instruction_that_adds_several() -> None:
    ordered = replace(GEMM, statements=(replace(GEMM.statements[0], ordered=True),))
    found = find_mappings(ordered, MMA, operands="fixed", partial=True)
    assert found.complete
    assert found.legal and all(dict(p.mapping.groups)["k"] == () for p in found)
    assert {w.point for w in found.witnesses if isinstance(w, OrderWitness)} == {"k"}
    assert not any(isinstance(w, OneWitness) for w in found.witnesses)
    assert check_certificate(found).ok


def test_an_order_that_no_mapping_keeps_is_refuted_once() -> None:
    """Rounded once where the kernel rounds twice: whichever axes go where."""
    ordered = replace(GEMM, statements=(replace(GEMM.statements[0], ordered=True),))
    found = find_mappings(ordered, im.find_instruction("avx2.fmadd_ps"), operands="fixed")
    assert found.complete and not found.legal and found.refuted == found.candidates == 7
    assert sum(isinstance(w, OrderWitness) for w in found.witnesses) == 1
    assert check_certificate(found).ok


def test_an_order_witness_speaks_of_sums_only() -> None:
    """Where an instruction adds one point at a time, or the kernel asks for no order, it is a fault."""
    ordered = replace(GEMM, statements=(replace(GEMM.statements[0], ordered=True),))
    found = find_mappings(ordered, MMA, operands="fixed", partial=True)
    for forged in (OrderWitness("i", "i", ()), OrderWitness("", "", ())):
        assert check_certificate(replace(found, witnesses=(*found.witnesses, forged))).faults
    free = find_mappings(GEMM, MMA, operands="fixed", partial=True)
    assert check_certificate(replace(free, witnesses=(*free.witnesses, OrderWitness("k", "k", ())))).faults


def test_an_undecided_candidate_leaves_the_set_incomplete() -> None:
    k = im.kernel("axis i < N\naxis j < N\nC[i,j] += C[j,i] * B[i,j]", name="inplace")
    found = find_mappings(k, PAIR, operands="fixed")
    assert not found.complete and found.unknown and not found.legal
    assert "its order is not proved for a mapping" in str(found.unknown[0][1])
    assert not check_certificate(found).ok


def test_an_interrupt_gives_back_what_is_known() -> None:
    def stop(done: int, total: int, legal: int) -> None:
        if legal == 2:
            raise KeyboardInterrupt

    found = find_mappings(CONV, MMA, operands="fixed", progress=stop)
    assert not found.complete and len(found.legal) == 2
    assert not check_certificate(found).ok


def test_progress_ends_with_every_candidate() -> None:
    seen: list[tuple[int, int, int]] = []
    found = find_mappings(GEMM, MMA, progress=lambda *numbers: seen.append(numbers))
    assert seen[-1] == (found.candidates, found.candidates, len(found.legal))
    assert [d for d, _, _ in seen] == sorted(d for d, _, _ in seen)


def test_the_same_search_gives_the_same_set(conv: MappingSet) -> None:
    again = find_mappings(CONV, MMA, operands="fixed")
    assert [p.mapping for p in again] == [p.mapping for p in conv]
    assert again.witnesses == conv.witnesses and again.conflicts == conv.conflicts


def test_commuted_operands_are_found() -> None:
    found = find_mappings(GEMM, MMA, operands="any")
    assert {p.mapping.id for p in found} == {"i=i,j=j,k=k;a=A,b=B", "i=j,j=i,k=k;a=B,b=A"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [({"family": "fuze"}, "unknown family 'fuze'; did you mean fuse?"), ({"operands": "all"}, "write fixed or any")],
)
def test_misuse(arguments: dict[str, str], words: str) -> None:
    with pytest.raises(FamilyError) as e:
        find_mappings(GEMM, MMA, **arguments)  # type: ignore[arg-type]
    assert words in str(e.value)
