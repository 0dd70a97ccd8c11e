"""Arithmetic, comparison, truth, and what a test teaches about names."""
from __future__ import annotations

import re
from typing import Any

import libcst as cst

from . import asking, constants, items, scopes, shapes, timing
from . import values as v
from .events import Binary, Truth
from .interpreter import Machine, evaluates
from .values import MISSING, Value, constant

BINARY = {
    cst.Add: "+", cst.Subtract: "-", cst.Multiply: "*", cst.MatrixMultiply: "@", cst.Divide: "/",
    cst.FloorDivide: "//", cst.Modulo: "%", cst.Power: "**", cst.LeftShift: "<<", cst.RightShift: ">>",
    cst.BitAnd: "&", cst.BitOr: "|", cst.BitXor: "^",
}
COMPARISON = {
    cst.LessThan: "<", cst.LessThanEqual: "<=", cst.GreaterThan: ">", cst.GreaterThanEqual: ">=", cst.Equal: "==",
    cst.NotEqual: "!=", cst.In: "in", cst.NotIn: "not in", cst.Is: "is", cst.IsNot: "is not",
}
ORDERING = {"<", "<=", ">", ">=", "==", "!="}


# --- arithmetic ------------------------------------------------------------------------------------------------------


@evaluates(cst.BinaryOperation)
def binary_node(m: Machine, node: cst.BinaryOperation) -> Value:
    operator = BINARY.get(type(node.operator), "?")
    left, right = m.eval(node.left), m.eval(node.right)
    return binary(m, node, operator, left, right, node.left, node.right)


def binary(m: Machine, node: Any, operator: str, left: Value, right: Value, left_node: Any, right_node: Any) -> Value:
    """`left operator right`, told to the rules."""
    left, right = _as_leaf(m, operator, left, right, left_node), _as_leaf(m, operator, right, left, right_node)
    result = binary_values(m, operator, left, right)
    if result.must_be(v.ARRAY):
        timing.note(m, "async", node, result)
    elif operator == "-" and left.flags & timing.CLOCK and right.flags & timing.CLOCK:
        timing.note(m, "elapsed", node, None, (right.ident, left.ident))
    m.emit(Binary, node, operator=operator, left=left, right=right, left_node=left_node, right_node=right_node,
           result=result)
    if result.may_be(v.TRACER):
        m.operations += 1
    return result


def _as_leaf(m: Machine, operator: str, value: Value, other: Value, node: Any) -> Value:
    """A traced parameter that takes part in arithmetic is one tracer, not a tree of them."""
    if not value.must_be(v.TREE):
        return value
    leaf = value.but(kinds=tree_kind(value))
    if operator in ("==", "!="):
        return leaf if other.must_be(v.NUMBER | v.ARRAYLIKE | v.TREE) else value
    if operator in ("+", "*") and other.may_be(v.SEQUENCE):
        return value
    m.refine(node, leaf)
    return leaf


def tree_kind(value: Value) -> int:
    """Kind of tracer at the leaves of a traced parameter."""
    return v.LINEAR if "linear" in value.flags else v.ABSTRACT


def binary_values(m: Machine, operator: str, left: Value, right: Value) -> Value:
    """The value of `left operator right`."""
    kinds = arithmetic_kinds(m, left, right)
    if kinds == v.ALL:
        return _python_binary(m, operator, left, right)
    if kinds == v.NUMBER:
        return constants.fold(operator, left, right)
    if kinds == v.NUMPY and left.must_be(v.NUMBER | v.NUMPY) and right.must_be(v.NUMBER | v.NUMPY):
        return Value(kinds, ident=m.alloc(), **shapes.binary(operator, left, right, m.x64))
    details = shapes.binary(operator, left, right, m.x64)
    traced = left.traced if left.may_be(v.TRACER) else right.traced
    return Value(kinds, ident=m.alloc(), traced=traced, **details)


def arithmetic_kinds(m: Machine, *operands: Value) -> int:
    """Kind of the result of arithmetic on these, ALL when nothing is known of it."""
    union = 0
    for operand in operands:
        union |= operand.kinds
    if any(o.must_be(v.ABSTRACT) for o in operands):
        return v.ABSTRACT
    if any(o.must_be(v.JAX) for o in operands):
        if m.ctx.staged:
            return v.ABSTRACT
        if any(o.must_be(v.LINEAR) for o in operands):
            return v.LINEAR if all(not o.may_be(v.ABSTRACT) for o in operands) else v.LINEAR | v.ABSTRACT
        tracers = union & v.TRACER if all(not o.is_unknown for o in operands) else v.TRACER
        return v.ARRAY | tracers
    if union & ~v.NUMBER == 0:
        return v.NUMBER
    if any(o.must_be(v.NUMPY) for o in operands) and union & ~(v.NUMPY | v.NUMBER | v.SEQUENCE) == 0:
        return v.NUMPY
    if any(o.must_be(v.JAX | v.NUMPY | v.NUMBER) for o in operands) and union & ~(v.JAX | v.NUMPY | v.NUMBER) == 0:
        return union & ~v.NUMBER if not union & v.ARRAY else union
    return v.ALL


