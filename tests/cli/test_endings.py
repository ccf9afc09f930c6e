"""What is meant by a name that is not there: one where one is meant, all where several are."""

import pytest

from levee.plans.ending import did_you_mean, use_instead

TASKS = ["vwap/0", "vwap/1", "market/0"]


@pytest.mark.parametrize(
    ("given", "known", "fix"),
    [
        ("vwpa", ["market", "vwap"], "use 'vwap'"),
        ("vwap", TASKS, "use one of vwap/0, vwap/1"),
        ("market", TASKS, "use 'market/0'"),
        ("vwap/7", TASKS, "use one of vwap/0, vwap/1"),
        ("node-9", ["node-1", "node-2", "node-3"], "use one of node-1, node-2, node-3"),
        ("ghost", ["market", "vwap"], "use one of market, vwap"),
        ("ghost", ["market"], "use 'market'"),
        ("", ["market", "vwap"], "use one of market, vwap"),
    ],
)
def test_where_several_are_meant_all_are_named(given: str, known: list[str], fix: str) -> None:
    assert use_instead(given, known) == fix


def test_it_is_asked_in_the_same_way() -> None:
    assert did_you_mean("planed", ["planned", "lost"]) == "Did you mean 'planned'?"
    assert did_you_mean("node-9", ["node-1", "node-2"]) == "Did you mean one of node-1, node-2?"
    assert did_you_mean("ghost", ["node-1", "node-2"]) == "There is node-1, node-2."
