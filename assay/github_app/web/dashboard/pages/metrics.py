"""Page of metrics: the effect of memory and prompts, over time and by group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assay.github_app.outcomes.metrics.blocked import blocked
from assay.github_app.outcomes.metrics.measures import PullMeasures, incomplete
from assay.github_app.outcomes.metrics.metric_definitions import DEFINITIONS
from assay.github_app.outcomes.metrics.metrics import Bucket, By, MetricRow, metrics, split_of
from assay.github_app.outcomes.metrics.review_rates import RATED, ReviewRate, review_rates
from assay.github_app.web.dashboard.content import spans
from assay.github_app.web.dashboard.content.blocks import (
    Cell,
    Choice,
    Contents,
    Field,
    Figure,
    Row,
    Sheet,
    Table,
    chart,
    columns_of,
)
from assay.github_app.web.dashboard.content.figures import in_unit, percent
from assay.github_app.web.dashboard.pages.page import Page, PageRequest, prompt_version_address

TRENDED = (
    "first_review_merge_rate",
    "revision_cycles",
    "first_push_ci_pass_rate",
    "comment_density",
    "requests_for_change",
    "repeated_mistakes",
    "time_to_pr",
)
"""Metrics drawn over time; the others are in the table."""
SPLIT = ("merge_rate", *TRENDED[:4], "repeated_mistakes", "revert_rate")
"""Metrics in the table of groups."""
MOST_SPLITS = 5
"""Maximum lines in one chart, those with the most pull requests; the table has all."""
_EMPTY = "No pull request of this period has a value yet. Import history with assay sync."
_INTRO = (
    "Definitions are below each name. Values from fewer than 20 pull requests are marked too few; "
    "intervals hold the true value in 95 of 100 cases. Agents, models and prompts get different work, so that a "
    "difference between groups does not show its cause."
)
_REVIEW = (
    "By question and version of its prompt, of findings first reported in this period: their share among those that "
    "were acted on, dismissed or ignored, with the number and a 95 % interval."
)
_BLOCKED = "By the newest verdict of each pull request with one in this period."
_NO_VERDICT = "No pull request has a verdict of this period."
_SHORT = {"ci": "CI", "pr": "PR"}
_ARROWS = {"up": "higher is better", "down": "lower is better"}


def view(asked: PageRequest) -> Sheet:
    """Show the groups of a split, a chart per trended metric, and then all values."""
    by = By(asked.query["by"]) if asked.query.get("by") in tuple(By) else None
    # Over half a year, single weeks have too few pull requests to show a trend.
    usual = Bucket.week if asked.period in ("30", "90") else Bucket.month
    bucket = Bucket(asked.query["bucket"]) if asked.query.get("bucket") in tuple(Bucket) else usual
    measured = asked.measured()
    trended = metrics(measured, by=by, bucket=bucket, names=TRENDED)
    every = metrics(measured, by=by)
    blocks: list[Figure | Table] = [
        *((_groups(asked, measured, every, by),) if by else ()),
        *(_trend(name, [row for row in trended if row.metric == name]) for name in TRENDED),
        _table(every, by),
        *_reviewed(asked),
        _blocked(asked),
    ]
    contents = Contents(tuple((block.title, block.key) for block in blocks))
    begins = asked.store.repositories.history_since(asked.ids, asked.since)
    intro = _INTRO if begins is None else f"{_INTRO} {incomplete(begins)}"
    return Sheet("Metrics", intro, (contents, *blocks), _choices(by, bucket))


def _choices(by: By | None, bucket: Bucket) -> tuple[Field, ...]:
    splits = (Choice("", "nothing"), *(Choice(one, one.replace("_", " "), one is by) for one in By))
    times = tuple(Choice(one, f"{one} by {one}", one is bucket) for one in Bucket)
    return Field("by", "Split by", splits), Field("bucket", "Over time", times)


def _groups(asked: PageRequest, measured: Sequence[PullMeasures], rows: Sequence[MetricRow], by: By) -> Table:
    """Return one row per group, the largest first; a prompt version links to its page."""
    columns = columns_of(by, "num=Pull requests", *SPLIT)
    nums = Counter(split_of(one, by) or "unknown" for one in measured)
    places = {(row.split, row.metric): row for row in rows}
    links: dict[str, str] = {}
    if by is By.prompt_version:
        links = {
            version.version: prompt_version_address(one.full_name, version.version)
            for one in asked.repositories
            for version in asked.store.prompt_versions.of(one.id)
        }
        for name in links:
            nums.setdefault(name, 0)
    found: tuple[Row, ...] = tuple(
        (_name(name, links.get(name)), nums[name], *(_value(places.get((name, metric))) for metric in SPLIT))
        for name in sorted(nums, key=lambda name: (-nums[name], name))
    )
    return Table("groups", f"By {by.replace('_', ' ')}", columns, found, _EMPTY)


def _value(row: MetricRow | None) -> Cell:
    if row is None or row.value is None:
        return Cell(None)
    return Cell(row.value, text=in_unit(row.value, row.unit), note=f"of {row.n}{', too few' if row.is_too_few else ''}")


def _table(rows: Sequence[MetricRow], by: By | None) -> Table:
    split = (f"split={by.replace('_', ' ').capitalize()}",) if by else ()
    columns = columns_of("metric", *split, "value", "low=From", "high=To", "n=Pull requests", "unknown")
    shown = tuple(_row(row, is_split=by is not None) for row in rows)
    return Table("metrics", "All metrics", columns, shown, _EMPTY, is_folded=by is not None)


def _reviewed(asked: PageRequest) -> tuple[Table, ...]:
    """Return the outcomes of the model's findings, a row per question and prompt version; nothing without a review."""
    rates = review_rates(asked.store.review_findings.first_seen(asked.ids, asked.since))
    columns = columns_of("question", "prompt", "n=Decided", *RATED, "num_withdrawn=Withdrawn", "num_standing=Standing")
    rows: list[Row] = []
    for place in range(0, len(rates), len(RATED)):
        first, *_ = group = rates[place : place + len(RATED)]
        name, _, digest = first.prompt.rpartition(" ")
        prompt = Cell(first.prompt, text=name.rpartition(" ")[2] or "unknown", note=digest)
        decided = Cell(first.n, note="too few" if first.is_too_few else "")
        others = (first.num_withdrawn, first.num_standing)
        rows.append((first.question, prompt, decided, *(_rate(one) for one in group), *others))
    return (Table("review", "Findings of the model review", columns, tuple(rows), _EMPTY, _REVIEW),) if rows else ()


