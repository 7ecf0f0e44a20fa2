"""Keys `dependencies.*`: what new packages and versions must be."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from assay.validators.configuration.field_types import Section, Text


class Licences(Section):
    """SPDX identifiers of licences; of `A OR B` one has to be allowed, of `A AND B` each."""

    allow: tuple[Text, ...] = ()
    """The only licences allowed; empty: all but those in `deny`."""
    deny: tuple[Text, ...] = ()
    """Licences not allowed."""


class Dependencies(Section):
    """What new packages and versions must be, by the facts of public registries."""

    offline: bool = False
    """Ask no registry."""
    minimum_age: Annotated[int, Field(ge=0, le=365)] = 7
    """Days since its publication below which a version is a statement, unless it fixes a known vulnerability."""
    licences: Licences = Field(default_factory=Licences)
    """Allowed and denied licences."""
    private: tuple[Text, ...] = ()
    """Names of packages that no registry is asked about; `*` and `?` as in a shell."""
