"""A file is written whole or not at all, through links, and never in the place of anything but a file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from isamap_smt.runtime.whole_file import check_file_place, whole_file


def names(directory: Path) -> list[str]:
    """All that is there, hidden files too."""
    return sorted(p.name for p in directory.iterdir())


def write(place: Path, text: str) -> None:
    with whole_file(place) as f:
        f.write(text)


def test_it_is_written_and_replaced(tmp_path: Path) -> None:
    place = tmp_path / "page.html"
    for text in ("λ", "two"):
        check_file_place(place)
        write(place, text)
        assert place.read_text(encoding="utf-8") == text and names(tmp_path) == ["page.html"]
    assert place.stat().st_mode & 0o777 == 0o644


def test_a_failure_leaves_the_old_file_alone(tmp_path: Path) -> None:
    place = tmp_path / "page.html"
    write(place, "old")
    with pytest.raises(RuntimeError), whole_file(place) as f:
        f.write("new")
        raise RuntimeError
    assert place.read_text() == "old" and names(tmp_path) == ["page.html"]


def test_what_takes_the_place_meanwhile_leaves_no_scratch_file(tmp_path: Path) -> None:
    place = tmp_path / "page.html"
    with pytest.raises(OSError), whole_file(place) as f:
        f.write("new")
        (place / "inner").mkdir(parents=True)
    assert names(tmp_path) == ["page.html"]


def test_a_link_stays_and_its_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    link, target = tmp_path / "link", tmp_path / "far" / "page.html"
    link.symlink_to(target)
    for text in ("one", "two"):  # a target that is not there yet, and one that is
        write(link, text)
        assert link.is_symlink() and target.read_text() == text
    assert names(tmp_path / "far") == ["page.html"]


@pytest.mark.parametrize("kind", ["directory", "fifo", "link to a fifo", "link to itself"])
def test_what_is_no_file_is_refused_and_stays(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "place"
    if kind == "directory":
        place.mkdir()
    elif kind == "link to itself":
        place.symlink_to(place)
    else:
        os.mkfifo(tmp_path / "fifo" if kind.startswith("link") else place)
        if kind.startswith("link"):
            place.symlink_to(tmp_path / "fifo")
    before = [(n, (tmp_path / n).lstat()) for n in names(tmp_path)]
    with pytest.raises(OSError, match=r"of that name is there|not a regular file"):
        check_file_place(place)
    with pytest.raises(OSError, match=r"of that name is there|not a regular file"):
        write(place, "text")
    assert [(n, (tmp_path / n).lstat()) for n in names(tmp_path)] == before
