"""What cells say of JAX's settings and of their own pytrees, and where they say it."""
from __future__ import annotations

import ast

from .base import kernel_jax

DEBUG_FLAGS = ("jax_debug_nans", "jax_debug_infs", "jax_disable_jit", "jax_check_tracer_leaks")


def flags_on():
    """Asked before the trace enters contexts of its own, which switch them off for it."""
    return [flag for flag in DEBUG_FLAGS if getattr(kernel_jax().config, flag, False) is True]


def flattening(tree, name):
    """The node that flattens the class `name`: the function given to `register_pytree_node`, or the `return` of its
    `tree_flatten`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and len(node.args) > 1 and isinstance(node.args[0], ast.Name):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if node.args[0].id == name and called.startswith("register_pytree"):
                return node.args[1]
        if isinstance(node, ast.Call) and node.args and getattr(node.args[0], "id", "") == name:
            if "register_dataclass" in ast.unparse(node.func):
                return node
        if isinstance(node, ast.ClassDef) and node.name == name:
            for decorator in node.decorator_list:
                if "register_dataclass" in ast.unparse(decorator):
                    return decorator
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and inner.name == "tree_flatten":
                    returns = [n for n in ast.walk(inner) if isinstance(n, ast.Return)]
                    return returns[-1].value if returns else inner
    return None
