"""What a running topology asks of its store, and what that costs."""

from dataclasses import replace

import pytest

from levee.planning import requests
from levee.topology.graph import Topology
from levee.topology.load import load_bytes
from levee.topology.names import TaskId

TEXT = b"""
apiVersion: levee.dev/v1alpha1
kind: FaultTolerantTopology
metadata: {name: asks}
spec:
  store: {uri: "s3://bucket/asks"}
  sources: [{name: numbers, spark: {format: rate}, configurations: [{rate: 400}], parallelism: 4}]
  operators:
  - {name: first, function: "a:b", parallelism: 2, inputs: [{from: numbers, cost: 1us}]}
  - {name: second, function: "a:b", inputs: [{from: first, cost: 1us}]}
  sinks: [{name: out, from: second, spark: {format: json, options: {path: /tmp/out}}}]
  faultTolerance: {strategy: none}
"""
TASKS = ("first/0", "first/1", "second/0")


def topology() -> Topology:
    [loaded] = load_bytes(TEXT, origin="test")
    assert loaded.topology is not None, loaded
    return loaded.topology


def asked(racing: float, replicas: int = 2, of: Topology | None = None) -> requests.Requests:
    return requests.per_epoch(of or topology(), {TaskId(task): racing for task in TASKS}, replicas)


def test_every_stream_costs_one_put_an_epoch_whoever_races() -> None:
    every = 1_000_000
    still = replace(topology().timing, checkpoint_every=every, retention_s=1e12)
    quiet = replace(topology(), timing=still)
    clock = 4 * requests.ENDS / requests.CLOCK_PERIODS
    assert asked(1, of=quiet).puts == pytest.approx(4 + 3 + clock, rel=1e-3)
    assert asked(2, of=quiet).puts == pytest.approx(asked(1, of=quiet).puts, rel=1e-3)


def test_an_active_replica_asks_more_often_than_one_that_stands_by() -> None:
    assert asked(1).gets < asked(2).gets
    assert asked(1, replicas=2).gets < asked(1, replicas=3).gets


def test_a_task_asks_for_each_task_that_it_reads() -> None:
    made = topology()
    assert [requests.inputs(made, made.operators[0], index) for index in range(2)] == [2, 2]
    assert requests.inputs(made, made.operators[1], 0) == 2


def test_a_stream_costs_a_trimmers_lists_once_and_more_for_each_task_that_reads_it() -> None:
    made = topology()
    names = [*(one.name for one in made.sources), *(one.name for one in made.operators)]
    assert [requests.consumers(made, name, 0) for name in names] == [1, 1, 1]
    often = replace(made.timing, retention_s=0)
    turn = [
        requests.trimming(replicas, 1, consumers, often).puts * requests.TRIM_PERIODS for replicas, consumers in ((2, 1), (3, 1), (2, 2))
    ]
    assert turn[1] == pytest.approx(turn[0] + 1)  # whoever does not lead asks for the time
    assert turn[2] == pytest.approx(turn[0] + requests.KEEPER_LISTS)


def test_half_the_period_asks_twice_as_often() -> None:
    made = topology()
    still = replace(made.timing, retention_s=1e12, failure_timeout_s=1e12)
    active = {TaskId(task): 1.0 for task in TASKS}
    slow = requests.per_second(replace(made, timing=still), active, 2)
    fast = requests.per_second(replace(made, timing=replace(still, period_s=still.period_s / 2)), active, 2)
    assert fast.total == pytest.approx(2 * slow.total, rel=1e-6)


def test_a_put_costs_more_than_ten_gets() -> None:
    assert requests.Requests(puts=1000).usd == 0.005
    assert requests.Requests(gets=1000).usd == 0.0004
