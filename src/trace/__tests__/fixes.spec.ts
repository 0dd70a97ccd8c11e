import { fixOf, hintOf } from '../../__tests__/fakes';
import { fixesIn, hintAtHand } from '../fixes';

const TEXT = 'x[0] = 1\ny = x\nx[1] = 2';

function hint(cell: string, piece: string, ...by: string[]) {
  const fixes = by.map(text => fixOf({ [cell]: TEXT }, [[cell, piece, text]]));
  return hintOf(cell, TEXT, piece, { fixes });
}

describe('fixesIn', () => {
  it('takes the preferred fix of each hint first, each text once', () => {
    const one = hint('a', 'x[0] = 1', 'p', 'q');
    const two = hint('a', 'x[1] = 2', 'r');
    const other = hint('b', 'x[0] = 1', 's');
    const found = fixesIn([one, one, two, other], new Set(['a']));
    expect(found.map(({ fix }) => fix.edits[0].new_text)).toEqual([
      'p',
      'r',
      'q'
    ]);
  });

  it('asks about a few only', () => {
    const many = [...'abcdefghijklmnopq'].map(by => hint('a', 'x[0] = 1', by));
    expect(fixesIn(many, new Set(['a']))).toHaveLength(12);
    expect(fixesIn(many, new Set(['b']))).toEqual([]);
  });
});

describe('hintAtHand', () => {
  it('is the chosen one, the one at the cursor, in the cell, or the first', () => {
    const hints = [
      hint('a', 'x[0] = 1', 'p'),
      hint('b', 'x[0] = 1', 'p'),
      hint('b', 'x[1] = 2', 'p')
    ];
    const at = (...place: [string | null, string | null, number | null]) =>
      hints.indexOf(hintAtHand(hints, ...place));
    expect(at(hints[0].id, 'b', 2)).toBe(0);
    expect(at(null, 'b', 2)).toBe(2);
    expect(at('gone', 'b', 1)).toBe(1);
    expect(at(null, 'c', null)).toBe(0);
  });
});
