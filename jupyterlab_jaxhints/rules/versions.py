"""JAX versions: whether one lies in a range such as `>=0.4,<0.7`."""
from __future__ import annotations

import operator
import re

_OPERATORS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt, "==": operator.eq,
              "!=": operator.ne}
_CLAUSE = re.compile(r"\s*(>=|<=|==|!=|>|<)\s*(\d+(?:\.\d+)*)\s*")


def parse(version: str) -> tuple[int, ...]:
    """The release numbers of a version; what follows them (dev, rc, local) is left out."""
    match = re.match(r"\d+(?:\.\d+)*", version.strip())
    numbers = tuple(int(number) for number in match[0].split(".")) if match else ()
    return (*numbers, 0, 0, 0)[: max(3, len(numbers))]


def allows(spec: str, version: str | None) -> bool:
    """True where the range holds the version, and where either is not known."""
    if not spec.strip() or not version:
        return True
    given = parse(version)
    for clause in spec.split(","):
        match = _CLAUSE.fullmatch(clause)
        if match is None:
            raise ValueError(f"not a version range: {spec!r}")
        bound = parse(match[2])
        width = max(len(given), len(bound))
        padded = [numbers + (0,) * (width - len(numbers)) for numbers in (given, bound)]
        if not _OPERATORS[match[1]](*padded):
            return False
    return True
