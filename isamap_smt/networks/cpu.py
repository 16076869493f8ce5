"""C to ask the CPU for its features, before any of their instructions runs."""

from __future__ import annotations

from collections.abc import Iterable

from isamap_smt.runtime.feature_flags import where_all_are

_AVX, _AVX512, _AMX = 0x6, 0xE6, 0x60006  # what the system must save of registers: bits of XCR0
# (leaf, subleaf, register of the answer, bit), and the registers that the system must save
_X86: dict[str, tuple[int, int, str, int, int]] = {
    "sse3": (1, 0, "c", 0, 0),
    "ssse3": (1, 0, "c", 9, 0),
    "sse4_1": (1, 0, "c", 19, 0),
    "sse4_2": (1, 0, "c", 20, 0),
    "fma": (1, 0, "c", 12, _AVX),
    "avx": (1, 0, "c", 28, _AVX),
    "f16c": (1, 0, "c", 29, _AVX),
    "avx2": (7, 0, "b", 5, _AVX),
    "avx_vnni": (7, 1, "a", 4, _AVX),
    "avx512f": (7, 0, "b", 16, _AVX512),
    "avx512dq": (7, 0, "b", 17, _AVX512),
    "avx512bw": (7, 0, "b", 30, _AVX512),
    "avx512vl": (7, 0, "b", 31, _AVX512),
    "avx512_vbmi": (7, 0, "c", 1, _AVX512),
    "avx512_vbmi2": (7, 0, "c", 6, _AVX512),
    "avx512_vnni": (7, 0, "c", 11, _AVX512),
    "avx512_bf16": (7, 1, "a", 5, _AVX512),
    "avx512_fp16": (7, 0, "d", 23, _AVX512),
    "amx_bf16": (7, 0, "d", 22, _AMX),
    "amx_tile": (7, 0, "d", 24, _AMX),
    "amx_int8": (7, 0, "d", 25, _AMX),
}
# Linux's AT_HWCAP (0) and AT_HWCAP2 (1): which of them, and the bit
_ARM64 = {
    "asimd": (0, 1),
    "fphp": (0, 9),
    "asimdhp": (0, 10),
    "asimddp": (0, 20),
    "sve": (0, 22),
    "sve2": (1, 1),
    "svei8mm": (1, 9),
    "svebf16": (1, 12),
    "i8mm": (1, 13),
    "bf16": (1, 14),
}
_RISCV = {f: (0, ord(f) - ord("a")) for f in "macdfv"}
_HWCAP = {"aarch64": _ARM64, "riscv64": _RISCV}


def unasked(requires: Iterable[str]) -> list[str]:
    """The features not asked about in the C."""
    wanted = set(requires)
    architecture = where_all_are(wanted)
    known = _X86 if architecture == "x86_64" else _HWCAP.get(architecture, {})
    return sorted(wanted - {*known})


def cpu_check(requires: Iterable[str]) -> str:
    """C: headers, and `int isamap_cpu(void)`, 0 if the CPU or its system lacks one of the features. It asks once."""
    wanted = sorted(set(requires))
    architecture = where_all_are(wanted)
    if architecture == "x86_64":
        asked = _of_x86([f for f in wanted if f in _X86])
    elif architecture in _HWCAP:
        asked = _of_linux([(f, *_HWCAP[architecture][f]) for f in wanted if f in _HWCAP[architecture]])
    else:
        asked = "", ""
    if not asked[1]:
        return "static int isamap_cpu(void) { return 1; }\n"
    return f"""{asked[0]}
static int isamap_ask(void) {{
{asked[1]}    return 1;
}}
/* Asked once: where a machine is virtual, each question takes microseconds. */
static int isamap_cpu(void) {{
    static int known; /* 1: it lacks something; 2: it has all */
    int found = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!found) __atomic_store_n(&known, found = 1 + isamap_ask(), __ATOMIC_RELAXED);
    return found == 2;
}}
"""


def _of_x86(wanted: list[str]) -> tuple[str, str]:
    if not wanted:
        return "", ""
    saved = 0
    bits: dict[tuple[int, int], dict[str, int]] = {}
    for f in wanted:
        leaf, sub, register, bit, needed = _X86[f]
        saved |= needed
        held = bits.setdefault((leaf, sub), {})
        held[register] = held.get(register, 0) | 1 << bit
    lines = ["    unsigned a, b, c, d;\n"]
    if saved:
        lines += [
            "    unsigned low, high;\n",
            "    if (!__get_cpuid_count(1, 0, &a, &b, &c, &d) || !(c & 1u << 27)) return 0; /* it has xgetbv */\n",
            '    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));\n',
            f"    if ((low & {saved:#x}u) != {saved:#x}u) return 0; /* the system saves the registers */\n",
        ]
    for (leaf, sub), held in sorted(bits.items()):
        tests = "".join(f" || ({r} & {m:#x}u) != {m:#x}u" for r, m in sorted(held.items()))
        lines.append(f"    if (!__get_cpuid_count({leaf}, {sub}, &a, &b, &c, &d){tests}) return 0;\n")
    return "#include <cpuid.h>\n", "".join(lines)


def _of_linux(wanted: list[tuple[str, int, int]]) -> tuple[str, str]:
    if not wanted:
        return "", ""
    lines = ["#ifdef __linux__\n"]
    for which, name in enumerate(("AT_HWCAP", "AT_HWCAP2")):
        mask = sum(1 << bit for _, of, bit in wanted if of == which)
        if mask:
            lines.append(f"    if ((getauxval({name}) & {mask:#x}ul) != {mask:#x}ul) return 0;\n")
    return "#ifdef __linux__\n#include <sys/auxv.h>\n#endif\n", "".join([*lines, "#endif\n"])
