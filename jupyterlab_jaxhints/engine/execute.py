"""Statements."""
from __future__ import annotations

from typing import Any

import libcst as cst

from . import asking, blocks, calls, imports, items, operators, scopes, stores  # noqa: F401 (blocks registers itself)
from . import values as v
from .callables import Function
from .context import Context, Loop
from .events import Iterate, LoopEnd, NameBind, Return
from .interpreter import Machine, executes
from .state import Scope, join_all
from .values import Value

DEFAULT = frozenset({"default"})  # a key that every call gets that is given none: a fixed seed
EXACT_TURNS = 4  # loops of at most this many known turns are evaluated turn by turn


@executes(cst.SimpleStatementLine, cst.SimpleStatementSuite, cst.IndentedBlock)
def block(m: Machine, node: Any) -> bool:
    return m.exec_all(node.body)


@executes(cst.Expr)
def expression(m: Machine, node: cst.Expr) -> bool:
    if isinstance(node.value, cst.Call):
        calls.call(m, node.value, statement_level=True)
    else:
        m.eval(node.value)
    return True


@executes(cst.Assign)
def assign(m: Machine, node: cst.Assign) -> bool:
    value = m.eval(node.value)
    for target in node.targets:
        stores.assign_target(m, target.target, value, node.value, node)
    return True


@executes(cst.AnnAssign)
def annotated(m: Machine, node: cst.AnnAssign) -> bool:
    if m.scope is None or m.scope.kind == "class":
        m.eval(node.annotation.annotation)
    if node.value is not None:
        stores.assign_target(m, node.target, m.eval(node.value), node.value, node)
    return True


@executes(cst.AugAssign)
def augmented(m: Machine, node: cst.AugAssign) -> bool:
    stores.augment(m, node)
    return True


@executes(cst.Del)
def delete(m: Machine, node: cst.Del) -> bool:
    stores.delete(m, node.target)
    return True


@executes(cst.Return)
def return_(m: Machine, node: cst.Return) -> bool:
    value = v.NOTHING if node.value is None else m.eval(node.value)
    if m.ctx.frames:
        m.emit(Return, node.value or node, value=value)
        m.ctx.frames[-1].returns.append((value, m.state.fork(m.scope)))
    return False


@executes(cst.Raise)
def raise_(m: Machine, node: cst.Raise) -> bool:
    if node.exc is not None:
        m.eval(node.exc)
    return False


@executes(cst.Assert)
def assert_(m: Machine, node: cst.Assert) -> bool:
    answer = operators.truth(m, node.test, "assert", node)
    if node.msg is not None and answer is not True:
        before = m.state.fork(m.scope)
        m.eval(node.msg)
        m.state.restore(before)
    operators.narrow(m, node.test, True)
    return True


@executes(cst.Break, cst.Continue)
def leave(m: Machine, node: Any) -> bool:
    if m.loop_exits:
        exits = m.loop_exits[-1]
        exits["break" if isinstance(node, cst.Break) else "continue"].append(m.state.fork(m.scope))
    return False


@executes(cst.Global)
def global_(m: Machine, node: cst.Global) -> bool:
    if m.scope is not None:
        m.scope.globals.update(item.name.value for item in node.names)
    return True


@executes(cst.Nonlocal)
def nonlocal_(m: Machine, node: cst.Nonlocal) -> bool:
    if m.scope is not None:
        m.scope.nonlocals.update(item.name.value for item in node.names)
    return True


@executes(cst.Import)
def import_(m: Machine, node: cst.Import) -> bool:
    imports.plain(m, node)
    return True


@executes(cst.ImportFrom)
def import_from(m: Machine, node: cst.ImportFrom) -> bool:
    imports.names(m, node)
    return True


# --- branches ----------------------------------------------------------------------------------------------------


def branches(m: Machine, ways: list[Any]) -> bool:
    """Evaluate alternatives from the same state; each way is a function that says whether it falls through."""
    before = m.state.fork(m.scope)
    ends = []
    for number, way in enumerate(ways):
        if number:
            m.state.restore(before)
        if way():
            ends.append(m.state.fork(m.scope))
    if ends:
        m.state.merge(before, ends)
    return bool(ends)


