"""Who made a pull request: an agent by several signs, or unknown; never "human"."""

from __future__ import annotations

from typing import Any

import pytest

from assay.github.events.model import Person
from assay.github_app.provenance.authorship import guess_maker
from assay.validators import CommitInfo
from tests.github_app.remembering import pull


def commit(message: str = "Work", name: str = "Ada", email: str = "ada@example.org") -> CommitInfo:
    return CommitInfo("c" * 40, name, email, message)


SIGNED = "Sell hats\n\nCo-Authored-By: Claude <noreply@anthropic.com>"


@pytest.mark.parametrize(
    ("changes", "commits", "agent", "at_least"),
    [
        ({"author": Person("Copilot", 1, "Bot")}, [], "copilot", 0.9),
        ({"author": Person("copilot-swe-agent[bot]", 1, "Bot")}, [], "copilot", 0.9),
        ({"author": Person("devin-ai-integration[bot]", 1, "Bot")}, [], "devin", 0.9),
        ({"author": Person("google-labs-jules[bot]", 1, "Bot")}, [], "jules", 0.9),
        ({"author": Person("claude[bot]", 1, "Bot")}, [], "claude-code", 0.9),
        ({"author": Person("cursor[bot]", 1, "Bot")}, [], "cursor", 0.9),
        ({"author": Person("openhands-agent", 1)}, [], "openhands", 0.6),
        ({"head_ref": "codex/sell-hats"}, [], "codex", 0.6),
        ({"head_ref": "cursor/sell-hats", "labels": ("cursor",)}, [], "cursor", 0.75),
        ({"labels": ("ai: codex",), "head_ref": "codex/x"}, [], "codex", 0.75),
        ({"body": "Generated with [Claude Code](https://claude.ai/code)"}, [], "claude-code", 0.6),
        ({}, [commit(SIGNED), commit(SIGNED)], "claude-code", 0.8),
        ({"head_ref": "claude/hats", "body": "🤖 Generated with Claude Code"}, [commit(SIGNED)], "claude-code", 0.95),
    ],
)
def test_an_agent_is_known_by_what_it_leaves(
    changes: dict[str, Any], commits: list[CommitInfo], agent: str, at_least: float
):
    guess = guess_maker(pull(**changes), commits)
    assert guess.name == agent
    assert at_least <= guess.confidence <= 1
    assert guess.signals


@pytest.mark.parametrize(
    ("changes", "commits"),
    [
        ({}, []),
        ({"author": Person("aider-fan", 1)}, []),
        ({"author": Person("dependabot[bot]", 1, "Bot")}, []),
        ({"labels": ("codex",)}, []),
        ({"labels": ("not codex",)}, []),
        ({"body": "We compared this with Claude and Codex."}, []),
        ({"head_ref": "feature/codex-support"}, []),
        ({}, [commit(SIGNED), *[commit()] * 9]),
    ],
)
def test_too_little_is_unknown_and_nobody_is_called_human(changes: dict[str, Any], commits: list[CommitInfo]):
    assert guess_maker(pull(**changes), commits).name == "unknown"


def test_a_hostile_description_costs_no_time():
    guess_maker(pull(body="Generated with " * 50_000, labels=("/" * 100_000,), head_ref="codex" * 10_000))
