"""Find words that the writing guide replaces, in Python comments and strings and in Markdown text.

`python -m tests.prose [PATH …]` prints `file:line: 'word': write …` and exits with 1 where it finds any.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT
from tests.tables import read_yaml

TABLE = Path(__file__).with_name("prose.yml")
_LITERAL = re.compile(r"`[^`\n]*`|https?://\S+|(?<=\])\([^()\s]*\)|\"[^\"\n]*\"|\{[^{}\n]*\}")
"""Code, addresses, link targets, quotations and placeholders are not prose."""
_FENCE = re.compile(r"^\s*(```|~~~)")


@dataclass(frozen=True, slots=True)
class Hit:
    """A word to replace: file, line from 1, the word, and the advice."""

    path: str
    line: int
    word: str
    use: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.word!r}: write {self.use}"


def findings(paths: Iterable[Path]) -> Iterator[Hit]:
    """Return every hit in the Python and Markdown files among `paths`."""
    table = read_yaml(TABLE)
    rows = [
        (re.compile(rf"\b(?:{row['match']})\b", re.IGNORECASE), row["use"], tuple(row.get("except", ())))
        for row in table["words"]
    ]
    exempt = tuple(row["path"] for row in table["exempt"])
    for path in paths:
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(exempt):
            continue
        patterns = [(pattern, use) for pattern, use, where in rows if not (where and name.startswith(where))]
        text = path.read_text("utf-8")
        for line, prose in _python(text) if path.suffix == ".py" else _markdown(text):
            for offset, part in enumerate(_LITERAL.sub("", prose).split("\n")):
                for pattern, use in patterns:
                    for match in pattern.finditer(part):
                        yield Hit(name, line + offset, match[0], use)


def _python(text: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value


def _markdown(text: str) -> Iterator[tuple[int, str]]:
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        if _FENCE.match(line):
            inside = not inside
        elif not inside:
            yield number, line


def main(arguments: list[str]) -> int:
    """Print the hits below the given paths; everything that people read by default."""
    starts = [Path(one).resolve() for one in arguments] or [ROOT / "assay", ROOT / "docs", *ROOT.glob("*.md")]
    files = [
        path
        for start in starts
        for path in (sorted(start.rglob("*")) if start.is_dir() else [start])
        if path.suffix in {".py", ".md"}
    ]
    hits = list(findings(files))
    print("\n".join(map(str, hits)) or "no findings")
    return 1 if hits else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
