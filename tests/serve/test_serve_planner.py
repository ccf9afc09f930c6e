"""Plans are made whatever became of the process that makes them."""

import os
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from levee.lifecycle.handlers import NotYet
from levee.serve import planner, planning
from levee.serve.planner import Planner
from levee.topology.graph import Node
from levee.topology.names import NodeName, ZoneName
from levee.worlds.kubernetes.api import Object
from tests.serve.plant import topology

NODES = [Node(NodeName(f"node-{number}"), ZoneName("z"), 2.0) for number in (1, 2, 3)]


@pytest.fixture
def one() -> Iterator[Planner]:
    made = Planner()
    yield made
    made.close()


@pytest.fixture
def resource(tmp_path: Path) -> Object:
    told = topology(tmp_path / "store")
    told["metadata"] |= {"uid": "u", "generation": 1}
    return told


def test_a_plan_is_made_in_another_process_and_what_cannot_be_is_said(one: Planner, resource: Object) -> None:
    assert one.submit(resource, NODES).result().generation == 1
    assert one.child is not None
    assert one.child.process.pid != os.getpid()
    with pytest.raises(planning.Infeasible):
        one.submit(resource, [Node(NodeName("tiny"), ZoneName("z"), 0.000001)]).result()
    with pytest.raises(RuntimeError, match="KeyError"):
        one.submit({}, NODES).result()
    assert one.submit(resource, NODES).result().generation == 1


def test_small_topologies_do_not_all_fill_the_same_nodes(resource: Object) -> None:
    nodes = [Node(NodeName(f"node-{number}"), ZoneName(f"z{number % 3}"), 64.0) for number in range(60)]
    spread = [planning.planned(renamed(resource, f"one-{number}"), nodes).planned.placement for number in range(20)]
    used = {node for placement in spread for on in placement.values() for node in on}
    assert len(used) > 20
    assert planning.planned(resource, nodes) == planning.planned(resource, nodes[::-1])


def renamed(resource: Object, name: str) -> Object:
    return {**resource, "metadata": {**resource["metadata"], "name": name}}


def test_when_its_process_was_killed_the_next_plan_is_made_in_another(one: Planner, resource: Object) -> None:
    one.submit(resource, NODES).result()
    assert one.child is not None
    one.child.process.kill()
    with pytest.raises(NotYet, match="has ended"):
        one.submit(resource, NODES).result()
    assert one.submit(resource, NODES).result().generation == 1


def sleeps(line: Connection) -> None:
    resource, nodes = line.recv()
    time.sleep(60 if resource["slow"] else 0)
    line.send(planner.answer(resource["told"], nodes))


def test_a_plan_that_takes_too_long_is_given_up_and_the_next_is_made(resource: Object) -> None:
    slow = Planner(limit_s=0.5, target=sleeps)
    try:
        with pytest.raises(NotYet, match="no plan was made in"):
            slow.submit({"slow": True, "told": resource}, NODES).result()
        slow.limit_s = 60
        assert slow.submit({"slow": False, "told": resource}, NODES).result().generation == 1
    finally:
        slow.close()
