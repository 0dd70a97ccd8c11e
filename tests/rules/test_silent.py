"""Code that has nothing to do with JAX: every rule is silent on it, also in a notebook that imports JAX."""
from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import checking, running

from jupyterlab_jaxhints import files
from jupyterlab_jaxhints.analyzer import Analyzer

FOLDER = Path(__file__).parents[1] / "corpus" / "silent"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
WITH_JAX = "import jax\nimport jax.numpy as jnp\nfrom jax import lax\n"

# cells as published notebooks have them, with names and numbers of their own
TEMPLATES = (
    "table_{n} = pd.DataFrame({{'a': range({k}), 'b': np.random.rand({k})}})\ntable_{n}.at[0, 'b'] = {k}.5\ntable_{n}.head()",
    "x_{n} = np.zeros({k})\nx_{n}[{i}] = 1.0\nx_{n} += {k}\nx_{n}[x_{n} > 1]",
    "if x_{m}.sum() > {k} and x_{m}.max() > 0:\n    print('cell {n}', x_{m}[{i}])\nelse:\n    x_{m} *= 0.5",
    "noise_{n} = np.random.normal(0.0, 1.0, size=({k}, 3))\nnoise_{n} -= noise_{n}.mean(axis=0)\nnoise_{n}.sort()",
    "def score_{n}(rows, seen=[]):\n    seen.append(len(rows))\n    total = 0.0\n    for row in rows:\n"
    "        if row > 0:\n            total += float(row)\n    return total\n\nscore_{n}(x_{m})",
    "parts_{n} = [group['b'].sum() for _, group in table_{m}.groupby('a')]\nbest_{n} = max(parts_{n}, default=0.0)",
    "%%time\nproduct_{n} = np.random.rand({k}, {k}) @ np.random.rand({k}, {k})",
    "key = {k}\nrng = np.random.default_rng(key)\nfirst_{n}, again_{n} = rng.normal(size=key), rng.normal(size=key)",
    "class Step{n}:\n    def __init__(self):\n        self.count = 0\n    def __call__(self, x):\n        self.count += 1\n"
    "        return np.where(x > 0, np.log(x + {k}), 0.0)\n\nout_{n} = Step{n}()(np.ones({k}))",
    "merged_{n} = table_{m}.merge(table_{m}, on='a', suffixes=('_l', '_r'))\nmerged_{n}['c'] = merged_{n}['b_l'] - merged_{n}['b_r']",
    "wide_{n} = np.arange({k}, dtype=np.float64) + 1e-12\nassert not np.isnan(wide_{n}).any()\nnp.sum([1.0, 2.0, {k}])",
)


def test_there_are_notebooks() -> None:
    assert {path.stem for path in NOTEBOOKS} == {"numpy", "pandas", "torch"}


def texts(path: Path) -> list[str]:
    return [cell.text for cell in files.read(path).cells]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.parametrize("first", ["", WITH_JAX], ids=["alone", "beside JAX"])
def test_other_libraries_are_left_alone(path: Path, first: str) -> None:
    assert checking.found([first, *texts(path)]) == []


def test_the_notebook_with_numpy_alone_runs() -> None:
    with running.ran(texts(FOLDER / "numpy.ipynb")) as (error, names):
        assert error is None, repr(error)
        assert names["calls"] == 2 and names["losses"] == [0.0, 6.0]


def test_the_same_cells_on_jax_numpy_are_not_left_alone() -> None:
    cells = [cell.replace("import numpy as np", "import jax.numpy as np") for cell in texts(FOLDER / "numpy.ipynb")]
    assert {"item-assignment", "out-of-bounds-index"} & {rule for rule, _ in checking.found(cells)}


def long_notebook(count: int) -> Iterator[str]:
    rng = random.Random(7)
    yield "import numpy as np\nimport pandas as pd"
    made: dict[str, list[int]] = {"table": [], "x": []}
    for number in range(1, count):
        template = rng.choice(TEMPLATES) if number > 2 else TEMPLATES[number - 1]
        kind = "table" if "table_{m}" in template else "x"
        older = rng.choice(made[kind]) if "{m}" in template else 0
        size = rng.randrange(4, 40)
        yield template.format(n=number, m=older, k=size, i=rng.randrange(4))
        for name, numbers in made.items():
            if template.startswith(f"{name}_{{n}}"):
                numbers.append(number)


@pytest.mark.parametrize("first", ["", WITH_JAX], ids=["alone", "beside JAX"])
def test_three_hundred_cells_of_numpy_and_pandas(first: str) -> None:
    cells = [first, *long_notebook(300)]
    assert len(cells) == 301
    assert checking.found(cells) == []


def test_a_notebook_without_jax_is_not_even_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr("jupyterlab_jaxhints.engine.notebook.read", lambda cell, *_: read.append(cell.id))
    analyzer = Analyzer(strict=True)
    cells = checking.book(list(long_notebook(300))).cells
    analyzer.update(cells)
    assert [result.diagnostics for result in analyzer.results()] == [[]] * 300
    assert analyzer.notes() == [] and read == []
