"""People who review pull requests on the fake GitHub, and the App that hears of it by webhooks and learns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from assay.github.events.parse import parse
from assay.github_app.handlers import handle
from assay.github_app.learning.job import LearningRuns
from assay.github_app.learning.match.comparing import Reader
from assay.github_app.ops.settings import Settings
from assay.github_app.runtime.queues import Job
from assay.github_app.store import RuleRow, Store
from tests.github_app.learning.village import READER
from tests.github_app.rooms import Room

LEARN = "learn_comment"


@dataclass
class Street:
    """`room` is the first pull request, of `ada`; `mary` may write, `rick` may read, `olivia` owns the repository."""

    room: Room
    num_heard: int = 0
    done: set[str] = field(default_factory=set)
    reader: Reader = READER

    def __post_init__(self) -> None:
        for login in ("mary", "bo", "cy"):
            self.room.github.person(login, role="write")
        self.room.github.person("mona", role="maintain")
        self.room.github.person("zoe", role="none")

    @property
    def store(self) -> Store:
        return self.room.store

    def use(self, **settings: Any) -> None:
        """Have the App run under other settings of its operator."""
        known = self.room.context.settings
        self.room.context = replace(self.room.context, settings=Settings(**{**known.model_dump(), **settings}))

    def configure(self, text: str) -> None:
        """Write the configuration of the base branch."""
        self.room.repository.switch("main")
        self.room.repository.commit("Configure", {".github/assay.yml": text})
        self.room.github.push(self.room.repository, "main")

    def open(self, branch: str, *, by: str = "ada", body: str = "", from_fork: str | None = None) -> int:
        """A pull request that changes `app.py`."""
        room = self.room
        room.repository.branch(branch, "main")
        room.repository.commit(f"Change {branch}", {"app.py": f"x = 1\ny = {branch!r}\n"})
        room.github.push(room.repository, branch, repo=from_fork, by=by)
        number = room.github.open_pull(branch, by=by, title=f"Change {branch}", body=body, from_fork=from_fork)
        self.work()
        return number

    def review(self, number: int, body: str, by: str, line: int = 1) -> int:
        """A comment on a line; its id. The App hears of it and learns."""
        notes = [{"path": "app.py", "line": line, "side": "RIGHT", "body": body}]
        review_id = self.room.github.review(number, "COMMENT", "", notes, by=by)
        comments = self.room.github.get(f"/repos/{self.room.full_name}/pulls/{number}/reviews/{review_id}/comments")
        self.work()
        return int(comments[0]["id"])

    def say(self, number: int, body: str, by: str) -> int:
        """A comment in the conversation; its id."""
        comment_id = self.room.github.comment(number, body, by=by)
        self.work()
        return comment_id

    def change(self, comment_id: int, action: str, body: str | None = None, by: str = "mary") -> None:
        """A comment on a line is edited or deleted; GitHub says so."""
        github, path = self.room.github, f"/repos/{self.room.full_name}/pulls/comments/{comment_id}"
        sent = next(
            one.payload
            for one in reversed(github.deliveries)
            if one.event == "pull_request_review_comment" and one.payload["comment"]["id"] == comment_id
        )
        comment = {**sent["comment"], "updated_at": "2099-01-01T00:00:00Z"}
        if action == "edited":
            github.as_person(by, "PATCH", path, {"body": body})
            comment["body"] = body
        else:
            github.as_person(by, "DELETE", path)
        github.send("pull_request_review_comment", {**sent, "action": action, "comment": comment})
        self.work()

    def work(self) -> None:
        """Every webhook that came since is handled, and every comment they bring is learned from."""
        github = self.room.github
        github.wait(lambda: len(github.deliveries) > self.num_heard)
        while self.num_heard < len(github.deliveries):
            self.hear(self.num_heard)
            self.num_heard += 1
        self._learn([job for job in self.room.queues.of(LEARN) if job.id not in self.done])

    def hear(self, place: int) -> None:
        """One webhook, by its place among all."""
        sent = self.room.github.deliveries[place]
        event = parse(sent.event, sent.body, sent.headers["X-GitHub-Delivery"])
        if event is not None:
            handle(event, self.room.context)

    def hear_everything_again(self) -> None:
        """Every webhook is delivered once more, and every job done once more."""
        for place in range(self.num_heard):
            self.hear(place)
        self.work_again()

    def work_again(self) -> None:
        """Do every job that was ever asked for."""
        self._learn(self.room.queues.of(LEARN))

    def _learn(self, jobs: Iterable[Job]) -> None:
        runs = LearningRuns(self.room.context, lambda: self.reader)
        for job in jobs:
            repository_id, kind, comment_id = job.arguments[:3]
            runs.learn(int(repository_id or 0), str(kind), int(comment_id or 0))
            self.done.add(job.id)

    def replies(self, number: int) -> list[dict[str, Any]]:
        """What the App said in threads of a pull request."""
        said = self.room.github.get(f"/repos/{self.room.full_name}/pulls/{number}/comments?per_page=100")
        return [one for one in said if one["user"]["login"] == f"{self.room.github.app_slug}[bot]"]

    def rule(self) -> RuleRow:
        """The only rule."""
        (row,) = self.store.rules.of(self.room.repository_id)
        return row
