"""A store in the agent's process, called as an agent that learns and retrieves; `StoreAgent` answers for it."""

from __future__ import annotations

from typing import Any

OPTIONAL = ("reset", "stats", "save", "load", "close", "persistent")


class StoreCalls:
    """The methods of a store under the names of an agent's; those the store lacks are missing here, too."""

    def __init__(self, store: Any) -> None:
        self.learn = store.remember
        self.retrieve = store.search
        for name in OPTIONAL:
            if hasattr(store, name):
                setattr(self, name, getattr(store, name))
