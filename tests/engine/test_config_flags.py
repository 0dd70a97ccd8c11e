"""The ways to set a flag of JAX, in notebook order."""
from __future__ import annotations

import pytest
from support import checking

ASKS = "import jax.numpy as jnp\nx = jnp.ones(2, dtype=jnp.float64)"


def rules(*cells: str) -> list[str]:
    return [diagnostic.rule for diagnostic in checking.diagnostics(cells)]


@pytest.mark.parametrize("first", [
    "import jax\njax.config.update('jax_enable_x64', True)",
    "from jax import config\nconfig.update('jax_enable_x64', True)",
    "import jax\njax.config.jax_enable_x64 = True",
    "import os\nos.environ['JAX_ENABLE_X64'] = '1'",
    "import os\nos.environ.setdefault('JAX_ENABLE_X64', 'true')",
    "%env JAX_ENABLE_X64=True",
    "%set_env JAX_ENABLE_X64 1",
    "import jax\njax.config.config_with_absl()",
])
def test_each_way_to_switch_64_bits_on_is_known(first: str) -> None:
    assert rules(first, ASKS) == []


def test_the_environment_works_before_the_import_alone() -> None:
    assert rules("import os, jax\nos.environ['JAX_ENABLE_X64'] = '1'", ASKS) == ["late-x64", "float64-without-x64"]


def test_a_with_block_sets_a_flag_for_itself() -> None:
    block = "import jax, jax.numpy as jnp\nwith jax.enable_x64(True):\n    x = jnp.ones(2, jnp.float64)\n"
    assert rules(block) == []
    assert rules(block + "y = jnp.ones(2, jnp.float64)") == ["float64-without-x64"]


def test_a_flag_that_is_changed_in_a_magic_is_read_again() -> None:
    assert rules("%env JAX_ENABLE_X64=0", ASKS) == ["float64-without-x64"]


def test_listing_devices_makes_no_array_but_starts_the_backend() -> None:
    start = "import jax\nprint(jax.devices())\n"
    assert rules(start + "jax.config.update('jax_enable_x64', True)") == []
    assert rules(start + "jax.config.update('jax_num_cpu_devices', 2)") == ["late-device-config"]
