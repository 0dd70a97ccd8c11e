import { ensureSyntaxTree, syntaxTree } from '@codemirror/language';
import {
  type Extension,
  Facet,
  StateEffect,
  StateField
} from '@codemirror/state';
import {
  EditorView,
  hoverTooltip,
  showTooltip,
  type Tooltip
} from '@codemirror/view';
import type { TranslationBundle } from '@jupyterlab/translation';

import {
  createFact,
  type ITold,
  spokenFact,
  toldByKernel,
  toldByTrace
} from '../card/fact';
import type { LineShape, NameFact } from '../protocol';
import { openCard } from './cards';
import { type IName, nameAt, typeAt } from './scope';
import { hintsAt } from './state';

const HOVER_TIME = 400;
const PARSE_TIME = 50;

/** Who knows the names of a notebook's cells. */
export interface INameSource {
  /** Whether the kernel is asked at all. */
  readonly factsOn: boolean;
  /** What the kernel holds under a global name. */
  fact(name: string): Promise<NameFact | null>;
  /** The types that a trace saw in a cell, by line. */
  typed(cell: string): readonly LineShape[];
}

/** What the tooltip of an editor needs. */
interface INameContext {
  readonly cell: string;
  readonly source: INameSource;
  readonly trans: TranslationBundle;
}

/** A tooltip opened by a command. */
interface IShownName {
  readonly place: Pick<IName, 'from' | 'to'>;
  readonly told: ITold;
}

const setShown = StateEffect.define<IShownName | null>();

/** The tooltip opened by a command goes when the text or the cursor moves. */
const shownField = StateField.define<IShownName | null>({
  create: () => null,
  update: (shown, transaction) => {
    for (const effect of transaction.effects) {
      if (effect.is(setShown)) {
        return effect.value;
      }
    }
    return transaction.docChanged || transaction.selection ? null : shown;
  },
  provide: field =>
    showTooltip.from(field, shown =>
      shown ? tooltip(shown.place, shown.told) : null
    )
});

const nameContext = Facet.define<INameContext, INameContext | null>({
  combine: values => values[0] ?? null
});

/** Types of names: where the pointer rests, and by command. */
export function nameExtension(
  cell: string,
  source: INameSource,
  trans: TranslationBundle
): Extension {
  const context = { cell, source, trans };
  return [
    nameContext.of(context),
    shownField,
    EditorView.domEventHandlers({
      blur: (_, view) => hide(view)
    }),
    hoverTooltip(
      (view, position, side) => hovered(view, position, side, context),
      {
        hideOnChange: true,
        hoverTime: HOVER_TIME
      }
    )
  ];
}

/** Shows what is known of the name at the cursor, or that nothing is. */
export async function showName(view: EditorView): Promise<void> {
  const { state } = view;
  const context = state.facet(nameContext);
  const { head } = state.selection.main;
  const name = find(view, head, 1) ?? find(view, head, -1);
  if (!context || !name) {
    return;
  }
  // A tooltip that the keyboard opened goes with the focus.
  view.focus();
  const told = (await tell(view, name, context)) ?? nothing(name.name, context);
  if (view.state.doc === state.doc) {
    view.dispatch({
      effects: [
        setShown.of({ place: name, told }),
        EditorView.announce.of(spokenFact(told))
      ]
    });
  }
}

/** A hint at the place has its card, which tells more: the name waits. */
async function hovered(
  view: EditorView,
  position: number,
  side: -1 | 1,
  context: INameContext
): Promise<Tooltip | null> {
  const name = isTaken(view, position) ? null : find(view, position, side);
  if (!name || !context.source.factsOn) {
    return null;
  }
  const { doc } = view.state;
  const told = await tell(view, name, context);
  const isStill = view.state.doc === doc && !isTaken(view, position);
  return told && isStill ? tooltip(name, told) : null;
}

function isTaken(view: EditorView, position: number): boolean {
  return hintsAt(view.state, position).length > 0 || openCard()?.view === view;
}

function find(view: EditorView, position: number, side: -1 | 1): IName | null {
  const { state } = view;
  const tree =
    ensureSyntaxTree(state, state.doc.length, PARSE_TIME) ?? syntaxTree(state);
  return nameAt(tree, state.doc.toString(), position, side);
}

async function tell(
  view: EditorView,
  name: IName,
  { cell, source, trans }: INameContext
): Promise<ITold | null> {
  if (name.origin?.isModule) {
    const fact = await source.fact(name.name);
    if (fact) {
      return toldByKernel(name.name, fact, trans);
    }
  }
  const type = typeAt(name, view.state.doc.toString(), source.typed(cell));
  return type === null ? null : toldByTrace(name.name, type, trans);
}

function nothing(name: string, { source, trans }: INameContext): ITold {
  const remark = source.factsOn
    ? trans.__('nothing is known of it')
    : trans.__('the facts from the kernel are off in the panel');
  return { name, type: '', rows: [], remarks: [remark], source: '' };
}

function tooltip(
  { from, to }: Pick<IName, 'from' | 'to'>,
  told: ITold
): Tooltip {
  return {
    pos: from,
    end: to,
    above: true,
    create: () => ({ dom: createFact(told) })
  };
}

function hide(view: EditorView): void {
  if (view.state.field(shownField, false)) {
    view.dispatch({ effects: setShown.of(null) });
  }
}
