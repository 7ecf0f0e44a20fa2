"""A memory server over the Model Context Protocol, called by the official SDK. Runs in the agent's process."""

from __future__ import annotations

import json
import os
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager
from typing import Any

from assay.memory_eval.adapters.extracting.clauses import sentences_of
from assay.memory_eval.adapters.live.mcp_texts import entries_in, filled, said, words_asked
from assay.memory_eval.adapters.live.store import Store, library
from assay.memory_eval.errors import AgentCallFailed

PACKAGE = "'mcp>=2.3,<3'"
_TOKEN_FORM = re.compile(r"[\x21-\x7e]+")


class McpStore(Store):
    """Memory of a server; `config` is an `McpConfig` as plain data."""

    def __init__(self, storage_path: str, config: dict[str, Any]) -> None:
        self._config = config
        self.persistent = config["url"] is not None or "{folder}" in json.dumps([config["command"], config["env"]])
        super().__init__(storage_path)

    def open(self) -> None:
        self._sdk, portals = library("mcp", PACKAGE), library("anyio.from_thread", PACKAGE)
        self._open = ExitStack()
        try:
            self._portal = self._open.enter_context(portals.start_blocking_portal())
            self._session = self._open.enter_context(self._portal.wrap_async_context_manager(self._connected()))
            tools = {tool.name for tool in self._portal.call(self._session.list_tools).tools}
        except Exception as error:  # noqa: BLE001 - whatever the SDK raises, in a group or not
            self._open.close()
            raise AgentCallFailed(f"the server did not start: {_cause(error)}") from None
        wanted = [self._config[part]["tool"] for part in ("write", "search", "reset") if self._config[part]]
        if missing := [tool for tool in wanted if tool not in tools]:
            self._open.close()
            raise AgentCallFailed(f"the server has no tool {missing[0]}; it has {', '.join(sorted(tools))}")

    def remember(self, turn: str) -> None:
        write = self._config["write"]
        number = self.next_number()
        for text in sentences_of(turn) if write["each"] == "sentence" else [turn]:
            self._call(write, {"text": text, "number": number})

    def search(self, question: str, k: int) -> list[dict[str, Any]]:
        queries = words_asked(question) if self._config["search"]["by"] == "words" else [question]
        scores: dict[tuple[str, str | None], float] = {}
        for query in queries:
            entries = list(self._found(query, k))
            for rank, entry in enumerate(entries):
                # One query keeps the server's order; of several, a word that finds little says more.
                worth = 1 / len(entries) if len(queries) > 1 else 1 / (rank + 1)
                scores[entry] = scores.get(entry, 0.0) + worth
        best = sorted(scores.items(), key=lambda one: -one[1])[:k]
        return [{"text": text, "id": name, "score": score} for (text, name), score in best]

    def reset(self) -> None:
        if self._config["reset"]:
            self._call(self._config["reset"], {})
        elif self._config["url"]:
            raise NotImplementedError
        else:
            super().reset()

    def shut(self) -> None:
        self._open.close()

    def system(self) -> str:
        about = self._session.initialize_result.server_info
        return f"{about.name} {about.version}"

    def _found(self, query: str, k: int) -> Iterator[tuple[str, str | None]]:
        search = self._config["search"]
        return entries_in(self._call(search, {"query": query, "k": k}), search)

    def _call(self, call: Mapping[str, Any], values: Mapping[str, object]) -> Any:
        result = self._portal.call(self._session.call_tool, call["tool"], filled(call["arguments"], values))
        if result.is_error:
            raise AgentCallFailed(f"{call['tool']}: {said(result)[:300]}")
        return result

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[Any]:
        async with self._transport() as streams, self._sdk.ClientSession(*streams[:2]) as session:
            await session.initialize()
            yield session

    def _transport(self) -> Any:
        given: dict[str, Any] = filled(self._config, {"folder": str(self.folder)})
        if given["url"] is None:
            program, *arguments = given["command"]
            # The environment of this process has no secrets but those passed on.
            server = self._sdk.StdioServerParameters(
                command=program, args=arguments, env={**os.environ, **given["env"]}
            )
            return self._sdk.stdio_client(server)
        http = library("mcp.client.streamable_http", PACKAGE)
        headers = None
        if name := given["token_variable"]:
            if not _TOKEN_FORM.fullmatch(token := os.environ.get(name, "")):
                raise AgentCallFailed(f"the environment has no token {name}: pass it on by --env {name}")
            headers = {"Authorization": f"Bearer {token}"}
        return http.streamable_http_client(given["url"], http_client=http.create_mcp_http_client(headers=headers))


def _cause(error: BaseException) -> str:
    """Return the first error of a group in words: the SDK raises groups of one."""
    while isinstance(inner := getattr(error, "exceptions", None), tuple | list) and inner:
        error = inner[0]
    return f"{type(error).__name__}: {error}" if not isinstance(error, AgentCallFailed) else str(error)
