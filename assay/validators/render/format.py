"""Report formats: each renders a report as text and decides nothing."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Protocol, cast

from assay.validators.report.model import ValidationReport


class Format(Protocol):
    """Report format, implemented by the modules of this package."""

    def render(self, report: ValidationReport) -> str:
        """Render the whole report; the same report gives the same text."""


class Formats(Mapping[str, Format]):
    """Formats by module name, imported on first use because each loads its own third-party packages."""

    def __init__(self, *names: str) -> None:
        self._names = names

    def __getitem__(self, name: str) -> Format:
        if name not in self._names:
            raise KeyError(name)
        return cast("Format", importlib.import_module(f"{__package__}.{name}"))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
