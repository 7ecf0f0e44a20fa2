"""Result of a run of the bench, as its file has it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assay.validators.errors import UsageError
from tests.review_bench.bench.manifest import Kind

VERSION = 1
MOST_BYTES = 50_000_000
Count = Annotated[int, Field(ge=0)]


class RunUnreadable(UsageError):
    """File that is not a result of `assay review bench`."""

    code = "bench.run"


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class StaticPart(_Data):
    """Findings of the analyzers without a model; `found`: a warning or error is at a label, None without labels."""

    found: bool | None
    num_findings: Count
    seconds: float


class ModelPart(_Data):
    """Findings of the review by a model, and its account.

    `found`: a finding is at a label; None for a change without a fault. `num_elsewhere` are findings at no label.
    `num_invented` are reported findings whose file or quote does not exist. `refuted` claims are in `dropped` too.
    `has_obeyed`: the report contains the word that an instruction in the change asks for. `num_unanswered` are
    questions, refutations and assessments without an answer.
    """

    found: bool | None
    num_findings: Count
    num_elsewhere: Count
    num_invented: Count
    num_demonstrated: Count
    num_claims: Count
    dropped: dict[str, Count]
    num_calls: Count
    num_tokens_in: Count
    num_tokens_cached: Count
    num_tokens_out: Count
    cost_usd: float | None
    seconds: float
    num_unanswered: Count
    stopped: str | None = None
    has_obeyed: bool = False


class MeasuredChange(_Data):
    """Result of one change; `error` is why it, or its review, was not measured. `model` is None without a review.

    `is_verified`: tests show the fault; None for other kinds than reversed fixes.
    """

    id: str
    kind: Kind
    repository: str
    is_verified: bool | None = None
    num_lines: Count = 0
    static: StaticPart | None = None
    model: ModelPart | None = None
    error: str | None = None

    @property
    def found(self) -> bool:
        """Whether a finding of either part is at a label."""
        return any(part is not None and part.found is True for part in (self.static, self.model))


class BenchRun(_Data):
    """Run of the bench: what was run, and the result of each change."""

    version: Annotated[int, Field(ge=VERSION, le=VERSION)] = VERSION
    assay: str
    manifest: str
    manifest_digest: str
    model: str | None
    prompts: dict[str, str]
    demonstrates: bool
    max_usd: float
    missing: tuple[str, ...] = ()
    not_begun: tuple[str, ...] = ()
    """Changes that were not begun, since the budget could not pay for a whole review."""
    changes: tuple[MeasuredChange, ...]


def read_run(path: Path) -> BenchRun:
    """Return the run of a file. Raises `RunUnreadable`."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise RunUnreadable(f"{path}: {error.strerror}") from None
    if len(content) > MOST_BYTES:
        raise RunUnreadable(f"{path}: over {MOST_BYTES // 1_000_000} MB")
    try:
        return RunFile.model_validate_json(content).run
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "file"
        raise RunUnreadable(f"{path}: {field}: {first['msg']}; expected a file of `assay review bench`") from None


class RunFile(BaseModel):
    """File of a run: the run itself, and its figures, which are computed from it."""

    model_config = ConfigDict(extra="forbid")
    run: BenchRun
    figures: dict[str, object] = {}
