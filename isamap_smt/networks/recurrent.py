"""Layers of recurrent networks: all time steps in one kernel, with the products of the inputs ahead of them.

Of whoever reads a model: ONNX and torch differ in the order of the gates, and in which forms there are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from isamap_smt.networks.graph import Graph, Var

Function = Callable[[str], str]
LSTM, GRU, RNN = (
    ("input", "output", "forget", "cell"),
    ("update", "reset", "new"),
    ("new",),
)  # gates, as kernels count them


@dataclass(frozen=True)
class Cell:
    """One direction of a layer.

    x: [time, batch, width]. weights: [gates, hidden, width]. inner: [gates, hidden, states]. biases: [2, gates, hidden].
    first: [batch, states], memory: [batch, hidden], before the first time step. order: where each gate lies along
    `gates`. functions: of the gates and of the memory, texts of texts. peepholes: [3, hidden]. projection: [states,
    hidden], where an LSTM has fewer states than hidden units. reverse: the last time step comes first.
    """

    graph: Graph
    x: Var
    weights: Var
    inner: Var
    biases: Var
    first: Var
    functions: tuple[Function, ...]
    order: tuple[int, ...]
    reverse: bool
    memory: Var | None = None
    peepholes: Var | None = None
    projection: Var | None = None

    @property
    def hidden(self) -> int:
        """How many hidden units there are."""
        return self.inner.shape[1]

    @property
    def width(self) -> int:
        """How many numbers a state has."""
        return self.inner.shape[2]

    @property
    def each(self) -> str:
        """The shape of a value of each time step, as a text has it."""
        return f"{self.x.shape[0]},{self.x.shape[1]},{self.hidden}"

    def states(self, width: int) -> str:
        """The shape of the states, including the one before the first step."""
        return f"{self.x.shape[0] + 1},{self.x.shape[1]},{width}"

    @property
    def reads(self) -> dict[str, Var]:
        """The tensors read by every cell."""
        return {"X": self.x, "W": self.weights, "U": self.inner, "B": self.biases, "F": self.first}

    def biases_of(self, gate: int) -> tuple[str, str]:
        """The biases of a gate beside the input, and beside the state."""
        n = self.order[gate]
        return f"B[0,{n},j]", f"B[1,{n},j]"

    def of_inputs(self) -> list[str]:
        """The products of the inputs, one statement for each gate."""
        names = [f"G{n}" for n in range(len(self.order))] if len(self.order) > 1 else ["G"]
        return [f"{name}[t,b,j] += X[{{here}},b,c] * W[{n},j,c]" for name, n in zip(names, self.order, strict=True)]

    def of_states(self, gate: int, state: str = "H") -> str:
        """The product of the state for a gate."""
        name = f"R{gate}" if len(self.order) > 1 else "R"
        return f"  {name}[t,b,j] += {state}[t,b,k] * U[{self.order[gate]},j,k]"


def _step(c: Cell, reads: dict[str, Var], lines: list[str], temporaries: dict[str, str]) -> list[Var]:
    """The layer's results: all states, the last one, and of an LSTM the last memory."""
    d, steps, held = c.x.dtype, c.x.shape[0], c.memory is not None
    here = f"{steps - 1}-t" if c.reverse else "t"
    head = [f"temporary {', '.join(temporaries)}", *(f"{n}: {d}[{s}]" for n, s in temporaries.items())]
    j = "j" if c.projection is None else "k"
    ends = [
        f"Y[{here},b,{j}] = H[t+1,b,{j}]",
        f"L[b,{j}] = H[{steps},b,{j}]",
        *([f"Z[b,j] = C[{steps},b,j]"] if held else []),
    ]
    text = "\n".join([*head, *lines, *ends]).replace("{here}", here)
    shape = (steps, c.x.shape[1], c.width)
    writes = {"Y": (d, shape), "L": (d, shape[1:])} | ({"Z": (d, (c.x.shape[1], c.hidden))} if held else {})
    axes = {"t": steps, "b": shape[1], "c": c.x.shape[2], "j": c.hidden, "k": c.width}
    return list(c.graph.step(text, reads, writes, axes))


