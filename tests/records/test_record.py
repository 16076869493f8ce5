"""A record is read as it was written, or refused with a reason; a store keeps what was finished, whatever ends a process."""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isamap_smt.records.record import FormatError, Kind, RecordError, compact, for_people, read, sealed
from isamap_smt.records.store import Cache, Fault, Store, StoreError

KIND = Kind("thing", 3)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text().filter(lambda k: k not in ("format", "digest")), PLAIN, max_size=6))
def test_a_record_comes_back_as_it_was(body: dict[str, Any]) -> None:
    text = compact(sealed(KIND, body))
    found = read(KIND, text)
    assert {k: v for k, v in found.items() if k not in ("format", "digest")} == body
    assert [*found][1:-1] == [*body]  # in its order
    assert compact(sealed(KIND, found)) == text


BODY = {"cycles": 12.5, "said": ["a", "λ"], "by": {"name": "x", "least": None}}


@pytest.mark.parametrize("spelled", [compact, for_people])
def test_no_edit_of_a_record_is_read(spelled: Any) -> None:
    text, rng = spelled(sealed(KIND, BODY)), random.Random(4)
    for n in range(200):
        at = rng.randrange(len(text))
        edits = (text[:at], text[:at] + rng.choice('0 1"}x') + text[at:], text[:at] + text[at + 1 :], text + text[at:])
        if edits[n % 4] != text:
            with pytest.raises(RecordError, match=r"^(is|was|cannot) "):
                read(KIND, edits[n % 4], spelled)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (sealed(Kind("thing", 2), BODY), "is of version 2, and this isamap reads version 3"),
        (sealed(Kind("thing", 4), BODY), "is of version 4, and this isamap reads version 3"),
        ({"kind": "isamap thing", "version": 1, **BODY}, "is of version 1, and this isamap reads version 3"),
        (sealed(Kind("other", 3), BODY), "is foreign: its format is 'isamap other 3', not 'isamap thing 3'"),
        ({}, "is foreign: its format is 'none'"),
        ([1], "is foreign: its format is 'list'"),
        ({"format": {"a": "b" * 999}}, "is foreign: its format is \"{'a': 'bbbb"),
    ],
)
def test_what_is_of_another_format_is_told(document: Any, said: str) -> None:
    with pytest.raises(FormatError) as refused:
        read(KIND, compact(document))
    assert str(refused.value).startswith(said) and len(str(refused.value)) < 200


def test_a_key_that_stands_twice_is_refused() -> None:
    text = compact(sealed(KIND, BODY))
    with pytest.raises(RecordError, match="is not written as isamap writes it"):
        read(KIND, text.replace('"cycles":12.5', '"cycles":1,"cycles":12.5'))


# ---- A store


def rows(file: Path) -> dict[str, str]:
    with closing(sqlite3.connect(file)) as c:
        return dict(c.execute("SELECT key, text FROM record ORDER BY rowid"))


def test_records_are_listed_replaced_and_bounded(tmp_path: Path) -> None:
    file = tmp_path / "new" / "s.sqlite"
    with Store(Kind("thing", 3, most=5), file) as store:
        store.put({f"a {n}": {"n": n} for n in range(3)} | {"b 0": {"n": 7}})
        store.put({"a 1": {"n": 9}})
        assert [(k, r["n"]) for k, r in store.under("a ")] == [("a 0", 0), ("a 2", 2), ("a 1", 9)]
        assert store.get("b 0") is not None and store.get("b") is None
        store.put({f"c {n}": {} for n in range(4)})
        assert [*rows(file)] == ["a 1", "c 0", "c 1", "c 2", "c 3"]  # those written last
        assert [f.name for f in file.parent.iterdir()] == ["s.sqlite"]


def test_a_record_under_another_key_is_none_of_it(tmp_path: Path) -> None:
    with Store(KIND, tmp_path / "s") as store:
        store.put({"one": {"n": 1}, "two": {"n": 2}})
        with closing(sqlite3.connect(tmp_path / "s")) as c, c:
            c.execute("UPDATE record SET text = (SELECT text FROM record WHERE key = 'one') WHERE key = 'two'")
        with pytest.raises(RecordError, match="stands under another key than its own"):
            store.get("two")


def test_a_body_that_is_no_json_leaves_all_as_it_was(tmp_path: Path) -> None:
    with Store(KIND, tmp_path / "s") as store:
        store.put({"one": {"n": 1}})
        with pytest.raises(TypeError):
            store.put({"one": {"n": 2}, "two": {"n": object()}})
        assert {k: r["n"] for k, r in store.under("")} == {"one": 1}


