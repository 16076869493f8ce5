"""A network's plan: each kernel planned once, and one arena for the values between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from isamap_smt.codegen.c_printer import workspace_bytes
from isamap_smt.codegen.checks import packing_sizes
from isamap_smt.ir.errors import IsamapError, NetworkError
from isamap_smt.ir.expr import symbols_of
from isamap_smt.ir.garbage import seldom_searched
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Kernel
from isamap_smt.networks.graph import ALIGNMENT, Network, Step, View, tensor_bytes
from isamap_smt.networks.layout import Layouts
from isamap_smt.networks.rewrite import rewritten
from isamap_smt.pipeline.plan import Plan, plan
from isamap_smt.scheduling.memory import plan_memory

Progress = Callable[[int, int, str], Any]
EFFORT = 3.0  # of the solver's deterministic seconds for each search: a network has many kernels


@dataclass(frozen=True)
class Question:
    """A kernel to plan once, with the inputs known as constants of the network."""

    kernel: Kernel
    constant: tuple[str, ...]


@dataclass(frozen=True)
class Work:
    """Memory of one step while it runs. temporaries: the start of each in the arena; heap: the start of its buffers."""

    temporaries: tuple[tuple[str, int], ...]
    heap: int


@dataclass(frozen=True)
class NetworkPlan:
    """model: as asked. network: as computed, after fusion. plans: of each kernel.

    places: where values begin in the arena, in bytes. Inputs and outputs are the caller's, and not in it; views share
    the memory of their sources. work: of each computing step, in order. peak: bytes of the arena; bound: no plan needs
    fewer. layouts: of images; None if nothing was rewritten, and of a plan read back.
    """

    model: Network
    network: Network
    plans: dict[Question, Plan]
    places: dict[str, int]
    work: tuple[Work, ...]
    peak: int
    bound: int
    threads: int = 1
    layouts: Layouts | None = None

    def __repr__(self) -> str:
        """Its model, and its memory."""
        kernels = f"{len(self.network.kernels)} kernels by {len(self.plans)} plans"
        return f"NetworkPlan({self.model.name}, {kernels}, {self.peak:,} bytes, {self.bound:,} at least)"

    def question(self, step: Step) -> Question:
        """The planned question of a step."""
        return asked(self.network, step)

    def plan_of(self, step: Step) -> Plan:
        """The plan of a step's kernel."""
        return self.plans[self.question(step)]


def asked(network: Network, step: Step) -> Question:
    """The kernel of a step, and its inputs worth packing.

    These are constants of two dimensions and more, with the same elements read in each call.
    """
    constant = (t for t, v in step.reads if v in network.constants and len(network.values[v].shape) > 1)
    return Question(step.kernel, tuple(t for t in constant if not _reads_as_sizes_say(step.kernel, t)))


def _reads_as_sizes_say(kernel: Kernel, tensor: str) -> bool:
    """Whether the elements read depend on a size."""
    sizes = set(kernel.free_sizes)
    return any(
        symbols_of([*a.index, *(x.extent for x in s.axes if x.name in symbols_of(a.index))]) & sizes
        for s in kernel.statements
        for a in s.inputs
        if a.tensor == tensor
    )


@seldom_searched()
def plan_network(
    network: Network, hardware: Hardware | str = "host", *, threads: int = 1, fuse: bool = True, progress: Progress | None = None,
    **options: Any,
) -> NetworkPlan:  # fmt: skip
    """Fuse, plan each different kernel, and lay out the arena. options: those of plan().

    progress is told how many kernels are planned, of how many, and the name of the next. Raises NetworkError with the node's name.
    """
    made, layouts = rewritten(network, hardware) if fuse else (network, None)
    questions: dict[Question, str] = {}
    for step in made.kernels:
        questions.setdefault(asked(made, step), step.node)
    plans: dict[Question, Plan] = {}
    for number, (question, node) in enumerate(questions.items()):
        if progress is not None:
            progress(number, len(questions), node)
        try:
            plans[question] = _planned(question, hardware, threads=threads, **{"effort": EFFORT, **options})
        except IsamapError as error:
            raise NetworkError(f"{node}: {error}") from error
    places, work, peak, bound = arena(made, [plans[asked(made, s)] for s in made.kernels], threads)
    return NetworkPlan(network, made, plans, places, work, peak, bound, threads, layouts)


def _planned(question: Question, hardware: Hardware | str, **options: Any) -> Plan:
    """The kernel's plan; without packing if its extent varies between calls, as when lanes go over a batch."""
    options = {**options, "reorder": False}  # what is proved of a network is about its steps' own kernels
    made = plan(question.kernel, hardware, constant=question.constant, **options)
    if made.program.kernel.free_sizes and packing_sizes(made.program):
        made = plan(question.kernel, hardware, constant=(), **options)
    return made


def lifetimes(network: Network) -> dict[str, tuple[int, int]]:
    """[begin, end) of each value in the arena, in numbers of steps; a view lives in its source."""
    root, theirs = roots(network), callers(network)
    born: dict[str, int] = {}
    dies: dict[str, int] = {}
    for time, step in enumerate(network.steps):
        if not isinstance(step, View):
            born |= dict.fromkeys(step.results, time)
        for name in (*step.sources, *step.results):
            dies[root[name]] = time + 1
    for name in network.outputs:
        dies[root[name]] = len(network.steps) + 1
    return {n: (b, dies[n]) for n, b in born.items() if n not in theirs}


def callers(network: Network) -> dict[str, str]:
    """Values in the caller's memory, with their names there.

    These are the inputs, and the values behind outputs unless inputs or constants.
    """
    root = roots(network)
    found = {n: n for n in network.inputs}
    for name in network.outputs:
        held = root.get(name, name)
        if held not in found and held not in network.constants:
            found[held] = name
    return found


def roots(network: Network) -> dict[str, str]:
    """For each value the one whose memory it is in."""
    found = {n: n for n in (*network.inputs, *network.constants)}
    for step in network.steps:
        if isinstance(step, View):
            found[step.result] = found.get(step.source, step.source)
        else:
            found |= {n: n for n in step.results}
    return found


def buffers(network: Network, plans: Sequence[Plan], threads: int = 1) -> list[tuple[int, int, int]]:
    """(begin, end, bytes) of everything in the arena, in numbers of steps.

    First values, then each step's temporaries and work space.
    """
    found = [(b, e, network.values[n].bytes) for n, (b, e) in lifetimes(network).items()]
    times = (n for n, s in enumerate(network.steps) if isinstance(s, Step))
    for time, made in zip(times, plans, strict=True):
        sizes = [tensor_bytes(made.program.kernel, n) for n in made.program.kernel.temporaries]
        found += [(time, time + 1, size) for size in (*sizes, workspace_bytes(made.program, threads))]
    return found


def arena(
    network: Network, plans: Sequence[Plan], threads: int = 1
) -> tuple[dict[str, int], tuple[Work, ...], int, int]:
    """The start of each value and of each step's work space, the bytes of the arena, and a lower bound."""
    found = plan_memory(buffers(network, plans, threads), alignment=ALIGNMENT)
    assert found.offsets is not None and found.peak is not None  # there is no capacity
    offsets = iter(found.offsets)
    places = {n: next(offsets) for n in lifetimes(network)}
    work = tuple(
        Work(tuple((t, next(offsets)) for t in made.program.kernel.temporaries), next(offsets)) for made in plans
    )
    return places, work, found.peak, found.bound
