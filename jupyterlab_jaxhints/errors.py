"""Everything that ends in a message to the user instead of an answer."""
from __future__ import annotations

from typing import ClassVar


class HintsError(Exception):
    """A failure with a code that programs can rely on and one sentence for people.

    `status` is what the HTTP handlers answer with.
    """

    status: ClassVar[int] = 500

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def __reduce__(self) -> tuple:
        return type(self), (self.code, self.message)


class ConfigError(HintsError):
    """A setting that cannot be understood."""

    status = 400


class SourceError(HintsError):
    """A notebook or Python file that cannot be read as one."""

    status = 422


class RequestError(HintsError):
    """A request that is malformed, too large or out of date."""

    status = 400


class WorkerError(HintsError):
    """The analysis process died, hung or could not be started."""

    status = 503


class ProbeError(HintsError):
    """The live trace could not reach or use the kernel."""

    status = 502


class TooLargeError(RequestError):
    """A request of more bytes than the server takes."""

    status = 413


class NotFoundError(RequestError):
    """A request for something that does not exist."""

    status = 404
