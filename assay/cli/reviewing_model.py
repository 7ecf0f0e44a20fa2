"""Optional language model that reviews a change on the command line, within a budget."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

import click

from assay.llm import AnthropicModel, Budget, LanguageModel, ModelUnavailable

VARIABLE = "ASSAY_REVIEW_MODEL"
MOST_USD = 0.50
MOST_CALLS = 10
"""One request per change, plus retries."""


@contextlib.contextmanager
def reviewing_model(*, is_wanted: bool = True) -> Iterator[LanguageModel | None]:
    """Open the model named by `ASSAY_REVIEW_MODEL`; None if unset, not wanted, or unavailable (printed)."""
    name = os.environ.get(VARIABLE, "").strip()
    if not is_wanted or not name:
        yield None
        return
    try:
        model = AnthropicModel(name, budget=Budget(max_usd=MOST_USD, max_calls=MOST_CALLS))
    except ModelUnavailable as error:
        click.echo(f"assay: no model review: {error}", err=True)
        yield None
        return
    with model:
        yield model
