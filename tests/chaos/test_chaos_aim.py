from dataclasses import replace

import pytest

from levee.topology.complaint import Complaint
from levee_chaos.aim import Aimed, Passing, aim
from levee_chaos.fault import Fault, Kind, Role, Whom
from tests.chaos.seen import SEEN, row


def hit(kind: Kind, whom: Whom) -> Aimed:
    found = aim(Fault(kind, whom), SEEN)
    assert isinstance(found, Aimed), found
    return found


def missed(kind: Kind, whom: Whom) -> Complaint:
    found = aim(Fault(kind, whom), SEEN)
    assert isinstance(found, Complaint), found
    return found


def test_a_role_of_a_task_is_one_replica_and_who_shares_its_worker_goes_with_it() -> None:
    found = hit(Kind.CRASH_REPLICA, Whom(task="vwap/0", role=Role.PRIMARY))
    assert (found.replica, found.workers, found.nodes) == ("vwap/0/1", ("node-2-0",), ("node-2",))
    assert found.replicas == ("market/0/1", "vwap/0/1", "vwap/1/0")
    assert found.what == "node-2-0 on node-2 with vwap/0/1 and 2 others"


def test_all_that_is_said_must_hold() -> None:
    assert hit(Kind.PAUSE_REPLICA, Whom(operator="vwap", node="node-3")).replica == "vwap/1/1"
    assert hit(Kind.PAUSE_REPLICA, Whom("clicks", "vwap", role=Role.SECONDARY)).replica == "vwap/0/0"
    assert hit(Kind.CRASH_WORKER, Whom("shop/clicks", worker="node-3-0")).replicas == ("vwap/1/1",)
    assert missed(Kind.PAUSE_REPLICA, Whom(operator="market", node="node-3")) == Passing(
        "node", "no living replica of operator 'market' is of node 'node-3'", "use one of node-1, node-2"
    )


def test_of_several_the_first_in_the_order_of_the_graph_is_hit() -> None:
    assert hit(Kind.CRASH_REPLICA, Whom(role=Role.PRIMARY)).replica == "market/0/0"
    assert hit(Kind.CRASH_REPLICA, Whom(operator="vwap", role=Role.PRIMARY)).replica == "vwap/0/1"


def test_a_standby_is_a_secondary() -> None:
    assert hit(Kind.CRASH_REPLICA, Whom(operator="market", role=Role.SECONDARY)).replica == "market/0/1"


def test_a_node_is_the_one_that_is_named_or_that_of_a_replica_with_all_that_is_on_it() -> None:
    assert hit(Kind.CRASH_NODE, Whom(node="node-1")).replicas == ("market/0/0", "vwap/0/0")
    found = hit(Kind.PAUSE_NODE, Whom(task="vwap/1", role=Role.PRIMARY))
    assert (found.nodes, found.workers, found.what) == (("node-3",), ("node-3-0",), "node-3 with 1 worker and 1 replica")


def test_a_node_without_replicas_can_crash_as_well() -> None:
    found = hit(Kind.CRASH_NODE, Whom(node="node-5"))
    assert (found.workers, found.replicas) == ((), ())


def test_a_zone_is_all_of_its_living_nodes() -> None:
    assert hit(Kind.CRASH_ZONE, Whom(zone="zone-a")).nodes == ("node-1", "node-3")
    found = hit(Kind.CRASH_ZONE, Whom(task="vwap/0", role=Role.PRIMARY))
    assert (found.nodes, found.replica) == (("node-2",), "vwap/0/1")
    assert found.what == "zone-b: node-2 with 1 worker and 3 replicas"
    assert hit(Kind.CRASH_REPLICA, Whom(operator="vwap", zone="zone-b")).replica == "vwap/0/1"


def test_what_may_be_otherwise_later_is_told_from_what_will_never_be() -> None:
    assert isinstance(missed(Kind.CRASH_NODE, Whom(node="node-4")), Passing)
    assert isinstance(missed(Kind.CRASH_REPLICA, Whom(operator="out")), Passing)
    assert not isinstance(missed(Kind.CRASH_NODE, Whom(node="node-9")), Passing)
    assert isinstance(aim(Fault(Kind.CRASH_ZONE, Whom(zone="zone-b")), replace(SEEN, nodes={})), Passing)


