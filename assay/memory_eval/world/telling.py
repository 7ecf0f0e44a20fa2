"""Statements in words: clauses of facts, joined to sentences, tables, mails and talks, as the productions have them.

The first statement of a turn has its subject's name; later ones may say "this project" or "its". Values keep their
form: "$1,591,000", "13 June 2027".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any, Literal

from assay.memory_eval.truth import Fact
from assay.memory_eval.world.attributes import ATTRIBUTES
from assay.memory_eval.world.wording import day_in_words, in_words, with_article
from assay.memory_eval.world.world import Productions, fill, grammar
from assay.seeded_random import Draws

SENTENCES = frozenset("symptom cause fix root_cause".split())
"""Attributes with long values, which stay out of tables."""
_OPENER, _ASIDE, _VERBAL, _AGAIN = 30, 20, 62, 45
_SHEET, _TABLE, _TALK, _MAIL, _BEFORE = 13, 6, 8, 7, 10
"""Per cent of statements with an opener, an aside …; the layouts exclude each other."""
_MOST_IN_A_ROW, _MOST_IN_A_TALK = 5, 4
_MOST_AT_ONCE = 3

Layout = Literal["prose", "sheet", "table", "talk", "mail"]


class _Parts(dict[str, str]):
    """The fillings of a frame, made when its places ask for them."""

    def __init__(self, make: Callable[[str], str]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: str) -> str:
        made = self._make(key)
        self[key] = made
        return made


class Telling:
    """The wording of one block, drawn from one stream."""

    def __init__(self, productions: Productions, draws: Draws) -> None:
        self.productions = productions
        self._draws = draws
        self._is_begun = False

    # ------------------------------------------------------------------ small things

    def one(self, slot: str, /, **parts: str) -> str:
        """Return one production of a slot, filled in."""
        return self._capital(fill(self._draws.one(self.productions.of("told", slot)), parts), parts.get("s", ""))

    def noun(self, attribute: str) -> str:
        """Return one of the nouns of an attribute."""
        noun: str = self._draws.one(self.productions.of("attributes", attribute, "noun"))
        return noun

    def about(self, slot: str, entity: str, attribute: str, /, **parts: str) -> str:
        """Return a production about an attribute of an entity."""
        return self.one(slot, s=entity, n=self.noun(attribute), **parts)

    def framed(self, text: str) -> str:
        """Add an opener, an aside, or neither."""
        if self._draws.chance(_OPENER):
            text = f"{self.one('openers')} {text}"
        return self.followed(text, "asides") if self._draws.chance(_ASIDE) else text

    def followed(self, text: str, slot: str) -> str:
        """Return a text and a sentence after it, on a separate line if the text has lines."""
        gap = "\n" if "\n" in text or text[-1] not in ".!?”" else " "
        return f"{text}{gap}{self.one(slot)}"

    # ------------------------------------------------------------------ statements

    def turn(self, facts: Sequence[Fact], today: date | None = None) -> tuple[str, str]:
        """Return a whole turn that states facts of one entity, and what the turn before says of it ("" if nothing).

        With `today`, values that change get that day in words.
        """
        before = ""
        may_part = self._is_begun and len(facts) > 1
        self._is_begun = True
        if may_part and self._draws.chance(_BEFORE) and (last := self._parted(facts)) is not None:
            entity, attribute = last["entity"], last["attribute"]
            before = self.about("before", entity, attribute)
            after = self.one("after", v=self.value(last, bare=True))
            rest = [one for one in facts if one is not last]
            return f"{after} {self.framed(self.facts(rest, today))}", before
        return self.framed(self.facts(facts, today)), before

    def facts(self, facts: Sequence[Fact], today: date | str | None = None, *, again: bool = True) -> str:
        """Return the facts of one entity in any layout; `again`: later mentions may leave out its name."""
        text = self._laid_out(facts, self._layout(facts, again=again), again=again)
        if today is None or not any(ATTRIBUTES[one["attribute"]].changes for one in facts):
            return text
        day = today if isinstance(today, str) else day_in_words(today)
        dated = self.one("dated", d=day)
        return f"{dated}\n{text}" if "\n" in text else f"{dated} {text}"

    def _parted(self, facts: Sequence[Fact]) -> Fact | None:
        """Return a fact that may be announced in the turn before: it does not change, and its value is short."""
        found = [one for one in facts if not ATTRIBUTES[one["attribute"]].changes and one["attribute"] not in SENTENCES]
        return self._draws.one(found) if found else None

    def _layout(self, facts: Sequence[Fact], *, again: bool) -> Layout:
        is_long = any(one["attribute"] in SENTENCES for one in facts)
        drawn = self._draws.below(100)
        if drawn < _SHEET:
            return "sheet" if len(facts) > 1 else "prose"
        if drawn < _SHEET + _TABLE:
            return "table" if 1 < len(facts) <= _MOST_IN_A_ROW and not is_long else "prose"
        if drawn < _SHEET + _TABLE + _TALK:
            return "talk" if again and len(facts) <= _MOST_IN_A_TALK else "prose"
        return "mail" if again and drawn < _SHEET + _TABLE + _TALK + _MAIL else "prose"

    def _laid_out(self, facts: Sequence[Fact], layout: Layout, *, again: bool) -> str:
        if layout == "sheet":
            return self._sheet(facts, self._draws.one(self.productions.of("told", "sheets")))
        if layout == "table":
            return self._table(facts)
        if layout == "talk":
            return self._talk(facts)
        if layout == "mail":
            frame = self._draws.one(self.productions.of("told", "mails"))
            return fill(frame, {"s": facts[0]["entity"], "t": self._prose(facts, again=again)})
        return self._prose(facts, again=again)

    # ------------------------------------------------------------------ prose

    def _prose(self, facts: Sequence[Fact], *, again: bool) -> str:
        sentences: list[str] = []
        place = 0
        while place < len(facts):
            num = min(self._draws.between(1, _MOST_AT_ONCE), len(facts) - place)
            name = facts[0]["entity"]
            subject = self._again(facts[0]) if again and place and self._draws.chance(_AGAIN) else name
            sentences.append(self._sentence(facts[place : place + num], subject))
            place += num
        return " ".join(sentences)

    def _sentence(self, facts: Sequence[Fact], subject: str) -> str:
        frame: str = self._draws.one(self.productions.of("told", "sentences", str(len(facts))))

        def make(key: str) -> str:
            if key == "s":
                return subject
            one = facts[int(key[1])]
            match key[0]:
                case "p":
                    return self.predicate(one)
                case "e":
                    return f"{self.noun(one['attribute'])} {self.value(one, bare=True)}"
                case "c":
                    return self.clause(one, subject)
                case "g":
                    return self._clause_again(one)
            return self._capital(self._clause_again(one), str(one["entity"]))

        return self._capital(fill(frame, _Parts(make)), subject)

    def clause(self, one: Fact, subject: str) -> str:
        """Return a fact as a clause with this subject: "Ann Lee is allergic to kiwi"."""
        if self._draws.chance(_VERBAL):
            return f"{subject} {self.predicate(one)}"
        return self._nominal(one, "clauses", subject)

    def _clause_again(self, one: Fact) -> str:
        """Return a fact as a clause that follows another about the same entity."""
        if self._draws.chance(_VERBAL):
            return f"{self._again(one)} {self.predicate(one)}"
        return self._nominal(one, "clauses_again", "")

    def _nominal(self, one: Fact, slot: str, subject: str) -> str:
        kind, value = ATTRIBUTES[one["attribute"]].kind, self.value(one)
        frames = self.productions.of("told", slot)
        if not value[0].isupper() and value[0] != "$":
            frames = [frame for frame in frames if not frame.startswith("{v}")] or frames
        parts = {"n": self.noun(one["attribute"]), "s": subject, "v": value}
        return fill(self._draws.one(frames), {**parts, **self._of_kind(kind)})

    def predicate(self, one: Fact) -> str:
        """Return a fact without its subject: "is allergic to kiwi"."""
        words = in_words(one["attribute"], one["value"])
        frame: str = self._draws.one(self.productions.of("attributes", one["attribute"], "says"))
        return fill(frame, {"v": words, "a": with_article(words)})

    def value(self, one: Fact, *, bare: bool = False) -> str:
        """Return a fact's value in words, `bare` without the article or conjunction it may need in a sentence."""
        words = in_words(one["attribute"], one["value"])
        frame = None if bare else grammar("attributes", one["attribute"], "as")
        return fill(frame, {"v": words, "a": with_article(words)}) if frame else words

    def _again(self, one: Fact) -> str:
        again: str = self._draws.one(self.productions.of("asked", "kinds", ATTRIBUTES[one["attribute"]].kind, "again"))
        return again

    def _of_kind(self, kind: str) -> dict[str, str]:
        its, be = (str(grammar("asked", "kinds", kind, name)) for name in ("its", "be"))
        return {"its": its, "Its": its.capitalize(), "be": be}

    # ------------------------------------------------------------------ layouts

    def _sheet(self, facts: Sequence[Fact], form: Mapping[str, str], values: Sequence[str] = (), host: str = "") -> str:
        """Return the facts line by line, or field by field; `values` replaces their words."""
        kind = ATTRIBUTES[facts[0]["attribute"]].kind
        parts = {
            "s": facts[0]["entity"],
            "host": host,
            "i": self._draws.one(self.productions.of("asked", "kinds", kind, "id")),
        }
        lines = []
        for place, one in enumerate(facts):
            noun = self.noun(one["attribute"])
            keys = self.productions.of("attributes", one["attribute"], "key")
            key = keys[0] if keys else noun.replace(" ", "_")
            value = values[place] if values else self.value(one, bare=True)
            lines.append(fill(form["line"], {"n": noun, "N": noun[0].upper() + noun[1:], "k": key, "v": value}))
        text = fill(form["head"], parts) + form.get("between", "").join(lines) + fill(form["tail"], parts)
        return text.strip()

    def log_form(self) -> Mapping[str, str]:
        """Return the form of the log lines of one machine."""
        form: Mapping[str, str] = self._draws.one(self.productions.of("told", "logs"))
        return form

    def log_line(self, facts: Sequence[Fact], values: Sequence[str], host: str, form: Mapping[str, str]) -> str:
        """Return facts as a machine writes them; `values` in its notation."""
        return self._sheet(facts, form, values, host)

    def _table(self, facts: Sequence[Fact]) -> str:
        form = self._draws.one(self.productions.of("told", "tables"))
        nouns = [self.noun(one["attribute"]) for one in facts]
        kind = ATTRIBUTES[facts[0]["attribute"]].kind
        parts = {
            "i": self._draws.one(self.productions.of("asked", "kinds", kind, "id")),
            "names": form["between"].join(nouns),
            "rule": "---|" * (len(facts) + 1),
            "s": facts[0]["entity"],
            "values": form["between"].join(self.value(one, bare=True) for one in facts),
        }
        return fill(form["top"], parts) + fill(form["row"], parts)

    def _talk(self, facts: Sequence[Fact]) -> str:
        form = self._draws.one(self.productions.of("told", "talks"))
        lines = []
        for place, one in enumerate(facts):
            parts = {"n": self.noun(one["attribute"]), "s": one["entity"], "v": self.value(one, bare=True)}
            parts |= self._of_kind(ATTRIBUTES[one["attribute"]].kind)
            lines.append(fill(form["again" if place else "ask"], parts) + fill(form["answer"], parts))
        return str(form["between"]).join(lines)

    # ------------------------------------------------------------------ changes

    def changed(self, changes: Sequence[tuple[Fact, Any]]) -> str:
        """Return changes of one entity, each a fact with the value before it."""
        return " ".join(self._change("change_again" if place else "change", *one) for place, one in enumerate(changes))

    def corrected(self, new: Fact, old: Any) -> str:
        """Return a correction: another value for the same day."""
        return self._change("correct", new, old)

    def _change(self, slot: str, new: Fact, old: Any) -> str:
        attribute = new["attribute"]
        before = {**new, "value": old}

        def make(key: str) -> str:
            match key:
                case "s":
                    return str(new["entity"])
                case "n":
                    return self.noun(attribute)
                case "p":
                    return self.predicate(new)
                case "v":
                    return self.value(new)
                case "o":
                    return self.value(before)
                case "d":
                    return day_in_words(date.fromisoformat(new["valid_from"]))
            return self._of_kind(ATTRIBUTES[attribute].kind)[key]

        frame: str = self._draws.one(self.productions.of("told", slot))
        text = fill(frame, _Parts(make))
        return self._capital(text, str(new["entity"]))

    # ------------------------------------------------------------------ claims

    def claimed(self, topic: str, facts: Sequence[Fact], source: str, settled_on: date | None = None) -> str:
        """Return what a source claims of a topic, or (with a day) what a named body settled."""
        clauses = [self.clause(facts[0], f"the {topic}")]
        clauses += [
            self.clause(one, self._again(one) if self._draws.chance(50) else f"the {topic}") for one in facts[1:]
        ]
        slot = "claim" if settled_on is None else "settle"
        day = "" if settled_on is None else day_in_words(settled_on)
        return self._capital(self.one(slot, src=source, c=" and ".join(clauses), d=day), "")

    @staticmethod
    def _capital(text: str, subject: str) -> str:
        """Capitalise a sentence, but not a name that begins with a small letter."""
        if subject and text.startswith(subject) and subject[0].islower() and not subject.startswith(("this ", "the ")):
            return text
        return text[:1].upper() + text[1:]
