"""Client of GitHub's API; no other package sends requests to it."""

from __future__ import annotations

from assay.github.client.application import DeliveryFacts, Github, credentials_of
from assay.github.client.clock import Clock
from assay.github.client.endpoints.checks import (
    CHECK_NAME,
    Annotation,
    Button,
    CheckConclusion,
    CheckOutput,
    CheckStatus,
    Level,
)
from assay.github.client.endpoints.conversation import RISK_LABELS, IssueFacts, LineNote, Permission
from assay.github.client.endpoints.files import FileOnBranch
from assay.github.client.endpoints.head_state import HeadState
from assay.github.client.endpoints.pulls import CommitFacts, PastCommit, PastEvent, PastFile, PastThread, Push
from assay.github.client.endpoints.runs import ArtifactFacts, WorkflowRunFacts
from assay.github.client.identity import ACTIONS, Us
from assay.github.client.pacing import Pace
from assay.github.client.repository import Repo, web_address
from assay.github.client.requester import understood
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
    "credentials_of",
    "understood",
    "web_address",
]
