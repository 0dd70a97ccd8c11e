"""What JAX's exceptions look like, and the cell frames and the tracer that one carries."""
from __future__ import annotations

import re

from .base import is_tracer

BY_TEXT = tuple(
    (rule, re.compile(pattern))
    for rule, pattern in (
        ("shape-mismatch", r"^All input arrays must have the same shape"),
        ("branch-mismatch", r"must have (the )?(same|identical|equal)(?! dtypes)|branches must have|branch outputs must|carry input and"
                            r"|body_fun output and input must|output and \w+ output must|must be a pair"
                            r"|must return a boolean scalar"),
        ("lax-dtype-mismatch", r"requires arguments to have the same dtypes"),
        ("vmap-axes-mismatch", r"vmap got inconsistent sizes|in_axes must be|axes must be|rank should be at least"
                               r"|vmap (was|must)|in_axes specification|out_axes|vmap got arg"),
        ("nonscalar-grad", r"only defined for scalar-output|Gradient only defined|scalar-valued functions"),
        ("integer-grad", r"requires real- or complex-valued inputs|requires real-valued (inputs|outputs)"),
        ("unhashable-static-arg", r"Non-hashable static arguments|unhashable type|static arguments? should be comparable"),
        ("static-argnames-mismatch", r"invalid argnames|nvalid argnums|argnums? .*(out of range|is not valid)"
                                     r"|not valid (arg|keyword)|[Jj]itted function has invalid"),
        ("list-index", r"non-tuple sequence for multidimensional indexing"),
        ("sequence-argument", r"requires ndarray or scalar arguments, got <class '(list|tuple)'>"),
        ("shape-as-dtype", r"Cannot interpret '.*' as a data type|data type '?.*'? not understood"),
        ("traced-slice-size", r"slice indices must have static|Slice entries must be static"),
        ("item-assignment", r"object does not support item assignment|are immutable and do not support in-place"),
        ("bad-pytree-registration", r"metadata fields|while checking equality of|comparing (the )?(pytree )?metadata"),
        ("iterator-under-trace", r"Argument '<?(zip|map|filter|generator|enumerate|list_iterator|range_iterator|dict_values"
                                 r"|dict_items|dict_keys)|type '<class '(zip|map|filter|generator|enumerate|\w+_iterator|dict_\w+)'>"
                                 r"|type <class '(zip|map|filter|generator|enumerate|\w+_iterator|dict_\w+)'>"),
        ("for-over-traced-range", r"iteration over a 0-d array"),
        ("traced-shape", r"Shapes must be 1D sequences of concrete values"),
        ("shape-mismatch", r"[Ii]ncompatible shapes|shapes? must be|got shapes?|contracting dimension|got incompatible"
                           r"|[Cc]annot (concatenate|reshape|broadcast)|arrays? with shapes|must be broadcast"
                           r"|[Dd]imension.*(mismatch|differ)|size mismatch|not compatible"
                           r"|Size of label .* does not match|Incompatible types for broadcasting"
                           r"|inconsistent size for core dimension|dimension size .*must (equal|divide)"
                           r"|does not result in an equal division|axis -?\d+ is out of bounds for array of dimension"),
    )
)
CONVERSIONS = frozenset(("TracerBoolConversionError", "TracerIntegerConversionError", "TracerArrayConversionError",
                         "ConcretizationTypeError", "NonConcreteBooleanIndexError"))
ASK_VALUES = ("unsupported format string passed to", "iteration over a 0-d", "indices must have static",
              "Slice entries must be static", "Shapes must be 1D sequences")  # errors of other classes that ask for a value
CASTS = frozenset("float int complex bool item tolist __float__ __int__ index".split())
REDUCERS = frozenset("any all max min sorted sum".split())
DATA_DEPENDENT = frozenset(
    """nonzero unique argwhere flatnonzero where intersect1d setdiff1d union1d setxor1d repeat bincount unique_values
    unique_counts unique_inverse unique_all compress extract delete trim_zeros roots""".split())
SHAPED = frozenset(
    """zeros ones full empty arange linspace logspace geomspace eye identity tri reshape broadcast_to tile one_hot
    segment_sum segment_max segment_min segment_prod iota broadcasted_iota resize ravel_multi_index unravel_index
    indices normal uniform randint choice permutation bernoulli array_split split pad diag triu tril roll""".split())


class Frame:
    """One cell frame of a traceback."""

    __slots__ = ("place", "frame", "between")

    def __init__(self, place, frame, between):
        self.place, self.frame, self.between = place, frame, between  # between: JAX frames down to the next cell frame


def cell_frames(error, book):
    found, trace = [], error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        place = book.place(code, trace.tb_lasti)
        if place is not None:
            found.append(Frame(place, trace.tb_frame, []))
        elif found:
            found[-1].between.append(trace.tb_frame)
        trace = trace.tb_next
    return found


def culprit(error):
    """The tracer that could not be made concrete, from the innermost frames of JAX."""
    frames, trace = [], error.__traceback__
    while trace is not None:
        frames.append(trace.tb_frame)
        trace = trace.tb_next
    for frame in reversed(frames[-4:]):
        values = frame.f_locals
        for name in ("self", "arg", "val", "tracer", "x", "idx", "item", "i", "index", "shape"):
            if is_tracer(values.get(name)):
                return values[name]
            parts = values.get(name)
            parts = (parts,) if isinstance(parts, slice) else parts
            if isinstance(parts, (tuple, list)):
                for part in parts:
                    if is_tracer(part):
                        return part
                    for end in (part.start, part.stop, part.step) if isinstance(part, slice) else ():
                        if is_tracer(end):
                            return end
    return None
