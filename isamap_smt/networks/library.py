"""A network as a library in plain C: no allocation, no state, memory from the caller, weights as one file.

    int NAME_run(const NAME_inputs *inputs, const NAME_outputs *outputs, void *arena, const void *weights,
                 const NAME_options *options);

Each kernel's C stands in a file of its own, and is the C of a proved program. NAME.c adds the order of the calls and
the addresses: they follow from the network's plan, with its claims proved in networks/proof.py. Threads are the
caller's: kernels give them parts of their loops, and each part has work space of its own in the arena.
"""

from __future__ import annotations

import ctypes
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from isamap_smt.codegen.c_checks import stamp_words
from isamap_smt.codegen.c_entry import chosen_values
from isamap_smt.codegen.c_interface import check_prefix
from isamap_smt.codegen.c_parallel import MOST, OPTIONS
from isamap_smt.codegen.c_printer import packing_c, print_c
from isamap_smt.codegen.checks import BEGIN, TRUST_PACKED, TRUST_RANGES, constants_only, entry_checks
from isamap_smt.ir.c_names import KEYWORDS, STANDARD, c_string, comment_lines
from isamap_smt.ir.errors import BuildError, IsamapError, NetworkError
from isamap_smt.ir.executed import Executed, executed
from isamap_smt.ir.expr import substitute
from isamap_smt.ir.garbage import seldom_searched
from isamap_smt.ir.hypotheses import Range
from isamap_smt.ir.interpret import neutral
from isamap_smt.ir.program import Alloc, Parallel, Program, ProvedProgram
from isamap_smt.ir.traversal import nodes_of
from isamap_smt.language.hardware_library import host_features
from isamap_smt.networks.c_files import assembler, cmake, makefile, threads_c, threads_header
from isamap_smt.networks.cpu import cpu_check, unasked
from isamap_smt.networks.extents import Extent
from isamap_smt.networks.graph import ALIGNMENT, Step, tensor_elements
from isamap_smt.networks.plan import NetworkPlan, Question, callers, roots
from isamap_smt.networks.proof import require_network_proof
from isamap_smt.networks.stored import PLAN, plan_document
from isamap_smt.networks.values import Value, largest
from isamap_smt.pipeline.plan import Plan
from isamap_smt.records.record import digest
from isamap_smt.runtime.cache import build_library, build_shared, link_faster
from isamap_smt.runtime.compiler import find_compiler, link_shared
from isamap_smt.runtime.memory import lasting_empty
from isamap_smt.runtime.packing import used_instructions
from isamap_smt.runtime.target import check_target

HEADER_BYTES = 64  # of the weights: the digest of the network, as text
NO_INPUTS, NO_ARENA, NO_WEIGHTS, NO_CPU, NO_SIZE = 1, 2, 3, 4, 5
COUNTS = "counts.json"
FIRST_STEP = 100_000  # what a step returns is its number times this, and the kernel's code
BELOW = 90_000  # what is behind it stands for codes below 0


def own_code(code: int) -> int:
    """The kernel's own code within the code returned by NAME_run().

    >>> own_code(3 * FIRST_STEP + 2001), own_code(3 * FIRST_STEP + BELOW + 1)
    (2001, -1)
    """
    own = code % FIRST_STEP
    return BELOW - own if own > BELOW else own


@dataclass(frozen=True)
class Library:
    """A library written by write_library().

    files: each file and its purpose. arena, weights: bytes. digest: binds C and weights together. prefix: of its names
    in C. features: needed from the CPU. threads: at most. target: the triple of another machine, or None. total: counts
    of one call.
    """

    files: dict[str, str]
    arena: int
    weights: int
    digest: str
    prefix: str
    features: tuple[str, ...]
    threads: int = 1
    target: str | None = None
    total: Executed | None = None