def _python_binary(m: Machine, operator: str, left: Value, right: Value) -> Value:
    if operator == "%" and left.must_be(v.STRING):
        return Value(v.STRING, elements=tuple(m.parts(right)) or (right,))
    if left.must_be(v.STRING) and right.must_be(v.STRING | v.NUMBER):
        held = (*(left.elements or ()), *(right.elements or ()))
        return Value(v.STRING, elements=held) if held and operator == "+" else constants.fold(operator, left, right)
    if operator == "+" and left.must_be(v.SEQUENCE) and right.must_be(v.SEQUENCE):
        if left.elements is not None and right.elements is not None:
            return v.tuple_of((*left.elements, *right.elements))
        if left.elements is None and right.elements is None:
            a, b = m.record(left), m.record(right)
            if a is not None and b is not None and a.items is not None and b.items is not None:
                return m.new_list((*a.items, *b.items))
            if a is not None and b is not None:
                return m.new_list(None, rest=v.join(a.element(), b.element()))
        return Value(v.SEQUENCE)
    if operator == "*" and left.must_be(v.SEQUENCE | v.NUMBER) and right.must_be(v.SEQUENCE | v.NUMBER):
        sequence, number = (left, right) if left.must_be(v.SEQUENCE) else (right, left)
        parts = m.parts(sequence)
        if parts and number.known and isinstance(number.const, int) and 0 <= number.const * len(parts) <= items.MANY:
            repeated = parts * number.const
            return v.tuple_of(repeated) if sequence.elements is not None else m.new_list(repeated)
        return m.new_list(None, rest=m.element(sequence)) if sequence.elements is None else Value(v.SEQUENCE)
    return v.UNKNOWN


@evaluates(cst.UnaryOperation)
def unary(m: Machine, node: cst.UnaryOperation) -> Value:
    if isinstance(node.operator, cst.Not):
        answer = truth(m, node.expression, "not", node)
        return Value(v.NUMBER, dtype="bool") if answer is None else constant(not answer)
    value = m.eval(node.expression)
    operator = {cst.Minus: "-", cst.Plus: "+", cst.BitInvert: "~"}[type(node.operator)]
    value = _as_leaf(m, operator, value, v.A_NUMBER, node.expression)
    if value.must_be(v.NUMBER):
        return constants.fold_unary(operator, value)
    if value.must_be(v.JAX | v.NUMPY):
        kinds = v.ABSTRACT if m.ctx.staged and value.must_be(v.JAX) else value.kinds
        return Value(kinds, ident=m.alloc(), traced=value.traced, flags=value.flags & NAN_CHECK,
                     **shapes.unary(operator, value))
    return v.UNKNOWN


NAN_CHECK = frozenset({"nan-check"})


# --- comparison ---------------------------------------------------------------------------------------------------------


@evaluates(cst.Comparison)
def comparison(m: Machine, node: cst.Comparison) -> Value:
    left, left_node = m.eval(node.left), node.left
    results = []
    for part in node.comparisons:
        right = m.eval(part.comparator)
        operator = COMPARISON.get(type(part.operator), "?")
        results.append(compare(m, node, operator, left, right, left_node, part.comparator))
        left, left_node = right, part.comparator
    if len(results) == 1:
        return results[0]
    for result in results[:-1]:
        m.emit(Truth, node, value=result, form="chain", statement=node, taken=known_truth(m, result),
               asked_in=m.asked_in[0])
    if all(r.known for r in results):
        return constant(all(r.const for r in results))
    tracers = [r for r in results if r.must_be(v.TRACER)]
    return Value(v.NUMBER, dtype="bool") if tracers else v.join(results[0], results[-1])


