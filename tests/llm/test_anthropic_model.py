"""The one client of the Anthropic API, on a server that fails as the real one does."""

from __future__ import annotations

import subprocess
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

import pytest
from pydantic import BaseModel

from assay.llm import AnthropicModel, Budget, ModelUnavailable, Request, Spending, WhyUnavailable, complete_as
from tests.fakes.model import Drops, Fails, Says, Sends
from tests.llm.conftest import KEY

COLOUR = {
    "type": "object",
    "properties": {"colour": {"type": "string", "maxLength": 10}, "share": {"type": "number", "maximum": 1}},
    "required": ["colour"],
    "additionalProperties": False,
}


def test_an_answer_comes_with_its_tokens_and_its_cost(server, model):
    server.script = [Says("Blue.", tokens_in=2_000_000, tokens_out=1_000_000)]
    claude = model("claude-sonnet-5-5")
    answer = claude.complete("Which colour?", system="Be brief.")
    assert (answer.text, answer.value, answer.model) == ("Blue.", None, "claude-sonnet-5-5")
    assert (answer.num_tokens_in, answer.num_tokens_out, answer.cost_usd) == (2_000_000, 1_000_000, 14.0)
    assert claude.spent == Spending(1, 2_000_000, 1_000_000, 14.0)
    (asked,) = server.asked
    assert asked.path == "/v1/messages"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.body == {
        "model": "claude-sonnet-5-5",
        "max_tokens": 4096,
        "messages": [{"role": "user", "content": "Which colour?"}],
        "system": "Be brief.",
    }


def test_an_answer_of_a_given_form_is_asked_for_and_checked(server, model):
    server.script = [Says({"colour": "blue"}, thinking="Hm, blue or green?")]
    assert model().complete("Which?", schema=COLOUR).value == {"colour": "blue"}
    wanted = server.asked[0].body["output_config"]["format"]
    assert wanted["type"] == "json_schema"
    # The API knows no ranges and refuses schemas that have them; the client puts them into words.
    assert wanted["schema"]["properties"]["share"] == {"type": "number", "description": "{maximum: 1}"}


class Colour(BaseModel):
    colour: str
    share: float


def test_an_answer_may_be_asked_for_as_a_pydantic_model(server, model):
    server.script = [Says({"colour": "blue", "share": 0.5}), Says({"colour": "blue"})]
    claude = model()
    assert complete_as(claude, Colour, "Which?")[0] == Colour(colour="blue", share=0.5)
    with pytest.raises(ModelUnavailable, match=r"model\.unfit"):
        complete_as(claude, Colour, "Which?")


@pytest.mark.parametrize(
    "said",
    [
        "blue",
        '{"colour": "blue"',
        '["blue"]',
        '{"colour": 7}',
        '{"colour": "blue", "share": 1.5}',
        '{"colour": "blue", "share": NaN}',
        '{"colour": "a colour with too many letters"}',
        '{"color": "blue"}',
        "[" * 100_000,
    ],
)
def test_what_does_not_fit_the_form_is_no_answer(server, model, said):
    server.script = [Says(said)]
    with pytest.raises(ModelUnavailable) as caught:
        model().complete("Which?", schema=COLOUR)
    assert caught.value.why is WhyUnavailable.unfit


