"""Steps fused: an elementwise operator joins its operand's step, and a part joins the step that puts a result together.

Nothing without a reader is computed.
"""

from __future__ import annotations

from dataclasses import replace

from isamap_smt.ir.expr import elements
from isamap_smt.ir.indirect import by_data
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.scalar import Read
from isamap_smt.networks.graph import AnyStep, Network, Step
from isamap_smt.networks.kernels import canonical, joined, named, plain_target, reads_once, without

MOST_STATEMENTS = 12  # of one kernel: a longer one takes longer to plan than it gains


def fused(network: Network) -> Network:
    """The network with fewer kernels."""
    steps = _trimmed(network)
    for waiting in (True, False):
        changed = True
        while changed:
            steps, changed = _once(network, steps, waiting)
    return replace(network, steps=tuple(_canonical(s) for s in steps)).needed()


def _trimmed(network: Network) -> list[AnyStep]:
    """Without results nobody reads."""
    read = {n for s in network.steps for n in s.sources} | {*network.outputs}
    made: list[AnyStep] = []
    for step in network.steps:
        gone = [t for t, v in step.writes if v not in read] if isinstance(step, Step) else []
        if not isinstance(step, Step) or not gone:
            made.append(step)
        else:
            kernel = without(step.kernel, gone)
            kept = tuple((t, v) for t, v in step.reads if t in kernel.inputs)
            written = tuple((t, v) for t, v in step.writes if t not in gone)
            made.append(replace(step, kernel=kernel, reads=kept, writes=written))
    return made


def _canonical(step: AnyStep) -> AnyStep:
    if not isinstance(step, Step):
        return step
    kernel, table = canonical(step.kernel)
    reads = {table[t]: v for t, v in step.reads}
    writes = {table[t]: v for t, v in step.writes}
    return replace(
        step,
        kernel=kernel,
        reads=tuple((t, reads[t]) for t in kernel.inputs),
        writes=tuple((t, writes[t]) for t in kernel.results),
    )


def _once(network: Network, steps: list[AnyStep], waiting: bool) -> tuple[list[AnyStep], bool]:
    """One pass: each step takes in the producer of an operand, if it may.

    waiting: a step that widens elements is left to its reader, so that narrow ones stand between the two.
    """
    writer = {n: k for k, s in enumerate(steps) for n in s.results}
    count: dict[str, int] = {}
    for s in steps:
        for n in s.sources:
            count[n] = count.get(n, 0) + 1
    readers = {n: s for s in steps for n in s.sources}
    gone: set[int] = set()
    made: dict[int, Step] = {}
    for k, step in enumerate(steps):
        if not isinstance(step, Step) or (waiting and _is_left(network, step, count, readers)):
            continue
        taken = _read_in_place if _of_elements(step.kernel) else _is_a_part
        producers = [
            (writer[v], v) for t, v in step.reads
            if v in writer and count[v] == 1 and v not in network.outputs
            and (taken(step.kernel, t) or _goes_into(steps[writer[v]], step.kernel, t))
        ]  # fmt: skip
        for number, value in sorted(producers, reverse=True):
            producer = made.get(number, steps[number])
            if number in gone or not isinstance(producer, Step) or not _takes_more(producer):
                continue
            if len(producer.kernel.statements) + len(step.kernel.statements) > MOST_STATEMENTS:
                continue
            made[k] = _joined(producer, step, value)
            gone.add(number)
            break
    kept = [made.get(k, s) for k, s in enumerate(steps) if k not in gone]
    return kept, bool(gone)


def _is_left(network: Network, step: Step, count: dict[str, int], readers: dict[str, AnyStep]) -> bool:
    """Whether an elementwise step widens its elements, and its only reader may take it in."""
    ((_, made), *more) = step.writes
    reader = readers.get(made)
    if more or count.get(made) != 1 or made in network.outputs or not isinstance(reader, Step):
        return False
    if not _of_elements(step.kernel) or not any(_is_wider(network, made, v) for _, v in step.reads):
        return False
    tensor, *again = (t for t, v in reader.reads if v == made)
    if again:
        return False
    if _of_elements(reader.kernel) and _read_in_place(reader.kernel, tensor):
        return True
    return _goes_into(step, reader.kernel, tensor)


