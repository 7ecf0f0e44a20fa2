"""What a format is: a report goes in, text comes out. It shows what the report says and decides nothing."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Protocol, cast

from assay.validators.report.model import ValidationReport


class Format(Protocol):
    """One way of writing a report down; the modules of this folder are such."""

    def render(self, report: ValidationReport) -> str:
        """The whole report as text; the same report gives the same text."""


class Formats(Mapping[str, Format]):
    """Formats by the names of their files, each imported when it is used: it loads the packages it writes with."""

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
