"""The processes behind the fake GitHub: the emulator and the front before it."""

from __future__ import annotations

from collections.abc import Callable

from cryptography.hazmat.primitives.asymmetric import rsa

from tests.fakes.emulator import Emulator
from tests.fakes.front.exchange import Exchange
from tests.fakes.front.state import APP_ID, APP_NAME, APP_SLUG, INSTALLATION_ID, ORGANIZATION, OWNER, PERMISSIONS, State
from tests.fakes.github_front import Front, pem

WEBHOOK_SECRET = "a secret between the tests and the App"


class GitHubServer:
    """Made once for a whole test run, since starting takes most of a second; `fresh` is a matter of milliseconds."""

    def __init__(self, judge: Callable[[Exchange], list[str]] | None = None, *, address: str = "127.0.0.1") -> None:
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.private_key = pem(key)
        self.front = Front(key.public_key(), judge, address)
        app = {
            "app_id": APP_ID,
            "slug": APP_SLUG,
            "name": APP_NAME,
            "private_key": self.private_key,
            "permissions": PERMISSIONS,
            "events": ["*"],
            "installations": [{"installation_id": INSTALLATION_ID, "account": ORGANIZATION}],
        }
        seed = {
            "users": [{"login": OWNER, "name": "Olivia Owner"}],
            "orgs": [{"login": ORGANIZATION, "members": [{"login": OWNER, "role": "admin"}]}],
            "apps": [app],
        }
        self.emulator = Emulator(self.front.url, f"{self.front.url}/_bed/events", seed)
        self.front.start(self.emulator.url)
        self._round = 0

    def fresh(self) -> State:
        """Forget everything; what still arrives of the test before is dropped."""
        self._round += 1
        self.front.state = State(self._round, WEBHOOK_SECRET)
        self.emulator.bed("reset", round=self._round)
        return self.front.state

    def close(self) -> None:
        """End both."""
        self.front.close()
        self.emulator.close()
