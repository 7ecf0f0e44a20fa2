"""The environment of a job, as the runner and action.yml make it."""

from __future__ import annotations

from pathlib import Path

BASE, HEAD, ZEROS = "a" * 40, "b" * 40, "0" * 40


def environment(folder: Path, **more: str) -> dict[str, str]:
    """A job's whole environment for one step, below `folder`; `more` are variables without their `ASSAY_ACTION_`."""
    work, workspace = folder / "work", folder / "workspace"
    work.mkdir(exist_ok=True)
    workspace.mkdir(exist_ok=True)
    ours = {
        "EVENT": "pull_request",
        "API_URL": "https://api.github.com",
        "SERVER_URL": "https://github.com",
        "REPOSITORY": "acme/shop",
        "REPOSITORY_ID": "42",
        "RUN_ID": "900",
        "RUN_ATTEMPT": "1",
        "ACTOR": "ada",
        "DEFAULT_BRANCH": "main",
        "WORK": str(work),
        "PULL_NUMBER": "7",
        "BASE_SHA": BASE,
        "HEAD_SHA": HEAD,
        "BASE_REF": "main",
        "HEAD_REF": "claude/topic",
        "HEAD_REPOSITORY_ID": "42",
    }
    return {
        **{f"ASSAY_ACTION_{name}": value for name, value in {**ours, **more}.items()},
        "GITHUB_WORKSPACE": str(workspace),
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        "GITHUB_JOB": "assay",
    }