@executes(cst.If)
def if_(m: Machine, node: cst.If, form: str = "if") -> bool:
    answer = operators.truth(m, node.test, form, node)

    left = []

    def yes() -> bool:
        operators.narrow(m, node.test, True)
        falls = m.exec(node.body)
        left.append(not falls)
        return falls

    def no() -> bool:
        operators.narrow(m, node.test, False)
        if isinstance(node.orelse, cst.If):
            return if_(m, node.orelse, "elif")
        falls = node.orelse is None or m.exec(node.orelse)
        left.append(not falls)
        return falls

    guarding = asking.asks(m, node.test)
    m.guards += guarding
    m.branches += 1
    if answer is not None and not (guarding and asking.in_words(node.test)):
        falls = yes() if answer else no()
    else:
        falls = branches(m, [yes, no])
    m.guards -= guarding and not any(left)
    m.branches -= 1
    return falls


@executes(cst.Else, cst.Finally)
def inner(m: Machine, node: Any) -> bool:
    return m.exec(node.body)


@executes(cst.Match)
def match(m: Machine, node: cst.Match) -> bool:
    subject = m.eval(node.subject)
    guarding = asking.asks(m, node.subject)

    def way(case: cst.MatchCase) -> Any:
        def run() -> bool:
            operators.match_pattern(m, case.pattern, subject, node)
            if case.guard is not None:
                operators.truth(m, case.guard, "if", node)
            return m.exec(case.body)

        return run

    m.guards += guarding
    falls = branches(m, [*(way(case) for case in node.cases), lambda: True])
    m.guards -= guarding
    return falls


# --- loops ---------------------------------------------------------------------------------------------------------


@executes(cst.For)
def for_(m: Machine, node: cst.For) -> bool:
    iterable = m.eval(node.iter)
    m.emit(Iterate, node.iter, value=iterable, form="for", body=node, target=node.target)
    elements, turns = items.turns(m, iterable)
    loop = Loop(node, m.place, "for", turns, over=iterable, branches=m.branches)
    if turns == 0:
        return node.orelse is None or m.exec(node.orelse)
    exact = elements is not None and len(elements) == turns and turns <= EXACT_TURNS

    def turn(number: int) -> bool:
        if exact:
            value = elements[number]
        else:
            value = items.turn_element(m, iterable, elements, number)
        stores.assign_target(m, node.target, value, node.iter, node, how="for")
        return m.exec(node.body)

    falls = run_loop(m, loop, node, turn, turns if exact else None, may_skip=turns is None)
    m.emit(LoopEnd, node.iter, loop=loop, statement=node, tracer_operations=m.last_turn_operations)
    return falls


@executes(cst.While)
def while_(m: Machine, node: cst.While) -> bool:
    loop = Loop(node, m.place, "while", branches=m.branches)
    answers: list[bool | None] = []

    def turn(number: int) -> bool:
        answers.append(operators.truth(m, node.test, "while", node))
        if answers[-1] is False:
            return True
        operators.narrow(m, node.test, True)
        m.guards += guarding
        falls = m.exec(node.body)
        m.guards -= guarding
        return falls

    guarding = asking.asks(m, node.test)
    falls = run_loop(m, loop, node, turn, None, may_skip=True, endless=lambda: answers and all(
        answer is True for answer in answers))
    m.emit(LoopEnd, node.test, loop=loop, statement=node, tracer_operations=m.last_turn_operations)
    return falls


