"""Answers of a model, kept in a JSON Lines file, so that the same prompt is paid for once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.llm.language_model import Completion, LanguageModel


class KeptAnswers:
    """Model that looks up each prompt in a file before it asks another model, and appends the answer.

    The key is a hash of the model's name and of everything that is sent. Lines that are not kept answers are skipped: a
    run that was interrupted leaves half a line. Raises `OSError` if the file cannot be read or written.
    """

    def __init__(self, model: LanguageModel, file: Path) -> None:
        self._model = model
        self._file = file
        self._known: dict[str, Mapping[str, Any]] = {}
        self.num_reused = 0
        if file.exists():
            for line in file.read_bytes().splitlines():
                try:
                    one = json.loads(line)
                    self._known[one["key"]] = {"text": str(one["text"]), "value": one["value"]}
                except (ValueError, KeyError, TypeError, RecursionError):
                    continue

    @property
    def name(self) -> str:
        return self._model.name

    def complete(
        self, prompt: str, *, system: str = "", schema: Mapping[str, Any] | None = None, max_tokens: int = 4096
    ) -> Completion:
        """Return the kept answer, at no cost, or the model's. Raises `ModelUnavailable`."""
        told = json.dumps([self.name, prompt, system, schema, max_tokens], sort_keys=True)
        key = hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()
        known = self._known.get(key)
        if known is not None:
            self.num_reused += 1
            return Completion(known["text"], known["value"], self.name)
        found = self._model.complete(prompt, system=system, schema=schema, max_tokens=max_tokens)
        self._known[key] = {"text": found.text, "value": found.value}
        with self._file.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"key": key, "text": found.text, "value": found.value}) + "\n")
        return found
