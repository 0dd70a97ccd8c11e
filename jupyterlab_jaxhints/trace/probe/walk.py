"""Reads the traced program: constants folded into indices and casts, keys followed, captured arrays weighed."""
from __future__ import annotations

import ast
import itertools

from .base import is_array, is_tracer, kernel_jax, kernel_numpy
from .describe import describe, describe_aval, short_dtype
from .hooks import small_array
from .promotion import Promotions
from .sources import node_span

SMALL = 4096  # elements of a constant that is worth folding
LARGE = 1 << 20  # bytes of a captured array that is worth a word
INDEXING = frozenset(
    """get set add subtract multiply mul divide power min max apply take take_along_axis dynamic_slice
    dynamic_slice_in_dim dynamic_index_in_dim dynamic_update_slice dynamic_update_slice_in_dim
    dynamic_update_index_in_dim""".split())
CALLS = frozenset(
    """jit pjit closed_call custom_jvp_call custom_vjp_call custom_vjp_call_jaxpr remat2 checkpoint remat core_call
    custom_jvp_call_jaxpr run_state custom_lin""".split())
BINARY = {
    "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal", "ne": "not_equal",
    "add": "add", "sub": "subtract", "mul": "multiply", "max": "maximum", "min": "minimum", "and": "bitwise_and",
    "or": "bitwise_or", "neg": "negative", "not": "bitwise_not", "rem": "fmod",
}


SIMPLE = frozenset((int, bool, float, str, type(None)))


def sub_programs(equation):
    """(program, its constants) of those below an equation, in every version's spelling."""
    for value in equation.params.values():
        if type(value) in SIMPLE:
            continue
        for part in value if isinstance(value, (tuple, list)) else (value,):
            if hasattr(part, "jaxpr") and hasattr(part, "consts"):
                yield part.jaxpr, part.consts
            elif hasattr(part, "eqns"):
                yield part, ()


def count_equations(program) -> int:
    return sum(1 + sum(count_equations(below) for below, _ in sub_programs(e)) for e in program.eqns)


def has_random(program) -> bool:
    return any(e.primitive.name.startswith("random_") or any(has_random(below) for below, _ in sub_programs(e))
               for e in program.eqns)


def is_literal(variable) -> bool:
    return hasattr(variable, "val")


def frames_of(equation, book):
    """Cell places of an equation, innermost first."""
    traceback = equation.source_info.traceback
    if traceback is None:
        return []
    found, owners = [], book.owners
    for code, lasti in zip(*traceback.raw_frames()):
        known = owners.get(id(code)) or book.owner(code)
        place = book.place(code, lasti) if known[1] is not None else None
        if place is not None:
            found.append(place)
    return found


_relative = None


def stacks_are_relative() -> bool:
    """From JAX 0.9 on the stack of an equation stops at the enclosing body; before, it goes to the bottom."""
    global _relative
    if _relative is None:
        jax = kernel_jax()
        name = "<jaxhints-stacks>"
        scope = {"jax": jax}
        exec(compile("def outer(x):\n    return jax.jit(lambda y: -y)(x)\n", name, "exec"), scope)
        equation = jax.make_jaxpr(scope["outer"])(1.0).jaxpr.eqns[0]
        inner = next(sub_programs(equation))[0].eqns[0]
        codes = inner.source_info.traceback.raw_frames()[0]
        _relative = sum(code.co_filename == name for code in codes) == 1
    return _relative


def scan_counts(params):
    """How many of a scan's inputs are constants, and how many the carry; from JAX 0.12 on they are told as trees."""
    if "num_consts" in params:
        return params["num_consts"], params["num_carry"]
    consts, carry, _ = params["ft_in"].unpack()
    return len(list(consts)), len(list(carry))


