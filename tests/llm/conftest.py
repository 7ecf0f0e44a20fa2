"""A model on a port of this machine, and the real client on the way to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from assay.llm import AnthropicModel
from tests.fakes.model import FakeModel

KEY = "sk-ant-api03-secret-that-nobody-may-see"


@pytest.fixture
def server() -> Iterator[FakeModel]:
    with FakeModel() as fake:
        yield fake


@pytest.fixture
def model(server: FakeModel) -> Iterator[Callable[..., AnthropicModel]]:
    """Makes a client of the fake, which waits hardly at all between two tries."""
    with ExitStack() as made:

        def make(name: str = "claude-haiku-5-5", **settings: Any) -> AnthropicModel:
            settings = {"api_key": KEY, "base_url": server.url, "first_wait_s": 0.001, "timeout_s": 5.0, **settings}
            return made.enter_context(AnthropicModel(name, **settings))

        yield make
