"""Agents to be examined in this process: a good one, and what others do in its place."""

from __future__ import annotations

import threading
import time

from tests.memory_eval.agent_servers import best_of


class Good:
    """Remembers every turn, and finds the right one."""

    def __init__(self) -> None:
        self.turns: list[str] = []
        self.resets = 0

    def learn(self, content: str) -> None:
        self.turns.append(content)

    def answer(self, question: str) -> object:
        said = best_of(self.turns, question.replace("?", " "))
        return said.split("holds ")[-1] if "holds" in said else said

    def reset(self) -> None:
        self.turns, self.resets = [], self.resets + 1


class NeverForgets(Good):
    def reset(self) -> None:
        pass


class CannotBeReset(Good):
    reset = None  # type: ignore[assignment]


class ResetBreaks(Good):
    def reset(self) -> None:
        raise OSError("disk full")


class LearnsLittle(Good):
    """Refuses every `every`th box."""

    def __init__(self, every: int) -> None:
        super().__init__()
        self.every, self.num_asked = every, 0

    def learn(self, content: str) -> None:
        if content.startswith("box"):
            self.num_asked += 1
            if self.num_asked % self.every == 0:
                raise ValueError(f"no room for {content}")
        super().learn(content)


class AnswersNever(Good):
    def answer(self, question: str) -> object:
        raise RuntimeError("no model")


class AnswersSome(Good):
    """Each way to answer wrongly, by turns."""

    def __init__(self) -> None:
        super().__init__()
        self.num = 0

    def answer(self, question: str) -> object:
        self.num += "box" in question
        wrong = [b"bytes", None, 42, "x" * 10_000_000, {"confidence": 1}]
        return super().answer(question) if self.num % 2 else wrong[(self.num // 2 - 1) % len(wrong)]


class Hangs(Good):
    def answer(self, question: str) -> object:
        time.sleep(5 if "box" in question else 0)
        return super().answer(question)


class SideBySide(Good):
    """Bears several calls at once, and notes in which order it was taught and how many calls there were at once."""

    parallel_safe = True

    def __init__(self, call_s: float = 0.002) -> None:
        super().__init__()
        self.lock, self.now, self.most, self.call_s = threading.Lock(), 0, 0, call_s

    def learn(self, content: str) -> None:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(self.call_s)
        with self.lock:
            self.now -= 1
            super().learn(content)
