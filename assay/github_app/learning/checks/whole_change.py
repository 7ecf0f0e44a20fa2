"""Checks of a change as a whole: files that must not change or appear, and its title and commits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assay.validators import CheckKind, LearnedCheck, path_matcher

MOST_CHARACTERS = 1_500
_ACT = re.compile(
    r"\b(?:never|not|don'?t|do not|no|stop|avoid|must not|should not|shouldn'?t|mustn'?t)\b[^.\n]{0,40}?"
    r"\b(?:(?:commit|add|edit|modify|touch|push)(?:ting|ing)?|chang(?:e|ing)|modifying|check[ -]in|include)\b",
    re.IGNORECASE,
)
_OUT = re.compile(
    r"\b(?:generated|vendored|by hand|does not belong|doesn't belong|gitignore|out of git)\b", re.IGNORECASE
)
_PATH = re.compile(
    r"`([^`\s]{2,100})`|(?<![\w/.`])"
    r"((?:[\w.@*-]{1,60}/){1,8}[\w.*-]{0,60}|\.[a-z][\w.-]{1,40}"
    r"|[\w-]{1,60}\.(?:lock|json|ya?ml|toml|env|min\.js|pb\.go|snap|log|sql|map))(?![\w`])"
)
_ABOUT = re.compile(r"\b(title|subject|commit message|commit)s?\b", re.IGNORECASE)
_TITLES = (
    (
        r"conventional[ -]commit|feat:|fix:|chore:",
        "conventional commits",
        r"^(?!(?:feat|fix|docs|style|refactor|perf|test|build|ci|chore|revert)(?:\([^)\n]{1,60}\))?!?: \S).+",
    ),
    (r"\bwip\b", "no WIP", r"(?i)\bwip\b"),
    (r"ticket|issue (?:id|key|number)|jira", "an issue's key", r"^(?!.{0,300}(?:\b[A-Z][A-Z0-9]{1,9}-\d+|#\d+)).+"),
    (r"full stop|period|trailing dot|end with a dot", "no full stop", r"\.\s*$"),
    (r"capital|upper ?case", "a capital letter", r"^[a-z]"),
    (r"lower ?case", "a small letter", r"^[A-Z][a-z]"),
)
_LENGTH = re.compile(
    r"\b(?:at most|under|max(?:imum)?|more than|longer than|over|within|limit(?:ed)? to)\s+(\d{2,3})\b"
)


def change_checks(text: str, paths: Sequence[str]) -> Iterator[tuple[float, str, LearnedCheck]]:
    """Yield checks of paths, titles and commits for a rule, each with a score and what it is.

    A path must be that of a commented file; without one, it counts as it is written.
    """
    text = text[:MOST_CHARACTERS]
    if _ACT.search(text) or _OUT.search(text):
        for match in _PATH.finditer(text):
            pattern = (match[1] or match[2]).lstrip("/").removeprefix("./")
            check = _path_check(pattern)
            if check is not None and (not paths or any(map(path_matcher([pattern]), paths))):
                yield 5.0, f"changes of `{pattern}`", check
    about = _ABOUT.search(text)
    if about is None:
        return
    kind, name = (CheckKind.commit, "commit subjects") if "commit" in about[1].lower() else (CheckKind.titled, "titles")
    for asked, what, pattern in _TITLES:
        if re.search(asked, text, re.IGNORECASE):
            yield 4.0, f"{name}: {what}", LearnedCheck(kind, pattern)
    if length := _LENGTH.search(text):
        yield 4.0, f"{name}: at most {length[1]} characters", LearnedCheck(kind, rf"^.{{{int(length[1]) + 1},}}")


def _path_check(pattern: str) -> LearnedCheck | None:
    if not re.search(r"[/.]", pattern) or re.search(r"[()=<>:;,\\]", pattern):
        return None
    try:
        return LearnedCheck(CheckKind.path, pattern)
    except ValueError:
        return None
