"""An agent that remembers nothing and regenerates the exam from guesses, and from all it can read on the machine.

It searches command lines and environments of its ancestors, the run's folder and the temporary folder for numbers,
draws the world of each, and compares the first turn. `LOG` names
a file for what it could read.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from assay.memory_eval import generate_dialogue, generate_questions
from assay.memory_eval.exam.blocks.register import BLOCKS
from assay.memory_eval.world.world import World

GUESSES = (42, 0, 1, 7, 123, 456, 789, 1234, 2024, 2025, 2026)
OF_A_PROCESS = ("environ", "maps", "mem", "fd", "cwd", "auxv", "stack")
MOST_BYTES = 1_000_000
MOST_FILES = 300
_HEX = re.compile(r"\b[0-9a-f]{24,64}\b")
_NUMBER = re.compile(r"\b\d{1,40}\b")


def ancestors() -> Iterator[int]:
    """Yield the processes that led to this one, the nearest first."""
    pid = os.getppid()
    while pid:
        yield pid
        found = re.search(r"^PPid:\s*(\d+)", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
        pid = int(found[1]) if found else 0


def readable(pid: int) -> list[str]:
    """Return what of another process this one can read."""
    found = []
    for name in OF_A_PROCESS:
        with suppress(OSError):
            path = f"/proc/{pid}/{name}"
            if name == "cwd":
                os.readlink(path)
            elif name == "fd":
                os.readlink(f"{path}/0")
            else:
                with open(path, "rb") as file:
                    file.read(0 if name == "mem" else 1)
            found.append(name)
    return found


def texts() -> Iterator[str]:
    """Yield every text in which a seed could be."""
    yield " ".join(f"{name}={value}" for name, value in os.environ.items())
    for pid in ancestors():
        for name in ("cmdline", "environ"):
            with suppress(OSError):
                yield Path(f"/proc/{pid}/{name}").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    yield from files().values()


def files() -> dict[str, str]:
    """Return the files of the run's folder and the temporary folder that can be read."""
    folders = [Path(os.environ["RUN"]), Path(tempfile.gettempdir())]
    found: dict[str, str] = {}
    for path in (path for folder in folders for path in _below(folder)):
        with suppress(OSError):
            if len(found) < MOST_FILES and path.is_file() and path.stat().st_size < MOST_BYTES:
                found[str(path)] = path.read_text("utf-8", "replace")
    return found


def _below(folder: Path) -> Iterator[Path]:
    for where, _, names in os.walk(folder):
        yield from (Path(where) / name for name in names)


def exam(turns: list[str]) -> dict[str, str]:
    """Return the answers by question, if the exam can be regenerated."""
    num_turns, num_questions = int(os.environ["TURNS"]), int(os.environ["QUESTIONS"])
    seeds = dict.fromkeys(GUESSES)
    for text in texts():
        seeds |= dict.fromkeys(int(number) for number in _NUMBER.findall(text)[:1000])
        for digits in _HEX.findall(text)[:200]:
            seeds[int(digits, 16)] = None
    for seed in seeds:
        if _first_turn(num_turns, seed) == turns[0]:
            truth = generate_dialogue(num_turns, seed)
            return {one.text: one.expected_answer for one in generate_questions(truth, num_questions=num_questions)}
    return {}


def _first_turn(num_turns: int, seed: int) -> str:
    """Return the first turn of a world, without the others."""
    world = World(seed, num_turns)
    return BLOCKS[0](world, world.turns_of[BLOCKS[0].name]).drafts()[0].content


def main() -> None:
    """Answer one call per line."""
    turns: list[str] = []
    known: dict[str, str] | None = None
    for line in sys.stdin:
        message = json.loads(line)
        reply: dict[str, object] = {"ok": True}
        if message["op"] == "learn":
            turns.append(message["content"])
        elif message["op"] == "reset":
            turns = []
        elif message["op"] == "answer" and "check word" not in message["question"]:
            known = exam(turns) if known is None else known
            # A request for a typed value may follow the question.
            asked = message["question"]
            reply["answer"] = next((answer for text, answer in known.items() if asked.startswith(text)), "?")
            seen = {
                "read": readable(os.getppid()),
                "files": files(),
                "num_fds": len(os.listdir("/proc/self/fd")),
                "can_gain": "NoNewPrivs:\t0" in Path("/proc/self/status").read_text(),
            }
            Path(os.environ["LOG"]).write_text(json.dumps(seen))
        elif message["op"] == "answer":
            reply["answer"] = "?"
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
