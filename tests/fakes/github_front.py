"""The door of the fake GitHub: checks who asks, judges and logs what is asked, and adds what the emulator lacks."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any
from uuid import uuid4

import httpx2
import uvicorn
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.fakes.front import deliveries, git_http
from tests.fakes.front.budgets import budget_of
from tests.fakes.front.dressing import dress
from tests.fakes.front.events import dressed, heard
from tests.fakes.front.exchange import Answer, Exchange, NotHere, refused
from tests.fakes.front.faults import Fault
from tests.fakes.front.permissions import lacking
from tests.fakes.front.routes import ROUTES
from tests.fakes.front.state import APP_ID, OWNER, State
from tests.fakes.front.tokens import PERSON, Token, app_token, presented
from tests.fakes.front.upstream import Upstream

_NOT_PASSED_ON = {"host", "content-length", "authorization", "accept-encoding", "connection", "transfer-encoding"}
_PASSED_BACK = {"link", "location", "content-type"}
_ENTERPRISE = "/api/v3"


class Front:
    """An ASGI application on a port of its own, in a thread of its own, at an address of this machine."""

    def __init__(
        self, public_key: Any, judge: Callable[[Exchange], list[str]] | None = None, address: str = "127.0.0.1"
    ) -> None:
        # Said to be TCP, or asyncio leaves Nagle's algorithm on, which costs 40 ms an answer.
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._socket.bind((address, 0))
        self._socket.listen(512)
        self.url = f"http://{address}:{self._socket.getsockname()[1]}"
        self.public_key = public_key
        self.oidc_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.judge = judge
        self.state = State(0, "")
        self.emulator_url = ""
        self._count = count()
        self._being_done: set[asyncio.Future[None]] = set()
        self._heard: asyncio.Queue[tuple[set[asyncio.Future[None]], dict[str, Any]]]
        self._upstream: Upstream
        self._outside: httpx2.AsyncClient
        self._loop: asyncio.AbstractEventLoop
        config = uvicorn.Config(self, log_level="critical", lifespan="off", access_log=False)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name="github-front", daemon=True)

    def start(self, emulator_url: str) -> None:
        """Begin to answer."""
        self.emulator_url = emulator_url
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive(), "the front of the fake GitHub did not start"
            time.sleep(0.005)

    def close(self) -> None:
        """Stop answering."""
        self._server.should_exit = self._server.force_exit = True
        self._thread.join(timeout=10)
        self._socket.close()

    def new_private_key(self) -> str:
        """A key as GitHub gives it to a new App (PEM)."""
        return pem(rsa.generate_private_key(public_exponent=65537, key_size=2048))

    def fault(
        self,
        path: str,
        kind: str | int = 502,
        *,
        times: float = 1,
        method: str = "",
        retry_after: int | None = None,
        after: bool = False,
        every: int = 1,
    ) -> Fault:
        """From now on let requests whose "METHOD /path" contains the pattern `path` meet with trouble (see `Fault`)."""
        fault = Fault(re.compile(path), kind, times, method, retry_after, after, every)
        self.state.faults.append(fault)
        return fault

    # ------------------------------------------------------------------ one request

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request (ASGI)."""
        if scope["type"] != "http":
            return
        exchange = await _read(scope, receive)
        if exchange is None:
            return
        if exchange.path == "/_bed/events":
            # What is being done now may have caused it, and what the front adds to it must be known first.
            for happened in exchange.json:
                self._heard.put_nowait((set(self._being_done), happened))
            await _send(Answer(204), send, receive)
            return
        state = self.state
        by_the_test = presented(exchange).startswith(PERSON)
        if by_the_test:
            await _send(await self._honest(exchange), send, receive)
            return
        state.log.append(exchange)
        try:
            answer = await self._answer(exchange)
        except Exception as error:
            exchange.fault = "the fake itself failed"
            state.violations.append(f"{exchange}: {type(error).__name__}: {error}")
            state.happened()
            raise
        exchange.status = answer.status
        exchange.answer = answer.body if not isinstance(answer.body, bytes) else None
        state.happened()
        await _send(answer, send, receive)

    async def _answer(self, exchange: Exchange) -> Answer:
        fault = next((each for each in self.state.faults if each.hits(exchange)), None)
        if fault and not fault.after:
            exchange.fault = str(fault.kind)
            return await self._spoilt(fault)
        answer = await self._honest(exchange)
        if fault:
            exchange.fault = f"{fault.kind}, after it was done"
            return await self._spoilt(fault)
        answer.headers.setdefault("x-github-request-id", f"BED:{next(self._count):06X}")
        return answer

    async def _spoilt(self, fault: Fault) -> Answer:
        if fault.kind == "timeout":
            await asyncio.sleep(fault.retry_after or 90)
            return Answer(504)
        return fault.answer()

    async def _honest(self, exchange: Exchange) -> Answer:
        token = self._who(exchange)
        if isinstance(token, Answer):
            return token
        exchange.token = token
        if match := git_http.PATH.fullmatch(exchange.path):
            exchange.params = {"owner": match["owner"], "repo": match["repo"]}
            return await git_http.serve(self, exchange)
        is_the_test = token is not None and token.kind == "person"
        if self.judge and not is_the_test:
            self.state.violations += self.judge(exchange)
        budget = budget_of(self.state.budgets, exchange)
        if not budget.takes():
            return budget.used_up(exchange)
        if denied := lacking(self, exchange):
            return denied
        with self._marked():
            handler = ROUTES.find(exchange)
            try:
                answer = await (handler(self, exchange) if handler else self.passed_on(exchange))
            except NotHere:
                answer = refused(404, "Not Found")
        answer.headers = budget.headers() | answer.headers
        return answer

    @contextmanager
    def _marked(self) -> Iterator[None]:
        """Lets webhooks wait until what caused them is done with here too."""
        mark: asyncio.Future[None] = self._loop.create_future()
        self._being_done.add(mark)
        try:
            yield
        finally:
            self._being_done.discard(mark)
            mark.set_result(None)

    def _who(self, exchange: Exchange) -> Token | Answer | None:
        value = presented(exchange)
        if not value or exchange.path.startswith("/applications/"):  # there the App says its client secret
            return None
        if value.startswith("eyJ"):
            return app_token(value, APP_ID, self.public_key)
        token = self.state.tokens.get(value)
        if token is None or token.expires_at < time.time():
            return refused(401, "Bad credentials")
        if token.kind == "installation" and self.state.suspended:
            return refused(403, "This installation has been suspended")
        return token

    async def passed_on(self, exchange: Exchange, body: Any = None, *, path: str = "", method: str = "") -> Answer:
        """Ask the emulator, with another body, path or method than was asked for if need be."""
        headers = {name: value for name, value in exchange.headers.items() if name not in _NOT_PASSED_ON}
        if exchange.token:
            headers["authorization"] = f"Bearer {exchange.token.value}"
        query = f"?{exchange.query_string}" if exchange.query_string else ""
        content = exchange.body if body is None else json.dumps(body).encode()
        found = await self._upstream.ask(method or exchange.method, (path or exchange.path) + query, content, headers)
        kept = {name: value for name, value in found.headers.items() if name in _PASSED_BACK}
        return Answer(found.status, dress(self, found.body), kept)

    async def known(self, path: str) -> Any:
        """Read something from the emulator for the front's own use."""
        found = await self._upstream.ask("GET", path, None, {"authorization": f"Bearer {PERSON}{OWNER}"})
        if found.status == 404:
            raise NotHere(path)
        assert found.status < 300, f"{path}: {found.status} {found.body}"
        return dress(self, found.body)

    # ------------------------------------------------------------------ webhooks

    async def _listen(self) -> None:
        """Take events from the emulator one by one, but for those of a test that is over."""
        while True:
            causes, happened = await self._heard.get()
            if causes:
                await asyncio.wait(causes)
            state = self.state
            if happened["round"] != state.round:
                continue
            try:
                found = await heard(self, happened["event"], happened["payload"])
                if found and state is self.state:
                    self.announce(*found)
            except Exception as error:  # noqa: BLE001 - the next event has done nothing wrong
                state.violations.append(f"the webhook {happened['event']}: {type(error).__name__}: {error}")

    def announce(self, event: str, payload: dict[str, Any]) -> deliveries.Delivery:
        """Send a webhook; may be called from any thread. It is on its way when this returns, not yet delivered."""
        state = self.state
        payload = dressed(self, payload)
        guid, number = str(uuid4()), next(state.ids)
        delivery = deliveries.Delivery(number, guid, event, payload.get("action"), payload, state.webhook_secret)
        state.deliveries.append(delivery)
        self.deliver(delivery)
        return delivery

    def deliver(self, delivery: deliveries.Delivery) -> None:
        """Put a delivery on its way to the configured address, if there is one."""
        state = self.state
        if state.webhook_url is None:
            state.happened()
            return
        state.num_undelivered += 1
        asyncio.run_coroutine_threadsafe(self._deliver(state, delivery, state.webhook_url), self._loop)

    async def _deliver(self, state: State, delivery: deliveries.Delivery, url: str) -> None:
        await deliveries.send(delivery, url, self._outside)
        state.num_undelivered -= 1
        state.happened()

    # ------------------------------------------------------------------ the thread

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._upstream = Upstream(self.emulator_url)
        self._heard = asyncio.Queue()
        async with httpx2.AsyncClient(timeout=10, trust_env=False) as self._outside:
            listening = asyncio.create_task(self._listen())
            await self._server.serve(sockets=[self._socket])
            listening.cancel()
        self._upstream.close()


