"""Our words for GitHub's API. Nothing else in the house speaks to GitHub."""

from __future__ import annotations

from assay.github_app.github.annotations import Annotation, Level
from assay.github_app.github.application import AppFacts, Github, InstallationFacts
from assay.github_app.github.artifacts import ArtifactFacts
from assay.github_app.github.checks import (
    CHECK_NAME,
    Button,
    CheckConclusion,
    CheckOutput,
    CheckStatus,
)
from assay.github_app.github.clock import Clock
from assay.github_app.github.deliveries import DeliveryFacts
from assay.github_app.github.history import PastCommit, PastEvent, PastFile, PastThread, Push
from assay.github_app.github.identity import ACTIONS, Us
from assay.github_app.github.issues import IssueFacts
from assay.github_app.github.labels import RISK_LABELS
from assay.github_app.github.pacing import Pace
from assay.github_app.github.people import Permission
from assay.github_app.github.pulls import CommitFacts
from assay.github_app.github.repository import Repo, web_address
from assay.github_app.github.reviews import LineNote
from assay.github_app.github.signing_in import Account, SignIn, UserToken
from assay.github_app.github.workflow_runs import WorkflowRunFacts

__all__ = [
    "ACTIONS",
    "CHECK_NAME",
    "RISK_LABELS",
    "Account",
    "Annotation",
    "AppFacts",
    "ArtifactFacts",
    "Button",
    "CheckConclusion",
    "CheckOutput",
    "CheckStatus",
    "Clock",
    "CommitFacts",
    "DeliveryFacts",
    "Github",
    "InstallationFacts",
    "IssueFacts",
    "Level",
    "LineNote",
    "Pace",
    "PastCommit",
    "PastEvent",
    "PastFile",
    "PastThread",
    "Permission",
    "Push",
    "Repo",
    "SignIn",
    "Us",
    "UserToken",
    "WorkflowRunFacts",
    "web_address",
]
