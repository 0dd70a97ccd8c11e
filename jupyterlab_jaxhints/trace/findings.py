"""What the probe found, in the words of hints: `TraceFinding`s, and the places where a reading hint is wrong."""
from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

MESSAGES: dict[str, str] = {
    "if-on-tracer": "`{text}` is traced here: its truth is not known while JAX traces",
    "while-on-tracer": "`{text}` is traced here: the loop's test is not known while JAX traces",
    "assert-on-tracer": "`{text}` is traced here: it cannot be asserted while JAX traces",
    "bool-op-on-tracer": "`{text}` asks a traced array for its truth",
    "nan-check-under-trace": "`{text}` is traced here: it cannot be tested in Python",
    "cast-on-tracer": "`{text}` needs the value of a traced array",
    "numpy-on-tracer": "`{text}` gives a traced array to NumPy",
    "boolean-mask": "`{text}` has a shape that depends on traced values",
    "data-dependent-shape": "`{text}` has a shape that depends on traced values",
    "traced-shape": "`{text}` needs a shape that is known while JAX traces",
    "traced-slice-size": "`{text}` is a slice with traced bounds",
    "for-over-traced-range": "`{text}` loops over a traced number",
    "missing-static-arg": "`{parameter}` is traced, but `{text}` needs its Python value",
    "branch-mismatch": "`{text}`: the types of branches or of the carry differ",
    "vmap-axes-mismatch": "`{text}`: `in_axes` does not fit the arguments",
    "integer-grad": "`{text}` differentiates with respect to integers",
    "nonscalar-grad": "`{text}` differentiates a function whose result is no scalar",
    "lax-dtype-mismatch": "`{text}` mixes dtypes, and `lax` does not promote",
    "unhashable-static-arg": "`{text}` gives an unhashable value for a static argument",
    "static-argnames-mismatch": "`{text}` names a parameter that the function does not have",
    "list-index": "`{text}` indexes with a list: JAX raises",
    "sequence-argument": "`{text}` gives a list or tuple where JAX takes arrays only",
    "shape-as-dtype": "`{text}`: the second number is taken for a dtype",
    "shape-mismatch": "`{text}` gets shapes that do not fit",
    "item-assignment": "`{target}` is an item of a JAX array: assignment raises",
    "item-augmented-assignment": "`{target}` is an item of a JAX array: updating it raises",
    "jit-method-without-static-self": "`{text}`: `self` is a `{kind}`, which is no pytree and not static",
    "bad-pytree-registration": "`{text}`: JAX cannot rebuild or compare this pytree",
    "iterator-under-trace": "`{text}` uses up an iterator while JAX traces",
    "self-write-under-trace": "`{target}` is set while JAX traces: it is not set again on later calls",
    "global-write-under-trace": "`{target}` is changed while JAX traces: not on later calls",
    "leaked-tracer": "`{text}` holds a tracer of a trace that is over",
    "out-of-bounds-index": "index {index} is out of bounds for axis {axis} of size {size}",
    "unsafe-cast": "{value:g} does not fit into `{target}`",
    "promotion-surprise": "`{text}` is `{result}` in JAX, `{numpy}` in NumPy",
    "float64-without-x64": "`{dtype}` is asked for while x64 is off: JAX gives 32 bits",
    "late-x64": "x64 is switched on after JAX has made 32-bit arrays",
    "key-reuse": "this key was used before: the numbers are the same or related",
    "unrolled-loop": "the loop runs {turns} turns while JAX traces: one copy of its body each",
    "list-to-array-under-trace": "{count} Python numbers become operands one by one",
    "large-constant": "`{array}` ({type}, {mib}) is captured: it becomes part of the program",
    "retrace": "`{function}` is traced again: `{argument}` was `{before}`, now `{now}`",
    "varying-static-arg": "`{function}` is compiled again: static `{argument}` was {before}, now {now}",
    "donated-use": "`{name}` was donated: its buffer is gone",
    "jit-in-loop": "`{function}` is a new function object each turn: compiled each time",
    "fresh-body-in-loop": "`{function}` is a new function object each turn: compiled each time",
    "impure-call-under-trace": "`{text}` runs while JAX traces: its value is frozen",
    "impure-trace": "two traces of `{function}` with the same arguments give different programs",
    "numpy-random-under-trace": "`{text}` draws while JAX traces: the numbers are frozen",
    "debug-flag-left-on": "`{flag}` is on in this kernel while a loop runs jitted code",
    "nan-produced": "`{primitive}` makes a NaN from the real arguments",
    "where-nan-gradient": "the gradient is NaN: it flows through the branch that is not taken",
    "memory-peak": "needs {needs} on a device with {has}",
}
NO_ARRAY = "`{leaf}` is a `{kind}`: JAX cannot trace it, and it is not static"
TYPED_MISMATCH = "`{text}` gets {types}: the shapes do not fit"

