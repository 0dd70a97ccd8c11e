import { expect, test } from '@jupyterlab/galata';

import { cellTexts, openNotebook, openPanel, panel } from './notebooks';
import {
  addCell,
  answersOf,
  ROWS,
  rulesShown,
  setCode,
  tourCells,
  typeCode
} from './tour';

/** Cells that show something of the product, not of the guide. */
const OTHER: Record<string, string[]> = { unused: ['unused-suppression'] };
/** Shorter cells are typed letter by letter, the others are put in at once. */
const TYPED = 110;

const unique = (rules: string[]) => [...new Set(rules)].sort();

test('the tour, typed cell by cell, shows the hint of each row of the guide', async ({
  page,
  tmpPath
}) => {
  test.setTimeout(600_000);
  const cells = tourCells();
  const expected = new Map(
    cells.map(({ id }) => [
      id,
      unique([
        ...ROWS.flatMap(({ cell, rule }) =>
          cell === id && rule ? [rule] : []
        ),
        ...(OTHER[id] ?? [])
      ])
    ])
  );
  const answered = answersOf(page);
  await openNotebook(page, tmpPath, ['']);
  let typed = 0;
  for (const { id, text } of cells) {
    await addCell(page, id);
    if (text.length < TYPED) {
      await typeCode(page, text);
      typed += 1;
    } else {
      await setCode(page, text);
    }
    await expect.poll(() => answered.get(id)).toBe(text);
  }
  expect(typed).toBeGreaterThanOrEqual(12);
  expect((await cellTexts(page)).slice(1)).toEqual(
    cells.map(({ text }) => text)
  );

  const seen = new Map<string, string[]>();
  for (const [index, { id }] of cells.entries()) {
    await expect
      .soft(async () => {
        seen.set(id, await rulesShown(page, index + 1));
        expect(unique(seen.get(id)!)).toEqual(expected.get(id));
      }, `the marks of the cell "${id}"`)
      .toPass({ timeout: 6_000 });
  }

  const table = ROWS.map(({ row, cell, rule, count }) => {
    const shown = seen.get(cell)!;
    const here = rule ? shown.filter(name => name === rule) : shown;
    const isRight = rule ? here.length >= (count ?? 1) : here.length === 0;
    const { section } = cells.find(({ id }) => id === cell)!;
    return {
      row,
      section,
      cell,
      expected: rule ? `${rule}${count ? ` × ${count}` : ''}` : 'nothing',
      seen: here.length
        ? `${unique(here).join(', ')}${here.length > 1 ? ` × ${here.length}` : ''}`
        : 'nothing',
      right: isRight
    };
  });
  console.table(table);
  expect(unique(ROWS.map(({ row }) => String(row)))).toHaveLength(40);
  expect(table.filter(({ right }) => !right)).toEqual([]);

  await openPanel(page);
  const listed = await panel(page)
    .locator('.jp-JaxHints-item')
    .evaluateAll(items => items.map(item => (item as any).dataset.rule));
  expect(unique(listed)).toEqual(unique([...expected.values()].flat()));
});
