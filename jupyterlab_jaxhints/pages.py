"""A rule's page as Markdown, from its file: for the card, the panel, `jaxhints rule`, SARIF and docs/rules."""
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from .protocol import RuleInfo, RulePage
from .rules import LoadedRule
from .rules.base import Example

DOCUMENTATION = "https://docs.jax.dev/en/latest/"
# short names that pages use for what they link to
LINKS = {"guide": DOCUMENTATION + "notebooks/Common_Gotchas_in_JAX.html", "jax": DOCUMENTATION.rstrip("/")}
HEADINGS = ("What JAX does", "Fix", "Fix safety", "When it is fine", "References")

_LINK = re.compile(r"\]\((\w+)(?=[#/)])")
_MARKS = re.compile("[«»]")
_KINDS = {
    "error": "JAX raises", "silent": "wrong or stale results", "slow": "right but slow", "style": "a matter of style",
}


def info(rule: LoadedRule) -> RuleInfo:
    """A rule's line in the table of rules."""
    return RuleInfo(name=rule.name, section=rule.section, title=rule.title, kind=rule.rule.kind,
                    lanes=rule.rule.lanes, fixable=has_fix(rule))


def page(rule: LoadedRule) -> RulePage:
    """A rule's page."""
    return RulePage(name=rule.name, title=rule.title, markdown=markdown(rule))


def has_fix(rule: LoadedRule) -> bool:
    """Some example is mended by a fix."""
    return any(example.fixed is not None for example in rule.examples)


def address(rule: LoadedRule) -> str:
    """The page of JAX's documentation that the rule follows from."""
    match = re.search(r"\]\(([^)\s]+)\)", _linked(rule.markdown).partition("## References")[2])
    return match[1] if match else LINKS["guide"]


def markdown(rule: LoadedRule) -> str:
    """What JAX does, the fix, an example before and after, and what stays silent."""
    facts = [f"`{rule.name}`", rule.section, _KINDS[rule.rule.kind], "has a fix" if has_fix(rule) else "no fix"]
    if rule.rule.jax:
        facts.append(f"JAX {rule.rule.jax}")
    body, _, references = _linked(rule.markdown).partition("## References")
    parts = [" · ".join(facts), body.strip()]
    if rule.examples:
        parts += ["## Example", *_example(rule.name, rule.examples[0])]
    if rule.clean:
        parts += ["## Stays silent", "\n".join(f"- {_sentence(clean.because)}" for clean in rule.clean)]
    parts += ["## References", references.strip()]
    return "\n\n".join(part for part in parts if part) + "\n"


def document(rule: LoadedRule) -> str:
    """A rule's page as a file of its own."""
    return f"# {rule.title}\n\n{markdown(rule)}"


def table(rules: Sequence[LoadedRule], folder: str) -> str:
    """All rules as a Markdown table; names link to their pages in the folder."""
    rows = ["| Section | Rule | What it finds | Without us | Fix |", "| --- | --- | --- | --- | --- |"]
    section = None
    for rule in rules:
        first = "" if rule.section == section else rule.section
        section = rule.section
        rows.append(f"| {first} | [{rule.name}]({folder}{rule.name}.md) | {rule.title} | {_KINDS[rule.rule.kind]} "
                    f"| {'yes' if has_fix(rule) else ''} |")
    return "\n".join(rows) + "\n"


def _example(name: str, example: Example) -> Iterator[str]:
    yield _code(marked(example.bad, name))
    if example.raises:
        yield f"Running it raises `{example.raises}`."
    elif example.sees:
        yield f"After running it, `{example.sees}` is true."
    if example.fixed is not None:
        yield "After the fix:"
        yield _code(example.fixed)
        if example.gives:
            yield f"Now `{example.gives}` is true."


def marked(cells: Sequence[str], name: str) -> list[str]:
    """Cells with a comment at the end of each line where a «marked» range begins."""
    shown = []
    for cell in cells:
        lines = cell.split("\n")
        shown.append("\n".join(
            _MARKS.sub("", line) + (f"  # ← {name}" if "«" in line and "#" not in line else "") for line in lines
        ))
    return shown


def _code(cells: Sequence[str]) -> str:
    return "\n\n".join(f"```python\n{cell}\n```" for cell in cells)


def _linked(text: str) -> str:
    return _LINK.sub(lambda match: f"]({LINKS.get(match[1], match[1])}", text)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
