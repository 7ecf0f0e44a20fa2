"""Failure to follow explicit instructions of the request, the issue or the repository."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.github_app.outcomes.tasks.failures.case import Case
from assay.github_app.outcomes.tasks.failures.failure import (
    Category,
    Evidence,
    Failure,
    GoesTo,
    Suggestion,
    excerpt,
    failure_of,
)
from assay.github_app.store import EventKind
from assay.validators import Nature, nature_of

_FORBIDDEN = re.compile(
    r"\b(?:do not|don't|never|must not|without) (?:touch|chang|modify|edit|delet|remov)\w*[ \t]{1,3}(?:the )?"
    r"(?:files? (?:in |under )?)?`?([\w./-]{3,120})`?",
    re.IGNORECASE,
)
_WANTS_TESTS = re.compile(r"(?<!n't )(?<!not )\b(?:add|write|include)\b.{0,25}\btests?\b", re.IGNORECASE)
_OF_THE_REPOSITORY = ("repository_rules", "learned_rules")


class InstructionNonCompliance:
    """Rule for instruction non-compliance."""

    name = str(Category.instruction_non_compliance)

    def look(self, case: Case) -> Failure | None:
        """Compare the request with the diff, and check violated rules of the repository."""
        found = (*_by_request(case), *_by_rules(case))
        text = "Before opening a pull request go through the request and the repository's instructions point by point."
        if found and found[0].source == "request":
            text += f" What was missed here: {found[0].text}"
        return failure_of(Category.instruction_non_compliance, found, Suggestion(GoesTo.prompt, text))


def _by_request(case: Case) -> Iterator[Evidence]:
    request = case.task.request or ""
    if not request or not case.changed:
        return
    for match in list(_FORBIDDEN.finditer(request[:20_000]))[:20]:
        hit = sorted(path for path in case.changed if _lies_in(path, match[1]))
        if hit:
            words = f"{excerpt(request, match.start(), match.end())} (changed: {', '.join(hit[:3])})"
            yield Evidence("request", case.task.id, words)
    named = {path for path in case.asked_paths if nature_of(path) is not Nature.docs and "." in path}
    if named and not any(_lies_in(path, one) for path in case.changed for one in named):
        yield Evidence(
            "request", case.task.id, f"none of the files it names was changed: {', '.join(sorted(named)[:5])}"
        )
    wanted = _WANTS_TESTS.search(request)
    if wanted is not None and all(nature_of(path) is not Nature.test for path in case.changed):
        yield Evidence("request", case.task.id, f"{excerpt(request, wanted.start(), wanted.end())} (no test changed)")


def _lies_in(path: str, named: str) -> bool:
    named = named.strip("./`")
    return bool(named) and (path == named or path.endswith("/" + named) or path.startswith(named + "/"))


def _by_rules(case: Case) -> Iterator[Evidence]:
    for finding in case.findings:
        if finding.rule in _OF_THE_REPOSITORY and finding.is_introduced:
            yield Evidence("validation", f"{finding.file}:{finding.line or 1}", excerpt(finding.message))
    for event in case.events:
        if event.kind == EventKind.mistake_repeated and event.data.get("is_after_handout") is True:
            text = "a reviewer repeated earlier feedback, and the rule had been delivered"
            yield Evidence("event", str(event.data.get("rule_id", "")), text)
