import { documentOf, notebookOf } from '../../__tests__/fakes';
import { neighbour } from '../navigate';

const MAKE = 'import jax.numpy as jnp\nx = jnp.zeros(3)';

describe('neighbour', () => {
  it('goes from hint to hint, round the end', async () => {
    const model = notebookOf(MAKE, 'x[0] = 1', 'y = 1', 'x[0] = 1');
    const { document } = await documentOf(model);
    const at = (cell: string, line = 0, character = 0) => ({
      cell,
      line,
      character
    });
    const next = (place: ReturnType<typeof at> | null, step: 1 | -1 = 1) =>
      neighbour(document, place, step)?.cell;
    expect(next(null)).toBe('b');
    expect(next(at('a'))).toBe('b');
    expect(next(at('b'))).toBe('d');
    expect(next(at('c'))).toBe('d');
    expect(next(at('d'))).toBe('b');
    expect(next(at('d'), -1)).toBe('b');
    expect(next(at('b'), -1)).toBe('d');
    expect(next(null, -1)).toBe('d');
  });

  it('stays where it is without hints', async () => {
    const { document } = await documentOf(notebookOf(MAKE));
    expect(neighbour(document, null, 1)).toBeNull();
  });
});
