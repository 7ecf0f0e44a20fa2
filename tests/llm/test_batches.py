"""Message batches by the real client: sent once, collected once, at half the price, whatever breaks in between."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assay.llm import AnthropicModel, Budget, Completion, KeptAnswers, ModelUnavailable, Request, WhyUnavailable
from assay.llm import batches as module
from assay.llm.batches import Batches
from tests.fakes.model import Drops, Ends, Fails, FakeModel, Says, Sends
from tests.fakes.model_batches import Batch, Fault

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer", "maximum": 99}}, "required": ["n"]}
MakeModel = Callable[..., AnthropicModel]


def requests(num: int, start: int = 0) -> list[Request]:
    return [Request(f"number {at}", schema=SCHEMA, max_tokens=100) for at in range(start, start + num)]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "POLL_S", 0.0)


@pytest.fixture
def batches(model: MakeModel, server: FakeModel, tmp_path: Path) -> Callable[..., Batches]:
    """Makes batches of a new run, with the same file of answers; the model answers with the number it is asked for."""
    server.answers = lambda asked: Says({"n": int(asked.prompt.split()[-1])})

    def make(name: str = "claude-haiku-5-5", **settings: object) -> Batches:
        claude = model(name, **settings)
        return Batches(claude, KeptAnswers(claude, tmp_path / "answers.jsonl"))

    return make


def numbers(found: list[Completion | ModelUnavailable]) -> list[object]:
    """What was answered, or why not."""
    return [str(one.why) if isinstance(one, ModelUnavailable) else (one.value or {}).get("n") for one in found]


def test_answers_come_in_the_order_of_the_requests_at_half_the_price(server, batches):
    made = batches()
    assert numbers(made.complete_all(requests(5))) == [0, 1, 2, 3, 4]
    assert server.batches.asked == ["create", "retrieve", "results"]
    assert made._model.spent.num_calls == 5
    # 100 tokens at $0.1 and 20 at $0.5 a million are $0.00002; a batch costs half.
    assert made._model.spent.cost_usd == pytest.approx(5 * 0.00001)
    assert made._model.budget.spent_usd == pytest.approx(5 * 0.00001)
    sent = server.asked[0].body
    assert sent["model"] == "claude-haiku-5-5"
    assert sent["output_config"]["format"]["type"] == "json_schema"


def test_a_second_run_sends_only_what_is_new_and_equal_requests_once(server, batches):
    batches().complete_all(requests(3))
    assert numbers(batches().complete_all([*requests(4), *requests(4)])) == [0, 1, 2, 3] * 2
    assert len(server.asked) == 4
    assert [len(one.results) for one in server.batches.all.values()] == [3, 1]


def test_without_anything_new_nothing_is_sent(server, batches):
    assert batches().complete_all([]) == []
    assert server.batches.asked == []


def test_a_batch_of_a_run_that_was_cut_is_collected_and_not_sent_again(server, batches, monkeypatch):
    server.batches.polls = 1000

    def stop(_: float) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("time.sleep", stop)
        with pytest.raises(KeyboardInterrupt):
            batches().complete_all(requests(3))
    server.batches.all["msgbatch_1"].polls_left = 0
    again = batches()
    assert numbers(again.complete_all(requests(3))) == [0, 1, 2]
    assert server.batches.asked.count("create") == 1
    assert again._model.spent.num_calls == 3


def test_a_creation_whose_answer_is_lost_is_looked_up_and_not_sent_again(server, batches):
    server.batches.faults["create"] = [Fault(Drops(), is_done=True)]
    assert numbers(batches().complete_all(requests(3))) == [0, 1, 2]
    assert server.batches.asked.count("create") == 1
    assert len(server.asked) == 3


def test_a_run_that_ends_while_it_creates_leaves_a_batch_that_is_found(server, batches):
    server.batches.faults["create"] = [Fault(Drops(), is_done=True)]
    server.batches.faults["list"] = [Fault(Fails(500))] * 3
    with pytest.raises(ModelUnavailable, match=r"model\.busy"):
        batches(max_retries=2).complete_all(requests(3))
    assert numbers(batches().complete_all(requests(3))) == [0, 1, 2]
    assert server.batches.asked.count("create") == 1


@pytest.mark.parametrize("step", [Fails(503), Fails(529), Fails(429), Drops(), Sends(b"<html>Bad gateway</html>")])
def test_a_creation_that_failed_is_tried_anew(server, batches, step):
    server.batches.faults["create"] = [Fault(step)]
    assert numbers(batches().complete_all(requests(2))) == [0, 1]
    assert server.batches.asked.count("create") == 2
    assert len(server.asked) == 2


def test_a_batch_of_others_is_not_taken_for_ours(server, batches):
    batches().complete_all(requests(2))
    server.batches.faults["create"] = [Fault(Fails(503))]
    assert numbers(batches().complete_all(requests(2, start=2))) == [2, 3]
    assert [len(one.results) for one in server.batches.all.values()] == [2, 2]


@pytest.mark.parametrize("days", [-1, 1])
def test_a_batch_of_another_day_is_not_taken_for_ours(server, batches, days):
    moment = (datetime.now(UTC) + timedelta(days=days)).isoformat()
    others = {str(at): {"type": "canceled"} for at in range(2)}
    server.batches.all["msgbatch_others"] = Batch("msgbatch_others", others, 0, moment)
    server.batches.faults["create"] = [Fault(Fails(503))]
    assert numbers(batches().complete_all(requests(2))) == [0, 1]


def test_a_refused_creation_ends_the_run_and_leaves_nothing_pending(server, batches):
    server.batches.faults["create"] = [Fault(Fails(401, "invalid x-api-key"))]
    with pytest.raises(ModelUnavailable, match=r"model\.rejected: .*401") as caught:
        batches().complete_all(requests(2))
    assert caught.value.why is WhyUnavailable.rejected
    again = batches()
    assert again._answers.pending == ()
    assert numbers(again.complete_all(requests(2))) == [0, 1]
    assert "list" not in server.batches.asked


@pytest.mark.parametrize("kind", ["retrieve", "results"])
@pytest.mark.parametrize("step", [Fails(503), Drops(), Drops(tells_length=False), Sends(b'{"surprise": 1}')])
def test_what_breaks_while_collecting_is_tried_anew_and_counted_once(server, batches, kind, step):
    server.batches.faults[kind] = [Fault(step, is_done=isinstance(step, Drops))] * 2
    made = batches()
    assert numbers(made.complete_all(requests(5))) == [0, 1, 2, 3, 4]
    assert made._model.spent.num_calls == 5
    assert len(server.asked) == 5


def test_a_batch_that_cannot_be_collected_ends_the_run_and_stays_pending(server, batches):
    server.batches.faults["results"] = [Fault(Fails(503))] * 2
    with pytest.raises(ModelUnavailable, match=r"model\.busy"):
        batches(max_retries=1).complete_all(requests(2))
    assert numbers(batches().complete_all(requests(2))) == [0, 1]
    assert server.batches.asked.count("create") == 1


def test_a_batch_of_another_workspace_is_named(server, batches):
    made = batches()
    made._answers.sent("msgbatch_9", 2, datetime.now(UTC))
    with pytest.raises(ModelUnavailable, match=r"batch msgbatch_9: .*404"):
        made.complete_all(requests(2))


def test_a_batch_whose_results_were_deleted_is_sent_again(server, batches, monkeypatch):
    server.batches.faults["results"] = [Fault(Fails(503))]
    with pytest.raises(ModelUnavailable):
        batches(max_retries=0).complete_all(requests(2))
    server.batches.all["msgbatch_1"].is_archived = True
    assert numbers(batches().complete_all(requests(2))) == [0, 1]
    assert server.batches.asked.count("create") == 2


def test_each_request_has_its_own_end_and_only_answers_are_paid_for(server, batches):
    steps = {
        "0": Says({"n": 0}),
        "1": Fails(400, "prompt is too long", kind="invalid_request_error"),
        "2": Fails(529, kind="overloaded_error"),
        "3": Ends("expired"),
        "4": Ends("canceled"),
        "5": Says("", stop_reason="refusal"),
        "6": Says('{"n": ', stop_reason="max_tokens"),
        "7": Says("no JSON at all"),
        "8": Says({"n": 100}),
    }
    server.answers = lambda asked: steps[asked.prompt.split()[-1]]
    made = batches()
    assert numbers(made.complete_all(requests(9))) == [
        0, "unfit", "busy", "expired", "canceled", "refused", "truncated", "unfit", "unfit"
    ]  # fmt: skip
    assert made._model.spent.num_calls == 5
    # Another run asks again for what cost nothing, and for nothing that was paid for.
    server.asked.clear()
    batches().complete_all(requests(9))
    assert sorted(asked.prompt[-1] for asked in server.asked) == ["1", "2", "3", "4"]


def test_a_result_that_is_no_message_is_no_answer(server, batches):
    made = batches()
    server.batches.result_of = lambda _: {"type": "succeeded", "message": {"content": "surprise"}}
    assert numbers(made.complete_all(requests(1))) == ["unreachable"]


def test_the_budget_is_kept_at_the_most_a_batch_could_cost(server, batches):
    lines: list[str] = []
    made = batches("claude-sonnet-5-5", budget=Budget(max_usd=0.01))
    made._tell = lines.append
    most = made._most_usd(requests(1)[0])
    assert most is not None
    fitting = int(0.01 / most)
    assert 1 < fitting < 9
    assert numbers(made.complete_all(requests(9))) == [*range(fitting), *["budget"] * (9 - fitting)]
    assert len(server.asked) == fitting
    assert f"{fitting} of 9 requests fit the rest of the budget" in lines[0]
    # What is left of it after the real cost is used by the next.
    left = int((0.01 - fitting * 0.0002) / most)
    assert numbers(made.complete_all(requests(9))).count("budget") == max(0, 9 - fitting - left)


def test_the_budget_in_calls_is_kept(server, batches):
    assert numbers(batches(budget=Budget(max_calls=2)).complete_all(requests(3))) == [0, 1, "budget"]


def test_many_requests_make_several_batches(server, batches, monkeypatch):
    monkeypatch.setattr(module, "MOST_REQUESTS", 2)
    assert numbers(batches().complete_all(requests(5))) == [0, 1, 2, 3, 4]
    assert [len(one.results) for one in server.batches.all.values()] == [2, 2, 1]
    monkeypatch.setattr(module, "MOST_BYTES", 700)
    assert numbers(batches().complete_all(requests(3, start=5))) == [5, 6, 7]


def test_answers_of_single_calls_and_of_batches_are_shared(server, batches, tmp_path):
    made = batches()
    kept = KeptAnswers(made._model, tmp_path / "answers.jsonl")
    assert kept.complete("number 0", schema=SCHEMA, max_tokens=100).value == {"n": 0}
    assert numbers(batches().complete_all(requests(2))) == [0, 1]
    again = KeptAnswers(made._model, tmp_path / "answers.jsonl")
    assert again.complete("number 1", schema=SCHEMA, max_tokens=100).value == {"n": 1}
    assert len(server.asked) == 2


def test_a_half_line_of_a_run_that_was_cut_costs_no_other_line(server, batches, tmp_path):
    batches().complete_all(requests(1))
    file = tmp_path / "answers.jsonl"
    file.write_bytes(file.read_bytes() + b'{"key": "half')
    batches().complete_all(requests(2))
    batches().complete_all(requests(2))
    assert len(server.asked) == 2


@pytest.mark.parametrize("provider", ["vertex", "bedrock"])
def test_the_clouds_take_no_batches(model, tmp_path, monkeypatch, provider):
    monkeypatch.setenv("CLOUD_ML_REGION", "europe-west1")
    monkeypatch.setenv("ANTHROPIC_VERTEX_PROJECT_ID", "a-project")
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    claude = model(f"{provider}:claude-haiku-5-5")
    with pytest.raises(ModelUnavailable, match="anthropic") as caught:
        Batches(claude, KeptAnswers(claude, tmp_path / "answers.jsonl"))
    assert caught.value.why is WhyUnavailable.not_set_up
