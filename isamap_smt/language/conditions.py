"""Conditions written out as choices by one comparison each, before a value is read.

select(a and b, x, y) is select(a, select(b, x, y), y), `or` is alike, and `not` takes the two results the other way
round: so a comparison with NaN stays false. A condition used as a value chooses 1 or 0, and a value used as a
condition is compared with 0.
"""

from __future__ import annotations

import ast
import copy

from isamap_smt.language.lines import Tree

MOST = 64  # choices that one condition may become


def conditions_written_out(tree: Tree) -> Tree:
    """The same value, with one comparison as the first argument of each select, and no comparison elsewhere.

    Raises LanguageError if a condition becomes too many.
    """
    if not any(map(_is_choice, ast.walk(tree.node))):
        return tree
    return Tree(tree.segment, _Conditions(tree).visit(copy.deepcopy(tree.node)))


def _is_choice(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "select"
    return isinstance(node, ast.Compare | ast.BoolOp | ast.Not)


class _Conditions(ast.NodeTransformer):
    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return node  # an index has no conditions

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if not (isinstance(node.func, ast.Name) and node.func.id == "select" and len(node.args) == 3):
            self.generic_visit(node)
            return node
        condition, yes, no = node.args[0], *(self.visit(a) for a in node.args[1:])
        return self._choice(condition, yes, no, node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        return self._choice(node, _number(1, node), _number(0, node), node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        return self._choice(node, _number(1, node), _number(0, node), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        if isinstance(node.op, ast.Not):
            return self._choice(node, _number(1, node), _number(0, node), node)
        self.generic_visit(node)
        return node

    def _choice(self, condition: ast.expr, yes: ast.expr, no: ast.expr, at: ast.expr) -> ast.expr:
        """The result of the choice; errors are told at `at`."""
        if (count := _choices(condition)) > MOST:
            hint = "assign a part of it to a temporary first"
            raise self.tree.error(condition, f"this condition becomes {count} choices, and {MOST} are the most", hint)
        return self._chosen(condition, yes, no, at)

    def _chosen(self, node: ast.expr, yes: ast.expr, no: ast.expr, at: ast.expr) -> ast.expr:
        match node:
            case ast.BoolOp(op=op, values=parts):
                for part in reversed(parts):
                    found = self._chosen(part, yes, no, at)
                    yes, no = (found, no) if isinstance(op, ast.And) else (yes, found)
                return yes if isinstance(op, ast.And) else no
            case ast.UnaryOp(op=ast.Not(), operand=x):
                return self._chosen(x, no, yes, at)
            case ast.Compare(left=left, ops=ops, comparators=rights):
                sides = [self.visit(s) for s in (left, *rights)]
                for n in reversed(range(len(ops))):
                    compared = ast.Compare(sides[n], [ops[n]], [sides[n + 1]])
                    yes = _select(ast.copy_location(compared, node), yes, no, at)
                return yes
            case ast.Constant():
                raise self.tree.error(node, "a condition compares values", "write select(a < b, x, y)")
        zero = ast.Compare(self.visit(node), [ast.NotEq()], [_number(0, node)])
        return _select(ast.copy_location(zero, node), yes, no, at)


def _choices(node: ast.expr, yes: int = 0, no: int = 0) -> int:
    """How many choices a condition becomes, given how many its results have."""
    match node:
        case ast.BoolOp(op=op, values=parts):
            for part in reversed(parts):
                found = _choices(part, yes, no)
                yes, no = (found, no) if isinstance(op, ast.And) else (yes, found)
            return yes if isinstance(op, ast.And) else no
        case ast.UnaryOp(op=ast.Not(), operand=x):
            return _choices(x, no, yes)
        case ast.Compare(ops=ops):
            return yes + len(ops) * (no + 1)
    return yes + no + 1


def _number(value: int, at: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Constant(value), at)


def _select(condition: ast.expr, yes: ast.expr, no: ast.expr, at: ast.expr) -> ast.expr:
    call = ast.Call(ast.copy_location(ast.Name("select", ast.Load()), at), [condition, yes, no], [])
    return ast.copy_location(call, at)


__all__ = ["conditions_written_out"]
