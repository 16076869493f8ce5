"""A CPU's features in the flags of C compilers: archspec's names as LLVM and GCC spell them, by architecture.

A feature missing in a table has one name for all three. Features no compiler has to know of (`cpuid`) stand for nothing.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable

from isamap_smt.ir.features import architectures

_SPELT = {"x86-64": "x86_64", "amd64": "x86_64", "arm64": "aarch64", "powerpc64le": "ppc64le", "powerpc64": "ppc64"}

_LLVM = {
    "x86_64": {
        "sse4_1": "sse4.1",
        "sse4_2": "sse4.2",
        "avx512_vnni": "avx512vnni",
        "avx512_bf16": "avx512bf16",
        "avx512_fp16": "avx512fp16",
        "avx512_vbmi": "avx512vbmi",
        "avx512_vbmi2": "avx512vbmi2",
        "avx_vnni": "avxvnni",
        "amx_tile": "amx-tile",
        "amx_int8": "amx-int8",
        "amx_bf16": "amx-bf16",
    },
    "aarch64": {
        "fp": "fp-armv8",
        "asimd": "neon",
        "asimddp": "dotprod",
        "asimdhp": "fullfp16",
        "fphp": "fullfp16",
        "asimdfhm": "fp16fml",
        "asimdrdm": "rdm",
        "fcma": "complxnum",
        "jscvt": "jsconv",
        "frint": "fptoint",
        "flagm2": "altnzcv",
        "atomics": "lse",
        "uscat": "lse2",
        "lrcpc": "rcpc",
        "ilrcpc": "rcpc-immo",
        "crc32": "crc",
        "pmull": "aes",
        "sha1": "sha2",
        "sha512": "sha3",
        "sm3": "sm4",
        "paca": "pauth",
        "pacg": "pauth",
        "rng": "rand",
        "dcpop": "ccpp",
        "dcpodp": "ccdp",
        "matmul-int8": "i8mm",
        "b16b16": "sve-b16b16",
        "svei8mm": "sve i8mm",
        "svebf16": "sve bf16",
        "sveaes": "sve2-aes",
        "svepmull": "sve2-aes",
        "svebitperm": "sve2-bitperm",
        "svesha3": "sve2-sha3",
        "svesm4": "sve2-sm4",
        "f8cvt": "fp8",
        "f8e4m3": "fp8",
        "f8e5m2": "fp8",
        "f8fma": "fp8fma",
        "f8dp2": "fp8dot2",
        "f8dp4": "fp8dot4",
        **dict.fromkeys(("afp", "cpuid", "dgh", "evtstrm", "fpmr"), ""),
    },
}
# names for -march=armv8-a+, if they are not LLVM's
_GCC_ARM64 = {
    "neon": "simd",
    "fp-armv8": "fp",
    "fullfp16": "fp16",
    "rdm": "rdma",
    "pauth": "pauth",
    "rand": "rng",
    **dict.fromkeys(("complxnum", "jsconv", "fptoint", "altnzcv", "lse2", "rcpc-immo", "ccpp", "ccdp"), ""),
}


def architecture_of(triple: str) -> str:
    """The architecture of a compiler's triple, or of this machine's name, as archspec calls it."""
    name = triple.split("-", maxsplit=1)[0] if triple not in _SPELT else triple
    return _SPELT.get(name, name)


def own_architecture() -> str:
    """This machine's architecture."""
    return architecture_of(platform.machine().lower())


def where_all_are(requires: Iterable[str]) -> str:
    """The architecture with all these features: this machine's if it is one of several, or if none has them."""
    known = [architectures(f) for f in requires]
    common = frozenset.intersection(*known) if known else frozenset()
    own = own_architecture()
    return own if own in common or not common else min(common)


def llvm_names(requires: Iterable[str], architecture: str) -> list[str]:
    """The features as LLVM spells them, sorted."""
    table = _LLVM.get(architecture, {})
    return sorted({name for feature in requires for name in table.get(feature, feature).split()})


def zig_cpu(base: str, requires: Iterable[str], architecture: str) -> str:
    """zig's flag for the base CPU with these further features."""
    names = llvm_names(requires, architecture)
    return "-mcpu=" + "+".join([base, *(n.replace("-", "_").replace(".", "_") for n in names)])


def gnu_flags(requires: Iterable[str], architecture: str) -> list[str]:
    """The flags of gcc and clang for these features."""
    names = llvm_names(requires, architecture)
    if architecture == "aarch64":
        spelt = dict.fromkeys(n for n in (_GCC_ARM64.get(name, name) for name in names) if n)
        return ["-march=" + "+".join(["armv8-a", *spelt])] if spelt else []
    return [f"-m{name}" for name in names]


def width_flags(requires: Iterable[str], architecture: str) -> list[str]:
    """The flag for loops in vectors as wide as the registers used by the code itself.

    Compilers tuned for some CPUs take half of each otherwise.
    """
    return ["-mprefer-vector-width=512"] if architecture == "x86_64" and "avx512f" in set(requires) else []
