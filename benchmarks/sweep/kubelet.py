"""Plays scheduler and kubelets: binds pods, runs a worker for each, says how it is, ends it when it is to end; and loses a node.

Why: pods need neither images nor namespaces of the kernel to be swept, only processes that do their work and can be killed. What is said
of them is what a kubelet would say.
Called by: bench, which follows pods with it; life, which loses nodes.
"""

import json
import signal
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.sweep.nursery import Nursery
from benchmarks.sweep.topology import NODES
from levee.worlds.kubernetes.api import Api, Conflict, Denied, Object, Unreachable
from levee.worlds.kubernetes.pods import CONTAINER, ORDER, PORT, RESOURCE_FILE
from levee.worlds.kubernetes.seen import wanted_node
from levee.worlds.kubernetes.watching import Watch
from levee.worlds.local.asking import answer_of

LOOK_S = 0.1


@dataclass(slots=True)
class Pod:
    thing: Object
    address: str = ""
    worker: int | None = None
    said: str = ""  # the phase that was told last
    ends: float | None = None  # when it was told to

    @property
    def name(self) -> str:
        return str(self.thing["metadata"]["name"])

    @property
    def node(self) -> str:
        return wanted_node(self.thing["spec"])

    @property
    def leaving(self) -> bool:
        return self.thing["metadata"].get("deletionTimestamp") is not None


