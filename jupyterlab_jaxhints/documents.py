"""The open documents of the worker: their texts by digest, and the analyzer of each, the least used ones dropped."""
from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import texts
from .analyzer import Analyzer
from .config import Config
from .engine.cells import Cell
from .errors import RequestError
from .kernelfacts import facts_of, facts_response
from .livetrace import JUDGES, LiveTrace, judged, merge, plan, response, take_answers, told_refuted
from .protocol import AnalyzeRequest, AnalyzeResponse, CellResult, Note, TraceRequest, TraceResponse

LIMIT = 12
UNREAD = "The cell is left out: reading it ended the analysis process"


@dataclass
class Document:
    """What is kept of one notebook between two requests."""

    analyzer: Analyzer = field(default_factory=Analyzer)
    known: dict[str, str] = field(default_factory=dict)  # digest → text
    live: LiveTrace | None = None  # what the notebook's kernel told, while the user lets us ask it


class Documents:
    """All documents by name. `cold` is true after one was analysed from nothing."""

    def __init__(self, limit: int = LIMIT, announce: Callable[[str], None] = lambda digest: None) -> None:
        self.limit, self.announce = limit, announce
        self.cold = False
        self._documents: OrderedDict[str, Document] = OrderedDict()

    def __len__(self) -> int:
        return len(self._documents)

    def clear(self) -> None:
        """Forgets everything."""
        self._documents.clear()

    def analyze(self, request: AnalyzeRequest, config: Config, *, skip: Collection[str] = (),
                careful: bool = False) -> AnalyzeResponse:
        """The answer to one request. `skip` holds digests of cells that are not to be read."""
        document = self._document(request.notebook)
        given, missing = _texts(request, document)
        if missing:
            return AnalyzeResponse(missing=missing, complete=False)
        digests = {cell_id: texts.digest(text) for cell_id, text in given.items()}
        document.known = {digests[cell_id]: text for cell_id, text in given.items()}
        cells = [Cell(cell_id, "" if digests[cell_id] in skip else text, number)
                 for number, (cell_id, text) in enumerate(given.items(), start=1)]
        if careful:
            self._read_one_by_one(document.analyzer, cells, digests)
        edited = request.edited if request.edited in given else None
        document.analyzer.update(cells, edited=edited, cursor_line=request.cursor_line,
                                 jax_version=request.jax_version, failures=request.failures)
        only = edited if request.scope == "edited" else None
        results = document.analyzer.results(config, only=only)
        notes = document.analyzer.notes()
        if document.live is not None:
            read, results = results, merge(document.live, given, results, config)
            notes += told_refuted(read, results)
        skipped = [cell_id for cell_id, digest in digests.items() if digest in skip]
        return AnalyzeResponse(
            cells=[_told(result, digests[result.id], result.id in skipped) for result in results],
            complete=only is None,
            notes=[*notes, *(Note(message=UNREAD, cell=cell_id) for cell_id in skipped)],
        )

    def plan(self, request: TraceRequest) -> dict[str, Any]:
        """What the kernel is to be asked."""
        document = self._documents.get(request.notebook)
        return plan(request, document.live if document is not None else None)

    def trace(self, request: TraceRequest, config: Config, answers: Sequence[Mapping[str, Any]], *,
              skip: Collection[str] = ()) -> TraceResponse:
        """Keeps what the kernel answered and says what comes of it, together with the reading."""
        document = self._document(request.notebook)
        document.live = document.live or LiveTrace()
        if request.action == "facts":
            document.live.facts = facts_of(answers[0]) or document.live.facts
            return facts_response(answers)
        if request.action in JUDGES:
            return judged(document.live, request, answers)
        take_answers(document.live, request, answers)
        cells = [Cell(cell.id, "" if texts.digest(cell.text or "") in skip else cell.text or "", number)
                 for number, cell in enumerate(request.cells, start=1)]
        document.analyzer.update(cells, jax_version=document.analyzer.jax_version)
        return response(document.live, request, answers, document.analyzer.results(config), config)

    def forget_trace(self, notebook: str) -> None:
        """Drops what a kernel told: it was restarted, or the user switched the trace off."""
        if notebook in self._documents:
            self._documents[notebook].live = None

    def _document(self, name: str) -> Document:
        document = self._documents.get(name)
        if document is None:
            document = self._documents[name] = Document()
            self.cold = True
        self._documents.move_to_end(name)
        while len(self._documents) > self.limit:
            self._documents.popitem(last=False)
        return document

    def _read_one_by_one(self, analyzer: Analyzer, cells: list[Cell], digests: dict[str, str]) -> None:
        """Names each cell before it is read, so that the one that ends the process is known."""
        for count, cell in enumerate(cells, start=1):
            self.announce(digests[cell.id])
            analyzer.update(cells[:count])
            analyzer.results(Config())


def _texts(request: AnalyzeRequest, document: Document) -> tuple[dict[str, str], list[str]]:
    given: dict[str, str] = {}
    missing = []
    for cell in request.cells:
        if cell.id in given or cell.id in missing:
            raise RequestError("duplicate-cell", f"Two cells have the id `{cell.id[:40]}`.")
        text = cell.text if cell.text is not None else document.known.get(cell.digest or "")
        if text is None:
            missing.append(cell.id)
        else:
            given[cell.id] = text
    return given, missing


def _told(result: CellResult, digest: str, skipped: bool) -> CellResult:
    """The result with the digest of the text as it was sent."""
    return result.model_copy(update={"digest": digest, "broken": result.broken or skipped})
