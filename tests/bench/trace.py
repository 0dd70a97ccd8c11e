"""Prints what traces cost in a real kernel: `python tests/bench/trace.py [--kernel PYTHON] [--times 20]`.

Each row is asked cold (the first of its kind in the kernel) and warm (the median of the others), beside a plain `1 + 1`.
`trip` is the round trip over the kernel's sockets, `CPU` what the kernel's process used meanwhile: on a busy machine the
second tells more.
"""
from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from jupyterlab_jaxhints.trace.carrier import KernelCarrier
from jupyterlab_jaxhints.trace.notebook import start_kernel
from jupyterlab_jaxhints.trace.request import content, facts_request, injection


def chain(lines: int) -> str:
    """A jitted function of that many assignments."""
    body = "".join(f"    y{i} = jnp.sin({'x' if i == 0 else f'y{i - 1}'}) * 2 + {i}\n" for i in range(lines - 1))
    return f"@jax.jit\ndef g(x):\n{body}    return y{lines - 2}\ng(x)"


TRIVIAL = "@jax.jit\ndef f(x):\n    return x + 1\nf(x)"
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
"""
ONCE = "\nparams, value = step(params, jnp.ones((128, 784)), jnp.ones((128, 10)))\n"
TRAINING = """
def accuracy(params, x, y):
    return jnp.mean(jnp.argmax(forward(params, x), axis=1) == y)

key = jax.random.key(0)
images = jax.random.normal(key, (1280, 784))
labels = jnp.arange(1280) % 10
losses = []
for batch in range(10):
    rows = slice(128 * batch, 128 * (batch + 1))
    params, value = step(params, images[rows], jax.nn.one_hot(labels[rows], 10))
    losses.append(value)
mean = jnp.stack(losses).mean()
right = accuracy(params, images, labels)
"""
CELLS = {
    "trivial function": TRIVIAL, "20 lines": chain(20), "200 lines": chain(200), "MLP step": MLP + ONCE,
    "whole cell": MLP + TRAINING,
}
CLOCK = "__import__('time').process_time()"


async def measure(python: str, times: int) -> None:
    manager, client = await start_kernel(python)
    carrier = KernelCarrier(client, alive=manager.is_alive)
    bench = Bench(carrier, times)
    try:
        await client.execute_interactive("import jax, jax.numpy as jnp\nx = jnp.ones(16)\n_ = x.sum()", timeout=60)
        print(f"{'':18} {'cold':>22}   {'warm (median)':>22}")
        await bench.row("1 + 1", lambda: carrier._send(content("1 + 1"), 10))
        await bench.row("the probe, sent", lambda: carrier._send(injection(), 30), times=4)
        await bench.row("facts", lambda: carrier.ask(facts_request(["x"])))
        for name, cell in CELLS.items():
            await bench.row(name, lambda cell=cell: carrier.trace([(name, cell)], [name], limit=5.0))
    finally:
        client.stop_channels()
        await manager.shutdown_kernel(now=True)


class Bench:
    """Asks again and again, with the kernel's own clock between the questions."""

    def __init__(self, carrier: KernelCarrier, times: int) -> None:
        self.carrier, self.times = carrier, times
        self.plain = 0.0  # the round trip of `1 + 1`

    async def cpu(self) -> float:
        message = self.carrier.client.session.msg("execute_request", content(CLOCK))
        self.carrier.client.shell_channel.send(message)
        while True:
            reply = await self.carrier.client.shell_channel.get_msg(timeout=10)
            if reply["parent_header"].get("msg_id") == message["header"]["msg_id"]:
                return 1000 * float(reply["content"]["user_expressions"]["r"]["data"]["text/plain"])

    async def row(self, title: str, ask: Callable[[], Awaitable[Any]], times: int | None = None) -> None:
        trips, used = [], []
        for _ in range(times or self.times):
            before, start = await self.cpu(), time.perf_counter()
            await ask()
            trips.append(1000 * (time.perf_counter() - start))
            used.append(await self.cpu() - before)
        trip, cpu = statistics.median(trips[1:]), statistics.median(used[1:])
        self.plain = self.plain or trip
        print(f"{title:18} trip {trips[0]:7.1f} CPU {used[0]:6.1f}   trip {trip:7.1f} CPU {cpu:6.1f} ms   "
              f"{trip / self.plain:5.1f} x `1 + 1`")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", default=sys.executable, help="the Python of the kernel")
    parser.add_argument("--times", type=int, default=20)
    options = parser.parse_args()
    asyncio.run(measure(options.kernel, options.times))


if __name__ == "__main__":
    main()
