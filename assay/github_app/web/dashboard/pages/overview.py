"""Start page: current state, the newest validations, and jobs that run or failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from assay.github_app.outcomes.metrics.measures import PullMeasures
from assay.github_app.store import RunRow, RunState
from assay.github_app.web.dashboard.content.blocks import (
    Cell,
    Fact,
    Facts,
    Prose,
    Row,
    Sheet,
    Table,
    columns_of,
)
from assay.github_app.web.dashboard.content.figures import percent
from assay.github_app.web.dashboard.pages.page import Page, PageRequest, pull_cell

MOST_RUNS = 50
_COLUMNS = columns_of("pull_request", "risk", "verdict", "agent", "head", "at=When")
_RANKS = {"low": 1, "medium": 2, "high": 3, "critical": 4}
_EMPTY = "Nothing was validated yet. Open a pull request where the App is installed, and it appears here."


def view(asked: PageRequest) -> Sheet:
    """Show holds, risk and outcomes; jobs only if there are any, workers only to the operator."""
    held = asked.store.listings.held(asked.ids)
    table = Table("runs", "Last validated", _COLUMNS, _rows(asked, held), _EMPTY)
    if not asked.repositories and not asked.viewer.is_operator:
        return Sheet("Overview", blocks=(_nothing(asked), table))
    state = _facts(asked.measured(), len(held)) if asked.repositories else _nothing(asked)
    return Sheet("Overview", blocks=(state, *_jobs(asked), table, *_machine(asked)))


def _jobs(asked: PageRequest) -> tuple[Table, ...]:
    return tuple(table for table in (_parked(asked), _unended(asked)) if table.rows)


def _machine(asked: PageRequest) -> tuple[Table, ...]:
    return (_workers(asked), _deliveries(asked)) if asked.viewer.is_operator else ()


def _nothing(asked: PageRequest) -> Prose:
    why = (
        "No repository yet. Install the App on one; events are recorded from then on."
        if asked.viewer.is_operator
        else "No repository can be read by both you and this App. Ask a repository's owner to install the App."
    )
    return Prose((why,), title="No repository")


def _facts(measured: Sequence[PullMeasures], num_held: int) -> Facts:
    levels = Counter(one.risk_level for one in measured if one.risk_level)
    num_risky, num_validated = levels["high"] + levels["critical"], levels.total()
    ended = [one for one in measured if one.is_ended]
    num_merged, num_repeats = sum(one.is_merged for one in ended), sum(one.num_repeats for one in measured)
    half_a_year = "in half a year"
    return Facts(
        (
            Fact("On hold", str(num_held), "wait for approval", "/attention"),
            Fact("Validated", str(num_validated), half_a_year, "/risk"),
            Fact("High or critical", _share(num_risky, num_validated), f"{num_risky} of {num_validated}", "/risk"),
            Fact("Merged", _share(num_merged, len(ended)), f"{num_merged} of {len(ended)} that ended", "/figures"),
            Fact("Repeated mistakes", str(num_repeats), half_a_year, "/rules"),
        )
    )


def _share(part: int, whole: int) -> str:
    return percent(part / whole if whole else None)


def _rows(asked: PageRequest, held: Collection[tuple[int, int, str]]) -> tuple[Row, ...]:
    runs = asked.store.listings.runs(asked.ids, MOST_RUNS)
    places = [(run.repository_id, run.number) for run in runs if run.number is not None]
    titles = asked.store.listings.titles(places) if places else {}
    found = []
    for run in runs:
        name = asked.names.get(run.repository_id, "?")
        if run.number is None:
            found.append((Cell(name, note="merge group"), *_verdict(run, None, ())))
            continue
        title, agent, state = titles.get((run.repository_id, run.number), ("", None, "open"))
        is_held = (run.repository_id, run.number, run.head_sha) in held
        notes = [state] if state != "open" else ["held"] if is_held else []
        found.append((pull_cell(name, run.number, note=title[:120]), *_verdict(run, agent, notes)))
    return tuple(found)


def _verdict(run: RunRow, agent: str | None, about: Sequence[str]) -> tuple[Cell, ...]:
    said = run.conclusion if run.state is RunState.completed else str(run.state)
    notes = [*about, *([run.error[:160]] if run.error else [])]
    if run.superseded_by is not None:
        notes.append(f"by {run.superseded_by[:9]}")
    rank = _RANKS.get(run.risk_level or "")
    return (
        Cell(rank, text=run.risk_level, kind=f"risk {run.risk_level}") if rank else Cell(None),
        Cell(said or "", note=" · ".join(notes)),
        Cell(agent or "unknown"),
        Cell(run.head_sha[:9], kind="code"),
        Cell(run.created_at),
    )


def _deliveries(asked: PageRequest) -> Table:
    oldest = asked.store.deliveries.oldest_waiting()
    rows = tuple(
        (str(state), num, oldest if state == "received" else None)
        for state, num in asked.store.deliveries.counts().items()
    )
    return Table("deliveries", "Deliveries", columns_of("state", "num=Number", "oldest"), rows, "No delivery yet.")


def _workers(asked: PageRequest) -> Table:
    columns = columns_of("worker", "host", "process", "heard_of=Last heartbeat")
    rows = tuple((row.executor, row.host, row.pid, row.renewed_at) for row in asked.store.leases.all())
    empty = "No worker is running, so nothing is validated: start assay serve or assay worker."
    return Table("workers", "Workers", columns, rows, empty)


def _unended(asked: PageRequest) -> Table:
    columns = columns_of("pull_request", "state", "head", "worker", "since")
    rows: list[Row] = []
    for run in asked.store.runs.unended():
        name = asked.names.get(run.repository_id)
        if name is None:
            continue
        place = pull_cell(name, run.number) if run.number is not None else Cell(f"{name} (merge group)")
        worker = (run.executor or "") if asked.viewer.is_operator else ""
        rows.append((place, str(run.state), Cell(run.head_sha[:9], kind="code"), worker, run.created_at))
    return Table("unended", "Running or waiting", columns, tuple(rows), "No jobs.")


def _parked(asked: PageRequest) -> Table:
    mine = {name.lower() for name in asked.names.values()}
    columns = columns_of("delivery", "event", "place=Where", "tries", "why", "at=When")
    rows: list[Row] = []
    for one in asked.store.deliveries.parked():
        if not asked.viewer.is_operator and (one.repository or "").lower() not in mine:
            continue
        event = f"{one.event}.{one.action}" if one.action else one.event
        place = f"{one.repository or ''}{f'#{one.number}' if one.number else ''}"
        rows.append((Cell(one.id, kind="code"), event, place, one.attempt, one.error or "", one.changed_at))
    note = "Retry them on the machine where Assay runs, with assay jobs retry."
    return Table("parked", "Failed jobs", columns, tuple(rows), "No failed jobs.", note)


PAGE = Page("overview", "/", view, "Overview")
