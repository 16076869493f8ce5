"""The command group, and the single mapping of exceptions to exit statuses.

0    done; for `prove`, `equal`: every obligation is proved; for `proofs check`: every certificate is ok
1    `prove`, `equal`, `check-isa`: refuted; `proofs check`: broken, stale or damaged
2    `prove`, `equal`, `check-isa`, `proofs check`: unknown; `map`: the time was over; `check-hardware`: an instruction did not run
3    misuse: wrong usage, and every IsamapError
4    a fault of isamap itself (a traceback is printed); `bench`, `tune`: nothing ran, or all of it was wrong
5    an instruction does something else than its description says: `check-hardware`, and whatever compiles for such a machine
6    `run`, `report`, `demo`: a result is wrong
130  interrupted
"""

from __future__ import annotations

import gc
import importlib
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import click

from isamap_smt.cli.interrupt import end_with_reader, take_interrupts
from isamap_smt.cli.output import print_json, say
from isamap_smt.cli.status import FAULT, INTERRUPTED, MISUSE
from isamap_smt.ir.errors import IsamapError, did_you_mean

# command -> module that defines it; loaded when it is used, so that `isamap --help` answers at once
COMMANDS = {
    "list": ("list_things", "What is there: kernels, hardware or instructions."),
    "map": ("map_kernel", "Find every legal mapping of a kernel onto an instruction, each one proved."),
    "prove": ("prove_mapping", "Prove or refute one mapping, for all sizes that are not given."),
    "why": ("why", "What forbids mappings, and the smallest changes of an instruction that admit them."),
    "equal": ("equal_kernels", "Prove or refute that two kernels compute the same, for all sizes."),
    "schedule": ("schedule_kernel", "Choose tiles, loop order, registers and packing, with the gap to the optimum."),
    "compile": ("compile_kernel", "Write C, a header, the proofs and a report into a directory."),
    "run": ("run_kernel", "Compile, run on random arrays, compare with the reference, and time it."),
    "report": ("report_kernel", "Write one self-contained HTML page about a kernel on a machine."),
    "table": ("table", "Many kernels on many machines: mappings, cycles, or why there are none."),
    "sweep": ("sweep", "A machine's parameters: cycles, cost, and what no other choice beats."),
    "check-hardware": (
        "check_hardware",
        "Run every instruction of a machine, and compare with what its description says.",
    ),
    "check-isa": ("check_isa", "Prove or refute that the C of other people's instructions does what their text says."),
    "calibrate": ("calibrate", "Measure this machine, once: schedules are then priced with what it can do."),
    "tune": ("tune", "Try schedules of a kernel on this machine, keep the fastest, and use it from then on."),
    "proofs": ("proofs", "Write, check and explain the certificates of proofs."),
    "bench": ("bench", "Measure kernels against numpy, torch, oneDNN, onnxruntime, Exo and libxsmm."),
    "demo": ("demo", "Map, prove, schedule and run three kernels at real sizes, and simulate one for engines."),
}


class Commands(click.Group):
    """Loads each command's module on first use, and lists near matches of an unknown one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of a kernel's way to code."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command with this name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"isamap_smt.cli.{COMMANDS[cmd_name][0]}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click's, with near matches."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            raise click.UsageError(f"no such command {name!r}; {did_you_mean(name, COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table of commands, without loading any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])


_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True}


@click.group(cls=Commands, context_settings=_SETTINGS)
@click.version_option(package_name="isamap-smt", prog_name="isamap")
def app() -> None:
    """Find every legal way to compute a kernel with an instruction, prove it, schedule it, and emit C.

    KERNEL is a name (`isamap list kernels`) or file.py:name, and is left out when --text gives the kernel.
    INSTRUCTION is hardware.instruction or file.py:name. HARDWARE is a name, `host`, or file.py:name.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its status."""
    end_with_reader()
    take_interrupts()
    status = run(sys.argv[1:] if arguments is None else list(arguments))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command is over, and has its status
    if status == INTERRUPTED:
        # Everything is put away by now. An orderly exit would run the solvers' own handlers, which sometimes send the
        # signal again when nobody is left to take it, and the status would be the signal's.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    gc.freeze()  # Python's last collection would go over all that was imported, a fifth of a short command's time
    sys.exit(status)


def run(arguments: Sequence[str]) -> int:
    """Run the command line; returns the exit status and never raises."""
    try:
        status = app.main(list(arguments), prog_name="isamap", standalone_mode=False)
        return status if isinstance(status, int) else 0
    except click.UsageError as error:
        if isinstance(error, click.MissingParameter) and isinstance(error.param, click.Option):
            words = f"Write {error.param.opts[-1]} {error.param.metavar or '...'}: {error.param.help}"
            error = click.MissingParameter(words, error.ctx, error.param)
        error.show(sys.stderr)
        return _failed(arguments, error.format_message(), MISUSE)
    except (KeyboardInterrupt, click.Abort):
        say("interrupted")
        return _failed(arguments, "interrupted", INTERRUPTED)
    except (IsamapError, click.ClickException) as error:
        text = error.format_message() if isinstance(error, click.ClickException) else error.option or str(error)
        say(f"error: {text}")
        return _failed(arguments, text, error.code if isinstance(error, IsamapError) else MISUSE)
    except MemoryError as error:
        text = (
            f"there is too little memory ({error}); give smaller sizes" if str(error) else "there is too little memory"
        )
        say(f"error: {text}")
        return _failed(arguments, text, MISUSE)
    except Exception as error:
        traceback.print_exc()
        say("This is a fault of isamap, not of your input; please report it with the lines above.")
        return _failed(arguments, f"{type(error).__name__}: {error}", FAULT)


def _failed(arguments: Sequence[str], text: str, status: int) -> int:
    """The status; with --json the text is on standard output too, so a caller always reads JSON there."""
    if "--json" in arguments:
        document: dict[str, Any] = {"error": text}
        print_json(document)
    return status
