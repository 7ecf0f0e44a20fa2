"""amplihack's LearningAgent, by the calls its documents describe: learn_from_content and answer_question."""

from __future__ import annotations

from typing import Any

from assay.memory_eval.adapters.live.store import Store, library


class LearningAgent(Store):
    """The agent itself: it extracts and answers by its own model."""

    package = "amplihack"

    def __init__(self, storage_path: str, model: str) -> None:
        self._model = model
        super().__init__(storage_path)

    def open(self) -> None:
        made_by = library(self, "amplihack.agents.goal_seeking.learning_agent").LearningAgent
        place = self.folder / "memory_db"
        self._agent = made_by(agent_name="assay", model=self._model, storage_path=place, use_hierarchical=True)

    def learn(self, content: str) -> None:
        """Have the agent extract and store the facts of a turn."""
        self._agent.learn_from_content(content)

    def answer(self, question: str) -> str:
        """Return the agent's answer; with a trace, the library returns a pair."""
        answer: Any = self._agent.answer_question(question)
        return str(answer[0] if isinstance(answer, tuple) else answer)

    def shut(self) -> None:
        if callable(close := getattr(self._agent, "close", None)):
            close()
