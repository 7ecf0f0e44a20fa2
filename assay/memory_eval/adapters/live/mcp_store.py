"""A memory server over the Model Context Protocol, called by the official SDK. Runs in the agent's process."""

from __future__ import annotations

import json
import os
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, suppress
from typing import Any

from assay.memory_eval.adapters.live.store import Store, library
from assay.memory_eval.errors import AgentCallFailed

MOST_WORDS = 24
"""Words of a question that are searched for one by one."""
_WORD = re.compile(r"\b(?:[A-Z\d][\w.:/@-]*\w|\w[\w.:/@-]+\w)")
_PLACE = re.compile(r"\{(text|number|query|k|folder)\}")


class McpStore(Store):
    """Memory of a server; `config` is an `McpConfig` as plain data."""

    package, needed = "mcp", ">=2.3,<3"

    def __init__(self, storage_path: str, config: dict[str, Any]) -> None:
        self._config = config
        self.persistent = config["url"] is not None or "{folder}" in json.dumps([config["command"], config["env"]])
        super().__init__(storage_path)

    def open(self) -> None:
        self._sdk, portals = library(self, "mcp"), library(self, "anyio.from_thread")
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
        self._call(self._config["write"], {"text": turn, "number": self.next_number()})

    def search(self, question: str, k: int) -> list[dict[str, Any]]:
        by_words = self._config["search"]["by"] == "words"
        queries = list(dict.fromkeys(_WORD.findall(question)))[:MOST_WORDS] if by_words else []
        scores: dict[tuple[str, str | None], float] = {}
        for query in queries or [question]:
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
            raise AgentCallFailed(f"{call['tool']}: {' '.join(' '.join(_texts(result)).split())[:300]}")
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
            env = {**os.environ, **given["env"]}
            return self._sdk.stdio_client(self._sdk.StdioServerParameters(command=program, args=arguments, env=env))
        http = library(self, "mcp.client.streamable_http")
        headers = None
        if name := given["token_variable"]:
            if not os.environ.get(name, "").strip():
                raise AgentCallFailed(f"the environment has no token {name}: pass it on by --env {name}")
            headers = {"Authorization": f"Bearer {os.environ[name].strip()}"}
        return http.streamable_http_client(given["url"], http_client=http.create_mcp_http_client(headers=headers))


def filled(template: Any, values: Mapping[str, object]) -> Any:
    """Return plain data with the places of `values` filled; a text that is one place becomes the value itself."""
    if isinstance(template, str):
        whole = _PLACE.fullmatch(template)
        if whole and whole[1] in values:
            return values[whole[1]]
        return _PLACE.sub(lambda place: str(values.get(place[1], place[0])), template)
    if isinstance(template, Mapping):
        return {key: filled(value, values) for key, value in template.items()}
    return [filled(value, values) for value in template] if isinstance(template, list) else template


def entries_in(result: Any, search: Mapping[str, Any]) -> Iterator[tuple[str, str | None]]:
    """Yield (text, id) of the entries in a tool's result, as `search` (a `Search` as plain data) says."""
    items, text, id_ = (search[name] for name in ("items", "text", "id"))
    texts = _texts(result)
    if search["pattern"]:
        for match in (match for one in texts for match in re.finditer(search["pattern"], one)):
            yield match["text"], match.groupdict().get("id")
        return
    if not (items or text):
        yield from ((one, None) for one in texts if one.strip())
        return
    for data in [result.structured_content] if result.structured_content is not None else map(_parsed, texts):
        for item in values_at(data, items):
            name = next((str(value) for value in values_at(item, id_)), None) if id_ else None
            yield from ((value, name) for value in values_at(item, text) if isinstance(value, str) and value.strip())


def values_at(data: Any, path: str) -> Iterator[Any]:
    """Yield the values at a path such as `entities[].name`; nothing where the data has another form."""
    key, _, rest = path.partition(".")
    is_each = key.endswith("[]")
    key = key.removesuffix("[]")
    if key:
        data = data.get(key) if isinstance(data, Mapping) else None
    for one in (data if isinstance(data, list) else []) if is_each else [data]:
        if rest:
            yield from values_at(one, rest)
        elif one is not None:
            yield one


def _texts(result: Any) -> list[str]:
    return [block.text for block in result.content if isinstance(getattr(block, "text", None), str)]


def _parsed(text: str) -> Any:
    with suppress(ValueError, RecursionError):
        return json.loads(text)
    return None


def _cause(error: BaseException) -> str:
    """Return the first error of a group in words: the SDK raises groups of one."""
    while isinstance(inner := getattr(error, "exceptions", None), tuple | list) and inner:
        error = inner[0]
    return f"{type(error).__name__}: {error}" if not isinstance(error, AgentCallFailed) else str(error)
