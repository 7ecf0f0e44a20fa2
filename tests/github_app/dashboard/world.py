"""Half a year of a made-up team, for the pages: two repositories that are read by different people, and all that
happened in them. The same every time, but for the day it ends on."""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta

from assay.github.events.model import CheckFacts, CommentFacts, Person, PullFacts, RepositoryFacts, ReviewFacts
from assay.github_app.outcomes.experiments import create
from assay.github_app.store import (
    DeclaredBy,
    EvaluationRow,
    EventKind,
    FactorRow,
    InsightType,
    MatchRow,
    MemoryRunRow,
    OutcomeKind,
    RunState,
    SourceRow,
    Store,
    TaskStatus,
    Variant,
)
from assay.validators import report_as
from assay.validators.report.model import RiskLevel
from tests.github_app.outcomes.test_review_rates import findings
from tests.github_app.publish.reports import failing, fine, held

SHOP, VAULT = RepositoryFacts(11, "acme/shop"), RepositoryFacts(12, "acme/vault")
NUM_PULLS = 48
PROMPTS = ("a" * 64, "b" * 64)
TEXTS = (
    {"AGENTS.md": "# Working here\n\nRun the tests.\nWrite small functions.\n"},
    {"AGENTS.md": "# Working here\n\nRun the tests before every push.\nWrite small functions.\nNo print statements.\n"},
)
RULES = {
    "0123456789ab": "Rule: use explicit types, not `any`",
    "1123456789ab": "Rule: log through the logger, not `print`",
    "2123456789ab": "Rule: name a test after what it shows",
}
_LEVELS = (RiskLevel.low, RiskLevel.medium, RiskLevel.low, RiskLevel.high, RiskLevel.medium, RiskLevel.critical)
_TITLES = (
    "Round shares to whole cents", "Show the stock of each shop", "Cache the price list for a minute",
    "Send receipts by email", "Sort orders by day", "Move orders to a table with customers",
    "Log failed payments", "Accept gift cards", "Retry a payment once", "Export invoices as CSV",
    "Remove the old basket",
)  # fmt: skip
_AGENTS = ("claude-code", "codex", None)
_CATEGORIES = ("missing_verification", "reasoning_error", "environment_failure", "instruction_non_compliance")


@dataclass(frozen=True)
class World:
    """The store, and the time it is there."""

    store: Store
    now: datetime


def fill(store: Store, now: datetime, *, shop: RepositoryFacts = SHOP, vault: RepositoryFacts = VAULT) -> World:
    """Let it all have happened."""
    for repository in (shop, vault):
        store.repositories.put(repository, 1, now - timedelta(days=200))
    for place, (version, texts) in enumerate(zip(PROMPTS, TEXTS, strict=True)):
        store.prompt_versions.put(shop.id, version, "files", texts, now - timedelta(days=180 - 90 * place))
    _rules(store, shop, now)
    for number in range(1, NUM_PULLS + 1):
        _pull(store, shop, number, now)
    _evaluations(store, shop, now)
    _examinations(store, shop, now)
    _experiment(store, shop, now)
    _review(store, shop, now)
    _pull(store, vault, 1, now)
    store.rules.put_pending(
        vault.id, "f123456789ab", "Rule: keep the master key offline", {}, now, key="k-vault", polarity="do"
    )
    store.deliveries.receive("d-shop", "pull_request", "opened", shop.full_name, 7, 1, b"{}", now)
    store.deliveries.park("d-shop", "GitHub could not list the files: it answered 502", now)
    store.deliveries.receive("d-vault", "pull_request", "opened", vault.full_name, 1, 1, b"{}", now)
    store.deliveries.park("d-vault", "GitHub did not answer within 30 s", now)
    return World(store, now)


def _review(store: Store, shop: RepositoryFacts, now: datetime) -> None:
    """Findings of a model under two versions of one prompt, and of another."""
    at, hash_ = now - timedelta(days=20), "54859aaa80f2"
    findings(
        store, shop.id, 1, at=at, prompt=f"correctness v1 {hash_}", acted_on=9, dismissed=14, ignored=11, withdrawn=3
    )
    findings(
        store, shop.id, 2, at=at, prompt="correctness v2 b7c6ccb3df50", acted_on=19, dismissed=6, ignored=7, standing=2
    )
    findings(store, shop.id, 3, at=at, question="design", prompt="design v1 8218321ec64d", acted_on=1, dismissed=4)


