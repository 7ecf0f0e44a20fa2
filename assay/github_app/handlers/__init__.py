"""Webhook event handlers."""

from assay.github_app.handlers.by_kind import HANDLERS, handle

__all__ = ["HANDLERS", "handle"]