@dataclass(slots=True)
class Kubelet:
    """`host`: the first three numbers of its pods' addresses, all of them on loopback."""

    api: Api
    namespace: str
    nursery: Nursery
    place: Path
    gate: Path
    host: str
    pods: dict[str, Pod] = field(default_factory=dict)  # by UID
    born: list[str] = field(default_factory=list)
    down: set[str] = field(default_factory=set)  # nodes
    lock: threading.Lock = field(default_factory=threading.Lock)
    over: threading.Event = field(default_factory=threading.Event)
    mistakes: list[str] = field(default_factory=list)

    # ---- what the watch hears

    def listed(self, things: list[Object], version: int) -> None:
        there = {thing["metadata"]["uid"] for thing in things}
        for uid in self.pods.keys() - there:
            self.forget(uid)
        for thing in things:
            self.changed(thing)

    def changed(self, thing: Object) -> None:
        uid = thing["metadata"]["uid"]
        with self.lock:
            if uid not in self.pods:
                self.born.append(thing["metadata"]["name"])
                self.pods[uid] = Pod(thing)
            self.pods[uid].thing = thing

    def gone(self, thing: Object) -> None:
        self.forget(thing["metadata"]["uid"])

    def forget(self, uid: str) -> None:
        with self.lock:
            pod = self.pods.pop(uid, None)
        if pod is not None and pod.worker is not None:
            self.nursery.kill(pod.worker)

    # ---- what it does

    def begin(self) -> None:
        for name in NODES:
            self.show_node(name, ready=True)
        watch = Watch(self.api, self.pods_path(), self, stopping=self.over.is_set)
        for act in (watch.follow, self.work):
            threading.Thread(target=act, daemon=True).start()

    def work(self) -> None:
        while not self.over.wait(LOOK_S):
            with self.lock:
                there = list(self.pods.values())
            for pod in there:
                with suppress(Conflict, Unreachable):  # it is looked at again
                    self.guarded(pod)

    def guarded(self, pod: Pod) -> None:
        try:
            self.look_after(pod)
        except Denied as denied:
            if denied.status != 404:  # gone meanwhile
                self.mistakes.append(f"{pod.name}: {denied}")

    def look_after(self, pod: Pod) -> None:
        if pod.node in self.down:
            return
        if pod.leaving:
            self.finish(pod)
        elif pod.worker is None:
            self.start(pod)
        elif pod.said != "Failed" and not self.nursery.lives(pod.worker):
            self.say(pod, "Failed", ended())
        elif not pod.said and answer_of(PORT, "/state", pod.address, 0.5) is not None and self.is_ready(pod):
            self.say(pod, "Running", running())

    def is_ready(self, pod: Pod) -> bool:
        told = answer_of(PORT, "/state", pod.address, 0.5)
        return bool(told and told["ready"] and told["worker"].startswith(f"{pod.name}."))

    def start(self, pod: Pod) -> None:
        binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod.name}, "target": {"kind": "Node", "name": pod.node}}
        if pod.thing["spec"].get("nodeName") is None:
            self.api.create(f"{self.pods_path(pod.name)}/binding", binding)
        text = self.config(pod)
        if text is None:
            return  # its ConfigMap is not there: a kubelet waits for it
        pod.address = self.address()
        told = {"order": json.dumps(self.order(pod, text)), "gate": str(self.gate), "rate": str(self.place / "rate")}
        pod.worker = self.nursery.start("worker", told, self.place / "logs" / f"{pod.name}.log")

    def address(self) -> str:
        with self.lock:
            taken = {pod.address for pod in self.pods.values()}
        return next(found for number in range(1, 255) if (found := f"{self.host}.{number}") not in taken)

    def config(self, pod: Pod) -> str | None:
        name = next(one["configMap"]["name"] for one in pod.thing["spec"]["volumes"] if "configMap" in one)
        found = self.api.get(f"/api/v1/namespaces/{self.namespace}/configmaps/{name}")
        return None if found is None else str(found["data"][RESOURCE_FILE])

    def order(self, pod: Pod, text: str) -> dict[str, Any]:
        """With what a kubelet puts in."""
        metadata = pod.thing["metadata"]
        folder = self.place / "pods" / f"{pod.name}-{metadata['uid'][:8]}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / RESOURCE_FILE).write_text(text, encoding="utf-8")
        container = next(one for one in pod.thing["spec"]["containers"] if one["name"] == CONTAINER)
        told = next(one["value"] for one in container["env"] if one["name"] == ORDER)
        told = told.replace("$(POD_NAME)", pod.name).replace("$(POD_UID)", metadata["uid"])
        ours = {"resource": str(folder / RESOURCE_FILE), "directory": str(folder / "work"), "host": pod.address}
        return {**json.loads(told), **ours}

    def finish(self, pod: Pod) -> None:
        """It has its time to end, and then goes."""
        metadata = pod.thing["metadata"]
        if pod.worker is not None and self.nursery.lives(pod.worker):
            if pod.ends is None:
                pod.ends = time.monotonic()
                self.nursery.kill(pod.worker, signal.SIGTERM)
            elif time.monotonic() - pod.ends > float(metadata.get("deletionGracePeriodSeconds") or 0):
                self.nursery.kill(pod.worker)
            return
        options = {"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0, "preconditions": {"uid": metadata["uid"]}}
        self.api.ask("DELETE", self.pods_path(pod.name), options)
        pod.worker = None

    def say(self, pod: Pod, phase: str, told: Object) -> None:
        ready = {"type": "Ready", "status": "True" if phase == "Running" else "False", "lastTransitionTime": stamp()}
        status = {"phase": phase, "podIP": pod.address, "podIPs": [{"ip": pod.address}], "conditions": [ready], "startTime": stamp()}
        status["containerStatuses"] = [CONTAINERS | told]
        self.api.patch(f"{self.pods_path(pod.name)}/status", {"metadata": {"uid": pod.thing["metadata"]["uid"]}, "status": status})
        pod.said = phase

    # ---- nodes

    def lose(self, name: str) -> None:
        """Its power is cut, and then it is found silent."""
        self.down.add(name)
        with self.lock:
            hit = [pod for pod in self.pods.values() if pod.node == name]
        for pod in hit:
            if pod.worker is not None:
                self.nursery.kill(pod.worker)
        self.show_node(name, ready=False)
        for pod in hit:
            with suppress(Denied):
                silent = {"conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": stamp()}]}
                self.api.patch(f"{self.pods_path(pod.name)}/status", {"metadata": {"uid": pod.thing["metadata"]["uid"]}, "status": silent})

    def bring_back(self, name: str) -> None:
        self.down.discard(name)
        self.show_node(name, ready=True)

    def show_node(self, name: str, *, ready: bool) -> None:
        labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": f"zone-{name[-1]}"}
        self.api.create("/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}})
        says = {"type": "Ready", "status": "True" if ready else "Unknown", "lastTransitionTime": stamp(), "reason": "Played"}
        room = {"cpu": "2", "memory": "8Gi", "pods": "100"}
        self.api.patch(f"/api/v1/nodes/{name}/status", {"status": {"conditions": [says], "capacity": room, "allocatable": room}})

    def pods_path(self, name: str = "") -> str:
        return f"/api/v1/namespaces/{self.namespace}/pods" + (f"/{name}" if name else "")

    def evidence(self) -> dict[str, Any]:
        """What its pods say of themselves."""
        with self.lock:
            there = list(self.pods.values())
        return {pod.name: answer_of(PORT, "/state", pod.address, 2.0) for pod in there if pod.address}

    def end(self) -> None:
        self.over.set()
        with self.lock:
            workers = [pod.worker for pod in self.pods.values() if pod.worker is not None]
        for worker in workers:
            self.nursery.kill(worker)


CONTAINERS: Object = {"name": CONTAINER, "image": "none", "imageID": "none", "restartCount": 0}


def running() -> Object:
    return {"ready": True, "started": True, "state": {"running": {"startedAt": stamp()}}}


def ended() -> Object:
    killed = {"exitCode": 137, "reason": "Error", "startedAt": stamp(), "finishedAt": stamp()}
    return {"ready": False, "started": False, "state": {"terminated": killed}}


def stamp() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
