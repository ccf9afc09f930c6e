"""`GET /state /spent /metrics /healthz /readyz`: what a worker says of itself. It can be asked, never told.

Called by: main; asked by whoever runs the topology, by Prometheus and by people.
"""

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST

from levee_spark.store.driver import monotonic_ms
from levee_spark.worker.order import Order
from levee_spark.worker.status import Phase, Status
from levee_spark.worker.usage import cpu_seconds

WORKING = (Phase.COMPUTE, Phase.DELIVER)  # the rest is waiting
PLAIN, JSON = "text/plain; charset=utf-8", "application/json"


@dataclass(frozen=True)
class Sources:
    """What is asked anew for every answer."""

    order: Order
    statuses: Callable[[], Sequence[Status]]
    ready: Callable[[], bool]
    metrics: Callable[[], bytes]

    def state(self) -> dict[str, Any]:
        return {
            "worker": self.order.worker,
            "node": self.order.node,
            "attempt": self.order.attempt,
            "ready": self.ready(),
            "replicas": [of_replica(one) for one in self.statuses()],
        }

    def spent(self) -> dict[str, Any]:
        """For who asks now and then: to count it, all processes of the machine are looked at."""
        return {
            "worker": self.order.worker,
            "attempt": self.order.attempt,
            "cpu_s": sum(cpu_seconds(os.getpid()).values()),
            "replicas": [spent_by(one) for one in self.statuses()],
        }


def of_replica(one: Status) -> dict[str, Any]:
    return {
        "replica": one.replica,
        "task": one.task,
        "status": one.doing.value,
        "epoch": one.epoch,
        "rank": one.rank,
        "last": one.last,
        "lag_epochs": one.lag_epochs,
        "rows": one.emitted.rows,
        "offered": one.offered_rows,
        "waiting": one.waiting_rows,
        "rows_per_s": round(one.rows_per_s, 1) if one.measured else None,
        "offered_per_s": None if one.offered_per_s is None else round(one.offered_per_s, 1),
        "error": one.error,
        "waits": one.waits,
        "lacks": one.lacks,
        "ended": one.ended,
        "counts": dict(one.counts),
        "record": one.record,
        "read_ago_ms": ago_ms(one.record_ms if one.record else None),
        "forked_ago_ms": ago_ms(one.forked_ms),
        "processed": asdict(one.processed),
    }


def ago_ms(moment_ms: int | None) -> int | None:
    """Nobody else has the same clock."""
    return None if moment_ms is None else monotonic_ms() - moment_ms


def spent_by(one: Status) -> dict[str, Any]:
    """Since the worker began. A source has no inputs: what it takes in is its own."""
    phases = dict(one.phases)
    busy_s = sum(phases[phase].total_s for phase in WORKING if phase in phases)
    read = {stream: through.rows for stream, through in dict(one.read).items()}
    return {"replica": one.replica, "operator": one.operator, "busy_s": busy_s, "read": read, "emitted": one.emitted.rows}


def serve(sources: Sources, host: str, port: int) -> int:
    """In threads of its own; the port that it got."""
    server = ThreadingHTTPServer((host, port), handler(sources))
    server.daemon_threads = True
    Thread(target=server.serve_forever, name="levee-http", daemon=True).start()
    return server.server_port


def handler(sources: Sources) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, kind, body = answer(sources, self.path.partition("?")[0])
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with suppress(ConnectionError):  # whoever asked had no patience
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nobody needs a line for each scrape."""

    return Handler


def answer(sources: Sources, path: str) -> tuple[HTTPStatus, str, bytes]:
    match path:
        case "/state":
            return HTTPStatus.OK, JSON, json.dumps(sources.state()).encode()
        case "/spent":
            return HTTPStatus.OK, JSON, json.dumps(sources.spent()).encode()
        case "/metrics":
            return HTTPStatus.OK, CONTENT_TYPE_LATEST, sources.metrics()
        case "/healthz":
            return HTTPStatus.OK, PLAIN, b"ok\n"
        case "/readyz":
            ready = sources.ready()
            return (HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE), PLAIN, b"ready\n" if ready else b"starting\n"
        case _:
            return HTTPStatus.NOT_FOUND, PLAIN, b"there are /state, /spent, /metrics, /healthz and /readyz\n"