@pytest.mark.parametrize(
    ("step", "why", "told"),
    [
        (Says("I can", stop_reason="max_tokens"), "truncated", "cut off"),
        (Says("I can", stop_reason="model_context_window_exceeded"), "truncated", "window"),
        (Says("I can", stop_reason=None), "truncated", "ended early"),
        (Says("I can", stop_reason="pause_turn"), "truncated", "paused"),
        (Says("I can", stop_reason="something_new"), "truncated", "something_new"),
        (Says("  "), "truncated", "an empty answer"),
        (Says("", stop_reason="refusal"), "refused", "refused to answer"),
        (
            Says(
                "", stop_reason="refusal", stop_details={"type": "refusal", "category": "cyber", "explanation": "no\n"}
            ),
            "refused",
            "refused to answer: cyber no",
        ),
    ],
)
def test_half_an_answer_is_no_answer_but_is_paid_for(server, model, step, why, told):
    server.script = [step]
    claude = model()
    with pytest.raises(ModelUnavailable, match=told) as caught:
        claude.complete("Which colour?")
    assert caught.value.why is WhyUnavailable(why)
    assert len(server.asked) == 1, "asking the same again would end the same way"
    assert (claude.spent.num_calls, claude.spent.num_tokens_out) == (1, 20)
    assert claude.spent.cost_usd == pytest.approx(0.00002)


@pytest.mark.parametrize(
    "trouble",
    [
        Fails(429, kind="rate_limit_error"),
        Fails(500),
        Fails(503),
        Fails(529, kind="overloaded_error"),
        Fails(408),
        Drops(),
        Drops(tells_length=False),
        Sends(b"<html>Bad gateway</html>", "text/html"),
        Sends(b'{"surprise": 1}'),
        Sends(b'{"content": [], "stop_reason": "end_turn"'),
    ],
)
def test_what_passes_is_tried_anew(server, model, trouble):
    server.script = [trouble, trouble, Says("Blue.")]
    claude = model()
    assert claude.complete("Which colour?").text == "Blue."
    assert len(server.asked) == 3
    assert claude.spent.num_calls == 3


def test_tries_end(server, model):
    server.answers = lambda asked: Fails(529, "Overloaded", kind="overloaded_error")
    with pytest.raises(ModelUnavailable, match=r"^model\.busy: .*529: Overloaded \(3 tries\)") as caught:
        model(max_retries=2).complete("Which colour?")
    assert caught.value.why is WhyUnavailable.busy
    assert len(server.asked) == 3


def test_a_server_that_nobody_answers_at_is_told_in_a_line(model):
    with pytest.raises(ModelUnavailable, match=r"^model\.unreachable: .* \(2 tries\)$"):
        model(base_url="http://127.0.0.1:9", max_retries=1).complete("Which colour?")


def test_an_answer_that_does_not_come_in_time_is_given_up(server, model):
    server.script = [Says("Blue.", after_s=1.0)]
    with pytest.raises(ModelUnavailable, match="in time") as caught:
        model(timeout_s=0.1, max_retries=0).complete("Which colour?")
    assert caught.value.why is WhyUnavailable.unreachable


@pytest.mark.parametrize("headers", [{"retry-after": "0.2"}, {"retry-after-ms": "200"}])
def test_a_server_that_asks_for_patience_gets_it(server, model, headers):
    server.script = [Fails(429, headers=headers), Says("Blue.")]
    started = time.monotonic()
    model().complete("Which colour?")
    assert time.monotonic() - started >= 0.2


@pytest.mark.parametrize("wait", ["86400", "Fri, 31 Dec 2100 23:59:59 GMT"])
def test_a_server_that_asks_for_a_day_of_patience_is_given_up(server, model, wait):
    server.script = [Fails(429, headers={"retry-after": wait})]
    with pytest.raises(ModelUnavailable, match=r"model\.busy") as caught:
        model().complete("Which colour?")
    assert caught.value.why is WhyUnavailable.busy


@pytest.mark.parametrize("wait", ["soon", "-3", "nan", "inf", ""])
def test_patience_asked_for_in_riddles_is_as_if_not_asked(server, model, wait):
    server.script = [Fails(429, headers={"retry-after": wait}), Says("Blue.")]
    assert model().complete("Which colour?").text == "Blue."


