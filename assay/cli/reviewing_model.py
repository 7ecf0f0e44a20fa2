"""The language model that reads a change on the command line: only where one is named, and within a budget."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

import click

from assay.llm import AnthropicModel, Budget, LanguageModel, ModelUnavailable

VARIABLE = "ASSAY_REVIEW_MODEL"
MOST_USD = 0.50
MOST_CALLS = 10
"""One question is asked for a change, and tried anew where the service stumbles."""


@contextlib.contextmanager
def reviewing_model(*, is_wanted: bool = True) -> Iterator[LanguageModel | None]:
    """The model that `ASSAY_REVIEW_MODEL` names; None where none is named or wanted, or its key is missing (said)."""
    name = os.environ.get(VARIABLE, "").strip()
    if not is_wanted or not name:
        yield None
        return
    try:
        model = AnthropicModel(name, budget=Budget(max_usd=MOST_USD, max_calls=MOST_CALLS))
    except ModelUnavailable as error:
        click.echo(f"assay: no model reads the change: {error}", err=True)
        yield None
        return
    with model:
        yield model
