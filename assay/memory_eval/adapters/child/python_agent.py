"""Agent that is a Python class: `python:module:Class`."""

from __future__ import annotations

from assay.memory_eval.adapters.child.class_agent import ClassAgent


class PythonAgent(ClassAgent):
    """A class with `learn` and `answer`; `reset`, `stats`, `retrieve`, `save`, `load` and `close` are optional."""

    adapter = "python"
