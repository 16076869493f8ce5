"""The page is well-formed, loads nothing, and holds what the plan holds."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
import sympy as sp

from isamap_encodings.verdict import Proved, Refuted, Unknown
from isamap_smt.ir.program import FRESH, Compute, If, Move, Serial, Unrolled
from isamap_smt.ir.proof import ClaimResult, Proof
from isamap_smt.language.hardware_library import find_hardware
from isamap_smt.language.library import find_kernel
from isamap_smt.language.text import kernel as parse_kernel
from isamap_smt.pipeline.plan import Plan, plan
from isamap_smt.report.compared import Beside, processor
from isamap_smt.report.header import Part, scope, stamp
from isamap_smt.report.listing import innermost
from isamap_smt.report.nest import LONG, Box, boxes
from isamap_smt.report.nest import _body as nest_body
from isamap_smt.report.page import html_report
from isamap_smt.report.quantities import seconds
from isamap_smt.report.roofline import described_position
from isamap_smt.report.whole import rows, unpredicted
from isamap_smt.runtime.measure import Measured

MEASURED = Measured(False, 1.5e-7, 1e-3, 12.5, "float64", 7, bound=2e-5)
COMMAND = "isamap report conv2d avx2 --text 'O[i] += A[i]'"
VOID = {"meta", "br", "input", "rect", "line", "path", "circle"}


class Reader(HTMLParser):
    """Checks that tags close in order; keeps every link: to places of the page itself, and others."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.anchors: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = [str(v) for n, v in attributes if n in ("href", "src", "xlink:href")]
        self.links += [v for v in found if not v.startswith("#")]
        self.anchors += [v.removeprefix("#") for v in found if v.startswith("#")]
        self.ids += [str(v) for n, v in attributes if n == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert tag in VOID, tag

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            # a new paragraph ends the one before, as HTML allows; our template closes all
            assert self.open.pop() == tag


@pytest.fixture(scope="module")
def planned() -> Plan:
    """A small padded convolution: packing, guards, tails and masks all occur."""
    sizes = {
        "n": 1,
        "p": 5,
        "q": 6,
        "k": 11,
        "c": 3,
        "r": 3,
        "s": 3,
        "sp": 1,
        "sq": 1,
        "dp": 1,
        "dq": 1,
        "pp": 1,
        "pq": 1,
    }
    return plan(find_kernel("conv2d"), find_hardware("avx2"), sizes=sizes)


@pytest.fixture(scope="module")
def page(planned: Plan) -> str:
    """Its page, with a measurement."""
    return html_report(planned, MEASURED, 3.2, beside=Beside(102.4, 5.0), command=COMMAND)


def test_it_is_well_formed_and_loads_nothing(page: str) -> None:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    assert reader.links == []
    assert reader.anchors == ["claims", *reader.ids]  # the seal, and the contents
    assert not re.search(r"@import|url\(|https?://(?!www\.w3\.org)", page)
    assert reader.ids == ["kernel", "mapping", "schedule", "roofline", "claims", "code", "made"]


def test_it_says_what_the_plan_says(page: str, planned: Plan) -> None:
    assert planned.schedule.status in page
    for claim in {c.claim for c in planned.proof.claims}:
        assert f"<td>{claim}</td>" in page
    for link, _ in planned.schedule.traffic:
        assert link.replace(">", "&gt;") in page
    assert "isamap_run" in page


def text_of(page: str) -> str:
    """What a reader sees, without tags."""
    return " ".join(
        html.unescape(re.sub(r"<style>.*?</style>|<title>.*?</title>|<[^>]+>", " ", page, flags=re.S)).split()
    )


def test_the_head_says_what_was_chosen_how_fast_against_what_and_how_far_from_the_limit(
    page: str, planned: Plan
) -> None:
    head = text_of(page[: page.index('<section id="kernel">')])
    of_mapping, of_program = len(planned.proved.proof.claims), len(planned.proof.claims)
    assert head.startswith(
        f"conv2d on avx2.fmadd_ps n=1 p=5 q=6 k=11 r=3 s=3 c=3 f32 · run on {processor()}, 1 thread "
    )
    assert f"proved · {of_mapping + of_program} obligations mapping for all sizes; program for these sizes" in head
    assert f"$ {COMMAND} " in head
    assert "optimal schedule: optimal in its space, gap 0.00%" in head
    assert "12.5 GFLOP/s measured, 12 % of peak, 2.50 × NumPy (5)" in head
    (cycles,) = (r.cost for r in rows(planned.kernel, planned.schedules))
    predicted = cycles / 3.2e9
    assert (
        f"1.0 ms measured, best of 7; {1e-3 / predicted:.2f} × predicted: {seconds(predicted)}, {cycles:,.0f} cycles"
        in head
    )
    position = described_position(planned, MEASURED, 3.2)
    assert position is not None and position.limit < predicted
    assert (
        f"{100 * position.limit / 1e-3:.0f} % of the limit: {seconds(position.limit)}, avx2.fmadd_ps at full rate"
        in head
    )
    assert "1.5e-07 largest error, of the largest element, against float64; up to 2.0e-05 passes as rounding" in head


def test_what_is_not_known_is_not_said(planned: Plan) -> None:
    def head(page: str) -> str:
        return text_of(page[: page.index('<section id="kernel">')])

    unmeasured = head(html_report(planned, note="not run: this CPU has no such thing"))
    assert f"not run; planned on {processor()}" in unmeasured and "measured" not in unmeasured
    assert "cycles predicted" in unmeasured and "of the limit" not in unmeasured and "$" not in unmeasured
    without_clock = head(html_report(planned, MEASURED))
    assert "of an unknown clock" in without_clock and "of peak" not in without_clock and "NumPy" not in without_clock
    on_two = head(html_report(planned, replace(MEASURED, threads=2), 3.2))
    assert "not predicted: cycles are those of all threads together" in on_two and "2 threads" in on_two
    energy = replace(planned.program, schedule=replace(planned.schedule, unit="pJ"))
    assert unpredicted(SimpleNamespace(kernel=planned.kernel, program=energy), 1) == "the schedule is priced in energy"
    assert unpredicted(planned, 1) == ""
    open_sizes = head(html_report(plan("gemm", "avx2")))
    assert "cycles predicted, for assumed sizes" in open_sizes and "mapping and program for all sizes" in open_sizes
    partly = text_of(html_report(plan("gemm", "avx2", sizes={"i": 64, "j": 64})))
    assert "Sizes fixed: i = 64 j = 64 Sizes open: K; the code takes them at run time." in partly


CLAIM = ClaimResult("coverage", "C", Proved())
OPEN, WRONG = replace(CLAIM, verdict=Unknown("the time was over")), replace(CLAIM, verdict=Refuted({"i": 0}))


@pytest.mark.parametrize(
    ("claims", "word", "text"),
    [
        ([CLAIM, CLAIM], "proved", "proved · 3 obligations"),
        ([CLAIM, OPEN], "unknown", "unknown · 1 of 3 obligations not proved"),
        ([OPEN, WRONG], "refuted", "refuted · 2 of 3 obligations not proved"),
    ],
)
def test_the_seal_is_the_worst_of_all_claims(
    claims: list[ClaimResult], word: str, text: str, planned: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = [
        Part("mapping", "for all sizes", Proof((CLAIM,))),
        Part("program", "for these sizes", Proof(tuple(claims))),
    ]
    seal = stamp(parts)
    assert (seal.word, seal.text, seal.about) == (word, text, "mapping for all sizes; program for these sizes")
    monkeypatch.setattr("isamap_smt.report.page.stamp", lambda _: seal)
    page = html_report(planned)
    assert f'<a class="seal {word}" href="#claims"><b>{text}</b>' in page
    assert stamp([]).word == "unknown" and stamp([]).text == "nothing proved"


def test_without_an_operation_there_is_no_roofline_and_a_slow_speed_is_not_zero() -> None:
    nothing = plan(parse_kernel("C[i] += A[i] * B[i] where i > 100", name="nothing"), "avx2", sizes={"i": 64})
    assert 'id="roofline"' not in html_report(nothing, replace(MEASURED, gflops=0.0), 3.2)
    assert "0.034 GFLOP/s measured" in text_of(html_report(nothing, replace(MEASURED, gflops=0.034)))


def test_an_open_claim_is_nowhere_said_to_be_proved(planned: Plan) -> None:
    """A program's proof of which one claim is open: the page's verdicts about it, and the seal, say so."""
    doubtful = replace(planned.proof, claims=(*planned.proof.claims, OPEN))
    page = html_report(_Doubtful(planned, doubtful))
    head = page[: page.index('<section id="kernel">')]
    of_mapping = len(planned.proved.proof.claims)
    assert 'class="seal unknown"' in head and "proved ·" not in head
    assert f"unknown · 1 of {of_mapping + len(doubtful.claims)} obligations not proved" in head
    assert (
        f"""Program for these sizes: <span class="word unknown">unknown</span>, {len(planned.proof.claims)} of"""
        in page
    )
    assert page.count("<details open>") == 1
    assert OPEN.verdict.reason in page


class _Doubtful:
    """A plan with another proof of its program."""

    def __init__(self, of: Plan, proof: Proof) -> None:
        self._of, self.proof = of, proof

    def __getattr__(self, name: str) -> object:
        return getattr(self._of, name)


def test_each_time_is_said_once_and_whose_it_is(page: str, planned: Plan) -> None:
    shown, made = text_of(page[: page.index('<section id="made">')]), text_of(page[page.index('<section id="made">') :])
    for stage, wall in dict(planned.seconds).items():
        assert f"{stage} {seconds(wall)} wall time" in made
    asked = [
        ("schedule", planned.schedule.seconds, "solver"),
        ("search for all mappings", planned.mappings.seconds, "search"),
        ("mapping for all sizes", planned.proved.proof.seconds, "prover"),
        ("program for these sizes", planned.proof.seconds, "prover"),
    ]
    for what, took, by in asked:
        assert f"{what} {seconds(took)} in the {by}" in made
        assert f"in the {by}" not in shown
    assert f"made on {processor()}" in made


def test_for_which_sizes_a_proof_holds() -> None:
    gemm = find_kernel("gemm")
    assert scope([gemm], gemm) == "for all sizes"
    assert scope([gemm, gemm.with_sizes({"k": 8})], gemm) == "for all I, J"
    assert scope([gemm.with_sizes({"i": 8, "j": 8, "k": 8})], gemm) == "for these sizes"


def test_names_are_escaped(planned: Plan) -> None:
    page = html_report(planned, note="<script>alert(1)</script>")
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_every_buffer_is_drawn_with_its_type(planned: Plan) -> None:
    from isamap_smt.ir.traversal import buffers

    def walk(found: tuple[Box, ...]) -> list[Box]:
        return [b for box in found for b in (box, *walk(box.inside))]

    ahead, body = boxes(planned.program)
    drawn = [b for b in walk((*ahead, *body)) if b.kind == "buffer"]
    for name, buffer in buffers(planned.program).items():
        (box,) = [b for b in drawn if b.text.startswith(f"{name}[")]
        assert box.note.startswith(f"holds {buffer.type.tensor}[")
        assert ("elsewhere" in box.note) == bool(buffer.type.guard)


def test_loops_say_where_they_end_what_they_keep_and_what_takes_turns(planned: Plan) -> None:
    at = sp.Symbol("t")
    load = find_hardware("avx2").instruction("load_f32")
    turns = Unrolled(sp.Symbol("u"), sp.Integer(4), (Move(load),), woven=True)
    body = (Serial(at, sp.Integer(9), (turns,), folds=(("e", 0),), rings=(("m", 0),), end=at + 1),)
    (box,) = boxes(replace(planned.program, body=body))[1]
    assert box.detail == "until t + 1"
    assert box.note == "each iteration has its own block of e; two rows of m are kept"
    assert [b.text for b in box.inside] == ["4 × avx2.load_f32 in turns"]


def guards(found: tuple[Box, ...]) -> list[Box]:
    return [b for box in found for b in ([box] if box.kind == "guard" else []) + guards(box.inside)]


def test_guards_have_names_and_their_conditions_in_a_tip() -> None:
    sizes = dict(n=1, p=14, q=14, k=32, c=8, r=3, s=3, sp=1, sq=1, dp=1, dq=1, pp=1, pq=1)
    padded = plan("conv2d", "avx2", sizes=sizes)
    found, page = guards(boxes(padded.program)[1]), html_report(padded)
    named = {b.text: b.tip for b in found if b.tip}
    assert named["nothing added before"] == "if fresh? >= 1" and named["added to before"] == "if fresh? < 1"
    assert named["interior"].startswith("if min(") and named["interior"].endswith(" >= 0")
    assert named["border"] == named["interior"].replace(">=", "<")
    assert all(b.text.startswith("if ") and len(b.text) <= 2 * LONG for b in found if not b.tip)
    for condition in named.values():
        assert f'title="{html.escape(condition)}"' in page


def test_a_guard_without_its_opposite_has_no_side() -> None:
    n = sp.Symbol("n")
    slack = sum(sp.Symbol(f"i{k}") for k in range(40)) - n
    whole, border, other = If((sp.Ge(slack, 0),), ()), If((sp.Lt(slack, 0), sp.Ge(n, 2)), ()), If((sp.Ge(n, 1),), ())

    def texts(*nodes: If) -> list[str]:
        return [b.text for b in nest_body(nodes)]

    assert texts(whole, border) == ["interior", "border"]
    (alone,) = texts(whole)
    assert alone.startswith("if i0 + i1") and alone.endswith("…") and len(alone) == 2 * LONG + 1
    assert texts(whole, other)[1] == "if n >= 1" and texts(border, whole)[0].startswith("if ")
    begun = sp.Ge(FRESH - n, 1)
    assert texts(If((begun,), ()), If((begun.negated,), ())) == ["nothing added before", "added to before"]


def test_the_innermost_loop_is_shown_open(page: str, planned: Plan) -> None:
    code = page[page.index('<section id="code">') :]
    shown = html.unescape(re.findall(r"<pre>(.*?)</pre>", code, re.S)[0])
    assert shown.startswith("for (") and "_mm256_fmadd_ps" in planned.source
    assert all(line.strip() in planned.source for line in shown.splitlines() if "more lines" not in line)
    assert innermost(planned.source, "") == [] == innermost(planned.source, "no_such_intrinsic({c});")


def test_every_execution_is_counted(planned: Plan) -> None:
    """Instructions in the boxes, times the unrolled loops drawn around them, are those of the program."""
    from isamap_smt.ir.expr import evaluate
    from isamap_smt.ir.traversal import walk

    wanted = 0
    for node, around in walk(planned.program.body):
        if isinstance(node, Compute):
            times = 1
            for loop in around:
                if isinstance(loop, Unrolled):
                    times *= int(evaluate(loop.count, {}))
            wanted += times

    def count(found: tuple[Box, ...], times: int) -> int:
        total = 0
        for b in found:
            if b.kind == "work":
                numbers = re.findall(rf"(\d+) × {re.escape(planned.instruction.name)}\b", b.text)
                total += times * sum(map(int, numbers))
            inner = int(b.text.split("<")[1]) if b.note == "unroll" else 1
            total += count(b.inside, times * inner)
        return total

    _, body = boxes(planned.program)
    assert count(body, 1) == wanted > 0