@pytest.mark.parametrize(
    ("step", "why"),
    [
        (Fails(401, "invalid x-api-key", kind="authentication_error"), "rejected"),
        (Fails(403), "rejected"),
        (Fails(404, "model: nothing"), "rejected"),
        (Fails(400, "prompt is too long"), "unfit"),
        (Fails(500, headers={"x-should-retry": "false"}), "rejected"),
    ],
)
def test_what_will_not_pass_is_not_tried_anew(server, model, step, why):
    server.script = [step]
    claude = model()
    with pytest.raises(ModelUnavailable, match=f"returned {step.status}: {step.message}") as caught:
        claude.complete("Which colour?")
    assert caught.value.why is WhyUnavailable(why)
    assert len(server.asked) == 1
    assert claude.spent.cost_usd == 0.0


def test_a_redirect_does_not_take_the_key_elsewhere(server, model):
    server.script = [Fails(307, headers={"location": "http://127.0.0.1:9/v1/messages"})]
    with pytest.raises(ModelUnavailable, match="returned 307"):
        model().complete("Which colour?")


# ------------------------------------------------------------------ budgets


def test_the_budget_in_calls_refuses_before_asking(server, model):
    server.answers = lambda asked: Says("Blue.")
    claude = model(budget=Budget(max_calls=2))
    claude.complete("Which colour?")
    claude.complete("Which colour?")
    with pytest.raises(ModelUnavailable, match=r"model\.budget") as caught:
        claude.complete("Which colour?")
    assert caught.value.why is WhyUnavailable.budget
    assert caught.value.why.is_lasting
    assert len(server.asked) == 2


def test_tries_anew_are_calls_of_the_budget(server, model):
    server.answers = lambda asked: Fails(529)
    with pytest.raises(ModelUnavailable, match="budget of 2 calls"):
        model(budget=Budget(max_calls=2)).complete("Which colour?")
    assert len(server.asked) == 2


def test_the_budget_in_dollars_is_never_exceeded_however_many_ask(server, model):
    # Each call costs $0.0014, and could cost $0.0041 and more.
    server.answers = lambda asked: Says("Blue.", tokens_in=200, tokens_out=100, after_s=0.005)
    claude = model("claude-sonnet-5-5", budget=Budget(max_usd=0.03))

    def ask(_: int) -> str:
        try:
            return str(claude.complete("Which colour?", max_tokens=200).text)
        except ModelUnavailable as error:
            return str(error.why)

    with ThreadPoolExecutor(16) as pool:
        said = list(pool.map(ask, range(60)))
    assert claude.spent.cost_usd is not None
    assert claude.spent.cost_usd <= 0.03
    assert claude.budget.spent_usd == pytest.approx(claude.spent.cost_usd)
    # Calls wait for one another rather than being refused for what others merely hold: all that fit are made.
    assert said.count("Blue.") == len(server.asked) == 19
    assert said.count("budget") == 41


def test_a_broken_call_counts_at_the_most_it_could_have_cost(server, model):
    server.script = [Drops(), Says("Blue.")]
    claude = model()
    most = claude.most_usd(Request("Which colour?"))
    claude.complete("Which colour?")
    assert most is not None
    assert claude.budget.spent_usd == pytest.approx(most + 0.00002)


def test_a_model_without_a_price_has_no_cost_and_keeps_a_budget_in_calls(server, model):
    server.answers = lambda asked: Says("Blue.")
    claude = model("claude-of-tomorrow", budget=Budget(max_calls=1))
    assert claude.complete("Which colour?").cost_usd is None
    assert claude.spent == Spending(1, 100, 20, None)
    with pytest.raises(ModelUnavailable, match="1 calls"):
        claude.complete("Which colour?")
    with pytest.raises(ModelUnavailable, match=r"model\.budget"):
        model("claude-of-tomorrow", budget=Budget(max_usd=1.0)).complete("Which colour?")


@pytest.mark.parametrize("limits", [{"max_usd": -1.0}, {"max_usd": float("nan")}, {"max_calls": -1}])
def test_a_budget_that_makes_no_sense_is_refused(limits):
    with pytest.raises(ValueError, match="invalid budget"):
        Budget(**limits)


# ------------------------------------------------------------------ keys and doors