def _is_wider(network: Network, made: str, read: str) -> bool:
    """Whether the value made takes more bytes than the value read, of the same shape."""
    new, old = network.values[made], network.values[read]
    return new.shape == old.shape and new.dtype.bits > old.dtype.bits


def _of_elements(kernel: Kernel) -> bool:
    """Whether it is one unguarded assignment, computing each element from others at the same place."""
    (s, *more) = kernel.statements
    axes = plain_target(s)
    return (
        not more
        and s.op == "="
        and not s.guard
        and axes is not None
        and {a.name for a in s.axes} == {a for a in axes if a}
    )


def _read_in_place(kernel: Kernel, tensor: str) -> bool:
    """Whether the tensor is read at the place written, and has the result's shape."""
    s = kernel.statements[0]
    shape = kernel.tensor(s.target.tensor).shape
    alike = [
        all(i == t or n == 1 for i, t, n in zip(a.index, s.target.index, shape, strict=True))
        for a in s.inputs
        if a.tensor == tensor and len(a.index) == len(shape)
    ]
    reads = sum(a.tensor == tensor for a in s.inputs)
    if any(e.tensor == tensor for a in s.inputs for e in elements(a.index)):
        return False  # an index is looked at before anything is computed
    return reads == len(alike) and all(alike) and kernel.tensor(tensor).shape == shape


def _goes_into(producer: AnyStep, kernel: Kernel, tensor: str) -> bool:
    """Whether an elementwise producer may join its result's one reader: an assignment reading it in place."""
    readers = [s for s in kernel.statements if any(a.tensor == tensor for a in s.inputs)]
    if not isinstance(producer, Step) or not _of_elements(producer.kernel) or len(readers) != 1 or kernel.recurrences:
        return False
    alone = replace(kernel, statements=(readers[0],))
    return _of_elements(alone) and _read_in_place(alone, tensor)


def _is_a_part(kernel: Kernel, tensor: str) -> bool:
    """Whether the tensor is one part of a result made up by assignments.

    One statement alone reads it, each element once, and puts it into its place.
    """
    readers = [s for s in kernel.statements if any(a.tensor == tensor for a in s.inputs)]
    if len(readers) != 1 or len(kernel.results) != 1 or kernel.recurrences:
        return False
    written = [s for s in kernel.statements if s.target.tensor == kernel.results[0]]
    (s,) = readers
    if s not in written or any(x.op != "=" or x.guard or by_data(x) for x in written):
        return False
    extents = {a.name: a.extent for a in s.axes}
    return (
        isinstance(s.value, Read)
        and s.value.tensor == tensor
        and reads_once(s, tensor)
        and all(i == 0 or extents[i.name] == n for i, n in zip(s.value.index, kernel.tensor(tensor).shape, strict=True))
    )


def _takes_more(producer: Step) -> bool:
    """Whether another statement may follow: not after a recurrence, several results, or a result written in parts."""
    kernel = producer.kernel
    if kernel.recurrences or len(producer.writes) > 1:
        return False
    writers = [s for s in kernel.statements if s.target.tensor == producer.writes[0][0]]
    return len(writers) == 1 and plain_target(writers[0]) is not None


def _joined(producer: Step, consumer: Step, value: str) -> Step:
    """Both as one step, at the consumer's place."""
    names: dict[str, str] = {}
    for _, v in (*producer.reads, *producer.writes, *consumer.reads, *consumer.writes):
        names.setdefault(v, f"v{len(names)}")
    own = {n: f"p_{n}" for n in producer.kernel.temporaries} | {
        t: names[v] for t, v in (*producer.reads, *producer.writes)
    }
    theirs = {n: f"c_{n}" for n in consumer.kernel.temporaries} | {
        t: names[v] for t, v in (*consumer.reads, *consumer.writes)
    }
    first, second = named(producer.kernel, own), named(consumer.kernel, theirs)
    kernel = joined(first, second, names[value])
    values = {t: v for v, t in names.items()}
    reads = tuple((t, values[t]) for t in kernel.inputs)
    writes = tuple((t, values[t]) for t in kernel.results)
    return Step(f"{producer.node}, {consumer.node}", kernel, reads, writes)
