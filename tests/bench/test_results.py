"""The results file: whole at every moment, and refused where figures may not stand side by side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from isamap_smt.bench.results import Results, ResultsError, code_digest, load
from isamap_smt.records.record import for_people

ENTRY: dict[str, Any] = {
    "suite": "conv", "case": {"name": "x", "group": "tiny", "form": "NN"}, "condition": "free", "threads": 1,
    "contenders": {}, "best_peer": None, "ratio": None,
}  # fmt: skip


def results(path: Path) -> Results:
    """Of a made-up machine."""
    machine = {"cpu": "Deep Thought", "features": "avx2", "cores": "2", "load": "0.1"}
    return Results(path, machine, "abc", {"numpy": "2.4.6"}, {}, {"quick": True})


def test_a_file_comes_back(tmp_path: Path) -> None:
    made = results(tmp_path / "r.json")
    made.add({**ENTRY, "limit": float("inf")})
    again = load(made.path)
    assert again.done() == {("conv", "x", "free", 1)}
    assert again.entries[0]["limit"] is None  # JSON has no infinity
    assert again.machine == made.machine
    assert [p.name for p in tmp_path.iterdir()] == ["r.json"]


def test_an_entry_that_json_cannot_hold_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    made = results(tmp_path / "r.json")
    made.add(ENTRY)
    before = made.path.read_bytes()
    with pytest.raises(TypeError):
        made.add({**ENTRY, "limit": object()})
    assert made.path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["r.json"]


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_half_a_file_is_refused(tmp_path: Path, share: float) -> None:
    made = results(tmp_path / "r.json")
    made.add(ENTRY)
    text = made.path.read_text()
    made.path.write_text(text[: int(share * len(text))])
    with pytest.raises(
        ResultsError, match=r"r\.json is truncated or no JSON \(.*\); remove it, or name another with -o"
    ):
        load(made.path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text("[]")
    with pytest.raises(
        ResultsError, match="is foreign: its format is 'list', not 'isamap bench 2'; name another with -o"
    ):
        load(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ResultsError, match="cannot be read: it is no text; remove it"):
        load(path)
    with pytest.raises(ResultsError, match="cannot read"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": "isamap bench 99"}, "is of version 99, and this isamap reads version 2; name another with -o"),
        (
            {"format": "isamap bench", "version": 1},
            "is of version 1, and this isamap reads version 2; name another with -o",
        ),
        ({"entries": [{"suite": "conv"}]}, "was edited by hand: its digest is not that of its contents; remove it"),
        ({"entries": 7}, "was edited by hand"),
        ({"machine": None}, "was edited by hand"),
    ],
)
def test_damage_is_named(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    made = results(tmp_path / "r.json")
    made.add(ENTRY)
    document = {**made.document(), **change}
    document = {k: v for k, v in document.items() if v is not None}
    made.path.write_text(for_people(document))
    with pytest.raises(ResultsError, match=said):
        load(made.path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"machine": {"cpu": "Marvin", "features": "avx2", "cores": "2"}}, r"another machine \(cpu Marvin, here Deep Thought\)"),
        ({"machine": {"cpu": "Deep Thought", "features": "avx2", "cores": "4"}}, "another machine .cores 4, here 2"),
        ({"code": "def"}, "measured with other code of isamap"),
        ({"settings": {"plan": {"tune": 5}}}, "scheduled with {'tune': 5}, now None"),
        ({"peers": {"numpy": "1.0"}}, r"other versions \(numpy 1.0, now 2.4.6\)"),
    ],
)  # fmt: skip
def test_figures_of_elsewhere_are_not_mixed_in(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    old = replace(results(tmp_path / "r.json"), **change)
    new = results(tmp_path / "r.json")
    with pytest.raises(ResultsError, match=said):
        new.continues(old)
    assert new.entries == []


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=r"cannot write .*: No such file or directory"):
        results(tmp_path / "gone" / "r.json").save()


def test_the_code_has_a_digest() -> None:
    assert len(code_digest()) == 16
    assert code_digest() == code_digest()
