"""Pods and nodes as the controller sees them, and what the operator remembers of a cluster."""

from datetime import UTC, datetime
from typing import Any

import pytest

from levee.control.actions import StartWorker
from levee.control.names import Instant, ReplicaName, WorkerName
from levee.control.seen import Phase
from levee.topology.names import NodeName
from levee.worlds.kubernetes import names
from levee.worlds.kubernetes.cluster import Cluster
from levee.worlds.kubernetes.names import Owner
from levee.worlds.kubernetes.pods import Birth, PodTerms, pod
from levee.worlds.kubernetes.seen import node_seen, phase_of, pod_seen

NOW = Instant(100_000)
AT = "2026-01-01T00:01:00Z"  # 60 s on the controller's clock
START = StartWorker(WorkerName("node-1-0"), NodeName("node-1"), (ReplicaName("vwap/1/0"),), attempt=2, failures=1)


def when(stamp: datetime) -> Instant:
    return Instant(round((stamp - datetime(2026, 1, 1, tzinfo=UTC)).total_seconds() * 1000))


def seen_pod(**status: Any) -> dict[str, Any]:
    manifest = pod(START, PodTerms(Owner("shop", "clicks", "u"), "image", "config"), Birth(1, 7, 0.1))
    manifest["metadata"] |= {"uid": "pod-uid", "resourceVersion": "10", "creationTimestamp": "2026-01-01T00:00:30Z"}
    manifest["status"] = {"phase": "Pending"} | status
    return manifest


def started(ready: str) -> dict[str, Any]:
    running = {"name": "worker", "started": True, "state": {"running": {}}}
    return {
        "phase": "Running",
        "podIP": "10.0.0.1",
        "conditions": [{"type": "Ready", "status": ready, "lastTransitionTime": AT}],
        "containerStatuses": [running],
    }


def test_a_pod_that_nobody_has_scheduled_is_starting_on_the_node_of_its_plan() -> None:
    found = pod_seen(seen_pod(), (), when, NOW)
    assert found is not None
    assert (found.worker.phase, found.worker.node, found.worker.since) == (Phase.STARTING, "node-1", 30_000)
    assert (found.worker.attempt, found.worker.failures, found.worker.replicas) == (2, 1, ("vwap/1/0",))


def test_a_started_pod_is_ready_or_silent_as_its_probe_says() -> None:
    assert phase_of(seen_pod(**started("True")), when, NOW) == (Phase.READY, 60_000, "")
    assert phase_of(seen_pod(**started("False")), when, NOW) == (Phase.SILENT, 60_000, "")


def test_a_failed_pod_says_how_it_ended() -> None:
    ended = {"terminated": {"reason": "OOMKilled", "exitCode": 137, "finishedAt": AT, "message": "first\nlast words\n"}}
    status = {"phase": "Failed", "containerStatuses": [{"name": "worker", "state": ended}]}
    assert phase_of(seen_pod(**status), when, NOW) == (Phase.ENDED, 60_000, "OOMKilled with exit code 137: last words")


def test_an_evicted_pod_says_so() -> None:
    assert phase_of(seen_pod(phase="Failed", reason="Evicted", message="low on memory"), when, NOW) == (
        Phase.ENDED,
        NOW,
        "Evicted: low on memory",
    )


def test_a_pod_that_is_being_deleted_has_ended() -> None:
    leaving = seen_pod(**started("True"))
    leaving["metadata"]["deletionTimestamp"] = AT
    assert phase_of(leaving, when, NOW)[0] is Phase.ENDED


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (
            {"containerStatuses": [{"name": "worker", "state": {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}}]},
            "ImagePullBackOff: no such image",
        ),
        (
            {"conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes"}]},
            "Unschedulable: 0/3 nodes",
        ),
        ({"containerStatuses": [{"name": "worker", "state": {"waiting": {"reason": "ContainerCreating"}}}]}, ""),
    ],
)
def test_a_pod_that_does_not_start_says_why(status: dict[str, Any], words: str) -> None:
    assert phase_of(seen_pod(**status), when, NOW) == (Phase.STARTING, 30_000, words)


@pytest.mark.parametrize("missing", [names.WORKER, names.REPLICAS, names.ATTEMPT, names.INCARNATION])
def test_a_pod_that_only_bears_our_label_is_left_alone(missing: str) -> None:
    stranger = seen_pod()
    del stranger["metadata"]["annotations"][missing]
    assert pod_seen(stranger, (), when, NOW) is None


def test_a_stamp_from_the_future_is_of_now() -> None:
    """The clocks of an API server and of the operator differ."""
    assert phase_of(seen_pod(**started("True")), when, Instant(50_000))[1] == 50_000


def node(ready: str = "True", **spec: Any) -> dict[str, Any]:
    beat = {"type": "Ready", "status": ready, "lastTransitionTime": AT, "lastHeartbeatTime": "2026-01-01T00:05:00Z"}
    return {"metadata": {"name": "node-1"}, "spec": spec, "status": {"conditions": [beat], "allocatable": {"cpu": "2"}}}


@pytest.mark.parametrize(("status", "alive"), [("True", True), ("False", False), ("Unknown", False)])
def test_a_node_lives_as_long_as_its_kubelet_says_so(status: str, alive: bool) -> None:
    assert node_seen(node(status), when, NOW).alive is alive


def test_a_heartbeat_is_no_news() -> None:
    cluster = Cluster()
    assert cluster.keep_node(node())
    later = node()
    later["status"]["conditions"][0]["lastHeartbeatTime"] = "2026-01-01T00:06:00Z"
    assert not cluster.keep_node(later)
    assert cluster.keep_node(node("Unknown"))
    assert cluster.keep_node(node(unschedulable=True))


def test_what_was_just_made_is_known_before_the_watch_tells_and_older_news_changes_nothing() -> None:
    cluster, made = Cluster(), seen_pod()
    assert cluster.keep_pod(made) == ("shop", "clicks")
    assert cluster.keep_pod(made) is None
    older, newer = seen_pod(), seen_pod(phase="Running")
    older["metadata"]["resourceVersion"], newer["metadata"]["resourceVersion"] = "9", "11"
    assert cluster.keep_pod(older) is None
    assert cluster.keep_pod(newer) == ("shop", "clicks")
    [kept] = cluster.pods("shop", "clicks")
    assert kept["status"]["phase"] == "Running"


def test_what_is_kept_of_a_pod_is_enough_to_see_it() -> None:
    cluster, whole = Cluster(), seen_pod(**started("True"))
    cluster.keep_pod(whole)
    [kept] = cluster.pods("shop", "clicks")
    assert pod_seen(kept, (), when, NOW) == pod_seen(whole, (), when, NOW)
