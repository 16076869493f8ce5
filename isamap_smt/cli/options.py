"""The options shared by commands, and how their text becomes sizes, element types and kernels."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import click
from click.core import ParameterSource

from isamap_smt.cli.output import say
from isamap_smt.ir.arguments import MOST_THREADS
from isamap_smt.ir.dtypes import DType, dtype
from isamap_smt.ir.errors import DTypeError, HardwareError, IsamapError, SizeError, UnknownNameError, did_you_mean
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.mapping.fuse import takes
from isamap_smt.mapping.types_of import with_types_of, with_types_of_engines
from isamap_smt.mapping.wider_sums import accumulate

Command = Callable[..., Any]
POSITIVE = click.FloatRange(min=0, min_open=True)


class OptionError(IsamapError):
    """The text of an option does not have its form."""


def together(*options: Command) -> Command:
    """All of these options as one decorator."""
    return lambda function: reduce(lambda made, option: option(made), options, function)


as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document alone on standard output.")
compiler_option = click.option(
    "--cc", metavar="COMPILER",
    help="zig, clang, gcc or a path, with arguments: 'gcc -O2'; by default that of the ziglang wheel, else a system one.",
)  # fmt: skip
kernel_options = together(
    as_json,
    click.option("--assume", multiple=True, metavar="'A<=127'",
                 help="Values of an integer input to take for granted; checked at each call. Repeatable."),
    click.option("--accumulate", type=click.Choice(["f32", "f64"]),
                 help="Carry sums of narrower floating-point types in this one, and round them once."),
    click.option("--set", "settings", multiple=True, metavar="n=16",
                 help="Machine parameters of a description that is a function: file.py:MACHINE."),
    click.option("--dtypes", multiple=True, metavar="A=u8,B=i8", help="Element types by tensor name."),
    click.option("--sizes", multiple=True, metavar="i=64,j=32", help="Sizes to fix; the rest stays symbolic."),
    click.option("--text", metavar="KERNEL-TEXT", help="The kernel itself, instead of its name."),
)  # fmt: skip
verbose_option = click.option(
    "-v", "--verbose", is_flag=True, help="Say all: what is proved, assumed or left out, too."
)
partial_option = click.option(
    "--partial", is_flag=True, help="Allow instruction axes that no kernel axis feeds (padded)."
)
statement_option = click.option(
    "--statement", type=click.IntRange(min=1), default=1, metavar="N",
    help="Which statement of a kernel of several is mapped.")  # fmt: skip


def _noted(context: click.Context, option: click.Parameter, threads: int) -> int:
    """The number itself; it may be meant for another machine, so more than the cores here is no misuse."""
    from isamap_smt.machine_model.calibration import usable_cores

    cores = usable_cores()
    if threads > cores:
        there = "1 core" if cores == 1 else f"{cores} cores"
        say(f"note: --threads {threads}: this process may use {there}, which the threads share here")
    return threads


threads_option = click.option(
    "--threads", type=click.IntRange(1, MOST_THREADS), default=1, callback=_noted,
    help="Threads to use; one where that is predicted to be faster.")  # fmt: skip
constant_option = click.option(
    "--constant", multiple=True, metavar="B", help="An input that never changes: packed ahead of the calls."
)
fix_option = click.option(
    "--fix", multiple=True, metavar="tile.k=64", help="Pin a decision of the schedule; repeatable."
)
instruction_option = click.option(
    "--instruction", metavar="NAME", help="Use this instruction of the hardware, and no other."
)
timeout_option = click.option(
    "--timeout", type=POSITIVE, metavar="SECONDS", help="What is not decided after so many seconds is left undecided."
)
family_option = click.option(
    "--family", type=click.Choice(["fuse", "digits"]), default="fuse",
    help="Which mappings to try: of whole kernel axes, or of their low digits, too.")  # fmt: skip
plan_options = together(
    family_option,
    click.option("--timeout", type=POSITIVE,
                 help="Seconds to look for something better; at 2.5 times as many everything stops. Without: 30 seconds of the "
                 "solver's own counting for each search, and the same answer on any load."),
    fix_option,
    click.option("--objective", type=click.Choice(["latency", "energy"]), default="latency",
                 help="What the schedule minimises."),
    constant_option,
    threads_option,
    instruction_option,
    click.option("--axes", metavar="i=p.q,j=k", help="Use the mapping with these axes, and no other; machines with engines."),
    click.option("--reorder/--no-reorder", default=True, help="Whether factors of several sums of products may meet in another "
                 "order than is written, where that multiplies less."),
    click.option("--rewrite", "rewrites", multiple=True, metavar="KERNEL",
                 help="Another kernel of the same arguments: if it is proved to be equal and costs less, it is computed. "
                 "May be repeated."),
)  # fmt: skip


def split_names(words: Sequence[str], text: str | None, second: str) -> tuple[str | None, str]:
    """(kernel name or None, the other name) from the words of a command line `[KERNEL] SECOND`."""
    wanted = [second] if text is not None else ["KERNEL", second]
    if len(words) < len(wanted):
        without = "" if text is not None else "; or give the kernel itself with --text"
        if words and text is None:
            without += _unknown(words[0], second)
        raise click.UsageError(f"missing argument {wanted[len(words)]}{without}")
    if len(words) > len(wanted):
        hint = f": with --text the only argument is {second}" if text is not None else ""
        raise click.UsageError(f"unexpected argument {words[len(wanted)]!r}{hint}")
    return (None, words[0]) if text is not None else (words[0], words[1])


def _unknown(name: str, second: str) -> str:
    """The error about a lone name on a command line, if nothing has this name; else ''."""
    import isamap_hardware
    import isamap_kernels
    from isamap_smt.language.library import kernel_names

    models = [*isamap_kernels.models()] if second == "HARDWARE" else []
    known = [*models, *kernel_names()]
    if name in known or name in isamap_hardware.names() or not name.isidentifier():
        return ""
    kinds = "model or kernel" if models else "kernel"
    return f"\nno {kinds} is called {name!r}; {did_you_mean(name, known)}"


def reproducing(*without: str) -> str:
    """The command line of the running command, quoted for a shell, without the parameters of these names; '' outside of one."""
    context = click.get_current_context(silent=True)
    if context is None:
        return ""
    words = ["isamap", str(context.info_name)]
    for p in sorted(context.command.params, key=lambda p: isinstance(p, click.Option)):
        given = context.get_parameter_source(p.name or "") is ParameterSource.COMMANDLINE
        if given and p.name not in without:
            words += _as_typed(p, context.params[p.name or ""])
    return shlex.join(words)


def _as_typed(p: click.Parameter, value: Any) -> list[str]:
    if not isinstance(p, click.Option):
        return [str(word) for word in value]
    name = max(p.opts, key=len)
    if p.is_flag:
        return [name if value else p.secondary_opts[0]]
    return [word for v in (value if p.multiple else [value]) for word in (name, str(v))]


def pairs(texts: Sequence[str], option: str, example: str) -> dict[str, str]:
    """name -> value of `a=1,b=2`, repeated options joined. Raises OptionError, SizeError for two values of one name."""
    found: dict[str, str] = {}
    for part in (p.strip() for text in texts for p in text.split(",")):
        name, equals, value = (p.strip() for p in part.partition("="))
        if not (name and equals and value):
            raise OptionError(f"{option} {','.join(texts)}: {part!r} is not of the form name=value, such as {example}")
        if found.setdefault(name, value) != value:
            kind = SizeError if option == "--sizes" else OptionError
            raise kind(f"{option}: {name} is given as {found[name]} and as {value}")
    return found


def parse_sizes(texts: Sequence[str], option: str = "--sizes", example: str = "i=64") -> dict[str, int]:
    """Sizes by axis, size or parameter name. Raises OptionError and SizeError."""
    sizes: dict[str, int] = {}
    for name, value in pairs(texts, option, example).items():
        try:
            sizes[name] = int(value)
        except ValueError:
            raise SizeError(f"size {name}={value}: {value!r} is not a whole number") from None
    return sizes


def parse_dtypes(texts: Sequence[str]) -> dict[str, DType]:
    """Element types by tensor name. Raises OptionError and DTypeError."""
    return {name: dtype(value) for name, value in pairs(texts, "--dtypes", "A=u8").items()}


def parse_fix(texts: Sequence[str]) -> dict[str, Any]:
    """Pinned decisions by name; whole numbers become integers."""
    found = pairs(texts, "--fix", "tile.k=64")
    return {n: int(v) if v.lstrip("-").isdigit() else v for n, v in found.items()}


def load_kernel(name: str | None, options: dict[str, Any]) -> tuple[Kernel, dict[str, int]]:
    """(the kernel of this name or of --text, the --sizes still to be fixed).

    --dtypes give element types; the others are those of the text, or f32. A text legal for given sizes alone defines
    them itself.
    """
    from isamap_smt.language.library import find_kernel

    text, sizes, dtypes = options["text"], parse_sizes(options["sizes"]), parse_dtypes(options["dtypes"])
    found = find_kernel(name, None if text is None else text.replace("\\n", "\n"), sizes)
    defined, found = found.text.splitlines(), found.with_dtypes(dtypes)
    if options.get("accumulate"):
        found = accumulate(found, options["accumulate"])
    return found, {n: v for n, v in sizes.items() if f"{n} = {v}" not in defined}


def load_hardware(name: str, options: dict[str, Any]) -> Hardware:
    """The machine of this name, made with --set if it is a function. Notes tell the unread parts of an architecture's file."""
    from isamap_smt.architectures import ReadMachine
    from isamap_smt.language.hardware_library import find_hardware
    from isamap_smt.language.loading import with_set

    found = find_hardware(with_set(name, options["settings"]))
    for text in (*found.notes, *found.unread) if isinstance(found, ReadMachine) else ():
        say(f"note: {found.name}: {text}")
    return found


