"""The Kopf application: a watch of resources, and two of our own for pods and nodes, that feed one hub.

Why: kopf knows how to watch, to reconnect and to be probed; what is written, and when, is decided here alone. So it is given an event
handler only, which writes nothing. Pods are too many for it: it begins a task for each, and lists all of them anew every minute.
Called by: `python -m levee.serve`.
"""

import asyncio
import logging
import os
import signal
import socket
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Thread
from typing import Any

import kopf

from levee.experiments.spec import PLURAL as EXPERIMENTS
from levee.lifecycle.documents import machine
from levee.lifecycle.machine import Machine
from levee.page import serving as page
from levee.page.seldom import Seldom
from levee.serve import health, knowing
from levee.serve.deeds import missing
from levee.serve.documents import BOUNDED, JOB
from levee.serve.experiments.following import Following
from levee.serve.experiments.ground import Ground
from levee.serve.experiments.release import Release
from levee.serve.health import Health
from levee.serve.hub import THREADS, Hub
from levee.serve.leader import Leader
from levee.serve.metrics import Metrics
from levee.serve.paged import Paged
from levee.serve.planner import Planner
from levee.serve.rates import RatesFrom, measuring_by
from levee.serve.shop import WORKER_IMAGE, Shop
from levee.topology.crd import PLURAL
from levee.topology.spec import GROUP, VERSION
from levee.topology.wording import describe
from levee.worlds.kubernetes import api, names, watching
from levee.worlds.kubernetes.api import Api
from levee.worlds.kubernetes.asking import Asker
from levee.worlds.kubernetes.cluster import Cluster
from levee.worlds.kubernetes.listeners import NodeListener, PodListener
from levee.worlds.kubernetes.reading import NODES, PODS
from levee.worlds.kubernetes.watching import Watch

log = logging.getLogger("levee")
LIFECYCLES = (machine(JOB), machine(BOUNDED))
KOPFS_OWN = f"{names.LEVEE}/kopf"  # borne by nothing: kopf takes away a finalizer of its own that no handler needs


@dataclass(frozen=True, slots=True)
class Settings:
    """From the environment, as the chart sets it."""

    namespace: str  # the operator's own
    pod: str | None  # in which nobody else runs: who comes back in it need not wait for the lease of whom it was before
    watched: Sequence[str]  # none: all namespaces
    service_account: str | None
    driver_account: str | None
    priority_class: str | None
    embedded_store: str | None
    worker_image: str
    liveness: str | None
    metrics_port: int | None
    page_port: int | None  # none: no page is served
    page_hosts: Sequence[str]  # names by which it may be asked
    scraped: bool  # workers, by a Prometheus that goes by annotations
    prometheus: RatesFrom | None  # none: rates are what workers say
    experiments: Release  # what is allowed of them

    @staticmethod
    def read() -> "Settings":
        watched = tuple(filter(None, os.environ.get("LEVEE_WATCH_NAMESPACES", "").split(",")))
        return Settings(
            os.environ.get("LEVEE_NAMESPACE", "default"),
            os.environ.get("LEVEE_POD") or None,
            watched,
            os.environ.get("LEVEE_WORKER_SERVICE_ACCOUNT") or None,
            os.environ.get("LEVEE_DRIVER_SERVICE_ACCOUNT") or None,
            os.environ.get("LEVEE_WORKER_PRIORITY_CLASS") or None,
            os.environ.get("LEVEE_EMBEDDED_STORE") or None,
            os.environ.get("LEVEE_WORKER_IMAGE") or WORKER_IMAGE,
            os.environ.get("LEVEE_LIVENESS") or None,
            int(os.environ.get("LEVEE_METRICS_PORT") or 0) or None,
            int(os.environ.get("LEVEE_PAGE_PORT") or 0) or None,
            tuple(filter(None, os.environ.get("LEVEE_PAGE_HOSTS", "").split(","))),
            bool(os.environ.get("LEVEE_SCRAPE_ANNOTATIONS")),
            RatesFrom.read(),
            Release.read(),
        )


def serve(settings: Settings) -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    for chatty in ("kopf", "aiohttp.access"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    check(LIFECYCLES)
    asyncio.run(serving(settings))


def check(documents: Sequence[Machine]) -> None:
    """A document that calls what nobody here can do must not be found out by a topology in the middle of its life."""
    for document in documents:
        if complaints := missing(document):
            raise SystemExit(describe(f"lifecycle {document.name}", complaints))


async def serving(settings: Settings) -> None:
    metrics = Metrics()
    connected = api.connect(lambda verb, answer: metrics.requests.labels(verb, answer).inc())
    identity = f"{socket.gethostname()}-{uuid.uuid4().hex[:8]}"
    leader = Leader(connected, settings.namespace, settings.pod or identity)
    shop = shop_of(settings, connected, leader, identity, metrics)
    if settings.prometheus is not None:
        shop.measuring = measuring_by(settings.prometheus, metrics, leader.leads)
    hub = Hub(shop)
    experiments = Following(Ground(shop, settings.experiments), leader.leads)
    alive = Health(leader, hub.synced.is_set)
    shop.metrics.watch(hub.standings, leader.leads, sorted({name for one in LIFECYCLES for name in one.states}))
    if settings.metrics_port is not None:
        health.serve(settings.metrics_port, shop.metrics.registry, alive.is_synced)
    if settings.page_port is not None:
        page.serve(page.Sources(Seldom(Paged(hub).picture).picture, settings.page_hosts), "", settings.page_port)
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS))
    leading = asyncio.create_task(leader.follow(hub.all_concerned))
    followed = asyncio.create_task(watch(hub, settings.watched, stop, alive.watches))
    tried = asyncio.create_task(experiments.follow(hub.synced))
    log.info("%s watches %s", identity, ", ".join(settings.watched) or "all namespaces")
    try:
        await kopf.operator(
            registry=registry(hub, alive.complaints, experiments),
            settings=tuned(),
            standalone=True,
            clusterwide=not settings.watched,
            namespaces=list(settings.watched),
            liveness_endpoint=settings.liveness,
            stop_flag=stop,
        )
    finally:
        stop.set()  # also where kopf has heard the signal in our place
        leading.cancel()
        followed.cancel()
        tried.cancel()
        leader.release()
        shop.planner.close()


