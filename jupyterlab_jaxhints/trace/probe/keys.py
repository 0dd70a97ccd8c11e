"""Random keys in the traced program: each gets an origin, and an origin that is consumed twice is a finding.

Typed and raw keys alike. `split` and the drawing primitives consume; slicing, wrapping and copying pass the origin
on; `fold_in` makes an origin out of its inputs; every seeding is an origin of its own, for two keys of one seed are
as likely meant as not. One key for two draws can be meant too (common random numbers, a comparison with eager code),
so the trace alone is never certain: it makes certain what the reading says.
"""
from __future__ import annotations

import itertools

from .base import kernel_numpy
from .describe import short_dtype

CONSUMES = frozenset(("random_bits", "random_gamma", "random_split"))
PASSES = frozenset(("random_wrap", "random_unwrap", "copy", "copy_p", "device_put", "optimization_barrier"))
DERIVES = frozenset(
    """squeeze reshape slice convert_element_type broadcast_in_dim dynamic_slice gather random_fold_in
    split transpose concatenate expand_dims""".split())
SHAPE_PARAMS = ("start_indices", "limit_indices", "strides", "dimensions", "new_sizes", "slice_sizes", "axis", "sizes")


class Keys:
    def __init__(self, records):
        self.records = records
        self.numbers = itertools.count()
        self.origins: dict = {}  # variable -> origin
        self.uses: dict = {}  # origin -> places where it was consumed

    def clear(self):
        self.origins.clear()
        self.uses.clear()

    def origin(self, variable):
        if hasattr(variable, "val"):
            value = kernel_numpy().asarray(variable.val)
            return ("literal", value.tobytes()[:64], str(value.dtype))
        found = self.origins.get(variable)
        if found is None:
            found = self.origins[variable] = ("value", next(self.numbers))
        return found

    def constant(self, variable, const):
        self.origins[variable] = ("const", id(const))

    def opaque(self, program):
        for variable in program.invars:
            self.origins[variable] = ("value", next(self.numbers))

    def enter(self, equation, below):
        for variable, operand in zip(below.invars, equation.invars):
            self.origins[variable] = self.origin(operand)

    def leave(self, equation, below):
        for out, result in zip(equation.outvars, below.outvars):
            self.origins[out] = self.origin(result)

    def equation(self, equation, inputs, chain):
        name = equation.primitive.name
        for out in equation.outvars:  # a cached body is read once for each call
            self.origins.pop(out, None)
        if name in CONSUMES:
            self._consume(self.origin(equation.invars[0]), chain)
        if name in PASSES:
            for out, operand in zip(equation.outvars, equation.invars):
                self.origins[out] = self.origin(operand)
        elif name == "random_split":
            self.origins[equation.outvars[0]] = ("split", next(self.numbers))
        elif name in DERIVES and self._is_key(equation):
            shape = tuple(sorted((k, str(v)) for k, v in equation.params.items() if k in SHAPE_PARAMS))
            parts = tuple(("known", value.tobytes()[:256]) if value is not None else self.origin(variable)
                          for variable, value in zip(equation.invars, inputs))
            for position, out in enumerate(equation.outvars):
                self.origins[out] = (name, position, shape) + parts

    @staticmethod
    def _is_key(equation) -> bool:
        return any(short_dtype(getattr(v.aval, "dtype", "")).startswith(("key<", "u32")) for v in equation.invars[:1])

    def _consume(self, origin, chain):
        """`chain`: the cell places from the outermost call to the drawing. The hint stands where the ways part: at
        the second call of a helper that draws, not in the helper."""
        seen = self.uses.setdefault(origin, [])
        first = next((earlier for earlier in seen if earlier), None)
        if seen and chain and first is not None:
            parted = next((i for i, (a, b) in enumerate(zip(first, chain)) if a[0] != b[0] or a[2] != b[2]), None)
            if parted is None:
                self.records.add("key-reuse", chain[-1], certain=False, how="again")
            else:
                self.records.add("key-reuse", chain[parted], certain=False, related=[(first[parted], "first used here")], how="twice")
        seen.append(chain)

    def branches(self, equation, branches):
        """Each branch starts from the same state: one use in each is no reuse."""
        before = {origin: list(places) for origin, places in self.uses.items()}
        merged = dict(before)
        for program, walk in branches:
            self.uses = {origin: list(places) for origin, places in before.items()}
            for variable, operand in zip(program.invars, equation.invars[1:]):
                self.origins[variable] = self.origin(operand)
            walk()
            for origin, places in self.uses.items():
                if len(places) > len(merged.get(origin, ())):
                    merged[origin] = places
        self.uses = merged

    def loop(self, equation, body, skip, consts, carry, what, walk):
        """A constant key that the body consumes, or a carried one that it hands on as it was, is used every turn."""
        for index, (variable, operand) in enumerate(zip(body.invars, equation.invars[skip:])):
            self.origins[variable] = self.origin(operand) if index < consts else ("turn", id(equation), index)
        before = {origin: len(places) for origin, places in self.uses.items()}
        walk()
        for index, variable in enumerate(body.invars[: consts + carry]):
            origin = self.origins[variable]
            used = self.uses.get(origin, ())
            if len(used) <= before.get(origin, 0) or not used[-1]:
                continue
            if index < consts or self.origin(body.outvars[index - consts]) == origin:
                self.records.add("key-reuse", used[-1][-1], certain=False, how="every turn", loop=what)
