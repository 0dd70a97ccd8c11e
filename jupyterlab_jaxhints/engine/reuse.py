"""A key used twice: where that shows, and whether it may be meant (one seed for things that are compared)."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import libcst as cst

from . import comparing, scopes
from . import values as v
from .events import KeySite, KeyUse

WAITING = ("block_until_ready",)
_PATHS = scopes.Known()


@dataclass(frozen=True)
class Reuse:
    """The second use, at the level at which the two meet; `first` is None where one use runs many times."""

    site: KeySite
    first: KeySite | None
    first_use: KeyUse
    certain: bool
    repeats: str = ""  # "loop", or the transform's name


def judge(use: KeyUse) -> Reuse | None:
    """What is wrong with this use of a key; None for the first one, and for what is plainly meant."""
    if is_discarded(use, use.sites[0]) or is_discarded(use, use.sites[-1]):
        return None
    if use.repeated_by:
        return _repeated(use)
    previous = use.previous
    while previous is not None and previous.how != "split" and (
            is_discarded(previous, previous.sites[0]) or is_discarded(previous, previous.sites[-1])):
        previous = previous.previous
    earlier = previous
    while earlier is not None and earlier.node is not use.node:
        earlier = earlier.previous
    if earlier is not None and use.ctx.loops and any(loop is other for _, loop in use.ctx.loops for _, other in earlier.ctx.loops):
        return _in_loop(use, earlier)
    return None if previous is None else _twice(use, previous)


def _repeated(use: KeyUse) -> Reuse | None:
    """One key for every lane of `vmap`, or every turn of a compiled loop."""
    short = use.repeated_by.rsplit(".", 1)[-1]
    frames = use.ctx.frames
    depth = next((i for i in range(len(frames) - 1, -1, -1) if frames[i].transform == use.repeated_by), 0)
    site = _at(use, depth)
    handed = site.depth <= depth
    direct = len(use.sites) == 1 or use.sites[1].depth < depth
    return Reuse(site, None, use, use.certain and direct and not (handed and "map" in short), short)


def _in_loop(use: KeyUse, earlier: KeyUse) -> Reuse | None:
    """The same use on an earlier turn of a loop."""
    common = _common(use, earlier)
    site = _at(use, common)
    loop = next((loop for _, loop in reversed(use.ctx.loops) if any(loop is other for _, other in earlier.ctx.loops)))
    sweep = loop.over is not None and loop.over.must_be(v.SEQUENCE | v.MAPPING | v.ITERATOR) and "range" not in loop.over.flags
    if site is use.sites[0]:
        certain = not sweep
    else:
        certain = _is_carried(site, loop.node)
    return Reuse(site, None, earlier, certain and use.certain, "loop")


def _is_carried(site: KeySite, loop: Any) -> bool:
    """What the call gives flows into the names that it reads on the next turn: a training step."""
    body = getattr(loop, "body", None)
    if not isinstance(body, cst.BaseSuite) or not isinstance(site.call, cst.Call):
        return False
    read = scopes.names_in(site.call) - scopes.names_in(site.node)
    tainted: set[str] = set()
    for statement in _assignments(body):
        value = statement.value
        holds = value is not None and (contains(value, site.call) or bool(scopes.names_in(value) & tainted))
        if holds:
            targets = [t.target for t in statement.targets] if isinstance(statement, cst.Assign) else [statement.target]
            for target in targets:
                tainted |= set(scopes.target_names(target)) if isinstance(target, (cst.Name, cst.Tuple, cst.List)) else set()
    return bool(tainted & read)


def _assignments(body: Any) -> list[Any]:
    out: list[Any] = []
    for line in getattr(body, "body", ()):
        if isinstance(line, cst.SimpleStatementLine):
            out += [part for part in line.body if isinstance(part, (cst.Assign, cst.AugAssign, cst.AnnAssign))]
        elif isinstance(getattr(line, "body", None), cst.BaseSuite):
            out += _assignments(line.body)
    return out


def _twice(use: KeyUse, previous: KeyUse) -> Reuse | None:
    """Two uses, one after the other."""
    common = _common(use, previous)
    site, first = _at(use, common), _at(previous, common)
    if first.node is site.node and first.place is site.place:
        certain = use.certain and previous.certain
        return Reuse(site, None if first.depth > common else first, previous, certain, "again")
    same = use.name == previous.name if site is use.sites[0] or first is previous.sites[0] else (
        site.function is not None and first.function is not None and site.function.node is first.function.node)
    compared = _compared(use, site, first)
    if compared is None:
        return None
    compared = compared and same or _meet(use, previous, site, first)
    meant = _is_comparison(use, previous, site, first)
    if meant and same and _in_one_statement(site, first):
        return None  # two calls of one function in one statement, with other settings
    certain = use.certain and previous.certain and not compared and not meant and "default" not in use.key.flags
    return Reuse(site, first, previous, certain)


def _in_one_statement(site: KeySite, first: KeySite) -> bool:
    shared = [a for a, b in zip(path(site), path(first)) if a is b]
    return site.depth == first.depth and any(isinstance(node, cst.SimpleStatementLine) for node in shared)


def _is_comparison(use: KeyUse, previous: KeyUse, site: KeySite, first: KeySite) -> bool:
    """Two calls that get one key so that what they give can be compared: the same function with other arguments, other
    functions with the same arguments."""
    direct, earlier = site is use.sites[0], first is previous.sites[0]
    if direct and earlier and "call" in (use.how, previous.how):
        mine, theirs = _receiver(site.call), _receiver(first.call)
        return use.how == previous.how and (mine != theirs or _is_bound_between(use, site, first))
    if direct or earlier:
        return False
    mine, theirs = _given(use, site), _given(previous, first)
    if mine is None or theirs is None:
        return False
    same = site.function is not None and first.function is not None and site.function.node is first.function.node
    if same:  # spelled otherwise: jitted and not, say
        return mine != theirs or _spelled(site.call) != _spelled(first.call)
    return bool(mine) and (mine == theirs or any(part in theirs and part[1] for part in mine))


def _meet(use: KeyUse, previous: KeyUse, site: KeySite, first: KeySite) -> bool:
    """What a function made of the key is compared further down with what other code makes of it."""
    mine, theirs = _bound(path(site)), _bound(path(first))
    if not mine or not theirs or site.place is not first.place or "call" not in (use.how, previous.how) and not (
            site.function or first.function):
        return False
    return any(comparing.meet(tree, mine, theirs) for tree in site.place.statement.body)


def _is_bound_between(use: KeyUse, site: KeySite, first: KeySite) -> bool:
    """The name of what is called, or of its owner, holds another object by the second call."""
    name = _spelled(site.call).partition(".")[0]
    if not name.isidentifier() or name != _spelled(first.call).partition(".")[0]:
        return False
    reader = use.machine.reader
    if site.place is not first.place and reader is not None and not (site.depth or first.depth):
        return reader.binds_between(first.place, site.place, name)
    shared = [a for a, b in zip(path(site), path(first)) if a is b]
    block = next((node for node in reversed(shared) if isinstance(node, cst.BaseSuite)), None)
    return block is not None and comparing.is_bound_between(block, name, first.node, site.node)


def _spelled(call: Any) -> str:
    func = getattr(call, "func", None)
    return cst.Module([]).code_for_node(func) if func is not None else ""


def _receiver(call: Any) -> str:
    func = getattr(call, "func", None)
    return cst.Module([]).code_for_node(func.value) if isinstance(func, cst.Attribute) else ""


def _given(use: KeyUse, site: KeySite) -> list[tuple] | None:
    """The other arguments of the call at a site, each with whether it is an object of its own (an array, say)."""
    frame = next((f for f in use.ctx.frames if f.call is site.call and f.function is site.function), None)
    if frame is None:
        return None
    out = []
    for name, value in frame.given.items():
        if frame.nodes.get(name) is None or frame.nodes[name] is site.node:
            continue
        if value.ident is not None and value.traced is None:
            out.append((("object", value.ident), True))
        else:
            out.append((("value", value.fingerprint() if value.known else id(value)), False))
    return out


# --- what is around a use -------------------------------------------------------------------------------------------------


def _common(a: KeyUse, b: KeyUse) -> int:
    """How many frames are around both."""
    count = 0
    for mine, other in zip(a.ctx.frames, b.ctx.frames):
        if mine is not other:
            break
        count += 1
    return count


def _at(use: KeyUse, depth: int) -> KeySite:
    """The outermost site within so many frames; where the key is a closure's, the use itself."""
    chosen = use.sites[0]
    for site in use.sites:
        if site.depth < depth:
            break
        chosen = site
    return chosen


