"""Keys of `.github/assay.yml` below `tier2.review`."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from assay.validators.configuration.field_types import Seconds, Section, check_distinct
from assay.validators.report.review import ReviewQuestion

Dollars = Annotated[float, Field(gt=0, le=1000)]


class Review(Section):
    """Review of the change by a language model; it needs a model and its key."""

    enabled: bool = True
    """Whether a model reviews the change where one is configured."""
    questions: Annotated[tuple[ReviewQuestion, ...], AfterValidator(check_distinct)] = tuple(ReviewQuestion)
    """What it is asked about each part of the change."""
    max_findings: Annotated[int, Field(ge=1, le=50)] = 5
    """Findings per change; the worst are kept."""
    demonstrate: bool = False
    """Whether tests that the model writes are run to demonstrate its findings, where Tier 1 runs commands."""
    risk: bool = True
    """Whether its assessment may raise the level of risk."""
    max_usd: Dollars = 1.0
    """Budget of one review in US dollars."""
    max_usd_per_pull: Dollars = 3.0
    """Budget of all reviews of a pull request in US dollars."""
    max_usd_per_month: Dollars = 100.0
    """Budget of a repository in US dollars, per calendar month in UTC."""
    timeout_seconds: Seconds = 600
    """For the whole review, besides the tier's own."""