def _blocked(asked: PageRequest) -> Table:
    """Return what enforce mode would have blocked, a row for each repository."""
    columns = columns_of(
        "repository", "n=Verdicts", "num_failing=Failing", "num_held=Held", "num_merged=Of them merged", "examples"
    )
    rates = blocked(asked.store.listings.verdicts(asked.ids, asked.since))
    rows = tuple((one.repository, one.n, one.num_failing, one.num_held, one.num_merged, one.examples) for one in rates)
    return Table("blocked", "What enforce mode would block", columns, rows, _NO_VERDICT, _BLOCKED)


def _rate(rate: ReviewRate) -> Cell:
    ends = "" if rate.low is None else f"{percent(rate.low)} to {percent(rate.high)}"
    return Cell(rate.share, text=percent(rate.share), note=f"{rate.num}, {ends}" if ends else "")


def _row(row: MetricRow, *, is_split: bool) -> Row:
    return (
        Cell(row.metric, text=_title(row.metric), note="" if is_split else _about(row.metric)),
        *((_split(row),) if is_split else ()),
        Cell(row.value, text=in_unit(row.value, row.unit), note="" if row.unit in ("share", "s") else row.unit),
        *(Cell(end, text=in_unit(end, row.unit)) for end in (row.low, row.high)),
        Cell(row.n, note="too few" if row.is_too_few else ""),
        row.num_unknown,
    )


def _split(row: MetricRow) -> Cell:
    return _name(row.split or "")


def _name(name: str, href: str | None = None) -> Cell:
    return Cell(name, text=name[:12] if len(name) == 64 else name, href=href)


def _trend(name: str, rows: Sequence[MetricRow]) -> Figure:
    sizes: dict[str, int] = {}
    for row in rows:
        sizes[_line(row)] = sizes.get(_line(row), 0) + row.n
    shown = sorted(sizes, key=lambda split: (-sizes[split], split))[:MOST_SPLITS]
    places = {(_line(row), row.bucket): row for row in rows}
    is_share = DEFINITIONS[name].unit == "share"
    scale, unit = (1 / 3600, "hours") if DEFINITIONS[name].unit == "s" else (1.0, DEFINITIONS[name].unit)
    buckets = spans.buckets(row.bucket for row in rows if row.bucket)
    data = [
        {"bucket": bucket, "split": split, **_ends(places.get((split, bucket)), scale)}
        for split in shown
        for bucket in buckets
    ]
    columns = columns_of("bucket=Time", "split", "value", "low=From", "high=To", "n=Pull requests")
    known = [row for row in rows if row.value is not None]
    cells = tuple((row.bucket, _line(row), row.value, row.low, row.high, row.n) for row in known)
    note = _about(name)
    title = _title(name)
    draw = chart("trend", data, title=unit, is_share=is_share)
    return Figure(name.replace("_", "-"), title, _words(known), draw, columns, cells, _EMPTY, note)


def _title(metric: str) -> str:
    """Convert `time_to_pr` to "Time to PR"."""
    words = [_SHORT.get(word, word) for word in metric.split("_")]
    return " ".join([words[0][:1].upper() + words[0][1:], *words[1:]])


def _about(metric: str) -> str:
    definition = DEFINITIONS[metric]
    return "; ".join(filter(None, (definition.says, _ARROWS.get(definition.better))))


def _line(row: MetricRow) -> str:
    return _split(row).text or "all"


def _ends(row: MetricRow | None, scale: float) -> dict[str, float | None]:
    names = ("value", "low", "high")
    ends = {name: getattr(row, name) if row is not None else None for name in names}
    return {name: None if end is None else end * scale for name, end in ends.items()}


def _words(known: Sequence[MetricRow]) -> str:
    if not known:
        return ""
    first, last = known[0], known[-1]
    unit = "" if last.unit in ("share", "s") else f" {last.unit}"
    value = in_unit(last.value, last.unit)
    return f"Over time, from {first.bucket} to {last.bucket}; the last one is {value}{unit} of {last.n} pull requests."


PAGE = Page("metrics", "/figures", view, "Metrics", is_timed=True)
