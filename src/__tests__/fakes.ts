import { NotebookModel } from '@jupyterlab/notebook';

import { NotebookHost } from '../hosts/notebook';
import { HintDocument } from '../model/document';
import type {
  AnalyzeRequest,
  AnalyzeResponse,
  Diagnostic,
  Fix,
  TextEdit
} from '../protocol';
import { HintSettings } from '../settings/model';

/** A notebook with these code cells, named a, b, c …, read as a document of hints. */
export function notebookOf(...sources: string[]): NotebookModel {
  const model = new NotebookModel();
  model.sharedModel.deleteCellRange(0, model.sharedModel.cells.length);
  model.sharedModel.insertCells(
    0,
    sources.map((source, index) => ({
      cell_type: 'code',
      id: 'abcdefghijklmnopqrstuvwxyz'[index],
      source,
      metadata: {},
      outputs: []
    }))
  );
  model.sharedModel.clearUndoHistory();
  return model;
}

/** The digest that the fake server gives a text. */
export function digestOf(text: string): string {
  return `digest of ${text}`;
}

/** Where a piece of a text stands. */
export function rangeOf(text: string, piece: string): Diagnostic['range'] {
  const at = text.indexOf(piece);
  const place = (offset: number) => {
    const before = text.slice(0, offset).split('\n');
    return { line: before.length - 1, character: before.pop()!.length };
  };
  return { start: place(at), end: place(at + piece.length) };
}

/** A fix that replaces pieces of cells. */
export function fixOf(
  texts: Record<string, string>,
  pieces: [cell: string, piece: string, by: string][],
  more: Partial<Fix> = {}
): Fix {
  const edits: TextEdit[] = pieces.map(([cell, piece, by]) => ({
    cell,
    range: rangeOf(texts[cell], piece),
    new_text: by
  }));
  const digests = Object.fromEntries(
    edits.map(({ cell }) => [cell, digestOf(texts[cell])])
  );
  return {
    title: 'Use .at[0].set',
    applicability: 'safe',
    edits,
    digests,
    verification: null,
    ...more
  };
}

/** A hint at a piece of a cell. */
export function hintOf(
  cell: string,
  text: string,
  piece: string,
  more: Partial<Diagnostic> = {}
): Diagnostic {
  return {
    id: `${cell} ${piece}`,
    rule: 'item-assignment',
    cell,
    range: rangeOf(text, piece),
    severity: 'error',
    kind: 'error',
    certainty: 'certain',
    lane: 'reading',
    message: '`x` is a JAX array: item assignment raises',
    evidence: [],
    fixes: [],
    ignore: null,
    seen: null,
    ...more
  };
}

/**
 * A server that flags every `x[0] = 1` and offers `x = x.at[0].set(1)`.
 *
 * It answers the edited cell first, and asks for texts that it was never given.
 */
export class FakeServer {
  readonly requests: AnalyzeRequest[] = [];
  /** Replaces the next answers, one each. */
  readonly failures: Error[] = [];
  /** Holds answers back until called. */
  gate: Promise<void> = Promise.resolve();

  async analyze(
    request: AnalyzeRequest,
    signal?: AbortSignal
  ): Promise<AnalyzeResponse> {
    this.requests.push(request);
    await this.gate;
    if (signal?.aborted) {
      throw new DOMException('aborted', 'AbortError');
    }
    const failure = this.failures.shift();
    if (failure) {
      throw failure;
    }
    const missing: string[] = [];
    const texts: Record<string, string> = {};
    for (const { id, text, digest } of request.cells) {
      const known = text ?? this._texts.get(digest ?? '');
      if (known === undefined) {
        missing.push(id);
        continue;
      }
      texts[id] = known;
      this._texts.set(digestOf(known), known);
    }
    if (missing.length > 0) {
      return { cells: [], missing, complete: false, notes: [] };
    }
    const wanted = Object.keys(texts).filter(
      id => request.scope !== 'edited' || id === request.edited
    );
    const cells = wanted.map(id => ({
      id,
      digest: digestOf(texts[id]),
      diagnostics: flag(id, texts[id]),
      broken: false
    }));
    const complete = request.scope !== 'edited';
    return { cells, missing: [], complete, notes: [] };
  }

  /** Forgets every text, as after a restart. */
  forget(): void {
    this._texts.clear();
  }

  private readonly _texts = new Map<string, string>();
}

function flag(cell: string, text: string): Diagnostic[] {
  const piece = 'x[0] = 1';
  if (!text.includes(piece)) {
    return [];
  }
  const fix = fixOf({ [cell]: text }, [[cell, piece, 'x = x.at[0].set(1)']]);
  return [hintOf(cell, text, piece, { fixes: [fix] })];
}

/** The hints of a notebook, made by the fake server. */
export async function documentOf(
  model: NotebookModel,
  server: FakeServer = new FakeServer()
): Promise<{ document: HintDocument; server: FakeServer; host: NotebookHost }> {
  const host = new NotebookHost(model.sharedModel);
  const document = new HintDocument(host, server, new HintSettings());
  await document.settled();
  return { document, server, host };
}
