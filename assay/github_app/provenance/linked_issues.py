"""Issues that a pull request is linked to: references, their addresses, and closing keywords in a description.

    Fixes #12, resolves acme/api#7 and closes https://github.com/acme/shop/issues/3

Any author can write them, so they are links for people and grant no permission.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

MOST_ISSUES = 20
"""Maximum issues of a pull request or task."""
_MOST_TEXT = 65_536
_NAME = r"[A-Za-z0-9_.-]{1,100}"
_NUMBER = r"(?P<number>[1-9][0-9]{0,8})(?![\w/])"
_SHORT = re.compile(rf"(?P<repo>{_NAME}/{_NAME})?#{_NUMBER}")
_PATH = re.compile(rf"/(?P<repo>{_NAME}/{_NAME})/issues/{_NUMBER}")
# GitHub: close, closes, closed, fix, fixes, fixed, resolve, resolves, resolved; in capitals and with a colon too.
_CLOSES = re.compile(
    r"(?<![\w-])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?[ \t]{1,4}(?=[\w#])(\S{1,400})", re.IGNORECASE
)
# GitHub links nothing in comments and code; every alternative matches what it begins, so this takes linear time.
_UNREAD = re.compile(r"<!--.*?(?:-->|\Z)|^ {0,3}(```+|~~~+).*?(?:^ {0,3}\1|\Z)|`[^`\n]*`", re.DOTALL | re.MULTILINE)


def issues_in_body(body: str, full_name: str, web_url: str) -> tuple[str, ...]:
    """Return the issues after closing keywords in a description, as `owner/name#12`, in order of appearance."""
    text = _UNREAD.sub(" ", body[:_MOST_TEXT])
    found = (_first_issue(match[1], full_name, web_url) for match in _CLOSES.finditer(text))
    return distinct(one for one in found if one is not None)


def issue_from(text: str, full_name: str, web_url: str) -> str | None:
    """Return an issue given as `#12`, `owner/name#12` or its address on this GitHub, as `owner/name#12`; else None."""
    found = _match(text, full_name, web_url)
    return found[0] if found is not None and not found[1] else None


def issue_url(issue: str, web_url: str) -> str:
    """Return the address of an issue `owner/name#12`."""
    return f"{web_url}/{issue.replace('#', '/issues/')}"


def distinct(issues: Iterable[str]) -> tuple[str, ...]:
    """Return the first `MOST_ISSUES` different issues; GitHub ignores the case of names."""

    def first_ones() -> Iterator[str]:
        known: set[str] = set()
        for issue in issues:
            if issue.lower() not in known:
                known.add(issue.lower())
                yield issue

    return tuple(first_ones())[:MOST_ISSUES]


def _first_issue(text: str, full_name: str, web_url: str) -> str | None:
    found = _match(text, full_name, web_url)
    return found[0] if found is not None else None


def _match(text: str, full_name: str, web_url: str) -> tuple[str, str] | None:
    """Return the issue at the start of a text, and the rest of the text."""
    is_address = text[: len(web_url)].lower() == web_url.lower()
    rest = text[len(web_url) :] if is_address else text
    match = (_PATH if is_address else _SHORT).match(rest)
    if match is None:
        return None
    repo = match["repo"] or full_name
    own = full_name if repo.lower() == full_name.lower() else repo
    return f"{own}#{match['number']}", rest[match.end() :]
