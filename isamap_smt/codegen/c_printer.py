"""Proved program -> C text. A function of the Program alone: it knows no kernel, no shape and no schedule.

The C exports

    int isamap_run(const void *const *tensors, const int64_t *sizes, void *const *packed, int64_t threads);
    int isamap_check(const void *const *tensors, const int64_t *sizes, void *const *packed, int64_t threads);
    int isamap_pack(const void *const *tensors, const int64_t *sizes, void *const *packed);
    int64_t isamap_packed_bytes(const int64_t *sizes, int64_t which);
    const char *isamap_text(int code);

tensors in the order of kernel.tensors; sizes in the order of kernel.free_sizes, then how the call is made: a sum of BEGIN
(outputs that the program starts by itself begin at 0; else the call adds to what they hold), TRUST_FINITE and TRUST_RANGES (the
elements are not looked at); packed in the order of the buffers filled by `ahead`. Results: 0 done, 1 out of memory, -1 the
system refuses the state that an instruction needs, else the code of the check (checks.py) that the call fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Mapping as Dict
from itertools import product, zip_longest
from math import prod
from typing import Any

import sympy as sp

from isamap_smt.codegen.c_blocks import helpers
from isamap_smt.codegen.c_checks import (
    DIGEST,
    packing_checks,
    print_checks,
    print_stamps,
    print_texts,
    stamp_words,
    with_identity,
)
from isamap_smt.codegen.c_entry import (
    SPACE,
    answer_for_machine,
    ask_machine,
    declare_arguments,
    declare_sizes,
    heap_buffers,
    packed_buffers,
    pointer_type,
    unused,
    with_buffers,
    with_rooms,
    with_workspace,
    workspace_rooms,
)
from isamap_smt.codegen.c_expr import DATA_HELPERS, HELPERS, row_major
from isamap_smt.codegen.c_interface import CALL, OWN, PACK, print_check, print_packed_bytes, print_typed
from isamap_smt.codegen.c_parallel import MOST, RUNTIME, lent
from isamap_smt.codegen.c_state import (
    MACRO,
    Printer,
    declare_granted,
    name_everything,
    register_indices,
    register_name,
    used_up,
)
from isamap_smt.codegen.checks import Check, Given, entry_checks
from isamap_smt.codegen.printed import PrintedC
from isamap_smt.ir.across import in_a_row, leaves, pointwise
from isamap_smt.ir.c_names import comment_lines
from isamap_smt.ir.c_text import check_together
from isamap_smt.ir.dtypes import DType, dtype, negative_zero
from isamap_smt.ir.errors import HardwareError, NotProvedError
from isamap_smt.ir.expr import substitute
from isamap_smt.ir.folds import laid_out
from isamap_smt.ir.hardware import LINE
from isamap_smt.ir.hypotheses import Hypothesis
from isamap_smt.ir.indirect import index_tensors
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.move_form import MAIN, register_operand
from isamap_smt.ir.program import (
    Across,
    Alloc,
    Ask,
    Block,
    Buffer,
    Compute,
    Copy,
    CopyForm,
    Counted,
    If,
    Move,
    Node,
    Parallel,
    Point,
    Program,
    ProvedProgram,
    Ref,
    Serial,
    SetState,
    Unrolled,
    Use,
)
from isamap_smt.ir.proof import Seal
from isamap_smt.ir.scalar import Select, read
from isamap_smt.ir.traversal import buffers, nodes_of
from isamap_smt.mapping.configuring import c_use
from isamap_smt.mapping.convert_c import converted
from isamap_smt.mapping.moves import lane_symbols
from isamap_smt.mapping.point_c import c_update, prelude

# ---- The C of copies: loops over cells, whole blocks by one call, tests if a copy is cut; decided.py chooses
# the form of each.


Over = tuple[tuple[Any, Any], ...]


def print_copy(p: Printer, copy: Copy) -> None:
    """As its form says: tests before loops, in them, or none."""
    form = copy.form or CopyForm(len(copy.over), None if copy.where else ())
    outer, inner = copy.over[: form.split], copy.over[form.split :]
    _copy_loops(p, outer)
    if form.whole is None:
        p.put(f"if ({p.condition(copy.where)}) {{")
        _copy_cells(p, inner, _plain_cell(p, copy), 0)
        if copy.fill:
            p.put("} else {")
            _copy_cells(p, inner, _filled_cell(p, copy), 0)
        p.put("}")
    elif form.whole:
        p.put(f"if ({p.condition(form.whole)}) {{")
        _print_whole(p, copy, inner, form)
        p.put("} else {")
        _print_cut(p, copy, inner, form.block)
        p.put("}")
    else:
        _print_whole(p, copy, inner, form)
    _close(p, len(outer))


def _print_whole(p: Printer, copy: Copy, inner: Over, form: CopyForm) -> None:
    """All cells of the inner loops, without tests."""
    if form.block is None:
        _copy_cells(p, inner, _plain_cell(p, copy), form.written)
        return
    p.depth += bool(form.whole)
    _call_block(p, copy, inner, form.block, {})
    p.depth -= bool(form.whole)


def _print_cut(p: Printer, copy: Copy, inner: Over, block: Block | None) -> None:
    """A test for each cell. A block cut along its sides is filled whole; then the cells inside the guard are copied."""
    if block is None or block.cut is None:
        _copy_cells(p, inner, _guarded_cell(p, copy), 0)
        return
    _copy_cells(p, inner, _filled_cell(p, copy), 0)
    p.depth += 1
    _call_block(p, copy, inner, block, dict(block.cut))
    p.depth -= 1


def _call_block(p: Printer, copy: Copy, inner: Over, block: Block, left: dict[str, Any]) -> None:
    """left: the remaining cells along a side of the block, if these may be fewer than its count."""
    zero = {v.name: sp.S.Zero for v, _ in inner}
    to, start = (Ref(r.name, tuple(substitute(i, zero) for i in r.index)) for r in (copy.dst, copy.src))
    whole = {v.name: n for v, n in inner}
    counts = [
        f"isamap_max(0, isamap_min({p.expr(whole[n])}, {p.expr(left[n])}))" if n in left else p.expr(whole[n])
        for n in block.sides
    ]
    row = [] if block.to_row is None else [p.expr(block.to_row)]
    p.put(f"{block.call}({', '.join([p.pointer(to), *row, p.pointer(start), p.expr(block.from_row), *counts])});")


def _plain_cell(p: Printer, copy: Copy) -> Callable[[], str]:
    return lambda: f"*({p.pointer(copy.dst)}) = {_source(p, copy)};"


def _source(p: Printer, copy: Copy) -> str:
    """The element copied, in the destination's type."""
    return converted(p.places[copy.dst.name][1], f"*({p.pointer(copy.src)})", p.places[copy.src.name][1])


