"""Which programming language a comment is about: by what it names, or by the file it stands at."""

from __future__ import annotations

import re

_SUFFIXES = {
    "py": "python", "pyi": "python", "ts": "typescript", "tsx": "typescript", "mts": "typescript", "js": "javascript",
    "jsx": "javascript", "mjs": "javascript", "cjs": "javascript", "vue": "javascript", "svelte": "javascript",
    "go": "go", "rs": "rust", "java": "java", "kt": "kotlin", "kts": "kotlin", "scala": "scala", "rb": "ruby",
    "php": "php", "cs": "csharp", "c": "c", "h": "c", "cc": "cpp", "cpp": "cpp", "cxx": "cpp", "hpp": "cpp",
    "swift": "swift", "m": "objective-c", "sql": "sql", "sh": "shell", "bash": "shell", "tf": "terraform",
    "css": "css", "scss": "css", "less": "css", "html": "html", "dart": "dart", "ex": "elixir", "exs": "elixir",
}  # fmt: skip
_NAMED = re.compile(
    r"\b(?:in|of|for|with|use|explicit|idiomatic)\s+(python|typescript|javascript|golang|go|rust|java|kotlin|scala|ruby|php|swift|sql|css)\b"
    r"|\b(typescript|golang)\b",
    re.IGNORECASE,
)


def language_of(said: str, path: str | None) -> str | None:
    """The language's name in lower case, or None where neither the words nor the file tell."""
    named = _NAMED.search(said[:1_000])
    if named:
        name = (named[1] or named[2]).lower()
        return "go" if name == "golang" else name
    suffix = (path or "").rsplit("/", 1)[-1].rpartition(".")[2].lower()
    return _SUFFIXES.get(suffix) if path and "." in path else None
