"""Which agent seems to have made a pull request: weak signals added up. "unknown" is an answer, and "human" is none.

This is statistics, never authorisation: anybody can name a branch or write a trailer. The signals in branch and
commits, and how each agent shows itself, are those of the judging room; what only GitHub knows is added here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from assay.github.events.model import Person, PullFacts
from assay.validators import AGENTS, TOLD_AGENT, Agent, AgentGuess, CommitInfo, agent_signals

BOT_WEIGHT = 0.95
"""An app's account cannot be had by anybody else."""

ACCOUNT_WEIGHT = 0.6
"""A person's account that bears the agent's name."""

BODY_WEIGHT = 0.6
"""The line an agent leaves in the description; people quote it, too."""

LABEL_WEIGHT = 0.4
"""A label with the agent's name."""

MOST_BODY = 20_000


def guess_maker(pull: PullFacts, commits: Sequence[CommitInfo] = ()) -> AgentGuess:
    """The agent with the most evidence, its confidence in 0..1, and what it rests on.

    Signals count as independent: together they are worth 1 - (1 - a)(1 - b)…; under `TOLD_AGENT` the answer is
    "unknown", with the signals there were.
    """
    best = max((_weigh(agent, pull, commits) for agent in AGENTS), key=lambda guess: guess.confidence)
    return best if best.confidence >= TOLD_AGENT else AgentGuess(signals=best.signals)


def agreed(one: AgentGuess, other: AgentGuess) -> AgentGuess:
    """Two guesses made from different sources as one; where they share a signal or disagree, the surer one."""
    first, second = sorted((one, other), key=lambda guess: (guess.confidence, guess.name), reverse=True)
    if first.name != second.name or set(first.signals) & set(second.signals):
        return first
    confidence = round(1 - (1 - first.confidence) * (1 - second.confidence), 2)
    return AgentGuess(first.name, confidence, (*first.signals, *second.signals))


def _weigh(agent: Agent, pull: PullFacts, commits: Iterable[CommitInfo]) -> AgentGuess:
    doubt = 1.0
    signals = []
    for weight, said in (*_facts(agent, pull), *agent_signals(agent, pull.head_ref, commits)):
        doubt *= 1 - weight
        signals.append(said)
    return AgentGuess(agent.name, round(1 - doubt, 2), tuple(signals))


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
    """An app may be called a little differently from its agent; a person's account must bear the very name."""
    login = person.login.removesuffix("[bot]").lower()
    if person.is_bot:
        short = login in (agent.name, agent.name.partition("-")[0])
        return short or re.search(agent.author, f"{login} <>", re.IGNORECASE) is not None
    return login in (f"{agent.name}-agent", f"{agent.name}-bot", f"{agent.name}-ai")


def _is_label_of(agent: Agent, label: str) -> bool:
    *before, last = re.split(r"[\s:/]+", label.lower()[:100].strip())
    return last == agent.name and set(before) <= {"ai", "agent", "bot", "by", "made-by", "author"}
