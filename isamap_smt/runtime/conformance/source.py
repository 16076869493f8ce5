"""Every instruction as a C function on memory, made from its own C as a program's are, and run to check its description.

    int isamap_check_3(int64_t count, int64_t period, char **from, char **to, const int64_t *n);

from and to: memory of each operand, cells before and after. n: numbers of a move, see NUMBERS. Execution x takes its operands
at x % period, and leaves its results at x. Returns 0, or: 1 the CPU's modes have changed, 2 the state was refused, 3 a
register in use has changed, 100 + k
(200 + k) the register of operand k is smaller (larger) than its cells.
Names are written as a program's are: `{m}` is a sum, `{stride}` too, and each instruction stands several times in a block.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from isamap_smt.ir.addresses import row_major
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Tensor
from isamap_smt.ir.move_form import register_operand
from isamap_smt.ir.states import Held, needs_at
from isamap_smt.ir.vector_types import VectorType, vector_type
from isamap_smt.mapping.configuring import c_use, configuring
from isamap_smt.mapping.moves import look_for_move
from isamap_smt.mapping.point_c import prelude
from isamap_smt.runtime.conformance.outcome import NotRunnableError

State = tuple[tuple[str, ...], tuple[str, ...]]  # statements that write states, and that clear them

AT_ONCE = 4  # executions that stand in a block beside each other, on registers of their own
NUMBERS = ("active", "across", "elements before the first", "a part of each stride", "the other parts of the strides")
FUNCTION = "isamap_check_{}"

HELD = 16  # registers that may be in use beside those of its operands
_COMMON = """
#include <stdint.h>
#include <string.h>
/* How the CPU computes and what it does with strings: rounding, flushing, masked exceptions; x87 registers in use. */
static inline uint64_t isamap_check_modes(void) {
#if defined(__x86_64__)
    uint32_t csr, environment[7];
    uint64_t flags;
    __asm__ volatile("stmxcsr %0" : "=m"(csr));
    __asm__ volatile("fnstenv %0\\n\\tfldenv %0" : "+m"(environment) : : "memory");
    /* below the 128 bytes that a function may use without saying so */
    __asm__ volatile("lea -128(%%rsp), %%rsp\\n\\tpushfq\\n\\tpopq %0\\n\\tlea 128(%%rsp), %%rsp" : "=r"(flags) : : "memory");
    return (csr & 0xffc0u) | (uint64_t)(environment[0] & 0xffffu) << 16 | (uint64_t)(environment[2] & 0xffffu) << 32
         | (flags >> 10 & 1u) << 48;
#elif defined(__aarch64__)
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return control;
#else
    return 0;
#endif
}
/* Values that a function holds in registers, as far as there are any left, while it executes an instruction. */
typedef uint64_t isamap_check_vector __attribute__((vector_size(16)));
static const volatile isamap_check_vector isamap_check_wide[HELD] = {FILLED};
static const volatile uint64_t isamap_check_words[HELD] = {FILLED};
static int isamap_check_differ(const isamap_check_vector *wide, const uint64_t *words) {
    int found = 0;
    for (int k = 0; k < HELD; ++k) found |= wide[k][0] != isamap_check_wide[k][0] || words[k] != isamap_check_words[k];
    return found;
}
/* As they were, so that whoever called can go on. */
static inline void isamap_check_restore(uint64_t modes) {
#if defined(__x86_64__)
    uint32_t csr = (uint32_t)(modes & 0xffc0u);
    uint16_t word = (uint16_t)(modes >> 16);
    __asm__ volatile("ldmxcsr %0\\n\\tfninit\\n\\tfldcw %1\\n\\tcld" : : "m"(csr), "m"(word) : "cc");
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(modes));
#else
    (void)modes;