# JAX raises one and the same error for each of these: what the reading calls it stands.
FAMILIES: tuple[frozenset[str], ...] = (
    frozenset(("if-on-tracer", "while-on-tracer", "assert-on-tracer", "bool-op-on-tracer", "nan-check-under-trace",
               "missing-static-arg", "cast-on-tracer")),
    frozenset(("traced-shape", "traced-slice-size", "for-over-traced-range", "missing-static-arg", "cast-on-tracer",
               "data-dependent-shape", "boolean-mask", "numpy-on-tracer", "list-index")),
    frozenset(("item-assignment", "item-augmented-assignment", "inplace-alias", "inplace-method")),
    frozenset(("global-write-under-trace", "self-write-under-trace", "leaked-tracer", "cached-under-trace",
               "iterator-under-trace")),
    frozenset(("impure-call-under-trace", "numpy-random-under-trace", "impure-trace", "iterator-under-trace",
               "constant-key-in-function")),
    frozenset(("jit-in-loop", "fresh-body-in-loop", "retrace", "varying-static-arg")),
    frozenset(("nan-produced", "where-nan-gradient", "out-of-bounds-index", "nanarg-all-nan", "caught-index-error",
               "subnormal-constant")),
    frozenset(("float64-without-x64", "late-x64")),
    frozenset(("key-reuse", "discarded-split", "constant-key-in-function")),
    frozenset(("integer-grad", "nonscalar-grad")),
    frozenset(("sequence-argument", "list-index", "shape-as-dtype", "lax-dtype-mismatch", "shape-mismatch", "removed-api")),
    frozenset(("unhashable-static-arg", "jit-method-without-static-self", "missing-static-arg", "bad-pytree-registration",
               "iterator-under-trace", "sequence-argument")),
)
# Rules that a clean run of their place disproves: JAX would have raised there.
DISPROVABLE = frozenset(
    """if-on-tracer while-on-tracer assert-on-tracer bool-op-on-tracer nan-check-under-trace cast-on-tracer
    numpy-on-tracer boolean-mask data-dependent-shape traced-shape traced-slice-size for-over-traced-range
    missing-static-arg lax-dtype-mismatch list-index sequence-argument shape-as-dtype""".split()
)
# In one run over several cells these compare calls that the user may never make one after the other.
ACROSS_CELLS = frozenset(("retrace", "varying-static-arg"))
STORES = frozenset(("global-write-under-trace", "self-write-under-trace", "cached-under-trace"))
# Rules that name what makes two traces of a function differ.
DOINGS = STORES | {"impure-call-under-trace", "numpy-random-under-trace", "iterator-under-trace", "global-read-under-trace"}

Point = tuple[int, int]


