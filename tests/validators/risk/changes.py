"""Changes made of a few files each, all in one real repository, so that hundreds of cases stay quick."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import Any, Self

from assay.validators.changes.change import ChangeSet
from assay.validators.configuration.model import ValidationConfig
from assay.validators.report.model import RiskAssessment, Statement
from assay.validators.risk.assess import assess_risk
from assay.validators.risk.likelihood.assess import LikelihoodSignal
from assay.validators.risk.register import SIGNALS
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.conftest import ROOT
from tests.repositories import RealRepository
from tests.tables import read_yaml

OF_THE_CHANGE = tuple(signal for signal in SIGNALS if signal.name != LikelihoodSignal.name)
"""Signals that need no history."""
CASES = ROOT / "tests" / "cases" / "risk"


@dataclass(frozen=True)
class Case:
    """One change and what a signal should say of it: a level and words, or nothing."""

    signal: str
    name: str
    base: Mapping[str, str]
    head: Mapping[str, str | None]
    expect: Mapping[str, Any] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)
    is_quick: bool = False

    def __str__(self) -> str:
        return f"{self.signal}: {self.name}"


def cases() -> list[Case]:
    """Every case of every file; the first word of a file's name is its signal."""
    return [
        Case(
            path.name.partition(".")[0],
            name,
            said.get("base") or {},
            said.get("head") or {},
            said["expect"],
            said.get("config") or {},
            said.get("quick", False),
        )
        for path in sorted(CASES.glob("*.yml"))
        for name, said in read_yaml(path).items()
    ]


class Changes:
    """A repository in which a change is two commits; made by `git fast-import`, one process for all of them.

    A file is its text, None if it is deleted, or `{mode: …, text: …}`; the text of a submodule is its commit.
    """

    def __init__(self, folder: Path, wanted: Iterable[tuple[Mapping[str, str], Mapping[str, str | None]]] = ()) -> None:
        self.repository = RealRepository(folder)
        self._num = 0
        self._known: dict[int, tuple[str, str]] = {}
        self._opened: Repository | None = None
        self._add(list(wanted))

    def __enter__(self) -> Self:
        self._opened = Repository(self.repository.path)
        return self

    def __exit__(self, *_: object) -> None:
        if self._opened is not None:
            self._opened.close()

    def at(self, index: int) -> ChangeSet:
        """The change given as the `index`th."""
        assert self._opened is not None
        base, head = self._known[index]
        return read_change(self._opened, base, head)

    def of(self, base: Mapping[str, str], head: Mapping[str, str | None]) -> ChangeSet:
        """A change made now."""
        self._add([(base, head)])
        return self.at(self._num - 1)

    def _add(self, wanted: list[tuple[Mapping[str, str], Mapping[str, str | None]]]) -> None:
        parts: list[bytes] = []
        for base, head in wanted:
            name = f"refs/heads/case-{self._num}"
            parts.append(_commit(name, 2 * self._num + 1, None, {"README": "a case\n", **base}))
            parts.append(_commit(name, 2 * self._num + 2, 2 * self._num + 1, head))
            self._known[self._num] = (f"{name}~1", name)
            self._num += 1
        if parts:
            self.repository.git("fast-import", "--quiet", "--force", data=b"".join(parts))


def assess(change: ChangeSet, config: Mapping[str, Any] | None = None, only: str | None = None) -> RiskAssessment:
    """The assessment under a configuration as a repository would write it; `only` one signal where a name is given."""
    signals = [signal for signal in OF_THE_CHANGE if only in (None, signal.name)]
    return assess_risk(change, ValidationConfig.model_validate({"tier3": config or {}}), signals=signals)


def said_of(assessment: RiskAssessment, signal: str) -> list[Statement]:
    """The statements of a signal, the gravest first."""
    return [one for one in assessment.statements if one.signal == signal]


def places_of(said: Iterable[Statement]) -> list[str]:
    """Every place of the statements with its text: `a.py:3 text`."""
    own = [f"{one.file}:{one.line} {one.text}" for one in said]
    return own + [f"{each.file}:{each.line} {each.text}" for one in said for each in one.evidence]


def many(template: str, num: int) -> str:
    """`num` lines of a template in which `{n}` is counted."""
    return "".join(f"{template.replace('{n}', str(n))}\n" for n in range(num))


def _commit(name: str, mark: int, parent: int | None, files: Mapping[str, Any]) -> bytes:
    lines = [f"commit {name}\nmark :{mark}\ncommitter A <a@example.org> 1700000000 +0000\ndata 1\nx\n".encode()]
    if parent is not None:
        lines.append(f"from :{parent}\n".encode())
    for path, said in files.items():
        name = json.dumps(path) if "\n" in path else path
        mode, text = (said["mode"], said["text"]) if isinstance(said, Mapping) else ("100644", said)
        if text is None:
            lines.append(f"D {name}\n".encode())
        elif mode == "160000":
            lines.append(f"M {mode} {text} {name}\n".encode())
        else:
            data = _expanded(dedent(text)).encode("utf-8", "surrogateescape")
            lines.append(f"M {mode} inline {name}\ndata {len(data)}\n".encode() + data + b"\n")
    return b"".join(lines) + b"\n"


def _expanded(text: str) -> str:
    """`{{30 x = {n}}}` on a line of its own stands for thirty lines."""
    return re.sub(r"^\{\{(\d+) (.*)\}\}\n", lambda match: many(match[2], int(match[1])), text, flags=re.MULTILINE)