#endif
}
"""


_FILLED = ", ".join(f"{{0x{0xA5A5A5A50000 + k:x}u}}" for k in range(HELD))
COMMON = (
    _COMMON.replace("words[HELD] = {FILLED}", f"words[HELD] = {{{_FILLED.replace('{', '').replace('}', '')}}}")
    .replace("FILLED", _FILLED)
    .replace("HELD", str(HELD))
)


def in_state(machine: Hardware, used: Iterable[tuple[Instruction, dict[str, int]]]) -> State:
    """C to write, and to clear, the states needed by these instructions; their operands lie in registers of these numbers."""
    needs = [need for i, numbers in used for need in needs_at(i, {o: (n,) for o, n in numbers.items()})]
    enter, leave = configuring(machine, needs)
    return tuple(c_use(u, "return 2;") for u in enter), tuple(c_use(u, "return 2;") for u in leave)


def size(t: Tensor) -> int:
    """Bytes of all cells."""
    return prod(int(e) for e in t.shape) * t.dtype.bytes


def source(functions: Iterable[str], used: Iterable[Instruction]) -> str:
    """C with these functions, and the includes and definitions of their instructions."""
    listed = tuple(used)
    headers = dict.fromkeys(h for i in listed for h in i.headers)
    preludes = dict.fromkeys([*prelude("".join(i.emit for i in listed)), *(part for i in listed for part in i.prelude)])
    return "\n".join([*(f"#include <{h}>" for h in headers), COMMON, *preludes, *functions])


def _function(number: int, state: State, checks: Iterable[str], body: str) -> str:
    enter, leave = (_indented(lines, 4) for lines in state)
    return (
        f"int {FUNCTION.format(number)}(int64_t isamap_count, int64_t isamap_period, char **isamap_from, char **isamap_to, "
        "const int64_t *isamap_n) {\n"
        "    (void)isamap_count; (void)isamap_period; (void)isamap_from; (void)isamap_to; (void)isamap_n;\n"
        f"{''.join(f'    {c}{chr(10)}' for c in checks)}"
        f"    const uint64_t isamap_modes = isamap_check_modes();\n{enter}{body}{leave}"
        "    const int isamap_changed = isamap_check_modes() != isamap_modes;\n"
        "    isamap_check_restore(isamap_modes);\n    return isamap_changed;\n}"
    )


def _size_checks(i: Instruction, operands: Iterable[str]) -> list[str]:
    types = dict(i.c_types)
    found = []
    for k, o in enumerate(operands):
        if o not in types:
            continue
        n = size(i.kernel.tensor(o))
        held = f"(int64_t)({kind.size})" if (kind := _sizeless(types[o])) else f"(int64_t)sizeof({types[o]})"
        found.append(f"if ({held} != {n}) return {held} < {n} ? {100 + k} : {200 + k};")
    return found


def _sizeless(c_type: str) -> VectorType | None:
    """A vector type without a sizeof, and so without bytes for memcpy."""
    found = vector_type(c_type)
    return found if found and found.size else None


def _bytes_in(c_type: str, register: str, place: str) -> str:
    """C to fill a register's variable with the bytes at a place."""
    kind = _sizeless(c_type)
    if kind:
        return f"{register} = {kind.load.format(p=f'(void *)({place})')};"
    return f"memcpy(&{register}, {place}, sizeof {register});"


def _bytes_out(c_type: str, register: str, place: str) -> str:
    """C to leave the bytes of a register's variable at a place."""
    kind = _sizeless(c_type)
    if kind:
        return f"{kind.store.format(p=f'(void *)({place})', r=register)};"
    return f"memcpy({place}, &{register}, sizeof {register});"


# ---- registers that are C variables ----------------------------------------------------------------------------------


def compute(number: int, i: Instruction, machine: Hardware) -> str:
    """A compute instruction: every operand goes in, and every one comes out again."""
    types = dict(i.c_types)
    names = [t.name for t in i.kernel.tensors]
    registers = [{o: f"isamap_r{u}_{o}" for o in names} for u in range(AT_ONCE)]
    lines = []
    for u, r in enumerate(registers):
        for k, o in enumerate(names):
            at = f"isamap_from[{k}] + (isamap_x + {u}) % isamap_period * {size(i.kernel.tensor(o))}"
            if o in types:
                lines.append(f"{types[o]} {r[o]}; {_bytes_in(types[o], r[o], at)}")
            else:  # a table in memory
                element = i.kernel.tensor(o).dtype.c
                lines.append(f"const {element} *const {r[o]} = (const {element} *)(const void *)({at});")
    kept = [(f"isamap_v{k}", "isamap_check_vector", "wide", k) for k in range(HELD)]
    kept += [(f"isamap_w{k}", "uint64_t", "words", k) for k in range(HELD)]
    lines += [f"const {kind} {name} = isamap_check_{where}[{k}];" for name, kind, where, k in kept]
    lines += [i.statement(r) for r in registers]
    for kind, where in (("isamap_check_vector", "wide"), ("uint64_t", "words")):
        held = ", ".join(name for name, _, w, _ in kept if w == where)
        lines.append(f"const {kind} isamap_{where}[] = {{{held}}};")
    lines.append("if (isamap_check_differ(isamap_wide, isamap_words)) return 3;")
    for u, r in enumerate(registers):
        for k, o in enumerate(names):
            at = f"isamap_to[{k}] + (isamap_x + {u}) * {size(i.kernel.tensor(o))}"
            n = size(i.kernel.tensor(o))
            lines.append(_bytes_out(types[o], r[o], at) if o in types else f"memcpy({at}, {r[o]}, {n});")
    loop = f"    for (int64_t isamap_x = 0; isamap_x < isamap_count; isamap_x += {AT_ONCE}) {{\n"
    return _function(
        number, in_state(machine, [(i, {})]), _size_checks(i, names), loop + _indented(lines, 8) + "    }\n"
    )