@dataclasses.dataclass(frozen=True)
class TraceFinding:
    """One thing the trace found: zero-based lines, UTF-16 columns."""

    rule: str
    cell: str
    start: Point
    end: Point
    message: str
    certain: bool = True
    state: str = "added"  # "confirmed" where the reading said it too
    evidence: tuple[tuple[str, str | None, Point | None, Point | None], ...] = ()  # (words, cell, start, end)
    details: dict[str, Any] = dataclasses.field(default_factory=dict, hash=False)


@dataclasses.dataclass(frozen=True)
class CleanPlace:
    """A place that traced code ran through without an error."""

    cell: str
    start: Point
    end: Point
    call: bool = False  # a call that ended without an error: nothing is known of the code that stands in it


def size_text(count: int) -> str:
    """Bytes as a person reads them: `12 MiB`."""
    value, units = float(count), ("B", "KiB", "MiB", "GiB", "TiB")
    for unit in units:
        if value < 1024 or unit == units[-1]:
            return f"{value:.0f} {unit}" if value >= 10 or unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return ""


def message_of(raw: dict[str, Any]) -> str:
    """One sentence of at most 90 characters."""
    data = raw.get("data", {})
    words = {"text": raw.get("text", ""), "parameter": "it", "target": "it", **{k: v for k, v in data.items() if v is not None}}
    if raw["rule"] == "large-constant":
        words["array"] = data.get("name") or raw.get("text", "")
        words["mib"] = size_text(data.get("bytes", 0))
    if raw["rule"] == "donated-use":
        words.setdefault("name", data.get("first") or raw.get("text", ""))
    if raw["rule"] == "memory-peak":
        words["needs"], words["has"] = size_text(data.get("needs", 0)), size_text(data.get("has", 0))
    template = MESSAGES.get(raw["rule"], "JAX raises at `{text}`")
    if raw["rule"] == "shape-mismatch" and data.get("types"):
        template, words["types"] = TYPED_MISMATCH, " and ".join(f"`{each}`" for each in data["types"])
    if raw["rule"] == "missing-static-arg" and data.get("kind"):
        template, words["leaf"] = NO_ARRAY, data.get("leaf") or words["parameter"]
    text = template.format_map(_Words(words))
    return text if len(text) <= 90 else _shortened(template, words)


TESTS = {"if-on-tracer": "if", "while-on-tracer": "while", "assert-on-tracer": "assert"}
BRIEF = 70  # characters


def brief(raw: dict[str, Any]) -> str:
    """What is wrong in a few words, naming the thing: `x` is traced in `if`."""
    if raw["rule"] in TESTS:
        text = raw.get("text", "")
        return f"`{text if len(text) <= 40 else text[:39] + '…'}` is traced in `{TESTS[raw['rule']]}`"
    whole = message_of(raw)
    head = whole.split(": ", 1)[0]
    return head if len(whole) > BRIEF and " " in head and head.count("`") % 2 == 0 and not head.endswith("`") else whole


def _shortened(template: str, words: dict[str, Any]) -> str:
    for limit in (32, 20, 12, 8):
        cut = {k: v if not isinstance(v, str) or len(v) <= limit else v[: limit - 1] + "…" for k, v in words.items()}
        text = template.format_map(_Words(cut))
        if len(text) <= 90:
            return text
    return text[:89] + "…"


class _Words(dict):
    def __missing__(self, key: str) -> str:
        return key


def finding_of(raw: dict[str, Any]) -> TraceFinding:
    """A finding from the probe's JSON."""
    line, column, end_line, end_column = raw["at"]
    evidence = [(label, cell, (at[0], at[1]), (at[2], at[3])) for cell, at, label in raw.get("related", ())]
    if raw.get("jax"):
        evidence.insert(0, (f"JAX says: {raw['jax']}"[:240], None, None, None))
    return TraceFinding(
        rule=raw["rule"], cell=raw["cell"], start=(line, column), end=(end_line, end_column), message=message_of(raw),
        certain=bool(raw.get("certain", True)), evidence=tuple(evidence), details=dict(raw.get("data", {})),
    )