def machine_named(spec: str, instruction: str | None) -> tuple[str, str | None]:
    """(the machine, the instruction to use or None) of `machine` or `machine.instruction`, and of --instruction.

    >>> machine_named("wmma.16x16x16", None), machine_named("m.py:MACHINE", "outer")
    (('wmma', '16x16x16'), ('m.py:MACHINE', 'outer'))
    """
    from isamap_smt.language.hardware_library import is_file

    path, colon, name = spec.partition(":")
    of_file = path.endswith(".py")
    machine, dot, short = (name if of_file else spec).partition(".")
    if not dot or (is_file(spec) and not of_file):
        return spec, instruction
    if instruction not in (None, short, f"{machine}.{short}"):
        raise click.UsageError(f"two instructions: {spec} and --instruction {instruction}; give one")
    return (f"{path}{colon}{machine}" if of_file else machine), short


def read_pair(words: Sequence[str], options: dict[str, Any], axes: str) -> tuple[Kernel, Instruction, int]:
    """The kernel, the instruction to map it onto, and the position of the mapped statement, counted from 0.

    Without --dtypes the kernel takes the instruction's element types. Of a machine: the first instruction with these
    axes that takes the kernel's own element types; else the first with these axes.
    """
    found = read_pairs(words, options)
    if len(found) == 1:
        return found[0]
    named = {part.partition("=")[0].strip() for part in axes.split(",") if part.strip()}
    own = load_kernel(split_names(words, options["text"], "INSTRUCTION")[0], options)[0]
    fit = [p for p in found if set(p[1].axes) == named and takes(p[0], p[1], p[2])]
    for pair in sorted(fit, key=lambda p: not takes(own, p[1], p[2])):
        return pair
    raise UnknownNameError(
        f"{words[-1]} has no instruction with the axes {', '.join(sorted(named)) or 'of one point'} that takes {own.name}; "
        f"its instructions: {', '.join(dict.fromkeys(i.short for _, i, _ in found))}"
    )


