"""Pull requests as git sees them: their files, and which of them a commit belongs to."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tests.fakes.front.exchange import Answer, Exchange, links_of, page_of, refused
from tests.fakes.front.mirror import git
from tests.fakes.front.routing import ROUTES

if TYPE_CHECKING:
    from tests.fakes.github_front import Front

_STATUS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "C": "copied", "T": "changed"}
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_MOST_FILES = 3000
_MOST_COMMITS = 250


@ROUTES.on("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/files")
async def files(front: Front, exchange: Exchange) -> Answer:
    """The files a pull request changes, with their patches."""
    pull = front.state.pulls.get((exchange.repo, int(exchange.params["pull_number"])))
    if pull is None:
        return refused(404, "Not Found")
    changed = await asyncio.to_thread(changed_files, front.state.repositories[exchange.repo], pull)
    for each in changed:
        name, sha = quote(each["filename"]), pull["head_sha"]
        each["blob_url"] = f"{front.url}/{exchange.repo}/blob/{sha}/{name}"
        each["raw_url"] = f"{front.url}/{exchange.repo}/raw/{sha}/{name}"
        each["contents_url"] = f"{front.url}/repos/{exchange.repo}/contents/{name}?ref={sha}"
    changed = changed[:_MOST_FILES]
    return Answer(200, page_of(changed, exchange), links_of(len(changed), exchange, front.url))


@ROUTES.on("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/commits")
async def commits(front: Front, exchange: Exchange) -> Answer:
    """The commits of a pull request, oldest first. The emulator counts the base among them, and follows no merges."""
    pull = front.state.pulls.get((exchange.repo, int(exchange.params["pull_number"])))
    if pull is None:
        return refused(404, "Not Found")
    span = f"refs/heads/{pull['base_ref']}..{pull['head_sha']}"
    bare = front.state.repositories[exchange.repo]
    shas = (await asyncio.to_thread(git, bare, "rev-list", "--reverse", span)).decode().split()[:_MOST_COMMITS]
    page = page_of(shas, exchange)
    found = [await front.known(f"/repos/{exchange.repo}/commits/{sha}") for sha in page]
    for each in found:
        each.pop("files", None)
        each.pop("stats", None)
    return Answer(200, found, links_of(len(shas), exchange, front.url))


@ROUTES.on("GET", "/repos/{owner}/{repo}/commits/{commit_sha}/pulls")
async def of_commit(front: Front, exchange: Exchange) -> Answer:
    """The pull requests a commit is the head of, or was merged by."""
    sha = exchange.params["commit_sha"]
    numbers = [
        number
        for (repo, number), pull in list(front.state.pulls.items())
        if repo == exchange.repo and sha in {pull["head_sha"], pull.get("merge_commit_sha")}
    ]
    pulls = [await front.known(f"/repos/{exchange.repo}/pulls/{number}") for number in numbers]
    return Answer(200, page_of(pulls, exchange))


@ROUTES.on("GET", "/repos/{owner}/{repo}/issues/{issue_number}")
async def as_issue(front: Front, exchange: Exchange) -> Answer:
    """A pull request is an issue too; the emulator shows only those that are nothing else."""
    number = int(exchange.params["issue_number"])
    if (exchange.repo, number) not in front.state.pulls:
        return await front.passed_on(exchange)
    pull = await front.known(f"/repos/{exchange.repo}/pulls/{number}")
    same = ("node_id number title user labels state locked assignee assignees milestone comments created_at updated_at "
            "closed_at author_association body draft").split()  # fmt: skip
    here = f"{front.url}/repos/{exchange.repo}"
    links = {"url": pull["url"], "merged_at": pull["merged_at"]}
    links |= {name: pull[name] for name in ("html_url", "diff_url", "patch_url")}
    issue = {name: pull[name] for name in same} | {
        "id": pull["id"] + 1_000_000,
        "url": f"{here}/issues/{number}",
        "repository_url": here,
        "labels_url": f"{here}/issues/{number}/labels{{/name}}",
        "comments_url": f"{here}/issues/{number}/comments",
        "events_url": f"{here}/issues/{number}/events",
        "html_url": pull["html_url"],
        "state_reason": None,
        "active_lock_reason": None,
        "pull_request": links,
        "performed_via_github_app": None,
    }
    return Answer(200, issue)


def changed_files(bare: Path, pull: dict[str, Any]) -> list[dict[str, Any]]:
    """One entry a file, in the order of their names."""
    span = f"refs/heads/{pull['base_ref']}...{pull['head_sha']}"
    raw = git(bare, "diff", "--raw", "-z", "-M", "--no-abbrev", span).decode(errors="replace").split("\0")
    text = git(bare, "-c", "core.quotePath=false", "diff", "-M", "--no-color", "--no-ext-diff", span).decode(
        errors="replace"
    )
    patches = re.split(r"(?m)^diff --git .*\n", text)[1:]
    found, fields = [], iter(raw)
    for patch in patches:
        _, _, _, new, status = next(fields).split(" ")
        entry: dict[str, Any] = {"sha": new, "status": _STATUS[status[0]]}
        if status[0] in "RC":
            entry["previous_filename"] = next(fields)
        entry["filename"] = next(fields)
        hunks = patch[patch.index("\n@@") + 1 :] if "\n@@" in patch else ""
        lines = hunks.split("\n")
        entry["additions"] = sum(line.startswith("+") for line in lines)
        entry["deletions"] = sum(line.startswith("-") for line in lines)
        entry["changes"] = entry["additions"] + entry["deletions"]
        if hunks:
            entry["patch"] = hunks.rstrip("\n")
        found.append(entry)
    return found


def lines_shown(patch: str) -> dict[str, set[int]]:
    """The line numbers of a patch that a comment may stand on, by side."""
    shown: dict[str, set[int]] = {"LEFT": set(), "RIGHT": set()}
    left = right = 0
    for line in patch.split("\n"):
        if match := _HUNK.match(line):
            left, right = int(match[1]), int(match[3])
        elif line.startswith("+"):
            shown["RIGHT"].add(right)
            right += 1
        elif line.startswith("-"):
            shown["LEFT"].add(left)
            left += 1
        elif line.startswith(" "):
            shown["LEFT"].add(left)
            shown["RIGHT"].add(right)
            left, right = left + 1, right + 1
    return shown
