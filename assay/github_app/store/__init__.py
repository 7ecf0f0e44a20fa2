"""What the App remembers; the only room that speaks SQL."""

from assay.github_app.store.api_tokens import MadeToken, Scope, TokenRow
from assay.github_app.store.changed_lines import ChangedLines, Side
from assay.github_app.store.checks import PostedResults
from assay.github_app.store.cycles import CycleRow
from assay.github_app.store.deliveries import DeliveryRow, DeliveryState, Receipt
from assay.github_app.store.evaluations import EvaluationRow
from assay.github_app.store.event_kinds import EventKind
from assay.github_app.store.experiments import AssignmentRow, ExperimentRow, Method, Variant
from assay.github_app.store.histories import PullHistory, RuleScope, RunHistory
from assay.github_app.store.holds import HoldRow
from assay.github_app.store.insight_tables import PULL_BODY, InsightHandoutRow, InsightRow, InsightType
from assay.github_app.store.installations import InstallationRow, InstallationState, RepositoryRow
from assay.github_app.store.leases import LeaseRow
from assay.github_app.store.memory_runs import MemoryRunRow
from assay.github_app.store.outcomes import OutcomeKind, OutcomeRow
from assay.github_app.store.prompt_versions import PromptVersionRow
from assay.github_app.store.published import PublishedRow
from assay.github_app.store.pull_tables import DeclaredBy, HeadRow, PullRow
from assay.github_app.store.reverts import RevertRow
from assay.github_app.store.review_tables import CommentRow, ReviewRow, ThreadRow
from assay.github_app.store.rules import LIVE, QUORUM
from assay.github_app.store.rules_tables import (
    HandoutRow,
    MatchRow,
    RuleAuditRow,
    RuleChange,
    RuleRow,
    RuleState,
    SourceRow,
)
from assay.github_app.store.run_tables import FactorRow, FindingRow, RunRow, RunState
from assay.github_app.store.sessions import SessionRow
from assay.github_app.store.store import Store
from assay.github_app.store.syncs import SyncedRow
from assay.github_app.store.task_events import EventRow
from assay.github_app.store.tasks import TaskRow, TaskStatus
from assay.github_app.store.traces import TraceRow
from assay.github_app.store.waivers import WaiverKind, WaiverRow

__all__ = [
    "LIVE",
    "PULL_BODY",
    "QUORUM",
    "AssignmentRow",
    "ChangedLines",
    "CommentRow",
    "CycleRow",
    "DeclaredBy",
    "DeliveryRow",
    "DeliveryState",
    "EvaluationRow",
    "EventKind",
    "EventRow",
    "ExperimentRow",
    "FactorRow",
    "FindingRow",
    "HandoutRow",
    "HeadRow",
    "HoldRow",
    "InsightHandoutRow",
    "InsightRow",
    "InsightType",
    "InstallationRow",
    "InstallationState",
    "LeaseRow",
    "MadeToken",
    "MatchRow",
    "MemoryRunRow",
    "Method",
    "OutcomeKind",
    "OutcomeRow",
    "PostedResults",
    "PromptVersionRow",
    "PublishedRow",
    "PullHistory",
    "PullRow",
    "Receipt",
    "RepositoryRow",
    "RevertRow",
    "ReviewRow",
    "RuleAuditRow",
    "RuleChange",
    "RuleRow",
    "RuleScope",
    "RuleState",
    "RunHistory",
    "RunRow",
    "RunState",
    "Scope",
    "SessionRow",
    "Side",
    "SourceRow",
    "Store",
    "SyncedRow",
    "TaskRow",
    "TaskStatus",
    "ThreadRow",
    "TokenRow",
    "TraceRow",
    "Variant",
    "WaiverKind",
    "WaiverRow",
]