def read_pairs(words: Sequence[str], options: dict[str, Any]) -> list[tuple[Kernel, Instruction, int]]:
    """As read_pair(), for each computing instruction if the second name is a machine."""
    from isamap_smt.language.hardware_library import find_instructions
    from isamap_smt.language.loading import with_set

    wanted = with_set(split_names(words, options["text"], "INSTRUCTION")[1], options["settings"])
    made = _onto_made(words, options, wanted)
    return [made] if made else [_paired(words, options, i) for i in find_instructions(wanted)]


def _onto_made(words: Sequence[str], options: dict[str, Any], wanted: str) -> tuple[Kernel, Instruction, int] | None:
    """The same for an instruction put together for the statement (`avx2.selected`); None for others."""
    from isamap_smt.language.hardware_library import find_hardware
    from isamap_smt.mapping.made import POINT, instruction_named, is_made

    if not is_made(wanted) or wanted == POINT:
        return None
    kernel, sizes = load_kernel(split_names(words, options["text"], "INSTRUCTION")[0], options)
    kernel = kernel.with_sizes(sizes)
    statement = statement_number(kernel, options["statement"])
    machine, _, short = wanted.rpartition(".")
    return kernel, instruction_named(find_hardware(machine), short, kernel, statement), statement


def _paired(words: Sequence[str], options: dict[str, Any], instruction: Instruction) -> tuple[Kernel, Instruction, int]:
    kernel, sizes = load_kernel(split_names(words, options["text"], "INSTRUCTION")[0], options)
    kernel = kernel.with_sizes(sizes)
    statement = statement_number(kernel, options["statement"])
    given = parse_dtypes(options["dtypes"])
    return with_types_of(kernel, instruction, options["operands"], given, statement), instruction, statement


def machine_values(words: Sequence[str], options: dict[str, Any]) -> dict[str, int]:
    """The values of the parameters of the library's machine whose instruction read_pair() found; none of others."""
    from isamap_smt.language.hardware_library import find_hardware, is_file
    from isamap_smt.language.loading import with_set

    machine, dot, _ = with_set(words[-1], options["settings"]).partition(".")
    return dict(find_hardware(machine).values) if dot and not is_file(words[-1]) else {}


def comma_separated(texts: Sequence[str]) -> tuple[str, ...]:
    """The words of `a,b`, repeated options joined."""
    return tuple(word.strip() for text in texts for word in text.split(","))


