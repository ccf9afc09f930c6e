"""A worker: reads its order, opens the store, starts Spark, runs its replicas, answers who asks.

Called by: `python -m levee_spark.worker ORDER.json`, started by whoever runs the topology.
"""

import json
import os
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Event, Lock, Thread

from pyspark.sql import SparkSession

from levee.topology import load
from levee.topology.executors import Executors
from levee.topology.spec import Resource
from levee.topology.timing import rows_of_an_epoch
from levee_spark.deliver.opening import OWN
from levee_spark.lane.trouble import Failed, Trouble
from levee_spark.log import probe
from levee_spark.log.imports import Keeper
from levee_spark.log.requests import Answer, Done, Ingest, Report, Request
from levee_spark.log.reread import Rereader
from levee_spark.log.seal import Sealer
from levee_spark.log.trim import Trimmer
from levee_spark.log.wiring import Wiring
from levee_spark.spark import executors, scratch
from levee_spark.spark.executors import NoExecutors
from levee_spark.spark.gateway import NO_HOME, Jvm
from levee_spark.spark.scratch import Scratch
from levee_spark.spark.session import open_session
from levee_spark.spark.settings import C1_ROWS, Size
from levee_spark.store.address import CannotOpen, open_store
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver, monotonic_ms
from levee_spark.store.silence import Silence
from levee_spark.worker import order as orders
from levee_spark.worker.assembly import Parts, keepers_of, rereaders_of, sealers_of, spool_for
from levee_spark.worker.due import REFRESH_S, Due
from levee_spark.worker.function import put_beside
from levee_spark.worker.logs import Log
from levee_spark.worker.metrics import metrics_of
from levee_spark.worker.order import BadOrder, Order, ReplicaName
from levee_spark.worker.replica import ReplicaThread
from levee_spark.worker.serve import Sources, serve
from levee_spark.worker.status import Status
from levee_spark.worker.warm import warm_up
from levee_spark.worker.wiring import wiring_of

Helper = Trimmer | Sealer | Rereader | Keeper
HEAP_MIB, HEAP_MIB_PER_REPLICA = 256, 32
DRIVER_HEAP_MIB = 512  # what executors have computed passes through it
USAGE = 2
ORDER = "LEVEE_ORDER"
BROKEN = 70
LOOK_S = 1.0


class CannotRun(Exception):
    """For the user: what, where, what instead."""


@dataclass
class Spark:
    """One session for all replicas, started by whoever needs it first."""

    size: Size
    log: Path
    order: Order
    shown: Sequence[Path]  # to executors
    executors: Executors | None = None
    scratch: Scratch | None = None
    wanted: Mapping[str, str] = field(default_factory=dict)  # settings, by its user
    session: SparkSession | None = None
    jvm: Jvm | None = None
    lock: Lock = field(default_factory=Lock)

    def __call__(self) -> SparkSession:
        with self.lock:
            if self.session is None:
                self.session, self.jvm = open_session(self.size, self.extra(), self.log, self.home(), self.own())
                if self.executors is not None:
                    executors.show(self.session, self.shown)
            return self.session

    def extra(self) -> dict[str, str]:
        there = {} if self.executors is None else executors.settings_of(self.executors, self.order.cluster, self.order.directory)
        return {**self.wanted, **there}

    def own(self) -> Scratch | None:
        """Not where executors are pods: settings are theirs as well, and they have no such folder. A pod takes its own along."""
        return None if self.order.cluster is not None else self.scratch

    def home(self) -> Path:
        return NO_HOME if self.executors is None else executors.home_for(self.order.cluster, self.order.directory)


def main(arguments: Sequence[str]) -> int:
    told = os.environ.get(ORDER)
    if len(arguments) > 1 or not (arguments or told):
        print(f"usage: python -m levee_spark.worker ORDER.json (or the order itself in {ORDER})", file=sys.stderr)
        return USAGE
    try:
        order = orders.read(Path(arguments[0])) if arguments else orders.parse(told or "", ORDER)
        resource = resource_of(order)
        run(order, resource)
    except (BadOrder, CannotRun, CannotOpen, NoExecutors) as refused:
        print(refused, file=sys.stderr)
        return USAGE
    return 0


