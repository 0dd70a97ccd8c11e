"""The second dimension of a shape, given as a dtype.

## What JAX does
`jnp.zeros`, `jnp.ones` and their like take one shape and then a dtype. In `jnp.zeros(3, 4)` the 4 is taken
for a dtype, which raises `TypeError`. A shape of two dimensions is a tuple: `jnp.zeros((3, 4))`.

## Fix
Puts the numbers into a tuple.

## Fix safety
Safe: no number is a dtype.

## When it is fine
`jnp.eye(3, 4)` and functions that take the dimensions one by one; `np.random.rand(3, 4)`.

## References
- [Sharp bits: non-array inputs](guide#non-array-inputs)
"""
from ...engine.events import Call
from ...engine.values import NUMBER
from ...knowledge import api
from ..base import Clean, Example, Fix, Hint, Rule, on

RULE = Rule(
    section="non-array inputs",
    kind="error",
    says="`{number}` stands where `{function}` takes a dtype: this raises",
    lanes="S+T",
)

EXAMPLES = [
    Example(
        bad=["import jax.numpy as jnp\ntable = «jnp.zeros(2, 3)»"],
        raises="TypeError",
        fixed=["import jax.numpy as jnp\ntable = jnp.zeros((2, 3))"],
        gives="table.shape == (2, 3)",
    ),
    Example(
        bad=["import jax\nkey = jax.random.key(0)\nn = 4\nnoise = «jax.random.normal(key, n, 2)»"],
        raises="TypeError",
        fixed=["import jax\nkey = jax.random.key(0)\nn = 4\nnoise = jax.random.normal(key, (n, 2))"],
        gives="noise.shape == (4, 2)",
    ),
]

CLEAN = [
    Clean(["import jax.numpy as jnp\ny = jnp.eye(2, 3), jnp.zeros((2, 3)), jnp.ones(3, int), jnp.ones(2, 'int32')"],
          because="the second argument is a dimension or a dtype"),
    Clean(["import jax.numpy as jnp\ny = jnp.full((2,), 3), jnp.linspace(0, 1, 5), jnp.arange(0, 4)"],
          because="the numbers are values"),
    Clean(["import numpy as np\ny = np.random.rand(2, 3)"], because="`np.random.rand` takes dimensions one by one"),
]

# functions whose numbers are plainly a shape
SHAPED = frozenset({"jax.numpy.zeros", "jax.numpy.ones", "jax.numpy.empty", "jax.random.normal"})


@on(Call)
def check(event):
    """A number where a function of JAX takes a dtype."""
    entry = api.lookup(event.name, event.machine.jax_version) if event.name.startswith("jax.") else None
    place = entry.index("dtype") if entry is not None else None
    given = event.argument("dtype", place) if place is not None else None
    if given is None or not given.value.must_be(NUMBER) or given.star:
        return
    numbers = [arg for arg in event.args[entry.index("shape"):] if not arg.keyword] if event.name in SHAPED else []
    plain = bool(numbers) and given in numbers and all(arg.value.must_be(NUMBER) for arg in numbers)
    yield Hint(event.node, number=event.text(given.node), function=event.text(event.func_node),
               data=[arg.node for arg in numbers] if plain else None)


def fixes(hint, edit):
    """One tuple of the numbers."""
    if hint.data:
        first, last = hint.data[0], hint.data[-1]
        shape = ", ".join(edit.argument(node) for node in hint.data)
        yield Fix("Make the shape a tuple", [edit.replace_between(first, last, f"({shape})")])