def move(number: int, i: Instruction, machine: Hardware) -> str:
    """A move between an address and a register, whose bytes go in before and come out after."""
    r = register_operand(i)
    kind = dict(i.c_types)[r]
    asked, numbers = _asked(i, machine)
    words = {**_memory_words(i, "isamap_from[0]"), **numbers}
    body = [
        f"{kind} isamap_r; {_bytes_in(kind, 'isamap_r', 'isamap_from[1]')}",
        *_pointer(i, "isamap_from[0]"),
        i.statement({**words, r: "isamap_r"}),
        _bytes_out(kind, "isamap_r", "isamap_to[1]"),
    ]
    twice = [f"{kind} isamap_s = isamap_r, isamap_t = isamap_r;"]
    twice += [i.statement({**words, r: name}) for name in ("isamap_s", "isamap_t")]
    twice.append("isamap_r = isamap_s; (void)isamap_t;")
    again = "    if (isamap_count < 0) {\n" + _indented(twice, 8) + "    }\n"  # compiled, never run
    lines = _indented([*asked, *body[:2]], 4) + again + _indented(body[2:], 4)
    return _function(number, in_state(machine, [(i, {})]), _size_checks(i, [r]), lines)


def asking(i: Instruction, held: Held, machine: Hardware) -> Instruction:
    """The instruction asking for the number it needs. Raises NotRunnableError if the machine has none."""
    found = machine.asking(held.memory, i.extents[held.axis])
    if found is None:
        raise NotRunnableError(f"nothing of {machine.name} grants {i.extents[held.axis]} in {held.memory}")
    return found


def _asked(i: Instruction, machine: Hardware) -> tuple[list[str], dict[str, str]]:
    """Statements asking for the numbers needed by the instruction, and the variables with the granted ones."""
    active, lines, words = _memory_words(i, "isamap_from[0]"), [], {}
    for held in i.numbers_needed:
        ask = asking(i, held, machine)
        s, name = ask.kernel.statements[0], f"isamap_{held.memory}"
        given = {s.target.tensor: name, s.inputs[0].tensor: active[held.parameter]}
        lines += [f"size_t {name} = 0;", ask.statement(given)]
        words[held.memory] = name
    return lines, words


def _indented(lines: Iterable[str], depth: int) -> str:
    return "".join(f"{' ' * depth}{line}\n" for line in lines)


def memory_operand(i: Instruction) -> str | None:
    """A move's operand in memory; None for `zero`."""
    return next((o for o, place in i.places if place == "memory"), None)


def _pointer(i: Instruction, place: str, name: str = "isamap_m") -> list[str]:
    """A pointer to some elements before the first, as a program has one to the start of an array."""
    m = memory_operand(i)
    if m is None:
        return []
    element, const = i.kernel.tensor(m).dtype.c, "" if i.kind == "store" else "const "
    begin = f"(void *)({place} - isamap_n[2] * (int64_t)sizeof({element}))"
    return [f"{const}{element} *{name} = {begin}; (void){name};"]


def _memory_words(i: Instruction, place: str, name: str = "isamap_m", counted: bool = True) -> dict[str, str]:
    m = memory_operand(i)
    words = {p: f"isamap_n[{n}]" if counted else str(i.axes[axis]) for n, (axis, p) in enumerate(i.active)}
    if m is None:
        return words
    for n, (stride, step) in enumerate(zip(i.strides, dense(i), strict=True)):
        words[stride] = f"isamap_n[{4 + n}] + isamap_n[3]" if counted else str(step)
    return {**words, m: f"{name} + isamap_n[2]" if counted else name}


def dense(i: Instruction) -> tuple[int, ...]:
    """The strides of a move if its cells lie in memory without gaps."""
    m = memory_operand(i)
    assert m is not None
    own = row_major(i.kernel.tensor(m).shape)
    return tuple(step for step, stride in zip(own, i.address(m).steps, strict=True) if isinstance(stride, str))


