"""Applying transforms and calling what they give back."""
from __future__ import annotations

from typing import Any

from ..knowledge import tracers
from . import donation, primitives, scopes, timing, tracing
from . import values as v
from .callables import Argument, Bound, Function, Partial, Wrapped
from .context import Frame
from .events import BodyGiven, Transform, TransformedCall
from .interpreter import Machine
from .specs import Spec, spec_of
from .values import MISSING, Step, Value, tuple_of


def is_transform(name: str) -> bool:
    """A call of this name may trace a function."""
    return spec_of(name) is not None


def is_fresh(m: Machine, function: Value) -> bool:
    """The object is new at each evaluation, so that a cache that goes by identity does not know it."""
    target = function.target
    if isinstance(target, Function):
        loop = m.ctx.eager_loop
        return target.fresh and (loop is None or any(loop is made for _, made in target.loops) or not m.ctx.loops)
    if isinstance(target, (Wrapped, Partial)):
        loop = m.ctx.eager_loop
        return loop is None or any(loop is made for _, made in target.loops)
    return isinstance(target, Bound) and isinstance(target.method, Value)  # an unknown attribute may hold one function


def repeats(m: Machine, function: Value, node: Any) -> bool:
    """An earlier turn of the eager loop around us came here with a function that captured the same settings.

    Captured arrays do not count: they could be arguments. A captured number that differs asks for a program of its own.
    """
    loop = m.ctx.eager_loop
    if loop is None:
        return False
    key = (id(node), id(loop))
    captured = _captured(m, function, 3)
    before = m.captured.get(key)
    m.captured[key] = captured
    return before is not None and before == captured


def _acts(node: Any, name: str) -> bool:
    """Code calls what the name holds, or methods of it that no array has: it is no array."""
    return name in scopes.called_in(node) or any(
        name == owner and tracers.method(method) is None for owner, method in scopes.methods_called(node))


def _captured(m: Machine, value: Value, depth: int) -> tuple:
    """Fingerprints of what a function closes over, arrays aside."""
    target = value.target
    if depth == 0:
        return ()
    if isinstance(target, Function):
        out = []
        for name in sorted(scopes.names_in(target.node)):
            scope = target.scope
            while scope is not None and name not in scope.names:
                scope = scope.parent
            found = scope.names[name] if scope is not None else m.state.names.delta.get(name)
            if found is not None and found.is_unknown and not found.name and _acts(target.node, name):
                out.append((name, found.ident))  # another function on each turn is another program
            elif found is not None and not found.may_be(v.JAX):
                out.append((name, _captured(m, found, depth - 1) if found.must_be(v.FUNCTION) else found.fingerprint()))
        return tuple(out)
    if isinstance(target, Partial):
        settings = [(str(i), a) for i, a in enumerate(target.args)] + sorted(target.keywords.items())
        inner = target.function.target
        names = dict(enumerate(inner.positional)) if isinstance(inner, Function) else {}
        acting = [(name, a.ident) for name, a in settings if a.is_unknown and isinstance(inner, Function)
                  and _acts(inner.node, names.get(int(name), "") if name.isdecimal() else name)]
        return (_captured(m, target.function, depth - 1), *acting, tuple(
            (name, a.fingerprint()) for name, a in settings if not a.may_be(v.JAX)))
    if isinstance(target, Wrapped):
        return (target.transform, _captured(m, target.function, depth - 1))
    if isinstance(target, Bound):
        return (target.receiver.ref,)
    return (value.fingerprint(),)


def apply(m: Machine, name: str, callee: Value, args: list[Argument], node: Any, statement_level: bool = False) -> Value:
    """A transform is called: with a function, or with options only (a decorator factory)."""
    spec = spec_of(name)
    if spec.form == "loop":
        return primitives.call(m, name, spec, args, node, callee)
    if not args or args[0].star:
        return _factory(m, callee, args) if not any(arg.keyword in FUNCTION_NAMES for arg in args) else v.UNKNOWN
    first = args[0]
    if first.keyword and first.keyword not in FUNCTION_NAMES:
        return _factory(m, callee, args)
    if spec.form == "now":
        return _now(m, name, spec, first, args[1:], node)
    return _wrap(m, name, spec, first, args[1:], node)


COMPILED = frozenset({"compiled"})  # an array that a compiled program gives
FUNCTION_NAMES = ("fun", "f", "fn", "func", "function", "kernel")


def _factory(m: Machine, callee: Value, args: list[Argument]) -> Value:
    if any(arg.star for arg in args):
        return v.UNKNOWN
    return Value(v.FUNCTION, target=Partial(callee, (), {arg.keyword: arg.value for arg in args if arg.keyword},
                                            m.ctx.loops))


