"""Guess the agent that wrote a pull request by combining weak signals.

The guess is for statistics, never for authorisation: any author can name a branch or write a trailer. `validators`
provides the signals in branches and commits; this module adds those only GitHub has. "unknown" is a possible answer,
"human" is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assay.github.events.model import Person, PullFacts
from assay.validators import Agent, AgentGuess, CommitInfo, agent_signals, best_guess

BOT_WEIGHT = 0.95
"""Weight of an app's account, which no other user can own."""

ACCOUNT_WEIGHT = 0.6
"""Weight of a user account named after the agent."""

BODY_WEIGHT = 0.6
"""Weight of the agent's line in the description; authors may quote it."""

LABEL_WEIGHT = 0.4
"""Weight of a label named after the agent."""

MOST_BODY = 20_000


def guess_maker(pull: PullFacts, commits: Sequence[CommitInfo] = ()) -> AgentGuess:
    """Return the agent with the most evidence, its confidence (0..1) and the signals.

    Too little evidence gives "unknown", with the signals found.
    """
    return best_guess(lambda agent: (*_facts(agent, pull), *agent_signals(agent, pull.head_ref, commits)))


def _facts(agent: Agent, pull: PullFacts) -> Iterator[tuple[float, str]]:
    if _is_account_of(agent, pull.author):
        yield (
            (BOT_WEIGHT, f"opened by the app {pull.author.login}")
            if pull.author.is_bot
            else (ACCOUNT_WEIGHT, f"opened by the account {pull.author.login}")
        )
    if re.search(agent.message, pull.body[:MOST_BODY], re.IGNORECASE | re.MULTILINE):
        yield BODY_WEIGHT, "marker in the description"
    label = next((label for label in pull.labels if _is_label_of(agent, label)), None)
    if label is not None:
        yield LABEL_WEIGHT, f"label {label[:50]}"


def _is_account_of(agent: Agent, person: Person) -> bool:
    """Return whether the account belongs to the agent: an app's name may differ slightly, a user's must match."""
    login = person.login.removesuffix("[bot]").lower()
    if person.is_bot:
        short = login in (agent.name, agent.name.partition("-")[0])
        return short or re.search(agent.author, f"{login} <>", re.IGNORECASE) is not None
    return login in (f"{agent.name}-agent", f"{agent.name}-bot", f"{agent.name}-ai")


def _is_label_of(agent: Agent, label: str) -> bool:
    *before, last = re.split(r"[\s:/]+", label.lower()[:100].strip())
    return last == agent.name and set(before) <= {"ai", "agent", "bot", "by", "made-by", "author"}