# ---- registers that the C calls by number ----------------------------------------------------------------------------


def _numbered(operand: str) -> str:
    return f"isamap_q_{operand}"


def whole_move(machine: Hardware, i: Instruction, operand: str, store: bool) -> Instruction | None:
    """The machine's own move of all cells of the operand's register."""
    whole = tuple(range(len(i.kernel.tensor(operand).shape)))
    return look_for_move(machine, i, operand, store, whole, False, ordered=False)


def numbered_compute(
    number: int, i: Instruction, machine: Hardware, loads: dict[str, Instruction], store: Instruction
) -> str:
    """Operands come by the machine's own moves; the second result comes from executing twice on the same registers."""
    names = [t.name for t in i.kernel.tensors]
    target = i.kernel.outputs[0]
    lines = [f"enum {{ {', '.join(f'{_numbered(o)} = {k}' for k, o in enumerate(names))} }};"]
    for k, o in enumerate(names):
        at = f"isamap_from[{k}] + isamap_x % isamap_period * {size(i.kernel.tensor(o))}"
        lines += _whole(loads[o], at, _numbered(o), f"isamap_m{k}")
    for n in range(2):
        lines.append(i.statement({o: _numbered(o) for o in names}))
        lines += _whole(
            store, f"isamap_to[{n}] + isamap_x * {size(i.kernel.tensor(target))}", _numbered(target), f"isamap_t{n}"
        )
    loop = "    for (int64_t isamap_x = 0; isamap_x < isamap_count; ++isamap_x) {\n"
    numbers = {o: k for k, o in enumerate(names)}
    used = [(i, numbers), *((loads[o], {register_operand(loads[o]): numbers[o]}) for o in names)]
    state = in_state(machine, [*used, (store, {register_operand(store): numbers[target]})])
    return _function(number, state, [], loop + _indented(lines, 8) + "    }\n")


def numbered_move(
    number: int,
    i: Instruction,
    machine: Hardware,
    before: Instruction | None,
    seen: Instruction,
    others: dict[str, Instruction],
    after: Instruction | None,
) -> str:
    """A move of a register with a number: `before` fills it, and `seen` shows it afterwards.

    seen: a store of the register, or an instruction computing with it; then `others` load its further operands, and `after`
    stores its result. If i is a store, the register is filled, and i is run alone.
    """
    r = register_operand(i)
    here = min(5, i.registers[r] - 1)
    lines = [f"enum {{ isamap_r = {here} }};"]
    used = [(x, {register_operand(x): here}) for x in (i, before) if x is not None]
    if before is not None:
        lines += _whole(before, "isamap_from[1]", "isamap_r", "isamap_b")
    lines += [*_pointer(i, "isamap_from[0]"), i.statement({**_memory_words(i, "isamap_from[0]"), r: "isamap_r"})]
    if i.kind != "store" and after is None:
        lines += _whole(seen, "isamap_to[0]", "isamap_r", "isamap_t")
        used.append((seen, {register_operand(seen): here}))
    elif after is not None:
        names = [t.name for t in seen.kernel.tensors if t.name in others]
        lines.append(f"enum {{ {', '.join(f'{_numbered(o)} = {k}' for k, o in enumerate(names))} }};")
        for k, o in enumerate(names):
            lines += _whole(others[o], f"isamap_from[{2 + k}]", _numbered(o), f"isamap_m{k}")
        lines.append(
            seen.statement({t.name: _numbered(t.name) if t.name in others else "isamap_r" for t in seen.kernel.tensors})
        )
        lines += _whole(after, "isamap_to[0]", _numbered(seen.kernel.outputs[0]), "isamap_t")
        numbers = {o: k for k, o in enumerate(names)}
        used += [(seen, {t.name: numbers.get(t.name, here) for t in seen.kernel.tensors})]
        used += [(others[o], {register_operand(others[o]): numbers[o]}) for o in names]
        used.append((after, {register_operand(after): numbers[seen.kernel.outputs[0]]}))
    return _function(number, in_state(machine, used), [], "    {\n" + _indented(lines, 8) + "    }\n")


def _whole(i: Instruction, place: str, register: str, name: str) -> list[str]:
    """A whole move between dense memory and a register."""
    m = memory_operand(i)
    assert m is not None
    const = "" if i.kind == "store" else "const "
    element = i.kernel.tensor(m).dtype.c
    words = _memory_words(i, place, name, counted=False)
    return [f"{const}{element} *{name} = (void *)({place});", i.statement({**words, register_operand(i): register})]