def _filled_cell(p: Printer, copy: Copy) -> Callable[[], str]:
    return lambda: f"*({p.pointer(copy.dst)}) = {_constant(p.places[copy.dst.name][1], copy.fill)};"


def _guarded_cell(p: Printer, copy: Copy) -> Callable[[], str]:
    fill = _constant(p.places[copy.dst.name][1], copy.fill)
    return lambda: f"*({p.pointer(copy.dst)}) = ({p.condition(copy.where)}) ? {_source(p, copy)} : {fill};"


def _copy_cells(p: Printer, over: Over, cell: Callable[[], str], written: int) -> None:
    """Loops around one assignment; so many of the innermost dimensions are written out."""
    p.depth += 1
    loops, inner = over[: len(over) - written], over[len(over) - written :]
    _copy_loops(p, loops)
    for values in product(*(range(int(count)) for _, count in inner)):
        p.constants.update((str(symbol), k) for (symbol, _), k in zip(inner, values, strict=True))
        p.put(cell())
    for symbol, _ in inner:
        del p.constants[str(symbol)]
    _close(p, len(loops))
    p.depth -= 1


def _copy_loops(p: Printer, over: Over) -> None:
    for var, count in over:
        name, end, text = p.names[str(var)], p.ends[str(var)], p.expr(count)
        bound, start = (text, "") if text.isdigit() else (end, f", {end} = {text}")
        p.put(f"for (int64_t {name} = 0{start}; {name} < {bound}; ++{name}) {{")
        p.depth += 1