def pem(key: rsa.RSAPrivateKey) -> str:
    """A private key in the format GitHub uses (PKCS#1)."""
    kind = serialization.PrivateFormat.TraditionalOpenSSL
    return key.private_bytes(serialization.Encoding.PEM, kind, serialization.NoEncryption()).decode()


async def _read(scope: Any, receive: Any) -> Exchange | None:
    """The request; None where whoever sent it was gone before the end of its body, as one that is killed is."""
    chunks = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        chunks.append(message.get("body", b""))
        if not message.get("more_body"):
            break
    path = scope.get("raw_path", scope["path"].encode()).decode("ascii", "replace")
    path = path.removeprefix(_ENTERPRISE) if path.startswith(f"{_ENTERPRISE}/") else path
    headers = {name.decode().lower(): value.decode("latin-1") for name, value in scope["headers"]}
    return Exchange(scope["method"], path, scope["query_string"].decode("latin-1"), headers, b"".join(chunks))


async def _send(answer: Answer, send: Any, receive: Any) -> None:
    content = answer.content()
    headers = {"content-type": "application/json; charset=utf-8"} | answer.headers
    if answer.status not in {204, 304}:
        headers["content-length"] = str(len(content))
    if answer.broken:
        await _break_off(answer.broken, send, receive)
        return
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": answer.status, "headers": raw})
    await send({"type": "http.response.body", "body": content})


async def _break_off(kind: str, send: Any, receive: Any) -> None:
    """End the connection where no server would: uvicorn's own request cycle knows the socket."""
    transport = receive.__self__.transport
    if kind == "half_close":
        promised = [(b"content-type", b"application/json"), (b"content-length", b"4096")]
        await send({"type": "http.response.start", "status": 200, "headers": promised})
        await send({"type": "http.response.body", "body": b'{"message": "this sentence is', "more_body": True})
        transport.close()
    else:
        transport.abort()
