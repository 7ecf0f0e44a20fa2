"""Code that reviewers commented on, as examples that a check must find."""

from __future__ import annotations

import re
import sys
import textwrap
from dataclasses import dataclass

NEAR = 8
"""Maximum distance in lines of an added line from the commented line, which is the last of its hunk."""
MOST_HUNK_LINES = 200
MOST_LINE = 2_000
"""Characters of a line that are read: longer ones are generated."""
_ROOT = re.compile(r"(?<![\w.])([a-z_]{2,30})\.[A-Za-z_]")
_MODULES = sys.stdlib_module_names | {"requests", "yaml", "httpx", "numpy", "pandas", "django"}
_HEADER = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")


@dataclass(frozen=True, slots=True)
class Example:
    """Code that a reviewer commented on: a part of a file, or all of it, and the lines near the comment (1-based)."""

    path: str
    text: str
    lines: frozenset[int]
    line: int

    @property
    def code(self) -> str:
        """The lines near the comment."""
        all_lines = self.text.split("\n")
        return "\n".join(all_lines[line - 1] for line in sorted(self.lines) if line <= len(all_lines))


def example_of(path: str | None, hunk: str | None, side: str | None = None) -> Example | None:
    """Return the code a comment is about; None if it is not on an added line."""
    if not path or not hunk or side == "LEFT":
        return None
    lines = [line[:MOST_LINE] for line in hunk.split("\n")[-MOST_HUNK_LINES:] if not _HEADER.match(line)]
    new = [line for line in lines if line[:1] in ("+", " ", "")]
    added = {i for i, line in enumerate(new, 1) if line[:1] == "+" and i > len(new) - NEAR}
    if not added:
        return None
    text = _whole("\n".join(line[1:] for line in new), path)
    # The hunk has not the file's imports, which linters resolve names by.
    imports = _imports_of(text) if path.endswith(".py") else ""
    shift = imports.count("\n")
    return Example(path, imports + text, frozenset(line + shift for line in added), max(added) + shift)


def example_at(path: str, text: str, line: int) -> Example | None:
    """Return a line of a file as an example; None if the file has no such line."""
    known = text.split("\n")
    return Example(path, text, frozenset({line}), line) if 1 <= line <= len(known) and known[line - 1].strip() else None


def _whole(text: str, path: str) -> str:
    """Return a part of a file so that a parser of its language accepts more of it."""
    text = textwrap.dedent(text).rstrip() + "\n"
    if path.endswith((".py", ".pyi")) and text.rstrip().endswith(":"):
        last = text.rstrip().rpartition("\n")[2]
        text += " " * (len(last) - len(last.lstrip()) + 4) + "pass\n"
    return text


def _imports_of(text: str) -> str:
    """Return likely imports of a part of a Python file: of the modules whose names stand before a dot."""
    used = dict.fromkeys(_ROOT.findall(text))
    known = [name for name in used if name in _MODULES and not re.search(rf"\bimport\b[^\n]*\b{name}\b", text)]
    lines = [
        f"import {name}" for name in known if name != "datetime" or re.search(r"\bdatetime\.(?:date)?time\b", text)
    ]
    if "datetime" in known and "import datetime" not in lines:
        lines.append("from datetime import datetime")
    return "".join(f"{line}\n" for line in lines)
