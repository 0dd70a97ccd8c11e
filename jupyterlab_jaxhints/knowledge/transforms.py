"""JAX's transforms and those of the libraries around it: which argument is a function, and what that
function sees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from .api import canonical
from .tables import load, load_plain


@dataclass(frozen=True)
class Transform:
    """One transform.

    Where the parameters of its functions come from is said by source: `arguments` (those of the wrapped
    function's own
    call), `*primals` (the further arguments of this call), `init` (the argument of that name), `xs[]` (an
    element of it),
    `int` (a counter), `nondiff` (the arguments that `nondiff_argnums` names), `residuals`, `cotangent`,
    `refs`, …
    """

    name: str
    #: wrap (gives a function) | now (calls its function on the arguments after it) | loop (a primitive that
    #: takes bodies)
    form: str
    #: parameter that takes a function → sources of that function's parameters; `branches[]`: a sequence of
    #: functions
    functions: Mapping[str, tuple[str, ...]]
    #: what the call gives, or for `wrap` the call of the function given back: result, gradient, (result,
    #: gradient), carry …
    gives: str
    #: kind of tracer that the function sees: abstract | linear | ref | "" for none
    tracer: str = ""
    #: function → what each of its parameters is: abstract, linear, ref, array, numpy, function, static
    seen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: values made inside are tracers too, and printing happens while tracing only
    staged: bool = False
    #: "tracer" where `jnp.zeros(()) >= 0` in the function is one, else "concrete"
    constants: str = "concrete"
    #: the same call a second time runs the function's Python code again
    runs_again: bool = True
    #: parameter names in order; `*rest` and `**rest` marked, a bare `*` before those that only keywords reach
    parameters: tuple[str, ...] = ()
    #: what chooses the traced arguments: static | static_broadcasted | argnums | in_axes | nondiff | ""
    selects: str = ""
    #: option → what the function's two parameters then are
    selected: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    #: takes `has_aux`
    aux: bool = False
    #: the function is host code that gets real values
    host: bool = False
    #: only arrays inside the arguments are traced: an argument that is no array stays what it is
    leafwise: bool = False
    #: arguments may be mutable objects whose attributes are set
    mutable: bool = False
    #: runs its function at every call, on real values split over devices
    eager: bool = False

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the parameters that may follow the function by position."""
        after: list[str] = []
        seen_function = False
        for name in self.parameters:
            if name.startswith("*"):
                break
            if seen_function:
                after.append(name)
            seen_function = seen_function or name in self.functions or f"{name}[]" in self.functions
        return tuple(after)


@lru_cache(maxsize=512)
def transform(qualified: str, jax: str | None = None) -> Transform | None:
    """The row of a transform, aliases resolved; None where the name is not known to be one."""
    name = canonical(qualified)
    row = load("transforms.json").get(name, jax) or load_plain("library_transforms.json").get(name)
    if row is None:
        return None
    plain = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    for key in ("functions", "seen", "selected"):
        plain[key] = {part: tuple(value) for part, value in row.get(key, {}).items()}
    return Transform(name, **plain)


def names() -> frozenset[str]:
    """The qualified names of all transforms."""
    table = load("transforms.json")
    return frozenset((*table.newest, *table.oldest, *load_plain("library_transforms.json")))
