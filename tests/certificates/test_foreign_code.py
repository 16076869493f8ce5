"""A folder of certificates is data: no file that it names is carried out unless the user names it, wherever the name stands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import isamap_smt as im
from isamap_smt.certificates import check_directory, load, save
from isamap_smt.cli.app import run
from isamap_smt.ir.errors import UnnamedFileError
from tests.certificates.conftest import COMPLETE, FMA, MACHINE, Edit, seal

MARK = "from pathlib import Path\nPath('carried out').touch()\n"
ID = "avx2/mine/fmadd_ps,l=j,a=A,b=B"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A certificate of a kernel in a file, which leaves a mark wherever it is carried out from now on."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("ISAMAP_CACHE", str(tmp_path / "cache"))
    Path("mine.py").write_text('mine = "C[i,j] += A[i,k] * B[k,j]"\n')
    proved = im.prove(im.fuse(im.find_kernel("mine.py:mine"), im.find_instruction("avx2.fmadd_ps"), "l=j"))
    assert isinstance(proved, im.ProvedMapping)
    save(proved, "proofs", kernel="mine.py:mine")
    Path("mine.py").write_text(MARK + Path("mine.py").read_text())
    Path("evil.py").write_text(MARK + "import isamap_smt as im\navx2 = HARDWARE = im.find_hardware('avx2')\n"
                               "dot = avx2.instruction('fmadd_ps')\nmine = 'C[i,j] += A[i,k] * B[k,j]'\n")  # fmt: skip
    assert not Path("carried out").exists()
    return here


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "words", [["check", "--jobs", "1"], ["check", "--jobs", "1", "--no-cache"], ["why", ID], ["update", "avx2/mine"]]
)
@pytest.mark.parametrize("lock", [True, False])
def test_no_command_carries_out_what_a_manifest_names(
    words: list[str], lock: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    if not lock:
        Path("proofs.lock").unlink(missing_ok=True)
    assert run(["proofs", *words]) != 0
    said = "".join(capsys.readouterr())
    assert not Path("carried out").exists()
    assert "mine.py is named by data" in said and "add --source mine.py" in said


@pytest.mark.usefixtures("folder")
def test_what_the_user_names_is_carried_out() -> None:
    assert run(["proofs", "check", "--jobs", "1", "--source", "mine.py"]) == 0
    assert Path("carried out").exists()


@pytest.mark.usefixtures("folder")
def test_in_python_too() -> None:
    with pytest.raises(UnnamedFileError, match=r"sources=\['mine\.py'\]"):
        load(f"proofs/{ID}")
    (found,) = check_directory(Path("proofs"), jobs=1)
    assert found.status == "unknown" and not Path("carried out").exists()
    assert load(f"proofs/{ID}", sources=["mine.py"]).mapping.kernel.name == "mine"


def put(value: str, *path: str) -> Callable[[Any], None]:
    def edit(document: Any) -> None:
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = value

    return edit


def named(document: Any) -> None:
    """The name of a kernel that is read from its text."""
    document["kernel"] |= {"name": "evil.py:mine", "source": None}


@pytest.mark.parametrize(
    ("identifier", "edit"),
    [
        (FMA, put("evil.py:mine", "kernel", "source")),
        (FMA, put("./sub/../evil.py:mine", "kernel", "source")),
        (FMA, put("evil.py", "kernel", "source")),
        (FMA, named),
        (FMA, put("evil.py:dot", "instruction", "source")),
        (FMA, put("evil.py:avx2.fmadd_ps", "instruction", "source")),
        (FMA, put("evil.py:HARDWARE.selected", "instruction", "source")),
        (FMA, put("evil.py:HARDWARE", "schedule", "hardware")),
        (FMA, put("evil.py", "schedule", "hardware")),
        (COMPLETE, put("evil.py:mine", "kernel", "source")),
        (COMPLETE, put("evil.py:dot", "instruction", "source")),
        (MACHINE, put("evil.py:HARDWARE", "hardware")),
        (MACHINE, put("evil.py:HARDWARE(n=1)", "hardware")),
    ],
)
def test_no_place_of_a_manifest_leads_to_code(folder: Path, proofs: Path, identifier: str, edit: Edit) -> None:
    """mine.py is named by the user here, and evil.py is not."""
    seal(proofs, identifier, edit)
    Path("mine.py").write_text('mine = "C[i,j] += A[i,k] * B[k,j]"\n')
    (folder / "sub").mkdir()
    (found,) = check_directory(proofs, jobs=1, sources=["mine.py"], only=identifier.__eq__, cache=False)
    assert found.status != "ok"
    run(["proofs", "why", identifier, "--dir", str(proofs)])
    assert not (folder / "carried out").exists()
