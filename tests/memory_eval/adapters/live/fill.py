"""Fill a store of a real system with the turns of a file, in an environment that has it: for `test_at_size`.

    python -m tests.memory_eval.adapters.live.fill NAME FOLDER TURNS.json

Prints the seconds that writing took, and the system's version, as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

MADE_BY = {
    "chroma": "assay.memory_eval.adapters.live.chroma:ChromaStore",
    "langgraph": "assay.memory_eval.adapters.live.langgraph:LangGraphStore",
    "langmem": "assay.memory_eval.adapters.live.langmem:LangMemStore",
    "llama-index": "tests.memory_eval.adapters.live.glue_llama_index:LlamaIndexStore",
    "mem0": "assay.memory_eval.adapters.live.mem0:Mem0Store",
    "openai-agents": "tests.memory_eval.adapters.live.glue_openai_agents:SessionStore",
}


def main(name: str, folder: Path, turns: list[str]) -> None:
    """Write the turns, let the store write its files, and print the figures."""
    module, _, made_by = MADE_BY[name].partition(":")
    store: Any = getattr(import_module(module), made_by)(str(folder))
    began_s = time.monotonic()
    for turn in turns:
        store.remember(turn)
    stats = store.stats()
    store.close()
    print(json.dumps({"seconds": time.monotonic() - began_s, "system": stats["system"]}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), json.loads(Path(sys.argv[3]).read_text("utf-8")))