def test_a_fault_of_the_topology_as_a_whole_needs_nobody() -> None:
    assert hit(Kind.CRASH_OPERATOR, Whom()).what == "shop/clicks"


@pytest.mark.parametrize(
    ("kind", "whom", "where", "wrong", "fix"),
    [
        (Kind.CRASH_REPLICA, Whom(), "whom", "nobody is named", "say operator, task"),
        (Kind.CRASH_REPLICA, Whom("ticks", "vwap"), "topology", "'ticks' does not run here, shop/clicks does", "use 'shop/clicks'"),
        (Kind.CRASH_REPLICA, Whom(operator="vwpa"), "operator", "there is no operator 'vwpa' in shop/clicks", "use 'vwap'"),
        (Kind.PAUSE_REPLICA, Whom(task="vwap/7"), "task", "'vwap/7'", "use one of vwap/0, vwap/1"),
        (Kind.PAUSE_REPLICA, Whom(replica="vwap/0/9"), "replica", "'vwap/0/9'", "use one of vwap/0/0, vwap/0/1"),
        (Kind.CRASH_WORKER, Whom(worker="node-9-0"), "worker", "'node-9-0'", "use one of node-"),
        (Kind.CRASH_NODE, Whom(node="node-9"), "node", "there is no node 'node-9'", "use one of node-"),
        (Kind.CRASH_NODE, Whom(node="node-4"), "node", "node-4 is dead already", "use one of node-"),
        (Kind.CRASH_ZONE, Whom(zone="zone-z"), "zone", "there is no zone 'zone-z'", "use one of zone-a, zone-b"),
        (Kind.CRASH_REPLICA, Whom(zone="zone-z"), "zone", "there is no zone 'zone-z'", "use one of zone-a, zone-b"),
        (Kind.CRASH_ZONE, Whom(), "whom", "nobody is named", "zone or role"),
        (Kind.CRASH_REPLICA, Whom(operator="ghost"), "operator", "there is no operator 'ghost'", "use one of market, vwap, out"),
        (Kind.CRASH_REPLICA, Whom(task="vwap"), "task", "there is no task 'vwap'", "use one of vwap/0, vwap/1"),
        (Kind.CRASH_REPLICA, Whom(node="node-9"), "node", "there is no node 'node-9'", "use one of node-1, node-2"),
        (Kind.CRASH_REPLICA, Whom(operator="out"), "operator", "no living replica is of operator 'out'", "use one of market, vwap"),
    ],
)
def test_who_is_not_there_is_not_hit_and_it_is_said_who_is(kind: Kind, whom: Whom, where: str, wrong: str, fix: str) -> None:
    found = missed(kind, whom)
    assert found.where == where
    assert wrong in found.wrong
    assert fix in found.fix


def test_a_task_between_two_primaries_is_told_from_one_that_is_not_there() -> None:
    between = replace(SEEN, replicas=(row("vwap/0/0", "node-1", "secondary"), row("vwap/0/1", "node-2", "secondary")))
    found = aim(Fault(Kind.CRASH_REPLICA, Whom(task="vwap/0", role=Role.PRIMARY)), between)
    assert found == Passing(
        "role",
        "there is no primary now among vwap/0/0 (secondary) and vwap/0/1 (secondary)",
        "wait until there is one, or say role 'any'",
    )


def test_where_nobody_lives_that_is_said() -> None:
    found = aim(Fault(Kind.CRASH_REPLICA, Whom(role=Role.ANY, operator="vwap")), replace(SEEN, replicas=()))
    assert isinstance(found, Complaint)
    assert found.wrong == "no replica of shop/clicks lives"


def test_where_no_node_is_in_a_zone_a_crash_of_one_is_refused() -> None:
    found = aim(Fault(Kind.CRASH_ZONE, Whom(role=Role.PRIMARY)), replace(SEEN, zones={}))
    assert isinstance(found, Complaint)
    assert found.wrong == "no node of shop/clicks is in a zone"