def _options(spec: Spec, args: list[Argument]) -> tuple[dict[str, Value], dict[str, Any]] | None:
    values, nodes, place = {}, {}, 0
    for arg in args:
        name = arg.keyword
        if arg.star:
            return None
        if not name:
            if place >= len(spec.options):
                return None
            name = spec.options[place]
            place += 1
        values[name], nodes[name] = arg.value, arg.node
    return values, nodes


def _wrap(m: Machine, name: str, spec: Spec, first: Argument, rest: list[Argument], node: Any) -> Value:
    found = _options(spec, rest)
    if found is None:
        m.escape(first.value)
        return v.UNKNOWN
    options, nodes = found
    wrapped = Wrapped(name, first.value, options, node, m.place, m.alloc(), m.ctx.loops)
    decorating = m.decorating
    form, cls, function_node = "call", None, first.node
    if decorating is not None and decorating[1].decorator is first.node or decorating is not None and node is decorating[1]:
        form, cls, function_node = "decorator", decorating[0].cls, decorating[0].node.name
    m.emit(Transform, node.decorator if form == "decorator" else node, wrapped=wrapped, function=first.value,
           function_node=function_node, form=form, fresh=is_fresh(m, first.value), option_nodes=nodes, cls=cls,
           repeats=repeats(m, first.value, first.node))
    m.deferred.append(wrapped)
    if form == "decorator":
        m.followed.add(("decorated", id(decorating[0].node)))
    if tracing.underlying(first.value) is None and not first.value.must_be(v.FUNCTION):
        return Value(v.FUNCTION, target=wrapped)
    return Value(v.FUNCTION, target=wrapped, made=m.code_step("`{}`", node, 60))


# --- calling a wrapped function --------------------------------------------------------------------------------------


def call_wrapped(m: Machine, wrapped: Wrapped, args: list[Argument], node: Any, statement_level: bool = False) -> Value:
    """`jit(f)(x)`: trace the function with the caller's values."""
    spec = spec_of(wrapped.transform)
    if spec is None:  # a cache around the function
        m.followed.add(("called", wrapped.ident))
        return _call_cached(m, wrapped, args, node)
    m.followed.add(("called", wrapped.ident))
    alloc = m.counter
    traced = traced_arguments(m, wrapped, spec, args, node)
    if traced is None:
        from . import generic

        generic.trace(m, wrapped)
        for arg in args:
            m.escape(arg.value)
        return v.UNKNOWN.but(ident=m.alloc())
    marker = Frame(None, m.place, wrapped.transform, spec.staged, spec.tracer, spec.host, node, m.place,
                   trace_step(m, wrapped, node), wrapped=wrapped)
    returned = inside(m, marker, wrapped.function, traced, node, alloc)
    result = give_back(m, wrapped, spec, args, returned, traced)
    if any(leaf.must_be(v.ARRAY) for leaf in m.leaves(result)):
        timing.note(m, "async", node, result)
    gone = tuple((arg, step) for arg in args for step in [m.donated(arg.value)] if step is not None)
    twice = donation.take(m, wrapped, args, node, result)
    function = tracing.underlying(wrapped.function)
    bound, nodes = _bound(m, wrapped, function, args, node)
    m.emit(TransformedCall, node, wrapped=wrapped, function=function, args=tuple(args), bound=bound, nodes=nodes,
           result=result, returned=returned, gone=gone, twice=twice)
    return result


def _bound(m: Machine, wrapped: Wrapped, function: Function | None, args: list[Argument], node: Any) -> tuple[dict, dict]:
    names = tracing.parameter_names(wrapped.function)
    values, nodes, place = {}, {}, 0
    for arg in args:
        if arg.star:
            break
        name = arg.keyword
        if not name:
            if names is None or place >= len(names):
                continue
            name, place = names[place], place + 1
        values[name], nodes[name] = arg.value, arg.node
    return values, nodes


def inside(m: Machine, marker: Frame, function: Value, args: list[Argument], node: Any, alloc: int | None = None) -> Value:
    """Call a function with the marker's transform around it. `alloc`: objects there before its arguments were traced."""
    from . import calls

    marker.number, marker.alloc = m.frame_number(), m.counter if alloc is None else alloc
    outer = m.push(marker)
    try:
        return calls.call_value(m, function, args, node)
    finally:
        m.ctx = outer


