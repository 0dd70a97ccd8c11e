"""How often the user's own run traced each function, as the kernel counts it."""
from __future__ import annotations

from trace_kernels import Kernel

from jupyterlab_jaxhints.retraces import beside_calls, counted
from jupyterlab_jaxhints.trace.request import facts_request

DEFINED = "@jax.jit\ndef step(x):\n    return x * 2"
GROWS = "for n in range(1, 6):\n    y = step(jnp.ones(n))"
STAYS = "for n in range(1, 6):\n    y = step(jnp.ones(5) * n)"


def counts(kernel: Kernel) -> dict[str, int]:
    return counted(kernel.wait(kernel.carrier.ask(facts_request([]))).data)


def names_functions(kernel: Kernel) -> bool:
    """Before JAX 0.6 the events do not say which function was traced."""
    return int(kernel.value("jax.__version__").split(".")[1]) >= 6


def test_the_last_run_of_a_cell_is_counted_and_our_traces_are_not(kernel: Kernel) -> None:
    counts(kernel)
    kernel.run(DEFINED)
    kernel.run(GROWS)
    expected = 5 if names_functions(kernel) else None
    assert counts(kernel).get("step") == expected
    kernel.trace(DEFINED, GROWS)
    kernel.trace(DEFINED, GROWS)
    assert counts(kernel).get("step") == expected, "a trace of ours counts as the user's"
    kernel.run(STAYS)
    assert "step" not in counts(kernel)


def test_the_count_stands_beside_the_only_call() -> None:
    assert beside_calls(GROWS, {"step": 5}) == {1: "step traced 5 times"}
    assert beside_calls(GROWS + "\nstep(y)", {"step": 5}) == {}
    assert beside_calls("%%time\n" + GROWS, {"step": 5}) == {2: "step traced 5 times"}
    assert beside_calls(GROWS, {"other": 5}) == beside_calls("for n in (", {"step": 5}) == beside_calls(GROWS, {}) == {}
