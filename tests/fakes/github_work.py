"""Pull requests of the fake GitHub, and what people and other programs do about them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from typing import Any

from tests.fakes.front import actions
from tests.fakes.front.deliveries import Delivery
from tests.fakes.front.dressing import ACTIONS, app
from tests.fakes.front.mirror import git, point
from tests.fakes.front.state import OWNER
from tests.fakes.github_hosting import Hosting


class Work(Hosting):
    """Everything here that GitHub would announce by a webhook is announced."""

    # ------------------------------------------------------------------ pull requests

    def open_pull(
        self,
        head: str = "change",
        base: str = "main",
        *,
        repo: str | None = None,
        by: str = "ada",
        title: str = "A change",
        body: str = "",
        draft: bool = False,
        from_fork: str | None = None,
    ) -> int:
        """Open a pull request from a branch that was pushed; gives its number. The author may write, but for forks."""
        name = self._repo(repo)
        self.person(by, kind="Bot" if by.endswith("[bot]") else "User")
        self.state.permissions.setdefault((name, by), "none" if from_fork else "write")
        source = from_fork or name
        label = f"{source.split('/')[0]}:{head}" if from_fork else head
        wanted = {"title": title, "body": body, "head": label, "base": base, "draft": draft}
        number: int = self.as_person(by, "POST", f"/repos/{name}/pulls", wanted)["number"]
        pull = {"head_repo": source, "head_ref": head, "base_ref": base, "state": "open", "by": by}
        self.state.pulls[(name, number)] = pull | {"head_sha": self._tip(source, head)}
        self._take_head(name, number)
        self._announce_pull("opened", name, number, by)
        return number

    def close_pull(self, number: int, *, repo: str | None = None, by: str = OWNER) -> None:
        """Close without merging."""
        name = self._repo(repo)
        self.as_person(by, "PATCH", f"/repos/{name}/pulls/{number}", {"state": "closed"})
        self.state.pulls[(name, number)]["state"] = "closed"
        self._announce_pull("closed", name, number, by)

    def reopen_pull(self, number: int, *, repo: str | None = None, by: str = OWNER) -> None:
        """Open again; the head is where its branch is now."""
        name = self._repo(repo)
        pull = self.state.pulls[(name, number)]
        pull |= {"state": "open", "head_sha": self._tip(pull["head_repo"], pull["head_ref"])}
        self._take_head(name, number)
        self.as_person(by, "PATCH", f"/repos/{name}/pulls/{number}", {"state": "open"})

    def merge(self, number: int, *, repo: str | None = None, by: str = OWNER, method: str = "merge") -> str:
        """Merge in git (`merge` or `squash`), and say so; gives the commit."""
        name = self._repo(repo)
        pull, bare = self.state.pulls[(name, number)], self.bare(name)
        base = pull["base_ref"]
        before = self._tip(name, base)
        tree = git(bare, "merge-tree", "--write-tree", before, pull["head_sha"]).decode().split("\n")[0]
        title = self.get(f"/repos/{name}/pulls/{number}")["title"]
        parents = ["-p", before] + ([] if method == "squash" else ["-p", pull["head_sha"]])
        words = (
            f"{title} (#{number})"
            if method == "squash"
            else f"Merge pull request #{number} from {pull['head_ref']}\n\n{title}"
        )
        sha = git(bare, "commit-tree", tree, *parents, "-m", words).decode().strip()
        point(bare, f"refs/heads/{base}", sha)
        pull |= {"state": "closed", "merge_commit_sha": sha}
        now = self.state.now()
        # The emulator's own merge would make a commit that is in no repository.
        changes = {
            "merged": True, "merged_at": now, "merged_by_id": self.state.people[by]["id"], "merge_commit_sha": sha,
            "state": "closed", "closed_at": now,
        }  # fmt: skip
        self._emulator.bed("pulls", "PATCH", repo=name, number=number, changes=changes)
        self._pushed(name, base, before, by)
        self._announce_pull("closed", name, number, by)
        return sha

    def mark_ready(self, number: int, *, repo: str | None = None, by: str = "ada") -> None:
        """Make a pull request of a draft."""
        self._redraft(number, repo, by, draft=False)

    def mark_draft(self, number: int, *, repo: str | None = None, by: str = "ada") -> None:
        """Make a draft of a pull request."""
        self._redraft(number, repo, by, draft=True)

    def _redraft(self, number: int, repo: str | None, by: str, *, draft: bool) -> None:
        name = self._repo(repo)
        self._emulator.bed("pulls", "PATCH", repo=name, number=number, changes={"draft": draft})
        self._announce_pull("converted_to_draft" if draft else "ready_for_review", name, number, by)

    def edit_pull(self, number: int, *, repo: str | None = None, by: str = "ada", **changes: str) -> None:
        """Change title, body or base; the webhook comes from the emulator."""
        self.as_person(by, "PATCH", f"/repos/{self._repo(repo)}/pulls/{number}", changes)

    def label(self, number: int, *names: str, repo: str | None = None, by: str = OWNER) -> None:
        """Put labels on."""
        self.as_person(by, "POST", f"/repos/{self._repo(repo)}/issues/{number}/labels", {"labels": list(names)})

    def _head_moved(self, repo: str, number: int, sha: str, by: str) -> None:
        pull = self.state.pulls[(repo, number)]
        before, pull["head_sha"] = pull["head_sha"], sha
        self._take_head(repo, number)
        self._announce_pull("synchronize", repo, number, by, before=before, after=sha)

    def _take_head(self, repo: str, number: int) -> None:
        """Point `refs/pull/N/head` and `/merge`, and the emulator's record, at the pull request's present head."""
        pull, bare = self.state.pulls[(repo, number)], self.bare(repo)
        sha, base = pull["head_sha"], f"refs/heads/{pull['base_ref']}"
        if pull["head_repo"] != repo:
            git(bare, "fetch", "--quiet", str(self.bare(pull["head_repo"])), f"refs/heads/{pull['head_ref']}")
            self._mirror(repo, sha)
        point(bare, f"refs/pull/{number}/head", sha)
        tree = git(bare, "merge-tree", "--write-tree", base, sha, check=False).decode().split("\n")
        pull["mergeable"] = len([line for line in tree if line]) == 1
        if pull["mergeable"]:
            merge = (
                git(bare, "commit-tree", tree[0], "-p", base, "-p", sha, "-m", f"Merge {sha} into {base}")
                .decode()
                .strip()
            )
            point(bare, f"refs/pull/{number}/merge", merge)
            pull["merge_commit_sha"] = merge
        counts = git(bare, "diff", "--numstat", f"{base}...{sha}").decode(errors="replace").splitlines()
        added, removed = ([int(line.split("\t")[side]) for line in counts if line[0] != "-"] for side in (0, 1))
        changes = {
            "head_sha": sha,
            "commits": int(git(bare, "rev-list", "--count", f"{base}..{sha}")),
            "additions": sum(added),
            "deletions": sum(removed),
            "changed_files": len(counts),
        }
        self._emulator.bed("pulls", "PATCH", repo=repo, number=number, changes=changes)

    def _announce_pull(self, action: str, repo: str, number: int, by: str, **more: Any) -> Delivery:
        pull = self.get(f"/repos/{repo}/pulls/{number}")
        return self._announce_in(
            repo, by, "pull_request", {"action": action, "number": number, "pull_request": pull} | more
        )

    # ------------------------------------------------------------------ what people do

    def comment(self, number: int, body: str, *, by: str = OWNER, repo: str | None = None) -> int:
        """Comment in the conversation; gives the comment's id."""
        made: int = self.as_person(by, "POST", f"/repos/{self._repo(repo)}/issues/{number}/comments", {"body": body})[
            "id"
        ]
        return made

    def review(
        self, number: int, event: str = "COMMENT", body: str = "", notes: list[dict[str, Any]] | None = None,
        *, by: str = OWNER, repo: str | None = None,
    ) -> int:  # fmt: skip
        """Review: APPROVE, REQUEST_CHANGES or COMMENT, with notes of path, line and body; gives the review's id."""
        wanted = {"event": event, "body": body, "comments": notes or []}
        made: int = self.as_person(by, "POST", f"/repos/{self._repo(repo)}/pulls/{number}/reviews", wanted)["id"]
        return made

    def resolve(
        self, number: int, comment_id: int, *, by: str = OWNER, repo: str | None = None, undo: bool = False
    ) -> Delivery:
        """Resolve the thread a comment began."""
        name = self._repo(repo)
        first = self.get(f"/repos/{name}/pulls/comments/{comment_id}")
        payload = {
            "action": "unresolved" if undo else "resolved",
            "pull_request": self.get(f"/repos/{name}/pulls/{number}"),
            "thread": {"node_id": f"PRRT_{comment_id}", "comments": [first]},
        }
        return self._announce_in(name, by, "pull_request_review_thread", payload)

    def press(self, check_run_id: int, identifier: str, *, by: str = OWNER, repo: str | None = None) -> Delivery:
        """Press one of the buttons of a check run."""
        name = self._repo(repo)
        buttons = [each["identifier"] for each in self.state.check_runs[check_run_id]["actions"]]
        assert identifier in buttons, f"the check run has no button {identifier!r}, only {buttons}"
        run = self.get(f"/repos/{name}/check-runs/{check_run_id}")
        payload = {"action": "requested_action", "check_run": run, "requested_action": {"identifier": identifier}}
        return self._announce_in(name, by, "check_run", payload)

    def rerequest(self, check_run_id: int, *, by: str = OWNER, repo: str | None = None) -> None:
        """Press GitHub's own "Re-run" of a check run."""
        self.as_person(by, "POST", f"/repos/{self._repo(repo)}/check-runs/{check_run_id}/rerequest")

    # ------------------------------------------------------------------ what other programs do

    def check(
        self, sha: str, name: str = "ci", conclusion: str | None = "success", *, repo: str | None = None, **more: Any
    ) -> int:
        """A check run of GitHub Actions; without a conclusion it is in progress. Gives its id."""
        status = {"status": "completed", "conclusion": conclusion} if conclusion else {"status": "in_progress"}
        wanted = {"name": name, "head_sha": sha} | status | more
        made: int = self.as_person(OWNER, "POST", f"/repos/{self._repo(repo)}/check-runs", wanted)["id"]
        self._finish_suite(self._repo(repo), sha)
        return made

    def finish_check(
        self, check_run_id: int, conclusion: str = "success", *, repo: str | None = None, **more: Any
    ) -> None:
        """Let a check run of GitHub Actions end."""
        wanted = {"status": "completed", "conclusion": conclusion} | more
        run = self.as_person(OWNER, "PATCH", f"/repos/{self._repo(repo)}/check-runs/{check_run_id}", wanted)
        self._finish_suite(self._repo(repo), run["head_sha"])

    def _finish_suite(self, repo: str, sha: str) -> None:
        """Say that the last check run of GitHub Actions on a commit has ended, if it has."""
        here = f"/repos/{repo}/commits/{sha}"
        runs = self.get(f"{here}/check-runs?filter=all&per_page=100&app_id={ACTIONS[0]}")["check_runs"]
        if any(run["status"] != "completed" for run in runs):
            return
        conclusions = {run["conclusion"] for run in runs}
        suite = self.get(f"{here}/check-suites")["check_suites"][0]
        # The emulator has one suite a commit; GitHub one for each App.
        suite |= {
            "app": app(self.front, *ACTIONS),
            "status": "completed",
            "conclusion": "success" if conclusions == {"success"} else min(conclusions - {"success"}),
            "latest_check_runs_count": len(runs),
        }
        self._announce_in(repo, OWNER, "check_suite", {"action": "completed", "check_suite": suite})

    def ask_suite(self, sha: str, action: str = "requested", *, by: str = OWNER, repo: str | None = None) -> Delivery:
        """Say that the App's check suite is wanted: `requested` after a push, `rerequested` by its button."""
        name = self._repo(repo)
        found = self.as_person(by, "POST", f"/repos/{name}/check-suites", {"head_sha": sha})
        suite = found | {"app": app(self.front), "status": "queued", "conclusion": None}
        return self._announce_in(name, by, "check_suite", {"action": action, "check_suite": suite})

    def status(
        self, sha: str, state: str = "success", context: str = "ci", *, repo: str | None = None, **more: str
    ) -> None:
        """A commit status."""
        wanted = {"state": state, "context": context} | more
        self.as_person(OWNER, "POST", f"/repos/{self._repo(repo)}/statuses/{sha}", wanted)

    def workflow_run(
        self, sha: str, artifacts: Mapping[str, Mapping[str, bytes | str]] | None = None, *,
        repo: str | None = None, head_repo: str | None = None, event: str = "pull_request", name: str = "validate",
        conclusion: str | None = "success", announce: bool = True, by: str = OWNER, **more: Any,
    ) -> int:  # fmt: skip
        """A run of GitHub Actions with artifacts (name -> file -> content); gives its id. `more` goes into its JSON."""
        base = self._repo(repo)
        number, now = next(self.state.ids), self.state.now()
        here = f"{self.url}/repos/{base}/actions/runs/{number}"
        if by not in self.state.people:
            self.person(by, kind="Bot" if by.endswith("[bot]") else "User")
        actor, repository = self.get(f"/users/{by}"), self.get(f"/repos/{base}")
        run = {
            "id": number, "node_id": f"WFR_{number}", "name": name, "head_branch": "change", "head_sha": sha,
            "path": f".github/workflows/{name}.yml", "run_number": 1, "run_attempt": 1, "event": event,
            "display_title": name, "status": "completed" if conclusion else "in_progress", "conclusion": conclusion,
            "workflow_id": 1, "url": here, "html_url": f"{self.url}/{base}/actions/runs/{number}", "pull_requests": [],
            "created_at": now, "updated_at": now, "run_started_at": now, "actor": actor, "triggering_actor": actor,
            "check_suite_url": f"{self.url}/repos/{base}/check-suites/1",
            **{f"{what}_url": f"{here}/{what}" for what in ("jobs", "logs", "artifacts", "cancel", "rerun")},
            "workflow_url": f"{self.url}/repos/{base}/actions/workflows/1", "check_suite_id": 1,
            "head_commit": self._commit_shown(head_repo or base, sha), "previous_attempt_url": None,
            "check_suite_node_id": "CS_1", "repository": repository,
            "head_repository": self.get(f"/repos/{head_repo}") if head_repo else repository,
        } | more  # fmt: skip
        self.state.workflow_runs[(base, number)] = run
        for title, files in (artifacts or {}).items():
            self.artifact(number, title, files, repo=base)
        if announce:
            action = "completed" if conclusion else "in_progress"
            self._announce_in(base, OWNER, "workflow_run", {"action": action, "workflow_run": run, "workflow": None})
        return number

    def artifact(
        self, run_id: int, name: str, files: Mapping[str, bytes | str] | bytes, *, repo: str | None = None, **more: Any
    ) -> int:
        """An artifact of a run: files, or the whole archive as it is; gives its id. `more` goes into its JSON, but for
        `store`: the address to which GitHub sends whoever downloads it.
        """
        owner = self._repo(repo)
        packed = io.BytesIO(files if isinstance(files, bytes) else b"")
        if not isinstance(files, bytes):
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                for path, content in files.items():
                    archive.writestr(path, content)
        run = self.state.workflow_runs[(owner, run_id)]
        return actions.keep(self.front, owner, run, name, packed.getvalue(), **more)

    def enqueue(self, *numbers: int, repo: str | None = None) -> str:
        """Put pull requests into the merge queue as one group; gives the group's head, whose checks are wanted."""
        name, bare = self._repo(repo), self.bare(repo)
        base = self.state.pulls[(name, numbers[0])]["base_ref"]
        start = tip = self._tip(name, base)
        for number in numbers:
            head = self.state.pulls[(name, number)]["head_sha"]
            tree = git(bare, "merge-tree", "--write-tree", tip, head).decode().split("\n")[0]
            tip = (
                git(bare, "commit-tree", tree, "-p", tip, "-p", head, "-m", f"Merge pull request #{number}")
                .decode()
                .strip()
            )
        branch = f"gh-readonly-queue/{base}/pr-{numbers[-1]}-{start}"
        git(bare, "update-ref", f"refs/heads/{branch}", tip)
        self._mirror(name, tip)
        self._emulator.bed("branch", repo=name, branch=branch, sha=tip)
        self._announce_group("checks_requested", name, branch, base, start, tip)
        return tip

    def dequeue(self, group_head: str, reason: str = "merged", *, repo: str | None = None) -> None:
        """Let a group leave the queue: merged, invalidated or dequeued."""
        name = self._repo(repo)
        ref = git(
            self.bare(name),
            "for-each-ref",
            "--points-at",
            group_head,
            "--format=%(refname:lstrip=2)",
            "refs/heads/gh-readonly-queue",
        )
        branch = ref.decode().split()[0]
        base = branch.split("/")[1]
        self._announce_group("destroyed", name, branch, base, branch.rsplit("-", 1)[1], group_head, reason=reason)

    def _announce_group(
        self, action: str, repo: str, branch: str, base: str, start: str, tip: str, **more: str
    ) -> None:
        group = {
            "head_sha": tip, "head_ref": f"refs/heads/{branch}", "base_sha": start, "base_ref": f"refs/heads/{base}",
            "head_commit": self._commit_shown(repo, tip),
        }  # fmt: skip
        self._announce_in(repo, OWNER, "merge_group", {"action": action, "merge_group": group} | more)
