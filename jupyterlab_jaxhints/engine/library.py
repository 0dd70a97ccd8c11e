"""What functions from outside of the notebook give back, by qualified name."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..knowledge import api
from . import calls, config_flags, keys, shapes, timing, tracing
from . import values as v
from .callables import Argument
from .events import Call
from .interpreter import Machine
from .operators import tree_kind
from .state import Record
from .values import MISSING, Value, constant, tuple_of

Handler = Callable[[Machine, str, list[Argument], Any], Value]
HANDLERS: dict[str, Handler] = {}
PREFIXES: list[tuple[str, Handler]] = []

CONSTANTS = {
    "math.pi": 3.141592653589793, "math.e": 2.718281828459045, "math.inf": float("inf"), "math.nan": float("nan"),
    "numpy.pi": 3.141592653589793, "numpy.e": 2.718281828459045, "numpy.inf": float("inf"), "numpy.nan": float("nan"),
    "numpy.newaxis": None, "jax.numpy.newaxis": None,
}
NUMPY_TYPES = frozenset(
    f"numpy.{name}" for name in (
        "bool_ bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128 "
        "single double half intc longlong int_ uint byte ubyte short ushort float_ complex_ csingle cdouble").split())
NUMPY_NAMES = {"bool_": "bool", "single": "float32", "double": "float64", "half": "float16", "intc": "int32",
               "longlong": "int64", "int_": "int64", "uint": "uint64", "byte": "int8", "ubyte": "uint8",
               "short": "int16", "ushort": "uint16", "float_": "float64", "complex_": "complex128",
               "csingle": "complex64", "cdouble": "complex128"}


def gives(*names: str) -> Callable[[Handler], Handler]:
    """Registers what a function gives back."""

    def register(function: Handler) -> Handler:
        HANDLERS.update(dict.fromkeys(names, function))
        return function

    return register


def qualified(m: Machine, name: str) -> Value:
    """The value of a qualified name."""
    name = api.canonical(name)
    if name in CONSTANTS:
        return constant(CONSTANTS[name])
    if name in NUMPY_TYPES:
        short = name.rpartition(".")[2]
        return Value(v.DTYPE, target=name, const=NUMPY_NAMES.get(short, short))
    entry = api.lookup(name, m.jax_version)
    if entry is None:
        module = name.startswith("jax.") and api.is_module(name)
        return Value(v.MODULE if module else v.ALL, target=name)
    if entry.kind == "module":
        return Value(v.MODULE, target=name)
    if entry.kind == "constant":
        return constant(entry.value)
    if entry.kind == "scalar_type":
        return Value(v.DTYPE, target=name, const=entry.dtype)
    if entry.kind == "type":
        return Value(v.CLASS, target=name)
    return Value(v.FUNCTION if entry.kind == "function" else v.ALL, target=name)


# --- calls --------------------------------------------------------------------------------------------------------------


def call(m: Machine, name: str, callee: Value, args: list[Argument], node: Any, statement_level: bool = False) -> Value:
    """A call of a function that is known by name."""
    args = [_as_array(m, name, place, arg) for place, arg in enumerate(args)]
    if name in config_flags.BACKEND:
        config_flags.started(m, node)
    handler = HANDLERS.get(name)
    if handler is None:
        handler = next((h for prefix, h in PREFIXES if name.startswith(prefix)), None)
    entry = api.lookup(name, m.jax_version)
    if handler is not None:
        result = handler(m, name, args, node)
    elif entry is not None:
        result = from_table(m, entry, args, node)
    else:
        return calls.unknown_call(m, callee, name, args, node, statement_level)
    if result.may_be(v.TRACER) and not result.is_unknown:
        m.operations += 1
    timing.note_call(m, name, args, node, result)
    m.emit(Call, node, name=name, callee=callee, func_node=getattr(node, "func", node), args=tuple(args), result=result,
           statement_level=statement_level)
    return result


def _as_array(m: Machine, name: str, place: int, arg: Argument) -> Argument:
    """A traced parameter given where JAX takes an array is one tracer."""
    if not arg.value.must_be(v.TREE) or arg.star or not name.startswith("jax."):
        return arg
    entry = api.lookup(name, m.jax_version)
    if entry is None:
        return arg
    parameter = entry.parameter(arg.keyword) if arg.keyword else entry.parameter_at(place)
    if parameter is None or parameter.name not in entry.arrays or entry.like is not None:
        return arg
    if parameter.name in entry.sequences:
        return arg
    leaf = arg.value.but(kinds=tree_kind(arg.value))
    m.refine(arg.node, leaf)
    return Argument(leaf, arg.node, arg.star, arg.keyword)


def array_kinds(m: Machine, values: list[Value]) -> int:
    """Kind of an array that a JAX function makes of these."""
    if m.ctx.staged or any(value.must_be(v.ABSTRACT) for value in values):
        return v.ABSTRACT
    kinds = v.ARRAY
    loose = m.ctx.traced or m.ctx.generic
    for value in values:
        if value.must_be(v.LINEAR):
            return v.LINEAR
        if value.must_be(v.TREE):
            return tree_kind(value)
        if value.is_unknown and not value.name:
            kinds |= v.TRACER if loose else 0
        else:
            kinds |= value.kinds & v.TRACER
    return kinds


def from_table(m: Machine, entry: api.Entry, args: list[Argument], node: Any) -> Value:
    """The result of a JAX function as its table entry has it."""
    if entry.consumes_key is not None:
        consume_key(m, entry, args, node)
    result, items_, each = entry.result, entry.items, entry.each
    for condition, outcome in entry.when.items():
        holds = _holds(entry, condition, args)
        if holds is None:
            return v.UNKNOWN
        if holds:
            result, items_, each = outcome.result, outcome.items, None
    if result in ("array", "tuple", "list", "key", "keys") and entry.name.startswith("jax.") and entry.name not in config_flags.BACKEND:
        config_flags.used(m, node)
    operands = operands_of(m, args)
    if entry.like is not None:
        return _like(m, entry, args, operands)
    if result == "array":
        if entry.name in NAN_CHECKS:
            flags = frozenset({"nan-check"})
        elif entry.name in ("jax.numpy.empty", "jax.numpy.empty_like"):
            flags = frozenset({"uninitialized"})
        else:
            flags = operands[0].flags & NAN_FLAG if operands and entry.name in KEEPS_CHECK else frozenset()
        return make_array(m, array_kinds(m, operands), entry.name, args, node, flags)
    if result in ("tuple", "list"):
        return _several(m, entry, result, items_, each, args, operands, node)
    return _plain(m, entry, result, args, node)


NAN_CHECKS = frozenset({"jax.numpy.isnan", "jax.numpy.isinf", "jax.numpy.isfinite", "jax.lax.is_finite"})
NAN_FLAG = frozenset({"nan-check"})
KEEPS_CHECK = frozenset({"jax.numpy.any", "jax.numpy.all", "jax.numpy.logical_not", "jax.numpy.sum",
                         "jax.numpy.logical_or", "jax.numpy.logical_and"})


def make_array(m: Machine, kinds: int, name: str, args: list[Argument], node: Any, flags: frozenset = frozenset()) -> Value:
    """An array with what is known of its shape, dtype and value, and where it was made."""
    details = shapes.call(name, tuple(args), m.parts, m.x64)
    if kinds & v.TRACER:
        details.pop("const", None)
    short = name.replace("jax.numpy.", "jnp.").replace("jax.", "")
    step = m.step(f"made by `{short}`", node)
    traced = next((arg.value.traced for arg in args if arg.value.traced is not None), None)
    return Value(kinds, ident=m.alloc(), made=step, traced=traced, flags=flags, **details)


def operands_of(m: Machine, args: list[Argument]) -> list[Value]:
    """The array arguments, also those inside of lists and tuples."""
    out = []
    for arg in args:
        for leaf in m.leaves(arg.value) if arg.value.may_be(v.SEQUENCE) and not arg.value.is_unknown else [arg.value]:
            if not leaf.must_be(v.FUNCTION | v.DTYPE | v.STRING | v.NONE | v.CLASS):
                out.append(leaf)
    return out


def _holds(entry: api.Entry, condition: str, args: list[Argument]) -> bool | None:
    option, _, wanted = condition.partition("=")
    if option == "arguments":
        return None if any(a.star for a in args) else sum(1 for a in args if not a.keyword) == int(wanted)
    place = entry.index(option)
    found = next((a for a in args if a.keyword == option), None)
    positional = [a for a in args if not a.keyword]
    if found is None and place is not None and place < len(positional):
        found = positional[place]
    if found is None:
        return None if any(a.star for a in args) else False
    if not found.value.known:
        return None
    return repr(found.value.const) == wanted or str(found.value.const) == wanted


def _like(m: Machine, entry: api.Entry, args: list[Argument], operands: list[Value]) -> Value:
    place = entry.index(entry.like)
    chosen = next((a.value for a in args if a.keyword == entry.like), None)
    positional = [a.value for a in args if not a.keyword and not a.star]
    if chosen is None and place is not None and place < len(positional):
        chosen = positional[place]
    if chosen is None:
        return v.UNKNOWN
    kind = v.NUMPY if entry.result == "numpy" else None

    def leaf(part: Value) -> Value:
        if part.must_be(v.KEY):
            return part
        if part.must_be(v.ARRAYLIKE | v.NUMBER):
            dtype = part.dtype if not part.must_be(v.NUMBER) else None
            shape = () if part.must_be(v.NUMBER) else part.shape
            return Value(kind or array_kinds(m, [part]), shape=shape, dtype=dtype, weak=part.weak, ident=m.alloc(),
                         const=part.const if part.must_be(v.ARRAYLIKE) else MISSING)
        return part

    return tracing.map_leaves(m, chosen, leaf)


def _several(m: Machine, entry: api.Entry, result: str, items_: tuple | None, each: str | None, args: list[Argument],
             operands: list[Value], node: Any) -> Value:
    kinds = array_kinds(m, operands)
    details = shapes.calls(entry.name, tuple(args), m.parts, m.x64)
    if details is not None and not (items_ and any(item != "array" for item in items_)):
        parts = [Value(kinds, ident=m.alloc(), **{k: d for k, d in one.items() if k != "const" or not kinds & v.TRACER})
                 for one in details]
        return tuple_of(parts) if result == "tuple" else m.new_list(parts)
    if items_ is not None:
        return tuple_of([Value(kinds, ident=m.alloc()) if item == "array" else v.UNKNOWN for item in items_])
    if each == "array":
        if result == "list":
            return m.new_list(None, rest=Value(kinds))
        return Value(v.SEQUENCE, flags=v.TUPLE) if kinds == v.ARRAY else v.UNKNOWN
    return m.new(Record("list", rest=v.UNKNOWN), v.SEQUENCE) if result == "list" else v.UNKNOWN


def _plain(m: Machine, entry: api.Entry, result: str, args: list[Argument], node: Any) -> Value:
    if result == "key":
        return Value(v.KEY, shape=(), ident=m.alloc(), made=m.code_step("made by `{}`", node))
    if result == "keys":
        shape = shapes.call(entry.name, tuple(args), m.parts, m.x64).get("shape")
        return Value(v.KEY, shape=shape, ident=m.alloc(), made=m.code_step("made by `{}`", node))
    if result == "numpy":
        return Value(v.NUMPY, **shapes.call(entry.name, tuple(args), m.parts, m.x64))
    if result == "none":
        return v.NOTHING
    if result == "dtype":
        return Value(v.DTYPE)
    if result == "static":
        details = shapes.call(entry.name, tuple(args), m.parts, m.x64)
        if details.get("const", MISSING) is not MISSING:
            return constant(details["const"])
        return Value(v.NUMBER | v.SEQUENCE | v.OTHER | v.NUMPY | v.NONE)
    if result == "function":
        return Value(v.FUNCTION, flags=keys.instance_of(m, f"{entry.name}()"))
    if result == "iterator":
        return m.new(Record("iterator", rest=v.UNKNOWN), v.ITERATOR)
    return Value(v.ALL, ident=m.alloc())


def consume_key(m: Machine, entry: api.Entry, args: list[Argument], node: Any) -> None:
    """The key argument of a function that uses it up."""
    place = entry.index(entry.consumes_key)
    arg = next((a for a in args if a.keyword == entry.consumes_key), None)
    positional = [a for a in args if not a.keyword]
    if arg is None and place is not None and place < len(positional) and not positional[place].star:
        arg = positional[place]
    if arg is None:
        return
    how = "split" if entry.name == "jax.random.split" else "draw"
    keys.consume(m, arg.value, arg.node, how, entry.name, node)


@gives("jax.random.fold_in")
def _fold_in(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    return Value(v.KEY, shape=(), ident=m.alloc(), made=m.code_step("made by `{}`", node))


@gives("jax.random.clone", "jax.random.wrap_key_data")
def _clone(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    return Value(v.KEY, ident=m.alloc(), made=m.code_step("made by `{}`", node))


@gives("jax.new_ref", "jax.ref.new_ref", "jax.array_ref", "jax.experimental.mutable_array", "jax.mutable_array")
def _new_ref(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    return Value(v.REF, ident=m.alloc())


@gives("jax.config.update")
def _config_update(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    values = {arg.keyword or str(i): arg.value for i, arg in enumerate(args)}
    flag, value = values.get("0", values.get("name", v.UNKNOWN)), values.get("1", values.get("val", v.UNKNOWN))
    if flag.known and isinstance(flag.const, str):
        config_flags.set_flag(m, flag.const, value, node, "update")
    else:
        config_flags.forget(m)
    return v.NOTHING


@gives("jax.lax.psum", "jax.lax.pmean", "jax.lax.pmax", "jax.lax.pmin")
def _over_axis(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    """Of a Python number the sum over a mapped axis is known while tracing: `psum(1, axis)` is the axis's size."""
    if args and not args[0].star and args[0].value.must_be(v.NUMBER):
        return v.A_NUMBER if name in ("jax.lax.psum", "jax.lax.pmean") else v.UNKNOWN
    return from_table(m, api.lookup(name, m.jax_version), args, node)


