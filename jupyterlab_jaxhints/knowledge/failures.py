"""What a run that failed says: JAX's errors, by class and wording, and the rules that each may stand for.

The wordings hold from JAX 0.4.30 on; a test makes JAX raise each of them.
"""
from __future__ import annotations

import re
from dataclasses import dataclass

TRUTH = ("nan-check-under-trace", "missing-static-arg", "bool-op-on-tracer", "if-on-tracer", "while-on-tracer",
         "assert-on-tracer", "cast-on-tracer")
SIZES = ("traced-shape", "data-dependent-shape", "missing-static-arg", "for-over-traced-range", "cast-on-tracer",
         "numpy-on-tracer")


@dataclass(frozen=True)
class Failure:
    """One kind of error.

    error: the exception's class. says: a pattern that its message holds. rules: what it may stand for; the statement
    decides. shows: what the run has shown the values on the line to be that reading knows nothing of: "tracer",
    "mask" (a tracer of booleans), "scalar" (a tracer without dimensions), "array", "list", "dict", "numpy", or "" where
    that follows from nothing. names: the word in the rule's message that stands for the flagged code, for rules that
    only a run can find.
    """

    error: str
    rules: tuple[str, ...]
    says: str = ""
    shows: str = ""
    names: str = ""

    def fits(self, error: str, message: str) -> bool:
        return error == self.error and re.search(self.says, message) is not None


_UNHASHABLE = r"Non-hashable static arguments .* of type <class '"

FAILURES = (
    # a value is asked of a tracer
    Failure("TracerBoolConversionError", TRUTH, shows="tracer"),
    Failure("TracerArrayConversionError", ("numpy-on-tracer", "traced-shape", "missing-static-arg"), shows="tracer"),
    Failure("TracerIntegerConversionError",
            ("for-over-traced-range", "cast-on-tracer", "numpy-on-tracer", "missing-static-arg", "traced-shape"),
            shows="tracer"),
    Failure("ConcretizationTypeError", SIZES, shows="tracer"),
    Failure("NonConcreteBooleanIndexError", ("boolean-mask", "data-dependent-shape"), shows="mask"),
    Failure("TypeError", ("traced-shape", "missing-static-arg"), r"^Shapes must be 1D sequences of concrete values",
            shows="tracer"),
    Failure("TypeError", ("traced-shape", "missing-static-arg"), r"the value of parameter \w+ was not hashable: .*Tracer",
            shows="tracer"),
    Failure("IndexError", ("traced-slice-size", "missing-static-arg"), r"^Array slice indices must have static start",
            shows="tracer"),
    Failure("IndexError", ("traced-slice-size", "missing-static-arg"), r"^Slice entries must be static", shows="tracer"),
    Failure("TypeError", ("cast-on-tracer",), r"unsupported format string passed to \w*Tracer", shows="tracer"),
    Failure("TypeError", ("for-over-traced-range",), r"^iteration over a 0-d array", shows="scalar"),
    # arrays do not change
    Failure("TypeError", ("item-augmented-assignment", "item-assignment"), r"JAX arrays are immutable", shows="array"),
    Failure("AttributeError", ("inplace-method",), r"(ArrayImpl' object|Tracer'?( object)?) has no attribute", shows="array"),
    Failure("NotImplementedError", ("inplace-method",), r"'out' argument|^out argument of"),
    Failure("ValueError", ("readonly-numpy-view",), r"is read-only$"),
    # what functions take
    Failure("TypeError", ("list-index",), r"^Using a non-tuple sequence for multidimensional indexing", shows="array"),
    Failure("TypeError", ("sequence-argument",), r"requires ndarray or scalar arguments, got <class 'list'>", shows="list"),
    Failure("TypeError", ("sequence-argument",), r"'ArrayImpl' and '(list|tuple)'|'(list|tuple)' and 'ArrayImpl'"),
    Failure("TypeError", ("shape-as-dtype",), r"^Cannot interpret '.*' as a data type"),
    Failure("TypeError", ("lax-dtype-mismatch",), r"requires arguments to have the same dtypes"),
    Failure("ValueError", ("lax-dtype-mismatch",), r"^Cannot lower jaxpr with verifier errors"),
    Failure("AttributeError", ("removed-api",), r"^module 'jax[\w.]*' has no attribute"),
    # jit and its options
    Failure("ValueError", ("unhashable-static-arg",), _UNHASHABLE + "list'", shows="list"),
    Failure("ValueError", ("unhashable-static-arg",), _UNHASHABLE + "dict'", shows="dict"),
    Failure("ValueError", ("unhashable-static-arg",), _UNHASHABLE + "numpy.ndarray'", shows="numpy"),
    Failure("ValueError", ("unhashable-static-arg",), _UNHASHABLE + r".*ArrayImpl'", shows="array"),
    Failure("ValueError", ("static-argnames-mismatch",), r"^Jitted function has (invalid argnames|static_argn)"),
    Failure("TypeError", ("iterator-under-trace",), r"type <class '(zip|map|filter|generator|enumerate|\w+_iterator)'>"),
    Failure("TypeError", ("missing-static-arg",), r"type <class 'str'>"),
    Failure("TypeError", ("jit-method-without-static-self",), r"type <class '__main__\."),
    # what outlives its trace or its buffer
    Failure("UnexpectedTracerError", ("leaked-tracer",), names="name"),
    Failure("RuntimeError", ("donated-use",), r"^Array has been deleted with shape"),
    Failure("ValueError", ("donated-use",), r"[Bb]uffer has been deleted or donated", names="array"),
    # transforms
    Failure("TypeError", ("nonscalar-grad",), r"^Gradient only defined for scalar-output functions"),
    Failure("TypeError", ("integer-grad",), r"^\w+ requires real- or complex-valued inputs"),
    Failure("TypeError", ("branch-mismatch",), r"branches must have equal|must have identical types|must be a pair"
            r"|carry input and carry output|body_fun output and input must", names="text"),
    Failure("ValueError", ("vmap-axes-mismatch",), r"^vmap (got inconsistent sizes|was requested to map|in_axes must)",
            names="text"),
)


def failure(error: str, message: str) -> Failure | None:
    """What is known of an error; None for one that is not JAX's, or says nothing of a rule."""
    return next((row for row in FAILURES if row.fits(error, message)), None)
