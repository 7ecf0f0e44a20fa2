"""The App's database; the only package that contains SQL."""

from assay.github_app.store.app.api_tokens import Scope, TokenRow
from assay.github_app.store.app.deliveries import DeliveryRow, DeliveryState, Receipt
from assay.github_app.store.app.installations import InstallationState, RepositoryRow
from assay.github_app.store.app.memory_runs import MemoryRunRow
from assay.github_app.store.app.sessions import SessionRow
from assay.github_app.store.pulls.changed_lines import ChangedLines, Side
from assay.github_app.store.pulls.checks import PostedResults
from assay.github_app.store.pulls.outcomes import OutcomeKind, OutcomeRow
from assay.github_app.store.pulls.published import PublishedRow
from assay.github_app.store.queries.attention import FailedDelivery, FailedRun, Misconfigured, PutOff, WaitingHold
from assay.github_app.store.queries.histories import PullHistory, RunHistory
from assay.github_app.store.queries.listings import Verdict
from assay.github_app.store.rules.rules import HOSTS, JOINABLE, LIVE, QUORUM
from assay.github_app.store.runs.cycles import CycleRow
from assay.github_app.store.runs.holds import HoldRow
from assay.github_app.store.runs.requests import RequestRow
from assay.github_app.store.runs.review_findings import DecidedBy, FindingOutcome, ReviewFindingRow
from assay.github_app.store.runs.runs import Advance
from assay.github_app.store.runs.waivers import WaiverKind, WaiverRow
from assay.github_app.store.store import Store
from assay.github_app.store.tables.event_kinds import EventKind
from assay.github_app.store.tables.insight_tables import PULL_BODY, InsightRow, InsightType
from assay.github_app.store.tables.pull_tables import PROPOSAL_BRANCH, DeclaredBy, HeadRow, PullRow
from assay.github_app.store.tables.review_tables import CommentRow, ReviewRow
from assay.github_app.store.tables.rules_tables import (
    HandoutRow,
    MatchRow,
    RuleAuditRow,
    RuleChange,
    RuleRow,
    RuleState,
    SourceRow,
)
from assay.github_app.store.tables.run_tables import FactorRow, FindingRow, RunRow, RunState
from assay.github_app.store.tasks.evaluations import EvaluationRow
from assay.github_app.store.tasks.experiments import ExperimentRow, Variant
from assay.github_app.store.tasks.prompt_versions import PromptVersionRow
from assay.github_app.store.tasks.task_events import EventRow
from assay.github_app.store.tasks.tasks import FAILED_STATUSES, BranchState, TaskFields, TaskRow, TaskStatus
from assay.github_app.store.tasks.traces import TraceRow

__all__ = [
    "FAILED_STATUSES",
    "HOSTS",
    "JOINABLE",
    "LIVE",
    "PROPOSAL_BRANCH",
    "PULL_BODY",
    "QUORUM",
    "Advance",
    "BranchState",
    "ChangedLines",
    "CommentRow",
    "CycleRow",
    "DecidedBy",
    "DeclaredBy",
    "DeliveryRow",
    "DeliveryState",
    "EvaluationRow",
    "EventKind",
    "EventRow",
    "ExperimentRow",
    "FactorRow",
    "FailedDelivery",
    "FailedRun",
    "FindingOutcome",
    "FindingRow",
    "HandoutRow",
    "HeadRow",
    "HoldRow",
    "InsightRow",
    "InsightType",
    "InstallationState",
    "MatchRow",
    "MemoryRunRow",
    "Misconfigured",
    "OutcomeKind",
    "OutcomeRow",
    "PostedResults",
    "PromptVersionRow",
    "PublishedRow",
    "PullHistory",
    "PullRow",
    "PutOff",
    "Receipt",
    "RepositoryRow",
    "RequestRow",
    "ReviewFindingRow",
    "ReviewRow",
    "RuleAuditRow",
    "RuleChange",
    "RuleRow",
    "RuleState",
    "RunHistory",
    "RunRow",
    "RunState",
    "Scope",
    "SessionRow",
    "Side",
    "SourceRow",
    "Store",
    "TaskFields",
    "TaskRow",
    "TaskStatus",
    "TokenRow",
    "TraceRow",
    "Variant",
    "Verdict",
    "WaitingHold",
    "WaiverKind",
    "WaiverRow",
]
