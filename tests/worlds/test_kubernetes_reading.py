"""Of pods and nodes only what is named is read; whatever else an API server says is skipped, and nothing of it is a mistake."""

import json
from typing import Any

import pytest

from levee.worlds.kubernetes.cluster import essence, slim
from levee.worlds.kubernetes.reading import NODES, PODS, WHOLE, Shape

POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "name": "clicks-vwap-0-0-1",
        "namespace": "shop",
        "uid": "u1",
        "resourceVersion": "7",
        "creationTimestamp": "2026-11-20T02:00:00Z",
        "labels": {"levee.dev/topology": "clicks"},
        "annotations": {"levee.dev/worker": "vwap-0"},
        "ownerReferences": [{"uid": "u0"}],
        "managedFields": [{"manager": "levee", "fieldsV1": {"f:metadata": {}}}],
    },
    "spec": {"nodeName": "node-1", "affinity": {"nodeAffinity": {}}, "containers": [{"name": "worker", "env": [{"name": "A"}]}]},
    "status": {
        "phase": "Running",
        "podIP": "10.0.0.7",
        "qosClass": "Burstable",
        "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-20T02:00:09Z"}],
        "containerStatuses": [{"name": "worker", "started": True, "state": {"running": {"startedAt": "x"}}, "imageID": "long"}],
    },
}
NODE: dict[str, Any] = {
    "metadata": {"name": "node-1", "resourceVersion": "8", "labels": {"zone": "a"}, "annotations": {}},
    "spec": {"unschedulable": True, "taints": [{"key": "a", "effect": "NoSchedule"}], "podCIDR": "10.0.0.0/24"},
    "status": {"allocatable": {"cpu": "4"}, "conditions": [{"type": "Ready", "status": "True"}], "images": [{"names": ["a"] * 50}]},
}


def read(shape: Shape, thing: Any) -> Any:
    return shape.page.decode(json.dumps({"items": [thing], "metadata": {"resourceVersion": "9"}}))["items"][0]


def test_of_a_pod_just_that_is_read_which_is_kept() -> None:
    found = read(PODS, POD)
    assert found == slim(POD) == slim(found)
    assert "managedFields" not in found["metadata"] and "containers" not in found["spec"]


def test_of_a_node_all_is_read_that_matters_to_a_topology() -> None:
    found = read(NODES, NODE)
    assert essence(found) == essence(NODE)
    assert "images" not in found["status"]


@pytest.mark.parametrize("shape", [PODS, NODES, WHOLE])
@pytest.mark.parametrize(
    "thing",
    [
        {"kind": "Pod", "metadata": {"resourceVersion": "12", "creationTimestamp": None}, "spec": {"containers": None}, "status": {}},
        {"kind": "Status", "metadata": {}, "status": "Failure", "message": "too old resource version", "code": 410},
    ],
)
def test_bookmarks_and_errors_are_read_as_they_come(shape: Shape, thing: Any) -> None:
    found = shape.event.decode(json.dumps({"type": "BOOKMARK", "object": thing}))
    assert found["object"]["metadata"].get("resourceVersion") == thing["metadata"].get("resourceVersion")
