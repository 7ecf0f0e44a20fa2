"""Which agent wrote a change: weak signals added up, and "unknown" where they do not suffice."""

from __future__ import annotations

import pytest

from assay.validators.attribution import guess_agent
from assay.validators.change import ChangeSet, CommitInfo
from assay.validators.trees import ObjectTree

_EMPTY = ObjectTree("empty", {}, lambda _names, _limit: iter(()))


def _change(branch: str | None, *commits: tuple[str, str, str]) -> ChangeSet:
    infos = tuple(CommitInfo(str(i) * 40, *commit) for i, commit in enumerate(commits))
    return ChangeSet("/r", "b", "main", "b", "h", "HEAD", _EMPTY, _EMPTY, (), infos, branch=branch)


PERSON = ("Ada", "ada@example.org", "Fix the parser")


@pytest.mark.parametrize(
    ("agent", "branch", "commit"),
    [
        ("claude-code", "fix", ("Ada", "a@x.org", "Fix\n\nCo-Authored-By: Claude <noreply@anthropic.com>")),
        ("copilot", "copilot/fix-1", ("copilot-swe-agent[bot]", "198982749+Copilot@users.noreply.github.com", "Fix")),
        ("devin", "devin/1-fix", ("Devin AI", "158243242+devin-ai-integration[bot]@users.noreply.github.com", "Fix")),
        ("codex", "codex/fix-it", PERSON),
        ("cursor", "x", ("Cursor Agent", "cursoragent@cursor.com", "Fix")),
    ],
)
def test_an_agent_is_known_by_what_it_leaves(agent: str, branch: str, commit: tuple[str, str, str]) -> None:
    guess = guess_agent(_change(branch, commit))
    assert guess.name == agent
    assert 0.5 <= guess.confidence <= 1
    assert guess.signals


def test_a_person_is_not_called_an_agent() -> None:
    guess = guess_agent(_change("claude-monet-gallery", ("Claude Dupont", "claude.dupont@example.org", "Paint")))
    assert guess.name == "unknown"


def test_one_trailer_among_many_commits_is_not_enough() -> None:
    trailed = ("Ada", "a@x.org", "Fix\n\nCo-Authored-By: Claude <noreply@anthropic.com>")
    assert guess_agent(_change("fix", trailed, *[PERSON] * 9)).name == "unknown"


def test_two_signals_weigh_more_than_one() -> None:
    one = guess_agent(_change("codex/fix", PERSON)).confidence
    two = guess_agent(_change("codex/fix", ("Codex", "noreply@openai.com", "Fix"))).confidence
    assert two > one
