"""What a compiled program reads of the outside, and what is its own."""
from __future__ import annotations

from support import checking


def rules_of(*cells: str) -> list[str]:
    return [hint.rule for hint in checking.diagnostics(cells)]


def test_two_jits_of_one_function_share_a_program() -> None:
    define = "import jax\nr = 1.0\ndef f(x):\n    return x + r"
    assert rules_of(define, "print(jax.jit(f)(4.0))", "r = 10.0", "print(jax.jit(f)(5.0))") == ["global-read-under-trace"]


def test_two_lambdas_with_one_text_share_none() -> None:
    assert rules_of("import jax\nr = 1.0\na = jax.jit(lambda x: x + r)(4.0)\nr = 2.0\nb = jax.jit(lambda x: x + r)(4.0)") == []


def test_a_numpy_array_that_is_written_to_is_a_change() -> None:
    define = "import jax, numpy as np\ntable = np.zeros(3)\n@jax.jit\ndef f(x):\n    return x + table.sum()"
    assert rules_of(define, "a = f(1.0)\ntable[0] = 5.0\nb = f(1.0)") == ["global-read-under-trace"]
    assert rules_of(define, "table[0] = 5.0\na = f(1.0)\nb = f(1.0)") == []


def test_attributes_of_a_class_are_read_from_outside() -> None:
    define = "import jax\nclass C:\n    rate = 1.0\n@jax.jit\ndef f(x):\n    return x + C.rate"
    assert rules_of(define, "a = f(1.0)\nC.rate = 5.0\nb = f(1.0)") == ["global-read-under-trace"]


def test_another_entry_of_the_dict_is_no_change() -> None:
    define = "import jax\ncfg = {'a': 1.0}\n@jax.jit\ndef f(x):\n    return x * cfg['a']"
    assert rules_of(define, "a = f(1.0)\ncfg['b'] = 2.0\nb = f(1.0)") == []
    assert rules_of(define, "a = f(1.0)\ncfg.update(a=2.0)\nb = f(1.0)") == ["global-read-under-trace"]


def test_containers_that_come_in_as_arguments_belong_to_the_trace() -> None:
    body = "    s['n'] = s['n'] + 1\n    return s"
    assert rules_of(f"import jax\nf = jax.jit(lambda s: s)\ndef step(s):\n{body}\nout = jax.lax.while_loop("
                    "lambda s: s['n'] < 3, step, {'n': 0})") == []


def test_static_keyword_only_parameters_are_known() -> None:
    assert rules_of("import jax\ndef f(x, *, opts):\n    return x\ny = jax.jit(f, static_argnames=['opts'])(1.0, opts={})") == [
        "unhashable-static-arg"]