@seldom_searched()
def write_library(
    planned: NetworkPlan, folder: Path, name: str, *, cc: str | None = None, target: str | None = None,
    tell: Callable[[str], Any] = lambda _: None,
) -> Library:  # fmt: skip
    """Write a library's files into an empty folder.

    They are NAME.h, NAME.c, NAME_kN.c, NAME_weights.bin and .S, NAME.so, Makefile and CMakeLists.txt. Of a plan for
    threads NAME_threads.c and .h, too. target: the triple of another machine; None: this one. Raises UnknownNameError
    for a name C cannot export, BuildError, HardwareError if the target lacks instructions, and NetworkError for a
    foreign step.
    """
    check_prefix(name)
    for step in planned.network.foreign:
        raise NetworkError(f"no C computes {step.op}, which {step.backend} computes from Python", step.node)
    require_network_proof(planned)
    writer = LibraryText(planned, name)
    if target is not None:
        check_target(target, writer.requires)
    for file, text in writer.texts().items():
        (folder / file).write_text(text, encoding="utf-8")
    (folder / PLAN).write_text(json.dumps(plan_document(planned), indent=1) + "\n", encoding="utf-8")
    tell("compiling")
    writer.link(folder, cc, target)
    tell("packing the weights")
    library = folder / f"{name}.so" if target is None else None
    (folder / f"{name}_weights.bin").write_bytes(writer.weights(cc, library).tobytes())
    written = {
        f"{name}.h": "how to call it",
        f"{name}.c": "the network: which kernel when, and where its values lie",
        f"{name}_k0.c ...": f"{len(writer.questions)} kernels",
        **(
            {f"{name}_threads.c": "POSIX threads for them, at most " + str(writer.threads)}
            if writer.threads > 1
            else {}
        ),
        f"{name}_weights.bin": "the weights, packed",
        f"{name}_weights.S": "the same as an object",
        f"{name}.so": "all but the weights, compiled",
        "Makefile": "builds lib" + name + ".a",
        "CMakeLists.txt": "the same",
        PLAN: "what was decided, for `isamap proofs check`",
        COUNTS: "what each kernel executes",
    }
    return Library(
        written,
        planned.peak,
        writer.size,
        writer.digest,
        name,
        tuple(sorted(writer.requires)),
        writer.threads,
        target,
        writer.total,
    )


def kernel_title(plan: Plan) -> str:
    """The comment of a kernel's C: it follows from its program alone."""
    lines = [
        f"mapping   {s.proved.mapping.id} onto {s.proved.mapping.instruction.told}" for s in plan.program.schedules
    ]
    return "\n".join([*(lines or ["computed  element by element"]), f"certified {plan.fingerprint}"])


@lru_cache(maxsize=256)  # each step asks it of its kernel
def _ranges(program: Program) -> tuple[str, ...]:
    """Tensors whose elements a call looks at."""
    return tuple(c.asked.tensor for c in entry_checks(program) if isinstance(c.asked, Range))


