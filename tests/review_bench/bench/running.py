"""Run the bench: validate each change as `assay validate` does, with the review where there is a model."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from assay import __version__
from assay.llm import ConversingModel
from assay.validators.configuration.model import ValidationConfig
from assay.validators.errors import UsageError, ValidatorError
from assay.validators.report.model import Tier, ToolsResult
from assay.validators.review.prompting import NAMES, prompt
from assay.validators.run.pipeline import Options, validate
from assay.validators.vcs.repository import Repository
from tests.review_bench.bench.manifest import Entry, Manifest, ReversedFix
from tests.review_bench.bench.preparing import Prepared, prepare
from tests.review_bench.bench.results import BenchRun, MeasuredChange
from tests.review_bench.bench.scoring import model_part, static_part, unanswered


class NoRepository(UsageError):
    """Folder without any of the repositories that the changes are in."""

    code = "bench.no-repository"


@dataclass(frozen=True)
class BenchRequest:
    """What to run: changes of a manifest, the folder with the clones, and the model, if any.

    `max_usd` is the budget of the whole run: a change is begun only if it covers the budget of its review.
    `demonstrates`: claims are demonstrated by tests, which runs commands of the repositories. Changes of the `missing`
    repositories are left out.
    """

    manifest: Manifest
    entries: Sequence[Entry]
    folder: Path
    model: ConversingModel | None = None
    max_usd: float = 10.0
    demonstrates: bool = False
    missing: Sequence[str] = ()
    on_change: Callable[[MeasuredChange], None] = lambda _: None


def missing_repositories(manifest: Manifest, entries: Sequence[Entry], folder: Path) -> dict[str, str]:
    """Return each repository that has no clone in the folder, and a line with the command that makes one.

    Raises:
        NoRepository: none has.
    """
    wanted = dict.fromkeys(manifest.origin_of(entry) for entry in entries)
    missing = [one for one in wanted if not (folder / one.repository).exists()]
    lines = {
        one.repository: f"{one.repository} is missing: git clone --bare {one.url} "
        f"{shlex.quote(str(folder / one.repository))}"
        for one in missing
    }
    if wanted and len(missing) == len(wanted):
        raise NoRepository("none of the repositories is there\n" + "\n".join(lines.values()))
    return lines


def run_bench(request: BenchRequest) -> BenchRun:
    """Return the result of each change whose repository is there; changes are measured one after the other."""
    config = _configuration(demonstrates=request.demonstrates)
    changes: list[MeasuredChange] = []
    not_begun: list[str] = []
    spent = 0.0
    for entry, repository in _opened(request.entries, request.folder):
        if request.model is not None and spent + config.tier2.review.max_usd > request.max_usd:
            not_begun.append(entry.id)
            continue
        one = _measured(entry, repository, config, request)
        if one.model is not None:
            spent += one.model.cost_usd or 0.0
        changes.append(one)
        request.on_change(one)
    return BenchRun(
        assay=__version__,
        manifest=request.manifest.name,
        manifest_digest=request.manifest.digest,
        model=None if request.model is None else request.model.name,
        prompts={} if request.model is None else {name: prompt(name).label for name in NAMES},
        demonstrates=request.demonstrates,
        max_usd=request.max_usd,
        missing=tuple(request.missing),
        not_begun=tuple(not_begun),
        changes=tuple(changes),
    )


def _opened(entries: Sequence[Entry], folder: Path) -> Iterator[tuple[Entry, Repository | ValidatorError]]:
    """Yield each change with its repository, in the order given; each repository is opened once."""
    with ExitStack() as opened:
        known: dict[str, Repository | ValidatorError] = {}
        for entry in entries:
            if entry.repository not in known:
                try:
                    known[entry.repository] = opened.enter_context(Repository(folder / entry.repository))
                except ValidatorError as error:
                    known[entry.repository] = error
            yield entry, known[entry.repository]


def _configuration(*, demonstrates: bool) -> ValidationConfig:
    """Return the default configuration: the bench compares models and prompts, not the settings of a repository."""
    return ValidationConfig.model_validate({"tier2": {"review": {"demonstrate": demonstrates}}})


def _measured(
    entry: Entry, repository: Repository | ValidatorError, config: ValidationConfig, request: BenchRequest
) -> MeasuredChange:
    is_verified = entry.verified if isinstance(entry, ReversedFix) else None
    found = MeasuredChange(id=entry.id, kind=entry.kind, repository=entry.repository, is_verified=is_verified)
    try:
        if isinstance(repository, ValidatorError):
            raise repository
        prepared = prepare(repository, entry)
        report = validate(prepared.change, config, _options(request))
    except ValidatorError as error:
        return found.model_copy(update={"error": str(error)})
    model = model_part(prepared, entry.kind, report)
    is_silent = model is not None and model.num_calls == 0 and model.num_unanswered > 0
    return found.model_copy(
        update={
            "num_lines": _num_lines(prepared),
            "static": static_part(prepared, entry.kind, report),
            "model": None if is_silent else model,
            "error": next(unanswered(report)) if is_silent else None,
        }
    )


def _options(request: BenchRequest) -> Options:
    # Demonstrations run where Tier 1 may; nothing of that tier is part of the bench.
    tiers = tuple(Tier) if request.demonstrates else (Tier.quality, Tier.risk)
    return Options(tiers=tiers, model=request.model, run_tools=_nothing, run_scanners=_nothing)


def _nothing(*_: object, **__: object) -> ToolsResult:
    return ToolsResult()


def _num_lines(prepared: Prepared) -> int:
    return sum(len(file.added) + len(file.removed) for file in prepared.change.files)
