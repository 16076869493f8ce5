"""Pages in a browser: nothing runs out of its card, no label covers another, and all text can be read, on a phone, too."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files

import pytest

from isamap_smt.language.hardware_library import find_hardware
from isamap_smt.language.library import find_kernel
from isamap_smt.pipeline.plan import plan
from isamap_smt.report.engines import engine_report
from isamap_smt.report.page import html_report
from isamap_smt.runtime.measure import Measured
from tests.report.browser import DESK, LACKS, PHONE, browser, faults, faults_of
from tests.report.test_engines_page import OUTER, ran
from tests.report.test_mappings_page import page as of_mappings
from tests.report.test_whole import planned

pytestmark = pytest.mark.skipif(browser() is None, reason=LACKS)

RUN = Measured(False, 1.5e-7, 1e-3, 12.5, "float64", 7)


def of_plan(name: str) -> str:
    """Of one of the plans that tests of whole pages share."""
    return html_report(planned(name), RUN, 3.2)


def of_gemm(machine: str, **sizes: int) -> str:
    made = plan(find_kernel("gemm"), find_hardware(machine), sizes=sizes)
    return html_report(made, RUN, 3.2) if sizes else html_report(made, note="not run: I, J, K have no value")


def of_engines(machine: str) -> str:
    return engine_report(*ran("gemm", machine, dict(i=20, j=20, k=20)))


PAGES: dict[tuple[str, str], Callable[[], str]] = {
    ("plan", "gemm on host"): lambda: of_gemm("host", i=44, j=60, k=40),
    ("open sizes", "gemm on avx2"): lambda: of_gemm("avx2"),
    ("plan", "conv2d"): lambda: of_plan("conv2d"),
    ("plan", "depthwise"): lambda: of_plan("depthwise_conv2d"),
    ("statements", "attention"): lambda: of_plan("attention.py:ATTENTION"),
    ("statements", "gru"): lambda: of_plan("gru"),
    ("statements", "layer norm"): lambda: of_plan("norms.py:LAYER_NORM"),
    ("engines", "gemm on outer_product"): lambda: of_engines(OUTER),
    ("engines", "gemm on gemmini"): lambda: of_engines("gemmini"),
    ("few mappings", "gemm onto wmma"): lambda: of_mappings("gemm"),
    ("many mappings", "conv2d onto wmma"): lambda: of_mappings("conv2d"),
}


@pytest.mark.one_in(2, each=("kind",))
@pytest.mark.parametrize(("kind", "name"), PAGES)
def test_pages_are_laid_out_well(kind: str, name: str) -> None:
    assert faults(PAGES[kind, name]()) == []


def picture(labels: str, before: str = "") -> str:
    return f'<svg width="200" height="60" viewBox="0 0 200 60">{before}{labels}</svg>'


LONG = "x" * 200
PLANTED = {
    "a wide table": (
        f'<table style="display:table"><tr><td>{LONG}</td></tr></table>',
        ["the page scrolls sideways", "runs out of its card: #kernel table"],
    ),
    "a long word": (f"<p>{LONG}</p>", ["the page scrolls sideways", "text runs out of its card: #kernel p"]),
    "two labels at a place": (
        picture('<text x="10" y="20">one</text><text x="25" y="24">two</text>'),
        ["overlaps another label: #kernel text 'one' (#kernel text 'two')"],
    ),
    "a label half outside": (picture('<text x="190" y="20">out</text>'), ["is cut off by its picture: #kernel text"]),
    "a tiny label": (
        picture('<text x="10" y="20" font-size="5">tiny</text>'),
        ["is too small to read: #kernel text 'tiny' (5.0"],
    ),
    "grey on grey": (
        '<p style="color:#999;background:#888">faint</p>',
        ["has too little contrast: #kernel p 'faint' (1.2"],
    ),
    "a label on its bar": (
        picture('<text x="10" y="20" style="fill:#fff">pale</text>', '<rect width="80" height="40" fill="#eee"/>'),
        ["has too little contrast: #kernel text 'pale' (1.1"],
    ),
    "not picked": (
        '<div class="picks"><label><input type="radio" name="a" checked>1</label><div class="pick">short</div>'
        f'<label><input type="radio" name="a">2</label><div class="pick"><p>{LONG}</p></div></div>',
        ["text runs out of its card: #kernel p"],
    ),
    "folded": (f"<details><summary>more</summary><p>{LONG}</p></details>", ["text runs out of its card: #kernel p"]),
}
SOUND = (
    f'<div class="scroll"><table><tr><td>{LONG}</td></tr></table></div><pre>{LONG}</pre>'
    + picture('<text x="10" y="20">one</text><text x="10" y="40">two</text><text x="60" y="20">three</text>')
    + picture('<text x="10" y="20" style="fill:#fff">white</text>', '<rect width="80" height="40" fill="#333"/>')
)
UNEVEN = {"wide": '<p style="width:600px">wide</p>', "dark": '<p style="color:#222">dark</p>'}


def planted(part: str) -> str:
    """A page of one card, in the colours and sizes of all pages, with this in it."""
    css = (files("isamap_smt.report") / "templates" / "report.css").read_text()
    return f'<!doctype html><style>{css}</style><body><main><section id="kernel">{part}</section></main></body>'


@pytest.fixture(scope="module")
def planted_faults() -> dict[str, list[str]]:
    """The faults of the planted pages, at both widths in both themes."""
    parts = {name: part for name, (part, _) in PLANTED.items()} | UNEVEN | {"sound": SOUND}
    every = [(width, theme) for width in (PHONE, DESK) for theme in ("light", "dark")]
    return faults_of({name: planted(part) for name, part in parts.items()}, every)


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found(name: str, planted_faults: dict[str, list[str]]) -> None:
    for fault in PLANTED[name][1]:
        assert any(f.startswith(f"390 dark: {fault}") for f in planted_faults[name]), (fault, planted_faults[name])


def test_what_scrolls_in_its_card_is_no_fault(planted_faults: dict[str, list[str]]) -> None:
    assert planted_faults["sound"] == []


def test_a_fault_of_one_width_or_theme_is_found_there(planted_faults: dict[str, list[str]]) -> None:
    assert {f.split(":")[0] for f in planted_faults["wide"]} == {"390 light", "390 dark"}
    assert {f.split(":")[0] for f in planted_faults["dark"]} == {"390 dark", "1400 dark"}