def resource_of(order: Order) -> Resource:
    loaded = load.load_bytes(order.resource.read_bytes(), origin=str(order.resource))
    accepted = [one.resource for one in loaded if one.resource is not None]
    if len(accepted) != 1:
        wrong = f"{order.resource}: holds {len(accepted)} valid topologies, a worker runs one"
        raise CannotRun(f"{wrong}. Fix: levee validate -f {order.resource}")
    return accepted[0]


def run(order: Order, resource: Resource) -> None:
    ended = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    order.directory.mkdir(parents=True, exist_ok=True)
    log = Log(f"{resource.metadata.namespace}/{resource.metadata.name}", order.worker)
    wiring = wiring_of(resource, order.uid)
    driver = StoreDriver(open_store(resource.spec.store.uri, make=False), silence=Silence(partial(log.say, level="warning")))
    examine(driver, wiring, order)
    put_beside(order.resource.parent)
    spool = spool_for(order)
    own, shown = scratch.make(order.directory, spool), (order.directory, spool)
    spark = Spark(
        size_of(resource, order), order.directory / "spark.log", order, shown, executors_of(resource, order), own, resource.spec.spark_conf
    )
    spark.home()  # whether there can be executors is known before anything is begun
    parts = Parts(order, resource, wiring, driver, spool, spark, log, spark.size.cores, spark.executors.slots if spark.executors else 0)
    due = Due(wiring, order.worker)
    replicas = [ReplicaThread(parts, name, due.time_ms) for name in order.replicas]
    ready = Event()
    port = serve(sources(parts, replicas, due, ready), order.host, order.port)
    announce(order, port)
    log.say("started", node=order.node, port=port, replicas=[str(name) for name in order.replicas])
    try:
        prepare(parts, spark)
        Thread(target=keep_time, args=(parts, due), name="levee-due", daemon=True).start()
        start(parts, replicas)
        ready.set()
        log.say("ready")
        status = wait_for_end(ended, spark, log)
    except Exception:  # noqa: BLE001  # the process must end, whatever threads there are
        log.say("broke", level="error", error=traceback.format_exc())
        status = BROKEN
    log.say("ends")
    leave(spark, spool, status)


def examine(driver: StoreDriver, wiring: Wiring, order: Order) -> None:
    """Rule 10: a store that lies is refused."""
    found = drive(probe.examine(wiring.layout, order.worker, order.attempt, wiring.times.period_ms), driver)
    if isinstance(found, probe.Refused):
        raise CannotRun(found.why)


def size_of(resource: Resource, order: Order) -> Size:
    cores = max(1, min(os.cpu_count() or 1, round(resource.spec.placement.capacity)))
    heap_mib = (DRIVER_HEAP_MIB if executors_of(resource, order) else HEAP_MIB) + HEAP_MIB_PER_REPLICA * len(order.replicas)
    return Size(heap_mib, cores, large_epochs=rows_of_an_epoch(resource.spec) > C1_ROWS)


def executors_of(resource: Resource, order: Order) -> Executors | None:
    """Of the worker's replicas: they are alone in it, but where a dead node's are taken in; then the most that any of them has."""
    operators = {one.task.rpartition("/")[0] for one in order.replicas}
    found = [executors for name, executors in resource.spec.executors.items() if name in operators]
    return max(found, key=lambda one: one.slots, default=None)


def prepare(parts: Parts, spark: Spark) -> None:
    """Whoever says that it is ready is: its first epochs take hardly longer than the others. Spark is started where somebody needs it."""
    if not any(needs_spark(parts, name) for name in parts.order.replicas):
        return
    session = spark()
    if not parts.order.urgent and any(has_queries(parts, name) for name in parts.order.replicas):
        warm(parts, session)