def read_plan(words: Sequence[str], options: dict[str, Any], engines: bool = False) -> dict[str, Any]:
    """Keyword arguments of plan() from a command's words and options. engines: allow machines with engines, too.
    Raises as check_instruction()."""
    asked = read_asked(words, options)
    if not (engines and asked["hardware"].engines):
        check_instruction(asked["kernel"], asked["hardware"], asked["instruction"])
    return asked


def read_asked(words: Sequence[str], options: dict[str, Any]) -> dict[str, Any]:
    """The same for any machine, even without code for it."""
    name, machine = split_names(words, options["text"], "HARDWARE")
    kernel, sizes = load_kernel(name, options)
    kernel.with_sizes(sizes)  # wrong sizes are misuse before anything is searched for
    machine, instruction = machine_named(machine, options["instruction"])
    hardware = load_hardware(machine, options)
    if hardware.engines:
        kernel = with_types_of_engines(kernel, hardware, parse_dtypes(options["dtypes"]))
    constant = comma_separated(options["constant"])
    for c in constant:
        if c not in kernel.inputs:
            hint = did_you_mean(c, kernel.inputs)
            raise UnknownNameError(f"--constant {c}: {kernel.name} has no input {c!r}; {hint}")
    return {
        "kernel": kernel,
        "hardware": hardware,
        "sizes": sizes,
        "constant": constant,
        "fix": parse_fix(options["fix"]),
        "assume": tuple(options["assume"]),
        "instruction": instruction,
        **{n: options[n] for n in ("threads", "objective", "timeout", "family")},
        **({} if options["axes"] is None else {"axes": options["axes"]}),
        **({"rewrites": _rewrites(options)} if options["rewrites"] else {}),
        **({} if options["reorder"] else {"reorder": False}),
    }


def _rewrites(options: dict[str, Any]) -> tuple[Kernel, ...]:
    """The kernels of --rewrite, with the element types of --dtypes for their own tensors."""
    from isamap_smt.language.library import find_kernel

    found = [find_kernel(name) for name in options["rewrites"]]
    dtypes = parse_dtypes(options["dtypes"])
    return tuple(k.with_dtypes({n: t for n, t in dtypes.items() if n in {x.name for x in k.tensors}}) for k in found)


def statement_number(kernel: Kernel, number: int) -> int:
    """The statement's position, counted from 0. Raises UnknownNameError when the kernel has fewer."""
    if number > len(kernel.statements):
        many = "one statement" if len(kernel.statements) == 1 else f"{len(kernel.statements)} statements"
        raise UnknownNameError(f"--statement {number}: {kernel.name} has {many}")
    return number - 1


def check_instruction(kernel: Kernel, hardware: Hardware, name: str | None) -> None:
    """Require that code can be made with the instruction of this name, or with any if none is named.

    Raises HardwareError for machines with engines or without C, UnknownNameError, DTypeError if the pinned
    instruction's element types are not the kernel's.
    """
    named = computing(hardware, name, kernel)
    if hardware.engines:
        raise HardwareError(hardware.lacks[0])
    if not (hardware.has_c or hardware.simulated):
        raise HardwareError(
            f"{hardware.name} is for mapping and proof only: its instructions have no C; use `host`, or see what maps with "
            "`isamap report`"
        )
    if name is None:
        return
    (instruction,) = named
    if not takes(kernel, instruction, kernel.main):
        raise DTypeError(
            f"--instruction {name}: {_types(instruction.kernel)} in {instruction.name}, but {_types(kernel)} in "
            f"{kernel.name}; say the kernel's with --dtypes"
        )


def computing(hardware: Hardware, name: str | None, kernel: Kernel) -> tuple[Instruction, ...]:
    """The machine's computing instructions, or the one of this name, possibly made for the kernel.

    Raises HardwareError if the machine has none, UnknownNameError for an unknown name.
    """
    from isamap_smt.mapping.made import instruction_named
    from isamap_smt.mapping.selection import SELECTED

    if not hardware.computes:
        raise HardwareError(f"{hardware.name} has no instruction that computes; describe one, or use `host`")
    if name is None:
        return hardware.computes
    short = name.removeprefix(f"{hardware.name}.")
    known = [i.short for i in hardware.computes]
    if short == SELECTED and short not in known:
        return (instruction_named(hardware, name, kernel, kernel.main),)
    if short not in known and name not in [i.name for i in hardware.computes]:
        raise UnknownNameError(
            f"--instruction {name}: {hardware.name} computes with no such one; {did_you_mean(short, known)}"
        )
    return (hardware.instruction(name if name in [i.name for i in hardware.computes] else short),)


def _types(kernel: Kernel) -> str:
    return " ".join(f"{t.name}:{t.dtype}" for t in kernel.tensors)
