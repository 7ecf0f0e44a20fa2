"""Recognition of the program a command starts, behind any wrappers."""

from __future__ import annotations

from collections.abc import Sequence

from assay.validators.tools.runners import started

_PACKAGE_MANAGERS = frozenset(("yarn", "pnpm", "bun", "bunx"))
_NODE_SCRIPTS = {
    "jest.js": "jest",
    "vitest.mjs": "vitest",
    "eslint.js": "eslint",
    "prettier.cjs": "prettier",
    "tsc.js": "tsc",
}


def program_words(words: Sequence[str], programs: frozenset[str]) -> list[str] | None:
    """Return the program's bare name and its arguments where it is one of `programs`, else None.

    Sees through `uv run`, `npx`, `python -m`, `coverage run -m`, `env X=1`, `yarn`, `node --flag path/to/jest.js` and
    full paths.
    """
    rest = started([_name(words[0]), *words[1:]]) if words else []
    if len(rest) > 1 and rest[0] in _PACKAGE_MANAGERS and _name(rest[1]) in programs:
        rest = rest[1:]
    if rest and _name(rest[0]) == "node" and "node" not in programs:
        rest = _node_script(rest)
    return [_name(rest[0]), *rest[1:]] if rest and _name(rest[0]) in programs else None


def _node_script(words: Sequence[str]) -> list[str]:
    for index, word in enumerate(words[1:], 1):
        if not word.startswith("-"):
            return list(words[index:])
    return []


def _name(word: str) -> str:
    name = word.rpartition("/")[2].removesuffix(".cmd").removesuffix(".exe")
    return _NODE_SCRIPTS.get(name, name)
