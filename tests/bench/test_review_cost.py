"""Cost on paper of the review of landed changes, and the seconds that the facts add; no model is asked.

    ASSAY_BENCH_REPOSITORIES=/path/click:/path/celery make bench PYTEST_ARGS="-k review_cost"

Takes the newest 10 changes of the first-parent line of each repository that change source and at most 1,000 lines.
Tokens are estimated as the facts are (`BYTES_PER_TOKEN`). Turns are assumed: 8 for correctness, 6 for each other
question, 4 refutations of 4 turns, one test, one assessment of the risk. Each turn has 765 tokens of the model, and all
but the last of a conversation a result of the largest size. Without the variable this repository's own history serves.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from assay.llm import Limits, price_of
from assay.llm.conversing import size_of
from assay.llm.prices import Tokens
from assay.statistics import percentile
from assay.validators.changes.change import ChangeSet
from assay.validators.changes.classify import Nature
from assay.validators.configuration.model import ValidationConfig
from assay.validators.graph.import_graph import Graphs
from assay.validators.progress import Deadline, Silent
from assay.validators.quality.check import check_quality
from assay.validators.report.review import ReviewQuestion
from assay.validators.review.asking import QUESTION_LIMITS, QUESTIONS_SHARE
from assay.validators.review.facts.gathering import gather_facts
from assay.validators.review.facts.rendering import BYTES_PER_TOKEN, MOST_TOKENS, rendered
from assay.validators.review.lookup.tools import lookup_tools
from assay.validators.review.prompting import prompt
from assay.validators.review.questions.schemas import schema_of
from assay.validators.review.trees import Trees
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.conftest import ROOT

REPOSITORIES = [Path(part) for part in os.environ.get("ASSAY_BENCH_REPOSITORIES", str(ROOT)).split(":") if part]
NUM_CHANGES = int(os.environ.get("ASSAY_BENCH_CHANGES", "10"))
MOST_LINES = 1000
MODELS = ("claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5")
TURNS = {question: 8 if question is ReviewQuestion.correctness else 6 for question in ReviewQuestion}
REFUTATIONS, REFUTATION_TURNS = 4, 4
TOKENS_OUT = 765
TEST_TOKENS_OUT = 1_500
CLAIM_TOKENS = 600


def tokens_of(num_bytes: int) -> int:
    """The product's own estimate."""
    return int(num_bytes / BYTES_PER_TOKEN)


@dataclass
class OnPaper:
    """Calls of one review; `written` and `read` are tokens of the cache."""

    calls: list[Tokens] = field(default_factory=list)

    def call(self, *, written: int, read: int, out: int = TOKENS_OUT) -> None:
        self.calls.append(Tokens(num_cache_written=written, num_cache_read=read, num_out=out))

    def conversation(self, *, written: int, read: int, turns: int, limits: Limits) -> None:
        """One conversation: each turn reads what the one before wrote, and writes its answer and result."""
        room = limits.all_bytes
        for turn in range(turns):
            self.call(written=written, read=read)
            result = min(limits.result_bytes, room) if turn + 1 < turns else 0
            room -= result
            read, written = read + written, TOKENS_OUT + tokens_of(result)

    @property
    def total(self) -> Tokens:
        total = Tokens()
        for one in self.calls:
            total += one
        return total

    def cost_usd(self, model: str) -> float:
        price = price_of(model)
        assert price is not None
        return sum(price.cost_usd(one) for one in self.calls)


@dataclass
class Measured:
    """One change: the tokens of its parts' facts, what a review would use, and the seconds of the facts.

    `worked_s` is the processor's time, which a busy machine does not lengthen.
    """

    name: str
    facts: list[int]
    seconds: float
    worked_s: float
    questions: OnPaper = field(default_factory=OnPaper)
    rest: OnPaper = field(default_factory=OnPaper)

    def cost_usd(self, model: str) -> float:
        return self.questions.cost_usd(model) + self.rest.cost_usd(model)

    @property
    def tokens(self) -> Tokens:
        return self.questions.total + self.rest.total


@pytest.mark.bench
@pytest.mark.timeout(3600)
def test_review_cost_of_landed_changes() -> None:
    measured: list[Measured] = []
    for path in REPOSITORIES:
        name = path.parent.name if path.name in ("repo", ".git") else path.name
        with Repository(path) as repository:
            measured += [one for change in _landed(repository, path) if (one := _measure(change, name)) is not None]
    console = Console(width=140)
    console.print(_facts_table(measured))
    console.print(_cost_table(measured))
    assert measured
    assert max(tokens for one in measured for tokens in one.facts) <= MOST_TOKENS * 1.05


def _landed(repository: Repository, path: Path) -> Iterator[ChangeSet]:
    """The newest changes of source."""
    command = ["git", "-C", str(path), "log", "--first-parent", "--format=%H %P", f"-{NUM_CHANGES * 20}"]
    count = 0
    for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
        commit, *parents = line.split()
        if not parents or count == NUM_CHANGES:
            continue
        change = read_change(repository, parents[0], commit)
        lines = sum(len(file.added) + len(file.removed) for file in change.files)
        if any(file.nature is Nature.source for file in change.files) and 0 < lines <= MOST_LINES:
            count += 1
            yield change


