"""Masks IPython's magics, shell lines and help requests with text of equal length; the rest is plain Python.

    %time y = f(x)         →  if .1:y = f(x)           the code stays where it stands
    %timeit -n 3 f(x)      →  if .01:      f(x)
    y = %time f(x)         →  y =       f(x)
    %matplotlib inline     →  0                        a statement, so that blocks stay whole
    files = !ls            →  files = _0               a name that nobody binds: unknown
    %%time, %%capture …    →  blank; the body is Python
    other %%magics         →  the whole cell blank

IPython reads magics only where a logical line begins, so this needs the scanner; it never fails and never
changes a length. Its own transformer would hide code in strings and shift columns.
"""
from __future__ import annotations

import re

from .masked import Magic, Masked, Scan
from .scanner import LogicalLine, logical_line

__all__ = ["MAX_CELL", "TESTS", "UNKNOWN_NAME", "Magic", "Masked", "blank", "mask", "scan"]

MAX_CELL = 200_000

UNKNOWN_NAME = "_0"  # stands for the value of a shell line or magic
# tests of the `if` that stands for a line magic: nobody writes them so, which tells which magic it was
TESTS = {"time": ".1", "timeit": ".01"}

# line magics whose argument is code: option letters without value, option letters with a value
CODE_MAGICS = {
    "time": ("", ""),
    "timeit": ("tcqo", "nrpv"),
    "prun": ("rq", "lsTD"),
    "memit": ("co", "rti"),
    "lprun": ("rsz", "fmTDu"),
    "mprun": ("cr", "fT"),
}
# cell magics whose body is code in the notebook's own namespace; True: so is the rest of their first line
PYTHON_CELLS = {
    "time": False, "timeit": True, "capture": False, "prun": True, "memit": True, "debug": False,
    "ipytest": False, "snakeviz": False, "pyinstrument": False, "scalene": False, "viztracer": False,
}
# magics that may bind or remove any name
BIND_ANY = frozenset({"run", "pylab", "reset", "reset_selective", "load", "store", "cython", "R", "sql",
                      "edit", "macro", "script", "px", "cache"})
AUTOMAGICS = "cat|cd|conda|cp|env|load_ext|ls|mamba|matplotlib|memit|mkdir|mv|pip|prun|rm|run|time|timeit|uv"

_COMPOUND = re.compile(r"(?:for|while|with|if|try|def|class|async|match)\b|@")
_CELL = re.compile(r"(?:[ \t]*\n)*[ \t]*%%(?P<name>[^\s?]+)(?![^\n]*\?[ \t]*(?:\n|\Z))"
                   r"[ \t]*(?P<args>[^\n]*)(?:\n|\Z)")
_REST = r"(?P<rest>[^\n]*(?:(?<=\\)\n[^\n]*)*)"
_ESCAPE = re.compile(
    r"(?P<mark>%%?(?=[A-Za-z_])|!!?|\?\??(?=[ \t]*[%\w])|[,;/](?=[A-Za-z_]))" + _REST
)
_ASSIGN = re.compile(
    r"(?P<target>[^\n=#\"'!%]*?[\w\])])[ \t]*=[ \t]*(?P<mark>!|%(?=[A-Za-z_]))"
    r"(?P<rest>[^\n]+(?:(?<=\\)\n[^\n]*)*)"
)
_AUTO = re.compile(
    rf"(?P<name>{AUTOMAGICS})(?=[ \t]+(?:-[a-z]\d*[ \t]+\S"
    r"|(?!(?:if|in|is|and|or|not|for|else|as)\b)[A-Za-z_]))" + _REST
)
_OPTION = re.compile(r"[ \t]+(?:--\w[\w-]*(?:=\S*)?|-(?P<letters>[A-Za-z]\S*))(?=[ \t]|\Z)")
_MAGIC_NAME = re.compile(r"[^\s?]*")
_WORD = re.compile(r"[ \t]+[^\s]+")
_NAME = re.compile(r"[^\W\d]\w*")
_OUT = re.compile(r"--(?:out|err|proc)[ \t=]+([^\W\d]\w*)|(?:^|[ \t])-o[ \t]+([^\W\d]\w*)")
_NOT_BREAK = re.compile(r"[^\n]")


