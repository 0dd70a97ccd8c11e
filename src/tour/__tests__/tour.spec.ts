import { freePath } from '../plugin';

describe('freePath', () => {
  it('never takes the name of a file that is there', async () => {
    const names = ['a.ipynb', 'jax-hints-tour.ipynb', 'jax-hints-tour-1.ipynb'];
    const contents: any = {
      get: async () => ({ content: names.map(name => ({ name })) })
    };
    expect(await freePath(contents, 'work')).toBe(
      'work/jax-hints-tour-2.ipynb'
    );
    names.length = 0;
    expect(await freePath(contents, '')).toBe('jax-hints-tour.ipynb');
  });
});
