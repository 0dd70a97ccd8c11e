"""Where the interpreter stands: call frames, transforms around them, loops and `try` blocks entered."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .callables import Function
from .values import Place, Step


class once:
    """`functools.cached_property` without the lock that it takes up to Python 3.11: contexts are many."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self.make, self.name, self.__doc__ = make, make.__name__, make.__doc__

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        answer = instance.__dict__[self.name] = self.make(instance)
        return answer


BROAD = frozenset({"Exception", "BaseException", ""})


@dataclass(eq=False)
class Loop:
    """A loop being evaluated. `turn` counts from 0; `turns` is the known number of turns."""

    node: Any
    place: Place
    form: str  # for, while, comprehension
    turns: int | None = None
    turn: int = 0
    over: Any = None  # the value that a `for` goes through
    branches: int = 0  # `if`s around the loop


@dataclass(eq=False)
class Try:
    """A `try` whose body is being evaluated, with the names of the exceptions that it catches."""

    node: Any
    place: Place
    catches: frozenset[str]
    reraises: bool = False

    def stops(self, exception: str) -> bool:
        """An exception of this class ends in a handler that goes on."""
        return not self.reraises and bool(self.catches & (BROAD | {exception}))


@dataclass(eq=False)
class Frame:
    """One function being evaluated.

    transform: the qualified name of the transform whose tracing runs it, '' for a plain call. staged: compiled and
    cached, so that it runs once. tracer: kind of its tracers, 'abstract', 'linear' or ''. host: runs as plain Python
    again (a callback). call: the node that called it, in `caller`.
    """

    function: Function | None
    place: Place  # where the function's own text stands
    transform: str = ""
    staged: bool = False
    tracer: str = ""
    host: bool = False
    call: Any = None
    caller: Place | None = None
    step: Step | None = None
    returns: list = field(default_factory=list)
    yields: list = field(default_factory=list)
    number: int = 0  # counts frames; objects made in this or a later frame are its own
    alloc: int = 0  # how many objects there were when it began
    wrapped: Any = None  # the Wrapped that is called, for a transform's frame
    given: dict = field(default_factory=dict)  # parameters as the caller gave them
    nodes: dict = field(default_factory=dict)  # parameters → the arguments' nodes, in `caller`
    generic: bool = False  # nobody called it: parameters unknown


@dataclass(eq=False)
class Context:
    """Everything around the node that an event speaks of. It never changes: entering something makes a new one."""

    frames: tuple[Frame, ...] = ()
    loops: tuple[tuple[int, Loop], ...] = ()  # (depth of frames when entered, loop)
    tries: tuple[tuple[int, Try], ...] = ()

    @once
    def live(self) -> tuple[Frame, ...]:
        """Frames since the last one that runs as plain Python on the host."""
        for index in range(len(self.frames) - 1, -1, -1):
            if self.frames[index].host:
                return self.frames[index + 1:]
        return self.frames

    @once
    def staged(self) -> bool:
        """JAX compiles this code: it runs once, at trace time."""
        return any(frame.staged for frame in self.live)

    @once
    def abstract(self) -> bool:
        """Tracers here have no value (staged or under vmap)."""
        return any(frame.tracer == "abstract" for frame in self.live)

    @once
    def differentiated(self) -> bool:
        """Under grad, vjp, jvp …, whatever else."""
        return any(frame.tracer == "linear" for frame in self.live)

    @once
    def traced(self) -> bool:
        """JAX traces this code in one way or another."""
        return any(frame.transform for frame in self.live)

    @once
    def function(self) -> Function | None:
        """The innermost function being evaluated."""
        return self.frames[-1].function if self.frames else None

    @once
    def tracing_frame(self) -> Frame | None:
        """The innermost frame that a transform runs."""
        return next((frame for frame in reversed(self.live) if frame.transform), None)

    @once
    def staging_frame(self) -> Frame | None:
        """The outermost staged frame: its first call freezes what is read."""
        return next((frame for frame in self.live if frame.staged), None)

    @once
    def generic(self) -> bool:
        """Some frame stands for a function that nobody calls."""
        return any(frame.generic for frame in self.frames)

    @once
    def eager_loop(self) -> Loop | None:
        """The innermost loop that runs as Python, turn by turn, outside of staged code."""
        first = next((i for i, frame in enumerate(self.frames) if frame.staged), len(self.frames))
        return next((loop for depth, loop in reversed(self.loops) if depth <= first), None)

    @once
    def staged_loop(self) -> Loop | None:
        """The innermost Python loop inside of staged code: it is unrolled."""
        first = next((i for i, frame in enumerate(self.frames) if frame.staged), None)
        if first is None:
            return None
        return next((loop for depth, loop in reversed(self.loops) if depth > first), None)

    @once
    def own_loop(self) -> Loop | None:
        """The innermost loop of the function being evaluated (of the module, outside of functions)."""
        return next((loop for depth, loop in reversed(self.loops) if depth == len(self.frames)), None)

    def catcher(self, exception: str) -> Try | None:
        """The `try` that stops this exception; None when it reaches the user."""
        return next((block for _, block in reversed(self.tries) if block.stops(exception)), None)

    def chain(self) -> list[Step]:
        """Why this code is traced: from the transform, through the calls, to here."""
        return list(self._steps())

    def _steps(self) -> Iterator[Step]:
        started = False
        for frame in self.live:
            started = started or bool(frame.transform)
            if started and frame.step is not None:
                yield frame.step

    def calls(self) -> list[Step]:
        """The calls that lead here, traced or not."""
        return [frame.step for frame in self.frames if frame.step is not None and not frame.generic]
