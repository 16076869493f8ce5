"""Prints a program as an indented tree, for people who write tests."""
import sys
from pathlib import Path
sys.path.insert(0, str(Path(__file__).parent))
import toys
from isamap_smt.ir.program import Alloc, Copy, Exec, If, Loop, Move


def show(nodes, depth=0):
    for n in nodes:
        pad = "  " * depth
        match n:
            case Loop():
                print(f"{pad}for {n.var} < {n.count} {n.kind} {n.axis}:{n.step}"); show(n.body, depth + 1)
            case If():
                print(f"{pad}if {n.condition}"); show(n.body, depth + 1)
            case Alloc():
                b = n.buffer
                print(f"{pad}alloc {b.name}{list(b.shape)} {b.memory} = {b.type.tensor}{list(b.type.coordinates)} if {b.type.guard} else {b.type.outside}")
            case Copy():
                print(f"{pad}copy {n.dst.name}{list(n.dst.index)} <- {n.src.name}{list(n.src.index)} over {n.over} if {n.guard} else {n.fill!r}")
            case Move():
                print(f"{pad}{n.instruction.short} {n.register.name}{list(n.register.index)} {n.memory.name}{list(n.memory.index)} active {n.active}")
            case Exec():
                print(f"{pad}{n.instruction.short} {[(o, r.name, r.index) for o, r in n.operands]} point {n.point}")
