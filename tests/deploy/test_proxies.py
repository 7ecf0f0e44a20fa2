"""The proxies of `deploy/proxy`, run: what they change of a request, and what the App makes of it."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from assay.github_app.web.api.caller import MOST_FAILURES
from assay.github_app.web.http.webhook import sign
from tests.conftest import ROOT
from tests.github_app.web import SECRET, Web, web_in
from tests.ports import free_port

FOLDER = ROOT / "deploy" / "proxy"
MIB = 1024 * 1024
NGINX = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  {block}
}}
"""


def nginx(folder: Path, port: int, app_port: int) -> list[str]:
    """The example without TLS, on other ports."""
    text = (FOLDER / "nginx.conf").read_text("utf-8")
    lines = [line for line in text.splitlines() if "ssl_certificate" not in line]
    block = "\n".join(lines).replace("listen 443 ssl http2;", f"listen 127.0.0.1:{port};")
    assert f"127.0.0.1:{port}" in block
    file = folder / "nginx.conf"
    file.write_text(NGINX.format(folder=folder, block=block.replace("127.0.0.1:8080", f"127.0.0.1:{app_port}")))
    return ["nginx", "-c", str(file), "-e", f"{folder}/error.log"]


def caddy(folder: Path, port: int, app_port: int) -> list[str]:
    """The example without TLS, on other ports."""
    text = (FOLDER / "Caddyfile").read_text("utf-8").replace("127.0.0.1:8080", f"127.0.0.1:{app_port}")
    site = text.replace("assay.example.com {", f"http://127.0.0.1:{port} {{")
    assert site != text
    file = folder / "Caddyfile"
    file.write_text(f"{{\n\tadmin off\n\tauto_https off\n}}\n{site}")
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(file)]


@contextmanager
def started(command: list[str], port: int, folder: Path) -> Iterator[None]:
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            command, stdout=log, stderr=log, env={"PATH": "/usr/sbin:/usr/bin", "HOME": str(folder)}
        )
    try:
        deadline = time.monotonic() + 20
        while True:
            assert process.poll() is None, (folder / "log").read_text("utf-8", "replace")
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert time.monotonic() < deadline
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(20)


class Behind:
    """The App, and the address of the proxy before it."""

    def __init__(self, web: Web, port: int) -> None:
        self.web = web
        self.url = f"http://127.0.0.1:{port}"

    def client(self, address: str = "127.0.0.1") -> httpx2.Client:
        """A client that comes from this address."""
        transport = httpx2.HTTPTransport(local_address=address)
        return httpx2.Client(base_url=self.url, transport=transport, timeout=30)


@pytest.fixture(scope="module", params=[nginx, caddy], ids=lambda one: str(one.__name__))
def behind(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Behind]:
    name = request.param.__name__
    if shutil.which(name, path="/usr/sbin:/usr/bin:/usr/local/bin") is None:
        pytest.skip(f"{name} is not installed")
    folder, port = tmp_path_factory.mktemp(name), free_port()
    with (
        web_in(folder / "data", max_body_bytes=25 * MIB) as web,
        started(request.param(folder, port, web.port), port, folder),
    ):
        yield Behind(web, port)


def deliver(behind: Behind, body: bytes, delivery: str, *, secret: str = SECRET) -> int:
    headers = {
        "content-type": "application/json",
        "x-github-event": "push",
        "x-github-delivery": delivery,
        "x-hub-signature-256": sign(secret, body),
    }
    # Of the answer only its status: a body that is refused unread may cut the connection before the rest arrives.
    with behind.client() as client, client.stream("POST", "/webhooks/github", content=body, headers=headers) as answer:
        return answer.status_code


def test_a_signed_body_arrives_byte_by_byte(behind: Behind):
    body = '{ "ref" :\t"refs/heads/ä\\u00e4\\/%2F",\r\n "repository": null }'.encode()
    assert deliver(behind, body, "d-exact") == 202
    row = behind.web.store.deliveries.get("d-exact")
    assert row is not None
    assert row.body == body
    assert deliver(behind, body, "d-forged", secret="another secret of the tests") == 401


def test_the_largest_body_of_github_passes_and_a_larger_one_does_not(behind: Behind):
    def padded(size: int) -> bytes:
        return b'{"ref":"' + b"x" * (size - 10) + b'"}'

    assert deliver(behind, padded(25 * MIB), "d-large") == 202
    # The App answers before the end of the body; Caddy, still sending, sometimes takes that for a broken connection.
    assert deliver(behind, padded(25 * MIB + 1), "d-larger") in (413, 502)
    assert behind.web.store.deliveries.get("d-larger") is None


def test_metrics_are_not_shown(behind: Behind):
    with behind.client() as client:
        assert client.get("/metrics").status_code == 404
        assert client.get("/healthz").status_code == 200


def test_callers_are_told_apart_by_their_own_address_and_cannot_choose_it(behind: Behind):
    body = f"assay_{'a' * 43}"
    unknown = f"Bearer {body}{zlib.crc32(body.encode()):08x}"

    def statuses(address: str, times: int) -> list[int]:
        """Of requests with an unknown token, each of which claims to come from another place."""
        with behind.client(address) as client:
            claims = [{"authorization": unknown, "x-forwarded-for": f"192.0.2.{place}"} for place in range(times)]
            return [client.get("/api/v1/metrics", headers=claim).status_code for claim in claims]

    assert statuses("127.0.0.2", MOST_FAILURES + 1) == [401] * MOST_FAILURES + [429]
    assert statuses("127.0.0.3", 1) == [401]
