"""Record each event, then run its handler, which enqueues work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from assay.github.events.model import Event
from assay.github_app.outcomes import record
from assay.github_app.runtime.context import Context


def handle_with(handlers: Mapping[type, Callable[[Any, Context], None]]) -> Callable[[Event, Context], None]:
    """Return a function that records an event and runs the handler of its type. It is idempotent."""

    def handle(event: Event, context: Context) -> None:
        web_url, app_id = context.settings.github_url, context.github.app_id
        record(event, context.store, context.clock(), web_url=web_url, app_id=app_id)
        handler = handlers.get(type(event))
        if handler is not None:
            handler(event, context)

    return handle