def _measure(change: ChangeSet, name: str) -> Measured | None:
    graphs = Graphs(change)
    quality = check_quality(
        change, ValidationConfig(), progress=Silent(), graphs=graphs
    )  # builds the graphs, as in the pipeline
    trees = Trees(change)
    began, worked = time.perf_counter(), time.process_time()
    gathered = gather_facts(change, graphs, trees, Deadline(600), findings=quality.findings)
    texts = [rendered(part, trees) for part in gathered.parts]
    seconds, worked_s = time.perf_counter() - began, time.process_time() - worked
    if not texts:
        return None
    found = Measured(name, [tokens_of(len(text.encode())) for text in texts], seconds, worked_s)
    tools = [tool.to_data() for tool, _ in lookup_tools(trees, graphs).values()] if texts else []
    fixed = tokens_of(size_of(tools) + len(prompt("system").text.encode()))
    is_first = True
    for facts in found.facts:
        for number, (question, turns) in enumerate(TURNS.items()):
            own = tokens_of(len(prompt(question).text.encode()) + size_of(schema_of(question)))
            new = (fixed if is_first else 0) + (facts if number == 0 else 0)
            known = (0 if is_first else fixed) + (0 if number == 0 else facts)
            found.questions.conversation(written=new + own, read=known, turns=turns, limits=QUESTION_LIMITS)
            is_first = False
    for _ in range(REFUTATIONS):
        own = CLAIM_TOKENS + tokens_of(len(prompt("refute").text.encode()))
        found.rest.conversation(written=own, read=fixed, turns=REFUTATION_TURNS, limits=QUESTION_LIMITS)
    test = CLAIM_TOKENS + tokens_of(len(prompt("test").text.encode()))
    found.rest.call(written=test, read=fixed, out=TEST_TOKENS_OUT)
    risk = sum(found.facts) + tokens_of(len(prompt("risk").text.encode()))
    found.rest.call(written=risk, read=fixed)
    return found


def _facts_table(measured: Sequence[Measured]) -> Table:
    columns = ("repository", "changes", "parts", "tokens of a part", "tokens of a change", "seconds", "processor")
    table = Table(*columns, title="facts, p50 / p95")
    names = dict.fromkeys(one.name for one in measured)
    for name in (*names, "all"):
        mine = [one for one in measured if name in (one.name, "all")]
        table.add_row(
            name,
            str(len(mine)),
            _spread([len(one.facts) for one in mine], "{:.0f}"),
            _spread([tokens for one in mine for tokens in one.facts], "{:,.0f}"),
            _spread([sum(one.facts) for one in mine], "{:,.0f}"),
            _spread([one.seconds for one in mine], "{:.2f}"),
            _spread([one.worked_s for one in mine], "{:.2f}"),
        )
    questions = ", ".join(
        f"{one} {tokens_of(len(prompt(one).text.encode()) + size_of(schema_of(one)))}" for one in TURNS
    )
    table.caption = f"tokens of a question with its schema: {questions}"
    return table


def _cost_table(measured: Sequence[Measured]) -> Table:
    most = ValidationConfig().tier2.review.max_usd
    table = Table("model", "$ p50 / p95", "without a cache", "over the budget", "questions over their share",
                  title="cost on paper")  # fmt: skip
    for model in MODELS:
        costs = [one.cost_usd(model) for one in measured]
        plain = [_uncached_usd(one, model) for one in measured]
        over = sum(cost > most for cost in costs)
        shares = sum(one.questions.cost_usd(model) > most * QUESTIONS_SHARE for one in measured)
        table.add_row(model, _spread(costs, "{:.3f}"), _spread(plain, "{:.3f}"), f"{over} of {len(costs)}", f"{shares}")
    read = sum(one.tokens.num_cache_read for one in measured)
    prompts = sum(one.tokens.num_prompt for one in measured)
    calls = [len(one.questions.calls) + len(one.rest.calls) for one in measured]
    shares_read = [one.tokens.num_cache_read / one.tokens.num_prompt for one in measured]
    tokens_in = [one.tokens.num_prompt for one in measured]
    table.caption = (
        f"calls {_spread(calls, '{:.0f}')}; tokens in {_spread(tokens_in, '{:,.0f}')}; "
        f"read from the cache {read / prompts:.0%} (p50 / p95 {_spread(shares_read, '{:.0%}')})"
    )
    return table


def _uncached_usd(one: Measured, model: str) -> float:
    price = price_of(model)
    assert price is not None
    calls = (*one.questions.calls, *one.rest.calls)
    return sum(price.cost_usd(Tokens(num_in=call.num_prompt, num_out=call.num_out)) for call in calls)


def _spread(figures: Sequence[float], form: str) -> str:
    return f"{form.format(percentile(figures, 50) or 0)} / {form.format(percentile(figures, 95) or 0)}"