def compare(m: Machine, node: Any, operator: str, left: Value, right: Value, left_node: Any, right_node: Any) -> Value:
    if operator in ("is", "is not"):
        return _identity(operator, left, right)
    if operator in ("in", "not in"):
        return _membership(m, node, operator, left, right, left_node)
    if operator in ("==", "!=") and (_never_array(left) or _never_array(right)) and not (left.known and right.known):
        result = Value(v.NUMBER, dtype="bool")
        m.emit(Binary, node, operator=operator, left=left, right=right, left_node=left_node, right_node=right_node,
               result=result)
        return result
    left, right = _as_leaf(m, operator, left, right, left_node), _as_leaf(m, operator, right, left, right_node)
    kinds = arithmetic_kinds(m, left, right)
    if kinds == v.ALL:
        result = constants.fold(operator, left, right)
        result = result if result.known else (
            Value(v.NUMBER, dtype="bool") if not (left.is_unknown or right.is_unknown) else v.UNKNOWN)
    elif kinds == v.NUMBER:
        result = constants.fold(operator, left, right)
    else:
        kinds = v.ARRAY if kinds == v.LINEAR and not m.ctx.staged else kinds
        result = Value(kinds, traced=left.traced if left.may_be(v.TRACER) else right.traced, ident=m.alloc(),
                       **shapes.binary(operator, left, right, m.x64))
    m.emit(Binary, node, operator=operator, left=left, right=right, left_node=left_node, right_node=right_node,
           result=result)
    return result


def _never_array(value: Value) -> bool:
    return value.must_be(v.STRING | v.NONE | v.FUNCTION | v.CLASS | v.MODULE | v.DTYPE)


def _identity(operator: str, left: Value, right: Value) -> Value:
    answer = None
    if right.must_be(v.NONE) or left.must_be(v.NONE):
        other = left if right.must_be(v.NONE) else right
        if other.must_be(v.NONE):
            answer = True
        elif not other.may_be(v.NONE):
            answer = False
    elif left.must_be(v.CLASS) and right.must_be(v.CLASS) and left.name and right.name:
        answer = left.name == right.name
    elif left.known and right.known and isinstance(left.const, bool) and isinstance(right.const, bool):
        answer = left.const is right.const
    if answer is None:
        return Value(v.NUMBER, dtype="bool")
    return constant(answer == (operator == "is"))


def _membership(m: Machine, node: Any, operator: str, left: Value, right: Value, left_node: Any) -> Value:
    parts = m.parts(right)
    record = m.record(right)
    if right.must_be(v.TRACER) or (right.must_be(v.SEQUENCE | v.SET) and left.must_be(v.TREE | v.ABSTRACT)):
        asked = left if not right.must_be(v.TRACER) else right
        if asked.must_be(v.TREE) and parts and all(p.must_be(v.NUMBER) for p in parts):
            asked = asked.but(kinds=tree_kind(asked))
        if not (parts and all(_never_array(part) for part in parts)):
            m.emit(Truth, node, value=asked, form="in", statement=node, asked_in=m.asked_in[0])
    if left.known and items.hashable(left.const):
        if record is not None and record.kind == "dict" and not record.open:
            return constant((left.const in record.entries) == (operator == "in"))
        if parts and all(part.known for part in parts):
            return constant(any(part.const == left.const for part in parts) == (operator == "in"))
    return Value(v.NUMBER, dtype="bool")


# --- truth -----------------------------------------------------------------------------------------------------------------


def known_truth(m: Machine, value: Value) -> bool | None:
    """Whether a value is true, where it is known."""
    if value.known:
        try:
            return bool(value.const) if value.must_be(v.NUMBER | v.STRING | v.NONE | v.SEQUENCE) else None
        except Exception:
            return None
    if value.must_be(v.FUNCTION | v.CLASS | v.MODULE):
        return True
    if value.elements is not None and value.must_be(v.SEQUENCE):
        return bool(value.elements)
    record = m.record(value)
    if record is not None and record.kind in ("list", "set") and record.items is not None and value.must_be(
            v.SEQUENCE | v.SET):
        return bool(record.items)
    if record is not None and record.kind == "dict" and not record.open and value.must_be(v.MAPPING):
        return bool(record.entries)
    return None


def truth(m: Machine, node: Any, form: str, statement: Any) -> bool | None:
    """Ask whether an expression is true: tells the rules, and answers where it is known."""
    outer = m.asked_in
    if form not in ("not", "and", "or"):
        m.asked_in = (form, statement)
    value = m.eval(node)
    asked_in, m.asked_in = m.asked_in, outer
    answer = known_truth(m, value)
    if value.must_be(v.ARRAY):
        timing.note(m, "wait", node)
    m.emit(Truth, node, value=value, form=form, statement=statement, taken=answer, asked_in=asked_in[0])
    return answer


