"""Secrets in a text: by the form of an issuer's tokens, or by a name and a value that looks like no word."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import Any

from assay.validators.report.model import Severity
from assay.validators.tools.scanners.export import Exported
from assay.validators.tools.scanners.scanner import Sighting
from assay.validators.tools.scanners.semgrep_rules import ANY, our_rules

MOST_OF_LINE = 2000
"""Bytes around a match that its rule may exclude."""
_SEPARATORS = re.compile(rb"[-_./+=]")
_LETTERS = re.compile(rb"[a-z]{9}|[A-Z]{9}")
SHARE_OF_TURNS = 0.3
"""Of the letters and digits of a random text, four to six of ten are of another class than the one before."""
FEWEST_DIFFERENT = 9
"""Different characters that a secret has at least."""


def secrets_in(file: Exported) -> Iterator[Sighting]:
    """Yield the secrets in a version of a file."""
    text = "\n".join(file.lines).encode("utf-8", "surrogateescape")
    starts = [0, *(line.end() for line in re.finditer(b"\n", text))]
    for rule in our_rules()[ANY]:
        for found, begin, end in _matches(rule, text):
            first, last = bisect_right(starts, begin), bisect_right(starts, end - 1)
            columns = begin - starts[first - 1] + 1, end - starts[last - 1] + 1
            name = found[1].decode("utf-8", "replace") if found.lastindex else ""
            message = rule["message"].replace("$1", "the password of an address" if name == ":" else name)
            in_tests = not rule.get("random")
            advice, weaker_than = rule["metadata"]["suggestion"], rule["metadata"].get("weaker_than")
            yield Sighting(
                file, rule["id"], Severity.error, message, first, last, advice, weaker_than, in_tests, True, columns
            )


def _matches(rule: Mapping[str, Any], text: bytes) -> Iterator[tuple[re.Match[bytes], int, int]]:
    """Yield the matches of a rule, and where the secret begins and ends."""
    unless, near = _compiled(rule.get("unless", "(?!)")), _compiled(rule.get("unless_near", "(?!)"))
    for word, form in rule["forms"].items():
        if word.encode() not in text:
            continue
        for found in _compiled(form).finditer(text):
            begin, end = next((span for name in ("value", "quoted") if (span := _span(found, name))), found.span())
            secret = text[begin:end]
            if unless.search(secret) or (rule.get("random") and not looks_random(secret)):
                continue
            if near.search(_line(text, begin, end)) is None:
                yield found, begin, end


def _span(found: re.Match[bytes], name: str) -> tuple[int, int] | None:
    return found.span(name) if name in found.re.groupindex and found[name] is not None else None


def _line(text: bytes, begin: int, end: int) -> bytes:
    """Return the line of a secret without the secret."""
    before, after = text[max(0, begin - MOST_OF_LINE) : begin], text[end : end + MOST_OF_LINE]
    return before.rpartition(b"\n")[2] + b" " + after.partition(b"\n")[0]


def looks_random(secret: bytes) -> bool:
    """Return whether the characters of a text change class again and again, as those of names and paths do not."""
    plain = _SEPARATORS.sub(b"", secret)
    chars = plain.decode("latin-1")
    classes = ["d" if one.isdigit() else "a" if one.islower() else "A" if one.isupper() else "." for one in chars]
    turns = sum(one != other for one, other in pairwise(classes))
    if (
        not secret.isascii()
        or len(set(plain)) < FEWEST_DIFFERENT
        or "d" not in classes
        or not {"a", "A"} & set(classes)
    ):
        return False
    if b"/" in secret and not {"a", "A", "d"} <= set(classes):
        return False
    return turns >= SHARE_OF_TURNS * (len(plain) - 1) and _LETTERS.search(plain) is None


@cache
def _compiled(pattern: str) -> re.Pattern[bytes]:
    return re.compile(pattern.encode())
