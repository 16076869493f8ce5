"""Every test runs with fixed seeds, its own caches, and says aloud which instructions this CPU lacks."""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import archspec.cpu
import pytest
from hypothesis import HealthCheck, settings

from isamap_smt.language.hardware_library import host_features
from tests.families import leave_out

# The user's, that change what is computed or written. (ISAMAP_SIMDE and ISAMAP_LIBXSMM say only where a library lies.)
SETTINGS = ("ISAMAP_CACHE", "ISAMAP_CC")
REPOSITORY = Path(__file__).resolve().parent.parent

# Bytecode is kept, here and in the interpreters that tests start: without it each of them compiles the whole library again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Nothing may depend on what memory held: what the runtime hands out holds NaN, or -1; what compiled code takes from the heap holds
# numbers near the largest. Processes that tests start are told the same.
os.environ["ISAMAP_POISON"] = "255"

# A verdict may not depend on the machine's load or on luck: no deadlines, and the same examples on every run.
# HYPOTHESIS_PROFILE=search looks for new examples instead.
settings.register_profile(
    "fixed", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("search", parent=settings.get_profile("fixed"), derandomize=False, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


def pytest_configure(config: pytest.Config) -> None:
    """Give the session a cache directory of its own, so that no test reads what an earlier run left behind.

    Its workers share it: what one of them has built or decided, another need not.

    Nor do the user's settings of isamap count: with a cache of their own comes a calibration, which changes schedules.
    The C compiler keeps its usual cache: it holds the compiler's own start-up files, never results of ours.
    """
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    os.environ.setdefault("ZIG_GLOBAL_CACHE_DIR", str(home / "zig"))
    if not hasattr(config, "workerinput"):  # a worker has the session's
        caches = tempfile.TemporaryDirectory(prefix="isamap-test-cache-")
        config.add_cleanup(caches.cleanup)
        os.environ["XDG_CACHE_HOME"] = caches.name
    for name in SETTINGS:
        os.environ.pop(name, None)
    # A background job of a non-interactive shell is started with Ctrl-C ignored, and so would be what the tests interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)


COLLECTED = pytest.StashKey[dict[str, set[bool]]]()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Note of each family of cases, before any is left out, whether some are `exhaustive` (True) and some are not (False)."""
    leave_out(items)
    found = config.stash.setdefault(COLLECTED, {})
    for item in items:
        family = item.nodeid.split("[", 1)[0]
        found.setdefault(family, set()).add(item.get_closest_marker("exhaustive") is not None)


@pytest.fixture(scope="session")
def collected_families(request: pytest.FixtureRequest) -> dict[str, set[bool]]:
    """Of each test that was collected: whether some of its cases are `exhaustive` (True), and some not (False)."""
    return request.config.stash[COLLECTED]


def pytest_collection_finish(session: pytest.Session) -> None:
    """What was collected stays to the end: the garbage collector need not go over it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test marked `needs(...)` where the CPU lacks a feature, naming the feature: what the runtime would refuse there."""
    for marker in item.iter_markers("needs"):
        missing = [feature for feature in marker.args if feature not in host_features()]
        if missing:
            pytest.skip(f"this CPU ({archspec.cpu.host().name}) has no {', '.join(missing)}")


@pytest.fixture(autouse=True, scope="session")
def _no_log_of_slow_commands() -> Iterator[None]:
    """What a command says every 15 seconds depends on how busy the machine is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("isamap_smt.cli.bar.EVERY", 3600.0)
        yield


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the checkout."""
    return REPOSITORY


@pytest.fixture
def in_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Run the test in a new, empty working directory; yields it, to be asked what was left there."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path
