"""Forty pull requests lived through on the tests' GitHub, each step at its time: `tests/cases/life`."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from assay.github_app.outcomes.record.follow_up_fixes import note_follow_ups
from assay.github_app.store import ChangedLines, FindingRow, MatchRow, RunState, Side, Store, TaskStatus
from tests.conftest import ROOT
from tests.fakes.github import FakeGitHub
from tests.repositories import FIRST_COMMIT_AT, RealRepository
from tests.tables import read_yaml

CASE = ROOT / "tests/cases/life/repository_life.yaml"
LOOKED_AT = datetime(2026, 5, 5, tzinfo=UTC)
"""When somebody looks at the figures: the abandoned one has been silent for 30 days, the open ones have not."""
CLAUDE, COPILOT = "ada", "copilot-swe-agent[bot]"
_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def case() -> dict[str, Any]:
    """The whole case."""
    found: dict[str, Any] = read_yaml(CASE)
    return found


@dataclass
class Life:
    """The repository, and what is known of its pull requests from having made them."""

    github: FakeGitHub
    repository: RealRepository
    case: dict[str, Any]
    heads: dict[int, list[str]] = field(default_factory=dict)
    merges: dict[int, str] = field(default_factory=dict)

    def begin(self) -> None:
        """People, and a first commit."""
        self.github.create_repository("shop")
        for login in ("bo", "mary", "sam", CLAUDE):
            self.github.person(login, role="write")
        self.github.person(COPILOT, kind="Bot")
        with self.github.at(datetime(2026, 3, 1, 9, tzinfo=UTC)):
            self.repository.commit("Start", {"README.md": "# Shop\n"})
            self.github.push(self.repository, "main")

    def live(self) -> None:
        """Everything that happens to every pull request, one after the other."""
        for number in sorted(self.case["pulls"]):
            self.live_through(number)

    def live_through(self, number: int) -> None:
        """One pull request, from its branch to its end."""
        shape, opened_at = self.shape(number), opened(number)
        is_odd, name = number % 2 == 1, f"item_{number}.py"
        branch = f"claude/{task_id(number)}-item" if is_odd else f"copilot/item-{number}"
        by = CLAUDE if is_odd else COPILOT
        self._git_at(opened_at - timedelta(minutes=5))
        self.repository.git("fetch", "--quiet", str(self.github.bare()), "main")
        self.repository.git("switch", "--quiet", "--create", branch, "FETCH_HEAD")
        if shape.get("fixes"):
            files = {f"item_{number - 1}.py": lines(number - 1, 50, changed=25)}
        else:
            files = {name: lines(number, shape["lines"])}
        with self.github.at(opened_at - timedelta(minutes=5)):
            self.heads[number] = [self.repository.commit(f"Item {number}", files)]
            self.github.push(self.repository, branch, by=by)
        title = f"Fix item {number - 1}" if shape.get("fixes") else f"Sell item {number}"
        body = f"Another item.\n\nPrompt-Version: {'shop-1' if number <= 20 else 'shop-2'}\n"
        with self.github.at(opened_at):
            opened_as = self.github.open_pull(branch, by=by, title=title, body=body, draft=bool(shape.get("is_draft")))
        assert opened_as == number, "the pull requests are numbered as in the case"
        for minute, what, *rest in shape["steps"]:
            with self.github.at(opened_at + timedelta(minutes=minute)):
                getattr(self, f"_{what}")(number, branch, by, opened_at + timedelta(minutes=minute), *rest)

    def shape(self, number: int) -> dict[str, Any]:
        found: dict[str, Any] = self.case["shapes"][self.case["pulls"][number]]
        return found

    # ------------------------------------------------------------------ steps

    def _check(self, number: int, branch: str, by: str, at: datetime, conclusion: str, summary: str = "") -> None:
        output: dict[str, Any] = {"output": {"title": "Tests", "summary": summary}} if summary else {}
        moment = at.strftime("%Y-%m-%dT%H:%M:%SZ")
        times: dict[str, Any] = {"started_at": moment, "completed_at": moment}
        self.github.check(self.heads[number][-1], "tests", conclusion, **times, **output)

    def _review(
        self, number: int, branch: str, by: str, at: datetime, who: str, verdict: str, words: str, notes: Any = ()
    ) -> None:
        places = [
            {"path": f"item_{number}.py", "line": line, "side": "RIGHT", "body": text}
            for line, text in enumerate(notes, 1)
        ]
        # GitHub wants words with a request for changes, unless there are notes.
        self.github.review(number, verdict, words, places, by=who)

    def _comment(self, number: int, branch: str, by: str, at: datetime, who: str, words: str) -> None:
        self.github.comment(number, words, by=who)

    def _push(self, number: int, branch: str, by: str, at: datetime) -> None:
        self._git_at(at)
        turn = len(self.heads[number])
        files = {f"item_{number}.py": lines(number, self.shape(number)["lines"], turn=turn)}
        self.heads[number].append(self.repository.commit(f"Item {number}, again", files))
        self.github.push(self.repository, branch, by=by)

    def _resolve(self, number: int, branch: str, by: str, at: datetime, place: int) -> None:
        comments = self.github.get(f"/repos/{self.github._repo(None)}/pulls/{number}/comments?per_page=100")
        self.github.resolve(number, comments[place]["id"])

    def _ready(self, number: int, branch: str, by: str, at: datetime) -> None:
        self.github.mark_ready(number, by=by)

    def _merge(self, number: int, branch: str, by: str, at: datetime) -> None:
        self.merges[number] = self.github.merge(number, method="squash")

    def _close(self, number: int, branch: str, by: str, at: datetime) -> None:
        self.github.close_pull(number)

    def _revert(self, number: int, branch: str, by: str, at: datetime) -> None:
        self._git_at(at)
        self.repository.git("fetch", "--quiet", str(self.github.bare()), "main")
        self.repository.git("switch", "--quiet", "main")
        self.repository.git("reset", "--quiet", "--hard", "FETCH_HEAD")
        self.repository.remove(f"item_{number}.py")
        self.repository.commit(f'Revert "Sell item {number}"\n\nThis reverts commit {self.merges[number]}.')
        self.github.push(self.repository, "main")

    def _git_at(self, at: datetime) -> None:
        """The next commit is of this time."""
        self.repository._num_commits = int((at - FIRST_COMMIT_AT).total_seconds() // 60)


def opened(number: int) -> datetime:
    """When a pull request is opened."""
    month, day = (3, number + 1) if number <= 20 else (4, number - 15)
    return datetime(2026, month, day, 9, tzinfo=UTC)


def submitted(number: int) -> datetime:
    """When its task was submitted."""
    return opened(number) - timedelta(minutes=30 if number <= 20 else 20)


def task_id(number: int) -> str:
    """A ULID of that time."""
    left, digits = int(submitted(number).timestamp() * 1000), ""
    for _ in range(10):
        left, digit = divmod(left, 32)
        digits = _DIGITS[digit] + digits
    return f"{digits}{number:016}"


def lines(number: int, count: int, *, turn: int = 0, changed: int = 0) -> str:
    """The lines of an item; a later turn changes the first one, `changed` so many of them."""
    return "".join(
        f"x_{number}_{line} = {900 if line < changed else turn if line == 0 else line}\n" for line in range(count)
    )


# ------------------------------------------------------------------ what GitHub does not tell


def tell_tasks(store: Store, life: Life, repository_id: int) -> None:
    """How the tasks ended, as a harness tells it."""
    for number in range(1, 41, 2):
        status = TaskStatus(life.case["tasks"].get(number, "COMPLETED"))
        store.tasks.put(repository_id, task_id(number), opened(number), number=number, status=status)


def tell_runs(store: Store, life: Life, repository_id: int) -> None:
    """The runs of every first and last head, with their risk and findings."""
    for number, shape in life.case["pulls"].items():
        left = life.case["findings_left"].get(shape)
        told = {life.heads[number][0]: 0 if left is None else 2, life.heads[number][-1]: left or 0}
        if len(life.heads[number]) == 1:
            told = {life.heads[number][0]: 0}
        for place, (head, num) in enumerate(told.items()):
            tell_run(store, repository_id, number, head, life.case["risk"][shape], num, place)


def tell_lines(store: Store, life: Life, repository_id: int) -> None:
    """Where the fix and what it fixes change lines, as the validation of their heads writes it down."""
    for number, shape in life.case["pulls"].items():
        if shape == "fix":
            place = f"item_{number - 1}.py"
            made = [ChangedLines(Side.head, place, 1, 50)]
            fixed = [ChangedLines(Side.base, place, 1, 25), ChangedLines(Side.head, place, 1, 25)]
            store.changes.put(repository_id, number - 1, life.heads[number - 1][-1], made, opened(number))
            store.changes.put(repository_id, number, life.heads[number][-1], fixed, opened(number))
            note_follow_ups(store, repository_id, number)
    for number in life.case["handed"]:
        whole = [ChangedLines(Side.head, f"item_{number}.py", 1, 50)]
        store.changes.put(repository_id, number, life.heads[number][-1], whole, opened(number))


def tell_run(store: Store, repository_id: int, number: int, head: str, level: str, num: int, place: int) -> None:
    """One run that came to a report."""
    at = opened(number) + timedelta(minutes=10 + place)
    run, _ = store.runs.begin(repository_id, number, head, "opened", at)
    found = [
        FindingRow(f"{number:04}{i:08}", "code-quality", "warning", "complexity", f"item_{number}.py", "Long", i + 1)
        for i in range(num)
    ]
    store.runs.save_report(
        run.id, b"{}", conclusion="success", title="", risk_level=level, is_hold=False, findings=found, factors=(),
        config_hash=None, durations_s={}, at=at,
    )  # fmt: skip
    store.runs.advance(run.id, RunState.completed, at)


def tell_rules(store: Store, life: Life, repository_id: int) -> None:
    """A rule, the threads that said it again, and those it was handed to."""
    rule = "0123456789ab"
    store.rules.put_pending(
        repository_id, rule, "Rule: add a test for the empty list", {}, opened(2), key="k", polarity="do"
    )
    for number in life.case["handed"]:
        store.rules.handed_out(repository_id, [rule], "api", opened(number), number=number)
    for number in life.case["repeats"]:
        store.rules.match(
            MatchRow(
                repository_id=repository_id,
                thread=f"line:{number}",
                rule_id=rule,
                number=number,
                comment_kind="line",
                comment_id=number,
                at=opened(number),
                num_pulls_before=1,
                is_after_handout=number in life.case["handed"],
            )
        )


def lived_in(github: FakeGitHub, folder: Path) -> Life:
    """The whole life, lived."""
    life = Life(github, RealRepository(folder / "work"), case())
    life.begin()
    life.live()
    return life