def findings_of(data: dict[str, Any]) -> tuple[list[TraceFinding], list[CleanPlace]]:
    """The findings and the clean places of a reply."""
    clean = [CleanPlace(cell, (at[0], at[1]), (at[2], at[3]), bool(call)) for cell, at, *call in data.get("clean", ())]
    return [finding_of(raw) for raw in data.get("findings", ())], clean


def related_rules(one: str, other: str) -> bool:
    """Whether two rules name the same happening."""
    return one == other or any(one in family and other in family for family in FAMILIES)


def overlaps(start: Point, end: Point, other_start: Point, other_end: Point) -> bool:
    """Whether two ranges share a line or touch; JAX and the reader mark one mistake with ranges of different width."""
    if start[0] == end[0] and other_start[0] == other_end[0]:
        return start[0] == other_start[0] and start[1] <= other_end[1] and other_start[1] <= end[1]
    return start[0] <= other_end[0] and other_start[0] <= end[0]


@dataclasses.dataclass
class Merged:
    """The two lanes together."""

    diagnostics: list[Any]
    removed: list[Any]  # reading hints that the trace disproves


def merge(
    diagnostics: Iterable[Any], findings: Iterable[TraceFinding], clean: Iterable[CleanPlace], *,
    confirm: Callable[[Any, TraceFinding], Any], add: Callable[[TraceFinding], Any | None],
    way: Callable[[Any], Iterable[CleanPlace]] = lambda diagnostic: (),
) -> Merged:
    """Reading diagnostics and trace findings as one list. `confirm` makes a diagnostic certain, `add` makes one of a
    finding that the reading has not (None: not shown). A hint of a raising rule goes where traced code ran clean, along
    with the calls that lead there, its `way`: another call of the same function proves nothing."""
    read, found, places = list(diagnostics), list(findings), list(clean)
    used: set[int] = set()
    kept, removed = [], []
    for diagnostic in read:
        start = (diagnostic.range.start.line, diagnostic.range.start.character)
        end = (diagnostic.range.end.line, diagnostic.range.end.character)
        matches = [
            i for i, f in enumerate(found)
            if f.cell == diagnostic.cell and related_rules(f.rule, diagnostic.rule) and overlaps(start, end, f.start, f.end)
        ]
        used.update(matches)
        certain = [i for i in matches if found[i].certain]
        if certain:
            kept.append(confirm(diagnostic, found[certain[0]]))
        elif matches:  # what the trace itself is not sure of confirms nothing
            kept.append(diagnostic)
        elif diagnostic.rule in DISPROVABLE and all(
            _ran(place, places) for place in (CleanPlace(diagnostic.cell, start, end), *way(diagnostic))
        ):
            removed.append(diagnostic)
        else:
            kept.append(diagnostic)
    told = any(diagnostic.rule in STORES for diagnostic in read)
    for i, finding in enumerate(found):
        if finding.rule == "leaked-tracer" and told or finding.rule == "impure-trace" and _named(finding, read):
            continue  # what does it is marked where it stands
        made = add(finding) if i not in used else None
        if made is not None:
            kept.append(made)
    return Merged(kept, removed)


def _named(finding: TraceFinding, read: list[Any]) -> bool:
    """Whether the reading names one of the doings that make two traces differ."""
    return any(
        hint.rule in DOINGS and hint.cell == cell and start is not None and end is not None
        and hint.range.start.line <= end[0] and start[0] <= hint.range.end.line
        for hint in read for _, cell, start, end in finding.evidence
    )


def _ran(place: CleanPlace, clean: list[CleanPlace]) -> bool:
    if place.call:
        whole = (place.start, place.end)
        if any(p.call and p.cell == place.cell and (p.start, p.end) == whole for p in clean):
            return True
    return any(p.cell == place.cell and p.start <= place.start and place.end <= p.end for p in clean if not p.call)