def rnn(c: Cell) -> list[Var]:
    """A layer of one gate: all states, and the last one."""
    (f,) = c.functions
    ahead, behind = c.biases_of(0)
    lines = [
        *c.of_inputs(),
        "H[0,b,j] = F[b,j]",
        "for t:",
        c.of_states(0),
        f"  H[t+1,b,j] = {f(f'G[t,b,j] + R[t,b,j] + {ahead} + {behind}')}",
    ]
    return _step(c, c.reads, lines, {"G": c.each, "R": c.each, "H": c.states(c.width)})


def gru(c: Cell, ahead: bool) -> list[Var]:
    """A layer of gated units: all states, and the last one. ahead: the state is multiplied before it is reset."""
    f, h = c.functions
    lines = [*c.of_inputs(), "H[0,b,j] = F[b,j]", "for t:", c.of_states(0), c.of_states(1)]
    for n in (0, 1):
        lines += [f"  Q{n}[t,b,j] = {f(' + '.join((f'G{n}[t,b,j]', f'R{n}[t,b,j]', *c.biases_of(n))))}"]
    beside, behind = c.biases_of(2)
    if ahead:
        lines += [c.of_states(2)]
        inside = f"G2[t,b,j] + {beside} + Q1[t,b,j] * (R2[t,b,j] + {behind})"
    else:
        lines += ["  V[t,b,j] = Q1[t,b,j] * H[t,b,j]", c.of_states(2, "V")]
        inside = f"G2[t,b,j] + R2[t,b,j] + {beside} + {behind}"
    lines += [f"  H[t+1,b,j] = (1 - Q0[t,b,j]) * {h(inside)} + Q0[t,b,j] * H[t,b,j]"]
    names = ("G0", "G1", "G2", "R0", "R1", "R2", "Q0", "Q1", *([] if ahead else ["V"]))
    return _step(c, c.reads, lines, {**dict.fromkeys(names, c.each), "H": c.states(c.width)})


def lstm(c: Cell, coupled: bool = False) -> list[Var]:
    """A layer with a memory: all states, the last one, and the last memory. coupled: what is not taken in is forgotten."""
    assert c.memory is not None
    f, g, h = c.functions
    first = "H[0,b,j] = F[b,j]" if c.projection is None else "H[0,b,k] = F[b,k]"
    lines = [*c.of_inputs(), first, "C[0,b,j] = M[b,j]", "for t:", *(c.of_states(n) for n in range(4))]

    def gate(n: int, at: str = "") -> str:
        peep = (f"P[{n},j] * C[{at},b,j]",) if c.peepholes is not None and at else ()
        return " + ".join((f"G{n}[t,b,j]", f"R{n}[t,b,j]", *c.biases_of(n), *peep))

    forgotten = "(1 - Q[t,b,j])" if coupled else f(gate(2, "t"))
    lines += [f"  Q[t,b,j] = {f(gate(0, 't'))}"]
    lines += [f"  C[t+1,b,j] = {forgotten} * C[t,b,j] + Q[t,b,j] * {g(gate(3))}"]
    out = f"{f(gate(1, 't+1'))} * {h('C[t+1,b,j]')}"
    temporaries = dict.fromkeys(("G0", "G1", "G2", "G3", "R0", "R1", "R2", "R3", "Q"), c.each)
    if c.projection is None:
        lines += [f"  H[t+1,b,j] = {out}"]
    else:
        lines += [f"  V[t,b,j] = {out}", "  S[t,b,k] += V[t,b,j] * T[k,j]", "  H[t+1,b,k] = S[t,b,k]"]
        temporaries |= {"V": c.each, "S": f"{c.x.shape[0]},{c.x.shape[1]},{c.width}"}
    temporaries |= {"H": c.states(c.width), "C": c.states(c.hidden)}
    more = {"M": c.memory, "P": c.peepholes, "T": c.projection}
    return _step(c, c.reads | {n: v for n, v in more.items() if v is not None}, lines, temporaries)
