"""The Kopf application: three watches that feed one hub.

Why: kopf knows how to watch, to reconnect and to be probed; what is written, and when, is decided here alone. So it is given event handlers
only, which write nothing.
Called by: `python -m levee.serve`.
"""

import asyncio
import logging
import os
import signal
import socket
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import kopf

from levee.lifecycle.documents import machine
from levee.serve.documents import BOUNDED, JOB
from levee.serve.hub import Hub
from levee.serve.leader import Leader
from levee.serve.metrics import Metrics
from levee.serve.planning import Planner
from levee.serve.shop import WORKER_IMAGE, Shop
from levee.topology.crd import PLURAL
from levee.topology.spec import GROUP, VERSION
from levee.worlds.kubernetes import api, names
from levee.worlds.kubernetes.cluster import Cluster

log = logging.getLogger("levee")
SERVER_TIMEOUT_S, CLIENT_TIMEOUT_S = 60, 75  # a watch that stalls is noticed, and begun anew


@dataclass(frozen=True, slots=True)
class Settings:
    """From the environment, as the chart sets it."""

    namespace: str  # the operator's own
    watched: Sequence[str]  # none: all namespaces
    service_account: str | None
    worker_image: str
    liveness: str | None
    metrics_port: int | None

    @staticmethod
    def read() -> "Settings":
        watched = tuple(filter(None, os.environ.get("LEVEE_WATCH_NAMESPACES", "").split(",")))
        return Settings(
            os.environ.get("LEVEE_NAMESPACE", "default"),
            watched,
            os.environ.get("LEVEE_WORKER_SERVICE_ACCOUNT") or None,
            os.environ.get("LEVEE_WORKER_IMAGE") or WORKER_IMAGE,
            os.environ.get("LEVEE_LIVENESS") or None,
            int(os.environ.get("LEVEE_METRICS_PORT") or 0) or None,
        )


def serve(settings: Settings) -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    for chatty in ("kopf", "aiohttp.access"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    asyncio.run(serving(settings))


async def serving(settings: Settings) -> None:
    metrics = Metrics()
    connected = api.connect(lambda verb, answer: metrics.requests.labels(verb, answer).inc())
    identity = f"{socket.gethostname()}-{uuid.uuid4().hex[:8]}"
    leader = Leader(connected, settings.namespace, identity)
    shop = Shop(connected, Cluster(), Planner(), identity, settings.service_account, settings.worker_image, leader.leads, metrics=metrics)
    hub = Hub(shop)
    shop.metrics.watch(hub.standings, leader.leads, sorted({*machine(JOB).states, *machine(BOUNDED).states}))
    if settings.metrics_port is not None:
        shop.metrics.serve(settings.metrics_port)
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    leading = asyncio.create_task(leader.follow())
    log.info("%s watches %s", identity, ", ".join(settings.watched) or "all namespaces")
    try:
        await kopf.operator(
            registry=registry(hub),
            settings=tuned(),
            standalone=True,
            clusterwide=not settings.watched,
            namespaces=list(settings.watched),
            liveness_endpoint=settings.liveness,
            stop_flag=stop,
        )
    finally:
        leading.cancel()
        leader.release()
        shop.planner.close()


def tuned() -> kopf.OperatorSettings:
    settings = kopf.OperatorSettings()
    settings.posting.enabled = False
    settings.watching.server_timeout = SERVER_TIMEOUT_S
    settings.watching.client_timeout = CLIENT_TIMEOUT_S
    settings.persistence.finalizer = names.FINALIZER
    return settings


def registry(hub: Hub) -> kopf.OperatorRegistry:
    found = kopf.OperatorRegistry()
    cluster = hub.shop.cluster

    @kopf.on.login(registry=found)
    def login(**told: Any) -> kopf.ConnectionInfo | None:
        return kopf.login_via_client(**told)  # as the Kubernetes client does, and so do we

    @kopf.on.event(GROUP, VERSION, PLURAL, registry=found)
    async def topology(event: kopf.RawEvent, **_: object) -> None:
        resource = dict(event["object"])
        if event["type"] == "DELETED":
            hub.resource_gone(resource)
        else:
            hub.resource_seen(resource)

    @kopf.on.event("v1", "pods", labels={names.TOPOLOGY: kopf.PRESENT}, registry=found)
    async def pod(event: kopf.RawEvent, **_: object) -> None:
        thing = event["object"]
        if event["type"] == "DELETED":
            metadata = thing["metadata"]
            key = metadata["namespace"], (metadata.get("labels") or {}).get(names.TOPOLOGY, "")
            cluster.forget(*key, metadata["uid"])
            hub.pod_seen(key)
        else:
            hub.pod_seen(cluster.keep_pod(thing))

    @kopf.on.event("v1", "nodes", registry=found)
    async def node(event: kopf.RawEvent, **_: object) -> None:
        thing = event["object"]
        if event["type"] == "DELETED":
            cluster.forget_node(thing["metadata"]["name"])
            hub.all_concerned()
        elif cluster.keep_node(thing):
            hub.all_concerned()

    return found