class LibraryText:
    """The texts of one library, derived from the plan alone."""

    def __init__(self, planned: NetworkPlan, name: str) -> None:
        self.planned, self.network, self.name = planned, planned.network, name
        self.questions: dict[Question, int] = {q: n for n, q in enumerate(planned.plans)}
        self.programs: list[Program] = [p.program for p in planned.plans.values()]
        self.requires = {f for p in self.programs for i in used_instructions(p) for f in i.requires}
        self.threads = min(planned.threads, MOST) if any(any(nodes_of(Parallel, p.body)) for p in self.programs) else 1
        self.open = tuple(s.name for s in self.network.open)
        named = _fields((*self.network.inputs, *self.open))
        self.fields = {n: named[n] for n in self.network.inputs}, _fields(self.network.outputs)
        self.sizes = {n: f"isamap_in->{named[n]}" for n in self.open}
        self.kernels = [self._printed(q, p, f"{name}_k{n}") for n, (q, p) in enumerate(planned.plans.items())]
        self.plain: dict[str, int] = {}
        self.packed: dict[int, list[int]] = {}
        self._place_weights()
        body = self._calls()
        self.digest = digest("\n".join([*self.kernels, body]))
        self.body = body

    def _printed(self, question: Question, plan: Plan, prefix: str) -> str:
        try:
            return str(print_c(plan.checked, kernel_title(plan), prefix, self.planned.threads))
        except IsamapError as error:
            node = next((s.node for s in self.network.kernels if self.planned.question(s) == question), self.name)
            raise NetworkError(f"{node}: {error}") from error

    def texts(self) -> dict[str, str]:
        """Every file but the weights and the compiled ones."""
        name, kernels, others = self.name, [*self.kernel_files()], [*self.other_files()]
        files = ([f.removesuffix(".c") for f in kernels], [f.removesuffix(".c") for f in others])
        return {
            **self.sources(),
            **self.headers(),
            f"{name}_weights.S": assembler(name),
            "Makefile": makefile(name, *files, self.requires),
            "CMakeLists.txt": cmake(name, *files, self.requires),
            COUNTS: json.dumps(self.counts(), indent=1) + "\n",
        }

    def counts(self) -> dict[str, Any]:
        """Work executed by each kernel and by a call of the network, and the kernel called by each step."""
        used = [self.questions[self.planned.question(s)] for s in self.network.kernels]
        steps = [
            {"node": s.node, "kernel": f"{self.name}_k{n}"} for s, n in zip(self.network.kernels, used, strict=True)
        ]
        return {
            "kernels": {f"{self.name}_k{n}": e.as_document() for n, e in enumerate(self.executed)},
            "steps": steps,
            "total": self.total.as_document(),
        }

    @cached_property
    def executed(self) -> list[Executed]:
        """Work executed by a call of each kernel, at the largest sizes."""
        return [executed(p) for p in self.programs]

    @property
    def total(self) -> Executed:
        """Work executed by a call of the network."""
        used = (self.questions[self.planned.question(s)] for s in self.network.kernels)
        return sum((self.executed[n] for n in used), Executed())

    def kernel_files(self) -> dict[str, str]:
        """The C using features of a CPU."""
        return {f"{self.name}_k{n}.c": text for n, text in enumerate(self.kernels)}

    def other_files(self) -> dict[str, str]:
        """The C for any CPU."""
        threads = {f"{self.name}_threads.c": threads_c(self.name)} if self.threads > 1 else {}
        return {f"{self.name}.c": self.main(), **threads}

    def headers(self) -> dict[str, str]:
        """The headers included by the C."""
        threads = {f"{self.name}_threads.h": threads_header(self.name)} if self.threads > 1 else {}
        return {f"{self.name}.h": self.header(), **threads}

    def sources(self) -> dict[str, str]:
        """The C."""
        return {**self.kernel_files(), **self.other_files()}

    def link(self, folder: Path, cc: str | None, target: str | None = None) -> None:
        """Make NAME.so of the C in the folder. target: the triple of another machine. Raises BuildError."""
        needs = dict.fromkeys(self.kernel_files(), self.requires)
        sources, made = self.sources(), folder / f"{self.name}.so"
        if target is None:
            link_faster(find_compiler(cc), made, sources, {f: needs.get(f, ()) for f in sources})
        else:
            link_shared(find_compiler(cc or "zig"), {folder / f: needs.get(f, ()) for f in sources}, made, target)

    def built(self, cc: str | None) -> Path:
        """The same in the cache. Raises BuildError, and HardwareError if this CPU lacks a feature."""
        files = {**self.sources(), **self.headers()}
        return build_shared(files, dict.fromkeys(self.kernel_files(), self.requires), cc)

    # ---- Weights: those that are packed, for each step; the others once

    def _place_weights(self) -> None:
        end = HEADER_BYTES
        root = roots(self.network)
        wanted = {root[n] for n in self.network.outputs} & {*self.network.constants}
        for number, step in enumerate(self.network.kernels):
            program = self._program(step)
            ahead = set(constants_only(program))
            wanted |= {root[v] for t, v in step.reads if root[v] in self.network.constants and t not in ahead}
            places = []
            for size in self._packed_bytes(program):
                places.append(end)
                end += -(-size // ALIGNMENT) * ALIGNMENT
            self.packed[number] = places
        for name in self.network.constants:
            if name in wanted:
                self.plain[name] = end
                end += -(-self.network.values[name].bytes // ALIGNMENT) * ALIGNMENT
        self.size = end

    def _program(self, step: Step) -> Program:
        return self.programs[self.questions[self.planned.question(step)]]

    def _packed_bytes(self, program: Program) -> list[int]:
        return [
            8 * stamp_words(program)
            + prod(int(substitute(e, chosen_values(program))) for e in n.buffer.shape) * n.buffer.dtype.bytes
            for n in program.ahead
            if isinstance(n, Alloc)
        ]

    def weights(self, cc: str | None, library: Path | None = None) -> np.ndarray:
        """All weights as bytes, packed by the library's own C. Raises BuildError.

        library: the compiled one, used if this CPU has its instructions; else the packing code is compiled, as it runs
        on any machine.
        """
        whole = lasting_empty(self.size)
        whole.fill(0)
        whole[:HEADER_BYTES] = np.frombuffer(self.digest[:HEADER_BYTES].encode().ljust(HEADER_BYTES, b"\0"), np.uint8)
        for name, place in self.plain.items():
            array = self.network.constants[name]
            whole[place : place + array.nbytes] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        if not any(self.packed.values()):
            return whole
        if library is None or not self.requires <= host_features():
            library = build_library(packing_c(self._packing()), cc=cc)
        loaded = ctypes.CDLL(str(library))
        for number, step in enumerate(self.network.kernels):
            if not self.packed[number]:
                continue
            kernel = self._program(step).kernel
            held = dict(step.reads)
            arrays = [self.network.constants.get(held.get(t.name, "")) for t in kernel.tensors]
            pointers = (ctypes.c_void_p * len(arrays))(*(None if a is None else a.ctypes.data for a in arrays))
            buffers = (ctypes.c_void_p * len(self.packed[number]))(
                *(whole.ctypes.data + p for p in self.packed[number])
            )
            pack = getattr(loaded, f"{self.name}_k{self.questions[self.planned.question(step)]}_pack")
            free = self._program(step).kernel.free_sizes  # packed is what depends on none
            sizes = (ctypes.c_int64 * (1 + len(free)))(*(largest(self.network)[n] for n in free), 0)
            if code := pack(pointers, sizes, buffers):
                raise BuildError(f"{step.node}: packing its weights returns {code}")
        return whole

    def _packing(self) -> dict[str, tuple[ProvedProgram, int]]:
        """The programs packing constants, by their prefixes, and each one's number of threads."""
        plans = enumerate(self.planned.plans.values())
        return {f"{self.name}_k{n}": (p.checked, self.planned.threads) for n, p in plans if p.program.ahead}

    # ---- The calls

    def _calls(self) -> str:
        return "".join(self._call(n, s) for n, s in enumerate(self.network.kernels)) + self._copies()

    def _is_known(self, program: Program, held: dict[str, str]) -> bool:
        """Whether all bytes looked at by the kernel are bools that other kernels wrote, or constants."""
        asked = _ranges(program)
        known = {*self.network.constants, *(v for s in self.network.kernels for v in s.results)}
        return bool(asked) and all(t in program.bools and held.get(t) in known for t in asked)

    def _call(self, number: int, step: Step) -> str:
        kernel_number = self.questions[self.planned.question(step)]
        program, work = self.programs[kernel_number], self.planned.work[number]
        held, temporaries = dict((*step.reads, *step.writes)), dict(work.temporaries)
        tensors, lines = [], []
        for t in program.kernel.tensors:
            if t.name in temporaries:
                at = f"isamap_arena + {temporaries[t.name]}"
            elif t.name in constants_only(program):
                at = "0"
            else:
                at = self._address(held[t.name])
            tensors.append(at)
            if t.name in program.kernel.outputs and t.name not in program.unfilled:
                op = next(s.op for s in program.kernel.statements if s.target.tensor == t.name)
                element = np.full((), neutral(op, t.dtype), t.dtype.numpy).tobytes()
                count = self._count(tensor_elements(program.kernel, t.name))
                bytes_of = ", ".join(map(str, element))
                lines.append(
                    f"isamap_fill((void *)({at}), (const unsigned char[]){{{bytes_of}}}, {len(element)}, {count});"
                )
        packed = [f"(void *)(isamap_weights + {p})" for p in self.packed[number]]
        packed += [f"isamap_arena + {work.heap}"]
        said = comment_lines(step.node)[0][:100]
        how = self._how(program, self._is_known(program, held))
        given = "s" if len(how) > 1 else f"&{how[0]}"
        lines += [
            f"const void *const t[] = {{{', '.join(tensors)}}};",
            f"void *const p[] = {{{', '.join(packed)}}};",
            *([f"const int64_t s[] = {{{', '.join(how)}}};"] if len(how) > 1 else []),
            f"if ((code = {self.name}_k{kernel_number}_run(t, {given}, p, isamap_threads, options)))",
            f"    return {number + 1} * {FIRST_STEP} + (code < 0 ? {BELOW} - code : code);",
            f"if (isamap_after) isamap_after(options->context, {number + 1});",
        ]
        inner = "\n".join(f"        {line}" for line in lines)
        return f"    {{ /* {number + 1}: {said} */\n{inner}\n    }}\n"

    def _how(self, program: Program, known: bool) -> list[str]:
        """The arguments of a kernel's call for its sizes, and for how it is called."""
        return [*(self.sizes[n] for n in program.kernel.free_sizes), f"isamap_how[{int(known)}]"]

    def _count(self, elements: Any) -> str:
        """A number of elements in C, perhaps a function of sizes."""
        if not isinstance(elements, Extent):
            return str(elements)
        terms = (" * ".join([str(n), *(self.sizes[s.name] for s in product)]) for n, product in elements.terms)
        return f"({' + '.join(terms)})"

    def _address(self, value: str) -> str:
        root = roots(self.network)[value]
        if root in self.plain:
            return f"isamap_weights + {self.plain[root]}"
        theirs = callers(self.network)
        if root in theirs:
            name = theirs[root]
            if name in self.network.inputs:
                return f"isamap_in->{self.fields[0][name]}"
            return f"isamap_out->{self.fields[1][name]}"
        return f"isamap_arena + {self.planned.places[root]}"

    def _copies(self) -> str:
        """Copies for outputs that show an input, a constant, or another output."""
        lines = []
        for name in self.network.outputs:
            to, of = f"isamap_out->{self.fields[1][name]}", self._address(name)
            if to != of:
                value = self.network.values[name]
                count = self._count(value.elements * value.dtype.numpy.itemsize)
                cast = "(size_t)" if self.open else ""
                lines.append(f"    memcpy({to}, {of}, {cast}{count});\n")
        return "".join(lines)

    def main(self) -> str:
        """NAME.c."""
        network, name = self.network, self.name
        declared = "".join(
            f"int {name}_k{n}_run(const void *const *, const int64_t *, void *const *, int64_t, const void *);\n"
            f"const char *{name}_k{n}_text(int);\n"
            for n in range(len(self.questions))
        )
        used = [self.questions[self.planned.question(s)] for s in network.kernels]
        nodes = ",\n    ".join(c_string(s.node) for s in network.kernels) or '""'
        texts = "".join(f"    case {n}: return {name}_k{k}_text(own);\n" for n, k in enumerate(used, 1))
        checks = "".join(f"    if (!isamap_in->{f}) return {NO_INPUTS};\n" for f in self.fields[0].values())
        checks += "".join(f"    if (!isamap_out->{f}) return {NO_INPUTS};\n" for f in self.fields[1].values())
        for s in network.open:
            at = self.sizes[s.name]
            checks += f"    if ({at} < 1 || {at} > {s.most}) return {NO_SIZE};\n"
        said = " and ".join(map(str, network.open)) or "no size is open"
        fill = _FILL if "isamap_fill(" in self.body else ""
        return f"""/* {comment_lines(network.name)[0]}, generated by isamap-smt. */
#include "{name}.h"
#include <string.h>
{cpu_check(self.requires)}
{declared}
static const char isamap_digest[] = {c_string(self.digest[:HEADER_BYTES])};
static const int64_t isamap_how[] = {{{BEGIN | TRUST_PACKED}, {BEGIN | TRUST_PACKED | TRUST_RANGES}}};
{fill}
size_t {name}_arena_bytes(void) {{ return {max(self.planned.peak, 1)}; }}
size_t {name}_weights_bytes(void) {{ return {self.size}; }}

int {name}_run(const {name}_inputs *isamap_in, const {name}_outputs *isamap_out, void *arena, const void *weights,
    const {name}_options *options) {{
    char *const isamap_arena = arena;
    const char *const isamap_weights = weights;
    const int isamap_shared = options && options->parallel_for && options->threads > 1;
    const int64_t isamap_most = isamap_shared && options->threads < {self.threads} ? (int64_t)options->threads : {self.threads};
    const int64_t isamap_threads = isamap_shared ? isamap_most : 1;
    void (*const isamap_after)(void *, int) = options ? options->after : 0;
    int code = 0;
    if (!isamap_cpu()) return {NO_CPU};
    if (!isamap_in || !isamap_out) return {NO_INPUTS};
{checks}    if (!arena || (uintptr_t)arena % {ALIGNMENT}) return {NO_ARENA};
    if (!weights || (uintptr_t)weights % {ALIGNMENT}) return {NO_WEIGHTS};
    if (memcmp(weights, isamap_digest, sizeof isamap_digest - 1)) return {NO_WEIGHTS};
    (void)isamap_arena; (void)isamap_weights; (void)isamap_how; (void)isamap_threads; (void)isamap_after; (void)code;
{self.body}    return 0;
}}

const char *{name}_node(int code) {{
    static const char *const nodes[] = {{
    {nodes}}};
    const int step = code / {FIRST_STEP};
    return step < 1 || step > {len(used)} ? "" : nodes[step - 1];
}}

const char *{name}_text(int code) {{
    switch (code) {{
    case 0: return "done";
    case {NO_INPUTS}: return "an argument, or the address of an input or output, is NULL";
    case {NO_ARENA}: return "the arena is NULL, or starts at no multiple of {ALIGNMENT} bytes";
    case {NO_WEIGHTS}: return "the weights are NULL, start at no multiple of {ALIGNMENT} bytes, or are not those of this network";
    case {NO_SIZE}: return {c_string(f"a size is not what the network was planned for: {said}")};
    case {NO_CPU}: return {c_string(f"this CPU lacks instructions that the kernels use: {', '.join(sorted(self.requires))}")};
    }}
    const int own = code % {FIRST_STEP} > {BELOW} ? {BELOW} - code % {FIRST_STEP} : code % {FIRST_STEP};
    (void)own;
    switch (code / {FIRST_STEP}) {{
{texts}    }}
    return "no code of this network";
}}
"""

    def header(self) -> str:
        """NAME.h."""
        network, name = self.network, self.name

        def members(values: Iterable[str], fields: dict[str, str], const: str) -> str:
            return "".join(
                f"    {const}{_c_type(network.values[v])} *{fields[v]}; /* {comment_lines(str(network.values[v]))[0]} */\n"
                for v in values
            )

        sizes = "".join(
            f"    int64_t {self.sizes[s.name].removeprefix('isamap_in->')}; /* {s} */\n" for s in network.open
        )
        return f"""/* {comment_lines(network.name)[0]}, generated by isamap-smt.

   The arena and the weights begin at multiples of {ALIGNMENT} bytes. Inputs and outputs are row-major and do not overlap.
   Nothing is allocated, and nothing is kept between calls but what this CPU can: any number of threads may call, each with an arena
   of its own.
{self._of_features()}   A call returns 0, or a code that {name}_text() explains and whose layer {name}_node() names. */
#ifndef ISAMAP_{name}_H
#define ISAMAP_{name}_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

typedef struct {{
{members(network.inputs, self.fields[0], "const ") + sizes or "    char unused;"}}} {name}_inputs;
typedef struct {{
{members(network.outputs, self.fields[1], "") or "    char unused;"}}} {name}_outputs;

/* Threads: kernels call parallel_for(context, count, body, argument), which calls body(argument, number) once for each number
   below the count, on any threads, in any order, and returns when all have returned. threads: how many there are; of this network
   no more than {self.threads} are used. The results are the same bits for any number. NULL in place of options, or in them, is
   one thread: the caller's. after: called with the number of each step that is done; {name}_node(step * {FIRST_STEP}) names it. */
typedef struct {{
{OPTIONS}    void (*after)(void *context, int step);
}} {name}_options;

size_t {name}_arena_bytes(void);
size_t {name}_weights_bytes(void);
int {name}_run(const {name}_inputs *inputs, const {name}_outputs *outputs, void *arena, const void *weights,
    const {name}_options *options);
const char *{name}_text(int code);
const char *{name}_node(int code);
/* {name}_weights.bin, where {name}_weights.S is linked. */
extern const char {name}_weights[];

#ifdef __cplusplus
}}
#endif
#endif
"""

    def _of_features(self) -> str:
        if not self.requires:
            return ""
        lines = f"   It needs a CPU with {', '.join(sorted(self.requires))}; a call on another returns {NO_CPU}.\n"
        if left := unasked(self.requires):
            lines += f"   No call asks for {', '.join(left)}.\n"
        return lines


_FILL = """
/* count elements of these bytes */
static void isamap_fill(void *to, const unsigned char *element, size_t bytes, int64_t count) {
    for (int64_t n = 0; n < count; ++n) memcpy((char *)to + n * (int64_t)bytes, element, bytes);
}
"""


def _fields(names: Iterable[str]) -> dict[str, str]:
    """A field's name for each value's: letters, digits and _, and none twice."""
    found: dict[str, str] = {}
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
        plain = plain if plain[:1].isalpha() else f"v{plain}"
        while plain in KEYWORDS | STANDARD or plain in found.values():
            plain += "_"
        found[name] = plain
    return found


def _c_type(value: Value) -> str:
    return value.dtype.c
