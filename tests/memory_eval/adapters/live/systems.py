"""The memory systems that are examined live: what is installed, and how each is named to `assay memory run`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT
from tests.memory_eval.adapters.snapshots.memory_server import SERVER

GLUE = ROOT / "tests/memory_eval/adapters/live"
"""Folder of the stores in ten lines, for --python-path."""
EXTENDED = "/usr/bin/python3"
"""An interpreter whose SQLite loads extensions; the usual one may lack that."""
MOST_SECONDS = 900


@dataclass(frozen=True, slots=True)
class System:
    """Packages from PyPI at exact versions, and the arguments that select the adapter."""

    packages: tuple[str, ...]
    arguments: tuple[str, ...]


SYSTEMS = {
    "chroma": System(("chromadb==1.5.9", "opentelemetry-api"), ("--adapter", "chroma")),
    "langgraph": System(
        ("langgraph-checkpoint-sqlite==3.1.2", "langgraph-checkpoint==4.3.2", "numpy"), ("--adapter", "langgraph")
    ),
    "langmem": System(
        ("langmem==0.0.30", "langgraph-checkpoint-sqlite==3.1.2", "langgraph-checkpoint==4.3.2", "numpy"),
        ("--adapter", "langmem"),
    ),
    "llama-index": System(("llama-index-core==0.14.25",), ("--adapter", "store:glue_llama_index:LlamaIndexStore")),
    "mem0": System(("mem0ai==2.2.1",), ("--adapter", "mem0")),
    "openai-agents": System(("openai-agents==0.24.0",), ("--adapter", "store:glue_openai_agents:SessionStore")),
}
"""Systems that run in the agent's process."""

BASELINES = {name: System((), ("--adapter", f"baseline:{name}")) for name in ("nothing", "bm25")}


def installed(folder: Path, packages: Sequence[str]) -> Path:
    """Install packages into a folder for --python-path, unless it has them already."""
    mark = folder / ".installed"
    if not mark.exists() or mark.read_text() != " ".join(packages):
        shutil.rmtree(folder, ignore_errors=True)
        _uv("pip", "install", "--quiet", "--python", sys.executable, "--target", str(folder), *packages)
        mark.write_text(" ".join(packages))
    return folder


def environment(folder: Path, packages: Sequence[str], python: str = sys.executable) -> str:
    """Return the interpreter of a virtual environment with the packages, made if it is not there."""
    mark = folder / ".installed"
    if not mark.exists() or mark.read_text() != " ".join(packages):
        _uv("venv", "--quiet", "--clear", "--python", python, str(folder))
        _uv("pip", "install", "--quiet", "--python", str(folder / "bin/python"), *packages)
        mark.write_text(" ".join(packages))
    return str(folder / "bin/python")


def server_memory(folder: Path) -> tuple[str, ...]:
    """Return the arguments for the server of the tests' node_modules."""
    return _configured(folder / "server-memory.yaml", "server-memory", [shutil.which("node") or "node", str(SERVER)])


def memory_service(folder: Path) -> tuple[str, ...]:
    """Return the arguments for mcp-memory-service in an environment of its own."""
    (folder / "environments").mkdir(exist_ok=True)
    python = environment(folder / "environments/mcp-memory-service", ("mcp-memory-service==12.4.0", "numpy"), EXTENDED)
    command = [str(Path(python).with_name("memory")), "server"]
    return _configured(folder / "mcp-memory-service.yaml", "mcp-memory-service", command)


def _configured(file: Path, preset: str, command: list[str]) -> tuple[str, ...]:
    file.write_text(f"preset: {preset}\ncommand: [{', '.join(command)}]\n")
    return ("--adapter", f"mcp:{file}")


def _uv(*arguments: str) -> None:
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    done = subprocess.run([uv, *arguments], capture_output=True, text=True, check=False, timeout=MOST_SECONDS)
    if done.returncode:
        raise RuntimeError(f"uv {' '.join(arguments)}: {done.stderr.strip()[-400:]}")


def python_path(folder: Path) -> tuple[str, ...]:
    """Return the options that let the agent's process import a system and the glue of the tests."""
    return ("--python-path", str(folder), "--python-path", str(GLUE))
