"""Reading a name in compiled code that changes later.

## What JAX does
A function under `jit` runs in Python once for each combination of shapes, dtypes and static arguments. What it reads
from outside (a global, an enclosing function's local, an entry of a dict, an attribute) goes into the program as it is
then. Calls that find the program in the cache go on with the old value, without a word.

## Fix
Makes the value an argument, and gives it at each call.

## Fix safety
Unsafe: the function's signature changes; calls that JAX Hints does not see have to be changed by hand.

## When it is fine
Constants that never change; functions that run as Python each time, as under plain `grad` or `vmap`.

## References
- [Sharp bits: pure functions](guide#pure-functions)
"""
import re

import libcst as cst

from ...engine import programs, stale
from ...engine.events import NameRead, NotebookEnd, TransformedCall
from ...engine.textedits import EditRefused
from ...engine.values import Step
from ..base import Clean, Example, Fix, Hint, Rule, on, short

RULE = Rule(
    section="pure functions",
    kind="silent",
    says="`{path}` changes later, but the compiled `{function}` keeps its first value",
)

EXAMPLES = [
    Example(
        bad=["import jax\nrate = 1.0\n@jax.jit\ndef scaled(x):\n    return «rate» * x", "a = scaled(2.0)", "rate = 10.0\nb = scaled(2.0)"],
        sees="float(a) == 2.0 and float(b) == 2.0",
        fixed=["import jax\nrate = 1.0\n@jax.jit\ndef scaled(x, rate):\n    return rate * x", "a = scaled(2.0, rate)",
               "rate = 10.0\nb = scaled(2.0, rate)"],
        gives="float(a) == 2.0 and float(b) == 20.0",
    ),
    Example(
        bad=["import jax\ncfg = {'gain': 2.0}\ndef amplify(x):\n    return x * «cfg['gain']»\nfast = jax.jit(amplify)",
             "a = fast(1.0)\ncfg['gain'] = 3.0\nb = fast(1.0)"],
        sees="float(a) == 2.0 and float(b) == 2.0",
        fixed=["import jax\ncfg = {'gain': 2.0}\ndef amplify(x, gain):\n    return x * gain\nfast = jax.jit(amplify)",
               "a = fast(1.0, cfg['gain'])\ncfg['gain'] = 3.0\nb = fast(1.0, cfg['gain'])"],
        gives="float(b) == 3.0",
    ),
]

CLEAN = [
    Clean(["import jax\nrate = 1.0\n@jax.jit\ndef scaled(x):\n    return rate * x\na = scaled(2.0)\nb = scaled(3.0)"],
          because="the global never changes"),
    Clean(["import jax\nrate = 1.0\ndef scaled(x):\n    return rate * x * x\na = jax.grad(scaled)(2.0)\nrate = 3.0\nb = jax.grad(scaled)(2.0)"],
          because="`grad` alone runs the function each time"),
    Clean(["import jax, jax.numpy as jnp\nn = 2\n@jax.jit\ndef scaled(x):\n    return n * x\na = scaled(jnp.ones(2))\nn = 3\nb = scaled(jnp.ones(3))"],
          because="another shape is another program"),
    Clean(["import jax\nrate = 1.0\n@jax.jit\ndef scaled(x):\n    return rate * x\na = scaled(2.0)\nrate = 2.0\njax.clear_caches()\nb = scaled(2.0)"],
          because="the cache is cleared in between"),
    Clean(["import jax\nrate = 1.0\na = jax.jit(lambda x: rate * x)(2.0)\nrate = 2.0\nb = jax.jit(lambda x: rate * x)(2.0)"],
          because="each lambda is a function of its own"),
]


@on(NotebookEnd)
def check(event):
    """A read that a program holds, of what has changed before the program runs again."""
    for found in stale.reads(event):
        read = found.read
        if not read.outer and read.value.ref in programs.objects(read.ctx):
            continue  # a static argument's: static-self-mutated speaks of it
        function = read.ctx.function
        change = Step(f"`{short(read.path)}` changes here", found.change.node, found.change.place)
        calls = [c for c in event.of(TransformedCall) if c.function is not None and c.function.node is function.node]
        reads = [r for r in event.of(NameRead) if r.path == read.path and r.ctx.function.node is function.node]
        yield Hint(read.node, place=read.place, path=short(read.path), function=short(function.name),
                   evidence=[*read.ctx.chain(), change], data=(read, calls, reads))


def fixes(hint, edit):
    """One more parameter behind those that every call gives, and one more argument in each call."""
    read, calls, reads = hint.data
    function = read.ctx.function
    required = [p for p in (*function.node.params.posonly_params, *function.node.params.params) if p.default is None]
    if not isinstance(function.node, cst.FunctionDef) or not calls or not required or not read.outer or read.number:
        return
    name = _name(read)
    if name is None or name in {p.name.value for p in function.parameters} or name in function.positional:
        return
    edits = [edit.insert_after(required[-1], f", {name}")]
    if read.path != read.name:
        edits += [edit.replace(node, name) for node in {id(r.node): r.node for r in reads}.values()]
    for call in {(id(c.node), c.place.key): c for c in calls}.values():
        edits.append(_argument(edit, call, len(required), read.path))
    yield Fix(f"Make {name} an argument", edits, safe=False)


def _name(read):
    found = re.search(r"""(\w+)(?:['"]\])?$""", read.path)
    return found.group(1) if found and found.group(1).isidentifier() else None


def _argument(edit, call, count, path):
    options = call.wrapped.options
    plain = [arg for arg in call.node.args if arg.keyword is None and not arg.star] if isinstance(call.node, cst.Call) else []
    if len(plain) != count or call.ctx.frames or any(n.endswith("argnums") for n in options) or len(call.args) < count:
        raise EditRefused("a call does not give its arguments one by one")
    return edit.elsewhere(call.place).insert_after(plain[-1].value, f", {path}")
