"""An answer is picked by the question's wording out of what was found, and nothing else is looked at."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.memory_eval.adapters.extracting.reader import NEVER_TOLD, Passage, pick
from assay.memory_eval.adapters.extracting.retrieval import Kind
from tests.examples import sampled

TOLD = """Ada Lund carries an emergency card for an allergy to aspirin, and has a birth date of 28 September 1976.
Ada Lund has a pet called Mittens and looks after a persian cat. Besides, Ada Lund got extension 7883.
Bo Ek owns a tarantula, and has, as of 24 February 2024, the job of internal auditor.
Finance set the budget of Project Bold Inlet to $2,146,000 on 8 January 2025.
Money news for Project Bold Inlet: the budget is $814,000 as of 27 January 2025, where it used to be $2,146,000.
Calendar change for Project Bold Inlet, made on 17 January 2025: the deadline is 3 April 2026.
Project Bold Inlet is run by Bo Ek as lead since 3 January 2025.
On 21 April 2025, Ada Lund took over the lead of Project Bold Inlet from Bo Ek. The estimate had been redone.
Since 5 March 2025, 66 people work on Project Bold Inlet.
Kodiak packet mirror listens on port 4410. Kodiak report printer listens on port 5510.
The server uptime of Oslo branch Q4 2018 was 99.12%, its churn rate 4.5%.
web-03 | location: Ottawa | RAM: 64 GB
The gateway of the Beacon network is 172.25.179.20.
Somebody complained that lookups time out in 758 ms. What solved it was to restart the resolver.""".split("\n")

ANSWERS = [
    ("What is Ada Lund allergic to? Just name it.", "Ada Lund carries an emergency card for an allergy to aspirin"),
    ("When is Ada Lund's birthday? Answer with the date.", "28 September 1976"),
    ("What is the phone extension of Ada Lund?", "Besides, Ada Lund got extension 7883"),
    ("What is the budget of Project Bold Inlet now? Answer with the amount in dollars.", "$814,000"),
    ("Before the last change, how much was the budget of Project Bold Inlet?", "$2,146,000"),
    ("Tell me: When is the deadline of Project Bold Inlet?", "3 April 2026"),
    ("How many people work on Project Bold Inlet now?", "66"),
    (
        "Never mind that web-03 has 64 GB. On which port does Kodiak packet mirror listen? Answer with the number.",
        "4410",
    ),
    ("What was the churn rate of Oslo branch Q4 2018? Answer with the percentage.", "4.5%"),
    ("What was the server uptime of Oslo branch Q4 2018, in per cent?", "99.12%"),
    ("What is the location of web-03?", "location: Ottawa"),
    ("Is it true that Ada Lund's extension is 7883? Yes or no.", "Yes"),
    ("Is it true that Ada Lund's extension is 7884? Yes or no.", "No"),
    ("What is Cy Orr's hobby?", NEVER_TOLD),
    ("What is the shoe size of Ada Lund?", NEVER_TOLD),
]


def passages(told: list[str] = TOLD) -> list[Passage]:
    return [Passage(place, text) for place, text in enumerate(told)]


@pytest.mark.parametrize(("question", "answer"), ANSWERS, ids=[question[:60] for question, _ in ANSWERS])
def test_the_answer_stands_in_what_was_found(question: str, answer: str):
    assert pick(question, passages(), "bm25").answer == answer


def test_meaning_finds_what_was_worded_otherwise():
    told = [Passage(0, "Ada Lund grew up in Yerevan."), Passage(1, "Ada Lund spends weekends on squash.")]
    assert "squash" in pick("Which sport does Ada Lund play in her free time?", told, "embeddings").answer


def test_the_newest_day_wins_whatever_the_order_told():
    told = ["Since 4 May 2025 the office of Corvus is in Oslo.", "As of 1 May 2025 the office of Corvus is in Rome."]
    picked = pick("In which city is the office of Corvus? Just the name.", passages(told), "bm25")
    assert (picked.answer, picked.places) == ("Since 4 May 2025 the office of Corvus is in Oslo", (0,))
    assert pick("Which office city had Corvus on 2 May 2025? Just the name.", passages(told), "bm25").places == (1,)


def test_confidence_is_between_nothing_and_certainty_and_grows_with_what_matches():
    good = pick("What is the phone extension of Ada Lund?", passages(), "bm25")
    poor = pick("What do I dial to reach Ada Lund at her desk? The number?", passages(), "bm25")
    assert 0 <= poor.confidence < good.confidence <= 1
    assert good.places == (1,)


def test_a_longer_name_is_another_name():
    told = ["INC-101 was closed by Ada Lundberg.", "INC-10 was closed by Bo Ek."]
    assert pick("Who closed INC-10? Just the name.", passages(told), "bm25").places == (1,)
    assert pick("What did Ada Lund close?", passages(told), "bm25").answer == NEVER_TOLD


def test_nothing_found_is_never_told():
    assert pick("What is Ada's hobby?", [], "both").answer == NEVER_TOLD


texts = st.text(st.characters(), max_size=80) | st.text(
    st.sampled_from("Ab1 ,.:;?-$%'|\n“”Q4 is 3 May 2025"), max_size=80
)


@given(texts, st.lists(texts, max_size=4), st.sampled_from(["bm25", "embeddings", "both"]))
def test_any_question_about_anything_has_an_answer(question: str, told: list[str], kind: Kind):
    picked = pick(question, passages(told), kind)
    assert picked.answer
    assert 0 <= picked.confidence <= 1
    assert all(0 <= place < len(told) for place in picked.places)
    assert picked == pick(question, passages(told), kind)


@pytest.mark.cpu(20)
@pytest.mark.parametrize(
    "piece", sampled(["A ", "a-", "A'", "1,", "1 May 2025 ", ". A", "as of ", "A's B ", "“", "$1 ", ": "], 3)
)
def test_long_hostile_texts_cost_no_more_than_long_ones(piece: str):
    long = piece * (100_000 // len(piece))
    pick(long + "?", [Passage(place, long) for place in range(30)], "both")
