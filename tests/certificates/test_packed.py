"""Certificates in archives: packed, exported and checked alike; and whatever is done to an archive is told, not followed."""

from __future__ import annotations

import io
import lzma
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isamap_smt.certificates import CertificateError, DamagedError, Outcome, archive, check_directory, load, save
from isamap_smt.certificates.archive import by_certificate, read_archive, write_archive
from isamap_smt.certificates.manifest import CLAIMS, INDEX, MANIFEST, read_certificate, write_index
from isamap_smt.certificates.place import export, pack
from isamap_smt.cli.app import run
from tests.certificates.conftest import COMPLETE, DOT, FMA, MACHINE, gemm_schedule

NAME = "avx2.tar.xz"


@pytest.fixture
def packed(proofs: Path) -> Path:
    pack(proofs)
    return proofs


def check(root: Path) -> dict[str, Outcome]:
    return {o.id: o for o in check_directory(root, jobs=1)}


def contents(root: Path) -> dict[str, bytes]:
    return {f.relative_to(root).as_posix(): f.read_bytes() for f in root.rglob("*") if f.is_file()}


def test_a_packed_certificate_says_what_its_files_said(proofs: Path) -> None:
    before = {i: read_certificate(proofs / i) for i in (FMA, DOT, COMPLETE, MACHINE)}
    pack(proofs)
    assert [f.name for f in (proofs / FMA).iterdir()] == [MANIFEST]
    assert {i: read_certificate(proofs / i) for i in before} == before
    assert {o.status for o in check(proofs).values()} == {"ok"}
    assert load(proofs / DOT).mapping.id == "l=j,e=k;a=A,b=B"


def test_an_archive_is_the_same_whenever_and_in_whatever_order_it_is_written(packed: Path, tmp_path: Path) -> None:
    files = read_archive(packed / NAME)
    write_archive(tmp_path / NAME, dict(reversed(files.items())))
    assert (tmp_path / NAME).read_bytes() == (packed / NAME).read_bytes()
    other = lzma.compress(lzma.decompress((packed / NAME).read_bytes()), preset=0)  # as another version may compress
    (packed / NAME).write_bytes(other)
    pack(packed)
    assert (packed / NAME).read_bytes() == other


def test_an_export_is_what_was_packed_and_is_checked_alike(packed: Path, tmp_path: Path) -> None:
    assert run(["proofs", "export", str(tmp_path / "plain"), "--dir", str(packed)]) == 0
    assert not list((tmp_path / "plain").glob("*.xz"))
    assert "(check-sat)" in (tmp_path / "plain" / DOT / "bounds.smt2").read_text()
    assert {o.status for o in check(tmp_path / "plain").values()} == {"ok"}
    before = contents(packed)
    pack(tmp_path / "plain")
    assert contents(tmp_path / "plain") == before
    with tarfile.open(packed / NAME) as tar:  # tar xf does the same
        safe: Any = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # early Python 3.11 has none
        tar.extractall(tmp_path / "by-hand", **safe)
    assert (tmp_path / "by-hand" / DOT / CLAIMS).is_file()


