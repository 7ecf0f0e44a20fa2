"""The packages of scanners that the fetched changes ask for: no others are installed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from assay.action.environment.inputs import Inputs, Mode
from assay.action.environment.state import Fetched
from assay.action.output.log import say
from assay.validators import (
    Repository,
    SourceTree,
    ValidationConfig,
    ValidatorError,
    change_between,
    known_names,
    load_configuration,
    scanners_asked,
)


def asked_by(fetched: Iterable[Fetched], inputs: Inputs) -> list[str]:
    """Return the names of the packages; what cannot be read asks for none, and the validation says why."""
    if inputs.mode is Mode.tools:
        return []
    asked = set[str]()
    for one in fetched:
        if one.repository is None:
            continue
        try:
            with Repository(one.repository) as repository:
                change = change_between(repository, one.subject.base_sha, one.subject.head_sha)
                settings = repository.tree(one.subject.settings_sha or change.base_sha)
                asked |= scanners_asked(replace(change, settings=settings), _config(settings, one))
        except ValidatorError as error:
            say(f"scanners: {error}")
    return sorted(asked)


def _config(settings: SourceTree, one: Fetched) -> ValidationConfig:
    """Return the configuration in force; one that is invalid switches nothing off."""
    try:
        return load_configuration(settings, known_names(), one.inherited).config
    except ValidatorError:
        return ValidationConfig()
