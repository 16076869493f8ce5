"""Functions of elements, as kernel text: those of ONNX's operators and of the builder."""

from __future__ import annotations

# ONNX's name -> its value, x being the element
UNARY = {
    "Abs": "abs({x})",
    "Acos": "acos({x})",
    "Acosh": "acosh({x})",
    "Asin": "asin({x})",
    "Asinh": "asinh({x})",
    "Atan": "atan({x})",
    "Atanh": "atanh({x})",
    "Ceil": "ceil({x})",
    "Cos": "cos({x})",
    "Cosh": "cosh({x})",
    "Erf": "erf({x})",
    "Exp": "exp({x})",
    "Floor": "floor({x})",
    "HardSwish": "{x} * max(0, min(1, {x} / 6 + 0.5))",
    "Identity": "{x}",
    "Log": "log({x})",
    "Mish": "{x} * tanh(max({x}, 0) + log(1 + exp(-abs({x}))))",
    "Neg": "-{x}",
    "Reciprocal": "1 / {x}",
    "Relu": "relu({x})",
    "Round": "rint({x})",
    "Sigmoid": "sigmoid({x})",
    "Sign": "select({x} > 0, 1, select({x} < 0, -1, {x} * 0))",
    "Sin": "sin({x})",
    "Sinh": "sinh({x})",
    "Softplus": "max({x}, 0) + log(1 + exp(-abs({x})))",
    "Softsign": "{x} / (1 + abs({x}))",
    "Sqrt": "sqrt({x})",
    "Tan": "tan({x})",
    "Tanh": "tanh({x})",
}
GELU = "0.5 * {x} * (1 + erf({x} * 0.7071067811865476))"  # x times the normal distribution's share below x
FAST_GELU = "0.5 * {x} * (1 + tanh(0.7978845608028654 * ({x} + 0.044715 * {x} * {x} * {x})))"
SILU = "{x} * sigmoid({x})"
# ONNX's name -> its value of two
BINARY = {
    "Add": "{x} + {y}",
    "BitwiseAnd": "{x} & {y}",
    "BitwiseOr": "{x} | {y}",
    "BitwiseXor": "{x} ^ {y}",
    "Mul": "{x} * {y}",
    "Max": "max({x}, {y})",
    "Min": "min({x}, {y})",
    "PRelu": "select({x} < 0, {y} * {x}, {x})",
    "Sub": "{x} - {y}",
}
# ... -> what is asked of two
COMPARING = {
    "Equal": "{x} == {y}", "Greater": "{x} > {y}", "GreaterOrEqual": "{x} >= {y}", "Less": "{x} < {y}", "LessOrEqual": "{x} <= {y}",
}  # fmt: skip
# ... -> a truth value of two
LOGICAL = {"And": "{x} & {y}", "Or": "{x} | {y}", "Xor": "{x} ^ {y}"}
# ... -> (reduction, each element, what is made of the result; N is the number of elements)
REDUCED = {
    "ReduceSum": ("+=", "{x}", "{x}"),
    "ReduceMean": ("+=", "{x}", "{x} / {N}"),
    "ReduceProd": ("*=", "{x}", "{x}"),
    "ReduceMax": ("max=", "{x}", "{x}"),
    "ReduceMin": ("min=", "{x}", "{x}"),
    "ReduceL1": ("+=", "abs({x})", "{x}"),
    "ReduceL2": ("+=", "{x} * {x}", "sqrt({x})"),
    "ReduceSumSquare": ("+=", "{x} * {x}", "{x}"),
    "ReduceLogSum": ("+=", "{x}", "log({x})"),
}