def _close(p: Printer, count: int) -> None:
    for _ in range(count):
        p.depth -= 1
        p.put("}")


def _constant(dtype: DType, fill: str) -> str:
    if fill == "0":
        return f"({dtype.c})0"
    return hex(negative_zero(dtype)) if dtype.is_word else f"({dtype.c})-0.0"


# ---- Unrolled loops whose iterations take turns: the first step of each, then the second of each, and so on.
#
# A processor looks only so far ahead. Of chains of dependent steps written one after the other it sees two or three,
# where it could compute all of them at once.


Body = Callable[[Printer, tuple[Node, ...]], None]


def print_woven(p: Printer, loop: Unrolled, print_body: Body) -> None:
    """The iterations of the loop, in a block of their own. print_body: prints nodes without steps."""
    p.put("{")
    p.depth += 1
    for text in _turns(p, loop, print_body):
        p.lines += text
    p.depth -= 1
    p.put("}")


def _turns(p: Printer, loop: Unrolled, print_body: Body) -> list[list[str]]:
    """The lines of each step, all iterations' in turn."""
    held, iterations = dict(p.registers), []
    for k in range(int(loop.count)):
        p.constants[str(loop.var)] = k
        iterations.append(list(_steps(p, loop.body, print_body)))
        p.registers = dict(held)
    p.constants.pop(str(loop.var), None)
    return [step for turn in zip_longest(*iterations) for step in turn if step is not None]


def _steps(p: Printer, body: tuple[Node, ...], print_body: Body) -> Iterable[list[str]]:
    """One iteration, step by step. Its own registers and declarations get names of this iteration."""
    for node in body:
        match node:
            case Alloc():
                mark = _mark(p)
                for index in register_indices(node.buffer):
                    p.registers[node.buffer.name, index] += f"_{mark}"
                yield _printed(p, (node,), print_body)
            case Compute():
                for line in node.instruction.taking_turns(_operands(p, node), _mark(p)):
                    yield ["    " * p.depth + line]
            case Unrolled(woven=True):
                yield from _turns(p, node, print_body)
            case If() if not node.open_at(p.constants):
                yield from _steps(p, node.body, print_body)
            case _:
                yield _printed(p, (node,), print_body)


def _operands(p: Printer, node: Compute) -> dict[str, str]:
    """Operand -> the C variable of its register, or a pointer to its first cell in memory."""
    far = {o for o, place in node.instruction.places if place == MAIN}
    return {o: p.pointer(ref) if o in far else register_name(p, ref) for o, ref in node.operands}


def _mark(p: Printer) -> str:
    """The current numbers of all unrolled loops, as part of a name."""
    return "_".join(str(k) for k in p.constants.values())


def _printed(p: Printer, nodes: tuple[Node, ...], print_body: Body) -> list[str]:
    kept, p.lines = p.lines, []
    print_body(p, nodes)
    printed, p.lines = p.lines, kept
    return printed


# ---- How one point of a statement is printed: its contract's scalar expression as portable C, elements read from
# memory.


FOLD, ELEMENT = "isamap_fold", "isamap_element_"


def c_compute(p: Printer, node: Point) -> str:
    """One assignment. Raises ScheduleError for a function without an exact form in portable C."""
    function = pointwise(node.instruction)
    names = {t.name: (f"*({p.pointer(r)})", t.dtype) for t, r in zip(function.kernel.tensors, node.reads, strict=True)}
    before = ""
    if function.tree.has(
        Select
    ):  # every read is inside, whatever is chosen: of chosen addresses compilers make gathers
        own = {t: (f"{ELEMENT}{n}", d) for n, (t, (_, d)) in enumerate(names.items())}
        before = " ".join(f"const {d.c} {name} = {names[t][0]};" for t, (name, d) in own.items())
        names = own
    for k, e in enumerate(function.indices):
        names[f"index_{k}"] = (f"(int64_t)({p.expr(substitute(e, dict(node.point)))})", dtype("i64"))
    target = f"*({p.pointer(node.dst)})"
    if node.across is None:
        update = c_update(function.op, function.tree, names, target, function.dtype)
        return f"{{ {before} {update} }}" if before else update
    update = c_update(function.op, read(FOLD), {FOLD: (FOLD, function.dtype)}, target, function.dtype)
    return f"{{ {_across(p, node.across, [r for _, r in in_a_row(node)])} {update} }}"


