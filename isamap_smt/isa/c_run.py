"""C statements carried out on terms: what a function leaves in its operands, for all that they may hold.

Loops and branches must be decided by constants. What is undefined in C whatever the operands hold raises Fault; what is
undefined for some of them becomes a promise that is asked of the solver.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pycparser import c_ast

from isamap_encodings import bit_terms as bits
from isamap_smt.isa import c_arithmetic as arithmetic
from isamap_smt.isa.c_read import declared, place
from isamap_smt.isa.c_types import INT, VECTORS, CType, pointer
from isamap_smt.isa.c_values import Address, Block, Fault, NoCError, Promises, Result, Unreadable, Value
from isamap_smt.isa.meanings import Meaning, table

# ---- Names of constants that stand in intrinsics' headers.


_COMPARISONS = (
    "EQ_OQ LT_OS LE_OS UNORD_Q NEQ_UQ NLT_US NLE_US ORD_Q EQ_UQ NGE_US NGT_US FALSE_OQ NEQ_OQ GE_OS GT_OS TRUE_UQ "
    "EQ_OS LT_OQ LE_OQ UNORD_S NEQ_US NLT_UQ NLE_UQ ORD_S EQ_US NGE_UQ NGT_UQ FALSE_OS NEQ_OS GE_OQ GT_OQ TRUE_US"
)
CONSTANTS = {
    **{f"_CMP_{name}": n for n, name in enumerate(_COMPARISONS.split())},
    "_MM_HINT_NTA": 0, "_MM_HINT_T2": 1, "_MM_HINT_T1": 2, "_MM_HINT_T0": 3,
    "INT32_MAX": (1 << 31) - 1, "INT32_MIN": -(1 << 31), "INT16_MAX": 32767, "INT16_MIN": -32768, "INT8_MAX": 127, "INT8_MIN": -128,
}  # fmt: skip


STEPS = 20_000  # statements of one function, loops written out


class _Return(Exception):
    def __init__(self, value: Result) -> None:
        self.value = value


class Function:
    """One call of a function. others: the functions that it may call; used: the intrinsics that it did call."""

    def __init__(
        self, others: Mapping[str, Any], promises: Promises, used: dict[str, Meaning], steps: list[int]
    ) -> None:
        self.others, self.promises, self.used, self.steps = others, promises, used, steps
        self.scopes: list[dict[str, tuple[CType, Block | Address | None]]] = [{}]

    def call(self, node: Any, arguments: list[Result]) -> Result:
        """Carry the function out; what it returns. Raises Fault and Unreadable."""
        params = node.decl.type.args.params if node.decl.type.args else []
        params = [p for p in params if getattr(p, "name", None) is not None]
        if len(params) != len(arguments):
            raise NoCError(f"{node.decl.name} takes {len(params)} arguments, and {len(arguments)} are given")
        for p, value in zip(params, arguments, strict=True):
            self._declare(p.name, _parameter(p), value)
        try:
            self._statement(node.body)
        except _Return as done:
            return done.value
        return None

    # ---- statements --------------------------------------------------------------------------------------------------

    def _statement(self, node: Any) -> None:
        self.steps[0] += 1
        if self.steps[0] > STEPS:
            raise Unreadable(f"{place(node)}more than {STEPS} steps")
        match node:
            case c_ast.Compound():
                self.scopes.append({})
                for s in node.block_items or ():
                    self._statement(s)
                self.scopes.pop()
            case c_ast.DeclList():
                for d in node.decls:
                    self._statement(d)
            case c_ast.Decl():
                self._declaration(node)
            case c_ast.Return():
                raise _Return(None if node.expr is None else self.value(node.expr))
            case c_ast.For():
                self._loop(node)
            case c_ast.If():
                branch = node.iftrue if self._decided(node.cond) else node.iffalse
                if branch is not None:
                    self._statement(branch)
            case c_ast.EmptyStatement() | c_ast.Pragma():
                pass
            case c_ast.While() | c_ast.DoWhile() | c_ast.Switch() | c_ast.Goto() | c_ast.Break() | c_ast.Continue():
                raise Unreadable(
                    f"{place(node)}`{type(node).__name__.lower()}` is not covered; loops are written with `for`"
                )
            case _:
                self.value(node, needed=False)

    def _loop(self, node: Any) -> None:
        self.scopes.append({})
        if node.init is not None:
            self._statement(node.init)
        while node.cond is None or self._decided(node.cond):
            self._statement(node.stmt)
            if node.next is not None:
                self.value(node.next, needed=False)
        self.scopes.pop()

    def _decided(self, node: Any) -> bool:
        value = self.value(node)
        known = value.number if isinstance(value, Value) and value.type.is_integer else None
        if known is None:
            raise Unreadable(f"{place(node)}a branch depends on what the operands hold")
        return known != 0

    def _declaration(self, node: Any) -> None:
        if isinstance(node.type, c_ast.ArrayDecl):
            self._array(node)
            return
        kind = declared(node.type)
        value: Result = None
        if isinstance(node.init, c_ast.InitList):
            value = self._listed(kind, node.init)
        elif node.init is not None:
            value = self.value(node.init)
        self._declare(node.name, kind, value, initialised=node.init is not None)

    def _declare(self, name: str, kind: CType, value: Result, initialised: bool = True) -> None:
        if kind.kind == "p":
            held = self._converted(value, kind, name) if initialised else None
            self.scopes[-1][name] = kind, held if isinstance(held, Address) else None
            return
        if initialised:
            given = self._converted(value, kind, name)
            assert isinstance(given, Value)
            contents = given.term
        else:
            contents = self.promises.undefined(name, kind.bits)
        self.scopes[-1][name] = kind, Block(f"local {name}", contents, kind.bits)

    def _array(self, node: Any) -> None:
        kind = declared(node.type.type)
        size = self.value(node.type.dim) if node.type.dim is not None else None
        items = [self.value(e) for e in node.init.exprs] if isinstance(node.init, c_ast.InitList) else []
        count = size.number if isinstance(size, Value) else len(items)
        if not count or kind.kind == "p":
            raise Unreadable(f"{place(node)}arrays have a constant number of elements, and none of pointers")
        parts = [self._number(x, kind, node.name) for x in items]
        if node.init is None:
            parts = [self.promises.undefined(f"{node.name}[{n}]", kind.bits) for n in range(count)]
        parts += [bits.const(0, kind.bits)] * (count - len(parts))
        block = Block(f"local {node.name}", bits.concat(parts), kind.bits)
        self.scopes[-1][node.name] = pointer(kind), Address(block, 0, kind)

    def _number(self, x: Result, kind: CType, name: str) -> bits.Term:
        found = self._converted(x, kind, name)
        assert isinstance(found, Value)
        return found.term

    # ---- values ------------------------------------------------------------------------------------------------------

    def value(self, node: Any, needed: bool = True) -> Result:
        """What an expression is. Raises Fault and Unreadable."""
        found = self._value(node)
        if needed and found is None:
            raise NoCError(f"{place(node)}a value is used where there is none")
        return found

    def _value(self, node: Any) -> Result:
        match node:
            case _Known():
                return node.held
            case c_ast.Constant():
                return arithmetic.constant(node)
            case c_ast.ID() if node.name in CONSTANTS:
                return Value(INT, bits.const(CONSTANTS[node.name], 32))
            case c_ast.ID():
                return self._variable(node)
            case c_ast.Assignment():
                return self._assignment(node)
            case c_ast.UnaryOp():
                return self._unary(node)
            case c_ast.BinaryOp():
                return self._binary(node)
            case c_ast.TernaryOp():
                return self.value(node.iftrue if self._decided(node.cond) else node.iffalse)
            case c_ast.Cast():
                return arithmetic.cast(
                    self.value(node.expr, needed=False), declared(node.to_type), self.promises, place(node)
                )
            case c_ast.CompoundLiteral():
                return self._listed(declared(node.type), node.init)
            case c_ast.ArrayRef():
                return _loaded(self._address(node))
            case c_ast.StructRef():
                return self._member(node)
            case c_ast.FuncCall():
                return self._call(node)
            case c_ast.ExprList():
                values = [self.value(e, needed=False) for e in node.exprs]
                return values[-1]
        raise Unreadable(f"{place(node)}{type(node).__name__} is not covered")

    def _listed(self, kind: CType, node: Any) -> Value:
        """A vector of listed lanes, or vectors, zeros behind them."""
        if kind.kind == "s" and kind.to is not None:
            return self._listed_vectors(kind, kind.to, node)
        items = [self.value(e) for e in node.exprs]
        if kind.kind != "v" or kind.lane is None:
            return Value(kind, self._number(items[0], kind, "the list"))
        lane = arithmetic.lane_type(kind)
        parts = [self._number(x, lane, "the list") for x in items]
        if len(parts) > kind.bits // lane.bits:
            raise NoCError(f"{place(node)}{len(parts)} values for the {kind.bits // lane.bits} lanes of {kind}")
        return Value(kind, bits.concat([*parts, *[bits.const(0, lane.bits)] * (kind.bits // lane.bits - len(parts))]))

    def _listed_vectors(self, kind: CType, one: CType, node: Any) -> Value:
        listed = node.exprs[0].exprs if isinstance(node.exprs[0], c_ast.InitList) else node.exprs
        if any(isinstance(e, c_ast.InitList | c_ast.NamedInitializer) for e in listed):
            raise Unreadable(f"{place(node)}a list of {kind} in this form is not covered")
        parts = [self._number(self.value(e), one, "the list") for e in listed]
        count = kind.bits // one.bits
        if len(parts) > count:
            raise NoCError(f"{place(node)}{len(parts)} values for the {count} vectors of {kind}")
        return Value(kind, bits.concat([*parts, *[bits.const(0, one.bits)] * (count - len(parts))]))

    def _member(self, node: Any) -> Address:
        """The vectors of x.val, or of p->val, where they lie."""
        if node.type == "->":
            held = self.value(node.name)
            if not isinstance(held, Address):
                raise NoCError(f"{place(node)}-> of what is no pointer")
            at = held
        elif isinstance(node.name, c_ast.FuncCall):
            found = self.value(node.name)
            if not isinstance(found, Value):
                raise NoCError(f"{place(node)}a member of what has none")
            at = Address(Block("local result", found.term, found.term.width), 0, found.type)
        else:
            at = self._address(node.name)
        if at.to.kind != "s" or at.to.to is None or node.field.name != "val":
            raise Unreadable(f"{place(node)}the member {node.field.name} of {at.to} is not covered")
        return Address(at.block, at.offset, at.to.to)

    def _find(self, node: Any) -> tuple[CType, Block | Address | None]:
        for scope in reversed(self.scopes):
            if node.name in scope:
                return scope[node.name]
        raise Unreadable(f"{place(node)}nothing is known of {node.name}")

    def _variable(self, node: Any) -> Result:
        kind, held = self._find(node)
        if isinstance(held, Block):
            return Value(kind, held.contents)
        if held is None:
            raise Fault(f"{place(node)}the pointer {node.name} is used before it is set")
        return held

    def _address(self, node: Any) -> Address:
        """Where an lvalue lies."""
        match node:
            case c_ast.ID():
                kind, held = self._find(node)
                if not isinstance(held, Block):
                    raise Unreadable(f"{place(node)}the address of a pointer is not covered")
                return Address(held, 0, kind)
            case c_ast.UnaryOp(op="*"):
                found = self.value(node.expr)
                if not isinstance(found, Address):
                    raise NoCError(f"{place(node)}* of what is no pointer")
                return found
            case c_ast.ArrayRef():
                base, index = self.value(node.name), self.value(node.subscript)
                if not isinstance(base, Address) or not isinstance(index, Value):
                    raise NoCError(f"{place(node)}[] of what is no pointer")
                if index.number is None:
                    raise Unreadable(f"{place(node)}an index depends on what the operands hold")
                return base.moved(index.number)
            case c_ast.CompoundLiteral():
                found = self.value(node)
                assert isinstance(found, Value)
                return Address(Block("local literal", found.term, found.term.width), 0, found.type)
        raise Unreadable(f"{place(node)}the address of {type(node).__name__} is not covered")

    def _assignment(self, node: Any) -> Result:
        value = self.value(node.rvalue)
        if node.op != "=":
            value = self._operated(node.op[:-1], self.value(node.lvalue), value, node)
        if isinstance(node.lvalue, c_ast.ID):
            kind, _ = self._find(node.lvalue)
            if kind.kind == "p":
                held = self._converted(value, kind, node.lvalue.name)
                scope = next(s for s in reversed(self.scopes) if node.lvalue.name in s)
                assert isinstance(held, Address)
                scope[node.lvalue.name] = kind, held
                return held
        at = self._address(node.lvalue)
        put = self._converted(value, at.to, at.block.name)
        assert isinstance(put, Value)
        at.block.store(at.offset, put.term)
        return put

    def _unary(self, node: Any) -> Result:
        match node.op:
            case "&":
                return self._address(node.expr)
            case "*":
                return _loaded(self._address(node))
            case "sizeof":
                kind = (
                    declared(node.expr.type) if isinstance(node.expr, c_ast.Typename) else _type(self.value(node.expr))
                )
                return arithmetic.whole(kind.bits // 8, "size_t")
            case "++" | "--" | "p++" | "p--":
                one, old = arithmetic.whole(1, "int"), self.value(node.expr)
                sign = "+" if "+" in node.op else "-"
                new = self._operated(sign, old, one, node)
                self._assignment(_Put(node.expr, new))
                return old if node.op.startswith("p") else new
        x = self.value(node.expr)
        if not isinstance(x, Value):
            raise Unreadable(f"{place(node)}{node.op} of a pointer is not covered")
        return arithmetic.unary(node.op, x, self.promises, place(node))

    def _binary(self, node: Any) -> Result:
        if node.op in ("&&", "||"):
            first = self._decided(node.left)
            known = first if first == (node.op == "||") else self._decided(node.right)
            return arithmetic.whole(int(known), "int")
        return self._operated(node.op, self.value(node.left), self.value(node.right), node)

    def _operated(self, op: str, x: Result, y: Result, node: Any) -> Result:
        if isinstance(y, Address) and op == "+":
            x, y = y, x
        if isinstance(x, Address):
            if not isinstance(y, Value) or y.number is None or op not in ("+", "-"):
                raise Unreadable(f"{place(node)}{op} of this pointer is not covered")
            return x.moved(y.number if op == "+" else -y.number)
        assert isinstance(x, Value) and isinstance(y, Value)
        return arithmetic.binary(op, x, y, self.promises, place(node))

    def _call(self, node: Any) -> Result:
        name = getattr(node.name, "name", "")
        given = [self.value(e) for e in (node.args.exprs if node.args else ())]
        if name in self.others:
            inner = Function(self.others, self.promises, self.used, self.steps)
            result = inner.call(self.others[name], given)
            returned = declared(self.others[name].decl.type.type)
            return result if result is None or returned.kind == "0" else self._converted(result, returned, name)
        if name == "_MM_SHUFFLE":
            return arithmetic.shuffle(given, place(node))
        if name in ("memcpy", "__builtin_memcpy"):
            return _copy(given, place(node))
        if name not in table():
            raise Unreadable(f"no meaning is known of {name or 'this call'}")
        return self._intrinsic(table()[name], given)

    def _intrinsic(self, m: Meaning, given: list[Result]) -> Result:
        self.used[m.name] = m
        if len(given) != len(m.params):
            raise NoCError(f"{m.name} takes {len(m.params)} arguments, and {len(given)} are given")
        arguments: list[Any] = []
        for n, value in enumerate(given):
            put = self._converted(value, m.type_of(n), f"argument {n + 1} of {m.name}")
            if m.params[n] != "imm":
                arguments.append(put.term if isinstance(put, Value) else put)
                continue
            number = put.number if isinstance(put, Value) else None
            if number is None or number not in m.immediates[n]:
                listed = m.immediates[n]
                raise NoCError(f"argument {n + 1} of {m.name} must be a constant from {min(listed)} to {max(listed)}")
            arguments.append(number)
        found = m.compute(self.promises, *arguments)
        return None if found is None else arithmetic.typed(m.result, found)

    def _converted(self, value: Result, to: CType, what: str) -> Result:
        """As C converts by itself: numbers to numbers, a vector or pointer only to its own kind. Raises Fault."""
        if isinstance(value, Address):
            if to.kind != "p" or to.to is None:
                raise NoCError(f"a pointer is given for {what}, a {to}")
            if not _compatible(value.to, to.to):
                raise NoCError(f"a pointer to {value.to} is given for {what}, a pointer to {to.to}")
            return Address(value.block, value.offset, value.to if to.to.kind == "0" else to.to)
        if value is None or to.kind == "p":
            raise NoCError(f"{'nothing' if value is None else value.type} is given for {what}, a {to}")
        if {"v", "s"} & {value.type.kind, to.kind}:
            if VECTORS.get(value.type.name) != VECTORS.get(to.name):
                raise NoCError(f"{value.type} is given for {what}, a {to}")
            return value
        return arithmetic.converted(value, to, self.promises)


class _Put:
    """An assignment that ++ stands for."""

    op = "="

    def __init__(self, lvalue: Any, value: Result) -> None:
        self.lvalue, self.rvalue = lvalue, _Known(value)


class _Known:
    def __init__(self, value: Result) -> None:
        self.held = value


def _parameter(p: Any) -> CType:
    return pointer(declared(p.type.type)) if isinstance(p.type, c_ast.ArrayDecl) else declared(p.type)


def _compatible(given: CType, wanted: CType) -> bool:
    kinds = ["i" if t.is_integer else t.kind for t in (given, wanted)]
    if "0" in kinds or given.name == wanted.name:
        return True
    return kinds[0] == kinds[1] not in ("v", "s") and given.bits == wanted.bits


def _type(value: Result) -> CType:
    return pointer(value.to) if isinstance(value, Address) else value.type if value else INT


def _loaded(at: Address) -> Result:
    if at.to.kind in ("p", "0"):
        raise Unreadable(f"what {at.block.name} points to is not covered")
    return Value(at.to, at.block.load(at.offset, at.to.bits))


def _copy(given: list[Result], where: str) -> Result:
    to, source, count = given
    if (
        not (isinstance(to, Address) and isinstance(source, Address) and isinstance(count, Value))
        or count.number is None
    ):
        raise Unreadable(f"{where}memcpy of a number of bytes that depends on operands")
    if count.number:
        to.block.store(to.offset, source.block.load(source.offset, 8 * count.number))
    return to
