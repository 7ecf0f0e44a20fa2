"""Page of one prompt version: its origin, the diff to another version, and metrics before and after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from assay.github_app.outcomes.metrics.comparing import ComparedRow, before_and_after
from assay.github_app.outcomes.prompt_texts import difference
from assay.github_app.outcomes.prompt_texts import versions as listed_versions
from assay.github_app.store import PromptVersionRow, Store
from assay.github_app.web.dashboard.content.blocks import (
    Block,
    Cell,
    Choice,
    Difference,
    Fact,
    Facts,
    Field,
    Form,
    Prose,
    Row,
    Sheet,
    Table,
    columns_of,
)
from assay.github_app.web.dashboard.content.figures import difference_in, in_unit
from assay.github_app.web.dashboard.pages.page import Page, PageRequest, prompt_version_address

_INTRO = (
    "Compares pull requests before and after this version. Other things change with time too, "
    "so a change of a metric does not show its cause."
)


def view(asked: PageRequest) -> Sheet | None:
    """Show a version; return None if the repository has no such version."""
    if asked.repository is None:
        return None
    versions = asked.store.prompt_versions.of(asked.repository.id)
    version = next((one for one in versions if one.version == asked.path["version"]), None)
    if version is None:
        return None
    place = versions.index(version)
    older = next((one for one in versions if one.version == asked.query.get("beside")), None)
    older = older or (versions[place - 1] if place else None)
    blocks: list[Block] = [_facts(asked.store, version)]
    if len(versions) > 1:
        blocks.append(_choice(asked, version, versions, older))
    blocks += _differences(older, version)
    blocks.append(_moved(before_and_after(asked.measured(), version.version)))
    title = f"Prompt version {version.version[:12]}"
    return Sheet(title, f"Of {asked.repository.full_name}. {_INTRO}", tuple(blocks))


def _facts(store: Store, version: PromptVersionRow) -> Facts:
    """Return where a version was found, and its pull requests and tasks of all time."""
    found = next(one for one in listed_versions(store, version.repository_id) if one.version == version.version)
    return Facts(
        (
            Fact("Found in", found.source, ", ".join(found.paths)[:120]),
            Fact("First seen", f"{found.first_seen_at:%Y-%m-%d}"),
            Fact("Pull requests", str(len(found.pulls))),
            Fact("Tasks", str(found.num_tasks)),
        )
    )


def _choice(
    asked: PageRequest,
    version: PromptVersionRow,
    versions: tuple[PromptVersionRow, ...],
    older: PromptVersionRow | None,
) -> Form:
    full_name = asked.repository.full_name if asked.repository else ""
    choices = tuple(
        Choice(one.version, f"{one.version[:12]} of {one.first_seen_at:%Y-%m-%d}", one == older)
        for one in versions
        if one is not version
    )
    action = prompt_version_address(full_name, version.version)
    return Form("Compare with another version", action, "Compare", (Field("beside", "Beside", choices),), method="get")


def _differences(older: PromptVersionRow | None, version: PromptVersionRow) -> Iterator[Block]:
    """Show one block per changed file; the whole text without another version."""
    if not version.texts:
        yield Prose(("This version was declared by name; its text is unknown.",), title="Text")
        return
    found = difference(older or replace(version, texts={}), version)
    for one in found:
        if one.why_not:
            yield Prose((one.why_not,), title=f"{one.path}, {one.change}")
        else:
            # Skip the two header lines: the heading and the form above name both sides.
            yield Difference(f"{one.path}, {one.change}", one.lines[2:])
    if not found:
        yield Prose(("The texts are the same.",), title="Text")


def _moved(rows: tuple[ComparedRow, ...]) -> Table:
    columns = columns_of("metric", "before", "after", "difference", "low=From", "high=To", "moved")
    known = [row for row in rows if row.num_after]
    cells: tuple[Row, ...] = tuple(
        (
            Cell(row.metric, text=row.metric.replace("_", " ")),
            Cell(row.before, text=in_unit(row.before, row.unit), note=f"of {row.num_before}"),
            Cell(row.after, text=in_unit(row.after, row.unit), note=f"of {row.num_after}"),
            *(Cell(end, text=difference_in(end, row.unit)) for end in (row.difference, row.low, row.high)),
            str(row.moved).replace("_", " "),
        )
        for row in known
    )
    empty = "No pull request of this period used it. Choose a longer period."
    return Table("moved", "Before and after", columns, cells, empty)


PAGE = Page("prompt_version", "/prompts/{owner}/{name}/{version}", view, is_timed=True)
