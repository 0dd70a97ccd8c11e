"""From an exception that the trace raised to the rule it shows. Exception classes, positions and the tracer itself
decide; JAX's wording only where nothing else does, by phrases that hold from 0.4.30 on."""
from __future__ import annotations

import ast
import re

from .base import Unknown, first_line
from .errortexts import (ASK_VALUES, BY_TEXT, CASTS, CONVERSIONS, DATA_DEPENDENT, REDUCERS, SHAPED, cell_frames,
                         culprit)
from .levels import tracer_token
from .operands import operand_types
from .positions import node_span

class Reader:
    """Turns one exception into one finding."""

    def __init__(self, records, hooks):
        self.records, self.hooks = records, hooks

    def report(self, error) -> str:
        """Adds the finding; returns why the statement has no result. Raises Unknown for what is ours, not JAX's."""
        frames = cell_frames(error, self.records.book)
        name, message = type(error).__name__, first_line(error)
        if not frames:
            return "%s: %s" % (name, message)
        self._mark_failed(frames)
        if name in CONVERSIONS or any(part in message for part in ASK_VALUES):
            if any("ensure_compile_time_eval" in frame.place[1].text for frame in frames):
                raise Unknown("is evaluated at compile time")
            tracer = culprit(error)
            if self._is_ours(name, tracer, frames):
                raise Unknown("depends on values")
        elif "JAX tried to execute" in message:
            raise Unknown("computes while it is traced")
        elif name == "ValueError" and "read-only" in message:
            self._array_written(frames[-1])
            raise Unknown("writes into a NumPy array")
        rule, place, data = self._classify(error, name, message, frames)
        if rule is not None:
            related = [(frame.place, "called from here") for frame in reversed(frames[:-1])][:4]
            data["error"] = name
            self.records.add(rule, place, related=related, jax=message, **data)
        return "%s: %s" % (name, message)

    def _array_written(self, frame):
        """The trace sees the notebook's NumPy arrays through views that cannot be written. Traced code that writes one
        does so once for each trace, not for each call."""
        level = self.hooks.levels.get(id(frame.frame))
        cell, source, span = frame.place
        base = source.node_at(span)
        while isinstance(base, (ast.Subscript, ast.AugAssign, ast.Assign)):
            base = base.value if isinstance(base, ast.Subscript) else getattr(base, "target", None) or base.targets[0]
        if level is None or not level.staged or not isinstance(base, ast.Name):
            return
        array = frame.frame.f_locals.get(base.id, dict.get(self.hooks.shadow, base.id))
        if id(array) in self.hooks.shadow.clone.copies:
            self.records.add("global-write-under-trace", frame.place, target=source.text_at(span), tracer=False, how="store")

    def _mark_failed(self, frames):
        for number in self.records.clean:
            place = self.records.place_of(number)
            if place is None or not self.records.clean[number]:
                continue
            for frame in frames:
                cell, _, span = frame.place
                if cell == place[0] and place[2][:2] <= span[:2] and span[2:] <= place[2][2:]:
                    self.records.clean[number] = False

    def _is_ours(self, name, tracer, frames) -> bool:
        """Whether real, concrete values would stand here: the code is eager, or reads a value that is abstract only
        because the probe runs the cell."""
        if tracer is not None:
            if type(tracer).__name__ == "LinearizeTracer" and name != "TracerBoolConversionError":
                return False  # under `grad` only truth is asked of the value behind
            return tracer_token(tracer) == self.hooks.outer
        level = self.hooks.levels.get(id(frames[-1].frame))
        if level is not None:
            return level.eager
        return not any(_library(frame) for entry in frames for frame in entry.between)

    # -- which rule
    def _classify(self, error, name, message, frames):
        frame = frames[-1]
        cell, source, span = frame.place
        node = source.node_at(span)
        if name == "UnexpectedTracerError":
            held = any(self.hooks.shadow.holds_tracer(read) for read in list(self.hooks.shadow.read))
            held = held or any(f["data"].get("tracer") for f in self.records.findings.values())
            return (None if held else "leaked-tracer"), frame.place, {}
        if name == "ScopeParamShapeError":  # Flax: the parameters were made for other shapes
            return "shape-mismatch", frame.place, {}
        if name == "KeyReuseError":
            return "key-reuse", frame.place, {}
        if name in ("ValueError", "AttributeError", "TypeError", "IndexError", "KeyError", "AssertionError"):
            flattened = self._pytree_frame(frames)
            if flattened is not None:
                return "bad-pytree-registration", flattened, {}
        if name == "TracerBoolConversionError":
            return self._boolean(error, node, frame)
        if name == "NonConcreteBooleanIndexError":
            return "boolean-mask", frame.place, {}
        if name in CONVERSIONS:
            return self._concrete(error, name, node, frames)
        if "unsupported format string passed to" in message and "Tracer" in message:
            return "cast-on-tracer", frame.place, {"how": "format"}
        if "truth value of an array with more than one element is ambiguous" in message and node is not None:
            return self._boolean(error, node, frame) if self._staged(frame) else (None, None, {})
        if "Error interpreting argument" in str(error) or "Cannot interpret value of type" in message:
            return self._bad_argument(error, frame)
        return self._by_text(error, message, frames)

    def _staged(self, frame) -> bool:
        level = self.hooks.levels.get(id(frame.frame))
        return level is not None and not level.eager

    def _by_text(self, error, message, frames):
        frame = frames[-1]
        text = str(error)[:600]
        for rule, pattern in BY_TEXT:
            if not pattern.search(text):
                continue
            if rule == "branch-mismatch" and not any("control_flow" in _module_of_frame(f) for f in frame.between):
                continue
            if rule == "shape-mismatch" and not any(_library(f) for f in frame.between):
                return None, None, {}
            if rule == "unhashable-static-arg" and not self.hooks.calls.is_jitted(self._called(frame)):
                if not any(_library(f) for f in frame.between):
                    return None, None, {}
            if rule == "item-assignment":
                return self._item_store(frame)
            if rule == "bad-pytree-registration":
                kinds = [type(value) for value in self._call_values(frame)[1]]
                if any(self.hooks.registered(kind.__name__) for kind in kinds if kind.__module__ == "__main__"):
                    return None, None, {}
            if rule == "nonscalar-grad":
                return rule, self._wrapper_place(frame), {}
            if rule == "shape-mismatch":
                return rule, frame.place, {"types": operand_types(frame)}
            if rule == "traced-shape":
                return self._concrete(error, "ConcretizationTypeError", frame.place[1].node_at(frame.place[2]), frames)
            return rule, frame.place, {}
        return None, None, {}

    @staticmethod
    def _item_store(frame):
        cell, source, span = frame.place
        node = source.node_at(span)
        while node is not None and not isinstance(node, ast.stmt):
            node = source.parents().get(node)
        if node is None:
            return None, None, {}
        value, target = getattr(node, "value", None), ast.unparse(getattr(node, "target", None) or node.targets[0]) if isinstance(
            node, (ast.Assign, ast.AugAssign)) else ""
        updates = isinstance(value, ast.Call) and _tail(value.func) in ("minimum", "maximum") and target in map(ast.unparse, value.args)
        augmented = isinstance(node, ast.AugAssign) or updates
        return ("item-augmented-assignment" if augmented else "item-assignment"), (cell, source, node_span(node)), {"target": target}

    def _wrapper_place(self, frame):
        """Where `grad(f)` was written, when that is not where the result is called."""
        function = self._called(frame)
        made = self.hooks.calls.wrapped.get(id(function))
        place = self.records.place_of(made[1]) if made is not None and made[0] is function else None
        return place or frame.place

    def _boolean(self, error, node, frame):
        cell, source, _ = frame.place
        if isinstance(node, (ast.If, ast.While, ast.Assert, ast.IfExp)):
            node = node.test  # Python 3.11 gives the jump the position of the statement
        parents, child = source.parents(), node
        rule, at = None, node
        parameter = isinstance(node, ast.Name) and self._parameter(error, [frame])
        while child is not None and rule is None:
            parent = parents.get(child)
            if isinstance(parent, (ast.If, ast.IfExp)) and parent.test is child or isinstance(parent, ast.comprehension):
                rule = "if-on-tracer"
            elif isinstance(parent, ast.While) and parent.test is child:
                rule = "while-on-tracer"
            elif isinstance(parent, ast.Assert) and parent.test is child:
                rule = "assert-on-tracer"
            elif isinstance(child, ast.Call):
                called = _tail(child.func)
                rule, at = ("cast-on-tracer" if called in CASTS else "bool-op-on-tracer"
                            if called in REDUCERS else None), child
            elif isinstance(child, ast.BoolOp) or isinstance(child, ast.UnaryOp) and isinstance(child.op, ast.Not):
                rule, at = "bool-op-on-tracer", child
            elif isinstance(child, ast.Compare) and (len(child.ops) > 1 or isinstance(child.ops[0], (ast.In, ast.NotIn))):
                rule, at = "bool-op-on-tracer", child
            elif isinstance(parent, (ast.BoolOp,)) or isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not):
                rule, at = "bool-op-on-tracer", parent
            elif isinstance(child, ast.match_case if hasattr(ast, "match_case") else ()):
                rule = "if-on-tracer"
            elif isinstance(parent, ast.stmt):
                break
            child = parent
        if rule in ("if-on-tracer", "while-on-tracer", "assert-on-tracer"):
            test = ast.unparse(at) if at is not None else ""
            if any(word in test for word in ("isnan(", "isinf(", "isfinite(")):
                rule = "nan-check-under-trace"
            elif parameter and rule == "if-on-tracer":
                rule = "missing-static-arg"
        if rule is None:
            return None, None, {}
        place = (cell, source, node_span(at)) if at is not None else frame.place
        return rule, place, {"parameter": parameter or None}

    def _concrete(self, error, name, node, frames):
        frame = frames[-1]
        call = node if isinstance(node, ast.Call) else None
        called = _tail(call.func) if call is not None else ""
        module = self._module_of(call, frame)
        parameter = self._parameter(error, frames)
        data = {"parameter": parameter or None}
        if isinstance(node, ast.Subscript) and name != "ConcretizationTypeError":
            return "numpy-on-tracer", frame.place, data
        if called in CASTS:
            return "cast-on-tracer", frame.place, data
        if called == "range":
            return ("missing-static-arg" if parameter else "for-over-traced-range"), frame.place, data
        if name == "TracerArrayConversionError" or module == "numpy" and called not in SHAPED:
            return "numpy-on-tracer", frame.place, data
        if called in DATA_DEPENDENT and name == "ConcretizationTypeError":
            return "data-dependent-shape", frame.place, data
        if parameter:
            return "missing-static-arg", frame.place, data
        if called in SHAPED or "Shapes must be" in str(error):
            return "traced-shape", frame.place, data
        if name == "TracerIntegerConversionError":
            return "cast-on-tracer", frame.place, data
        return ("traced-shape" if module == "jax" else None), frame.place, data

    def _module_of(self, call, frame):
        """"jax" or "numpy" for the root of what is called, as the frame sees the name."""
        base = call.func if call is not None else None
        while isinstance(base, ast.Attribute):
            base = base.value
        if not isinstance(base, ast.Name):
            return "jax"
        found = frame.frame.f_locals.get(base.id)
        if found is None:
            found = dict.get(frame.frame.f_globals, base.id)
        text = getattr(found, "__name__", "") if hasattr(found, "__path__") else getattr(found, "__module__", None)
        return (text or "jax").split(".", 1)[0]

    def _parameter(self, error, frames):
        """The name of the jitted function's parameter that is itself the tracer, where it could be static."""
        tracer = culprit(error)
        every = cell_frames(error, self.records.book)
        for position, entry in enumerate(every):
            if position == 0 or not _jitted_between(every[position - 1].between):
                continue
            code = entry.frame.f_code
            for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
                value = entry.frame.f_locals.get(name)
                if value is tracer and tracer is not None:
                    return name
        return None

    def _pytree_frame(self, frames):
        """The place in a user's unflatten function, where its code fails when JAX rebuilds a node."""
        for position in range(1, len(frames)):
            name = frames[position].frame.f_code.co_name
            above = frames[position - 1].between
            if above and (name in ("tree_unflatten", "tree_flatten") or any(
                    f.f_code.co_name in ("unflatten", "tree_unflatten") for f in above[-3:])):
                return frames[position].place
        return None

    def _bad_argument(self, error, frame):
        """An argument that is neither an array nor static: a string option, a list of them, or `self`."""
        text = str(error)
        kind = re.search(r"type <class '([^']+)'>", text)
        path = re.search(r"at path ((\w+)[\w.\[\]']*)", text)
        function = self._called(frame)
        if kind is None or function is None:
            return self._by_text(error, first_line(error), [frame])
        kind = kind.group(1)
        code = getattr(getattr(function, "__wrapped__", None), "__code__", None)
        parameter = path.group(2) if path else self._parameter_with(code, kind, frame)
        if kind.split(".")[-1] in ("zip", "map", "filter", "generator", "enumerate") or kind.endswith("_iterator"):
            return "iterator-under-trace", frame.place, {"parameter": parameter}
        if kind.startswith("__main__.") and code is not None and code.co_varnames[:1] == (parameter,) and self._method(code):
            place = self._decorator_place(code)
            return "jit-method-without-static-self", place or frame.place, {"kind": kind.split(".", 1)[1]}
        if kind in ("str", "function", "builtin_function_or_method", "type", "NoneType", "dtype"):
            place = self._first_use(code, parameter)
            leaf = path.group(1).rstrip(".") if path else parameter
            return "missing-static-arg", place or frame.place, {"parameter": parameter, "kind": kind, "leaf": leaf}
        return None, None, {}

    def _called(self, frame):
        return self._call_values(frame)[0]

    def _call_values(self, frame):
        """(function, args, kwargs) of the call that a cell frame was in, as our hook saw it."""
        for inner in frame.between:
            if inner.f_code.co_filename == "<jaxhints-probe>" and inner.f_code.co_name == "call":
                values = inner.f_locals
                return values.get("function"), values.get("args", ()), values.get("kwargs", {})
        return None, (), {}

    def _parameter_with(self, code, kind, frame):
        if code is None:
            return None
        if kind.startswith("__main__."):
            return code.co_varnames[0] if code.co_varnames else None
        for name, value in zip(code.co_varnames, self._call_values(frame)[1]):
            if type(value).__name__ == kind.split(".")[-1]:
                return name
        return next((n for n, v in self._call_values(frame)[2].items() if type(v).__name__ == kind), None)

    def _definition(self, code):
        entry = self.records.book.origin(code) if code is not None else None
        if entry is None:
            return None
        code = entry[2]
        line = entry[1].numbers.line(code.co_firstlineno)
        for node in ast.walk(entry[1].tree):
            if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
                first = min([node.lineno] + [d.lineno for d in node.decorator_list])
                if line in (node.lineno, first):
                    return entry[0], entry[1], node
        return None

    def _method(self, code) -> bool:
        found = self._definition(code)
        return found is not None and isinstance(found[1].parents().get(found[2]), ast.ClassDef)

    def _decorator_place(self, code):
        found = self._definition(code)
        if found is None:
            return None
        siblings = getattr(found[1].parents().get(found[2]), "body", [])
        assigned = [s.value for s in siblings if isinstance(s, ast.Assign) and isinstance(s.value, ast.Call)
                    and any(isinstance(a, ast.Name) and a.id == code.co_name for a in s.value.args)]
        for decorator in found[2].decorator_list + assigned:
            if any(_tail(n) in ("jit", "pjit") for n in ast.walk(decorator) if isinstance(n, (ast.Name, ast.Attribute))):
                return found[0], found[1], node_span(decorator)
        if found[2].decorator_list:
            return found[0], found[1], node_span(found[2].decorator_list[-1])
        line, column = found[2].lineno, found[2].col_offset
        return found[0], found[1], (line, column, line, column + len("def ") + len(found[2].name.encode()))

    def _first_use(self, code, parameter):
        found = self._definition(code)
        if found is None or parameter is None:
            return None
        uses = [n for statement in found[2].body for n in ast.walk(statement)
                if isinstance(n, ast.Name) and n.id == parameter and isinstance(n.ctx, ast.Load)]
        if not uses:
            return None
        return found[0], found[1], node_span(min(uses, key=node_span))


def _library(frame) -> bool:
    return _module_of_frame(frame).split(".", 1)[0] in ("jax", "jaxlib")


def _module_of_frame(frame) -> str:
    return frame.f_globals.get("__name__") or ""


def _jitted_between(frames) -> bool:
    """Whether the frames between two cell frames enter `jit`, and nothing else that traces."""
    files = [_module_of_frame(f) for f in frames]
    if any("control_flow" in name or "lax.map" in name for name in files):
        return False
    return any(name.endswith("pjit") for name in files)


def _tail(node) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
