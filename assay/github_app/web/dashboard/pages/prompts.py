"""Page of prompt versions: agent instructions by repository, and the outcomes of their pull requests."""

from __future__ import annotations

from assay.github_app.outcomes.experiments.prompt_texts import versions
from assay.github_app.outcomes.metrics.metrics import By, metrics
from assay.github_app.web.dashboard.content.blocks import Cell, Row, Sheet, Table, columns_of
from assay.github_app.web.dashboard.content.figures import percent
from assay.github_app.web.dashboard.pages.page import Page, PageRequest, prompt_version_address

_INTRO = (
    "A version is the hash of the instruction files at a pull request's base (AGENTS.md, CLAUDE.md and others), "
    "or a declared name. Open one to read it, and to compare it with the one before."
)
_EMPTY = "No version yet. Add an AGENTS.md to the repository, or declare a version with the trailer Prompt-Version."


def view(asked: PageRequest) -> Sheet:
    """Show all versions, newest first."""
    columns = columns_of(
        "version",
        "repository",
        "source=Found in",
        "first_seen_at=First seen",
        "num=Pull requests",
        "tasks",
        "merge_rate=Merged",
    )
    measured = asked.measured()
    rows: list[Row] = []
    for repository in asked.repositories:
        mine = [one for one in measured if one.repository_id == repository.id]
        rates = {row.split: row for row in metrics(mine, by=By.prompt_version, names=("merge_rate",))}
        for version in versions(asked.store, repository.id):
            rate = rates.get(version.version)
            href = prompt_version_address(repository.full_name, version.version)
            rows.append(
                (
                    Cell(version.version, text=version.version[:12], href=href),
                    repository.full_name,
                    Cell(version.source, note=", ".join(version.paths)[:120]),
                    version.first_seen_at,
                    len(version.pulls),
                    version.num_tasks,
                    Cell(rate.value, text=percent(rate.value), note=f"of {rate.n}") if rate else Cell(None),
                )
            )
    rows.reverse()
    return Sheet("Prompt versions", _INTRO, (Table("versions", "All versions", columns, tuple(rows), _EMPTY),))


PAGE = Page("prompts", "/prompts", view, "Prompt versions", "Who and how", is_timed=True)
