"""Two agents that know every public production: they invert turns to facts and questions to queries.

Both draw worlds of the public pack with the package itself, and learn from them which text stands around a value of
which attribute, and which question is which query. `Inverted` goes by exact text, `Likely` by the likeliest words.
Whatever they cannot read is answered by the BM25 baseline, so they never do worse for trying.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from assay.memory_eval import AgentAdapter, generate_dialogue, generate_questions
from assay.memory_eval.adapters.adapter import AgentResponse
from assay.memory_eval.adapters.baseline_agent import BASELINES
from assay.memory_eval.questions.composing.answers import answer_of, member_forms, worded
from assay.memory_eval.questions.queries.answering import find_answer
from assay.memory_eval.questions.queries.record import Record, StatedFact
from assay.memory_eval.world.attributes import ATTRIBUTES
from tests.memory_eval.integrity.mentions import Mention, mentions_in

STUDIED = 16
"""Public worlds that are drawn to learn from."""
_WORD = re.compile(r"[a-z']+")
_NEAR = 60
_PARTS = ("inverted", "likely")
NO = "none"
_OTHERS = ("forget_request", "standing_codeword", "standing_also", "planted_value")


def _around(text: str, one: Mention, mentions: Sequence[Mention]) -> tuple[str, str]:
    """The text before and after a mention, up to the next mention or the sentence's end; names are blanked."""
    before = max((other.end for other in mentions if other.end <= one.start), default=0)
    after = min((other.start for other in mentions if other.start >= one.end), default=len(text))
    left, right = text[max(before, one.start - _NEAR) : one.start], text[one.end : min(after, one.end + _NEAR)]
    return re.split(r"[.!?\n]\s", left)[-1].lower(), re.split(r"[.!?\n](?:\s|$)", right)[0].lower()


def _words_around(text: str, one: Mention, mentions: Sequence[Mention]) -> list[str]:
    left, right = _around(text, one, mentions)
    wide = text[max(0, one.start - 2 * _NEAR) : one.end + _NEAR].lower()
    return [
        f"f:{one.form}",
        *(f"l:{word}" for word in _WORD.findall(left)),
        *(f"r:{word}" for word in _WORD.findall(right)),
        *_WORD.findall(wide),
    ]


class Studies:
    """What the public pack's own worlds teach: contexts of values, and questions with their queries."""

    def __init__(self) -> None:
        self.exact: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        self.words: dict[str, Counter[str]] = defaultdict(Counter)
        self.num: Counter[str] = Counter()
        self.forms: dict[str, Counter[str]] = defaultdict(Counter)
        self.asked: list[tuple[str, Counter[str], list[str], Any]] = []
        self.by_text: dict[str, tuple[list[str], Any]] = {}
        for seed in range(9_000, 9_000 + STUDIED):
            truth = generate_dialogue(300, seed)
            for turn in truth.turns:
                self._study_turn(turn.content, turn.facts)
            for question in generate_questions(truth, 300):
                self._study_question(question.text, question.rubric["query"])
        documents = Counter(word for _, words, _, _ in self.asked for word in words)
        self.weight = {word: math.log(1 + len(self.asked) / num) for word, num in documents.items()}

    def _study_turn(self, text: str, facts: Sequence[dict[str, Any]]) -> None:
        mentions = mentions_in(text)
        told = {str(fact["value"]): fact["attribute"] for fact in facts}
        for one in mentions:
            attribute = told.get(str(one.value), NO)
            left, right = _around(text, one, mentions)
            for key in ((left, right, one.form), (left, "", one.form), ("", right, one.form)):
                self.exact[key][attribute] += 1
            self.words[attribute].update(_words_around(text, one, mentions))
            self.num[attribute] += 1
            self.forms[attribute][one.form] += 1

    def _study_question(self, text: str, query: Any) -> None:
        slots = _slots(text, list(_leaves(query)))
        masked = _masked(text, [one for one, _ in slots])
        skeleton = _skeleton(query, {leaf: place for place, (_, leaf) in enumerate(slots)})
        forms = [one.form for one, _ in slots]
        self.by_text.setdefault(masked, (forms, skeleton))
        self.asked.append((masked, Counter(_WORD.findall(masked.lower())), forms, skeleton))

    def exactly(self, text: str, one: Mention, mentions: Sequence[Mention]) -> str | None:
        left, right = _around(text, one, mentions)
        for key in (
            (left, right, one.form),
            (left, "", one.form) if len(left) > 8 else (),
            ("", right, one.form) if len(right) > 8 else (),
        ):
            if key in self.exact:
                attribute, num = self.exact[key].most_common(1)[0]
                if num >= 0.6 * self.exact[key].total():
                    return attribute
        return None

    def likely(self, text: str, one: Mention, mentions: Sequence[Mention]) -> str | None:
        found, best = self.exactly(text, one, mentions), -math.inf
        if found is not None:
            return found
        words = _words_around(text, one, mentions)
        for attribute, num in self.num.items():
            if one.form not in self.forms[attribute]:
                continue
            told = self.words[attribute]
            total = told.total() + 5_000
            score = math.log(num) + sum(math.log((told[word] + 0.5) / total) for word in words)
            if score > best:
                found, best = attribute, score
        return found


