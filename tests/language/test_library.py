"""find_kernel: library names, entry points, files."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint

import pytest

from isamap_smt.ir.errors import LanguageError, UnknownNameError
from isamap_smt.language import kernel, library
from isamap_smt.language.library import find_kernel, kernel_names


def test_library_names_and_text():
    assert find_kernel("gemm").name == "gemm"
    assert "conv2d" in kernel_names()
    assert find_kernel(None, "y[i] = x[i]") == kernel("y[i] = x[i]")


def test_unknown_names_list_near_matches():
    with pytest.raises(UnknownNameError) as e:
        find_kernel("conv2")
    assert str(e.value) == "unknown kernel 'conv2'; did you mean conv2d?"
    with pytest.raises(UnknownNameError, match=r"^no kernel given; name one \(gemm, "):
        find_kernel(None)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "from isamap_smt.language import kernel\n"
        "AXPY = 'y[i] += a[] * x[i]'\n"
        "scale = kernel('y[i] = a[] * x[i]', name='scale')\n"
        "wrong = 'y[i] += x[i*j]'\nnumber = 3\n"
    )
    return path


def test_a_file_of_the_users_own(file):
    assert find_kernel(f"{file}:AXPY") == kernel("y[i] += a[] * x[i]", name="AXPY")
    assert find_kernel(f"{file}:scale").name == "scale"


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        (":AXPI", UnknownNameError, "{file} has no kernel 'AXPI'; did you mean AXPY?"),
        ("", UnknownNameError, "{file}: which kernel? write {file}:NAME; known: AXPY, scale, wrong"),
        (":number", LanguageError, "number in {file} is int; it must be a Kernel or kernel text"),
        (":wrong", LanguageError, "{file}:wrong:1:11: i*j is not affine: it multiplies axis i by axis j"),
    ],
)
def test_what_a_file_does_not_hold(file, name, error, message):
    with pytest.raises(error) as e:
        find_kernel(f"{file}{name}")
    assert str(e.value).startswith(message.format(file=file))


def test_files_that_do_not_load(tmp_path, file):
    with pytest.raises(LanguageError, match=r"no such file: .*mines\.py; did you mean mine\.py\?"):
        find_kernel(f"{tmp_path}/mines.py:AXPY")
    file.write_text("1 / 0\n")
    with pytest.raises(LanguageError, match=r"mine\.py does not load: mine\.py line 1: ZeroDivisionError: division"):
        find_kernel(f"{file}:AXPY")
    file.write_text("import isamap_smt as im\n\nAXPY = im.kernel('y[i] += (x[i]')\n")
    with pytest.raises(
        LanguageError, match=r"mine\.py does not load: mine\.py line 3:\nline 1, column 9: .* never closed"
    ):
        find_kernel(f"{file}:AXPY")


def test_entry_points(tmp_path, monkeypatch):
    (tmp_path / "isamap_test_plugin.py").write_text("AXPY = 'y[i] += a[] * x[i]'\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    found = [EntryPoint(n, f"isamap_test_plugin:{v}", library.GROUP) for n, v in (("axpy", "AXPY"), ("gone", "GONE"))]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [e for e in found if e.group == group])
    assert find_kernel("axpy") == kernel("y[i] += a[] * x[i]", name="axpy")
    assert "axpy" in kernel_names()
    with pytest.raises(LanguageError, match=r"kernel gone \(isamap_test_plugin:GONE\) does not load: AttributeError"):
        find_kernel("gone")
