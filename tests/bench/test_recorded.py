"""What was measured before is read back, shown and drawn without measuring again."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from isamap_smt.bench.pages import Part, part_of, read_page, summary
from isamap_smt.bench.plots import description, groups, write_means
from isamap_smt.bench.results import ResultsError
from isamap_smt.cli.app import run
from tests.bench.test_summary import made

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "benchmarks" / "RESULTS.md"
PAGES = (PAGE, PAGE.with_name("RESULTS_OPERATORS.md"))
PICTURE = REPOSITORY / "benchmarks" / "ratios.svg"


def rounded(part: Part) -> Part:
    def two(value: float | None) -> float | None:
        return None if value is None else round(value, 2)

    return Part(
        part.machine,
        tuple(
            replace(r, mean=two(r.mean), worst=two(r.worst), best=two(r.best), fraction=two(r.fraction))
            for r in part.rows
        ),
    )


def test_a_page_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    results = made(tmp_path / "r.json")
    page = tmp_path / "page.md"
    page.write_text("# Results\n\n" + summary(results))
    assert read_page(page) == [rounded(part_of(results))]


def test_the_committed_picture_is_of_the_figures_on_file() -> None:
    told = next(ElementTree.parse(PICTURE).getroot().iter("{http://purl.org/dc/elements/1.1/}description")).text
    wanted = description([part for page in PAGES for part in read_page(page)])
    assert told == wanted, f"isamap bench {' '.join(f'--recorded {p}' for p in PAGES)} --plots {PICTURE.parent}"


def test_one_picture_compares_on_one_thread() -> None:
    found = groups(read_page(PAGE))
    assert {r.threads for g in found for r in g.rows} == {1}
    assert ("gemm-f32", 109) in [(g.suite, g.cases) for g in found]


def test_the_largest_ratio_comes_first_and_noise_is_said() -> None:
    parts = [part for page in PAGES for part in read_page(page)]
    found = groups(parts)
    assert [g.mean for g in found] == sorted((g.mean for g in found), reverse=True) and len(found) == 14
    assert len(description(parts).splitlines()) == sum(len(g.rows) for g in found)
    assert re.search(r"noisy: \d+ of \d+ figures had too few quiet turns", PICTURE.read_text())


def test_the_same_figures_give_the_same_file(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    (first,), (second,) = (write_means(read_page(PAGE), tmp_path / name) for name in ("a", "b"))
    assert first.read_bytes() == second.read_bytes()
    assert b"date>" not in first.read_bytes()
    assert first.stat().st_size < 64 * 1024


def test_recorded_figures_are_shown(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    made(Path("r.json")).save()
    assert run(["bench", "--recorded", "r.json"]) == 0
    assert "Ratio to the best peer, by class of shapes" in capsys.readouterr().out
    assert run(["bench", "--recorded", str(PAGE)]) == 0
    assert "Intel(R) Xeon(R) Processor with AVX-512 and AMX" in capsys.readouterr().out
    assert run(["bench", "--recorded", str(PAGE), "--json"]) == 0
    parts = json.loads(capsys.readouterr().out)["parts"]
    assert {r["suite"] for r in parts[0]["rows"]} >= {"conv", "lstm"}


def test_a_page_has_means_and_the_time_of_each_call(
    capsys: pytest.CaptureFixture[str], in_empty_directory: Path
) -> None:
    results = made(Path("r.json"))
    results.save()
    assert run(["bench", "--recorded", "r.json", "--page", "p.md"]) == 0
    assert "wrote p.md" in capsys.readouterr().out
    text = Path("p.md").read_text()
    assert text.startswith("# isamap bench: gemm-f32\n\n5 figures on Deep Thought. ")
    # 1e9 operations at 40 and 20 GF/s
    assert "| gemm-f32 | 1 | one | 25000 | 50000 | 2.00 [1.80, 2.20] |  |" in text
    assert "| gemm-f32 | 1 | three | - | 25000 | - |  |" in text
    assert "| gemm-f32 | 1 | five | 15625 | 125000 | 8.00 [7.20, 8.80] | noisy |" in text
    assert read_page(Path("p.md")) == [rounded(part_of(results))]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["conv", "--recorded", "r.md"], "--recorded measures nothing, and shows every suite of its file: leave SUITE"),
        (["--recorded", "r.json", "--recorded", "r.md"], "--recorded takes several pages, or one file of results"),
        (["--recorded", "gone.md"], "cannot read gone.md: No such file or directory"),
        (["--recorded", "gone.json"], "cannot read gone.json: No such file or directory"),
        (["--recorded", "r.md"], "r.md holds no means of `isamap bench`"),
        (
            ["--recorded", "r.md", "--page", "p.md"],
            "--page p.md: r.md is a page already; name results of -o, which end in .json",
        ),
        (["--recorded", "r.json", "--page", "gone/p.md"], "cannot write gone/p.md: no such directory gone"),
    ],
)
def test_misuse(words: list[str], said: str, capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    Path("r.md").write_text("# nothing\n")
    made(Path("r.json")).save()
    assert run(["bench", *words]) == 3
    assert said in capsys.readouterr().err


def test_a_damaged_row_is_named_by_its_line(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        PAGE.read_text().replace(
            "| conv | constant | 1 | 3x3 | 2 | 1.11 ", "| conv | constant | 1 | 3x3 | 2 | fast ", 1
        )
    )
    with pytest.raises(ResultsError, match=r"page\.md:\d+: no row of means: \| conv \| constant \| 1 \| 3x3"):
        read_page(page)
