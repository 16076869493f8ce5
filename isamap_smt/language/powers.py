"""Powers with a constant exponent, written out as products, quotients and roots before a value is read.

x ** 3 is x * x * x, from the left; x ** -2 is 1 / (x * x); x ** 0.5 is sqrt(x) and x ** -0.5 is rsqrt(x).
"""

from __future__ import annotations

import ast
import copy

from isamap_smt.language.lines import Tree

MOST = 16  # the largest exponent
LARGEST = 4096  # parts of a value that is multiplied by itself
_ROOTS = {0.5: "sqrt", -0.5: "rsqrt"}


def powers_written_out(tree: Tree) -> Tree:
    """The same value without `**`. Raises LanguageError for an exponent that is not constant, or is none of these."""
    if not any(isinstance(n, ast.Pow) for n in ast.walk(tree.node)):
        return tree
    return Tree(tree.segment, _Powers(tree).visit(copy.deepcopy(tree.node)))


class _Powers(ast.NodeTransformer):
    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return node  # an index has no powers

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Pow):
            return node
        exponent, base = self._exponent(node), node.left
        if exponent in _ROOTS:
            return ast.copy_location(ast.Call(ast.Name(_ROOTS[exponent], ast.Load()), [base], []), node)
        count = int(abs(exponent))
        if count * sum(1 for _ in ast.walk(base)) > LARGEST:
            raise self.tree.error(
                node, "this power is too long when it is written out", "assign its base to a tensor first"
            )
        made = base
        for _ in range(count - 1):
            made = ast.copy_location(ast.BinOp(made, ast.Mult(), base), node)
        if exponent < 0:
            made = ast.copy_location(ast.BinOp(ast.copy_location(ast.Constant(1), node), ast.Div(), made), node)
        return made

    def _exponent(self, node: ast.BinOp) -> float:
        sign, written = 1, node.right
        while isinstance(written, ast.UnaryOp) and isinstance(written.op, ast.USub | ast.UAdd):
            sign, written = (-sign if isinstance(written.op, ast.USub) else sign), written.operand
        value = written.value if isinstance(written, ast.Constant) else None
        if not isinstance(value, int | float) or isinstance(value, bool):
            hint = "write exp(y * log(x)) for x to the power of y, where x is positive"
            raise self.tree.error(node.right, "the exponent of ** is no constant", hint)
        found = sign * value
        if found not in _ROOTS and not (type(found) is int and 1 <= abs(found) <= MOST):
            instead = f"exp({found} * log(x))" if found else "1"
            hint = f"an exponent is a whole number from 1 to {MOST}, its negative, 0.5 or -0.5; write {instead}"
            raise self.tree.error(node.right, f"** {found} has no meaning of its own", hint)
        return float(found)


__all__ = ["powers_written_out"]
