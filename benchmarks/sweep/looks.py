"""How things are in a life, as far as two lives must agree in it, and what is wrong with what they have left.

Called by: life, again and again; verdict, at the end.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.sweep.plain import expected
from benchmarks.sweep.topology import LOST, NAME, TASKS
from levee.topology.crd import PLURAL
from levee.topology.names import TaskId
from levee.topology.spec import API_VERSION
from levee.worlds.kubernetes import names
from levee.worlds.kubernetes.api import Api, Object
from levee_spark.log import history
from levee_spark.log.keys import Layout
from levee_spark.store.address import open_store
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver

Snapshot = Mapping[str, Any]
KINDS = {"pods": "/api/v1", "configmaps": "/api/v1", "poddisruptionbudgets": "/apis/policy/v1"}
COUNTED = {"configmaps", "poddisruptionbudgets"}  # their names are made from what differs between lives
CALM_IN = {"create", "edit"}  # else it is busy
TOLD = ("Ready", "Planned", "Healthy", "GuaranteeMet")
SAID = 400  # characters


def snapshot(api: Api, namespace: str, place: Path) -> dict[str, Any]:
    found = api.get(f"/apis/{API_VERSION}/namespaces/{namespace}/{PLURAL}/{NAME}")
    there = {kind: ours(api, f"{root}/namespaces/{namespace}/{kind}") for kind, root in KINDS.items()}
    seen: dict[str, Any] = {kind: len(there[kind]) for kind in COUNTED}
    seen["pods"] = {one["metadata"]["name"]: pod(one) for one in there["pods"]}
    return seen | {"topology": None if found is None else told(found), "store": store(place)}


def ours(api: Api, path: str) -> list[Object]:
    items: list[Object] = api.ask("GET", path, query={"labelSelector": names.TOPOLOGY})["items"]
    return items


def pod(one: Object) -> dict[str, Any]:
    said, status = one["metadata"]["annotations"], one.get("status", {})
    leaving = one["metadata"].get("deletionTimestamp") is not None
    phase = "leaving" if leaving else status.get("phase")
    return {"node": one["spec"].get("nodeName"), "replicas": said[names.REPLICAS], "phase": phase}


def told(resource: Object) -> dict[str, Any]:
    status = resource.get("status") or {}
    conditions = {one["type"]: f"{one['status']} {one['reason']}" for one in status.get("conditions") or () if one["type"] in TOLD}
    is_read = status.get("observedGeneration") == resource["metadata"]["generation"]
    return {
        "state": status.get("state"),
        "attempts": status.get("attempts"),
        "configuration": status.get("configuration"),
        "conditions": conditions,
        "read": is_read,
    }


def store(place: Path) -> bool:
    """Whether anything of the topology is left in it."""
    found = (
        Path(folder, name) for folder, _, names in os.walk(place / "store") for name in names
    )  # of what goes meanwhile it says nothing
    return any(".levee-scraps" not in path.parts for path in found)


def has_ended(phase: str, seen: Snapshot) -> bool:
    """The undisturbed life knows the phase's end by what it is for."""
    if not seen:
        return False
    if phase == "delete":
        return seen["topology"] is None and not seen["pods"] and not any(seen[kind] for kind in COUNTED) and not seen["store"]
    topology = seen["topology"]
    if topology is None or not topology["read"]:
        return False
    if phase == "suspend":
        return topology["state"] == "suspended" and not seen["pods"]
    configuration = "calm" if phase in CALM_IN else "busy"
    return is_steady(topology) and topology["configuration"] == configuration and is_on_nodes(phase, seen)


def is_steady(topology: Mapping[str, Any]) -> bool:
    conditions = topology["conditions"]
    return (
        bool(topology["state"] == "running")
        and conditions.get("Ready", "").startswith("True")
        and conditions.get("Healthy") == "True Settled"
    )


def is_on_nodes(phase: str, seen: Snapshot) -> bool:
    """All of whom work; the dead one's are gone."""
    pods = seen["pods"].values()
    return bool(pods) and all(one["phase"] == "Running" and (phase != "lose" or one["node"] != LOST) for one in pods)


def agree(golden: Snapshot, seen: Snapshot, *, by_name: bool = True) -> bool:
    """Without names: who was killed bears another one when he comes back."""
    return bool(seen) and (dict(golden) == dict(seen) if by_name else unnamed(golden) == unnamed(seen))


def unnamed(seen: Snapshot) -> dict[str, Any]:
    return {**seen, "pods": sorted(map(json.dumps, seen["pods"].values()))}


def difference(golden: Snapshot | None, seen: Snapshot) -> str:
    if golden is None:
        return f"it never came to its end: {json.dumps(seen)}"
    return "; ".join(
        f"{key}: {json.dumps(seen.get(key))} instead of {json.dumps(golden[key])}" for key in golden if golden[key] != seen.get(key)
    )


# ---- what must have come out


def streams(place: Path, namespace: str, uid: str) -> list[str]:
    """Of each task one line, without a gap, a break or an epoch that was given up."""
    driver = StoreDriver(open_store((place / "store").as_uri()))
    try:
        return [wrong for task in TASKS for wrong in of_stream(driver, Layout(f"{namespace}/{NAME}", uid), TaskId(task))]
    finally:
        driver.close()


def of_stream(driver: StoreDriver, layout: Layout, task: TaskId) -> Iterator[str]:
    line = drive(history.manifests(layout, task), driver)
    if not line:
        yield f"{task} has no epoch"
        return
    yield from (f"{task}: {wrong}" for wrong in history.complaints(line))
    yield from (f"{task}: epoch {one.epoch} is {one.kind.value}" for one in line if one.kind.value != "final")
    yield from (f"{task}: epoch {one.epoch} breaks with what was before it" for one in line if one.rebased)


def delivered(place: Path) -> list[str]:
    """Each epoch's file has the rows that must be in it, and none is missing."""
    out = {int(file.stem.rpartition("-")[2]): rows_of(file) for file in (place / "out").rglob("part-*.json")}
    if not out:
        return ["nothing was delivered"]
    wanted = expected(max(out))
    missing, more = sorted(wanted.keys() - out.keys()), sorted(out.keys() - wanted.keys())
    wrong = [epoch for epoch in sorted(wanted.keys() & out.keys()) if wanted[epoch] != out[epoch]]
    told = (("are missing", missing), ("were not to come", more), ("have other rows", wrong))
    return [f"delivered epochs {epochs[:5]} {what}" for what, epochs in told if epochs]


def rows_of(file: Path) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return sorted(rows, key=lambda row: str(row["key"]))


def last_lines(log: Path) -> str:
    return " | ".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-3:])[-SAID:] if log.exists() else "no log"