def shop_of(settings: Settings, connected: Api, leader: Leader, identity: str, metrics: Metrics) -> Shop:
    cluster = Cluster()
    return Shop(
        connected,
        cluster,
        Planner(timed=metrics.plans.time),
        identity,
        service_account=settings.service_account,
        driver_account=settings.driver_account,
        priority_class=settings.priority_class,
        embedded_store=settings.embedded_store,
        worker_image=settings.worker_image,
        leads=leader.leads,
        asker=partial(Asker, crowd=cluster.count),
        metrics=metrics,
        scraped=settings.scraped,
    )


async def watch(hub: Hub, watched: Sequence[str], stop: asyncio.Event, watches: list[Watch]) -> None:
    """Pods and nodes, each in a thread; of a namespace nothing is decided before all of its pods have been listed."""
    loop, cluster = asyncio.get_running_loop(), hub.shop.cluster

    def tell(call: Callable[..., object], *words: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody wants to know any more
            loop.call_soon_threadsafe(call, *words)

    listeners: dict[str, PodListener | NodeListener] = {"/api/v1/nodes": NodeListener(cluster, lambda: tell(hub.all_concerned))}
    for namespace in watched or ("",):
        path = f"/api/v1/namespaces/{namespace}/pods" if namespace else "/api/v1/pods"
        listeners[path] = PodListener(cluster, namespace, lambda keys: tell(hub.pods_seen, keys))
    tried = {path: asyncio.Event() for path in listeners}
    for path, listener in listeners.items():
        selector, shape = (names.TOPOLOGY, PODS) if isinstance(listener, PodListener) else ("", NODES)
        where = listener.namespace if isinstance(listener, PodListener) else knowing.NODES
        refused = partial(tell, tried[path].set)
        listed = partial(tell, partial(come, tried[path], partial(hub.knowing.listed, where)))
        one = Watch(hub.shop.api, path, listener, selector, shape, stop.is_set, listed, refused)
        watches.append(one)
        Thread(target=one.follow, name=f"watch {path}", daemon=True).start()
    for event in tried.values():
        await event.wait()
    hub.synced.set()


def come(event: asyncio.Event, then: Callable[[], object]) -> None:
    """Who waits for all knows then, too, what each waits for."""
    then()
    event.set()


def tuned() -> kopf.OperatorSettings:
    settings = kopf.OperatorSettings()
    settings.posting.enabled = False
    settings.watching.server_timeout = watching.SERVER_TIMEOUT_S
    settings.watching.client_timeout = watching.CLIENT_TIMEOUT_S
    settings.persistence.finalizer = KOPFS_OWN
    settings.persistence.progress_storage = kopf.AnnotationsProgressStorage(prefix=names.LEVEE)  # nothing is stored; whatever were is ours
    settings.persistence.diffbase_storage = kopf.AnnotationsDiffBaseStorage(prefix=names.LEVEE)
    return settings


def registry(hub: Hub, complaints: Callable[[], Sequence[str]], experiments: Following) -> kopf.OperatorRegistry:
    found = kopf.OperatorRegistry()

    @kopf.on.login(registry=found)
    def login(**told: Any) -> kopf.ConnectionInfo | None:
        return kopf.login_via_client(**told)  # as the Kubernetes client does, and so do we

    @kopf.on.probe(registry=found)
    async def hears_and_tries(**_: object) -> None:
        """Its failure is told as a 500; after one that it thinks temporary kopf would try again for a minute before it answers."""
        if wrong := complaints():
            raise kopf.PermanentError("; ".join(wrong))

    @kopf.on.event(GROUP, VERSION, PLURAL, registry=found)
    async def topology(event: kopf.RawEvent, **_: object) -> None:
        resource = dict(event["object"])
        if event["type"] == "DELETED":
            hub.resource_gone(resource)
        else:
            hub.resource_seen(resource)

    @kopf.on.event(GROUP, VERSION, EXPERIMENTS, registry=found)
    async def experiment(event: kopf.RawEvent, **_: object) -> None:
        resource = dict(event["object"])
        if event["type"] == "DELETED":
            experiments.gone(resource)
        else:
            experiments.seen(resource)

    return found
