"""Binary operations whose dtype is not NumPy's: mixed integers, half precision beside integers, strong scalars."""
from __future__ import annotations

import ast

from .base import kernel_jax, kernel_numpy
from .describe import short_dtype

BINARY_OPERATIONS = frozenset("add sub mul div rem pow max min".split())


class Promotions:
    """Follows `convert_element_type` back to what the operands were."""

    def __init__(self, records):
        self.records = records
        self.converted: dict = {}  # variable -> (what it was made of, where it was converted)

    def pass_on(self, variable, operand):
        """A parameter of a called program stands for the caller's operand."""
        self.converted.pop(variable, None)
        if hasattr(operand, "val"):
            self.converted[variable] = (operand, None)
        elif operand in self.converted:
            self.converted[variable] = self.converted[operand]

    def _before(self, variable, span):
        """What an operand was before this operation promoted it: casts that the user wrote elsewhere stand."""
        found = None if hasattr(variable, "val") else self.converted.get(variable)
        if found is None:
            return variable
        return found[0] if found[1] in (span, None) else variable

    def equation(self, equation, place):
        name = equation.primitive.name
        if name in ("convert_element_type", "broadcast_in_dim"):
            source = equation.invars[0]
            if hasattr(source, "val"):
                return
            here = None if place is None else place[2]
            before = self.converted.get(source)
            if name == "convert_element_type":
                known = before is not None and before[1] == here
                self.converted[equation.outvars[0]] = (before[0] if known else source, here)
            elif before is not None:
                self.converted[equation.outvars[0]] = before
            return
        if name not in BINARY_OPERATIONS or place is None or len(equation.invars) != 2:
            return
        left, right = equation.invars[0].aval.dtype, equation.invars[1].aval.dtype
        if left != right and name != "pow":  # JAX 0.4.30 lets this pass while it traces, and fails later
            self.records.add("lax-dtype-mismatch", place, left=short_dtype(left), right=short_dtype(right))
            return
        node = place[1].node_at(place[2])
        if not isinstance(node, (ast.BinOp, ast.AugAssign)):
            return
        one, other = (self._before(v, place[2]) for v in equation.invars)
        expected = self._surprise(one, other, equation.outvars[0].aval)
        if expected is not None:
            result = short_dtype(equation.outvars[0].aval.dtype)
            self.records.add("promotion-surprise", place, certain=False, result=result, numpy=short_dtype(expected),
                             left=short_dtype(one.aval.dtype), right=short_dtype(other.aval.dtype))

    @staticmethod
    def _surprise(one, other, out):
        """The dtype that NumPy (or a Python scalar) would give, where that is another one."""
        numpy, a, b = kernel_numpy(), one.aval, other.aval
        if getattr(a, "weak_type", False) or getattr(b, "weak_type", False) or a.dtype == b.dtype:
            return None
        try:
            usual = numpy.result_type(a.dtype, b.dtype)
        except TypeError:
            return None
        if "bool" in (str(a.dtype), str(b.dtype)):
            return None
        wide = usual.itemsize > 4 * (2 if usual.kind == "c" else 1)
        inputs_wide = any(numpy.dtype(x.dtype).itemsize > 4 for x in (a, b))
        if wide and not inputs_wide and not kernel_jax().config.jax_enable_x64:
            if usual.kind == "i" and {numpy.dtype(a.dtype).kind, numpy.dtype(b.dtype).kind} == {"u", "i"}:
                return usual
            usual = {"f": numpy.dtype("float32"), "c": numpy.dtype("complex64"), "i": numpy.dtype("int32")}.get(usual.kind, usual)
        if usual != out.dtype:
            return usual
        array, scalar = (a, other) if a.ndim and not b.ndim else (b, one) if b.ndim and not a.ndim else (None, None)
        if array is not None and hasattr(scalar, "val") and out.dtype.itemsize > array.dtype.itemsize:
            floating = kernel_jax().numpy.floating
            if all(kernel_jax().numpy.issubdtype(each.dtype, floating) for each in (array, out)):
                return array.dtype
        return None
