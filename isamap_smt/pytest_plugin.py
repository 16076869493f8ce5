"""For the tests of those who use isamap-smt: `assert_proved(mapping)`, `assert_described(machine)`, and each certificate as a test.

    pytest --isamap-proofs            every certificate in ./proofs
    pytest --isamap-proofs=DIR        every certificate in DIR

Loaded by pytest through its entry point; nothing of the library is imported before it is needed.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from isamap_smt.ir.hardware import Hardware
    from isamap_smt.ir.mapping import Mapping
    from isamap_smt.ir.proof import ProvedMapping

_OUTCOMES = pytest.StashKey[dict[str, Any]]()


def assert_proved(mapping: Mapping | ProvedMapping) -> ProvedMapping:
    """The proved mapping, proved anew if it is one already.

    Fails the test with the counterexample, or with the open question, if it is not proved.
    """
    __tracebackhide__ = True
    from isamap_smt.ir.proof import ProvedMapping
    from isamap_smt.proof import prove

    result = prove(mapping.mapping if isinstance(mapping, ProvedMapping) else mapping)
    if not isinstance(result, ProvedMapping):
        raise AssertionError(str(result))
    return result


def assert_described(machine: Hardware | str, **options: Any) -> None:
    """Every instruction of the machine was run and agrees with its description; options are those of im.check_hardware().

    Fails the test with the counterexample, or with the reason why one could not be run. Skips it if the only reason
    is an instruction this CPU lacks.
    """
    __tracebackhide__ = True
    from isamap_smt.runtime.conformance import check_hardware

    found = check_hardware(machine, **options)
    if found.verdict == "unknown" and all(c.lacking for c in found.of("not run")):
        pytest.skip(str(found))
    if found.verdict != "right":
        raise AssertionError(str(found))


def pytest_addoption(parser: pytest.Parser) -> None:
    """--isamap-proofs, --isamap-source."""
    group = parser.getgroup("isamap-smt")
    group.addoption(
        "--isamap-source",
        action="append",
        default=[],
        metavar="FILE.py",
        help="a file whose code certificates may name; that of no other is carried out",
    )
    group.addoption(
        "--isamap-proofs",
        nargs="?",
        const="proofs",
        default=None,
        metavar="DIR",
        help="check each certificate in DIR (./proofs) as a test",
    )


def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add one test for each certificate."""
    given = config.getoption("--isamap-proofs")
    if given is None:
        return
    from isamap_smt.certificates.errors import CertificateError
    from isamap_smt.certificates.run import survey

    try:
        ids = survey(Path(given)).ids
    except CertificateError as error:
        advice = f"a word after --isamap-proofs is its DIR: write --isamap-proofs=DIR, or {given} before the option"
        raise pytest.UsageError(f"--isamap-proofs: {error}\n{advice}") from None
    for identifier in ids:
        items.append(CertificateItem.from_parent(session, name=f"{given}::{identifier}", identifier=identifier))


class CertificateItem(pytest.Item):
    """One certificate. The first to run checks all of them, several at a time."""

    def __init__(self, *, identifier: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.identifier = identifier

    def runtest(self) -> None:
        """Fails unless the certificate is ok; the failure tells the cause."""
        outcome = _outcomes(self.config, self.identifier).get(self.identifier)
        if outcome is None or outcome.status != "ok":
            raise CertificateFailedError(str(outcome or f"{self.identifier}: not checked"))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The outcome in words, without a traceback."""
        if isinstance(excinfo.value, CertificateFailedError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The place of the certificate."""
        return Path(self.config.getoption("--isamap-proofs")) / self.identifier, None, self.name


class CertificateFailedError(Exception):
    """A certificate that is not ok."""


def _outcomes(config: pytest.Config, identifier: str) -> dict[str, Any]:
    """All outcomes; if pytest-xdist spreads the tests itself, the outcome of this certificate alone."""
    from isamap_smt.certificates import check_directory

    directory, sources = Path(config.getoption("--isamap-proofs")), config.getoption("--isamap-source")
    if hasattr(config, "workerinput"):
        return {o.id: o for o in check_directory(directory, sources=sources, jobs=1, only=identifier.__eq__)}
    if _OUTCOMES not in config.stash:
        config.stash[_OUTCOMES] = {o.id: o for o in check_directory(directory, sources=sources)}
    return config.stash[_OUTCOMES]
