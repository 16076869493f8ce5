"""MACHINE.tar.xz holds the files of a machine's certificates: read whole or refused, and written with the same bytes each time.

`tar xf` unpacks it beside the manifests. Nothing is unpacked here: its contents stay in memory, within a bound, and must be as
isamap writes them to the last byte. So a link, a path leading elsewhere, or one name twice never reaches a file system.
"""

from __future__ import annotations

import io
import lzma
import os
import re
import tarfile
import tempfile
from collections.abc import Mapping as Dict
from functools import lru_cache
from pathlib import Path

from isamap_smt.certificates.errors import CertificateError, DamagedError

SUFFIX = ".tar.xz"
MOST = 256 << 20  # bytes of all files of an archive, and of the memory to read it
_NAME = re.compile(r"[A-Za-z0-9_,=-][A-Za-z0-9_.,=-]*(/[A-Za-z0-9_,=-][A-Za-z0-9_.,=-]*){2,}")
Files = Dict[str, bytes]


def archive_of(root: Path, identifier: str) -> Path:
    """The archive with the files of the certificate of this id, unless they are beside its manifest."""
    return root / f"{identifier.partition('/')[0]}{SUFFIX}"


def archived(root: Path, identifier: str) -> Files:
    """The files of one certificate in its machine's archive; none if there is no archive. Raises DamagedError."""
    return by_certificate(archive_of(root, identifier)).get(identifier, {})


def by_certificate(path: Path) -> dict[str, Files]:
    """The files of each certificate in an archive, by id. Raises DamagedError."""
    try:
        if not os.path.lexists(path):
            return {}
        stat = path.lstat()
        return _by_certificate(path, (stat.st_mode, stat.st_ino, stat.st_size, stat.st_mtime_ns))
    except OSError as error:
        raise DamagedError(f"{path.name} cannot be read: {error.strerror}") from None


@lru_cache(maxsize=16)
def _by_certificate(path: Path, _: tuple[int, ...]) -> dict[str, Files]:
    """Read once for each state of the file."""
    found: dict[str, dict[str, bytes]] = {}
    for name, data in read_archive(path).items():
        identifier, file = name.rsplit("/", 1)
        found.setdefault(identifier, {})[file] = data
    return dict(found)


def read_archive(path: Path) -> dict[str, bytes]:
    """Every file by its path below the directory. Raises DamagedError, with the fault in words, and OSError."""
    if path.is_symlink() or not path.is_file():
        raise DamagedError(f"{path.name} is a link, or something else that is no file")
    raw = _unpacked(path)
    found: dict[str, bytes] = {}
    lower: set[str] = set()
    try:
        with tarfile.open(fileobj=io.BytesIO(raw), mode="r:") as tar:
            for member in tar:
                _check_name(path, member, found)
                if member.name.lower() in lower:
                    raise DamagedError(f"{path.name} holds {member.name} and another that differs in capitals alone")
                lower.add(member.name.lower())
                file = tar.extractfile(member)
                found[member.name] = file.read() if file else b""
    except (tarfile.TarError, ValueError, EOFError) as error:
        raise DamagedError(f"{path.name} is damaged: {error}") from None
    if _packed(found) != raw:  # an owner, a date, another order, something behind the end
        raise DamagedError(f"{path.name} was not written by isamap: it holds more than its files, or in another order")
    return found


def _unpacked(path: Path) -> bytes:
    if path.stat().st_size > MOST:
        raise DamagedError(f"{path.name} is too large: its files may have {MOST >> 20} MiB")
    reader = lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=MOST)
    try:
        raw = reader.decompress(path.read_bytes(), max_length=MOST + 1)
    except lzma.LZMAError as error:
        raise DamagedError(f"{path.name} is damaged: {str(error)[:1].lower()}{str(error)[1:]}") from None
    if len(raw) > MOST:
        raise DamagedError(f"{path.name} is too large: its files may have {MOST >> 20} MiB")
    if not reader.eof:
        raise DamagedError(f"{path.name} is truncated")
    if reader.unused_data:
        raise DamagedError(f"{path.name} was not written by isamap: something stands behind its end")
    return raw


def _check_name(path: Path, member: tarfile.TarInfo, found: Files) -> None:
    name = member.name
    if not member.isreg() or member.issparse():
        raise DamagedError(f"{path.name} holds {name!r}, which is a link or something else that is no file")
    if not _NAME.fullmatch(name):
        raise DamagedError(f"{path.name} holds {name!r}, which is no path of a certificate's file")
    if f"{name.partition('/')[0]}{SUFFIX}" != path.name:
        raise DamagedError(f"{path.name} holds {name}, which is of another machine")
    if name in found:
        raise DamagedError(f"{path.name} holds {name} twice")


def write_archive(path: Path, files: Files) -> None:
    """The archive of these files, by path below the directory, whole or not at all; none if there are no files.

    An archive of the same contents stays as it is. Raises CertificateError if it could not be read back, and OSError.
    """
    if not files:
        path.unlink(missing_ok=True)
        return
    raw = _packed(files)
    lower = {n.lower() for n in files}
    if len(raw) > MOST or len(lower) != len(files) or not all(map(_NAME.fullmatch, files)):
        raise CertificateError(f"cannot write {path}: too many files, or two names that differ in capitals alone")
    try:
        if path.is_file() and not path.is_symlink() and _unpacked(path) == raw:
            return
    except DamagedError:
        pass  # it is written anew
    scratch = Path(tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)[1])
    try:
        scratch.write_bytes(lzma.compress(raw, format=lzma.FORMAT_XZ, preset=9))
        scratch.chmod(0o644)
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)


def _packed(files: Files) -> bytes:
    """A tar archive, independent of when, where and by whom it is written."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name in sorted(files):
            info = tarfile.TarInfo(name)
            info.size = len(files[name])
            tar.addfile(info, io.BytesIO(files[name]))
    return out.getvalue()
