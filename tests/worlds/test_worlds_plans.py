"""Plans in the store: what was planned is read back as it was, by whoever takes over."""

from dataclasses import replace
from pathlib import Path

import pytest

from levee.control.making import Planned
from levee.control.names import ReplicaName
from levee.topology.names import ConfigurationName, NodeName, TaskId, ZoneName
from levee.worlds import plans
from levee.worlds.plans import Worth, WrittenPlan
from levee_spark.log.keys import Layout
from levee_spark.store.address import open_store
from levee_spark.store.blobs import Blobs

LAYOUT = Layout("shop/clicks", "uid")
PLAN = WrittenPlan(
    3,
    {"kind": "FaultTolerantTopology", "metadata": {"name": "clicks"}, "spec": {"suspend": False}},
    Planned(
        {TaskId("vwap/0"): (NodeName("b"), NodeName("a"))},
        {ConfigurationName("low"): frozenset({ReplicaName("vwap/0/0"), ReplicaName("vwap/0/1")}), ConfigurationName("high"): frozenset()},
        {ReplicaName("vwap/0/0"): 0.25},
        {NodeName("b"): 2.0, NodeName("a"): 1.5},
        {NodeName("b"): ZoneName("east")},
    ),
    Worth(0.75, 12.5, None, "completeness", "the cheapest plan"),
)


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    return open_store(tmp_path.as_uri())


def test_a_plan_is_read_back_as_it_was_written(blobs: Blobs) -> None:
    assert plans.write(blobs, LAYOUT, PLAN) == 1
    found = plans.read(blobs, LAYOUT, 1)
    assert found == PLAN
    assert found is not None
    assert found.nodes == ("b", "a"), "in their order: it breaks ties"


def test_a_plan_of_an_early_version_knows_no_zones() -> None:
    told = plans.encoded(PLAN)
    del told["zones"]
    assert plans.decoded(told) == replace(PLAN, planned=replace(PLAN.planned, zones={}))


def test_a_plan_for_what_was_measured_knows_what_its_author_wrote(blobs: Blobs) -> None:
    adapted = replace(PLAN, resource={**PLAN.resource, "spec": {}}, declared=PLAN.resource)
    assert plans.read(blobs, LAYOUT, plans.write(blobs, LAYOUT, adapted)) == adapted
    assert adapted.author == PLAN.author == PLAN.resource
    told = plans.encoded(PLAN)
    del told["declared"]
    assert plans.decoded(told) == PLAN, "an early version's"


def test_where_there_is_none_none_is_found(blobs: Blobs) -> None:
    assert plans.newest(blobs, LAYOUT) == 0
    assert plans.read(blobs, LAYOUT, 0) is None
    assert plans.read(blobs, LAYOUT, 7) is None


def test_the_same_plan_is_not_written_twice_in_a_row(blobs: Blobs) -> None:
    assert [plans.write(blobs, LAYOUT, PLAN) for _ in range(3)] == [1, 1, 1]
    other = replace(PLAN, generation=4)
    assert [plans.write(blobs, LAYOUT, one) for one in (other, PLAN)] == [2, 3]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 8, 20])
def test_the_newest_is_found_however_many_there_are(blobs: Blobs, count: int) -> None:
    for generation in range(count):
        plans.write(blobs, LAYOUT, replace(PLAN, generation=generation))
    assert plans.newest(blobs, LAYOUT) == count


def test_whoever_comes_second_gets_the_next_number(blobs: Blobs) -> None:
    """Both have seen that there is none."""
    assert blobs.create(LAYOUT.plan(1), b"{}")
    last = plans.newest(blobs, LAYOUT)
    assert last == 1
    blobs.delete(LAYOUT.plan(1))
    plans.write(blobs, LAYOUT, replace(PLAN, generation=9))
    assert plans.write(blobs, LAYOUT, PLAN) == 2
