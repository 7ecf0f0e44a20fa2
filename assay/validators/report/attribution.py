"""Guess which agent wrote a change, from branch names, authors and trailers.

Several weak signals are added up; "unknown" is an answer, and "human" is never a default. This is statistics, never
authorisation: any author can write a trailer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from assay.validators.changes.change import ChangeSet, CommitInfo
from assay.validators.report.change_facts import AgentGuess

TOLD = 0.5
"""Below this sum of weights the answer is "unknown"."""

_TRAILER = re.compile(
    r"^[ \t]*(?:co-authored-by|generated-by|assisted-by|signed-off-by|agent):[ \t]*(.+)$", re.IGNORECASE | re.MULTILINE
)
MOST_OF_A_MESSAGE = 20_000


@dataclass(frozen=True, slots=True)
class Agent:
    """Marks of one agent: patterns in an author or a trailer, and of a link in a message or a description."""

    name: str
    author: str
    link: str

    @property
    def brand(self) -> str:
        """First word of the name, with which branches begin."""
        return self.name.partition("-")[0]

    @property
    def message(self) -> str:
        """Pattern of a mark in a commit message or a description."""
        made = r"^[\W_]*(?:generated|created|made|written) (?:with|by|using) [\W_]*(?:openai |github |google )?"
        return rf"{made}{self.brand}\b|{self.link}"


AGENTS = (
    Agent("claude-code", r"^claude( code)? <|noreply@anthropic\.com", r"claude\.(ai|com)/.*code"),
    Agent("codex", r"^codex <|noreply@openai\.com|chatgpt-codex", r"chatgpt\.com/codex|codex task"),
    Agent("copilot", r"copilot(-swe-agent)?(\[bot\])?\b", "copilot coding agent"),
    Agent("cursor", r"cursor ?agent|cursoragent@cursor\.com", r"cursor\.com/agents"),
    Agent("devin", r"devin-ai-integration|\bdevin ai\b", r"app\.devin\.ai/sessions"),
    Agent("jules", "google-labs-jules", r"jules\.google\.com/task"),
    Agent("aider", r"\baider\b|noreply@aider\.chat", "^aider:"),
    Agent("openhands", "openhands", r"all-hands\.dev"),
    Agent("gemini-cli", "gemini[- ]code[- ]assist|gemini-cli", "gemini cli"),
    Agent("amp", r"amp@ampcode\.com", r"ampcode\.com/threads"),
)


def guess_agent(change: ChangeSet) -> AgentGuess:
    """Return the agent with the most evidence, a confidence in 0..1 and the signals behind it."""
    if change.head_is_worktree and not change.commits:
        return AgentGuess(signals=("uncommitted work carries no author",))
    return best_guess(lambda agent: signals_of(agent, change.branch, change.commits))


def best_guess(signals: Callable[[Agent], Iterable[tuple[float, str]]]) -> AgentGuess:
    """Return the agent with the most evidence; (weight, signal) combine as independent ones: 1 - (1 - a)(1 - b)…."""
    guesses = []
    for agent in AGENTS:
        found = [*signals(agent)]
        doubt = math.prod(1 - weight for weight, _ in found)
        guesses.append(AgentGuess(agent.name, round(1 - doubt, 2), tuple(said for _, said in found)))
    best = max(guesses, key=lambda guess: guess.confidence)
    return best if best.confidence >= TOLD else AgentGuess(signals=best.signals)


def signals_of(agent: Agent, branch: str | None, commits: Collection[CommitInfo]) -> Iterator[tuple[float, str]]:
    """Yield (weight, signal) of an agent in a branch's name and in commits."""
    if branch and _matches(f"^{agent.brand}/", branch):
        yield 0.6, f"branch {branch.split('/')[0]}/…"
    own = [commit for commit in commits if commit.num_parents < 2]
    # The message of a merge commit holds the pull request's description, which covers the whole change.
    if any(commit.num_parents > 1 and _is_in_message(agent, commit) for commit in commits):
        yield 0.6, "marker in the message of the merge"
    for weight, words, is_marked in (
        (0.9, "author of {} of {} commits", _is_author),
        (0.8, "trailer in {} of {} commits", _is_in_trailer),
        (0.6, "marker in {} of {} commit messages", _is_in_message),
    ):
        num = sum(is_marked(agent, commit) for commit in own)
        if num:
            yield weight * num / len(own), words.format(num, len(own))


def _is_author(agent: Agent, commit: CommitInfo) -> bool:
    return _matches(agent.author, f"{commit.author_name} <{commit.author_email}>")


def _is_in_trailer(agent: Agent, commit: CommitInfo) -> bool:
    return _matches(agent.author, "\n".join(_TRAILER.findall(commit.message)))


def _is_in_message(agent: Agent, commit: CommitInfo) -> bool:
    return _matches(agent.message, commit.message)


def _matches(pattern: str, text: str) -> bool:
    return re.search(pattern, text[:MOST_OF_A_MESSAGE], re.IGNORECASE | re.MULTILINE) is not None
