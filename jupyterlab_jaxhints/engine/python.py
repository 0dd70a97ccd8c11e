"""Builtins and the standard library, as far as values pass through them."""
from __future__ import annotations

import builtins
from typing import Any

from . import calls, classes, config_flags, items, standard, stores  # noqa: F401 (standard registers itself)
from . import values as v
from .callables import Argument, Partial, Super, Wrapped
from .events import OuterWrite, Print
from .interpreter import BUILTINS, Machine
from .library import gives
from .operators import known_truth
from .python_iteration import first
from .values import Value, constant

for _name in dir(builtins):
    if not _name.startswith("_") or _name in ("__import__",):
        _object = getattr(builtins, _name)
        BUILTINS[_name] = Value(v.CLASS if isinstance(_object, type) else v.FUNCTION, target=f"builtins.{_name}")
BUILTINS.update({"True": constant(True), "False": constant(False), "None": v.NOTHING, "__name__": constant("__main__"),
                 "Ellipsis": Value(v.OTHER, const=Ellipsis), "NotImplemented": Value(v.OTHER)})

IN_IPYTHON = {"display": "IPython.display.display", "get_ipython": "IPython.get_ipython"}
BUILTINS.update({name: Value(v.FUNCTION, target=target) for name, target in IN_IPYTHON.items()})


# --- numbers and strings --------------------------------------------------------------------------------------------------