@cache
def studies() -> Studies:
    return Studies()


# ------------------------------------------------------------------ questions


def _leaves(query: Any) -> Iterator[Any]:
    """The names and values in a query, those that its question has to name."""
    if isinstance(query, dict):
        for key, part in query.items():
            if key not in ("op", "attribute", "attributes", "by", "unit", "most", "last", "unless_forgotten"):
                yield from _leaves(part)
    elif isinstance(query, list):
        for part in query:
            yield from _leaves(part)
    else:
        yield query


def _slots(text: str, leaves: list[Any]) -> list[tuple[Mention, str]]:
    """The mentions of a text that are leaves of its query, in order."""
    found: list[tuple[Mention, str]] = []
    rest = {str(leaf) for leaf in leaves}
    for leaf in sorted((str(leaf) for leaf in leaves), key=len, reverse=True):
        start = text.find(leaf)
        if start >= 0 and not any(one.start <= start < one.end for one, _ in found):
            found.append((Mention(start, start + len(leaf), "leaf", leaf, leaf), leaf))
    for one in mentions_in(text):
        if str(one.value) in rest and not any(other.start < one.end and one.start < other.end for other, _ in found):
            found.append((one, str(one.value)))
    return sorted(found, key=lambda pair: pair[0].start)


def _masked(text: str, mentions: Sequence[Mention]) -> str:
    for one in reversed(mentions):
        text = f"{text[: one.start]}#{text[one.end :]}"
    return text


def _skeleton(query: Any, places: dict[str, int]) -> Any:
    if isinstance(query, dict):
        keep = ("op", "attribute", "attributes", "by", "unit", "most", "last", "unless_forgotten")
        return {key: part if key in keep else _skeleton(part, places) for key, part in query.items()}
    if isinstance(query, list):
        return [_skeleton(part, places) for part in query]
    return ("#", places[str(query)]) if str(query) in places else query


def _filled(skeleton: Any, values: Sequence[Any]) -> Any:
    if isinstance(skeleton, dict):
        filled = {key: _filled(part, values) for key, part in skeleton.items()}
        if isinstance(skeleton.get("among"), list):
            filled["among"] = list(dict.fromkeys(values))
        return filled
    if isinstance(skeleton, list):
        return [_filled(part, values) for part in skeleton]
    if isinstance(skeleton, tuple):
        return values[skeleton[1]] if skeleton[1] < len(values) else None
    return skeleton


# ------------------------------------------------------------------ agents


