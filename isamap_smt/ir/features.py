"""Names of CPU features for instructions to require, and the architectures with each of them.

Names of x86-64 and aarch64 are archspec's, which also tells this CPU's features. archspec knows no features of RISC-V
and of GPUs, and gives those of aarch64 their names in Linux; LLVM's names are known beside these.
"""

from __future__ import annotations

from functools import cache

# Those of isamap's own machines: reading archspec's tables takes a tenth of a second, and commands need not wait for it.
OWN = frozenset(
    {
        "a",
        "amx_bf16",
        "amx_int8",
        "amx_tile",
        "asimd",
        "asimddp",
        "asimdhp",
        "avx2",
        "avx512_bf16",
        "avx512_fp16",
        "avx512_vnni",
        "avx512vbmi",
        "avx512bw",
        "avx512dq",
        "avx512f",
        "avx512vl",
        "avx_vnni",
        "bf16",
        "c",
        "d",
        "f",
        "f16c",
        "fma",
        "i8mm",
        "m",
        "sve",
        "svebf16",
        "svei8mm",
        "v",
        "wmma",
    }
)
_BESIDE = {
    "aarch64": (
        "neon dotprod fullfp16 fp16fml fp-armv8 rdm complxnum matmul-int8 i8mm bf16 b16b16 f32mm f64mm sve sve2 sve2p1 sme sme2"
    ),
    "arm": "neon vfp3 vfp4 dotprod fullfp16 mve mve.fp",
    "riscv64": (
        "m a f d c v b zba zbb zbc zbs zfh zfhmin zfbfmin zve32x zve32f zve64x zve64f zve64d zvfh zvfhmin zvfbfmin zvfbfwma zvbb "
        "zvl128b zvl256b zvl512b zvl1024b"
    ),
    "ppc64le": "altivec vsx mma power8-vector power9-vector power10-vector",
    "wasm32": "simd128 relaxed-simd",
    "nvptx64": "wmma mma wgmma dp4a",
    "amdgcn": "mfma wmma dot-insts",
}


@cache
def architectures(feature: str) -> frozenset[str]:
    """Architectures with the feature on some machine; none for an unknown name.

    >>> sorted(architectures("avx2")), sorted(architectures("v")), sorted(architectures("avx99"))
    (['x86_64'], ['riscv64'], [])
    """
    return _table().get(feature, frozenset())


def is_feature(name: str) -> bool:
    """Whether some machine has a feature of that name."""
    return name in OWN or bool(architectures(name))


def feature_names() -> tuple[str, ...]:
    """Every known name, sorted."""
    return tuple(sorted(_table()))


@cache
def _table() -> dict[str, frozenset[str]]:
    import archspec.cpu

    found: dict[str, set[str]] = {}
    for target in archspec.cpu.TARGETS.values():
        for feature in target.features:
            found.setdefault(feature, set()).add(target.family.name)
    for architecture, names in _BESIDE.items():
        for name in names.split():
            found.setdefault(name, set()).add(architecture)
    return {name: frozenset(families) for name, families in found.items()}