def mask(text: str) -> Masked:
    """The cell as the analysis sees it."""
    source = _unbroken(text)
    if len(source) > MAX_CELL:
        return Masked(text, source, blank(source), ((0, len(source)),), python=False, too_long=True)
    visible = re.sub("[\ud800-\udfff]", "\ufffd", source)
    if "\0" in visible or "\f" in visible:
        visible = visible.replace("\0", "\ufffd").replace("\f", " ")
    margin = _margin(visible)
    head, heads, body, start = "", (), 0, None
    while match := _CELL.match(visible, body):
        magic = _cell_magic(match, visible)
        if not magic.code:
            whole, magics = ((0, len(source)),), (*heads, magic)
            return Masked(text, source, blank(source), whole, magics, python=False, margin=margin)
        if start is None and magic.span[1] < match.end("args"):
            start = match.start()
        heads, body = (*heads, magic), match.end()
        head += _cell_head(visible, match, magic)
    seen = scan(head + visible[body:], body if start is None else start, margin)
    magics = heads + seen.magics
    spans = tuple(magic.span for magic in magics)
    return Masked(text, source, seen.text, spans, magics, seen.lines, seen.flush, margin=margin)


def scan(text: str, start: int = 0, margin: str = "") -> Scan:
    """Masks line magics from `start` on and finds the logical lines. `margin` indents top-level code."""
    work = _Scanner(text, margin)
    pos = start
    while pos < len(text):
        pos = work.line(pos)
    return Scan("".join([*work.out, text[work.copied:]]), tuple(work.lines), tuple(work.magics), work.flush)


def blank(text: str) -> str:
    """Spaces of equal length; line breaks stay."""
    return _NOT_BREAK.sub(" ", text)


def _unbroken(text: str) -> str:
    text = text.removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _margin(text: str) -> str:
    """The indentation that all lines share."""
    shared: str | None = None
    for line in text.split("\n"):
        body = line.lstrip(" \t")
        if not body:
            continue
        indent = line[:len(line) - len(body)]
        if shared is None:
            shared = indent
        while not indent.startswith(shared):
            shared = shared[:-1]
        if not shared:
            return ""
    return shared or ""


def _cell_magic(match: re.Match[str], text: str) -> Magic:
    name, args = match["name"], match["args"].rstrip()
    start = match.start("name") - 2
    line = text.count("\n", 0, start)
    if name not in PYTHON_CELLS:
        binds = tuple(a or b for a, b in _OUT.findall(args))
        return Magic(line, name, "cell", args, (start, len(text)), None, False, binds, name in BIND_ANY)
    end = match.end("args")
    if PYTHON_CELLS[name] and (offset := _code_offset(name, " " + args)) is not None:
        end = match.start("args") + offset - 1
    target = None
    if name == "capture":
        words = [word for word in args.split() if not word.startswith("-")]
        target = words[0] if words and words[0].isidentifier() else None
    return Magic(line, name, "cell", args, (start, end), target, True, (target,) if target else ())


def _cell_head(text: str, match: re.Match[str], magic: Magic) -> str:
    """The line of a cell magic whose body is code; setup code on it stays."""
    start, end = magic.span
    if end >= match.end("args"):
        return blank(match[0])
    return blank(text[match.start():start]) + "if 1:".ljust(end - start) + text[end:match.end()]


def _code_offset(name: str, rest: str) -> int | None:
    """Where in the text behind a magic's name its code begins; None where there is none."""
    flags, valued = CODE_MAGICS[name]
    pos = 0
    while option := _OPTION.match(rest, pos):
        letters = option["letters"]
        if letters is None:
            pos = option.end()
            continue
        plain = len(letters) - len(letters.lstrip(flags)) if flags else 0
        if plain == len(letters):
            pos = option.end()
        elif letters[plain] in valued:
            pos = option.end()
            if plain + 1 == len(letters) and (word := _WORD.match(rest, pos)):
                pos = word.end()
        else:
            break
    code = len(rest) - len(rest[pos:].lstrip(" \t"))
    return code if code < len(rest) and rest[code] not in "#\n" else None


