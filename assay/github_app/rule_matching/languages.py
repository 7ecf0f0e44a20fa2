"""Languages of review comments and rules: names, file suffixes and ast-grep names."""

from __future__ import annotations

import re

from assay.validators import language_suffixes

_ROWS = {
    "python": "python",
    "typescript": "typescript tsx",
    "javascript": "javascript jsx vue svelte astro",
    "go": "go",
    "java": "java",
    "kotlin": "kotlin",
    "ruby": "ruby",
    "rust": "rust",
    "csharp": "csharp",
    "php": "php",
    "shell": "shell",
    "scala": "scala",
    "c": "c c-header",
    "cpp": "cpp",
    "swift": "swift",
    "objective-c": "objective-c",
    "dart": "dart",
    "elixir": "elixir",
    "sql": "sql",
    "css": "css scss",
    "html": "html",
    "terraform": "terraform",
}
LANGUAGES = {name: language_suffixes(*keys.split()) for name, keys in _ROWS.items()}
"""Language to the suffixes of its files, from the table of languages."""
AST_GREP = {
    "python": "Python",
    "typescript": "TypeScript",
    "javascript": "JavaScript",
    "go": "Go",
    "java": "Java",
    "kotlin": "Kotlin",
    "ruby": "Ruby",
    "rust": "Rust",
    "csharp": "CSharp",
    "php": "Php",
}
SCRIPTS = ("typescript", "javascript")
_NAMED = re.compile(
    r"\b(?:in|of|for|with|use|explicit|idiomatic)\s+(python|typescript|javascript|golang|go|rust|java|kotlin|scala|ruby|php|swift|sql|css)\b"
    r"|\b(typescript|golang)\b",
    re.IGNORECASE,
)


def language_said(said: str, path: str | None) -> str | None:
    """Return the language a comment names, else that of its file; None if neither is known."""
    named = _NAMED.search(said[:1_000])
    if named:
        name = (named[1] or named[2]).lower()
        return "go" if name == "golang" else name
    return language_of(path) if path else None


def language_of(path: str) -> str | None:
    """Return the language of a file by its suffix."""
    return next((name for name, suffixes in LANGUAGES.items() if path.lower().endswith(suffixes)), None)


def globs_of(language: str | None) -> tuple[str, ...]:
    """Return path patterns for the files of a language; `**` if the language is unknown."""
    return tuple(f"*{suffix}" for suffix in LANGUAGES.get(language or "", ())) or ("**",)
