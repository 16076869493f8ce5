"""Certificates of one's own files: saved where later checks find what they are about, and renewed in their place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import isamap_smt as im
from isamap_smt.certificates import CertificateError, check_directory, load, save
from isamap_smt.certificates.manifest import MANIFEST, certificate_ids, read_certificate
from isamap_smt.certificates.place import put
from isamap_smt.certificates.saved import renewed
from isamap_smt.certificates.store import Named, mapping_certificate
from isamap_smt.certificates.subject import Sources
from isamap_smt.cli.app import run
from isamap_smt.cli.proofs_update import update_directory, wanted
from isamap_smt.ir.errors import NotProvedError
from tests.certificates.conftest import FMA, gemm_schedule

ACCEL = """
import isamap_smt as im

layer = "C[i,j] += A[i,k] * B[k,j]"
outer = im.instruction(
    "accel.outer", "c[i,j] += a[i] * b[j]", axes={"i": 4, "j": 4}, dtypes=dict.fromkeys("abc", "f32"),
    places=dict.fromkeys("abc", "acc"), latency=8.0,
)
HARDWARE = im.Hardware("accel", (im.Memory("acc", 1024),), (), (outer,))
"""
SOURCES = {"kernel": "accel.py:layer", "instruction": "accel.py:outer"}
ID = "accel/layer/outer,i=i,j=j,a=A,b=B"


@pytest.fixture
def accel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's file in the current directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ISAMAP_CACHE", str(tmp_path / "cache"))
    Path("accel.py").write_text(ACCEL)
    return tmp_path / "accel.py"


def proved() -> im.ProvedMapping:
    kernel, outer = im.find_kernel("accel.py:layer"), im.find_instruction("accel.py:outer")
    result = im.prove(im.fuse(kernel, outer, "i=i,j=j"))
    assert isinstance(result, im.ProvedMapping), str(result)
    return result


def contents() -> dict[str, bytes]:
    return {str(f): f.read_bytes() for f in Path("proofs").rglob("*") if f.is_file()}


def statuses() -> dict[str, str]:
    return {o.id: o.status for o in check_directory(Path("proofs"), jobs=1, sources=["accel.py"])}


@pytest.mark.usefixtures("accel")
def test_what_later_checks_would_not_find_is_not_saved() -> None:
    with pytest.raises(
        CertificateError, match=r"accel\.outer: unknown hardware 'accel'.*instruction='my_machine\.py:dot'"
    ):
        save(proved(), "proofs")
    with pytest.raises(CertificateError, match=r"accel\.py defines no instruction 'inner'; known: outer; pass"):
        save(proved(), "proofs", kernel="accel.py:layer", instruction="accel.py:inner")
    with pytest.raises(CertificateError, match=r"find as avx2\.fmadd_ps is not the instruction that was proved"):
        save(proved(), "proofs", kernel="accel.py:layer", instruction="avx2.fmadd_ps")
    assert not Path("proofs").exists()
    save(proved(), "proofs", **SOURCES)
    assert statuses() == {ID: "ok"}


@pytest.mark.usefixtures("accel")
def test_the_reason_why_a_kernel_is_not_found_is_told() -> None:
    with pytest.raises(CertificateError, match=r"kernel='acel\.py:layer': no such file: acel\.py in .*mean accel\.py"):
        save(proved(), "proofs", kernel="acel.py:layer", instruction="accel.py:outer")
    own = im.kernel("D[m,n] += L[m,q] * R[q,n]", name="mine")
    other = im.prove(im.fuse(own, im.find_instruction("avx2.fmadd_ps"), "l=n"))
    assert isinstance(other, im.ProvedMapping)
    with pytest.raises(CertificateError, match=r"accel\.py:layer is not the kernel mine that was proved: .*'D'"):
        save(other, "proofs", kernel="accel.py:layer")
    with pytest.raises(CertificateError, match=r"kernel='accel\.py:lair': .*has no kernel 'lair'; did you mean layer"):
        save(proved(), "proofs", kernel="accel.py:lair", instruction="accel.py:outer")


def test_what_is_not_proved_is_not_saved(tmp_path: Path) -> None:
    mapping = im.fuse(im.find_kernel("gemm"), im.find_instruction("avx2.fmadd_ps"), "l=j")
    with pytest.raises(NotProvedError, match=r"not Mapping; call isamap_smt\.prove\(mapping\) first"):
        save(mapping, tmp_path)  # type: ignore[arg-type]
    with pytest.raises(NotProvedError, match="not Rejection"):
        save(im.prove(im.fuse(im.find_kernel("gemm"), mapping.instruction, "l=k")), tmp_path)  # type: ignore[arg-type]


def test_a_stale_certificate_is_saved_again(accel: Path) -> None:
    place = save(proved(), "proofs", **SOURCES)
    accel.write_text(ACCEL.replace("latency=8.0", "latency=9.0"))
    assert statuses() == {ID: "stale"}
    assert save(proved(), "proofs", **SOURCES) == place
    assert statuses() == {ID: "ok"}
    assert sorted(p.name for p in Path().iterdir()) == ["accel.py", "cache", "proofs"]
    assert load(place, sources=["accel.py"]).mapping == proved().mapping


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("latency=8.0", "latency=9.0", "its cost (latency, per_cycle)"),
        (
            "latency=8.0",
            "requires=('amx_tile',), rounding='unfused'",
            "its requires, cost (latency, per_cycle), rounding",
        ),
        ("c[i,j] += a[i] * b[j]", "c[i,j] += b[j] * a[i]", "its contract, places"),
    ],
)
def test_what_of_an_instruction_has_changed_is_told(accel: Path, old: str, new: str, told: str) -> None:
    save(proved(), "proofs", **SOURCES)
    assert statuses() == {ID: "ok"}
    accel.write_text(ACCEL.replace(old, new))
    for cache in (True, False):
        (found,) = check_directory(Path("proofs"), jobs=1, cache=cache, sources=["accel.py"])
        assert (found.status, found.told[0]) == ("stale", f"the instruction accel.outer has changed: {told}")


def test_a_certificate_of_something_else_stays(accel: Path) -> None:
    save(proved(), "proofs", **SOURCES)
    before = contents()
    with pytest.raises(CertificateError, match=r"(?s)its kernel is accel\.py:layer with .*, not the text .*; delete "):
        save(proved(), "proofs", instruction="accel.py:outer")
    Path("other.py").write_text(ACCEL)
    with pytest.raises(CertificateError, match=r"its instruction is accel\.py:outer, not other\.py:outer; delete "):
        save(proved(), "proofs", kernel="accel.py:layer", instruction="other.py:outer")
    assert contents() == before
    (Path("proofs") / ID / "agreement.smt2").write_text("")
    with pytest.raises(CertificateError, match=r"is damaged \(agreement\.smt2 is not as it was written.*; delete "):
        save(proved(), "proofs", **SOURCES)
    (Path("proofs") / ID / MANIFEST).unlink()
    with pytest.raises(CertificateError, match="is taken by something that is no certificate; delete "):
        save(proved(), "proofs", **SOURCES)


def test_a_program_is_not_lost_in_silence(tmp_path: Path) -> None:
    schedule = gemm_schedule()
    place = save(schedule.proved, tmp_path, schedule)
    with pytest.raises(CertificateError, match="holds a program too: pass its schedule, or delete "):
        save(schedule.proved, tmp_path)
    assert "schedule" in json.loads((place / MANIFEST).read_text())


@pytest.mark.usefixtures("accel")
def test_a_renewal_that_fails_leaves_the_old_one(monkeypatch: pytest.MonkeyPatch) -> None:
    save(proved(), "proofs", **SOURCES)
    before, rename = contents(), Path.rename

    def full(self: Path, target: Path) -> Path:
        if self.name == Path(ID).name and self.parts[0].startswith(".proofs-"):
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", full)
    certificate = mapping_certificate(proved(), None, Named(**SOURCES))
    with pytest.raises(CertificateError, match=r"cannot write proofs/accel/.*: No space left on device"):
        put(certificate, Path("proofs"))
    assert contents() == before
    assert certificate_ids(Path("proofs")) == (ID,)
    assert not list(Path().glob(".proofs-*"))


def test_update_writes_ones_own_certificates_anew(accel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(proved(), "proofs", **SOURCES)
    schedule = gemm_schedule()
    save(schedule.proved, "proofs", schedule)
    whole = read_certificate(Path("proofs", FMA))
    accel.write_text(ACCEL.replace("latency=8.0", "latency=9.0"))
    assert statuses() == {ID: "stale", FMA: "ok"}
    assert run(["proofs", "update", "accel/layer", "--jobs", "1", "--source", "accel.py"]) == 0
    assert statuses() == {ID: "ok", FMA: "ok"}
    assert read_certificate(Path("proofs", FMA)) == whole
    assert not [f for f in contents() if f.endswith(".smt2")]  # an update packs them
    capsys.readouterr()
    assert run(["proofs", "update", "accell"]) == 3
    assert "none in proofs, matches 'accell'" in capsys.readouterr().err


def test_a_certificate_that_is_broken_is_not_written_anew(accel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(proved(), "proofs", **SOURCES)
    before = contents()
    accel.write_text(ACCEL.replace("A[i,k] * B[k,j]", "A[i,k] + B[k,j]"))
    assert run(["proofs", "update", "accel", "--source", "accel.py"]) == 3
    said = capsys.readouterr().err
    assert f"proofs/{ID} cannot be written anew: " in said and said.endswith("mend that, or delete it\n")
    accel.unlink()
    assert run(["proofs", "update", "accel", "--source", "accel.py"]) == 3
    assert "no such file: accel.py" in capsys.readouterr().err
    assert contents() == before


def test_a_program_is_written_anew_of_its_own_decisions(tmp_path: Path) -> None:
    schedule = gemm_schedule()
    place = save(schedule.proved, tmp_path, schedule)
    certificate = renewed(place, Sources())
    then = read_certificate(place)
    document = json.loads(json.dumps(certificate.document))
    assert document == {k: v for k, v in then.document.items() if k not in ("files", "format", "digest")}
    assert certificate.files == then.files


@pytest.mark.usefixtures("accel")
def test_an_update_of_the_library_does_not_take_the_place_of_ones_own() -> None:
    Path("mine.py").write_text("gemm = 'C[i,j] += A[i,k] * B[k,j]'")
    result = im.prove(im.fuse(im.find_kernel("mine.py:gemm"), im.find_instruction("avx2.fmadd_ps"), "l=j"))
    assert isinstance(result, im.ProvedMapping)
    save(result, "proofs", kernel="mine.py:gemm")
    before = contents()
    with pytest.raises(CertificateError, match=r"is of mine\.py:gemm, and the library's avx2/gemm/fmadd_ps would"):
        update_directory(Path("proofs"), "avx2/gemm/fmadd_ps", 1)
    assert contents() == before


def test_what_is_written_by_hand_is_nobody_elses() -> None:
    assert not any(w.covers("avx2/gemm/fmadd_ps,by-hand-0123456789ab") for w in wanted("avx2/gemm"))
