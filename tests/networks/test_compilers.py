"""A whole network built by gcc and clang without a warning, and run below the sanitizers without a complaint."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isamap_smt as im
from isamap_smt.networks.library import LibraryText

# gcc does not see that registers behind a tail are used where they were loaded; descriptions bring helpers that may not be called
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-function"]
BLIND = {"gcc": ["-Wno-maybe-uninitialized"], "clang": []}
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g", "-O1"]
X = np.random.default_rng(1).standard_normal((1, 6, 40, 40)).astype(np.float32)
MAIN = """
#include "small.h"
#include "small_threads.h"
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    const size_t sizes[] = {sizeof(float) * 6 * 40 * 40, sizeof(float) * 7, small_arena_bytes(), small_weights_bytes()};
    void *held[4];
    for (int n = 0; n < 4; ++n) /* each ends where it ends, so that one byte more is seen */
        if (!(held[n] = aligned_alloc(64, (sizes[n] + 63) / 64 * 64))) return 2;
    float *x = malloc(sizes[0]), *y = malloc(sizes[1]);
    FILE *from = fopen(words[1], "rb"), *weights = fopen(words[2], "rb");
    if (!x || !y || !from || !weights || fread(x, 1, sizes[0], from) != sizes[0]) return 3;
    if (fread(held[3], 1, sizes[3], weights) != sizes[3]) return 4;
    const small_options options = {small_threads, NULL, (size_t)atoi(words[3]), 0};
    const int code = small_run(&(small_inputs){x}, &(small_outputs){y}, held[2], held[3], &options);
    if (code) return fprintf(stderr, "%s: %s\\n", small_node(code), small_text(code)), 5;
    if (small_run(NULL, &(small_outputs){y}, held[2], held[3], NULL) != 1) return 6;
    if (small_run(&(small_inputs){x}, &(small_outputs){y}, (char *)held[2] + 4, held[3], NULL) != 2) return 7;
    if (small_run(&(small_inputs){x}, &(small_outputs){y}, held[2], held[2], NULL) != 3) return 8;
    if (count > 4 || fwrite(y, 1, sizes[1], stdout) != sizes[1]) return 9;
    for (int n = 0; n < 4; ++n) free(held[n]);
    free(x), free(y), fclose(from), fclose(weights);
    return 0;
}
"""


def network() -> Any:
    """A convolution with padding that is shared, pooling, a mean, and a product with a tail."""
    rng = np.random.default_rng(0)
    y = im.relu(im.conv2d(im.input("x", (1, 6, 40, 40)), rng.standard_normal((20, 6, 3, 3)).astype(np.float32), pad=1))
    z = im.mean(im.max_pool2d(y, 2), [2, 3]) @ rng.standard_normal((20, 7)).astype(np.float32)
    return im.network({"z": im.softmax(z)}, name="small")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Path:
    place = tmp_path_factory.mktemp("compilers")
    text = LibraryText(im.plan_network(network(), threads=3), "small")
    for file, content in text.texts().items():
        (place / file).write_text(content)
    text.weights(None).tofile(place / "small_weights.bin")
    X.tofile(place / "x")
    (place / "main.c").write_text(MAIN)
    return place


def built(folder: Path, scratch: Path, compiler: str, more: list[str]) -> Path:
    """A program of the folder's C with main.c, and with the Makefile's own flags."""
    text = (folder / "Makefile").read_text().splitlines()
    base, features = (
        next(t for t in text if t.startswith(n)).partition("?= ")[2].split() for n in ("CFLAGS", "FEATURES")
    )
    objects = []
    for file in sorted(folder.glob("*.c")):
        own = features if file.name.startswith("small_k") else []
        objects.append(f"{file.stem}.o")
        command = [compiler, *base, *own, *more, "-c", str(file), "-o", objects[-1]]
        done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=False)
        assert done.returncode == 0 and not done.stderr, done.stderr[:3000]
    subprocess.run([compiler, *base, *more, *objects, "-lm", "-o", "run"], cwd=scratch, check=True, capture_output=True)
    return scratch / "run"


def results(folder: Path, program: Path) -> set[bytes]:
    """What it computes on one thread, on as many as it takes, and on more."""
    found = set()
    for threads in ("1", "3", "9"):
        command = [program, folder / "x", folder / "small_weights.bin", threads]
        done = subprocess.run(command, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr[:3000]
        found.add(done.stdout)
    return found


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_each_compiler_takes_it_and_computes_the_same(folder: Path, tmp_path: Path, compiler: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    (found,) = results(folder, built(folder, tmp_path, compiler, [*WARNINGS, *BLIND[compiler]]))
    wanted = im.run_network(network(), {"x": X})["z"]
    assert np.allclose(np.frombuffer(found, np.float32), wanted[0], atol=1e-6)


def sanitizing(scratch: Path) -> str:
    """A compiler that has the sanitizers."""
    (scratch / "any.c").write_text("int main(void) { return 0; }\n")
    for compiler in ("gcc", "clang"):
        command = [compiler, *SANITIZERS, "any.c", "-o", "any"]
        if (
            shutil.which(compiler)
            and not subprocess.run(command, cwd=scratch, capture_output=True, check=False).returncode
        ):
            return compiler
    pytest.skip("no compiler with its sanitizers is installed")


def test_the_sanitizers_find_nothing(folder: Path, tmp_path: Path) -> None:
    (found,) = results(folder, built(folder, tmp_path, sanitizing(tmp_path), SANITIZERS))
    wanted = im.run_network(network(), {"x": X})["z"]
    assert np.allclose(np.frombuffer(found, np.float32), wanted[0], atol=1e-6)