def test_keys_are_read_when_a_model_is_made(server, monkeypatch):
    with pytest.raises(ModelUnavailable, match="set ANTHROPIC_API_KEY") as caught:
        AnthropicModel("claude-haiku-5-5")
    assert caught.value.why is WhyUnavailable.no_key
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    server.script = [Says("Blue.")]
    with AnthropicModel("claude-haiku-5-5") as claude:
        assert claude.complete("Which colour?").text == "Blue."
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_model_trusts_the_certificates_of_the_environment(tmp_path, monkeypatch):
    bundle = tmp_path / "bundle.pem"
    bundle.write_text("no certificate")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(bundle))
    with pytest.raises(ModelUnavailable) as caught:
        AnthropicModel("claude-haiku-5-5", api_key=KEY)
    assert caught.value.why is WhyUnavailable.not_set_up


def test_certificates_are_read_once_for_all_models(model, monkeypatch):
    model()
    monkeypatch.setattr("ssl.SSLContext.load_verify_locations", None)
    model()


def test_a_gateway_gets_its_token(server, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", KEY)
    server.script = [Says("Blue.")]
    with AnthropicModel("claude-haiku-5-5", base_url=server.url) as claude:
        claude.complete("Which colour?")
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"


def test_bedrock_is_asked_with_its_token(server, model, monkeypatch):
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", KEY)
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    server.script = [Says({"colour": "blue"})]
    claude = model("bedrock:eu.anthropic.claude-sonnet-5-5-v1:0", api_key=None)
    answer = claude.complete("Which?", schema=COLOUR)
    assert answer.value == {"colour": "blue"}
    assert answer.cost_usd is not None
    assert answer.cost_usd > 0
    assert server.asked[0].path == "/model/eu.anthropic.claude-sonnet-5-5-v1:0/invoke"
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"


def test_vertex_is_asked_with_a_token(server, model, monkeypatch):
    monkeypatch.setenv("CLOUD_ML_REGION", "europe-west1")
    monkeypatch.setenv("ANTHROPIC_VERTEX_PROJECT_ID", "a-project")
    server.script = [Says("Blue.")]
    assert model("vertex:claude-sonnet-5-5").complete("Which?").text == "Blue."
    assert server.asked[0].path.endswith("/publishers/anthropic/models/claude-sonnet-5-5:rawPredict")


@pytest.mark.parametrize(
    ("provider", "told"),
    [("bedrock", "AWS_BEARER_TOKEN_BEDROCK"), ("vertex", r"anthropic\[vertex\]")],
)
def test_a_cloud_that_is_not_set_up_says_what_it_needs(provider, told, monkeypatch):
    monkeypatch.delenv("AWS_BEARER_TOKEN_BEDROCK", raising=False)
    with pytest.raises(ModelUnavailable, match=told) as caught:
        AnthropicModel(f"{provider}:claude-sonnet-5-5")
    assert caught.value.why.is_lasting


def test_the_key_is_in_no_error_and_no_repr(server, model):
    server.script = [Fails(401, f"no such key: {KEY}\nline two \x1b[31m")]
    claude = model(budget=Budget(max_usd=1.0))
    with pytest.raises(ModelUnavailable) as caught:
        claude.complete("Which colour?")
    told = "".join(traceback.format_exception(caught.value))
    for text in (str(caught.value), repr(caught.value), told, repr(claude), repr(claude.budget), repr(claude.spent)):
        assert KEY not in text
    assert "\n" not in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_a_prompt_may_hold_what_is_no_text(server, model):
    server.script = [Says("Blue.")]
    model().complete("Which \udcff colour?", system="\ud800")
    assert server.asked[0].prompt == "Which ? colour?"


def test_importing_the_face_loads_no_client():
    code = """
import sys, assay.llm
print(sorted({name.partition(".")[0] for name in sys.modules} & {"anthropic", "httpx2", "pydantic", "jsonschema"}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
