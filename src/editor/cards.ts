import { type Extension, StateEffect, StateField } from '@codemirror/state';
import {
  closeHoverTooltips,
  type EditorView,
  hoverTooltip,
  showTooltip,
  type Tooltip,
  type TooltipView
} from '@codemirror/view';

import { createCard } from '../card/view';
import { editorContext } from './context';
import { hintsAt, type IPlacedHint } from './state';

const HOVER_TIME = 300;
/** On the body while a card is open, so that shortcuts can tell. */
const OPEN_CLASS = 'jp-mod-jaxHintsCard';
const FIX_CLASS = 'jp-mod-jaxHintsCardFix';

/** A card opened by a command. */
interface IShownCard {
  readonly placed: readonly IPlacedHint[];
  readonly focus: boolean;
}

/** A card that is on the page, by mouse or by command. */
export interface IOpenCard {
  readonly view: EditorView;
  readonly placed: readonly IPlacedHint[];
}

const openCards: IOpenCard[] = [];

/** The card opened last; null where none is open. */
export function openCard(): IOpenCard | null {
  return openCards[openCards.length - 1] ?? null;
}

const setCard = StateEffect.define<IShownCard | null>();

/** The card opened by a command goes when the text or the cursor moves. */
const cardField = StateField.define<IShownCard | null>({
  create: () => null,
  update: (shown, transaction) => {
    for (const effect of transaction.effects) {
      if (effect.is(setCard)) {
        return effect.value;
      }
    }
    return transaction.docChanged || transaction.selection ? null : shown;
  },
  provide: field =>
    showTooltip.from(field, shown =>
      shown ? tooltip(shown.placed, shown.focus) : null
    )
});

/** Opens the card of these hints; with `focus` its first button gets the keyboard. */
export function showCard(
  view: EditorView,
  placed: readonly IPlacedHint[],
  focus: boolean
): void {
  if (placed.length > 0) {
    view.dispatch({ effects: setCard.of({ placed, focus }) });
  }
}

/** Closes the cards of an editor. */
export function hideCards(view: EditorView): void {
  view.dispatch({ effects: [setCard.of(null), closeHoverTooltips] });
}

/** The cards: by mouse over a mark, and by command. */
export function cards(): Extension {
  return [
    cardField,
    hoverTooltip(
      (view, position, side) => {
        const placed = hintsAt(view.state, position).filter(({ from, to }) =>
          side < 0 ? from < position : position < to
        );
        const shown = view.state.field(cardField);
        return placed.length > 0 && !shown ? tooltip(placed, false) : null;
      },
      { hideOnChange: true, hoverTime: HOVER_TIME }
    )
  ];
}

function tooltip(placed: readonly IPlacedHint[], focus: boolean): Tooltip {
  return {
    pos: Math.min(...placed.map(({ from }) => from)),
    end: Math.max(...placed.map(({ to }) => to)),
    above: false,
    create: view => cardsView(view, placed, focus)
  };
}

/** One card a hint, one above the other. */
function cardsView(
  view: EditorView,
  placed: readonly IPlacedHint[],
  focus: boolean
): TooltipView {
  const dom = document.createElement('div');
  dom.className = 'jp-JaxHints-cards';
  dom.setAttribute('role', 'dialog');
  const context = view.state.facet(editorContext);
  if (context) {
    const { trans, actions, document: hints } = context;
    dom.setAttribute('aria-label', trans.__('JAX hint'));
    placed.forEach(({ hint }, index) =>
      dom.append(
        createCard({
          hint,
          host: hints.host,
          trans,
          fixKey: index === 0 ? context.fixKey() : '',
          onFix: fix => {
            close(view);
            void actions.applyFix(hints, fix);
          },
          onReveal: (cell, range) => {
            hideCards(view);
            void actions.reveal(hints, cell, range);
          },
          onRule: name => {
            hideCards(view);
            actions.openRule(name);
          },
          onCopy: copied => actions.copy(copied),
          onCompare: context.comparer?.(hint) ?? null
        })
      )
    );
  }
  dom.addEventListener('keydown', event => onKey(event, view, dom));
  return lifecycle({ view, placed }, dom, focus);
}

/** Keeps count of the open cards. */
function lifecycle(
  card: IOpenCard,
  dom: HTMLElement,
  focus: boolean
): TooltipView {
  return {
    dom,
    mount: () => {
      openCards.push(card);
      markBody();
      if (focus) {
        // The tooltip is placed after this: an element out of place can't be focused without a jump.
        requestAnimationFrame(() => focusables(dom)[0]?.focus());
      }
    },
    destroy: () => {
      const index = openCards.indexOf(card);
      if (index !== -1) {
        openCards.splice(index, 1);
      }
      markBody();
    }
  };
}

function markBody(): void {
  const { classList } = document.body;
  classList.toggle(OPEN_CLASS, openCards.length > 0);
  const fixable = openCard()?.placed.some(({ hint }) => hint.fixes.length > 0);
  classList.toggle(FIX_CLASS, fixable === true);
}

/** Escape closes the card; Tab stays in it. */
function onKey(event: KeyboardEvent, view: EditorView, dom: HTMLElement): void {
  if (event.key === 'Escape') {
    close(view);
    event.preventDefault();
    event.stopPropagation();
  } else if (event.key === 'Tab') {
    const items = focusables(dom);
    const at = items.indexOf(document.activeElement as HTMLElement);
    const step = event.shiftKey ? items.length - 1 : 1;
    items[(at + step) % items.length]?.focus();
    event.preventDefault();
  }
}

/** The preferred fix first, then in reading order. */
function focusables(dom: HTMLElement): HTMLElement[] {
  const all = [...dom.querySelectorAll<HTMLElement>('button')];
  const first = all.findIndex(item =>
    item.classList.contains('jp-mod-preferred')
  );
  return first > 0 ? [...all.slice(first), ...all.slice(0, first)] : all;
}

/** Closes the cards and gives the keyboard back to the editor. */
function close(view: EditorView): void {
  const inside = document.activeElement?.closest('.jp-JaxHints-cards');
  hideCards(view);
  if (inside) {
    view.focus();
  }
}
