"""Start page: current state, and the newest validations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assay.github_app.outcomes.metrics.measures import PullMeasures
from assay.github_app.store import RunRow, RunState
from assay.github_app.web.dashboard.content.blocks import Cell, Fact, Facts, Prose, Row, Sheet, Table, columns_of
from assay.github_app.web.dashboard.content.figures import percent
from assay.github_app.web.dashboard.pages.page import Page, PageRequest, pull_cell

MOST_RUNS = 50
_COLUMNS = columns_of("pull_request", "risk", "verdict", "agent", "head", "at=When")
_RANKS = {"low": 1, "medium": 2, "high": 3, "critical": 4}
_EMPTY = "Nothing was validated yet. Open a pull request where the App is installed, and it appears here."


def view(asked: PageRequest) -> Sheet:
    """Show holds, risk and outcomes."""
    table = Table("runs", "Last validated", _COLUMNS, _rows(asked), _EMPTY)
    if not asked.repositories:
        return Sheet("Overview", blocks=(_nothing(asked), table))
    return Sheet("Overview", blocks=(_facts(asked, asked.measured()), table))


def _nothing(asked: PageRequest) -> Prose:
    why = (
        "No repository yet. Install the App on one; events are recorded from then on."
        if asked.viewer.is_operator
        else "No repository can be read by both you and this App. Ask a repository's owner to install the App."
    )
    return Prose((why,), title="No repository")


def _facts(asked: PageRequest, measured: Sequence[PullMeasures]) -> Facts:
    levels = Counter(one.risk_level for one in measured if one.risk_level)
    num_risky, num_validated = levels["high"] + levels["critical"], levels.total()
    ended = [one for one in measured if one.is_ended]
    num_merged, num_repeats = sum(one.is_merged for one in ended), sum(one.num_repeats for one in measured)
    num_held = asked.store.listings.num_held(asked.ids)
    half_a_year = "in half a year"
    return Facts(
        (
            Fact("On hold", str(num_held), "wait for approval"),
            Fact("Validated", str(num_validated), half_a_year, "/risk"),
            Fact("High or critical", _share(num_risky, num_validated), f"{num_risky} of {num_validated}", "/lift"),
            Fact("Merged", _share(num_merged, len(ended)), f"{num_merged} of {len(ended)} that ended", "/figures"),
            Fact("Repeated mistakes", str(num_repeats), half_a_year, "/repeats"),
        )
    )


def _share(part: int, whole: int) -> str:
    return percent(part / whole if whole else None)


def _rows(asked: PageRequest) -> tuple[Row, ...]:
    runs = asked.store.listings.runs(asked.ids, MOST_RUNS)
    places = [(run.repository_id, run.number) for run in runs if run.number is not None]
    titles = asked.store.listings.titles(places) if places else {}
    found = []
    for run in runs:
        name = asked.names.get(run.repository_id, "?")
        if run.number is None:
            found.append((Cell(name, note="merge group"), *_verdict(run, None)))
            continue
        title, agent = titles.get((run.repository_id, run.number), ("", None))
        found.append((pull_cell(name, run.number, note=title[:120]), *_verdict(run, agent)))
    return tuple(found)


def _verdict(run: RunRow, agent: str | None) -> tuple[Cell, ...]:
    said = run.conclusion if run.state is RunState.completed else str(run.state)
    notes = [*(["held"] if run.is_hold else []), *([run.error[:160]] if run.error else [])]
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


PAGE = Page("overview", "/", view, "Overview", "Now")