def _across(p: Printer, across: Across, places: Sequence[Ref]) -> str:
    """Loads registers and combines them; the result stands in FOLD."""
    (register,), lanes = across.last.kernel.inputs, leaves(across.last)
    kind = dict(across.last.c_types)[register]
    held = [f"{FOLD}_{n}" for n in range(len(places) // lanes)]
    own = register_operand(across.load)
    memory = next(o for o, place in across.load.places if place == "memory")
    lines = [f"{kind} {', '.join(held)};"]
    lines += [across.load.statement({own: v, memory: p.pointer(places[n * lanes])}) for n, v in enumerate(held)]
    while len(held) > 1 and across.beside is not None:
        half, level = len(held) // 2, []
        out = across.beside.kernel.statements[0].target.tensor
        for a, b in zip(held[:half], held[half:], strict=True):
            level.append(f"{a}_")  # of its own: what is combined is read until it is
            one, other = across.beside.kernel.inputs
            lines += [f"{kind} {level[-1]};", across.beside.statement({one: a, other: b, out: level[-1]})]
        held = level
    out = across.last.kernel.statements[0].target.tensor
    lines += [f"{dict(across.last.c_types)[out]} {FOLD};", across.last.statement({out: FOLD, register: held[0]})]
    return " ".join(lines)


def print_c(checked: ProvedProgram, header: str = "", prefix: str = OWN, threads: int = 0) -> PrintedC:
    """The C source of a proved program; `header` is a comment at its top, `prefix` precedes the exported names.

    threads: 0, or the most threads that share loops, lent by the caller. Then nothing is started and nothing allocated.
    PREFIX_run() takes the caller's options behind its arguments (c_parallel.OPTIONS), and memory behind the packed
    buffers, aligned to 64 bytes, of workspace_bytes() bytes.

    Raises SizeError if this size is open, and NotProvedError for a program without a proof (build() proves it first, as
    require_proof() does), or for a proof with an assumption that no check of the C tests.
    """
    if not isinstance(checked, ProvedProgram):
        raise NotProvedError(
            f"print_c() takes a ProvedProgram, not {type(checked).__name__}; make one with require_proof(program)"
        )
    _require_c(checked.program)
    text = _text(checked.program, header, prefix, checked.proof.hypotheses, threads)
    return PrintedC(text, checked, Seal(text, checked))


def _require_c(program: Program) -> None:
    """Raises HardwareError if an instruction has no C: its machine is simulated only."""
    for node in nodes_of(Use, program):
        if not (node.instruction.portable or node.instruction.emit):
            raise HardwareError(
                f"{node.instruction.name} has no C (emit='...'), so none is printed; `isamap run` simulates the program"
            )


def workspace_bytes(program: Program, threads: int) -> int:
    """Bytes of work space for a call of C printed for these threads of the caller's. Raises SizeError for open sizes."""
    return workspace_rooms(laid_out(program), min(threads, MOST))[1]


def workspace_cells(program: Program) -> list[tuple[Any, int]]:
    """The elements of each buffer in the work space, as its sizes say, and of how many there is room for."""
    held = laid_out(program)
    rooms, _ = workspace_rooms(held, 1)
    return [(sp.Mul(*b.shape), rooms[n].bytes // b.dtype.bytes) for n, b in buffers(held).items() if n in rooms]


def workspace_pieces(program: Program, threads: int) -> list[tuple[int, int]]:
    """(start, bytes) in the work space of each thread's piece of each buffer."""
    rooms = workspace_rooms(laid_out(program), min(threads, MOST))[0]
    return [piece for room in rooms.values() for piece in room.pieces]


def _text(
    program: Program,
    header: str = "",
    prefix: str = OWN,
    assumed: tuple[Hypothesis, ...] | None = None,
    threads: int = 0,
) -> str:
    """The C of any program. `assumed`: hypotheses of its proof; by default those of a proof of it."""
    checks = entry_checks(program, assumed)
    program = laid_out(program)
    p = Printer(program, lent=min(threads, MOST))
    name_everything(p)
    sizes = declare_sizes(p)
    call = f"{CALL}, const void *isamap_lent" if p.lent else CALL
    run = _function(p, f"int {prefix}_run({call})", program.body, _calls(checks))
    pack = _pack(p, prefix)
    tested = print_checks(p, checks, "".join(f"{line}\n" for line in sizes))
    used = _instructions(program)
    code = "".join([*p.functions, run, pack])
    theirs = [i for i in used if not i.own]
    check_together(theirs)
    mine = [part for i in used if i.own for part in i.prelude]
    said = comment_lines(f"{program.name}, generated by isamap-smt.\n{header}")
    parts = [
        "/* " + "\n   ".join(said) + "\n*/\n",
        _includes(
            ("stddef.h", "stdint.h", "string.h")
            if p.lent
            else ("pthread.h", "stdint.h", "stdlib.h", "string.h", "time.h")
        ),
        # What is ours stands in front of descriptions: their macros cannot change it.
        HELPERS,
        DATA_HELPERS if any(index_tensors(program.kernel)) else "",
        MACRO if "isamap_first(" in code else "",
        helpers(code),
        *dict.fromkeys([*mine, *prelude(code + tested)]),
        ask_machine(program, define=False),
        _sharing(program, p.lent),
        with_identity(tested, pack),
        _includes(h for i in theirs for h in i.headers),
        *dict.fromkeys(part for i in theirs for part in i.prelude),
        ask_machine(program, define=True),
        *p.functions,
        run,
        print_check(prefix),
        with_identity(pack, pack),
        print_packed_bytes(p, prefix, sizes),
        print_texts(f"{prefix}_text", program, checks, bool(p.lent)),
        "" if prefix == OWN or p.lent else print_typed(program, prefix),
    ]
    return "\n".join(part for part in parts if part)


def packing_c(programs: Dict[str, tuple[ProvedProgram, int]]) -> str:
    """C that packs the constants of these programs, by their prefixes, on any machine: PREFIX_pack() as print_c()
    prints it. Beside each program: the threads it is printed for."""
    helping: list[str] = [_includes(("stdint.h", "string.h")), HELPERS]
    functions: list[str] = []
    for prefix, (checked, threads) in programs.items():
        program = laid_out(checked.program)
        p = Printer(program, lent=min(threads, MOST))
        name_everything(p)
        sizes = "".join(f"{line}\n" for line in declare_sizes(p))
        checks = packing_checks(p, entry_checks(checked.program, checked.proof.hypotheses))
        pack = _pack(p, prefix)
        tested = print_checks(p, checks, sizes, ("isamap_packing",))
        helping += [DATA_HELPERS if any(index_tensors(program.kernel)) else "", helpers(pack), *prelude(pack + tested)]
        helping += [DIGEST]
        asked = answer_for_machine(program)
        functions += [f"#define isamap_packing {prefix}_packing", asked, tested, with_identity(pack, pack)]
        functions += ["#undef isamap_packing", *(f"#undef {line.split()[1][:-2]}" for line in asked.splitlines())]
    return "\n".join([*(h for h in dict.fromkeys(helping) if h), *functions])


def _pack(p: Printer, prefix: str) -> str:
    asked = ["isamap_packing(isamap_tensors, isamap_sizes, isamap_packed)"]
    return _function(p, f"int {prefix}_pack({PACK})", p.program.ahead, asked, ahead=True)


def _sharing(program: Program, threads: int) -> str:
    """The C of shared loops: threads started by the C itself, or at most `threads` of the caller's."""
    if any(nodes_of(Parallel, program.body)):
        return lent(threads) if threads else RUNTIME
    return ""


def _includes(headers: Iterable[str]) -> str:
    return "".join(f"#include <{h}>\n" for h in dict.fromkeys(headers))


def _calls(checks: tuple[Check, ...]) -> list[str]:
    """The checks before a call computes, as C expressions of a code."""
    missing = [f"isamap_packed ? 0 : {c.code}" for c in checks if c.asked == Given("packed")]
    return [*missing, "isamap_checked(isamap_tensors, isamap_sizes, isamap_packed, isamap_threads)"]


def _instructions(program: Program) -> list[Instruction]:
    return list({id(i): i for n in nodes_of(Use, program) for i in n.instructions}.values())


# ---- functions -----------------------------------------------------------------------------------------------------


def _function(p: Printer, opening: str, body: tuple[Node, ...], asked: list[str], ahead: bool = False) -> str:
    """The function that computes this body if all of `asked` give 0. ahead: it stamps the buffers it fills."""
    p.lines, p.depth = [], 1
    packed = packed_buffers(p.program)
    if ahead and not body:
        unused(p, ["isamap_tensors", "isamap_sizes", "isamap_packed"])
        return f"{opening} {{\n" + "\n".join([*p.lines, "    return 0;"]) + "\n}\n"
    p.put("int isamap_result = 0;")
    for question in asked:
        p.put(f"if ((isamap_result = {question})) return isamap_result;")
    declare_arguments(p)
    for which, b in enumerate(packed):
        at = f"(void *)((char *)isamap_packed[{which}] + {8 * stamp_words(p.program)})"
        p.put(f"{pointer_type(b.dtype)} restrict {p.places[b.name][0]} = {at};")
    unused(p, ["isamap_packed", *([] if ahead else ["isamap_threads"]), *(p.places[b.name][0] for b in packed)])
    declare_granted(p, body)
    if p.lent and not ahead:
        p.put("(void)isamap_lent;")
        with_workspace(p, lambda: _print_body(p, body))
    else:
        owned = [] if ahead else heap_buffers(body, inside_parallel=False)
        with_buffers(p, owned, lambda: _print_body(p, body))
    for line in print_stamps(p) if ahead else ():
        p.put(line)
    p.put("return isamap_result;")
    return f"{opening} {{\n" + "\n".join(p.lines) + "\n}\n"


# ---- statements ----------------------------------------------------------------------------------------------------


def _print_body(p: Printer, body: tuple[Node, ...]) -> None:
    for node in body:
        match node:
            case Unrolled(woven=True):
                print_woven(p, node, _print_body)
            case Unrolled():
                _print_unrolled(p, node)
            case Parallel():
                _print_parallel(p, node)
            case Serial():
                _print_serial(p, node, "0", p.expr(node.trips))
            case If():
                left = node.open_at(p.constants)
                _block(p, f"if ({p.condition(left)}) {{" if left else "{", node.body)
            case Alloc():
                _print_alloc(p, node.buffer)
            case Copy():
                print_copy(p, node)
            case Point():
                p.put(c_compute(p, node))
            case Move():
                p.put(_emit_move(p, node))
            case Compute():
                p.put(node.instruction.statement(_operands(p, node)))
            case Ask():
                p.put(_emit_request(p, node))
            case SetState():
                clears = (n for n in body if isinstance(n, SetState) and n.state == node.state and not any(n.cells))
                _print_use(p, node, next(clears, None))


def _print_use(p: Printer, use: SetState, clear: SetState | None) -> None:
    """A write of a state. If the system refuses it, everything held is given back. clear: the write to clear it later."""
    held = "".join(f"{text} " for text in (*p.undone, *reversed(p.cleared.values())))
    p.put(c_use(use, f"{{ {held}return -1; }}" if held else "return -1;"))
    p.cleared.pop(use.state, None)
    if any(use.cells) and clear is not None:
        p.cleared[use.state] = clear.instruction.statement({})


def _block(p: Printer, opening: str, body: tuple[Node, ...]) -> None:
    p.put(opening)
    p.depth += 1
    _print_body(p, body)
    p.depth -= 1
    p.put("}")


def _print_serial(p: Printer, loop: Counted, start: str, count: str) -> None:
    """One for loop. If it may run backwards, a second variable counts onwards and gives the loop's own its value."""
    var = str(loop.var)
    name = p.names[var]
    p.loop_variables.append(name)
    counted, end, more = name, count, ""
    if not count.lstrip("-").isdigit():  # computed once, not at every turn
        end, more = p.ends[var], f", {p.ends[var]} = {count}"
    told, before = "", p.indices_before(loop, start, count)
    if loop.backwards is not None:
        counted = p.onwards[var]
        last = f"{end} - 1" if start == "0" else f"{start} + {end} - 1"
        told = f" const int64_t {name} = {p.names[str(loop.backwards)]} & 1 ? {last} - {counted} : {counted};"
    _block(p, f"for (int64_t {counted} = {start}{more}; {counted} < {end}; ++{counted}) {{{told}", loop.body)
    p.loop_variables.pop()
    for e in before:
        del p.known[e]


def _print_unrolled(p: Printer, loop: Unrolled) -> None:
    for k in range(int(loop.count)):
        p.constants[str(loop.var)] = k
        body = _decided(p, loop.body)
        inside = body[0].body if len(body) == 1 and isinstance(body[0], If) else body
        if not any(isinstance(n, Alloc) for n in inside):
            _print_body(p, body)
            continue
        if inside is body:
            _block(p, "{", body)
        else:
            _print_body(p, body)
        if line := used_up(p, inside):
            p.put(line)
    p.constants.pop(str(loop.var), None)


def _decided(p: Printer, body: tuple[Node, ...]) -> tuple[Node, ...]:
    """The body, without tests known to hold here."""
    found = ((n.body if isinstance(n, If) and not n.open_at(p.constants) else (n,)) for n in body)
    return tuple(node for nodes in found for node in nodes)


def _print_alloc(p: Printer, b: Buffer) -> None:
    if b.memory != "registers":
        return
    names = [p.registers[b.name, i] for i in register_indices(b)]
    if b.first is not None:
        p.put(f"enum {{ {', '.join(f'{name} = {n}' for n, name in enumerate(names, b.first))} }};")
    else:
        p.put(f"{p.register_types[b.name]} {', '.join(names)};")


def _emit_move(p: Printer, move: Move) -> str:
    instruction = move.instruction
    register = register_operand(instruction)
    words = {register: register_name(p, move.register)}
    words |= {held.memory: p.granted[held.memory] for held in instruction.numbers_needed}
    if move.memory is not None:
        zero = {str(s): 0 for s in lane_symbols(instruction)}
        first = Ref(move.memory.name, tuple(substitute(i, zero) for i in move.memory.index))
        memory = next(o for o, place in instruction.places if place == "memory")
        words[memory] = p.pointer(first)
        _, _, shape = p.places[first.name]
        strides = instruction.address(memory).strides(row_major(move.memory.index, shape))
        words |= {name: p.expr(step) for name, step in strides.items()}
        _print_prefetch(p, move, first)
    for (axis, word), active in zip(instruction.active, move.active, strict=True):
        points = p.expr(instruction.extents[axis])
        words[word] = f"isamap_max(0, isamap_min({points}, {p.expr(active)}))"
    return instruction.statement(words)


def _emit_request(p: Printer, use: Ask) -> str:
    """Asks for a number and keeps the granted one in its variable."""
    s = use.instruction.kernel.statements[0]
    return use.instruction.statement({s.target.tensor: p.granted[use.state], s.inputs[0].tensor: p.expr(use.number)})


def _print_prefetch(p: Printer, move: Move, first: Ref) -> None:
    """One prefetch per cache line, at the first unrolled load in it. The address is computed, but never followed."""
    if not move.prefetch:
        return
    _, dtype, shape = p.places[first.name]
    at = row_major(tuple(substitute(i, p.constants) for i in first.index), shape)
    begins = at.xreplace(dict.fromkeys(at.free_symbols, sp.S.Zero))
    width = dtype.bytes * prod(int(n) for n in move.instruction.kernel.tensor(register_operand(move.instruction)).shape)
    if not begins.is_Integer or int(begins) * dtype.bytes % LINE >= width:
        return
    line = int(begins) * dtype.bytes // LINE
    for asked in move.prefetch:
        if not asked.lines or line < asked.lines:
            stay = "" if asked.cache == 1 else f", 0, {4 - asked.cache}"  # 3, which need not be said: in all caches
            at = p.pointer(asked.place or first)
            p.put(f"__builtin_prefetch((const void *)((uintptr_t)({at}) + {p.expr(asked.distance)}){stay});")


def _print_parallel(p: Printer, loop: Parallel) -> None:
    """The loop becomes a function of a thread's share of the iterations; everything in scope travels in a struct.

    Its buffers are the thread's own, and serve all of its chunks.
    """
    name = f"isamap_part_{len(p.functions)}"
    private = heap_buffers(loop.body, inside_parallel=False)
    mine = {b.name for b in private}
    fields = [("int64_t", n) for n in (*p.sizes, *p.loop_variables)]
    outputs = p.program.kernel.outputs
    inputs = {t.name for t in p.program.kernel.tensors} - set(outputs)
    for key, (c_name, element, _) in p.places.items():
        if key not in mine and _visible(p, key):
            fields.append((("const " if key in inputs else "") + pointer_type(element) + "restrict", c_name))
    if p.lent and private:
        fields.append(("char *", SPACE))
    outer_lines, outer_depth = p.lines, p.depth
    p.lines, p.depth = [], 1
    p.put(f"const struct {name} *const isamap_scope = isamap_context;")
    for kind, field_name in fields:
        p.put(f"{kind} {field_name} = isamap_scope->{field_name};")
    unused(p, ["isamap_scope", *(n for _, n in fields)])
    p.put("int isamap_result = 0;")
    declare_granted(p, loop.body)
    held, cleared, known, p.undone, p.cleared, p.known = p.undone, p.cleared, p.known, (), {}, {}
    if p.lent:
        with_rooms(p, private, "isamap_mine->mine", lambda: _print_chunks(p, loop))
    else:
        with_buffers(p, private, lambda: _print_chunks(p, loop))
    p.undone, p.cleared, p.known = held, cleared, known
    p.put("return isamap_result;")
    body = "\n".join(p.lines)
    members = "".join(f"    {kind.replace(' restrict', '').replace('restrict', '')} {n};\n" for kind, n in fields)
    p.functions.append(
        f"struct {name} {{\n{members}}};\n"
        f"static int {name}_body(const void *isamap_context, isamap_share *isamap_mine) {{\n{body}\n}}\n"
    )
    p.lines, p.depth = outer_lines, outer_depth
    values = ", ".join(n for _, n in fields)
    p.put(f"{{ const struct {name} isamap_scope = {{{values}}};")
    lenders = ", isamap_lent" if p.lent else ""
    call = f"isamap_parallel({p.expr(loop.count)}, isamap_threads, {name}_body, &isamap_scope{lenders})"
    p.put(f"  if (!isamap_result) isamap_result = {call}; }}")
    for written in (use.state for use in loop.enter):
        p.cleared.pop(written, None)


def _print_chunks(p: Printer, loop: Parallel) -> None:
    for use, clear in zip(loop.enter, reversed(loop.leave), strict=True):
        _print_use(p, use, clear)
    backwards = "0" if loop.backwards is None else f"{p.names[str(loop.backwards)]} & 1"
    p.put(f"for (int64_t isamap_from, isamap_to; isamap_next(isamap_mine, {backwards}, &isamap_from, &isamap_to);) {{")
    p.depth += 1
    _print_serial(p, loop, "isamap_from", "isamap_to")
    p.depth -= 1
    p.put("}")
    for use in loop.leave:
        _print_use(p, use, None)


def _visible(p: Printer, key: str) -> bool:
    """Whether a tensor or heap buffer is declared outside every parallel loop (those inside are private)."""
    return key not in {b.name for b in heap_buffers(p.program.body, inside_parallel=True)}
