"""Credentials are found in any text around them, in linear time, and plain words are none."""

from __future__ import annotations

import re
import time

import pytest

from assay.secret_forms import CERTAIN, IN_LOGS, IN_PROSE
from tests.examples import sampled

FORMS = (CERTAIN, IN_LOGS, IN_PROSE)
BODY = "MIIEowIBAAKCAQEA1c7+9z5Pad7OejecsQ0bu"
KNOWN = [
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "github_pat_11ABCDEFG0abcdefghijklmnop_qrstuvwxyz0123456789",
    "glpat-abcdefghijklmnop1234",
    "sk-ant-api03-abcdefghijklmnopqrstuvwxyz",
    "sk_live_abcdefghijklmnop1234",
    "xoxb-123456789-abcdef",
    "AKIAIOSFODNN7EXAMPLE",
    "AIza" + "a1" * 18,
    "hf_" + "a1" * 12,
    "npm_" + "a1" * 16,
    "assay_" + "a1" * 21 + "b",
    "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiI0MDAxIn0.c2lnbmF0dXJl",
]
HOSTILE = {
    "tokens": lambda num: "-eyJ" * (num // 4),
    "segments": lambda num: "eyJaaaaa." * (num // 9),
    "escaped": lambda num: r"\neyJ" * (num // 5),
    "colons": lambda num: "://" + ":" * num,
    "addresses": lambda num: "://a:" * (num // 5),
    "key": lambda num: "-----BEGIN PRIVATE KEY-----" + "-----END " * (num // 9),
    "keys": lambda num: "-----BEGIN " * (num // 11),
    "letters": lambda num: "-----BEGIN " + "A " * (num // 2),
    "base64": lambda num: "a" * num,
    "ends": lambda num: "a" * num + "-----END ",
    "blanks": lambda num: "password" + " " * num,
    "words": lambda num: "password is " * (num // 12),
    "bearer": lambda num: "bearer" + " " * num,
    "prefixes": lambda num: "ghp_sk-assay_" * (num // 13),
    "lines": lambda num: "\n" * num,
}


@pytest.mark.parametrize("form", FORMS, ids=["certain", "logs", "prose"])
@pytest.mark.parametrize("secret", KNOWN)
def test_a_token_is_found_wherever_it_stands(form: re.Pattern[str], secret: str):
    for before in ("", " ", '"', "_", "-", "=", "\n", r"\n", r"\u200b"):
        assert secret not in form.sub("", f"the{before or ' '}{secret} of Ada"), before


@pytest.mark.parametrize("form", FORMS, ids=["certain", "logs", "prose"])
@pytest.mark.parametrize(
    "text",
    [
        f"key: -----BEGIN RSA PRIVATE KEY-----\n{BODY}\n-----END RSA PRIVATE KEY----- of Ada",
        f"key: -----BEGIN OPENSSH PRIVATE KEY-----\n{BODY}",
        f"-----BEGIN PRIVATE KEY-----\\n{BODY}\\n" + "a" * 10_000,
        f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{BODY}\n-----END PGP PRIVATE KEY BLOCK-----",
        f"{BODY}\n{BODY}\n-----END PRIVATE KEY-----",
    ],
)
def test_a_private_key_is_found_without_its_end_or_its_beginning(form: re.Pattern[str], text: str):
    assert BODY not in form.sub("", text)


def test_a_password_in_an_address_is_found_even_with_a_colon_in_it():
    for form in FORMS:
        assert form.sub("", "redis://:a:b@host/0") == "redis://@host/0"


@pytest.mark.parametrize(
    "text",
    [
        "A risk-assessment-and-mitigation plan for the right_hand_side_of_it.",
        "https://example.com/a@b and https://example.com:8080/a",
        "Ada forgot her password. The secret of the recipe is butter.",
        "The certificate ends with -----END CERTIFICATE-----.",
    ],
)
def test_plain_words_are_no_credentials(text: str):
    assert [form.search(text) for form in FORMS] == [None, None, None]


@pytest.mark.parametrize("form", [IN_LOGS, IN_PROSE], ids=["logs", "prose"])  # the latter has every form of CERTAIN
@pytest.mark.parametrize("name", sampled(HOSTILE, 1))
def test_a_hostile_megabyte_takes_linear_time(form: re.Pattern[str], name: str):
    def seconds(num: int) -> float:
        text = HOSTILE[name](num)
        began = time.process_time()
        form.sub("", text)
        return time.process_time() - began

    whole = seconds(2**20)
    assert whole < 5
    # Four times the text: 4 if linear, 16 if quadratic. Tenths of a second are noise.
    assert whole < 0.5 or whole / min(seconds(2**18) for _ in range(3)) < 8
