"""The warnings that Python shows once: a trace changes the filters for a while, after which Python would show all of
them again."""
from __future__ import annotations

import sys
import warnings

REGISTRY = "__warningregistry__"


class ShownWarnings:
    """Around a trace: what was shown before counts as shown after it, and what was not does not."""

    def __enter__(self):
        self.version = filters_version()
        self.kept = [(registry, dict(registry)) for registry in _registries()]
        return self

    def __exit__(self, *info):
        version = filters_version()
        known = {id(registry) for registry, _ in self.kept}
        for registry in _registries():
            if id(registry) not in known:
                registry.clear()
        for registry, before in self.kept:
            registry.clear()
            registry.update(before)
            if before.get("version") == self.version:
                registry["version"] = version


def filters_version():
    """The number that Python gives the present filters, as a warning that nobody sees tells it."""
    registry: dict = {}
    show, warnings.showwarning = warnings.showwarning, _not_shown
    try:
        warnings.warn_explicit("", UserWarning, "<jaxhints-probe>", 1, registry=registry)
    except Warning:
        pass
    finally:
        warnings.showwarning = show
    return registry.get("version")


def _not_shown(*details, **options):
    pass


def _registries():
    found = (getattr(module, "__dict__", {}).get(REGISTRY) for module in list(sys.modules.values()))
    return [registry for registry in found if type(registry) is dict]
