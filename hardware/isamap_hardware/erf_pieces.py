"""The steps of erf common to registers of every width: its coefficients by piece, and the polynomial.

They are those of isamap's own sequence; benchmarks/accuracy.py would find an argument with other bits.
"""

from __future__ import annotations

#: of d^6 to d, and the constant one, each for eight pieces
COEFFICIENTS = (
    "-0.01973985f, -0.04736945f, 0.010070654f, 0.015433744f, -0.0026044883f, -0.0009289727f, 0.00012368936f, -0.0031439958f",
    "0.11829749f, -0.001003943f, -0.06477484f, -0.005639862f, 0.012346839f, 0.0038596748f, 0.00044387832f, 3.5722216e-05f",
    "-0.0006835841f, 0.18345016f, 0.04798649f, -0.049153272f, -0.026260858f, -0.0049141855f, -0.00045520838f, 0.000283991f",
    "-0.37608963f, -0.12356942f, 0.15294212f, 0.121046394f, 0.033039637f, 0.0042528175f, 0.00028086524f, 9.6885415e-06f",
    "-6.059273e-07f, -0.4520475f, -0.38771006f, -0.14182404f, -0.02622723f, -0.0025817147f, -0.00013761412f, -1.1322117e-05f",
    "0.12837917f, 0.8509142f, 0.3649033f, 0.088987604f, 0.01234082f, 0.000973238f, 4.3647076e-05f, 1.1131215e-06f",
)
CONSTANT = "0.0f, 0.54752845f, 0.8670583f, 0.9757977f, 0.997346f, 0.9998277f, 0.99999344f, 0.9999999f"


def pieces(c_type: str, piece: str, fused: str) -> tuple[str, ...]:
    """Steps to p, the polynomial of the piece k at d. piece: C to choose by k among eight numbers; its form with _or
    takes d first, in place of the first number. fused: C of a b + c."""
    first, *more = COEFFICIENTS
    steps = [f"{c_type} p = {piece}(k, {first});"]
    steps += [f"p = {fused}(p, d, {piece}(k, {row}));" for row in more]
    return (*steps, f"p = {fused}(p, d, {piece}_or(d, k, {CONSTANT}));")
