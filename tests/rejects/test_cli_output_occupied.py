"""A directory that holds something else is neither overwritten nor added to."""

from __future__ import annotations

from pathlib import Path

import pytest

from isamap_smt.certificates.directory import OutputError, check_place, unsealed, whole_directory
from isamap_smt.certificates.manifest import write_certificate, write_index
from isamap_smt.certificates.place import no_certificate
from isamap_smt.certificates.sealed import seal
from isamap_smt.cli.app import run


def test_a_directory(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    Path("out").mkdir()
    Path("out/mine.txt").write_text("keep\n")
    assert run(["compile", "gemm", "host", "-o", "out"]) == 3
    assert capsys.readouterr().err == (
        "error: out is not empty, and mine.txt in it is not as isamap wrote it; name another directory, or move that away\n"
    )
    assert [p.name for p in Path("out").iterdir()] == ["mine.txt"]


def test_a_file(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    Path("out").write_text("keep\n")
    assert run(["compile", "gemm", "host", "-o", "out"]) == 3
    assert capsys.readouterr().err == "error: cannot write out: a file of that name is there\n"
    assert Path("out").read_text() == "keep\n"


def written(place: Path) -> Path:
    """A result as a command leaves it."""
    with whole_directory(place) as scratch:
        (scratch / "kernel.c").write_text("int x;\n")
        seal(scratch, {"kernel": "x"})
    return place


@pytest.mark.parametrize("name", ["kernel.c", "NOTES.txt", "src/main.c", "proofs.json"])
def test_a_result_with_something_of_the_users(name: str, tmp_path: Path) -> None:
    """An earlier result is replaced, but not one that was edited, nor files put beside it."""
    place = written(tmp_path / "out")
    check_place(place)
    (place / name).parent.mkdir(exist_ok=True)
    (place / name).write_text('{"kernel": "y", "files": {}}')
    with pytest.raises(OutputError, match=f"and {name.partition('/')[0]} in it is not as isamap wrote it"):
        written(place)
    assert (place / name).read_text() == '{"kernel": "y", "files": {}}'


def test_certificates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A result does not replace certificates, and certificates replace no other file."""
    mine = tmp_path / "mine"
    write_certificate(mine / "avx2/gemm/one", {"kind": "mapping"}, {"claims.json": "{}", "a.smt2": ""})
    write_index(mine)
    assert no_certificate(mine) == "" and unsealed(mine)
    assert run(["compile", "gemm", "scalar", "-o", str(mine)]) == 3
    assert "in it is not as isamap wrote it" in capsys.readouterr().err
    for name in ("NOTES.txt", "avx2/NOTES.txt", "avx2/gemm/one/notes/a.json", "avx2/gemm/one/b.c"):
        (mine / name).parent.mkdir(exist_ok=True)
        (mine / name).write_text("keep")
        assert run(["proofs", "update", "avx2/machine", "--dir", str(mine)]) == 3
        assert (mine / name).read_text() == "keep"
        (mine / name).unlink()
    assert no_certificate(written(tmp_path / "out")) == "kernel.c"


def test_what_cannot_be_put_back_is_not_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The new result cannot be renamed, nor the earlier one a second time."""
    place, rename = written(tmp_path / "out"), Path.rename
    asked: list[Path] = []

    def once(self: Path, target: Path) -> Path:
        asked.append(self)
        if len(asked) > 1:
            raise OSError(5, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", once)
    with pytest.raises(OutputError, match="Input/output error"):
        written(place)
    assert len(asked) == 3 and not place.exists()
    (kept,) = tmp_path.rglob("kernel.c")
    assert kept.read_text() == "int x;\n"


def test_the_current_directory(capsys: pytest.CaptureFixture[str], in_empty_directory: Path) -> None:
    assert run(["compile", "gemm", "scalar", "--sizes", "i=4,j=4,k=4", "-o", "."]) == 3
    said = capsys.readouterr().err
    assert "cannot write .: it is the current directory, or one around it" in said and "name one in it: out" in said
    assert not list(in_empty_directory.iterdir())


def test_a_link_stays(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    written(written(tmp_path / "link"))
    assert (tmp_path / "link").is_symlink()
    assert {p.name for p in (tmp_path / "real").iterdir()} == {"kernel.c", "proofs.json"}
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link", "real"]