def fold(equation, inputs):
    """The value of an equation on known small inputs; None where it is not worth knowing."""
    numpy = kernel_numpy()
    name, params = equation.primitive.name, equation.params
    shape = getattr(equation.outvars[0].aval, "shape", ())
    if name == "iota":
        dimension = params["dimension"]
        line = numpy.arange(shape[dimension]).reshape([-1 if i == dimension else 1 for i in range(len(shape))])
        return numpy.broadcast_to(line, shape).astype(params["dtype"])
    if any(value is None for value in inputs):
        return None
    if name in BINARY:
        return getattr(numpy, BINARY[name])(*inputs)
    if name == "select_n":
        return numpy.where(inputs[0], inputs[2], inputs[1]) if len(inputs) == 3 else None
    if name == "broadcast_in_dim":
        axes, value = params["broadcast_dimensions"], numpy.asarray(inputs[0])
        wide = [value.shape[axes.index(i)] if i in axes else 1 for i in range(len(shape))]
        return numpy.broadcast_to(value.reshape(wide), shape)
    if name == "convert_element_type":
        with numpy.errstate(all="ignore"):
            return numpy.asarray(inputs[0]).astype(params["new_dtype"])
    if name == "concatenate":
        return numpy.concatenate(inputs, params["dimension"])
    if name == "squeeze":
        return numpy.squeeze(inputs[0], params["dimensions"])
    if name in ("reshape", "expand_dims"):
        return numpy.reshape(inputs[0], shape)
    if name in ("copy", "copy_p", "device_put", "stop_gradient", "optimization_barrier"):
        return inputs[0]
    if name == "slice":
        strides = params["strides"] or (1,) * len(params["start_indices"])
        bounds = zip(params["start_indices"], params["limit_indices"], strides)
        return numpy.asarray(inputs[0])[tuple(slice(*b) for b in bounds)]
    return None


