"""Rules as reviews would have made them, put straight into a store."""

from __future__ import annotations

from collections.abc import Sequence

from assay.github.events.model import Person, RepositoryFacts
from assay.github_app.store import QUORUM, SourceRow, Store
from tests.github_app.remembering import REPOSITORY, after, line_comment, pull

HUNK = "@@ -1,2 +1,3 @@\n def f():\n+    print('here')"


def put_rule(
    store: Store,
    rule_id: str,
    text: str,
    *,
    over: Sequence[str] = (),
    paths: Sequence[str] = (),
    language: str | None = "python",
    number: int = 7,
    reviewer: str = "bo",
    hunk: str = HUNK,
    is_confirmed: bool = True,
    facts: RepositoryFacts = REPOSITORY,
    by: str = QUORUM,
) -> None:
    """A rule with one comment it rests on."""
    polarity = "prefer" if over else "do"
    canonical = {"text": text, "polarity": polarity, "objects": [], "over": list(over)}
    store.pulls.see(pull(number=number), facts, after())
    store.rules.put_pending(
        facts.id, rule_id, text, canonical, after(), key=rule_id, polarity=polarity, language=language, paths=paths
    )
    comment = line_comment(
        int(rule_id, 16) % 10**6, after(minutes=1), path="a.py", diff_hunk=hunk, author=Person(reviewer)
    )
    store.reviews.put_comment(facts.id, number, comment, after(minutes=1))
    store.rules.add_source(
        SourceRow(
            facts.id,
            "line",
            comment.id,
            rule_id,
            number,
            f"line:{comment.id}",
            reviewer,
            1,
            "write",
            True,
            None,
            after(),
        )
    )
    if is_confirmed:
        store.rules.confirm(facts.id, rule_id, after(hours=1), by=by, expires_at=after(days=365))
