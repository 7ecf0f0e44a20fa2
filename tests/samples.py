"""Draw texts of the package for a reader: `python -m tests.samples [SEED]` prints 100 of them.

Docstrings, comments, and messages (the text of raised errors), each as likely as any other.
"""

from __future__ import annotations

import ast
import random
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NUM = 100
_SETTINGS = ("# type:", "# noqa", "# ---", "# pragma")


def texts() -> list[tuple[str, str, str]]:
    """Return (place, kind, text) of every docstring, comment and message below assay/."""
    found = []
    for path in sorted((ROOT / "assay").rglob("*.py")):
        name = str(path.relative_to(ROOT))
        found += [(f"{name}:{line}", kind, " ".join(text.split())) for line, kind, text in _in(path)]
    return found


def _in(path: Path) -> Iterator[tuple[int, str, str]]:
    with tokenize.open(path) as file:
        tokens = list(tokenize.generate_tokens(file.readline))
    for token in tokens:
        if token.type == tokenize.COMMENT and not token.string.startswith(_SETTINGS):
            yield token.start[0], "comment", token.string.lstrip("# ")
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            text = ast.get_docstring(node)
            if text:
                yield getattr(node, "lineno", 1), "docstring", text
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            parts = [ast.unparse(one) for one in node.exc.args if isinstance(one, (ast.JoinedStr, ast.Constant))]
            if any(" " in part for part in parts):
                yield node.lineno, "message", " ".join(parts)


def main() -> None:
    """Print the sample."""
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    for place, kind, text in sorted(random.Random(seed).sample(texts(), NUM)):
        print(f"{place} {kind}: {text}")


if __name__ == "__main__":
    main()