@evaluates(cst.BooleanOperation)
def boolean(m: Machine, node: cst.BooleanOperation) -> Value:
    form = "and" if isinstance(node.operator, cst.And) else "or"
    left = m.eval(node.left)
    answer = known_truth(m, left)
    m.emit(Truth, node.left, value=left, form=form, statement=node, taken=answer, asked_in=m.asked_in[0])
    if answer is not None and answer == (form == "or"):
        return left
    before = m.state.fork(m.scope)
    narrow(m, node.left, form == "and")
    guarding = asking.asks(m, node.left)
    m.guards += guarding
    right = m.eval(node.right)
    m.guards -= guarding
    if answer is not None:
        return right
    after = m.state.fork(m.scope)
    m.state.merge(before, [before, after])
    if left.must_be(v.TRACER):
        return Value(v.NUMBER | v.ABSTRACT)
    return v.join(left, right)


@evaluates(cst.IfExp)
def conditional(m: Machine, node: cst.IfExp) -> Value:
    answer = truth(m, node.test, "ifexp", node)
    if asking.asks(m, node.test):
        m.guards += 1
        sides = m.eval(node.body), m.eval(node.orelse)
        m.guards -= 1
        return v.join(*sides)
    if answer is not None:
        narrow(m, node.test, answer)
        return m.eval(node.body if answer else node.orelse)
    before = m.state.fork(m.scope)
    narrow(m, node.test, True)
    yes = m.eval(node.body)
    after = m.state.fork(m.scope)
    m.state.restore(before)
    narrow(m, node.test, False)
    no = m.eval(node.orelse)
    m.state.merge(before, [after, m.state.fork(m.scope)])
    return v.join(yes, no)


# `isinstance(x, Tracer)`, `is_concrete(x)`: each side of the test knows what it deals with
ASKS_FOR_TRACERS = re.compile(r"[Tt]rac(er|ing)|[Cc]oncrete|[Ss]taging")


def narrow(m: Machine, test: Any, holds: bool) -> None:
    """What the names in a test must be where it holds (or does not)."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        narrow(m, test.expression, not holds)
        return
    if isinstance(test, cst.Call) and ASKS_FOR_TRACERS.search(m.text(test)):
        for name in map(cst.Name, scopes.names_in(test)):
            if m.lookup(name.value).may_be(v.TRACER):
                m.refine(name, v.UNKNOWN)
        return
    if isinstance(test, cst.BooleanOperation):
        if isinstance(test.operator, cst.And) == holds:
            narrow(m, test.left, holds)
            narrow(m, test.right, holds)
        return
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1 or not isinstance(test.left, cst.Name):
        return
    part = test.comparisons[0]
    if not isinstance(part.operator, (cst.Is, cst.IsNot)) or not (
            isinstance(part.comparator, cst.Name) and part.comparator.value == "None"):
        return
    is_none = isinstance(part.operator, cst.Is) == holds
    value = m.lookup(test.left.value)
    if is_none:
        m.refine(test.left, v.NOTHING)
    elif value.may_be(v.NONE) and not value.is_unknown:
        m.refine(test.left, value.but(kinds=value.kinds & ~v.NONE, const=MISSING))


def match_pattern(m: Machine, pattern: Any, subject: Value, statement: Any) -> None:
    """Bind the names of a pattern; literal patterns compare the subject."""
    if isinstance(pattern, cst.MatchValue):
        value = m.eval(pattern.value)
        asked = subject
        if subject.must_be(v.TREE) and value.must_be(v.NUMBER):
            asked = subject.but(kinds=tree_kind(subject))
        first = not asked.must_be(v.ABSTRACT) or m.once(("match", id(statement)))  # the others are never reached
        if value.must_be(v.NUMBER | v.ARRAYLIKE) and first:
            m.emit(Truth, pattern, value=asked, form="match", statement=statement)
    elif isinstance(pattern, cst.MatchOr):
        for option in pattern.patterns:
            match_pattern(m, option.pattern, subject, statement)
    elif isinstance(pattern, cst.MatchAs):
        if pattern.pattern is not None:
            match_pattern(m, pattern.pattern, subject, statement)
        if pattern.name is not None:
            m.assign(pattern.name.value, subject if pattern.pattern is None else v.UNKNOWN)
    else:
        from .scopes import occurrences

        for name, _, node in occurrences(pattern):
            if isinstance(node, cst.Name):
                m.assign(name, v.UNKNOWN)


def entered(m: Machine, value: Value) -> Value:
    """What `with value as name` binds."""
    return v.UNKNOWN