def _pull(store: Store, repository: RepositoryFacts, number: int, now: datetime) -> None:
    opened_at = now - timedelta(days=176 - number * 3.5, hours=number % 7)
    head = hashlib.sha1(f"{repository.full_name}#{number}".encode(), usedforsecurity=False).hexdigest()
    level, agent = _LEVELS[number % 6], _AGENTS[number % 3]
    facts = PullFacts(
        id=9000 + number, number=number, title=_TITLES[number % len(_TITLES)], body="",
        author=Person("ada" if number % 2 else "bob", 5 + number % 2), head_sha=head, head_ref=f"change-{number}",
        base_sha="b" * 40, base_ref="main", head_repository=repository, base_repository_id=repository.id,
        created_at=opened_at, updated_at=opened_at, num_added=40 + number, num_removed=number,
    )  # fmt: skip
    store.pulls.see(facts, repository, opened_at, action="opened")
    place = (repository.id, number)
    store.events.append(EventKind.pr_opened, f"{repository.id}:{number}", opened_at, *place, data={"head": head})
    if agent is not None:
        store.pulls.set_agent(*place, agent, 0.9, ["trailer"], opened_at)
    version, task = PROMPTS[number > NUM_PULLS // 2], f"task-{number}"
    store.pulls.declare(*place, DeclaredBy.trailer, opened_at, task_id=task, model=("opus", "sonnet")[number % 2])
    store.pulls.declare(*place, DeclaredBy.files, opened_at, prompt_version=version)
    store.tasks.put(
        repository.id, task, opened_at, number=number, submitted_at=opened_at - timedelta(minutes=20 + number),
        status=TaskStatus.failed if number % 6 == 5 else TaskStatus.completed,
    )  # fmt: skip
    _validated(store, place, head, level, opened_at + timedelta(minutes=4))
    _reviewed(store, repository, number, facts, opened_at)
    if number <= NUM_PULLS - 4:
        _ended(store, repository, facts, opened_at + timedelta(hours=6 + number % 30))


def _validated(store: Store, place: tuple[int, int], head: str, level: RiskLevel, at: datetime) -> None:
    report = held(head) if level is RiskLevel.critical else fine(head, level)
    if level is RiskLevel.high:
        report = failing(head, title="High risk · tests fail · 2 blocking, 3 to review", risk=report.risk)
    run, _ = store.runs.begin(*place, head, "pull_request.opened", at)
    factors = [FactorRow("surface", str(level), "41 lines in 3 files")]
    if level is not RiskLevel.low:
        factors.append(FactorRow("dependents", "medium", "7 files use what changed"))
    store.runs.save_report(
        run.id, report_as(report, "json").encode(), conclusion=report.conclusion, title=report.title,
        risk_level=level, likelihood_level=level, is_hold=level is RiskLevel.critical, findings=(), factors=factors,
        config_hash=None, durations_s={}, at=at,
    )  # fmt: skip
    store.runs.advance(run.id, RunState.completed, at)
    if level is RiskLevel.critical:
        store.holds.place(*place, head, "critical", ["it changes the schema"], at)


def _reviewed(store: Store, repository: RepositoryFacts, number: int, facts: PullFacts, opened_at: datetime) -> None:
    conclusion = "failure" if number % 5 == 0 else "success"
    check = CheckFacts(
        "check_run", str(number), "ci", facts.head_sha, "completed", conclusion, app_slug="github-actions",
        started_at=opened_at, completed_at=opened_at + timedelta(minutes=3),
    )  # fmt: skip
    store.checks.put(repository.id, check, opened_at + timedelta(minutes=3))
    at = opened_at + timedelta(hours=1 + number % 5)
    reviewer = Person("rita", 70)
    if number % 4 == 0:
        body = "Please use explicit types here instead of `any`."
        comment = CommentFacts(
            5000 + number, reviewer, body, at, at, "MEMBER", path="app.ts", line=3, commit_sha=facts.head_sha
        )
        store.reviews.put_comment(repository.id, number, comment, at, pull_author=facts.author)
    state = "changes_requested" if number % 4 == 0 else "approved"
    review = ReviewFacts(7000 + number + repository.id * 1000, reviewer, state, "", facts.head_sha, at, "MEMBER")
    store.reviews.put_review(repository.id, number, review, at)


def _ended(store: Store, repository: RepositoryFacts, facts: PullFacts, at: datetime) -> None:
    is_merged = facts.number % 6 not in (3, 5) or facts.number % 4 == 1
    ended = dataclasses.replace(
        facts, state="closed", is_merged=is_merged, updated_at=at, closed_at=at, merged_at=at if is_merged else None,
        merge_commit_sha="c" * 40 if is_merged else None,
    )  # fmt: skip
    store.pulls.see(ended, repository, at, action="closed")
    kind = OutcomeKind.merged if is_merged else OutcomeKind.closed
    store.outcomes.put(repository.id, facts.number, kind, facts.head_sha, at)
    if is_merged and facts.number % 7 in (0, 2):
        after = at + timedelta(days=3)
        store.outcomes.put(repository.id, facts.number, OutcomeKind.reverted, None, after, cause="revert")


def _rules(store: Store, repository: RepositoryFacts, now: datetime) -> None:
    for days, (rule_id, text) in enumerate(RULES.items()):
        at = now - timedelta(days=150 - days)
        expires_at = now + timedelta(days=30)
        store.rules.put_pending(
            repository.id, rule_id, text, {"text": text}, at, key=rule_id, polarity="do", language="TypeScript",
            paths=("src/**",), expires_at=expires_at,
        )  # fmt: skip
        source = SourceRow(
            repository.id, "line", 400 + days, rule_id, 4, f"line:{400 + days}", "rita", 70, "write", True, None, at
        )
        store.rules.add_source(source)
    first = next(iter(RULES))
    store.rules.confirm(
        repository.id, first, now - timedelta(days=140), by="rita", expires_at=now + timedelta(days=300)
    )
    store.rules.handed_out(repository.id, [first], "mcp", now - timedelta(days=100), task_id="task-24")
    for place, number in enumerate((8, 16, 20, 24, 32)):
        store.rules.match(
            MatchRow(
                repository.id,
                f"line:{5000 + number}",
                first,
                number,
                "line",
                5000 + number,
                now - timedelta(days=170 - number * 3.5),
                place + 1,
                0.93,
                "ada",
                "codex",
                PROMPTS[0],
                is_after_handout=number >= 24,
            )
        )  # fmt: skip


def _evaluations(store: Store, repository: RepositoryFacts, now: datetime) -> None:
    for number in range(3, NUM_PULLS, 3):
        is_success = number % 2 == 0
        category = None if is_success else _CATEGORIES[number // 6 % 4]
        failure = {
            "category": category,
            "evidence": [{"source": "check", "ref": "ci", "text": "No test was run before the push"}],
            "suggestion": {"goes_to": "prompt", "text": "Say which command runs the tests"},
        }  # fmt: skip
        store.evaluations.put(
            EvaluationRow(
                repository.id,
                f"task-{number}",
                number,
                is_success,
                category,
                category != "environment_failure",
                () if is_success else (failure,),
                "rules",
                now - timedelta(days=170 - number * 3.5),
            )
        )  # fmt: skip
        text = ("Nobody told me how the tests are run.", "The database address was missing.")[number % 2]
        at = now - timedelta(days=100 - number)
        store.insights.put(
            repository.id, InsightType.agent_self_feedback, f"{text} (task {number})", at, source="api", seen_at=at,
            task_id=f"task-{number}", number=number, agent="codex",
        )  # fmt: skip


def _examinations(store: Store, repository: RepositoryFacts, now: datetime) -> None:
    for week in range(8):
        for agent, base in (("notebook", 0.55), ("vector-store", 0.7)):
            score = base + week * 0.02
            run = MemoryRunRow(
                repository.id, f"{agent}-{week}", now - timedelta(days=60 - 7 * week), agent, "rules", "42",
                1000, 60, score, {"recall": score, "temporal": score - 0.2, "none": None}, {"bm25": 0.61}, None, None,
                fact_recall=0.9 if agent == "vector-store" else None,
                comparable=week > 3,
            )  # fmt: skip
            store.memory_runs.put(run)
    change = {"before": 0.69, "after": 0.55, "num_pairs": 60, "low": -0.2, "high": -0.08, "baseline_run": 900}
    posted = MemoryRunRow(
        repository.id, "run:901:assay-memory-report", now, "notebook", "rules", None, 1000, 60, 0.55,
        {"recall": 0.55}, {"bm25": 0.61}, None, "workflow run 901", "assay-memory-report", 901, 1, "true", change,
    )  # fmt: skip
    store.memory_runs.put_posted(posted)
    for week, share in enumerate((None, 1.0, 0.998, 1.0, 0.945, 0.999)):
        has_findings = share is not None and share < 0.99
        moved = None if share is None else {"before": 1.0, "after": share, "num_pairs": 1033, "baseline_run": 910}
        watched = MemoryRunRow(
            repository.id, f"run:{910 + week}:assay-memory-changes", now - timedelta(days=40 - 7 * week),
            "production memory (chroma)", "changes", None, 0, 1047, share, {"facts kept": share, "recall at 10": 0.99},
            {}, None, f"workflow run {910 + week}", "assay-memory-changes", 910 + week, 1,
            "unknown" if share is None else "true" if has_findings else "false", moved,
        )  # fmt: skip
        store.memory_runs.put_posted(watched)


def _experiment(store: Store, repository: RepositoryFacts, now: datetime) -> None:
    variants = (Variant("short", 1, PROMPTS[0]), Variant("long", 1, PROMPTS[1]))
    began = now - timedelta(days=175)
    about = "Do examples in the prompt help?"
    create(store, repository.id, "examples", variants, began, about=about, by="rita")
    for number in range(1, NUM_PULLS + 1):
        name = variants[number % 2].name
        store.experiments.assign(repository.id, "examples", f"task-{number}", name, began)