def contains(tree: Any, node: Any) -> bool:
    """The node is in the tree."""
    return tree is node or any(contains(child, node) for child in scopes.children(tree))


def path(site: KeySite) -> list[Any]:
    """The nodes from the statement down to the site's node."""
    return _PATHS.get(site.node, lambda _: _path(site))


def _path(site: KeySite) -> list[Any]:
    def down(tree: Any) -> list[Any] | None:
        if tree is site.node:
            return [tree]
        for child in scopes.children(tree):
            found = down(child)
            if found is not None:
                return [tree, *found]
        return None

    for tree in site.place.statement.body if site.place.statement is not None else ():
        found = down(tree)
        if found is not None:
            return found
    return []


def is_discarded(use: KeyUse, site: KeySite) -> bool:
    """The call is a statement whose result nobody gets: a warm-up, a timing, a split that is not bound."""
    nodes = path(site)
    number = next((i for i, node in enumerate(nodes) if isinstance(node, cst.Expr)), None)
    if number is None or any(isinstance(node, (cst.FunctionDef, cst.Lambda)) for node in nodes[number:]):
        return False
    value = nodes[number].value
    waits = False
    while isinstance(value, cst.Call) and isinstance(value.func, (cst.Attribute, cst.Name)):
        name = value.func.attr.value if isinstance(value.func, cst.Attribute) else value.func.value
        if name not in WAITING:
            break
        waits = True
        value = value.func.value if isinstance(value.func, cst.Attribute) and not value.args else (
            value.args[0].value if value.args else None)
    if value is not site.call:
        return False
    pure = site is use.sites[0] and use.how != "call" or any(
        frame.call is site.call and frame.transform for frame in use.ctx.frames)
    return waits or pure and nodes[number] is not use.shown and nodes[number].value is not use.shown


def _compared(use: KeyUse, site: KeySite, first: KeySite) -> bool | None:
    """None: both uses stand in one comparison. True: what they give is compared further down."""
    here, there = path(site), path(first)
    shared = [a for a, b in zip(here, there) if a is b]
    if any(comparing.is_comparing(node) for node in shared):
        return None
    mine, theirs = _bound(here), _bound(there)
    if not mine or not theirs:
        return False
    reader = use.machine.reader
    if site.place.statement is not None and any(comparing.compares(tree, mine, theirs) for tree in site.place.statement.body):
        return True
    return reader is not None and reader.compares(site.place, mine, theirs)


def _bound(nodes: list[Any]) -> str:
    statement = next((n for n in reversed(nodes) if isinstance(n, (cst.Assign, cst.AnnAssign))), None)
    target = statement.targets[0].target if isinstance(statement, cst.Assign) else getattr(statement, "target", None)
    return target.value if isinstance(target, cst.Name) else ""