def warm(parts: Parts, session: SparkSession) -> None:
    began_s = time.monotonic()
    try:
        warm_up(session, parts.order.directory, parts.spool, parts.spread)
    except (Failed, Trouble) as failed:  # it is no part of the work
        parts.log.say("not warm", level="warning", error=str(failed))
    else:
        parts.log.say("warm", seconds=round(time.monotonic() - began_s, 1))


def needs_spark(parts: Parts, name: ReplicaName) -> bool:
    task = parts.task(name)
    return has_queries(parts, name) or any(one.name == task.operator and one.spark.format not in OWN for one in parts.resource.spec.sinks)


def has_queries(parts: Parts, name: ReplicaName) -> bool:
    """Streaming ones: generators do without, and so do sinks."""
    task = parts.task(name)
    if task.is_source:
        return any(
            one.name == task.operator and one.spark is not None and one.spark.format != "replay" for one in parts.resource.spec.sources
        )
    return not task.sink


def keep_time(parts: Parts, due: Due) -> None:
    period_s = 4 * parts.wiring.times.period_ms / 1_000
    while True:
        drive(due.refresh(), parts.driver)
        time.sleep(max(REFRESH_S, period_s))


def wait_for_end(ended: Event, spark: Spark, log: Log) -> int:
    """A worker without its JVM is of no use, and whoever started it starts another."""
    while not ended.wait(LOOK_S):
        if spark.jvm is not None and spark.jvm.process.poll() is not None:
            log.say("Spark's JVM ended", level="error", code=spark.jvm.process.returncode, log=str(spark.log))
            return BROKEN
    return 0


def start(parts: Parts, replicas: Sequence[ReplicaThread]) -> None:
    for one in replicas:
        one.start()
        trimmer = Trimmer(parts.wiring, parts.task(one.name), parts.incarnation(one.name), one.leads)
        helpers: list[Helper] = [trimmer, *sealers_of(parts, one.name), *rereaders_of(parts, one.name), *keepers_of(parts, one.name)]
        for helper in helpers:
            name = f"{one.name} {type(helper).__name__}"
            Thread(target=assist, args=(parts, helper, one), name=name, daemon=True).start()


def assist(parts: Parts, helper: Helper, replica: ReplicaThread) -> None:
    """Trimmers, sealers and rereaders: they report in the name of the replica that they help; the last ask it to read an epoch again."""

    def work(request: Request) -> Answer:
        if isinstance(request, Ingest):
            return replica.read_again(request)
        assert isinstance(request, Report)
        if request.what not in {"won", "lost"}:
            replica.count(request.what)
            replica.say(request.what, epoch=request.epoch, detail=request.detail)
        now_ms = monotonic_ms()
        return Done(now_ms, now_ms)

    drive(helper.run(), parts.driver, parts.driver.waiter(), work)


def sources(parts: Parts, replicas: Sequence[ReplicaThread], due: Due, ready: Event) -> Sources:
    def statuses() -> list[Status]:
        return [due.measure(one.seen(), monotonic_ms()) for one in replicas]

    return Sources(parts.order, statuses, ready.is_set, metrics_of(parts.log.topology, statuses, parts.driver.counts))


def announce(order: Order, port: int) -> None:
    """Whole or not at all: it is read while it is written."""
    partial = order.directory / "worker.json.partial"
    partial.write_text(json.dumps({"pid": os.getpid(), "port": port}))
    partial.rename(order.directory / "worker.json")


def leave(spark: Spark, spool: Path, status: int) -> None:
    """At once: whatever was under way is done again by whoever comes next."""
    if spark.jvm is not None:
        spark.jvm.process.kill()
        spark.jvm.process.wait()
    if spark.scratch is not None:
        spark.scratch.clear()
    shutil.rmtree(spool, ignore_errors=True)
    sys.stderr.flush()
    os._exit(status)
