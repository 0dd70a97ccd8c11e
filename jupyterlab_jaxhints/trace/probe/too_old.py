"""Stands in for the probe in a kernel whose Python cannot compile it. Written for any Python 3; no part of the probe."""
import sys


class Reply:
    def __repr__(self):
        return "jaxhints"

    def _repr_mimebundle_(self, **options):
        python = "%d.%d.%d" % tuple(sys.version_info[:3])
        why = "the trace needs Python 3.9 or later, this kernel has %s" % python
        return {"application/vnd.jaxhints+json": {"status": "unsupported", "why": why, "python": python, "jax": None}}


def answer(live, request):
    return Reply()
