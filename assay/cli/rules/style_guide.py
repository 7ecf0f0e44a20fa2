"""Candidate rules as a style guide in Markdown: rule, scope, reason, two examples and counter-examples, with links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.github_app.learning.extract.mining import NUM_EXAMPLES, Candidate
from assay.github_app.learning.extract.past_comments import PastComment
from assay.github_app.rule_matching.comment_text import prose
from assay.validators import as_code, as_prose

LEAST_QUOTED = 30
MOST_QUOTED = 200
MOST_TEXT = 300


def style_guide(candidates: Sequence[Candidate]) -> str:
    """Return the candidates as Markdown. Untrusted text is escaped."""
    lines = ["# Rules asked for in reviews", ""]
    if not candidates:
        lines += ["No rule in the words of a style guide was asked for often enough.", ""]
    for one in candidates:
        lines += [*_entry(one), ""]
    return "\n".join(lines)


def _entry(candidate: Candidate) -> Iterator[str]:
    text = candidate.rule.text.removeprefix("Rule: ")
    yield f"## {as_prose(text, MOST_TEXT)}."
    yield ""
    num = len(candidate.pulls)
    asked = f"Asked for on {num} pull request{'' if num == 1 else 's'}, by {len(candidate.reviewers)} reviewer"
    yield asked + ("." if len(candidate.reviewers) == 1 else "s.")
    if candidate.rule.paths:
        yield f"Applies to {', '.join(as_code(path, 80) for path in candidate.rule.paths)}."
    if candidate.why:
        yield f"Why: {as_prose(candidate.why, MOST_TEXT)}"
    yield ""
    for one in _examples(candidate.comments):
        yield f"- {_quoted(one)}"
    for one in candidate.contrary[:NUM_EXAMPLES]:
        yield f"- Against it: {_quoted(one)}"


def _examples(comments: Sequence[PastComment]) -> list[PastComment]:
    """Return the newest comments of different pull requests; those that can be quoted whole come first."""
    newest = list({one.pull: one for one in comments}.values())[::-1]
    newest.sort(key=lambda one: not LEAST_QUOTED <= len(prose(one.body)) <= MOST_QUOTED)
    return newest[:NUM_EXAMPLES]


def _quoted(comment: PastComment) -> str:
    # A parenthesis would end the destination of the link, and what follows would be Markdown.
    url = comment.url.replace("(", "%28").replace(")", "%29") if comment.url else None
    place = f"#{comment.pull}" if url is None else f"[#{comment.pull}]({url})"
    words = " ".join(prose(comment.body).split())
    shown = (
        words if len(words) <= MOST_QUOTED else words[: MOST_QUOTED - 1].rsplit(" ", 1)[0] + "\N{HORIZONTAL ELLIPSIS}"
    )
    where = f" on {as_code(comment.path, 120)}" if comment.path else ""
    return f"{place}{where}: {as_prose(shown, MOST_QUOTED + 20)}"
