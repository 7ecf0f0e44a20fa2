"""Embeddings over HTTP in the form of LM Studio's server, by Assay's embedder: for a Letta server without a network.

python -m tests.memory_eval.adapters.live.embedding_server PORT
"""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.memory_eval.adapters.live.hash_embedder import embedded

MODELS = [
    {"id": "assay-hash", "object": "model", "type": "embeddings", "max_context_length": 8192},
    {"id": "unused", "object": "model", "type": "llm", "compatibility_type": "gguf", "max_context_length": 8192},
]


class Handler(BaseHTTPRequestHandler):
    """The two calls that Letta makes."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._send({"object": "list", "data": MODELS})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
        rows = [
            {"object": "embedding", "index": place, "embedding": embedded(text)} for place, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        self._send({"object": "list", "model": asked["model"], "usage": usage, "data": rows})

    def log_message(self, *_: Any) -> None:
        """Stay silent."""

    def _send(self, data: dict[str, Any]) -> None:
        body = json.dumps(data).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