@gives("jax.config.config_with_absl", "jax.config.parse_flags_with_absl")
def _config_absl(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    config_flags.forget(m)
    return v.NOTHING


def _is_container(value: Value) -> bool:
    """A container whose parts are not known: no leaf."""
    return value.must_be(v.SEQUENCE | v.MAPPING | v.SET | v.OBJECT)


@gives("jax.tree.map", "jax.tree_util.tree_map")
def _tree_map(m: Machine, name: str, args: list[Argument], node: Any) -> Value:
    plain = [arg for arg in args if not arg.keyword and not arg.star]
    if len(plain) < 2 or any(arg.star for arg in args):
        return v.UNKNOWN
    function, tree, others = plain[0].value, plain[1].value, [arg.value for arg in plain[2:]]
    columns = [m.leaves(other) for other in others]
    count = len(m.leaves(tree))
    trees = [m.leaves(tree), *columns]
    aligned = all(len(column) == count for column in columns) and not any(_is_container(x) for c in trees for x in c)
    position = iter(range(count))

    def leaf(part: Value) -> Value:
        i = next(position, None)
        if _is_container(part):
            part = Value(v.ALL, ident=m.alloc())
        rest = [column[i] if aligned and i is not None else Value(v.ALL, ident=m.alloc()) for column in columns]
        if part.must_be(v.NONE) and not rest:
            return part
        arguments = [calls.given(value, plain[1].node) for value in (part, *rest)]
        result = calls.call_value(m, function, arguments, node)
        return Value(v.TREE, traced=part.traced) if part.must_be(v.TREE) and result.may_be(v.JAX) else result

    return tracing.map_leaves(m, tree, leaf)


# --- attributes of arrays --------------------------------------------------------------------------------------------------


def array_attribute(m: Machine, base: Value, attr: str, node: Any) -> Value:
    """An attribute of a JAX array or a tracer."""
    from .callables import Bound

    if base.must_be(v.TREE):
        if attr not in ("shape", "dtype", "ndim", "T", "astype", "sum", "mean", "reshape", "ravel"):
            return Value(v.ALL, target=Bound(base, attr, node))
        base = base.but(kinds=tree_kind(base))
        m.refine(node.value, base)
    if attr in ("shape", "ndim", "size"):
        found = shapes.attribute(attr, base)
        if attr == "shape":
            if base.shape is None:
                return Value(v.SEQUENCE, flags=frozenset({"tuple", "shape"}))
            return tuple_of([constant(d) if d is not None else Value(v.NUMBER, dtype="int", flags=SHAPE) for d in base.shape])
        known = isinstance(found, Value) and found.known
        return constant(found.const) if known else Value(v.NUMBER, dtype="int", flags=SHAPE)
    if attr == "dtype":
        return Value(v.DTYPE, const=base.dtype if base.dtype is not None else MISSING)
    if attr in ("T", "mT", "real", "imag"):
        kinds = v.ABSTRACT if m.ctx.staged else base.kinds
        return Value(kinds, traced=base.traced, ident=m.alloc(), **_details(attr, base))
    return Value(v.ALL, target=Bound(base, attr, node))


SHAPE = frozenset({"shape"})


def _details(attr: str, base: Value) -> dict:
    found = shapes.attribute(attr, base)
    return found if isinstance(found, dict) else {}


def numpy_attribute(m: Machine, base: Value, attr: str, node: Any) -> Value:
    """An attribute of a NumPy array."""
    from .callables import Bound

    if attr in ("shape", "ndim", "size", "dtype"):
        return array_attribute(m, base, attr, node)
    if attr in ("T", "real", "imag", "flat"):
        return Value(v.NUMPY, **_details(attr, base))
    return Value(v.ALL, target=Bound(base, attr, node))


