"""The README and the tutorial do what they say, and no page names a file that is not there."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import archspec.cpu
import pytest

from isamap_smt.ir.errors import UnknownNameError
from tests.docs.pages import Session, blocks, first_missing, lacking

REPOSITORY = Path(__file__).parents[2]
PAGES = sorted([*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/**/*.md")])
MACHINES = sorted((REPOSITORY / "docs" / "machines").glob("*.md"))
ELSEWHERE = [(page, where) for page in MACHINES for where in sorted({b.needs for b in blocks(page)} - {""})]
DOCUMENTATION = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("**/*.md"))]
_LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
# A path in backquotes that begins with a folder of the repository.
_NAMED = re.compile(r"`((?:tests|docs|benchmarks|isamap_smt|encodings|hardware|kernels)/[\w./*-]+)`")


WITH_AVX2 = [
    ("README.md", (4, 2, 9)),
    ("docs/tutorial.md", (8, 6, 6)),
    ("docs/tutorial-accelerator.md", (8, 8, 16)),
    ("docs/trust.md", (0, 0, 2)),
    ("docs/hardware.md", (3, 2, 3)),
    ("docs/gemmini.md", (1, 1, 0)),
    ("docs/vta.md", (1, 1, 1)),
    ("docs/machines/x86.md", (1, 1, 5)),
    ("docs/check-isa.md", (0, 0, 4)),
]
ANYWHERE = [
    ("docs/machines/arm.md", (0, 0, 5)),
    ("docs/machines/riscv.md", (0, 0, 3)),
    ("docs/machines/tensor-cores.md", (0, 0, 6)),
    ("docs/ci.md", (0, 0, 1)),
    ("docs/language.md", (0, 0, 1)),
    ("docs/memory.md", (5, 5, 0)),
    ("docs/bench.md", (5, 5, 1)),
    ("docs/architectures.md", (4, 4, 2)),
    ("docs/einsum.md", (3, 3, 0)),
    ("docs/equal.md", (6, 6, 2)),
    ("docs/networks.md", (11, 10, 2)),
    ("docs/torch.md", (4, 4, 0)),
]
RUN_BY_OTHERS = {
    "docs/demonstrations.md",
    "docs/command-line.md",
}  # tests/docs/test_demonstrations.py, tests/cli/test_docs.py
# Console blocks that say why they are not run.
UNRUN = {
    "docs/benchmarks.md": 1, "docs/check-isa.md": 3, "docs/command-line.md": 1, "docs/gemmini.md": 2, "docs/hardware.md": 2,
    "docs/machines/arm.md": 1, "docs/machines/riscv.md": 1, "docs/machines/x86.md": 1,
}  # fmt: skip


@pytest.mark.needs("avx2", "fma")
@pytest.mark.parametrize(("page", "least"), WITH_AVX2)
def test_a_page_runs(page: str, least: tuple[int, int, int], in_empty_directory: Path) -> None:
    assert_runs(page, least)


@pytest.mark.parametrize(("page", "least"), ANYWHERE)
def test_a_page_runs_on_any_cpu(page: str, least: tuple[int, int, int], in_empty_directory: Path) -> None:
    assert_runs(page, least)


def assert_runs(page: str, least: tuple[int, int, int]) -> None:
    """So many blocks, outputs and commands, of what needs no other machine. The examples are there, as in a checkout."""
    Path("examples").symlink_to(REPOSITORY / "examples")
    session = Session(REPOSITORY / page)
    session.read()
    assert all(ran >= wanted for ran, wanted in zip(session.ran.values(), least, strict=True)), session.ran


def test_each_console_block_is_run_or_says_why_not() -> None:
    run = {page for page, _ in (*WITH_AVX2, *ANYWHERE)} | RUN_BY_OTHERS
    unrun: Counter[str] = Counter()
    for page in PAGES:
        name = str(page.relative_to(REPOSITORY))
        console = [b for b in blocks(page) if b.language == "console"]
        unrun += Counter(name for b in console if b.unrun)
        assert name in run or all(b.unrun for b in console), name
        outside = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
        assert not re.search(r"^ +\$ isamap ", outside, re.MULTILINE), f"{name}: a command in no block"
    assert dict(unrun) == UNRUN


@pytest.mark.exhaustive
@pytest.mark.parametrize(("page", "where"), ELSEWHERE, ids=lambda p: p.stem if isinstance(p, Path) else p)
def test_what_a_page_shows_of_another_machine(page: Path, where: str, in_empty_directory: Path) -> None:
    if why := lacking(where):
        pytest.skip(why)
    session = Session(page)
    session.read(where)
    assert session.ran["outputs"] + session.ran["commands"] > 0


def test_blocks_run_where_they_are_asked_for_alone(in_empty_directory: Path) -> None:
    page = in_empty_directory / "page.md"
    page.write_text("```python needs=avx2\nprint(2)\n```\n\n```text needs=avx2\n3\n```\n")
    session = Session(page)
    session.read()
    assert session.ran == {"python": 0, "outputs": 0, "commands": 0}
    with pytest.raises(AssertionError, match="the page shows"):
        session.read("avx2")


def test_what_lacks_here_is_said_and_a_slip_is_not_taken_for_it() -> None:
    assert "this CPU" in lacking("sve") or "sve" in archspec.cpu.host()
    assert "known architectures" in lacking("sparc64-linux-musl")
    with pytest.raises(UnknownNameError):
        lacking("avx99")


@pytest.mark.parametrize(("name", "lines"), [("outer_product.py", 60), ("outer_vector.py", 100)])
def test_the_machines_of_the_tutorial_are_the_examples(name: str, lines: int) -> None:
    page = REPOSITORY / "docs" / "tutorial-accelerator.md"
    (shown,) = (b.text for b in blocks(page) if b.about == f"file={name}")
    assert shown == (REPOSITORY / "examples" / name).read_text()
    assert len(shown.splitlines()) < lines


def run_text(text: str, directory: Path) -> dict[str, int]:
    page = directory / "page.md"
    page.write_text(text)
    session = Session(page)
    session.read()
    return session.ran


def test_a_wrong_output_is_noticed(in_empty_directory: Path) -> None:
    right = "```python\nprint(1 + 1)\n```\n\n```text\n2\n```\n"
    assert run_text(right, in_empty_directory)["outputs"] == 1
    with pytest.raises(AssertionError, match="the page shows"):
        run_text(right.replace("2", "3"), in_empty_directory)


def test_a_wrong_exit_status_is_noticed(in_empty_directory: Path) -> None:
    right = "```console\n$ isamap list nothing  # exit status 3\n```\n"
    assert run_text(right, in_empty_directory)["commands"] == 1
    with pytest.raises(AssertionError, match="exits with 3, not 0"):
        run_text(right.replace("# exit", "#"), in_empty_directory)


def test_a_line_that_is_not_printed_is_noticed(in_empty_directory: Path) -> None:
    right = "```console\n$ isamap list kernels\n⋮\ngemm ... matrix product...\n⋮\n```\n"
    assert run_text(right, in_empty_directory)["commands"] == 1
    with pytest.raises(AssertionError, match="does not print"):
        run_text(right.replace("gemm", "gemmm"), in_empty_directory)
    with pytest.raises(AssertionError, match=re.escape("does not print 'gemm ... matrix product...' there")):
        run_text(right.replace("⋮\ngemm", "gemm"), in_empty_directory)


@pytest.mark.parametrize(
    ("shown", "missing"),
    [
        ("one\ntwo\nthree", ""),
        ("one\n⋮", ""),
        ("⋮\ntwo\n⋮", ""),
        ("⋮\nthree", ""),
        ("⋮\none\n⋮\nthree", ""),
        ("o...\n...w...\nthree", ""),
        ("", ""),
        ("one\ntwo", "the end"),
        ("one\nthree", "three"),
        ("two\nthree", "two"),
        ("⋮\nthree\n⋮\ntwo", "two"),
        ("on\n⋮", "on"),
    ],
)
def test_lines_of_an_output_are_all_or_marked_as_cut(shown: str, missing: str) -> None:
    assert first_missing(shown.splitlines(), "one\n\ntwo  \nthree\n") == missing


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(REPOSITORY)))
def test_every_link_and_path_leads_somewhere(page: Path) -> None:
    text = page.read_text()
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    links = [link for link in _LINK.findall(prose) if "://" not in link]
    missing = [link for link in links if not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("page", DOCUMENTATION, ids=lambda p: p.name)
def test_every_file_and_test_that_is_named_exists(page: Path) -> None:
    prose = page.read_text()
    missing = [name for name in _NAMED.findall(prose) if not list(REPOSITORY.glob(name.rstrip("/")))]
    missing += _tests_that_are_not_there(prose)
    assert not missing


def test_a_test_that_is_not_there_is_noticed() -> None:
    assert _tests_that_are_not_there("`test_a_test_that_is_not_there_is_noticed` and `test_that_nobody_wrote`") == [
        "test_that_nobody_wrote"
    ]


def _tests_that_are_not_there(prose: str) -> list[str]:
    """Test functions named as `test_...` that no test file defines."""
    defined = "".join(p.read_text() for p in REPOSITORY.glob("tests/**/*.py"))
    names = re.findall(r"`(test_\w+)`", prose)
    return [name for name in names if f"def {name}(" not in defined]


@pytest.mark.parametrize(
    ("index", "folder"),
    [("docs/index.md", "docs"), ("docs/index.md", "docs/machines"), ("docs/design/README.md", "docs/design")],
)
def test_the_indices_list_every_page(index: str, folder: str) -> None:
    place = REPOSITORY / index
    listed = {link for link in _LINK.findall(place.read_text()) if "://" not in link}
    there = {p.name for p in (REPOSITORY / folder).glob("*.md")} - {place.name}
    assert there - {Path(link).name for link in listed} == set()


def test_the_index_is_grouped_and_lists_nothing_twice() -> None:
    text = (REPOSITORY / "docs" / "index.md").read_text()
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Learn", "How to", "Reference", "Machines", "Trust"]
    assert [link for link, n in Counter(_LINK.findall(text)).items() if n > 1] == []
    titles = re.findall(r"\[([^\]]+)\]", text)
    assert not [title for title in titles if title.endswith(".md")]


def test_every_fenced_block_names_its_language() -> None:
    for page in (REPOSITORY / "README.md", *(REPOSITORY / "docs").glob("tutorial*.md"), *MACHINES):
        assert all(block.language for block in blocks(page)), page.name
