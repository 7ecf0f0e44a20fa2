"""A change in a real repository, with a model whose answers the test gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import pytest

from assay.llm import ModelUnavailable
from assay.validators.changes.change import ChangeSet
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.repositories import RealRepository

Files = Mapping[str, str | None]
MakeChange = Callable[[Files, Files], ChangeSet]


@pytest.fixture
def make_change(repository: RealRepository) -> Iterator[MakeChange]:
    """Commit both sides and read the change between them; a file that is None is deleted."""
    with ExitStack() as opened:

        def commit(message: str, files: Files) -> str:
            for name, content in files.items():
                if content is None:
                    repository.remove(name)
                else:
                    repository.write(name, content)
            return repository.commit(message)

        def make(base: Files, head: Files) -> ChangeSet:
            first, second = commit("base", base), commit("head", head)
            return read_change(opened.enter_context(Repository(repository.path)), first, second)

        yield make


class Scripted:
    """Asker that gives answers by the schema's first property, and keeps what it was asked."""

    def __init__(self, answers: Callable[[str, str], Any]) -> None:
        self.answers = answers
        self.asked: list[tuple[str, str]] = []

    def ask(self, facts: str, question: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        self.asked.append((facts, question))
        answer = self.answers(facts, question)
        if isinstance(answer, ModelUnavailable):
            raise answer
        assert isinstance(answer, Mapping)
        return answer
