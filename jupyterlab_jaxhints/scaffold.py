"""The file of a new rule, to be filled in."""
from __future__ import annotations

import re
from pathlib import Path

from . import rules
from .errors import ConfigError

TEMPLATE = '''"""{title}.

## What JAX does
Say what happens with an array here, in one paragraph.

## Fix
Say what the fix writes.

## Fix safety
Say when the fix changes more than the mistake.

## When it is fine
Say what looks alike and is right.

## References
- [{section}](guide)
"""
from __future__ import annotations

from ...engine.events import Call
from ..base import Clean, Example, Hint, Rule, on

RULE = Rule(
    section="{section}",
    kind="{kind}",
    says="`{{name}}` does something",
)

EXAMPLES = [
    Example(
        bad=["import jax.numpy as jnp\\n«x = jnp.zeros(3)»"],
        {claim},
    ),
]

CLEAN = [
    Clean(["import numpy as np\\nx = np.zeros(3)"], because="NumPy does it otherwise"),
]


@on(Call)
def check(event):
    if event.name == "jax.numpy.{function}":
        yield Hint(event.node, name=event.name)
'''


def write(name: str, section: str, kind: str, folder: Path | None = None) -> Path:
    """Writes the file and returns its place; raises ConfigError where it can't be."""
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", name):
        raise ConfigError("bad-name", f"`{name}` is not a rule name: two or more words in kebab-case name the mistake.")
    sections = {rules.slug(known): known for known in rules.SECTIONS}
    known = sections.get(rules.slug(section))
    if known is None:
        raise ConfigError("unknown-section", f"`{section}` is not a section; known are: {', '.join(rules.SECTIONS)}.")
    path = (folder or rules.FOLDER) / folder_name(known) / f"{name.replace('-', '_')}.py"
    if path.exists() or name in rules.names():
        raise ConfigError("rule-exists", f"There is a rule `{name}` already.")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text(name, known, kind), encoding="utf-8")
    return path


def text(name: str, section: str, kind: str) -> str:
    """What the new file says."""
    claim = 'raises="TypeError"' if kind == "error" else 'sees="x.tolist() == []"'
    return TEMPLATE.format(title=name.replace("-", " ").capitalize(), section=section, kind=kind, claim=claim,
                           function=name.replace("-", "_"))


def folder_name(section: str) -> str:
    """A section's folder: a Python name, so `64-bit precision` becomes `precision_64_bit`."""
    words = re.findall(r"[a-z0-9]+", section.lower())
    if words[0].isdigit():
        words = [*words[2:], *words[:2]]
    return "_".join(words)
