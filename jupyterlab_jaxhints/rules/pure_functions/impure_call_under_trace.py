"""Asking the clock, the environment, a file or the user in compiled code.

## What JAX does
A function under `jit`, `scan` and the like runs in Python once, while JAX traces it. What the clock, the environment, a
file or `input` gives then becomes a constant of the program: every later call uses it again.

## Fix
None: ask outside, and give the answer as an argument.

## When it is fine
Outside of compiled code, in callbacks, and under `grad` or `vmap` alone, where the function runs at every call.

## References
- [Sharp bits: pure functions](guide#pure-functions)
"""
from ...engine import programs
from ...engine.events import Call
from ..base import Clean, Example, Hint, Rule, on, short

RULE = Rule(
    section="pure functions",
    kind="silent",
    says="`{call}` runs while JAX traces: later calls use its first answer again",
)

EXAMPLES = [
    Example(
        bad=["import time, jax\n@jax.jit\ndef stamped(x):\n    return x, «time.perf_counter()»", "_, a = stamped(1.0)\n_, b = stamped(1.0)"],
        sees="float(a) == float(b)",
    ),
    Example(
        bad=["import os, jax\nos.environ['SCALE'] = '2'\ndef body(i, x):\n    return x * float(«os.getenv('SCALE')»)\nf = jax.jit(lambda x: jax.lax.fori_loop(0, 2, body, x))\na = f(1.0)\nos.environ['SCALE'] = '3'\nb = f(1.0)"],
        sees="float(a) == 4.0 and float(b) == 4.0",
    ),
]

CLEAN = [
    Clean(["import time, jax\n@jax.jit\ndef f(x):\n    return x * x\nstart = time.time()\ny = f(1.0).block_until_ready()\ntook = time.time() - start"],
          because="the clock is read outside"),
    Clean(["import time, jax\n@jax.jit\ndef f(x):\n    jax.debug.callback(lambda v: time.time(), x)\n    return x\ny = f(1.0)"],
          because="a callback runs each time"),
    Clean(["import time, jax\ndef f(x):\n    t = time.time()\n    return x * x\ng = jax.grad(f)(2.0)"],
          because="`grad` alone runs the function each time"),
    Clean(["import time, jax\n@jax.jit\ndef f(x):\n    start = time.time()\n    y = x * x\n    print('tracing took', time.time() - start)\n    return y\ny = f(1.0)"],
          because="it times the tracing, and says so", runs=True),
]

CLOCKS = frozenset(f"time.{name}{ns}" for name in ("time", "perf_counter", "monotonic", "process_time", "thread_time")
                   for ns in ("", "_ns")) | {
    "time.localtime", "time.gmtime", "time.ctime", "time.strftime", "datetime.datetime.now", "datetime.datetime.utcnow",
    "datetime.datetime.today", "datetime.date.today", "timeit.default_timer"}
OTHERS = frozenset({
    "os.getenv", "os.environ.get", "os.getcwd", "os.listdir", "os.getpid", "os.urandom", "os.cpu_count", "os.system",
    "os.path.exists", "os.path.getmtime", "os.path.getsize", "builtins.open", "builtins.input", "uuid.uuid1",
    "uuid.uuid4", "secrets.token_bytes", "secrets.token_hex", "secrets.randbelow", "secrets.choice", "subprocess.run",
    "subprocess.check_output", "platform.node", "socket.gethostname", "numpy.load", "numpy.loadtxt", "numpy.genfromtxt",
    "numpy.fromfile", "pandas.read_csv", "pickle.load", "json.load", "glob.glob", "requests.get", "urllib.request.urlopen"})


@on(Call)
def check(event):
    """A call whose answer differs from one run to the next, in code that runs once."""
    if not programs.is_compiled(event.ctx) or event.name not in CLOCKS | OTHERS:
        return
    if event.name in CLOCKS and _is_watched(event):
        return
    yield Hint(event.node, call=short(event.text(event.node), 30))


def _is_watched(event):
    """The function prints, so that the clock may well be for the message: print-under-trace speaks of that."""
    function = event.ctx.function
    return function is not None and "print(" in event.text(function.node)
