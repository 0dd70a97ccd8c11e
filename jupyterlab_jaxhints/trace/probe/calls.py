"""Calls in the user's code: which may run in a trace, and what is learnt from those of jitted functions."""
from __future__ import annotations

import ast
import types

from .base import Unknown, is_array, is_tracer, kernel_jax, leaves
from .clone import CACHED, root
from .describe import signature
from .permits import origin
from .shadow import jit_options

QUIET = frozenset(("logging", "ipykernel", "IPython"))
IMPURE = {  # module -> the rule of its calls in staged code
    "time": "impure-call-under-trace", "datetime": "impure-call-under-trace", "os": "impure-call-under-trace",
    "random": "numpy-random-under-trace", "numpy.random": "numpy-random-under-trace",
    "numpy.random.mtrand": "numpy-random-under-trace", "numpy.random._generator": "numpy-random-under-trace",
}
PURE_NAMES = frozenset("Random Generator RandomState default_rng timedelta date fspath SeedSequence PCG64".split())
BODIES = frozenset("scan cond while_loop fori_loop switch map".split())  # of jax.lax: they compile what they are given
EMPTY = types.CellType()
MANY = 64  # Python elements that become operands one by one


class Calls:
    def __init__(self, hooks):
        self.hooks = hooks
        self.permits = None  # set with the run's shadow
        self.signatures: dict = {}  # (site, function text) -> [(leaf texts, statics, cell that runs), …]
        self.jitted: dict = {}  # id of a function that was called jitted -> it
        self.donated: dict = {}  # id of an array -> (place of the call, array)
        self.counts: dict = {}  # site -> how often it called a jitted function
        self.wrapped: dict = {}  # id of what a transform returned -> (it, site of the call)
        self.made: dict = {}  # site of a transform's call -> codes of the fresh functions it was given
        self.options: dict = {}  # id of a jitted function -> (function, its options)
        self.sites: dict = {}  # id of what a transform returned or decorated -> (it, site of the transform)
        self.summary: list = []

    def clear(self):
        for table in (self.signatures, self.jitted, self.donated, self.made, self.options, self.sites, self.wrapped):
            table.clear()

    # -- the hook
    def call(self, number, function, *args, **kwargs):
        self.hooks.clock.check()
        function = self._callee(function)
        args = tuple(map(self.rebuilt, args))
        if isinstance(function, types.MethodType) and self.is_jitted(function.__func__):
            function, args = function.__func__, (function.__self__,) + args
        if isinstance(function, (types.BuiltinFunctionType, types.MethodType)):
            replaced = self._builtin(number, function, args)
            if replaced is not None:
                return replaced[0]
        if self.is_jitted(function):
            return self._jitted(number, function, args, kwargs)
        special = self._special(number, function, args)
        if special is not None:
            return special[0]
        if not self.permits.allowed(function):
            raise Unknown("calls `%s`" % _callable_name(function))
        self._watch(number, function, args)
        self.hooks.repeats.watch(number, function, args)
        result = self._made(function, args, kwargs) if isinstance(function, type) else function(*args, **kwargs)
        if isinstance(result, type) and result.__module__ == __name__:
            result.__module__ = "__main__"  # `namedtuple` and the like ask the frame that calls them
        if self.is_jitted(result):
            self.options[id(result)] = (result, {key: kwargs[key] for key in kwargs if "arg" in key})
            self.sites[id(result)] = (result, number)
        elif isinstance(result, types.FunctionType) and origin(function).startswith("jax"):
            self.sites[id(result)] = self.wrapped[id(result)] = (result, number)
        else:
            self._came_through(number, function)
        return result

    def _came_through(self, number, function):
        """A call, and the transform whose function it calls, that ended without an error."""
        self.hooks.records.through.add(number)
        made = self.sites.get(id(function))
        if made is not None and made[0] is function:
            self.hooks.records.through.add(made[1])

    # -- the notebook's own classes: their functions are the kernel's, with the kernel's globals
    def rebuilt(self, value):
        """A function or method of the notebook on the shadow namespace, whichever way it got here."""
        live = self.hooks.shadow.live
        if isinstance(value, types.MethodType):
            function = value.__func__
            if isinstance(function, types.FunctionType) and function.__globals__ is live or self._foreign_jit(function) or (
                    self._live_cache(function)):
                return types.MethodType(self.hooks.shadow.clone(function), value.__self__)
        elif isinstance(value, types.FunctionType):
            if value.__globals__ is live:
                return self.hooks.shadow.clone(value)
        elif self._live_cache(value):
            return self.hooks.shadow.clone(value)
        return value

    def _callee(self, function):
        """What a call really calls: for an object of the notebook's class, its rebuilt `__call__`."""
        kind = type(function)
        if root(kind) == "__main__":
            method = vars(kind).get("__call__")
            ours = getattr(method, "__globals__", None) is self.hooks.shadow.live
            if self.is_jitted(method) or isinstance(method, types.FunctionType) and ours:
                return self.rebuilt(types.MethodType(method, function))
        return self.rebuilt(function)

    def _foreign_jit(self, function) -> bool:
        inner = getattr(function, "__wrapped__", None) if self.is_jitted(function) else None
        return getattr(inner, "__globals__", None) is self.hooks.shadow.live

    def _live_cache(self, function) -> bool:
        inner = getattr(function, "__wrapped__", None) if type(function) is CACHED else None
        return getattr(inner, "__globals__", None) is self.hooks.shadow.live

    def _made(self, kind, args, kwargs):
        """An instance of a class; a plain class of the notebook is built through its rebuilt `__init__`."""
        start = kind.__init__
        if type(kind) is not type or not isinstance(start, types.FunctionType):
            return kind(*args, **kwargs)
        if start.__globals__ is not self.hooks.shadow.live or kind.__new__ is not object.__new__:
            return kind(*args, **kwargs)
        made = kind.__new__(kind)
        self.hooks.shadow.clone(start)(made, *args, **kwargs)
        return made

    def _builtin(self, number, function, args):
        self.hooks.mutating(number, function, args)
        if function is next and args:
            self.hooks.advancing(number, args[0])
        elif getattr(function, "__name__", "") == "__next__":
            self.hooks.advancing(number, function.__self__)
        name = getattr(function, "__name__", "")
        if root(type(getattr(function, "__self__", None))) in QUIET and name in ("write", "flush", "info", "debug",
                                                                                  "warning", "error", "log"):
            return (None,)
        return None

    def _special(self, number, function, args):
        """Calls that are stood in for: they would change JAX's settings or wait for the device."""
        module, name = origin(function), getattr(function, "__name__", "")
        place = module.split(".", 1)[0]
        if place == "logging":
            return (None,)
        if place == "tqdm" or isinstance(function, type) and function.__module__.startswith("tqdm"):
            return (args[0],) if args else None
        if name == "update" and type(getattr(function, "__self__", None)).__name__ == "Config":
            self.hooks.config_update(number, args)
            return (None,)
        if place == "jax" and name == "block_until_ready" and args:
            return (args[0],)
        if place == "jax" and name in ("effects_barrier", "clear_caches"):
            return (None,)
        if place in ("builtins", "numpy", "") and args and is_array(args[0]) and name in (
                "float", "int", "bool", "complex", "asarray", "array"):
            if not args[0].is_deleted() and not args[0].is_ready():
                raise Unknown("waits for a running computation")
        return None

    @staticmethod
    def is_jitted(function) -> bool:
        return type(function).__name__ == "PjitFunction"

    def static_options(self, function):
        found = self.options.get(id(function))
        if found is not None and found[0] is function and found[1]:
            exact = jit_options(function)
            return exact if exact is not None else found[1]
        return jit_options(function) or {}

    # -- jitted functions
    def _jitted(self, number, function, args, kwargs):
        level = self.hooks.level()
        if level.eager and self.is_ours(function):
            self.counts[number] = self.counts.get(number, 0) + 1
            self._check_pytrees(args)
            dynamic, statics = self._split(function, args, kwargs)
            self._note_signature(number, function, dynamic, statics)
            suspects = len(self.hooks.repeats.suspects)
            result = function(*args, **kwargs)
            self.hooks.repeats.called(number, function, args, kwargs, suspects)
            self._note_donation(number, function, args, kwargs, result)
        else:
            result = function(*args, **kwargs)
        self._came_through(number, function)
        return result

    def is_ours(self, function) -> bool:
        """Whether the notebook jitted it: much of `jax.numpy` is jitted too."""
        known = self.options.get(id(function))
        if known is not None and known[0] is function:
            return True
        return any(function is copy for copy in self.hooks.shadow.clone.jitted)

    def _check_pytrees(self, args):
        """An array in the static part of a registered class: the second call compares it, and fails."""
        registry = getattr(kernel_jax().tree_util, "default_registry", None)
        for value in args:
            if root(type(value)) != "__main__" or registry is None or isinstance(value, tuple):
                continue
            try:
                flat = registry.flatten_one_level(value)
            except Exception:
                continue
            static = flat[1] if flat is not None else None
            parts = static if isinstance(static, (tuple, list)) else (static,)
            if any(is_tracer(p) or is_array(p) or type(p).__name__ == "ndarray" for p in parts):
                self.hooks.registered(type(value).__name__)

    def _split(self, function, args, kwargs):
        """(texts of the traced leaves by argument, texts of the static arguments)."""
        options = self.static_options(function)
        numbers = _as_tuple(options.get("static_argnums"))
        names = _as_tuple(options.get("static_argnames"))
        parameters = parameter_names(function)
        dynamic, static = {}, {}
        for index, value in enumerate(args):
            name = parameters[index] if index < len(parameters) else "argument %d" % (index + 1)
            is_static = index in numbers or index - len(args) in numbers or name in names
            (static if is_static else dynamic)[name] = value
        for name, value in kwargs.items():
            (static if name in names else dynamic)[name] = value
        tree = kernel_jax().tree_util
        texts = {}
        for name, value in dynamic.items():
            flat, structure = tree.tree_flatten(value)
            texts[name] = (str(structure), tuple(signature(leaf) for leaf in flat))
        return texts, {name: "%.80r" % (value,) for name, value in static.items()}

    def _note_signature(self, number, function, dynamic, statics):
        inner = getattr(function, "__wrapped__", function)
        inner = getattr(inner, "__func__", inner)  # a method is a new object each time, what JAX compiles is not
        self.jitted[id(inner)] = inner
        key = (number, getattr(inner, "__name__", None), id(inner))
        seen = self.signatures.setdefault(key, [])
        if (dynamic, statics) not in [entry[:2] for entry in seen]:
            seen.append((dynamic, statics, self.hooks.cell))
        place = self.hooks.records.place_of(number)
        for name, (structure, texts) in dynamic.items():
            if len(texts) >= MANY and structure.count("*") >= MANY and all(text.endswith("[]*") for text in texts):
                self.hooks.records.add("list-to-array-under-trace", place, count=len(texts), parameter=name, how="argument")

    def _note_donation(self, number, function, args, kwargs, result):
        options = self.static_options(function)
        numbers, names = _as_tuple(options.get("donate_argnums")), _as_tuple(options.get("donate_argnames"))
        if not numbers and not names:
            return
        place = self.hooks.records.place_of(number)
        parameters = parameter_names(function)
        outputs = [signature(leaf).rstrip("*") for leaf in leaves(result)]
        seen = {}
        for index, value in list(enumerate(args)) + list(kwargs.items()):
            name = index if isinstance(index, str) else parameters[index] if index < len(parameters) else ""
            if not (index in numbers or name in names):
                continue
            for leaf in leaves(value):
                if not (is_array(leaf) or is_tracer(leaf)):
                    continue
                if id(leaf) in seen:
                    self.hooks.records.add("donated-use", place, how="twice", first=seen[id(leaf)], second=name)
                seen[id(leaf)] = name
                if signature(leaf).rstrip("*") in outputs:
                    self.donated[id(leaf)] = (place, leaf)

    def retraces(self):
        """Calls whose arguments changed what is traced, turn after turn."""
        for (number, name, _), seen in self.signatures.items():
            if len(seen) < 2:
                continue
            place = self.hooks.records.place_of(number)
            pairs = list(zip(seen, seen[1:]))
            within = [pair for pair in pairs if pair[0][2] == pair[1][2]]
            changed = _difference(*(within or pairs)[-1])
            if changed is None:
                continue
            argument, before, now, static = changed
            rule = "varying-static-arg" if static else "retrace"
            self.hooks.records.add(rule, place, certain=len(seen) >= 4, function=name or "it", argument=argument,
                                   before=before, now=now, traces=len(seen), across=not within)

    # -- other calls worth a look
    def _watch(self, number, function, args):
        module, name = origin(function), getattr(function, "__name__", "")
        owner = getattr(function, "__self__", None)
        if isinstance(owner, types.ModuleType):
            module = owner.__name__
        elif isinstance(owner, type):
            module = owner.__module__
        elif owner is not None:
            module = type(owner).__module__
        module = module if isinstance(module, str) else ""
        rule = IMPURE.get(module.split(".")[0] if not module.startswith("numpy") else module) or IMPURE.get(module)
        if rule is not None and name not in PURE_NAMES and self.hooks.level().staged:
            self.hooks.records.add(rule, self.hooks.records.place_of(number))
            self.hooks.repeats.suspect(number, named=True)
        if module.split(".", 1)[0] != "jax":
            return
        if name in ("array", "asarray") and args and isinstance(args[0], (list, tuple)) and len(args[0]) >= MANY:
            if all(is_tracer(item) and item.ndim == 0 for item in args[0]) and self.hooks.level().staged:
                self.hooks.records.add("list-to-array-under-trace", self.hooks.records.place_of(number),
                                       count=len(args[0]), how="array")
        elif name == "jit" and args and self.hooks.level().eager:
            self._fresh(number, "jit-in-loop", args[:1])
        elif name in BODIES and module.startswith(("jax.lax", "jax._src.lax")) and self.hooks.level().eager:
            self._fresh(number, "fresh-body-in-loop", [a for a in args if callable(a)])

    def _fresh(self, number, rule, functions):
        """The same place given another function object of the same code: JAX compiles each anew."""
        for function in functions:
            code = getattr(function, "__code__", None)
            made = self.wrapped.get(id(function), (None,))[0] is function or type(function).__name__ == "partial"
            if not made and getattr(function, "__globals__", None) is not self.hooks.shadow:
                continue
            seen = self.made.setdefault((number, code, self._kept(number, rule, function)), [])
            if not any(function is known for known in seen):
                seen.append(function)
            if len(seen) == 3:
                name = getattr(function, "__name__", type(function).__name__)
                self.hooks.records.add(rule, self.hooks.records.place_of(number), function=name)

    def _kept(self, number, rule, function):
        """What a function that is jitted for later keeps: others of the same code with other values are no waste."""
        place = self.hooks.records.place_of(number)
        node = place[1].node_at(place[2]) if place is not None else None
        above = place[1].parents().get(node) if node is not None else None
        if rule != "jit-in-loop" or isinstance(above, ast.Call) and above.func is node:
            return ()
        cells = getattr(function, "__closure__", None) or ()
        return tuple(id(cell.cell_contents) for cell in cells if cell != EMPTY)

    def decorator(self, number, decorator):
        if not self.is_jitted(decorator) and not self.permits.allowed(decorator):
            raise Unknown("is decorated with `%s`" % _callable_name(decorator))

        def decorate(function):
            result = decorator(function)
            if self.is_jitted(result):
                keywords = getattr(decorator, "keywords", None) or {}
                self.options[id(result)] = (result, dict(keywords))
                self.sites[id(result)] = (result, number)
                if self.hooks.outer is not None and self.hooks.level().eager:
                    self._fresh(number, "jit-in-loop", [function])
            return result

        return decorate


def parameter_names(function):
    code = getattr(getattr(function, "__wrapped__", None), "__code__", None)
    if code is None:
        return ()
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _as_tuple(value):
    if value is None:
        return ()
    return tuple(value) if isinstance(value, (tuple, list, set, frozenset)) else (value,)


def _difference(before, now):
    """(argument, before, now, static) of the first argument that differs."""
    for name, text in now[1].items():
        if before[1].get(name) != text:
            return name, before[1].get(name, "-"), text, True
    for name, (structure, texts) in now[0].items():
        old = before[0].get(name)
        if old is None or old == (structure, texts):
            continue
        for one, other in zip(old[1], texts):
            if one != other:
                return name, one, other, False
        return name, "%d arrays" % len(old[1]), "%d arrays" % len(texts), False
    return None


def _callable_name(function) -> str:
    name = getattr(function, "__qualname__", None) or type(function).__name__
    module = origin(function)
    return "%s.%s" % (module, name) if module not in ("", "builtins", "__main__") else name
