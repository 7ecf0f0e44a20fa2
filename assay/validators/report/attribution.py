"""Guess which agent wrote a change, from branch names, authors and trailers.

Several weak signals are added up; "unknown" is an answer, and "human" is never a default. This is statistics, never
authorisation: any author can write a trailer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assay.validators.changes.change import ChangeSet, CommitInfo
from assay.validators.report.change_facts import AgentGuess

TOLD = 0.5
"""Below this sum of weights the answer is "unknown"."""

_TRAILER = re.compile(r"^\s*(co-authored-by|generated-by|assisted-by|signed-off-by|agent):\s*(.+)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Agent:
    """Marks of one agent: branch prefixes, and patterns in an author, a trailer, a message or a description.

    `product` is what follows "Generated with", `link` any other mark of the agent.
    """

    name: str
    branch: str
    author: str
    product: str
    link: str

    @property
    def message(self) -> str:
        """Pattern of a mark in a commit message or a description."""
        return rf"^[\W_]*(?:generated|created|made|written) (?:with|by|using) [\W_]*(?:{self.product})\b|{self.link}"


AGENTS = (
    Agent(
        "claude-code", r"claude/", r"^claude( code)? <|noreply@anthropic\.com", r"claude", r"claude\.(ai|com)/.*code"
    ),
    Agent(
        "codex",
        r"codex/",
        r"^codex <|noreply@openai\.com|chatgpt-codex",
        r"(openai )?codex",
        r"chatgpt\.com/codex|Codex task",
    ),
    Agent("copilot", r"copilot/", r"copilot(-swe-agent)?(\[bot\])?\b", r"(github )?copilot", r"copilot coding agent"),
    Agent("cursor", r"cursor/", r"cursor ?agent|cursoragent@cursor\.com", r"cursor", r"cursor\.com/agents"),
    Agent("devin", r"devin/", r"devin-ai-integration|\bdevin ai\b", r"devin", r"app\.devin\.ai/sessions"),
    Agent("jules", r"jules[/-]", r"google-labs-jules", r"(google )?jules", r"jules\.google\.com/task"),
    Agent("aider", r"aider/", r"\baider\b|noreply@aider\.chat", r"aider", r"^aider:"),
    Agent("openhands", r"openhands/", r"openhands", r"openhands", r"all-hands\.dev"),
    Agent("gemini-cli", r"gemini/", r"gemini[- ]code[- ]assist|gemini-cli", r"gemini", r"gemini cli"),
    Agent("amp", r"amp/", r"amp@ampcode\.com", r"amp", r"ampcode\.com/threads"),
)


def guess_agent(change: ChangeSet) -> AgentGuess:
    """Return the agent with the most evidence, a confidence in 0..1 and the signals behind it."""
    if change.head_is_worktree and not change.commits:
        return AgentGuess(signals=("uncommitted work carries no author",))
    best = max((_weigh(agent, change) for agent in AGENTS), key=lambda guess: guess.confidence)
    return best if best.confidence >= TOLD else AgentGuess(signals=best.signals)


def signals_of(agent: Agent, branch: str | None, commits: Iterable[CommitInfo]) -> Iterator[tuple[float, str]]:
    """Yield (weight, signal); independent signals combine as 1 - (1 - a)(1 - b)."""
    if branch and re.match(agent.branch, branch, re.IGNORECASE):
        yield 0.6, f"branch {branch.split('/')[0]}/…"
    all_commits = list(commits)
    # The message of a merge commit holds the pull request's description, which covers the whole change.
    if any(commit.num_parents > 1 and _matches(agent.message, commit.message[:20_000]) for commit in all_commits):
        yield 0.6, "marker in the message of the merge"
    own = [commit for commit in all_commits if commit.num_parents < 2]
    if not own:
        return
    written = sum(_matches(agent.author, f"{commit.author_name} <{commit.author_email}>") for commit in own)
    if written:
        yield 0.9 * written / len(own), f"author of {written} of {len(own)} commits"
    trailed = sum(any(_matches(agent.author, value) for value in _trailers(commit.message)) for commit in own)
    if trailed:
        yield 0.8 * trailed / len(own), f"trailer in {trailed} of {len(own)} commits"
    marked = sum(_matches(agent.message, commit.message[:20_000]) for commit in own)
    if marked:
        yield 0.6 * marked / len(own), f"marker in {marked} of {len(own)} commit messages"


def _weigh(agent: Agent, change: ChangeSet) -> AgentGuess:
    signals: list[str] = []
    doubt = 1.0
    for weight, said in signals_of(agent, change.branch, change.commits):
        signals.append(said)
        doubt *= 1 - weight
    return AgentGuess(agent.name, round(1 - doubt, 2), tuple(signals))


def _matches(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE | re.MULTILINE) is not None


def _trailers(message: str) -> Iterator[str]:
    for line in message.splitlines()[-30:]:
        match = _TRAILER.match(line[:300])
        if match:
            yield match[2]
