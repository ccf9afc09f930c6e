"""The account in the status is written anew only when it has become another one."""

import pytest

from levee.control.account import Statement, Sums
from levee.serve.shares import steadied, told

SUMS = Sums(100, in_time=990, late=10, replica_s=301, static_s=400, promised_s=70, promised_for_s=100, rates_known_s=50)
TOLD = {"window": 3600, "inputKept": True, "promised": 0.7, "achieved": 0.99, "cost": 0.7525}


def test_shares_are_told_in_few_digits() -> None:
    assert told(Statement(3600, SUMS)) == TOLD
    assert told(Statement(3600, Sums(1, in_time=99_999, late=1)))["achieved"] == 0.9999, "what is not all is not 1"


@pytest.mark.parametrize(
    ("change", "news"),
    [
        ({}, False),
        ({"achieved": 0.989}, False),
        ({"achieved": 0.988}, True),
        ({"cost": 0.76}, False),
        ({"cost": 0.78}, True),
        ({"inputKept": False}, True),
        ({"inputKept": None}, False),
        ({"promised": 0.8}, True),
        ({"achieved": None}, False),
    ],
)
def test_what_moves_a_little_is_no_news(change: dict[str, float | None], news: bool) -> None:
    now = TOLD | change
    assert steadied(TOLD, now) == {"account": now if news else TOLD}


def test_whether_the_promise_was_kept_is_news_however_little_is_missing() -> None:
    before = TOLD | {"achieved": 0.7001}
    assert steadied(before, TOLD | {"achieved": 0.6999})["account"]["achieved"] == 0.6999


def test_the_first_is_told_and_none_takes_nothing_away() -> None:
    assert steadied(None, TOLD) == {"account": TOLD}
    assert steadied(TOLD, None) == {}
