"""Configuration of live adapters: files of a library's own keys, and which tools of a memory server write and search.

A memory server is described by a file in YAML, or the name of a preset in `mcp_presets/`. Texts of arguments may have
{text} and {number} (the turn and its number) when written, {query} and {k} when searched; command and environment may
have {folder}.
"""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from assay.memory_eval.errors import ExamUsageError, told_in_a_line
from assay.memory_eval.files import first_wrong

PRESETS = ("mcp-memory-service", "server-memory")


class Call(BaseModel):
    """A tool and its arguments."""

    model_config = ConfigDict(extra="forbid")

    tool: str = Field(min_length=1)
    arguments: dict[str, Any] = {}


class Search(Call):
    """The tool that searches, and the paths of its result: `a.b` is a key, `a[]` every element.

    `items` leads to the entries, `text` and `id` on from there to their texts and their name. Without any of them each
    text of the result is an entry; with `pattern`, each match of that regular expression in a text, by its groups
    `text` and `id`. With `by: words` the tool is called with each word of the question; rare words and entries that
    several words find come first.
    """

    items: str = ""
    text: str = ""
    id: str = ""
    pattern: str | None = None
    by: Literal["question", "words"] = "question"

    @field_validator("pattern")
    @classmethod
    def _has_text(cls, pattern: str | None) -> str | None:
        try:
            if pattern is not None and "text" not in re.compile(pattern).groupindex:
                raise ValueError("the pattern has no group (?P<text>…)")
        except re.error as error:
            raise ValueError(f"not a regular expression: {error}") from None
        return pattern


class McpConfig(BaseModel):
    """A memory server: started by `command`, or reached at `url` by streamable HTTP."""

    model_config = ConfigDict(extra="forbid")

    command: list[str] | None = Field(default=None, min_length=1)
    url: str | None = Field(default=None, pattern="^https?://")
    token_variable: str | None = None
    """Environment variable with a bearer token for `url`; it must be passed on by `--env`."""
    env: dict[str, str] = {}
    write: Call
    search: Search
    reset: Call | None = None
    """Tool that empties the memory; without it, a server that was started is restarted on an empty folder."""

    @model_validator(mode="after")
    def _has_one_way(self) -> McpConfig:
        if (self.command is None) == (self.url is None):
            raise ValueError("either `command` or `url` is needed")
        return self


def mcp_config(text: str) -> McpConfig:
    """Return the configuration that a preset's name or a file's path names.

    A file may begin with `preset: NAME` and override its keys. Raises `ExamUsageError` with one line.
    """
    if text not in PRESETS and not Path(text).suffix:
        known = ", ".join(f"mcp:{name}" for name in PRESETS)
        raise ExamUsageError(f"adapter `mcp` needs `mcp:FILE.yaml` or a preset ({known}), not {text[:80]!r}")
    data = {"preset": text} if text in PRESETS else keys_in(Path(text))
    name = data.pop("preset", None)
    if name is not None and name not in PRESETS:
        raise ExamUsageError(f"{text}: unknown preset {str(name)[:40]!r}; supported: {', '.join(PRESETS)}")
    try:
        return McpConfig.model_validate(data if name is None else _preset(name) | data)
    except ValidationError as error:
        raise ExamUsageError(f"{text}: {first_wrong(error)}") from None


def keys_in(path: Path) -> dict[str, Any]:
    """Read a configuration file; raises `ExamUsageError` with one line."""
    try:
        with told_in_a_line(path, "read"):
            data = yaml.safe_load(path.read_text("utf-8"))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ExamUsageError(f"{path}: not YAML: {' '.join(str(error).split())[:200]}") from None
    if not isinstance(data, dict):
        raise ExamUsageError(f"{path}: expected keys with their values")
    return data


def _preset(name: str) -> dict[str, Any]:
    file = resources.files(__package__).joinpath("mcp_presets", f"{name}.yaml")
    preset: dict[str, Any] = yaml.safe_load(file.read_text("utf-8"))
    return preset
