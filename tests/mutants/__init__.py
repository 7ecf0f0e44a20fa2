"""Mutation run over the modules of docs/requirements.md, each mutant against the tests named in the rows of its module.

`python -m tests.mutants SEED COUNT` needs cosmic-ray (`.venv/bin/uv pip install cosmic-ray==8.7.0`) and changes the
files of the checkout it runs in, so use a `git worktree` with its own `make venv`. It writes to `build/mutants`:

- `coverage`: which named test runs which line, in its own process or in a process it starts; made once,
- `SEED.jsonl`: one line for each mutant tried; a run that was stopped continues after the last one,

and prints the figures of results.md.

Of all positions cosmic-ray can change, `SEED` draws COUNT, and one of the changes at each. Left out, because no test
could tell them from the original: annotations, blocks under `TYPE_CHECKING`, arguments of log calls, and `==` exchanged
for `is`. A change that does not compile is left out too.
"""
