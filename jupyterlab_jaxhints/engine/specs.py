"""What each transform does to the function it is given: the rows measured in `knowledge/data/transforms.json`."""
from __future__ import annotations

from ..knowledge import transforms
from ..knowledge.transforms import Transform as Spec

__all__ = ["Spec", "spec_of"]


def spec_of(name: str) -> Spec | None:
    """The row of a transform, or None when the name is none."""
    return transforms.transform(name)
