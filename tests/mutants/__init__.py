"""Mutation run over all of `assay/`: does a test of `make test` fail where one place of the code is changed?

`python -m tests.mutants SEED COUNT` needs cosmic-ray (`.venv/bin/uv pip install cosmic-ray==8.7.0`) and changes the
files of the checkout it runs in, so use a clone with its own `make venv`. It writes to `build/mutants`:

- `coverage`: which test runs which line, in its own process or in a process it starts; made once,
- `SEED.jsonl`: one line for each mutant tried; a run that was stopped continues after the last one,

and prints the figures of results.md. `--first FILE`, such a file of another run, tries first what killed a mutant
there: compare two suites so, for the seconds of a busy machine decide which tests fit into `--seconds`.

Each draw takes a module by its size, one of its places that cosmic-ray can change, and one of the changes there. Left
out, because no test could tell them from the original: annotations, blocks under `TYPE_CHECKING`, arguments of log
calls, and `==` exchanged for `is`. A change that does not compile is left out too.
"""
