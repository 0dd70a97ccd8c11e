"""What a kernel says of itself and of names, without a trace: versions, devices, flags, types."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from .protocol import Device, JittedFact, KernelFacts, NameFact, TraceResponse

DEBUG_FLAGS = ("jax_debug_nans", "jax_debug_infs", "jax_disable_jit", "jax_check_tracer_leaks")

Answer = Mapping[str, Any]  # state, why and data of a reply


def facts_of(answer: Answer) -> KernelFacts | None:
    """The kernel's word on itself."""
    data = answer["data"]
    if not data.get("jax"):
        return None
    devices = [Device(**{key: each[key] for key in ("kind", "platform", "used", "limit") if key in each})
               for each in data.get("devices", ())]
    flags = data.get("flags", {})
    return KernelFacts(python=data.get("python"), jax=data["jax"], devices=devices, x64=flags.get("jax_enable_x64"),
                       flags=[flag for flag in DEBUG_FLAGS if flags.get(flag) is True])


def names_of(answer: Answer) -> dict[str, NameFact]:
    """What the kernel holds under the names that it was asked for."""
    told = {name: _name_fact(fact) for name, fact in answer["data"].get("names", {}).items()}
    return {name: fact for name, fact in told.items() if fact is not None}


def facts_response(answers: Sequence[Answer]) -> TraceResponse:
    """The response to a request of facts alone."""
    answer = answers[0]
    return TraceResponse(state=answer["state"], why=answer["why"], kernel=facts_of(answer), names=names_of(answer),
                         ms=answer["data"].get("ms", 0.0))


def _name_fact(told: Mapping[str, Any]) -> NameFact | None:
    """None where the reply is not the probe's: the user's code runs in the same process."""
    try:
        jitted = JittedFact(**told["jitted"], traces=told.get("traces")) if "jitted" in told else None
        return NameFact(**{key: told[key] for key in NameFact.model_fields.keys() & told if key != "jitted"}, jitted=jitted)
    except (ValidationError, TypeError):
        return None
