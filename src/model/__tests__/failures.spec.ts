import { failingLine, failureOf } from '../failures';

describe('failingLine', () => {
  it('takes the innermost frame of the cell itself', () => {
    const traceback = [
      '\u001b[0;31mTypeError\u001b[0m  Traceback (most recent call last)',
      'Cell \u001b[0;32mIn[7], line 5\u001b[0m\n      4 y = 1\n----> 5 step(y)',
      'Cell In[7], line 2, in step(x)\n      1 def step(x):\n----> 2     x[0] = 1',
      'File ~/lib/jax/array.py:600, in __setitem__(self, i, x)\n--> 600   raise'
    ];
    expect(failingLine(traceback, 7)).toBe(1);
  });

  it('leaves alone what arose in another cell or file', () => {
    const traceback = [
      'Cell In[9], line 3\n----> 3 helper(x)',
      'Cell In[2], line 8, in helper(x)\n----> 8   x[0] = 1'
    ];
    expect(failingLine(traceback, 9)).toBeNull();
    expect(failingLine(traceback, 2)).toBe(7);
    expect(failingLine(traceback, 1)).toBeNull();
    const cell = 'Cell In[3], line 4\n----> 4 train(x)';
    const own = 'File ~/lab/train.py:12, in train(x)\n---> 12   if x > 0:';
    const library =
      'File /usr/lib/python3/dist-packages/jax/core.py:9, in f(x)\n----> 9   raise';
    expect(failingLine([cell, own, library], 3)).toBeNull();
    expect(failingLine([cell, library], 3)).toBe(3);
  });

  it('reads the older forms of IPython', () => {
    const eight = [
      'Input In [4], in <cell line: 3>()\n      1 a\n----> 3 x[0] = 1'
    ];
    expect(failingLine(eight, 4)).toBe(2);
    const seven = ['<ipython-input-4-0d1>in <module>', '----> 2 x[0] = 1'];
    expect(failingLine(seven, 4)).toBeNull();
    const seventh = ['<ipython-input-4-0d1> in <module>\n----> 2 x[0] = 1'];
    expect(failingLine(seventh, 4)).toBe(1);
  });

  it('gives nothing for outputs without an error', () => {
    const stream = { output_type: 'stream', name: 'stdout', text: 'x' };
    expect(failureOf('a', 1, [stream])).toBeNull();
  });
});
