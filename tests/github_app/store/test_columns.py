"""What strangers write goes in and comes out of both databases alike."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.github_app.store import Store
from assay.github_app.store.database.columns import MOST_TEXT, clean
from tests.examples import num_examples
from tests.github_app.remembering import REPOSITORY, after, pull

ANYTHING = st.text(st.characters() | st.sampled_from("\x00\udc80\ud83d\udcff\n'\"\\;--🙂"), max_size=40)
DATA = st.recursive(
    ANYTHING | st.integers() | st.booleans() | st.none(),
    lambda inner: st.lists(inner) | st.dictionaries(ANYTHING, inner),
)


@settings(
    max_examples=num_examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(title=ANYTHING, body=ANYTHING, name=ANYTHING)
def test_any_text_is_taken_and_comes_back_clean(store: Store, title: str, body: str, name: str):
    facts = pull(title=title, body=body, head_ref=name, updated_at=after())
    with store.together():
        store.pulls.see(facts, REPOSITORY, after())
        row = store.pulls.get(5, 7)
        store.waivers.put(5, 7, name, "fp", "bo", body, "a", after())  # type: ignore[arg-type]
        assert set(store.waivers.of(5, 7)) >= {clean(name)}
        store.waivers.remove(5, 7, name)
    assert row is not None
    assert "\x00" not in row.title + row.body
    row.title.encode("utf-8")
    assert clean(row.title) == row.title


@settings(
    max_examples=num_examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(value=DATA)
def test_plain_data_loses_nothing(store: Store, value: object):
    key = str(hash(repr(value)))
    store.events.append("comment_made", key, after(), 5, 7, data={"value": value})
    found = [event for event in store.events.of(5, 7) if event.key == f"comment_made:{key}"]
    assert found[0].data == {"value": value}


def test_a_text_without_end_is_cut():
    assert len(clean("x" * (MOST_TEXT + 5))) == MOST_TEXT
    assert clean("a\x00b\udc80") == "a\ufffdb\\udc80"


def test_times_are_aware_and_exact_on_both_sides(store: Store):
    east = datetime(2026, 3, 1, 17, 30, 0, 123456, tzinfo=timezone(timedelta(hours=5, minutes=30)))
    store.leases.renew("one", "host", 1, east)
    lease = store.leases.all()[0]
    assert lease.renewed_at == east
    assert lease.renewed_at.utcoffset() == timedelta(0)


def test_a_time_without_a_zone_is_refused(store: Store):
    with pytest.raises(Exception, match="without a zone"):
        store.leases.renew("one", "host", 1, datetime(2026, 3, 1))  # noqa: DTZ001