def trace_step(m: Machine, wrapped: Wrapped, node: Any) -> Step:
    """The link of evidence that names the transform."""
    short = wrapped.transform.rsplit(".", 1)[-1]
    function = tracing.underlying(wrapped.function)
    name = f" of `{function.name}`" if function is not None and function.name != "lambda" else ""
    return Step(f"`{short}`{name}", getattr(wrapped.node, "decorator", wrapped.node), wrapped.place)


def traced_arguments(m: Machine, wrapped: Wrapped, spec: Spec, args: list[Argument], node: Any) -> list[Argument] | None:
    """The arguments as the function sees them; None when it is not known which are traced."""
    if any(arg.star == "*" for arg in args):
        return None
    step = trace_step(m, wrapped, node)
    if not spec.tracer:
        return args
    if spec.tracer == "ref":
        return [Argument(Value(v.REF), arg.node, arg.star, arg.keyword) for arg in args]
    if any(arg.star for arg in args):
        return None
    chosen = _chosen(m, wrapped, spec, args)
    if chosen is None:
        return None
    out = []
    for arg, how in zip(args, chosen):
        if how is False:
            out.append(arg)
        elif how is MISSING:
            out.append(Argument(v.UNKNOWN.but(ident=m.alloc()), arg.node, arg.star, arg.keyword))
        else:
            drop = None if how is True else how
            value = tracing.as_tracer(m, arg.value, spec.tracer, step, spec.leafwise, drop)
            out.append(Argument(value, arg.node, arg.star, arg.keyword))
    return out


def _chosen(m: Machine, wrapped: Wrapped, spec: Spec, args: list[Argument]) -> list[Any] | None:
    """For each argument: False not traced, True traced, an int the axis it is mapped over, MISSING not known."""
    positional = [i for i, arg in enumerate(args) if not arg.keyword]
    if spec.selects in ("static", "static_broadcasted"):
        option = "static_argnums" if spec.selects == "static" else "static_broadcasted_argnums"
        static = tracing.static_parameters(m, wrapped, option)
        if static is None:
            return None
        places, names = static
        traced = [arg.keyword not in names if arg.keyword else i not in places for i, arg in enumerate(args)]
        return traced if spec.selects == "static" else _mapped(m, wrapped, args, traced)
    if spec.selects == "argnums":
        option = wrapped.option("argnums")
        places = tracing.numbers_of(m, option) if option is not None else {0}
        if places is None:
            return None
        count = len(positional)
        places = {p % count if p < 0 and count else p for p in places}
        return [not arg.keyword and i in places for i, arg in enumerate(args)]
    if spec.selects == "in_axes":
        axes = iter(tracing.axes(m, wrapped.option("in_axes"), len(positional)))
        return [0 if arg.keyword else _axis(next(axes)) for arg in args]
    if wrapped.transform == "jax.numpy.vectorize":
        excluded = tracing.numbers_of(m, wrapped.option("excluded"))
        core = tracing.EVERY if wrapped.option("signature") is None else tracing.SOME
        return None if excluded is None else [not arg.keyword and i not in excluded and core for i, arg in enumerate(args)]
    if spec.leafwise and spec.tracer == "linear":
        return [i == 0 for i, _ in enumerate(args)]
    return [True] * len(args)


def _mapped(m: Machine, wrapped: Wrapped, args: list[Argument], traced: list[bool]) -> list[Any]:
    """The same for pmap: what it traces it maps over an axis, unless that is None."""
    axes = iter(tracing.axes(m, wrapped.option("in_axes"), sum(1 for arg in args if not arg.keyword)))
    found = [0 if arg.keyword else next(axes) for arg in args]
    return [how and (True if axis is None else axis) for how, axis in zip(traced, found)]


def _axis(axis: Any) -> Any:
    return False if axis is None else axis


def give_back(m: Machine, wrapped: Wrapped, spec: Spec, args: list[Argument], returned: Value,
              traced: list[Argument]) -> Value:
    """What the call gives, from what the body returned."""
    name = wrapped.transform
    kind = tracing.result_kind(m, [arg.value for arg in args])
    if name.endswith(("grad", "value_and_grad")):
        return _gradients(m, wrapped, args, returned, kind)
    if name in ("jax.jacfwd", "jax.jacrev", "jax.jacobian", "jax.hessian"):
        option = wrapped.option("argnums")
        if option is None or option.known and isinstance(option.const, int):
            leaf = args[0].value if args else v.UNKNOWN
            return tracing.come_back(m, leaf, kind, lose_shape=True)
        return v.UNKNOWN
    if name == "jax.make_jaxpr" or spec.tracer == "ref":
        return v.UNKNOWN if name == "jax.make_jaxpr" else tracing.come_back(m, v.UNKNOWN, kind)
    if name == "jax.vmap" or name.endswith(".vmap") or name.endswith("filter_vmap") or name == "jax.pmap":
        out_axes = wrapped.option("out_axes")
        plain_axes = out_axes is None or out_axes.known and out_axes.const == 0
        size = _mapped_size(m, wrapped, args) if name == "jax.vmap" else None
        return tracing.come_back(m, returned, kind, extra=size, lose_shape=not plain_axes)
    if name == "jax.numpy.vectorize":
        return tracing.come_back(m, returned, kind, lose_shape=True)
    if name == "jax.experimental.checkify.checkify":
        return tuple_of([v.UNKNOWN, returned])
    if not spec.tracer:
        return returned
    return tracing.come_back(m, returned, kind, extra=(), flags=COMPILED if spec.staged else frozenset())


