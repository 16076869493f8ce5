"""The workflow of docs/ci.md: its commands, run as they stand, on certificates that hold and on one that does not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from isamap_smt.certificates.lock import lock_path, lock_text, question
from isamap_smt.certificates.manifest import certificate_ids, manifest_alone
from tests.certificates.conftest import DOT


def commands(repository: Path) -> list[str]:
    text = (repository / "docs" / "ci.md").read_text()
    found = re.findall(r"^\s+- run: (.+)$", text, re.MULTILINE)
    assert found[0].startswith("pip install 'isamap-smt[")
    return found[1:]


def statuses(repository: Path, directory: Path) -> list[int]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return [
        subprocess.run(c, shell=True, cwd=directory, env={**os.environ, "PATH": path}, check=False).returncode
        for c in commands(repository)
    ]


def test_the_workflow_passes_and_fails(repository: Path, proofs: Path) -> None:
    directory = proofs.parent
    (directory / "pytest.ini").write_text("[pytest]\ntestpaths = proofs\n")
    asked = {i: question(manifest_alone(proofs / i)) for i in certificate_ids(proofs)}
    lock_path(proofs).write_text(lock_text(asked))
    assert statuses(repository, directory) == [0, 0]
    (proofs / DOT / "bounds.smt2").unlink()
    assert statuses(repository, directory) == [1, 1]
