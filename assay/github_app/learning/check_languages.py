"""The languages checks are made for: the endings of their files, and what ast-grep calls them."""

from __future__ import annotations

LANGUAGES = {
    "python": (".py", ".pyi"),
    "typescript": (".ts", ".tsx", ".mts", ".cts"),
    "javascript": (".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte"),
    "go": (".go",),
    "java": (".java",),
    "kotlin": (".kt", ".kts"),
    "ruby": (".rb",),
    "rust": (".rs",),
    "csharp": (".cs",),
    "php": (".php",),
    "shell": (".sh", ".bash"),
    "scala": (".scala",),
    "c": (".c", ".h"),
    "cpp": (".cc", ".cpp", ".cxx", ".hpp"),
    "swift": (".swift",),
    "dart": (".dart",),
    "elixir": (".ex", ".exs"),
    "sql": (".sql",),
    "css": (".css", ".scss", ".less"),
    "html": (".html",),
    "terraform": (".tf",),
}
"""A language's name -> the endings of its files."""
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


def language_of(path: str) -> str | None:
    """The language of a file, by its ending."""
    return next((name for name, endings in LANGUAGES.items() if path.endswith(endings)), None)


def globs_of(language: str | None) -> tuple[str, ...]:
    """The files of a language, as path patterns; everything where it is not known."""
    return tuple(f"*{ending}" for ending in LANGUAGES.get(language or "", ())) or ("**",)
