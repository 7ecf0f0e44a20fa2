"""Installing the memory systems that are examined live, and how they are named to `assay memory run`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.memory_eval.adapters.snapshots.memory_server import SERVER

EXTENDED = "/usr/bin/python3"
"""An interpreter whose SQLite loads extensions; the usual one may lack that."""
MOST_SECONDS = 900


def installed(folder: Path, *packages: str) -> Path:
    """Install packages into a folder for --python-path."""
    _uv("pip", "install", "--quiet", "--python", sys.executable, "--target", str(folder), *packages)
    return folder


def environment(folder: Path, packages: Sequence[str], python: str = sys.executable) -> str:
    """Return the interpreter of a new virtual environment with the packages."""
    _uv("venv", "--quiet", "--clear", "--python", python, str(folder))
    _uv("pip", "install", "--quiet", "--python", str(folder / "bin/python"), *packages)
    return str(folder / "bin/python")


def server_memory(folder: Path) -> str:
    """Return the adapter for the server of the tests' node_modules."""
    return _configured(folder / "server-memory.yaml", "server-memory", [shutil.which("node") or "node", str(SERVER)])


def memory_service(folder: Path) -> str:
    """Return the adapter for mcp-memory-service in an environment of its own."""
    python = environment(folder / "environment", ("mcp-memory-service==12.4.0", "numpy"), EXTENDED)
    command = [str(Path(python).with_name("memory")), "server"]
    return _configured(folder / "mcp-memory-service.yaml", "mcp-memory-service", command)


def _configured(file: Path, preset: str, command: list[str]) -> str:
    file.write_text(f"preset: {preset}\ncommand: [{', '.join(command)}]\n")
    return f"mcp:{file}"


def _uv(*arguments: str) -> None:
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    done = subprocess.run([uv, *arguments], capture_output=True, text=True, check=False, timeout=MOST_SECONDS)
    if done.returncode:
        raise RuntimeError(f"uv {' '.join(arguments)}: {done.stderr.strip()[-400:]}")