class Walk:
    """One pass over the outer program and all that are in it."""

    def __init__(self, records, shadow, keys):
        self.records, self.shadow, self.keys = records, shadow, keys
        self.book = records.book
        self.promotions = Promotions(records)
        self.equations = 0
        self.names = {id(value): name for name, value in shadow.read.items()}
        self.clock = None
        self.bodies: dict = {}  # id of a called program -> (it, whether it draws random numbers)
        self.around: list = []  # cell places of the calls whose bodies are being read
        self.frames: dict = {}  # id of an equation -> (it, its cell places)

    def run(self, closed):
        known = {}
        for variable, const in zip(closed.jaxpr.constvars, closed.consts):
            self._const(known, variable, const, None, False)
            self.keys.constant(variable, const)
        self.walk(closed.jaxpr, known, None, jitted=False)

    def _const(self, known, variable, const, place, jitted):
        if is_tracer(const):
            return
        value = small_array(const)
        if value is None and not is_array(const):
            try:
                if const.size <= SMALL:
                    value = kernel_numpy().asarray(const)
            except Exception:
                value = None
        if value is not None:
            known[variable] = value

    def input_value(self, known, variable):
        if is_literal(variable):
            return kernel_numpy().asarray(variable.val)
        return known.get(variable)

    def walk(self, program, known, place0, jitted):
        """`place0`: the position to use instead of the equations' own, inside a library's cached body."""
        for equation in program.eqns:
            self.equations += 1
            if not self.equations & 63 and self.clock is not None:
                self.clock.check()
            places = [] if place0 is not None else self.places(equation)
            place = place0 if place0 is not None else places[0] if places else None
            inputs = [self.input_value(known, variable) for variable in equation.invars]
            name = equation.primitive.name
            outside, chain = self.around, self._chain(places) if place0 is None else self.around
            self.around = chain
            if name in CALLS and self._call(equation, inputs, known, place, jitted):
                self.around = outside
                continue
            if all(getattr(v.aval, "size", SMALL + 1) <= SMALL for v in equation.outvars) and len(equation.outvars) == 1:
                try:
                    value = fold(equation, inputs)
                except Exception:
                    value = None
                if value is not None:
                    known[equation.outvars[0]] = value
            if place is not None:
                self.check_indices(equation, inputs, place)
                self._cast(equation, inputs, place)
            self.promotions.equation(equation, place)
            self.keys.equation(equation, inputs, chain)
            if name == "cond":
                self._branches(equation, place, jitted)
            elif name in ("scan", "while"):
                self._loop(equation, place, jitted)
            else:
                for below, consts in sub_programs(equation):
                    self.keys.opaque(below)
                    self.walk(below, {}, self.inner_place(below, equation, place), jitted)
            self.around = outside

    def _chain(self, places):
        """Cell places from the outermost call down to here."""
        here = places[::-1]
        if not stacks_are_relative() and here:
            return here
        return self.around + here

    def places(self, equation):
        known = self.frames.get(id(equation))
        if known is None:
            known = self.frames[id(equation)] = equation, frames_of(equation, self.book)
        return known[1]

    def inner_place(self, program, equation, place):
        """None where the body is cell code, whose own positions count; else the position of the call, because a
        library's cached body carries the positions of an earlier call."""
        depth = 0 if stacks_are_relative() else len(self.places(equation))
        own = any(len(self.places(e)) > depth for e in itertools.islice(program.eqns, 16))
        return None if own else place

    def _call(self, equation, inputs, known, place, jitted):
        for below, consts in sub_programs(equation):
            if len(below.invars) != len(equation.invars):
                continue
            if self._read_before(below, inputs):
                return True
            inner_place = self.inner_place(below, equation, place)
            inner = {}
            jit = equation.primitive.name in ("jit", "pjit") and inner_place is None
            for variable, const in zip(below.constvars, consts):
                self._const(inner, variable, const, place, True)
                self.keys.constant(variable, const)
            for variable, operand in zip(below.invars, equation.invars):
                self.promotions.pass_on(variable, operand)
            for variable, value in zip(below.invars, inputs):
                if value is not None:
                    inner[variable] = value
            self.keys.enter(equation, below)
            if jit:
                self._captured(below, consts)
            self.walk(below, inner, inner_place, jitted or jit)
            for out, result in zip(equation.outvars, below.outvars):
                value = self.input_value(inner, result)
                if value is not None:
                    known[out] = value
            self.keys.leave(equation, below)
            return True
        return False

    def _read_before(self, below, inputs) -> bool:
        """A loop calls one program again and again: without keys and known values in it there is nothing new."""
        seen = self.bodies.get(id(below))
        if seen is None:
            self.bodies[id(below)] = (below, has_random(below))
            return False
        return not seen[1] and all(value is None for value in inputs)

    def _branches(self, equation, place, jitted):
        branches = equation.params["branches"]
        self.keys.branches(equation, [
            (branch.jaxpr, lambda b=branch: self.walk(
                b.jaxpr, {}, self.inner_place(b.jaxpr, equation, place), jitted)) for branch in branches])

    def _loop(self, equation, place, jitted):
        params = equation.params
        if equation.primitive.name == "scan":
            body, skip, what = params["jaxpr"].jaxpr, 0, "scan"
            consts, carry = scan_counts(params)
        else:
            body, skip, consts = params["body_jaxpr"].jaxpr, params["cond_nconsts"], params["body_nconsts"]
            carry, what = len(equation.outvars), "while_loop"
        inner = self.inner_place(body, equation, place)
        self.keys.loop(equation, body, skip, consts, carry, what, lambda: self.walk(body, {}, inner, jitted))

    # -- findings
    def _captured(self, below, consts):
        """Arrays that a jitted function took from outside: constants, or operands beyond its arguments."""
        weights = [(variable, const, getattr(const, "nbytes", 0)) for variable, const in zip(below.constvars, consts)]
        extra = len(below.invars) - self._argument_count(below)
        for variable in below.invars[: max(extra, 0)]:
            aval = variable.aval
            size = getattr(aval, "size", 0) * getattr(getattr(aval, "dtype", None), "itemsize", 0)
            weights.append((variable, None, size))
        for variable, const, size in weights:
            if size < LARGE:
                continue
            place = self._first_use(below, variable)
            if place is not None:
                kind = describe_aval(variable.aval)
                place, name = self._named(place, kind, self.names.get(id(const)))
                self.records.add("large-constant", place, bytes=int(size), type=kind, name=name)

    def _named(self, place, kind, name):
        """Where the first use names the array itself, and its name: what is captured, not what is made of it."""
        cell, source, span = place
        for node in ast.walk(source.node_at(span) or ast.Pass()):
            if isinstance(node, ast.Name) and describe(dict.get(self.shadow, node.id)) == kind and name in (None, node.id):
                return (cell, source, node_span(node)), node.id
        return place, name

    @staticmethod
    def _argument_count(below):
        """How many of the operands are the caller's arguments."""
        names = getattr(getattr(below, "debug_info", None), "arg_names", None)
        if names is not None and len(names) == len(below.invars):
            return sum(1 for name in names if name)
        return len(below.invars)

    def _first_use(self, program, variable):
        for equation in program.eqns:
            if any(v is variable for v in equation.invars):
                places = self.places(equation)
                if places:
                    return places[0]
                for below, _ in sub_programs(equation):
                    if len(below.invars) == len(equation.invars):
                        at = [i for i, v in enumerate(equation.invars) if v is variable][0]
                        return self._first_use(below, below.invars[at])
        return None

    def check_indices(self, equation, inputs, place):
        name = equation.primitive.name
        if name in ("dynamic_slice", "dynamic_update_slice"):
            self._slice_start(equation, inputs, place, name == "dynamic_slice")
        elif name == "gather" and len(inputs) > 1 and inputs[1] is not None:
            numbers, mode = equation.params["dimension_numbers"], str(equation.params.get("mode"))
            self._positions(equation, inputs[1], numbers.start_index_map, equation.params["slice_sizes"], place, "read", mode)
        elif name.startswith("scatter") and len(inputs) > 1 and inputs[1] is not None:
            numbers, mode = equation.params["dimension_numbers"], str(equation.params.get("mode"))
            self._positions(equation, inputs[1], numbers.scatter_dims_to_operand_dims, None, place, "write", mode)

    def _slice_start(self, equation, inputs, place, read):
        shape = equation.invars[0].aval.shape
        sizes = equation.params["slice_sizes"] if read else equation.invars[1].aval.shape
        for axis, (start, size, length) in enumerate(zip(inputs[1 if read else 2:], sizes, shape)):
            if start is None or 0 <= int(start) <= length - size or self._mode_is_chosen(place):
                continue
            self.records.add("out-of-bounds-index", place, index=int(start), size=int(length), axis=axis,
                             width=int(size), effect="shift" if size > 1 else "clamp")

    def _positions(self, equation, indices, axes, sizes, place, what, mode):
        if indices.size == 0 or self._mode_is_chosen(place):
            return
        shape = equation.invars[0].aval.shape
        table = indices.reshape(-1, indices.shape[-1]) if indices.ndim else indices.reshape(1, 1)
        for column, axis in enumerate(axes):
            room = shape[axis] - (sizes[axis] if sizes is not None else 1)
            bad = [int(i) for i in table[:, column] if not 0 <= i <= room]
            if not bad:
                continue
            index = bad[0] - shape[axis] if bad[0] < 0 else bad[0]
            effect = "drop" if what == "write" else "fill" if "FILL" in mode else "clamp"
            self.records.add("out-of-bounds-index", place, index=index, size=int(shape[axis]), axis=int(axis), effect=effect)

    @staticmethod
    def _mode_is_chosen(place) -> bool:
        """`mode="clip"` and the like in the call, or a function for which dropping is the documented way: the user
        knows what happens beyond the end."""
        node = place[1].node_at(place[2])
        if not isinstance(node, ast.Call):
            return not isinstance(node, ast.Subscript)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return name not in INDEXING or any(k.arg in ("mode", "fill_value") for k in node.keywords)

    def _cast(self, equation, inputs, place):
        if equation.primitive.name != "convert_element_type" or inputs[0] is None:
            return
        numpy = kernel_numpy()
        value, target = inputs[0], equation.params["new_dtype"]
        try:
            kinds = numpy.dtype(value.dtype).kind, numpy.dtype(target).kind
        except TypeError:
            return
        if kinds[1] not in "iu" or kinds[0] != "f" or value.size == 0:
            return
        limits = numpy.iinfo(target)
        flat = numpy.asarray(value, dtype=numpy.float64).ravel()
        bad = flat[(flat <= limits.min - 1) | (flat >= limits.max + 1)]
        if bad.size and numpy.isfinite(bad[0]):
            self.records.add("unsafe-cast", place, value=float(bad[0]), source=short_dtype(value.dtype), target=short_dtype(target))