class TemplateParser(AgentAdapter):
    """Reads the whole dialogue into a table before the first answer, and answers from the table."""

    def __init__(self, way: str) -> None:
        self.name = way
        self._bm25 = BASELINES["bm25"]()
        self._way = way
        self._turns: list[str] = []
        self._record: Record | None = None
        self._labels = {row.label: row.name for row in ATTRIBUTES.values()}
        self.num_read = 0

    def learn(self, content: str) -> None:
        self._turns.append(content)
        self._bm25.learn(content)

    def reset(self) -> None:
        self._turns, self._record = [], None
        self._bm25.reset()

    def answer(self, question: str) -> AgentResponse | str:
        if self._record is None:
            self._record = Record(
                one for number, turn in enumerate(self._turns, start=1) for one in self._read(number, turn)
            )
            self._names = sorted(self._record.all_entities(), key=len, reverse=True)
        for query in self._queries(question):
            try:
                value = find_answer(query, self._record).value
                if value is not None:
                    answer = answer_of(query, value)
                    self.num_read += 1
                    return AgentResponse(worded(answer, member_forms(query, value)), value=_plain(answer.value))
            except (KeyError, TypeError, ValueError, IndexError, AttributeError, ZeroDivisionError):
                continue
        return self._bm25.answer(question)

    def _read(self, number: int, text: str) -> Iterator[StatedFact]:
        """Yield the facts a turn seems to state, each of the last fitting name before its value."""
        mentions = mentions_in(text)
        read = getattr(studies(), "exactly" if self._way == "inverted" else "likely")
        days = [str(one.value)[:10] for one in mentions if one.form == "day"]
        seen: list[tuple[Mention, str]] = []
        for one in mentions:
            attribute = read(text, one, mentions)
            if attribute and attribute != NO and attribute not in _OTHERS:
                seen.append((one, attribute))
        values = {one.start for one, _ in seen}
        names = [
            one
            for one in mentions
            if one.start not in values and one.form in ("name", "code", "quarter", "list:services")
        ]
        times = Counter(one.text for one in names)
        for one, attribute in seen:
            fits = [name for name in names if _fits(name, attribute)]
            before = [name for name in fits if name.end <= one.start]
            subject = before[-1] if before else fits[0] if fits else None
            if subject is None or times[subject.text] < 1:
                continue
            source = None
            if attribute.startswith(("claimed_", "settled_")):
                who = [name for name in names if name.text != subject.text]
                source = who[0].text if who else None
            day = next((day for day in days if day != str(one.value)[:10]), "0000-00-00")
            yield StatedFact(subject.text, attribute, one.value, source, day, number)

    def _queries(self, question: str) -> Iterator[Any]:
        """Yield the queries a question may be: that of the same words, or of the most similar ones."""
        slots = self._slots_of(question)
        masked = _masked(question, slots)
        if masked in studies().by_text:
            yield self._query(question, studies().by_text[masked][1], slots)
        elif self._way == "inverted":
            known = [sentence for sentence in re.split(r"(?<=[.?!]) ", masked) if "#" in sentence]
            for text, _, _, skeleton in studies().asked:
                if known and known[0] in text:
                    yield self._query(question, skeleton, slots)
                    return
        else:
            words = Counter(_WORD.findall(masked.lower()))
            best = max(
                studies().asked,
                key=lambda one: _likeness(words, one[1], studies().weight) + 0.2 * (len(one[2]) == len(slots)),
            )
            yield self._query(question, best[3], slots)

    def _slots_of(self, question: str) -> list[Mention]:
        assert self._record is not None
        found: list[Mention] = []
        for name in self._names:
            start = question.find(name)
            if start >= 0 and not any(one.start < start + len(name) and start < one.end for one in found):
                found.append(Mention(start, start + len(name), "name", name, name))
        for one in mentions_in(question):
            if (one.form != "name" or " " in one.text) and not any(
                other.start < one.end and one.start < other.end for other in found
            ):
                found.append(one)
        return sorted(found, key=lambda one: one.start)

    def _query(self, question: str, skeleton: Any, slots: Sequence[Mention]) -> Any:
        query = _filled(skeleton, [one.value for one in slots])
        if "attributes" in query:
            named = [(question.find(label), name) for label, name in self._labels.items() if label in question]
            query["attributes"] = [name for _, name in sorted(named)]
        return query


def _fits(name: Mention, attribute: str) -> bool:
    kind = ATTRIBUTES[attribute].kind
    is_project = name.text.startswith("Project ")
    forms = {
        "event": r"SEC-",
        "incident": r"INC-",
        "problem": r"PRB-",
        "server": r"[a-z]+.*-\d+$",
        "quarter": r".* Q\d \d{4}$",
    }
    if kind in forms:
        return re.match(forms[kind], name.text) is not None
    return name.form == "name" and (is_project is (kind == "project"))


def _likeness(one: Counter[str], other: Counter[str], weight: dict[str, float]) -> float:
    both = sum(weight.get(word, 6.0) for word in one if word in other)
    sizes = sum(weight.get(word, 6.0) for word in one) * sum(weight.get(word, 6.0) for word in other)
    return both / math.sqrt(sizes) if sizes else 0.0


def _plain(value: Any) -> Any:
    return (
        value[0][0]
        if isinstance(value, list) and value and isinstance(value[0], list) and len(value[0]) == 1
        else value
    )


PARSERS = {name: lambda name=name: TemplateParser(name) for name in _PARTS}
"""The agents by name."""
