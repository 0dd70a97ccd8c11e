"""What the fixes of printing rules share: a message as a format string of `jax.debug.print` with its values."""
from __future__ import annotations

import ast
from typing import Any, NamedTuple

import libcst as cst

from ...engine.scopes import words
from ...engine.textedits import EditRefused


class Hole(NamedTuple):
    """A value in a message: its node, and what follows it in the placeholder (`!r`, `:.2f`)."""

    node: Any
    spec: str


def parts_of(node: Any) -> list[Any]:
    """The texts (braces doubled) and holes of a string literal, an f-string, or literals side by side."""
    if isinstance(node, cst.ConcatenatedString):
        return [*parts_of(node.left), *parts_of(node.right)]
    if isinstance(node, cst.SimpleString):
        value = node.evaluated_value
        if not isinstance(value, str):
            raise EditRefused("bytes are no message")
        return [value.replace("{", "{{").replace("}", "}}")]
    if isinstance(node, cst.FormattedString):
        return [_part(node, part) for part in node.parts]
    raise EditRefused("the message is put together elsewhere")


def _part(string: cst.FormattedString, part: Any) -> Any:
    if isinstance(part, cst.FormattedStringText):
        prefix = string.prefix.lower().replace("f", "")
        return ast.literal_eval(f"{prefix}{string.quote}{part.value}{string.quote}")
    if part.equal is not None or any(not isinstance(p, cst.FormattedStringText) for p in part.format_spec or ()):
        raise EditRefused("the placeholder holds more than a format")
    spec = "".join(p.value for p in part.format_spec or ())
    return Hole(part.expression, (f"!{part.conversion}" if part.conversion else "") + (f":{spec}" if spec else ""))


def has_format(node: Any) -> bool:
    """A placeholder has a format specification, which a tracer cannot follow: the message itself raises."""
    if isinstance(node, cst.ConcatenatedString):
        return has_format(node.left) or has_format(node.right)
    return isinstance(node, cst.FormattedString) and any(getattr(part, "format_spec", None) for part in node.parts)


def call_arguments(edit: Any, parts: list[Any], quote: str, named: bool = True) -> str:
    """The arguments of `jax.debug.print` for a message. `named`: placeholders by name, where all values are names."""
    holes = [part for part in parts if isinstance(part, Hole)]
    named = named and bool(holes) and all(isinstance(hole.node, cst.Name) for hole in holes)
    text, values = "", []
    for part in parts:
        if isinstance(part, str):
            text += part
            continue
        value = edit.argument(part.node)
        if "\n" in value:
            raise EditRefused("a value spans lines")
        text += "{" + (value if named else "") + part.spec + "}"
        values.append(f"{value}={value}" if named else value)
    return ", ".join([literal(text, quote), *dict.fromkeys(values)] if named else [literal(text, quote), *values])


def called_back(edit: Any, event: Any, module: str, passed: Any) -> list:
    """A call as the body of a lambda for `jax.debug.callback`; each value in its message is an argument of that."""
    message = event.args[1 if event.name.endswith(".log") and len(event.args) > 1 else 0].node
    if not isinstance(message, (cst.SimpleString, cst.FormattedString)):
        raise EditRefused("the message is put together elsewhere")
    holes = [hole for arg in event.args for hole in _holes(arg)]
    if len(holes) != len(event.values) or any(arg.star or arg.keyword for arg in event.args):
        raise EditRefused("the values are not given one by one")
    given: dict[str, str] = {}
    edits = []
    for node, value in zip(holes, event.values):
        if isinstance(node, (cst.SimpleString, cst.Integer, cst.Float)) or edit.text(node).startswith("logging."):
            continue
        if not all(leaf.must_be(passed) for leaf in event.leaves(value)):
            raise EditRefused("JAX does not pass such a value on")
        text = edit.argument(node)
        name = text if isinstance(node, cst.Name) else next((n for n, t in given.items() if t == text), f"value{len(given) or ''}")
        if not isinstance(node, cst.Name):
            if name not in given and name in words(edit.statement.module):
                raise EditRefused("the name of the value is taken")
            edits.append(edit.replace(node, name))
        given[name] = text
    head = f"lambda {', '.join(given)}: " if given else "lambda: "
    tail = "".join(f", {text}" for text in given.values())
    return [edit.insert_before(event.node, f"{module}.debug.callback({head}"), edit.insert_after(event.node, f"{tail})"), *edits]


def _holes(arg: Any) -> list[Any]:
    if not isinstance(arg.node, cst.FormattedString):
        if isinstance(arg.node, cst.Dict):
            raise EditRefused("the values are given by name")
        return [arg.node]
    return [part.expression for part in arg.node.parts if isinstance(part, cst.FormattedStringExpression)]


def literal(text: str, quote: str) -> str:
    """A string literal of this text."""
    body = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    return quote + body.replace(quote, "\\" + quote) + quote


def quote_of(*nodes: Any) -> str:
    """The quotation mark that the user writes."""
    for node in nodes:
        while isinstance(node, cst.ConcatenatedString):
            node = node.left
        if isinstance(node, (cst.SimpleString, cst.FormattedString)):
            return node.quote[0] if isinstance(node.quote, str) else '"'
    return '"'
