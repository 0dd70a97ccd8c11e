import { Facet } from '@codemirror/state';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Diagnostic, Fix } from '../protocol';
import type { IHintActions, IHintDocument } from '../tokens';

/** What an editor's extension knows: its cell, the hints, and what can be done with them. */
export interface IEditorContext {
  readonly cell: string;
  readonly document: IHintDocument;
  readonly actions: IHintActions;
  readonly trans: TranslationBundle;
  /** The key that takes the preferred fix, as shown to people; empty where none is bound. */
  readonly fixKey: () => string;
  /** Compares the values of a hint's fix with the old ones; null where the hint's cell was not traced. */
  readonly comparer?: (
    hint: Diagnostic
  ) => ((fix: Fix) => Promise<string>) | null;
}

export const editorContext = Facet.define<
  IEditorContext,
  IEditorContext | null
>({ combine: values => values[0] ?? null });