class _Scanner:
    """Copies a text while it masks the line magics in it."""

    def __init__(self, text: str, margin: str) -> None:
        self.text, self.margin = text, margin
        self.out: list[str] = []
        self.copied = 0  # what of the text `out` holds
        self.lines: list[LogicalLine] = []
        self.magics: list[Magic] = []
        self.flush: dict[int, int] = {}
        self.special = any(mark in text for mark in "%!?") or bool(re.search(r"(?m)^[ \t]*[,;/]", text))

    def line(self, start: int) -> int:
        """Handles one logical line and returns where the next one begins."""
        text = self.text
        code = start
        while code < len(text) and text[code] in " \t":
            code += 1
        pos = code
        if self.special and (match := _ESCAPE.match(text, code)):
            pos = self._escaped(start, code, match)
        elif self.special and (match := _ASSIGN.match(text, code)):
            pos = self._assigned(match)
        elif match := _AUTO.match(text, code):
            pos = self._code_or_zero(start, code, match["name"], match.start("rest"), match["rest"])
        if pos < 0:  # masked to the end
            end = match.end() + text.startswith("\n", match.end())
            self.lines.append(_masked_line(text, start, end))
            return end
        found = logical_line(text, start, pos)
        if found.asks and self.copied <= code:
            end = found.end - text.endswith("\n", start, found.end)
            self._note(code, "?", text[code:end].rstrip(), (code, end))
            self._put(code, "0", end)
            found = LogicalLine(start, found.end)
        self.lines.append(found)
        return found.end

    def _escaped(self, start: int, code: int, match: re.Match[str]) -> int:
        mark, rest = match["mark"], match["rest"]
        if mark[0] != "%":
            self._note(code, mark, rest.strip(), (code, match.end()))
            self._put(code, "0", match.end())
            return -1
        name = _MAGIC_NAME.match(rest)[0]  # type: ignore[index]
        return self._code_or_zero(start, code, name, match.start("rest") + len(name), rest[len(name):])

    def _code_or_zero(self, start: int, code: int, name: str, behind: int, rest: str) -> int:
        """A magic by name: its code stays, everything else becomes a `0`."""
        offset = _code_offset(name, rest) if name in CODE_MAGICS and not rest.rstrip().endswith("?") else None
        end = behind + len(rest)
        if offset is None:
            self._note(code, name, rest.strip(), (code, end), binds_any=name in BIND_ANY)
            self._put(code, "0", end)
            return -1
        body = behind + offset
        if _COMPOUND.match(self.text, body):
            # a block needs the column of its line: at top level the splitter moves it there
            if self.text[start:code] != self.margin:
                self._note(code, name, rest.strip(), (code, end))
                self._put(code, "0", end)
                return -1
            self.flush[start] = body
            stand_in = ""
        else:
            test = f"if {TESTS.get(name, '1')}:"
            stand_in = test if len(test) <= body - code else "if 1:"
        self._note(code, name, rest.strip(), (code, body), code=True)
        self._put(code, stand_in, body)
        return body

    def _assigned(self, match: re.Match[str]) -> int:
        start, rest = match.start("mark"), match["rest"]
        name = match["mark"] if match["mark"] == "!" else _MAGIC_NAME.match(rest)[0]  # type: ignore[index]
        target = match["target"].strip()
        if name == "time":
            offset = _code_offset(name, rest[len(name):])
            if offset is not None:
                body = match.start("rest") + len(name) + offset
                self._note(start, name, rest[len(name):].strip(), (start, body), assigned=target, code=True)
                self._put(start, "", body)
                return body
        args = rest if name == "!" else rest[len(name):]
        self._note(start, name, args.strip(), (start, match.end()), assigned=target,
                   binds=tuple(_NAME.findall(target)), binds_any=name in BIND_ANY)
        self._put(start, UNKNOWN_NAME, match.end())
        return -1

    def _note(self, at: int, name: str, args: str, span: tuple[int, int], assigned: str | None = None,
              code: bool = False, binds: tuple[str, ...] = (), binds_any: bool = False) -> None:
        line = self.text.count("\n", 0, at)
        self.magics.append(Magic(line, name, "line", args, span, assigned, code, binds, binds_any))

    def _put(self, start: int, stand_in: str, end: int) -> None:
        """Replaces text by a stand-in and spaces."""
        self.out.append(self.text[self.copied:start])
        self.out.append(stand_in + blank(self.text[start + len(stand_in):end]))
        self.copied = end


def _masked_line(text: str, start: int, end: int) -> LogicalLine:
    tied = tuple(match.start() for match in re.finditer("\n", text[start:end - 1]))
    comment = re.search(r"(?<=[ \t])#[^\n]*", text[start:end])
    comments = ((start + comment.start(), start + comment.end()),) if comment else ()
    return LogicalLine(start, end, 0, comments, tuple(start + offset for offset in tied))