def run_loop(m: Machine, loop: Loop, node: Any, turn: Any, exact: int | None, may_skip: bool,
             endless: Any = None) -> bool:
    """Evaluate the turns of a loop: each of them when `exact`, else a first one and one that stands for the others.

    The other turns start from what may hold at any of them, but with the keys that the first turn consumed.
    """
    outer = m.ctx
    m.ctx = Context(outer.frames, (*outer.loops, (len(outer.frames), loop)), outer.tries)
    before = m.state.fork(m.scope)
    ends, breaks = ([before] if may_skip else []), []
    for number in range(exact if exact is not None else 2):
        loop.turn = number
        start = m.operations
        m.loop_exits.append({"break": [], "continue": []})
        falls = turn(number)
        exits = m.loop_exits.pop()
        m.last_turn_operations = m.operations - start
        breaks += exits["break"]
        turn_ends = exits["continue"] + ([m.state.fork(m.scope)] if falls else [])
        if not turn_ends:
            ends = [] if number == 0 and not may_skip else ends
            break
        m.state.merge(before, turn_ends)
        after = m.state.fork(m.scope)
        ends = [after] if exact is not None else [*ends, after]
        if exact is None and number == 0:
            m.state.merge(before, [before, after])
            m.state.used.delta = dict(after[2])
    m.ctx = outer
    if endless is not None and endless():
        ends = []
    if ends:
        m.state.merge(before, ends)
        orelse = getattr(node, "orelse", None)
        if orelse is None or m.exec(orelse):
            breaks.append(m.state.fork(m.scope))
    if breaks:
        m.state.merge(before, breaks)
    return bool(breaks)


# --- definitions -----------------------------------------------------------------------------------------------------


@executes(cst.FunctionDef)
def define(m: Machine, node: cst.FunctionDef) -> bool:
    function = make_function(m, node, node.name.value)
    value = Value(v.FUNCTION, target=function, made=m.step(f"`{function.name}` is defined here", node.name))
    m.made_functions.append(function)
    if node.asynchronous is not None:
        value = v.UNKNOWN
    for annotation in _annotations(node):
        m.eval(annotation)
    decorators = [m.eval(d.decorator) for d in node.decorators]
    function.decorators = tuple(decorators)
    for decorator, written in zip(reversed(decorators), reversed(node.decorators)):
        value = calls.decorate(m, decorator, value, written, function)
    value = asking.answering(m, node, value)
    m.assign(function.name, value)
    m.emit(NameBind, node.name, name=function.name, value=value, scope=stores.scope_kind(m, function.name), how="def")
    return True


def _annotations(node: cst.FunctionDef) -> list[Any]:
    """Annotations of a function, which Python evaluates where it is defined."""
    params = node.params
    given = [*params.posonly_params, *params.params, *params.kwonly_params]
    given += [p for p in (params.star_arg, params.star_kwarg) if isinstance(p, cst.Param)]
    out = [p.annotation.annotation for p in given if p.annotation is not None]
    return out if node.returns is None else [*out, node.returns.annotation]


def make_function(m: Machine, node: Any, name: str) -> Function:
    """A function object; defaults are evaluated here."""
    function = Function(node, name, m.place, m.scope, m.alloc(), fresh=m.scope is not None or isinstance(
        node, cst.Lambda), cls=m.class_body, loops=m.ctx.loops)
    for parameter in function.parameters:
        if parameter.default is not None:
            value = m.eval(parameter.default)
            if value.must_be(v.KEY):
                value = value.but(flags=value.flags | DEFAULT)
            function.defaults[parameter.name.value] = value
    return function


@executes(cst.ClassDef)
def define_class(m: Machine, node: cst.ClassDef) -> bool:
    from . import classes

    classes.define(m, node)
    return True


def body_scope(m: Machine, parent: Scope | None, node: Any, function: Any, number: int, kind: str) -> Scope:
    """A scope for a function's or class's body."""
    scope = Scope(parent, function, scopes.bound_names(node), number, kind)
    for fact in scopes.facts(node):
        word, _, name = fact.partition(" ")
        if word == "global":
            scope.globals.add(name)
        elif word == "nonlocal":
            scope.nonlocals.add(name)
    return scope


def joined(values: list[Value]) -> Value:
    """Join of values, NONE when there are none."""
    return join_all(values) if values else v.NOTHING


__all__ = ["body_scope", "branches", "joined", "make_function", "run_loop"]
