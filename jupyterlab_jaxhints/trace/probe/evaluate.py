"""Runs a traced program equation by equation on real values, to see where a NaN or a wild index first arises."""
from __future__ import annotations

from .base import Unknown, is_array, kernel_jax, kernel_numpy
from .walk import CALLS, is_literal, scan_counts, sub_programs

COPIES = frozenset(("gather", "scatter", "dynamic_slice", "dynamic_update_slice", "pad", "select_n", "broadcast_in_dim",
                    "random_bits", "random_gamma", "random_wrap", "random_unwrap", "random_seed"))
LOOP_TURNS = 2000


def holds_nan(value) -> bool:
    dtype = getattr(value, "dtype", None)
    if dtype is None or str(dtype).startswith("key") or not (is_array(value) or type(value).__module__ == "numpy"):
        return False  # a `Ref` is no array
    jax = kernel_jax()
    if not jax.numpy.issubdtype(dtype, jax.numpy.inexact):
        return False
    return bool(jax.numpy.isnan(value).any())


class Evaluator:
    """`origins`: for a variable that holds a NaN, the place and the primitive that made it (None: it was given)."""

    def __init__(self, walk, records, clock):
        self.walk, self.records, self.clock = walk, records, clock
        self.nan = True
        self.index = True

    def program(self, program, consts, inputs, nans, place0):
        """(values, NaN origins) of the outputs. `nans`: origin or False for each input."""
        values, origins = {}, {}
        for variable, const in zip(program.constvars, consts):
            values[variable], origins[variable] = const, None
        for variable, value, origin in zip(program.invars, inputs, nans):
            values[variable], origins[variable] = value, origin
        for equation in program.eqns:
            self._equation(equation, values, origins, place0)
        out = [self._read(variable, values) for variable in program.outvars]
        return out, [origins.get(v) if not is_literal(v) else None for v in program.outvars], origins, values

    @staticmethod
    def _read(variable, values):
        return kernel_numpy().asarray(variable.val, dtype=variable.aval.dtype) if is_literal(variable) else values[variable]

    def _equation(self, equation, values, origins, place0):
        self.clock.check()
        name = equation.primitive.name
        place = place0
        if place is None:
            places = self.walk.places(equation)
            place = places[0] if places else None
        inputs = [self._read(variable, values) for variable in equation.invars]
        nans = [None if is_literal(v) else origins.get(v) for v in equation.invars]
        inner = self._below(equation, inputs, nans, place)
        if inner is not None:
            for variable, value, origin in zip(equation.outvars, *inner):
                values[variable], origins[variable] = value, origin
            return
        if self.index and place is not None:
            known = [kernel_numpy().asarray(v) if i and not str(v.dtype).startswith("key") else v for i, v in enumerate(inputs)]
            self.walk.check_indices(equation, known, place)
        if "callback" in name:
            if equation.outvars:
                raise Unknown("calls back into Python")
            return
        results = equation.primitive.bind(*inputs, **equation.params)
        results = results if equation.primitive.multiple_results else [results]
        came = next((origin for origin, value in zip(nans, inputs) if origin is not None and origin is not False), None)
        for variable, value in zip(equation.outvars, results):
            values[variable] = value
            origins[variable] = self._origin(name, place, inputs, value, came) if self.nan else None

    @staticmethod
    def _origin(name, place, inputs, value, came):
        if not holds_nan(value):
            return None
        if came is not None:
            return came
        if name in COPIES or any(holds_nan(v) for v in inputs):
            return None
        return (place, name) if place is not None else None

    def _below(self, equation, inputs, nans, place):
        """Equations with programs in them, run in Python: calls, branches, loops. None for all others."""
        name, params = equation.primitive.name, equation.params
        if name in CALLS:
            for below, consts in sub_programs(equation):
                if len(below.invars) == len(inputs):
                    inner = self.walk.inner_place(below, equation, place)
                    return self.program(below, consts, inputs, nans, inner)[:2]
        if name == "cond":
            branches = params["branches"]
            chosen = branches[min(max(int(inputs[0]), 0), len(branches) - 1)]
            inner = self.walk.inner_place(chosen.jaxpr, equation, place)
            return self.program(chosen.jaxpr, chosen.consts, inputs[1:], nans[1:], inner)[:2]
        if name == "while":
            return self._while(equation, inputs, nans, place)
        if name == "scan":
            return self._scan(equation, inputs, nans, place)
        return None

    def _while(self, equation, inputs, nans, place):
        params = equation.params
        test, body = params["cond_jaxpr"], params["body_jaxpr"]
        a, b = params["cond_nconsts"], params["body_nconsts"]
        state, state_nans = inputs[a + b:], nans[a + b:]
        inner = self.walk.inner_place(body.jaxpr, equation, place)
        for _ in range(LOOP_TURNS):
            going, _, _, _ = self.program(test.jaxpr, test.consts, inputs[:a] + state, nans[:a] + state_nans, inner or place)
            if not bool(going[0].any()):
                return state, state_nans
            before = state
            state, state_nans, _, _ = self.program(
                body.jaxpr, body.consts, inputs[a:a + b] + state, nans[a:a + b] + state_nans, inner)
            if going[0].ndim:  # under `vmap` each lane stops on its own
                state = [_where(going[0], new, old) for new, old in zip(state, before)]
        raise Unknown("a loop of more than %d turns" % LOOP_TURNS)

    def _scan(self, equation, inputs, nans, place):
        params = equation.params
        body, length = params["jaxpr"], params["length"]
        fixed, carried = scan_counts(params)
        if length > LOOP_TURNS:
            raise Unknown("a loop of more than %d turns" % LOOP_TURNS)
        state, state_nans = inputs[fixed:fixed + carried], nans[fixed:fixed + carried]
        rows, row_nans = inputs[fixed + carried:], nans[fixed + carried:]
        inner = self.walk.inner_place(body.jaxpr, equation, place)
        outputs = [None] * length
        made = [None] * (len(equation.outvars) - carried)
        for turn in range(length - 1, -1, -1) if params["reverse"] else range(length):
            row = [x[turn] for x in rows]
            out, origins, _, _ = self.program(
                body.jaxpr, body.consts, inputs[:fixed] + state + row, nans[:fixed] + state_nans + row_nans, inner)
            state, state_nans = out[:carried], origins[:carried]
            outputs[turn] = out[carried:]
            made = [old or new for old, new in zip(made, origins[carried:])]
        jax = kernel_jax()
        stacked = []
        for i, variable in enumerate(equation.outvars[carried:]):
            parts = [output[i] for output in outputs]
            stacked.append(jax.numpy.stack(parts) if parts else jax.numpy.zeros(variable.aval.shape, variable.aval.dtype))
        return list(state) + stacked, list(state_nans) + made


def _where(going, new, old):
    return kernel_jax().numpy.where(going.reshape(going.shape + (1,) * (new.ndim - going.ndim)), new, old)
