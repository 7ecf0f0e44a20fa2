"""Client of GitHub's API; no other package sends requests to it."""

from __future__ import annotations

from assay.github.client.application import Github
from assay.github.client.clock import Clock
from assay.github.client.deliveries import DeliveryFacts
from assay.github.client.endpoints.annotations import Annotation, Level
from assay.github.client.endpoints.artifacts import ArtifactFacts
from assay.github.client.endpoints.branches import FileOnBranch
from assay.github.client.endpoints.checks import CHECK_NAME, Button, CheckConclusion, CheckOutput, CheckStatus
from assay.github.client.endpoints.head_state import HeadState
from assay.github.client.endpoints.history import PastCommit, PastEvent, PastFile, PastThread, Push
from assay.github.client.endpoints.labels import RISK_LABELS
from assay.github.client.endpoints.people import Permission
from assay.github.client.endpoints.pulls import CommitFacts
from assay.github.client.endpoints.reviews import LineNote
from assay.github.client.endpoints.workflow_runs import WorkflowRunFacts
from assay.github.client.identity import ACTIONS, Us
from assay.github.client.pacing import Pace
from assay.github.client.repository import Repo, web_address
from assay.github.client.user_login import Account, SignIn, UserToken

__all__ = [
    "ACTIONS",
    "CHECK_NAME",
    "RISK_LABELS",
    "Account",
    "Annotation",
    "ArtifactFacts",
    "Button",
    "CheckConclusion",
    "CheckOutput",
    "CheckStatus",
    "Clock",
    "CommitFacts",
    "DeliveryFacts",
    "FileOnBranch",
    "Github",
    "HeadState",
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