@pytest.mark.parametrize("place", ["a directory", "below a file", "a link to itself"])
def test_a_place_that_cannot_be_is_told_by_a_store_and_none_of_a_cache(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "s.sqlite"
    if place == "a directory":
        file.mkdir()
    elif place == "below a file":
        (tmp_path / "file").write_text("")
        file = tmp_path / "file" / "s.sqlite"
    else:
        file.symlink_to(file)
    with pytest.raises(StoreError, match="cannot be used") as refused:
        Store(KIND, file)
    assert refused.value.fault is Fault.PLACE
    monkeypatch.setenv("ISAMAP_CACHE", str(file.parent))
    with Cache(KIND, file.name) as cache:
        cache.put({"one": {"n": 1}})
        assert cache.get("one") is None
    assert len([*tmp_path.iterdir()]) == 1


def test_a_file_that_cannot_be_written_is_still_read(tmp_path: Path) -> None:
    """A full disk: a process that may write no byte."""
    code = (
        "import resource, signal, sys\nfrom isamap_smt.records.record import Kind\n"
        "from isamap_smt.records.store import Cache, Store, StoreError\nfrom pathlib import Path\n"
        "with Cache(Kind('thing', 3), 's') as c: c.put({'one': {'n': 1}})\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nresource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
        "with Cache(Kind('thing', 3), 's') as c:\n    c.put({'two': {'n': 2}})\n    print(c.get('one')['n'], c.get('two'))\n"
        "with Store(Kind('thing', 3), Path(sys.argv[1], 's')) as s:\n"
        "    try: s.put({'two': {'n': 2}})\n    except StoreError as error: print(error.fault.name)\n    print(s.get('one')['n'])\n"
    )
    environment = {**os.environ, "ISAMAP_CACHE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout.split() == ["1", "None", "PLACE", "1"]
    assert [*rows(tmp_path / "s")] == ["one"]


WRITER = """
import sys
from pathlib import Path
from isamap_smt.records.record import Kind
from isamap_smt.records.store import Cache, Store
file, name, kind = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
print("ready", flush=True)
n = 0
while n < int(sys.argv[4]):
    opened = Store(Kind("thing", 3), file) if kind == "store" else Cache(Kind("thing", 3), file.name)
    with opened as s:
        for _ in range(5):
            s.put({f"{name} {n} {i}": {"n": n, "much": "x" * 500} for i in range(4)})
            print(n, flush=True)
            n += 1
"""


def writer(file: Path, name: str, kind: str, count: int) -> subprocess.Popen[str]:
    """A process that puts four records at once, and says so."""
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(file), name, kind, str(count)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "ISAMAP_CACHE": str(file.parent)},
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["store", "cache"])
def test_processes_that_make_and_write_one_file_lose_nothing(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "s.sqlite"
    writers = [writer(file, f"w{n}", kind, 25) for n in range(3)]
    assert [(w.communicate(timeout=120)[1], w.returncode) for w in writers] == [("", 0)] * 3
    with Store(KIND, file) as store:
        assert len([*store.under("")]) == 3 * 25 * 4
    assert [f.name for f in tmp_path.iterdir()] == ["s.sqlite"]


@pytest.mark.parametrize(
    ("kind", "number"), [("store", signal.SIGINT), ("store", signal.SIGKILL), ("cache", signal.SIGINT)]
)
def test_what_was_finished_is_there_after_an_interrupt_at_any_moment(
    kind: str, number: signal.Signals, tmp_path: Path
) -> None:
    file, rng = tmp_path / "s.sqlite", random.Random(int(number))
    finished: set[str] = set()
    for turn in range(8):
        started = writer(file, f"t{turn}", kind, 1_000_000)
        assert started.stdout is not None and started.stdout.readline() == "ready\n"
        time.sleep(rng.random() * 0.12)
        started.send_signal(number)
        told = started.communicate(timeout=60)[0].split()
        finished |= {f"t{turn} {n} {i}" for n in told for i in range(4)}
        with Store(KIND, file) as store:
            there = {key for key, _ in store.under("")}
        assert finished <= there
        assert all(f"{key.rpartition(' ')[0]} {i}" in there for key in there for i in range(4))  # four at once
    assert len(finished) > 8 and {f.name for f in tmp_path.iterdir()} <= {"s.sqlite", "s.sqlite-journal"}


def test_processes_that_meet_one_damaged_cache_move_it_aside_and_go_on(tmp_path: Path) -> None:
    file, foreign = tmp_path / "s.sqlite", b"whosever this is" * 300
    file.write_bytes(foreign)
    writers = [writer(file, f"w{n}", "cache", 15) for n in range(3)]
    assert [(w.communicate(timeout=120)[1], w.returncode) for w in writers] == [("", 0)] * 3
    assert foreign in [f.read_bytes() for f in tmp_path.glob("s.sqlite.*")]
    assert json.loads(next(iter(rows(file).values())))["format"] == KIND.format


REPLACER = """
import signal, sys
from pathlib import Path
from isamap_smt.certificates.directory import OutputError, whole_directory
from isamap_smt.runtime.whole_file import whole_file
place, file, n = Path(sys.argv[1], "folder"), Path(sys.argv[1], "file"), 0
def replaced():
    with whole_directory(place, lambda _: "") as scratch:
        for name in "abc":
            (scratch / name).write_text(str(n) * 999)
    with whole_file(file) as f:
        f.write("\\n".join([str(n)] * 999))
replaced()
while True:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    print("whole", *{(place / name).read_text()[:9] for name in "abc"}, len({*file.read_text().split()}), flush=True)
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        while True:
            n += 1
            replaced()
    except (KeyboardInterrupt, OSError, OutputError) as error:  # shutil.rmtree() closes a folder twice when interrupted
        if not isinstance(error, KeyboardInterrupt) and "Bad file descriptor" not in str(error):
            raise
"""


def test_what_is_replaced_is_whole_after_an_interrupt_at_any_moment(tmp_path: Path) -> None:
    """A folder, as certificates and networks are, and a file for people."""
    command, rng = [sys.executable, "-c", REPLACER, str(tmp_path)], random.Random(5)
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
    assert started.stdout is not None and started.stdout.readline().startswith(b"whole ")
    try:
        for _ in range(150):
            time.sleep(rng.random() * 0.01)
            told = False
            while not told:  # Python loses an interrupt that comes while it clears something away
                started.send_signal(signal.SIGINT)
                told = bool(select.select([started.stdout], [], [], 1.0)[0])
            said = started.stdout.readline().split()
            assert len(said) == 3 and said[::2] == [b"whole", b"1"], started.communicate(timeout=20)[1]
    finally:
        started.kill()
        started.communicate(timeout=20)
