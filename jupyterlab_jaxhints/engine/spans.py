"""Where nodes stand in a statement's text.

LibCST's position providers cost five times as much as generating the code once while noting offsets. The
generator's state is not public, so the providers stand in where a LibCST release changes it; a test compares
the two.
"""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper

try:
    from libcst._nodes.internal import CodegenState
except ImportError:
    CodegenState = None  # type: ignore[assignment,misc]

Span = tuple[int, int]


class Spans:
    """Spans of a module's nodes. Nodes are known by identity, so the module must stay alive."""

    def __init__(self, syntactic: dict[int, Span], full: dict[int, Span]) -> None:
        self._syntactic, self._full = syntactic, full

    def inner(self, node: cst.CSTNode) -> Span:
        """The node's own code without parentheses around it."""
        return self._syntactic.get(id(node)) or self._full[id(node)]

    def outer(self, node: cst.CSTNode) -> Span:
        """An expression with the parentheses around it; for everything else the same as `inner`."""
        return self._full[id(node)] if _in_parentheses(node) else self.inner(node)


def record(module: cst.Module, text: str) -> Spans | None:
    """The spans of all nodes; None where generating the code does not give back the text."""
    if CodegenState is not None:
        try:
            return _by_codegen(module, text)
        except RecursionError:
            return None
        except (AttributeError, TypeError):
            pass
    return by_provider(module, text)


if CodegenState is not None:

    class _Recorder(CodegenState):  # type: ignore[misc,valid-type]
        """Generates code and notes at which offsets nodes begin and end."""

        def __init__(self, module: cst.Module) -> None:
            super().__init__(default_indent=module.default_indent, default_newline=module.default_newline)
            self.offset = 0
            self.starts: list[int] = []
            self.syntactic: dict[int, Span] = {}
            self.full: dict[int, Span] = {}

        def add_indent_tokens(self) -> None:
            self.tokens.extend(self.indent_tokens)
            self.offset += sum(map(len, self.indent_tokens))

        def add_token(self, value: str) -> None:
            self.tokens.append(value)
            self.offset += len(value)

        def before_codegen(self, node: cst.CSTNode) -> None:
            self.starts.append(self.offset)

        def after_codegen(self, node: cst.CSTNode) -> None:
            self.full[id(node)] = (self.starts.pop(), self.offset)

        @contextmanager
        def record_syntactic_position(self, node: cst.CSTNode, *, start_node: cst.CSTNode | None = None,
                                      end_node: cst.CSTNode | None = None) -> Iterator[None]:
            start = self.offset
            yield
            end = self.offset
            if start_node is not None:
                start = self._known(start_node)[0]
            if end_node is not None:
                end = self._known(end_node)[1]
            self.syntactic[id(node)] = (start, end)

        def _known(self, node: cst.CSTNode) -> Span:
            return self.syntactic.get(id(node)) or self.full[id(node)]


def _by_codegen(module: cst.Module, text: str) -> Spans | None:
    state: Any = _Recorder(module)
    module._codegen(state)
    if "".join(state.tokens) != text:
        return None
    return Spans(state.syntactic, state.full)


def by_provider(module: cst.Module, text: str) -> Spans | None:
    """The same from LibCST's public providers; parentheses are told from their own nodes."""
    try:
        if module.code != text:
            return None
        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        found = wrapper.resolve(ByteSpanPositionProvider)
    except RecursionError:
        return None
    at = _code_points(text)
    spans = {id(node): (at(span.start), at(span.start + span.length)) for node, span in found.items()}
    full = dict(spans)
    for node in found:
        if _in_parentheses(node):
            full[id(node)] = (spans[id(node.lpar[0])][0], spans[id(node.rpar[-1])][1])
    return Spans(spans, full)


def _in_parentheses(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.BaseExpression) and bool(node.lpar)


def _code_points(text: str) -> Any:
    if text.isascii():
        return lambda offset: offset
    data = text.encode("utf-8")
    return lambda offset: len(data[:offset].decode("utf-8", "ignore"))