def _mapped_size(m: Machine, wrapped: Wrapped, args: list[Argument]) -> int | None:
    positional = [arg for arg in args if not arg.keyword]
    for arg, axis in zip(positional, tracing.axes(m, wrapped.option("in_axes"), len(positional))):
        if isinstance(axis, int):
            for leaf in m.leaves(arg.value):
                if leaf.shape is not None and -len(leaf.shape) <= axis < len(leaf.shape):
                    return leaf.shape[axis]
    return None


def _gradients(m: Machine, wrapped: Wrapped, args: list[Argument], returned: Value, kind: int) -> Value:
    option = wrapped.option("argnums")
    if option is None or option.known and isinstance(option.const, int):
        place = 0 if option is None else option.const
        value = args[place].value if -len(args) <= place < len(args) else v.UNKNOWN
        gradient = tracing.come_back(m, value, kind, extra=())
    elif option.known and isinstance(option.const, tuple):
        gradient = tuple_of([tracing.come_back(m, args[i].value, kind, extra=()) if i < len(args) else v.UNKNOWN
                             for i in option.const])
    else:
        gradient = v.UNKNOWN
    aux = wrapped.option("has_aux")
    has_aux = aux is not None and not (aux.known and not aux.const)
    parts = m.parts(returned)
    out = tracing.come_back(m, returned, kind, extra=())
    if wrapped.transform.endswith("value_and_grad"):
        return tuple_of([out, gradient])
    if has_aux:
        extra = tracing.come_back(m, parts[1], kind, extra=()) if len(parts) == 2 else v.UNKNOWN
        return tuple_of([gradient, extra])
    return gradient


def _call_cached(m: Machine, wrapped: Wrapped, args: list[Argument], node: Any) -> Value:
    from . import calls

    result = calls.call_value(m, wrapped.function, args, node)
    function = tracing.underlying(wrapped.function)
    bound, nodes = _bound(m, wrapped, function, args, node)
    m.emit(TransformedCall, node, wrapped=wrapped, function=function, args=tuple(args), bound=bound, nodes=nodes,
           result=result, returned=result)
    return result


# --- transforms that call at once --------------------------------------------------------------------------------------


def _now(m: Machine, name: str, spec: Spec, first: Argument, rest: list[Argument], node: Any) -> Value:
    options = {arg.keyword: arg.value for arg in rest if arg.keyword in ("has_aux", "reduce_axes")}
    rest = [arg for arg in rest if arg.keyword not in ("has_aux", "reduce_axes")]
    if name == "jax.jvp":
        primals = m.parts(rest[0].value) if rest and not rest[0].star else []
        rest = [Argument(value, rest[0].node) for value in primals]
    wrapped = Wrapped(name, first.value, options, node, m.place, m.alloc(), m.ctx.loops)
    m.emit(BodyGiven, node, name=name, function=first.value, function_node=first.node, fresh=is_fresh(m, first.value),
           args=tuple(rest))
    traced = traced_arguments(m, wrapped, spec, rest, node)
    if traced is None or (not rest and name != "jax.eval_shape"):
        m.escape(first.value)
        return v.UNKNOWN
    marker = Frame(None, m.place, name, spec.staged, spec.tracer, False, node, m.place, trace_step(m, wrapped, node))
    returned = inside(m, marker, first.value, traced, node)
    if name not in ("jax.vjp", "jax.jvp", "jax.linearize"):
        return v.UNKNOWN
    kind = tracing.result_kind(m, [arg.value for arg in rest])
    out = tracing.come_back(m, returned, kind, extra=())
    if name == "jax.jvp":
        return tuple_of([out, out]) if "has_aux" not in options else v.UNKNOWN
    pullback = Value(v.FUNCTION | v.OBJECT | v.OTHER)
    return tuple_of([out, pullback]) if "has_aux" not in options else v.UNKNOWN
