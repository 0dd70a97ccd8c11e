"""Prints how long traces take in a real kernel: `python tests/bench/trace.py [--kernel PYTHON] [--times 20]`.

Round trips over the kernel's sockets, cold (the first of its kind in the kernel) and warm, beside a plain `1 + 1`.
"""
from __future__ import annotations

import argparse
import asyncio
import sys
import time

from jupyterlab_jaxhints.trace.carrier import KernelCarrier
from jupyterlab_jaxhints.trace.notebook import start_kernel
from jupyterlab_jaxhints.trace.request import content, facts_request, injection

TRIVIAL = "@jax.jit\ndef f(x):\n    return x + 1\nf(x)"
TWENTY = "@jax.jit\ndef g(x):\n" + "".join(
    f"    y{i} = jnp.sin({'x' if i == 0 else f'y{i - 1}'}) * 2 + {i}\n" for i in range(19)) + "    return y18\ng(x)"
LONG = "@jax.jit\ndef g(x):\n" + "".join(
    f"    y{i} = jnp.sin({'x' if i == 0 else f'y{i - 1}'}) * 2 + {i}\n" for i in range(199)) + "    return y198\ng(x)"
MLP = """
params = [dict(w=jnp.zeros((m, n)), b=jnp.zeros(n)) for m, n in ((784, 512), (512, 512), (512, 10))]

def forward(params, x):
    for layer in params:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return x

def loss(params, x, y):
    return jnp.mean((forward(params, x) - y) ** 2)

@jax.jit
def step(params, x, y):
    value, grads = jax.value_and_grad(loss)(params, x, y)
    return jax.tree_util.tree_map(lambda p, g: p - 0.1 * g, params, grads), value

for batch in range(10):
    params, value = step(params, jnp.ones((128, 784)), jnp.ones((128, 10)))
"""
CELLS = {"trivial function": TRIVIAL, "20 lines": TWENTY, "MLP step": MLP, "200 lines": LONG}


async def measure(python: str, times: int) -> None:
    manager, client = await start_kernel(python)
    carrier = KernelCarrier(client, alive=manager.is_alive)
    try:
        await client.execute_interactive("import jax, jax.numpy as jnp\nx = jnp.ones(16)\nx.sum()", timeout=60)
        await _row("1 + 1", lambda: carrier._send(content("1 + 1"), 10), times)
        await _row("the probe, sent", lambda: carrier._send(injection(), 30), 3)
        await _row("facts", lambda: carrier.ask(facts_request(["x"])), times)
        for name, cell in CELLS.items():
            await _row(name, lambda cell=cell: carrier.trace([(name, cell)], [name], limit=5.0), times)
    finally:
        client.stop_channels()
        await manager.shutdown_kernel(now=True)


async def _row(title, ask, times: int) -> None:
    took, inside = [], 0.0
    for _ in range(times):
        start = time.perf_counter()
        answer = await ask()
        took.append(1000 * (time.perf_counter() - start))
        inside = answer.data.get("ms", 0.0)
    warm = sorted(took[1:])
    print(f"{title:18} first {took[0]:7.1f} ms   then {warm[len(warm) // 2]:6.1f} ms (p95 {warm[int(len(warm) * 0.95)]:6.1f})"
          f"   in the kernel {inside:6.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", default=sys.executable, help="the Python of the kernel")
    parser.add_argument("--times", type=int, default=20)
    options = parser.parse_args()
    asyncio.run(measure(options.kernel, options.times))


if __name__ == "__main__":
    main()