def test_another_solver_reads_an_exported_file(packed: Path, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    assert export(packed, tmp_path / "plain") == 4
    code = "import sys, z3; s = z3.Solver(); s.from_file(sys.argv[1])"
    file = str(tmp_path / "plain" / DOT / "coverage.smt2")
    assert subprocess.run([sys.executable, "-c", code, file], check=False, capture_output=True).returncode == 0


def test_nothing_damaged_is_exported(packed: Path, tmp_path: Path) -> None:
    (packed / NAME).write_bytes((packed / NAME).read_bytes()[:-40])
    assert run(["proofs", "export", str(tmp_path / "plain"), "--dir", str(packed)]) == 3
    assert not (tmp_path / "plain").exists()


def test_a_packed_certificate_is_saved_again_beside_its_manifest(packed: Path) -> None:
    schedule = gemm_schedule()
    assert save(schedule.proved, packed, schedule) == packed / FMA
    assert set(by_certificate(packed / NAME)) == {DOT}
    assert (packed / FMA / CLAIMS).is_file()
    assert {o.status for o in check(packed).values()} == {"ok"}


def test_a_renewal_that_fails_leaves_the_archive(packed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, schedule = contents(packed), gemm_schedule()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("isamap_smt.certificates.place.write_archive", full)
    with pytest.raises(CertificateError, match="No space left on device"):
        save(schedule.proved, packed, schedule)
    assert contents(packed) == before


# ---- an archive that is not what isamap writes ----------------------------------------------------------------------

Members = list[tuple[tarfile.TarInfo, bytes]]


def _edit(change: Callable[[Members], object]) -> Callable[[Path], None]:
    """Rewrite the archive with its members changed."""

    def edit(root: Path) -> None:
        members: Members = []
        with tarfile.open(root / NAME) as tar:
            for info in tar:
                file = tar.extractfile(info)
                members.append((info, file.read() if file else b""))
        change(members)
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
            for info, data in members:
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
        (root / NAME).write_bytes(lzma.compress(out.getvalue()))

    return edit


def _raw(change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    return lambda root: (root / NAME).write_bytes(change((root / NAME).read_bytes()))


def _link(info: tarfile.TarInfo) -> None:
    info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"


def _named(name: str) -> Callable[[Members], object]:
    def add(members: Members) -> None:
        members.append((tarfile.TarInfo(name), b"x"))

    return add


def _away(root: Path) -> None:
    (root / NAME).rename(root.parent / "elsewhere")
    (root / NAME).symlink_to(root.parent / "elsewhere")


WHOLE: dict[str, tuple[Callable[[Path], object], str]] = {
    "truncated": (_raw(lambda b: b[: len(b) // 2]), "avx2.tar.xz is truncated"),
    "empty": (_raw(lambda _: b""), "avx2.tar.xz is truncated"),
    "a changed byte": (_raw(lambda b: b[:200] + bytes([b[200] ^ 1]) + b[201:]), "avx2.tar.xz is damaged: "),
    "no archive": (_raw(lambda _: b"PK\3\4 zip" * 9), "avx2.tar.xz is damaged: "),
    "no tar archive": (_raw(lambda _: lzma.compress(b"x" * 9999)), "avx2.tar.xz is damaged: "),
    "more behind its end": (_raw(lambda b: b + b"more"), "something stands behind its end"),
    "another archive behind its end": (_raw(lambda b: b + b), "something stands behind its end"),
    "text behind the files": (
        _raw(lambda b: lzma.compress(lzma.decompress(b) + b"hidden")),
        "it holds more than its files, or in another order",
    ),
    "an owner": (_edit(lambda m: setattr(m[0][0], "uname", "root")), "holds more than its files"),
    "a date": (_edit(lambda m: setattr(m[0][0], "mtime", 7)), "holds more than its files"),
    "another order": (_edit(lambda m: m.reverse()), "or in another order"),
    "a link": (_edit(lambda m: _link(m[0][0])), "which is a link or something else that is no file"),
    "a folder": (_edit(lambda m: setattr(m[0][0], "type", tarfile.DIRTYPE)), "which is a link or something else"),
    "a path upwards": (_edit(_named("avx2/../../../out/x")), "'avx2/../../../out/x', which is no path of a"),
    "a path from the root": (_edit(_named("/avx2/gemm/x/y")), "which is no path of a certificate's file"),
    "a path of Windows": (_edit(_named("avx2\\gemm\\x\\y")), "which is no path of a certificate's file"),
    "a hidden file": (_edit(_named("avx2/gemm/.x/y")), "which is no path of a certificate's file"),
    "a file twice": (_edit(lambda m: m.insert(1, m[0])), "twice"),
    "a file in capitals": (
        _edit(lambda m: _named(m[-1][0].name.upper().replace("AVX2", "avx2"))(m)),
        "in capitals alone",
    ),
    "another machine's": (_edit(_named("wmma/gemm/x/y")), "holds wmma/gemm/x/y, which is of another machine"),
    "a link in its place": (_away, "avx2.tar.xz is a link"),
}


@pytest.mark.parametrize("name", WHOLE)
def test_an_archive_that_isamap_did_not_write_is_told(name: str, packed: Path) -> None:
    spoil, told = WHOLE[name]
    spoil(packed)
    found = check(packed)
    assert {i for i, o in found.items() if o.status == "damaged"} == {NAME, FMA, DOT}
    assert {i for i, o in found.items() if o.status == "ok"} == {COMPLETE, MACHINE}
    assert all(told in str(found[i]) for i in (NAME, FMA, DOT)), found[NAME]
    assert sorted(f.name for f in packed.parent.iterdir() if f.name != "elsewhere") == ["proofs"]


def _swapped(root: Path) -> None:
    shutil.copyfile(root / NAME, root / "wmma.tar.xz")


def _beside(root: Path) -> None:
    (root / DOT / "bounds.smt2").write_bytes(by_certificate(root / NAME)[DOT]["bounds.smt2"])


def _manifest_linked(root: Path) -> None:
    (root / DOT / MANIFEST).rename(root.parent / "m.json")
    (root / DOT / MANIFEST).symlink_to(root.parent / "m.json")


def _file_linked(root: Path) -> None:
    (root / COMPLETE / "x.smt2").symlink_to("/etc/passwd")


def _cut(members: Members) -> None:
    at = next(n for n, (info, _) in enumerate(members) if info.name == f"{DOT}/agreement.smt2")
    members[at] = members[at][0], members[at][1].replace(b"unsat", b"sat")


SOME: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "no archive": (lambda r: (r / NAME).unlink(), DOT, "claims.json is missing"),
    "an edited formula": (_edit(_cut), DOT, "agreement.smt2 is not as it was written: its digest differs from that in"),
    "a file less": (_edit(lambda m: m.remove(m[-1])), DOT, "scalar.smt2 is missing"),
    "a file more": (_edit(_named(f"{DOT}/zz.smt2")), DOT, "zz.smt2 is not listed in claims.json"),
    "files of nobody": (_edit(_named("avx2/zzz/x/y")), NAME, "holds files of avx2/zzz/x, which has no manifest"),
    "swapped": (_swapped, "wmma.tar.xz", "which is of another machine"),
    "a file beside": (_beside, DOT, "bounds.smt2 stands beside manifest.json, and its files are in avx2.tar.xz"),
    "a linked manifest": (_manifest_linked, DOT, "manifest.json is a link"),
    "a linked file": (_file_linked, COMPLETE, "x.smt2 is a link"),
}


@pytest.mark.parametrize("name", SOME)
def test_what_is_missing_or_too_much_is_named(name: str, packed: Path) -> None:
    spoil, identifier, told = SOME[name]
    spoil(packed)
    found = check(packed)
    assert found[identifier].status == "damaged" and told in str(found[identifier]), found[identifier]
    assert found[MACHINE].status == "ok"


def test_an_archive_that_unpacks_to_more_than_its_bound_is_refused(
    packed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = lzma.compress(bytes(64 << 20), preset=0)
    assert len(bomb) < 1 << 16
    (packed / NAME).write_bytes(bomb)
    monkeypatch.setattr(archive, "MOST", 32 << 20)
    with pytest.raises(DamagedError, match=r"avx2\.tar\.xz is too large: its files may have 32 MiB"):
        read_archive(packed / NAME)
    with pytest.raises(CertificateError, match="too many files"):
        write_archive(packed / NAME, {"avx2/gemm/x/y": bytes(64 << 20)})


@pytest.mark.parametrize("names", [["avx2/g/x/y", "avx2/g/X/y"], ["avx2/../x/y"], ["avx2/x"]])
def test_what_could_not_be_read_back_is_not_written(names: list[str], tmp_path: Path) -> None:
    with pytest.raises(CertificateError):
        write_archive(tmp_path / NAME, dict.fromkeys(names, b""))
    assert not list(tmp_path.iterdir())


def test_an_index_without_certificates_lists_none(packed: Path) -> None:
    away = packed.parent / "away"
    shutil.copytree(packed, away)
    for identifier in (FMA, DOT, COMPLETE, MACHINE):
        shutil.rmtree(packed / identifier)
    write_index(packed)
    shutil.copyfile(packed / INDEX, away / INDEX)
    assert {o.status for i, o in check(away).items() if i != NAME} == {"damaged"}
