"""Cloning and fetching: git's own server behind the front, with the token looked at first."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from typing import TYPE_CHECKING

from tests.fakes.front.exchange import Answer, Exchange

if TYPE_CHECKING:
    from tests.fakes.github_front import Front

PATH = re.compile(
    r"/(?P<owner>[^/]+)/(?P<repo>[^/]+?)(\.git)?/(info/refs|git-upload-pack|git-receive-pack|HEAD|objects/.+)"
)
_DENIED = {"www-authenticate": 'Basic realm="GitHub"'}


async def serve(front: Front, exchange: Exchange) -> Answer:
    """Answer one request of git's smart protocol."""
    name = exchange.repo
    bare = front.state.repositories.get(name)
    is_push = exchange.path.endswith("git-receive-pack") or "git-receive-pack" in exchange.query_string
    token = exchange.token
    if token is None and (is_push or name not in front.state.public):
        return Answer(401, b"Authentication required", dict(_DENIED))
    is_open = not is_push and name in front.state.public and (token is None or token.kind == "job")
    allowed = is_open or (
        token is not None
        and token.kind not in {"app", "runner"}
        and token.reaches(name)
        and token.may("contents", "write" if is_push else "read")
    )
    if bare is None or not allowed:
        # GitHub does not tell a stranger whether a repository exists.
        return Answer(403 if is_push and bare else 404, b"Repository not found.")
    return await asyncio.get_running_loop().run_in_executor(None, _backend, bare, exchange)


def _backend(bare: os.PathLike[str], exchange: Exchange) -> Answer:
    inside = exchange.path.split("/", 3)[3]
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": os.devnull,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_PROJECT_ROOT": os.fspath(bare),
        "GIT_HTTP_EXPORT_ALL": "1",
        "GIT_PROTOCOL": exchange.headers.get("git-protocol", ""),
        "PATH_INFO": f"/{inside}",
        "REQUEST_METHOD": exchange.method,
        "QUERY_STRING": exchange.query_string,
        "CONTENT_TYPE": exchange.headers.get("content-type", ""),
        "CONTENT_LENGTH": str(len(exchange.body)),
        "HTTP_CONTENT_ENCODING": exchange.headers.get("content-encoding", ""),
        "REMOTE_ADDR": "127.0.0.1",
        "REMOTE_USER": exchange.token.kind if exchange.token else "anybody",
    }
    done = subprocess.run(
        ["git", "http-backend"], env=environment, input=exchange.body, capture_output=True, check=False, timeout=120
    )
    head, _, body = done.stdout.partition(b"\r\n\r\n")
    if not head:
        return Answer(500, done.stderr)
    headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
    status = int(headers.pop("Status", "200").split()[0])
    return Answer(status, body, {name.lower(): value for name, value in headers.items()})
