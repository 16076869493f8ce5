"""Another process that compiles and runs cases for the fuzzer: it may die without taking the fuzzer along.

    python -m tests.oracle.worker

reads one JSON document a line, {"case": ..., "arrays": ...}, and answers each with one: what was refused or raised, at which
stage, what the plan notes, and what the interpreter and the machine code computed.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

from tests.oracle import guards


def main() -> None:
    """Answer until the input ends. What else is printed goes to standard error."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if planted := os.environ.get("ISAMAP_PLANTED"):
        from tests.oracle.planted import PLANTED

        PLANTED[planted]()
    guards.watch()
    for line in sys.stdin:
        document = json.loads(line)
        answers.write(json.dumps(answer(document["case"], document["arrays"])) + "\n")
        answers.flush()


def answer(case: dict[str, Any], arrays: dict[str, Any]) -> dict[str, Any]:
    """Everything that happened. A refusal at one stage leaves out the later ones."""
    from isamap_smt.ir.errors import IsamapError

    found: dict[str, Any] = {"stage": "", "shapes": {}, "seconds": {}}

    def step(name: str, work: Callable[[], Any]) -> Any:
        found["stage"] = name
        started = time.perf_counter()
        try:
            return work()
        finally:
            found["seconds"][name] = round(time.perf_counter() - started, 3)

    try:
        _steps(case, arrays, found, step)
        found["stage"] = "done"
    except (IsamapError, MemoryError) as error:
        found |= {"error": type(error).__name__, "refused": isinstance(error, IsamapError), "said": str(error)}
    except Exception as error:
        lines = traceback.format_exception(error)
        found |= {"error": type(error).__name__, "refused": False, "said": "".join(lines)[-3000:]}
    return found


def _steps(case: dict[str, Any], arrays: dict[str, Any], found: dict[str, Any], step: Callable[..., Any]) -> None:
    import isamap_smt as im
    from isamap_smt.ir.interpret import reference, run_kernel

    os.environ["ISAMAP_CC"] = case["compiler"] or "zig"
    kernel = step("language", lambda: im.kernel(case["text"], dtypes=case["dtypes"]))
    again = step("text", lambda: im.kernel(im.to_text(kernel)))
    if again.statements != kernel.statements or again.tensors != kernel.tensors:
        raise AssertionError(f"to_text() says something else:\n{im.to_text(kernel)}")
    inputs = {n: _numpy(a) for n, a in arrays["inputs"].items()}
    given = {n: _numpy(a) for n, a in arrays["given"].items()}
    sizes = case["sizes"]
    full = kernel.with_sizes(sizes)
    found["shapes"] = {t.name: [int(e) for e in t.shape] for t in full.tensors}
    if arrays["shapes"] != found["shapes"]:
        return
    found["interpreted"] = _bytes(step("interpreter", lambda: run_kernel(kernel, inputs, given, sizes)))
    step("reference", lambda: reference(kernel, inputs, given, sizes))
    fixed = {n: v for n, v in sizes.items() if n in case["fixed"]}
    options = {"threads": case["threads"], "constant": tuple(case["constant"]), "fix": case["fix"], "timeout": 10.0}
    plan = step("plan", lambda: im.plan(kernel, case["machine"], sizes=fixed, **options))
    found["instruction"] = plan.instruction.name if plan.instruction else "element by element"
    found["notes"] = list(plan.notes)
    compiled = step("build", lambda: im.build(plan))
    found["computed"] = _bytes(step("call", lambda: _called(compiled, case, inputs, given)))
    guards.check()


def _called(compiled: Any, case: dict[str, Any], inputs: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """The outputs of a call, with constants packed ahead. What the call may not touch is compared afterwards."""
    from isamap_smt.ir.errors import SizeError

    before = {n: a.copy() for n, a in inputs.items()}
    sizes = {n: v for n, v in case["sizes"].items() if n in compiled.signature.free_sizes}
    out = {n: _copy(a) for n, a in given.items()}
    held = [n for n in compiled.constants if n in inputs]
    target = compiled.pack(*(inputs[n] for n in held), sizes=sizes) if held else compiled
    left = [inputs[n] for n in compiled.signature.inputs if n not in held]

    def call(known: dict[str, int], arrays: list[Any] = left) -> Any:
        passed = (out if len(out) > 1 else next(iter(out.values()))) if out else None
        return target(*arrays, out=passed, sizes=known, threads=case["call_threads"])

    if case["again"] and not out:
        for _ in range(2):
            stale = call(sizes, [_backwards(a) for a in left])
            for a in stale.values() if isinstance(stale, dict) else [stale]:
                a.reshape(-1).view("u1")[...] = 0x7B
            del a, stale  # this memory comes back in the call that is judged
    try:
        made = call({} if case["infer"] else sizes)
    except SizeError:
        if not case["infer"]:
            raise
        made = call(sizes)
    for n, a in inputs.items():
        if a.tobytes() != before[n].tobytes():
            raise AssertionError(f"the call changed its input {n}")
    names = list(compiled.signature.outputs)
    return made if isinstance(made, dict) else {names[0]: made}


def _backwards(a: Any) -> Any:
    """The same elements, the last first."""
    found = guards.roomy(a.shape, a.dtype)
    found[...] = a.reshape(-1)[::-1].reshape(a.shape)
    return found


def _copy(a: Any) -> Any:
    found = guards.roomy(a.shape, a.dtype)
    found[...] = a
    return found


def _numpy(a: dict[str, Any]) -> Any:
    import numpy as np

    from isamap_smt.ir.dtypes import dtype

    array = guards.roomy(tuple(a["shape"]), dtype(a["kind"]).numpy)
    array[...] = np.frombuffer(base64.b64decode(a["data"]), dtype(a["kind"]).numpy).reshape(a["shape"])
    return array


def _bytes(arrays: dict[str, Any]) -> dict[str, str]:
    import numpy as np

    return {n: base64.b64encode(np.ascontiguousarray(a).tobytes()).decode() for n, a in arrays.items()}


if __name__ == "__main__":
    main()