@gives("builtins.int", "builtins.float", "builtins.bool", "builtins.complex")
def _number(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    short = name.rpartition(".")[2]
    value = first(args)
    if len(args) == 1 and value.known and value.must_be(v.NUMBER | v.STRING):
        try:
            return constant(getattr(builtins, short)(value.const))
        except Exception:
            return Value(v.NUMBER, dtype=short)
    if short == "bool" and args:
        answer = known_truth(m, value)
        if answer is not None:
            return constant(answer)
    return Value(v.NUMBER, dtype=short, flags=value.flags & frozenset({"shape"}))


@gives("builtins.str", "builtins.repr", "builtins.format", "builtins.chr", "builtins.hex", "builtins.ascii")
def _text(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    value = first(args)
    if name == "builtins.str" and value.known and value.must_be(v.NUMBER | v.STRING):
        return constant(str(value.const))
    return Value(v.STRING, elements=(value,) if args else None)


@gives("builtins.ord", "builtins.hash", "builtins.id", "builtins.callable", "builtins.issubclass")
def _some_number(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    return v.A_NUMBER


@gives("builtins.round", "builtins.abs", "builtins.pow", "builtins.divmod")
def _arithmetic(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    from . import operators, shapes

    value = first(args)
    short = name.rpartition(".")[2]
    if short in ("abs", "round"):
        if value.must_be(v.NUMBER):
            try:
                return constant(getattr(builtins, short)(*(a.value.const for a in args))) if all(
                    a.value.known for a in args) else Value(v.NUMBER, dtype=value.dtype if short == "abs" else None)
            except Exception:
                return v.A_NUMBER
        if value.must_be(v.TREE):
            value = value.but(kinds=operators.tree_kind(value))
            m.refine(args[0].node, value)
        if value.must_be(v.JAX | v.NUMPY):
            kinds = v.ABSTRACT if m.ctx.staged and value.must_be(v.JAX) else value.kinds
            details = shapes.unary("abs", value) if short == "abs" else {"shape": value.shape}
            return Value(kinds, traced=value.traced, ident=m.alloc(), **details)
        return v.UNKNOWN
    if short == "pow" and len(args) == 2:
        return operators.binary_values(m, "**", value, args[1].value)
    return v.UNKNOWN


@gives("builtins.len")
def _len(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    value = first(args)
    size: Any = None
    record = m.record(value)
    if value.elements is not None:
        size = len(value.elements)
    elif value.known and isinstance(value.const, (str, bytes, range)):
        size = len(value.const)
    elif record is not None and record.items is not None and record.kind != "set":
        size = len(record.items)
    elif record is not None and record.kind == "dict" and not record.open:
        size = len(record.entries)
    elif value.must_be(v.ARRAYLIKE | v.KEY) and value.shape:
        size = value.shape[0]
    return constant(size) if size is not None else Value(v.NUMBER, dtype="int", flags=frozenset({"shape"}))


# --- objects --------------------------------------------------------------------------------------------------------------------


@gives("builtins.isinstance")
def _isinstance(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    if len(args) != 2:
        return Value(v.NUMBER, dtype="bool")
    value, kind = args[0].value, args[1].value
    kinds = m.parts(kind) or [kind]
    answers = [_is_a(value, each.name) for each in kinds]
    if any(answer is True for answer in answers):
        return constant(True)
    return constant(False) if all(answer is False for answer in answers) else Value(v.NUMBER, dtype="bool")


_TESTS = {
    "jax.Array": v.JAX, "jax.numpy.ndarray": v.JAX, "jax.core.Tracer": v.TRACER, "numpy.ndarray": v.NUMPY,
    "builtins.str": v.STRING, "builtins.dict": v.MAPPING, "builtins.set": v.SET,
}
_NUMBERS = {"builtins.int": ("int", "bool"), "builtins.float": ("float",), "builtins.bool": ("bool",),
            "builtins.complex": ("complex",)}


def _is_a(value: Value, name: str) -> bool | None:
    if name in _TESTS:
        wanted = _TESTS[name]
        if value.must_be(wanted):
            return True
        if not value.may_be(wanted | v.TREE | v.OBJECT | v.OTHER | v.KEY):
            return False
    elif name in _NUMBERS:
        if value.must_be(v.NUMBER) and value.dtype is not None:
            return value.dtype in _NUMBERS[name]
        if not value.may_be(v.NUMBER | v.TREE | v.OBJECT | v.OTHER):
            return False
    elif name in ("builtins.tuple", "builtins.list") and value.must_be(v.SEQUENCE) and value.flags & (v.TUPLE | v.LIST):
        return ("tuple" in value.flags) == (name == "builtins.tuple")
    elif name in ("builtins.tuple", "builtins.list") and not value.may_be(v.SEQUENCE | v.TREE | v.OTHER | v.OBJECT):
        return False
    return None


@gives("builtins.getattr")
def _getattr(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    from .expressions import attribute_value

    if len(args) >= 2 and args[1].value.known and isinstance(args[1].value.const, str) and not args[0].value.name:
        value = attribute_value(m, args[0].value, args[1].value.const, node)
        return value if len(args) == 2 else v.UNKNOWN
    return v.UNKNOWN


@gives("builtins.hasattr", "builtins.isinstance.unknown")
def _hasattr(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    return Value(v.NUMBER, dtype="bool")


@gives("builtins.setattr")
def _setattr(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    if len(args) == 3:
        owner, attr, value = (arg.value for arg in args)
        if attr.known and m.is_older(owner, m.ctx.tracing_frame):
            m.emit(OuterWrite, node, how="attribute", name=f"{m.text(args[0].node)}.{attr.const}", value=value, owner=owner)
        stores.write_item(m, owner, attr, value)
    return v.NOTHING


@gives("builtins.super")
def _super(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    function = m.ctx.function
    if args or function is None or function.cls is None or not function.positional or m.scope is None:
        return v.UNKNOWN
    receiver = m.scope.names.get(function.positional[0], v.UNKNOWN)
    return Value(v.OBJECT, target=Super(function.cls, receiver))


@gives("builtins.type")
def _type(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    value = first(args)
    if len(args) == 1:
        for kind, label in ((v.ABSTRACT | v.LINEAR, "jax.core.Tracer"), (v.STRING, "builtins.str"), (v.NUMPY, "numpy.ndarray"),
                            (v.MAPPING, "builtins.dict"), (v.ARRAY, "jaxlib.ArrayImpl")):
            if value.must_be(kind):
                return Value(v.CLASS, target=label)
        if value.must_be(v.NUMBER) and value.dtype in ("bool", "int", "float", "complex"):
            return Value(v.CLASS, target=f"builtins.{value.dtype}")
    return v.UNKNOWN


@gives("builtins.object", "builtins.open", "builtins.input", "builtins.vars", "builtins.globals",
       "builtins.locals", "builtins.dir", "builtins.id", "builtins.eval", "builtins.exec", "builtins.slice")
def _unknown(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    if name == "builtins.slice" and 1 <= len(args) <= 3:
        values = [arg.value for arg in args]
        bounds = (v.NOTHING, values[0]) if len(values) == 1 else tuple(values)
        return Value(v.SLICE, elements=(*bounds, *[v.NOTHING] * (3 - len(bounds))))
    return v.UNKNOWN


# --- functools, operator, os --------------------------------------------------------------------------------------------------


@gives("functools.partial", "jax.tree_util.Partial")
def _partial(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    if not args or any(arg.star for arg in args):
        return v.UNKNOWN
    named = {arg.keyword: arg.value for arg in args if arg.keyword}
    target = Partial(args[0].value, tuple(arg.value for arg in args[1:] if not arg.keyword), named, m.ctx.loops)
    return Value(v.FUNCTION, target=target)


@gives("functools.wraps")
def _wraps(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    return Value(v.FUNCTION, target="functools.wraps.decorator")


@gives("functools.wraps.decorator")
def _wrapped(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    return first(args)


@gives("functools.lru_cache", "functools.cache")
def _cache(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    if len(args) == 1 and args[0].value.must_be(v.FUNCTION):
        return Value(v.FUNCTION, target=Wrapped(name, args[0].value, {}, node, m.place, m.alloc(), m.ctx.loops))
    return Value(v.FUNCTION, target="functools.cache")


@gives("functools.reduce")
def _functools_reduce(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    if len(args) < 2 or any(arg.star for arg in args):
        return v.UNKNOWN
    element = items.iterated(m, args[1].value)
    start = args[2].value if len(args) > 2 else element
    first = calls.call_value(m, args[0].value, [calls.given(start, node), calls.given(element, node)], node)
    second = calls.call_value(m, args[0].value, [calls.given(first, node), calls.given(element, node)], node)
    return v.join(first, second)


@gives("builtins.print", "warnings.warn", "IPython.display.display", "pprint.pprint", "rich.print", "sys.stdout.write",
       "logging.debug", "logging.info", "logging.warning", "logging.error", "logging.critical", "logging.log",
       "absl.logging.info", "absl.logging.warning", "absl.logging.debug", "absl.logging.error")
def _print(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    printed: list[Value] = []
    for arg in args:
        if arg.keyword in ("sep", "end", "file", "flush"):
            continue
        value = arg.value
        printed += [*value.elements] if value.must_be(v.STRING) and value.elements else [value]
    m.emit(Print, node, name=name, call=node, args=tuple(args), values=tuple(printed))
    return v.NOTHING


@gives("logging.getLogger")
def _logger(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    return Value(v.ALL, target="logging")


@gives("os.environ.setdefault", "os.putenv", "os.environ.__setitem__")
def _environment(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    if len(args) == 2:
        config_flags.environment(m, args[0].value, args[1].value, node)
    return v.A_STRING


@gives("os.environ.update")
def _environments(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    for arg in args:
        record = m.record(arg.value)
        pairs = {arg.keyword: arg.value} if arg.keyword else (record.entries if record is not None else {})
        for key, value in pairs.items():
            config_flags.environment(m, constant(key), value, node)
    return v.NOTHING


@gives("copy.copy", "copy.deepcopy")
def _copy(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    value = first(args)
    record = m.record(value)
    if record is not None:
        return m.new(record, value.kinds, flags=value.flags, target=value.target)
    return value.but(ident=m.alloc()) if value.must_be(v.ARRAYLIKE) else value


@gives("jax.tree_util.register_pytree_node", "jax.tree_util.register_pytree_with_keys",
       "jax.tree_util.register_pytree_node_class", "jax.tree_util.register_pytree_with_keys_class",
       "jax.tree_util.register_dataclass", "jax.tree_util.register_static")
def _registration(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    return classes.register(m, name.rpartition(".")[2], args, node)
