"""NEON's instructions that compute each lane by itself, as rows for isamap_hardware.lanewise."""

from __future__ import annotations

from isamap_hardware.lanewise import Row


def rows(kind: str, floats: bool) -> tuple[Row, ...]:
    """The rows of f32 or s32 in registers of NEON; its maxima are NaN where either operand is."""
    names = ("add", "sub", "mul", *(("div",) if floats else ()), "max", "min")
    value = {"add": "a[l] + b[l]", "sub": "a[l] - b[l]", "mul": "a[l] * b[l]", "div": "a[l] / b[l]",
             "max": "max(a[l], b[l])", "min": "min(a[l], b[l])"}  # fmt: skip
    single = [("neg", "-a[l]", "neg", 2.0, 2.0), ("abs", "abs(a[l])", "abs", 2.0, 2.0)]
    single += [("sqrt", "sqrt(a[l])", "sqrt", 10.0, 0.2), ("floor", "floor(a[l])", "rndm", 3.0, 2.0)] if floats else []
    single += [("rint", "rint(a[l])", "rndn", 3.0, 2.0)] if floats else []
    zero = "vdupq_n_f32(0.0f)" if floats else "vdupq_n_s32(0)"
    return (
        *(
            (f"v{n}q_{kind}", f"c[l] = {value[n]}", f"{{c}} = v{n}q_{kind}({{a}}, {{b}});", 10.0 if n == "div" else 3.0,
             0.2 if n == "div" else 2.0)
            for n in names
        ),
        *((f"{n}_{kind}", f"c[l] = {of}", f"{{c}} = v{call}q_{kind}({{a}});", late, rate) for n, of, call, late, rate in single),
        (f"relu_{kind}", "c[l] = relu(a[l])", f"{{c}} = vmaxq_{kind}({{a}}, {zero});", 3.0, 2.0),
        (f"at_least_0_{kind}", "c[l] = max(a[l], 0)", f"{{c}} = vmaxq_{kind}({{a}}, {zero});", 3.0, 2.0),
        *(
            (f"{word}_{kind}", f"c[l] = select(a[l] {sign} b[l], x[l], y[l])",
             f"{{c}} = vbslq_{kind}(v{test}q_{kind}({{a}}, {{b}}), {{x}}, {{y}});", 5.0, 1.0)
            for word, sign, test in (("less", "<", "clt"), ("at_most", "<=", "cle"), ("equal", "==", "ceq"))
        ),
    )  # fmt: skip
