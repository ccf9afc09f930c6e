"""Whether the operator hears what happens and still tries to lead: what its probes are told, and where they ask.

Why: a watch that hears nothing leaves a picture that never changes, and whoever acts by it starts and ends the wrong pods. Kopf's own
endpoint answers for liveness; it has one path only, so readiness is asked for beside the metrics.
Called by: app, which makes it and gives it to kopf and to the server.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from http.server import ThreadingHTTPServer
from threading import Thread

from prometheus_client import CollectorRegistry, MetricsHandler

from levee.serve.leader import Leader
from levee.worlds.kubernetes.watching import SUSPECT_S, Watch

UNTRIED_S = 60.0  # three times as long as two requests without an answer
READY = "/readyz"


@dataclass(slots=True)
class Health:
    leader: Leader
    is_synced: Callable[[], bool]  # whether all there is has been listed
    watches: list[Watch] = field(default_factory=list)

    def complaints(self) -> tuple[str, ...]:
        """None: it is alive. What a new start may mend, and waiting has not."""
        return tuple(self.found_at(time.monotonic()))

    def found_at(self, now_s: float) -> Iterator[str]:
        for watch in self.watches:
            if now_s - watch.heard_s > SUSPECT_S:
                yield f"the watch of {watch.path} has heard nothing for {now_s - watch.heard_s:.0f} s"
        if now_s - self.leader.tried_s > UNTRIED_S:
            yield f"nobody has tried to lead for {now_s - self.leader.tried_s:.0f} s"


def serve(port: int, registry: CollectorRegistry, is_ready: Callable[[], bool]) -> ThreadingHTTPServer:
    """Metrics, and whether it is ready, in a thread of its own."""
    server = ThreadingHTTPServer(("", port), partial(Handler, registry, is_ready))
    Thread(target=server.serve_forever, name="metrics", daemon=True).start()
    return server


class Handler(MetricsHandler):
    def __init__(self, registry: CollectorRegistry, is_ready: Callable[[], bool], *words: object) -> None:
        self.registry, self.is_ready = registry, is_ready
        super().__init__(*words)  # type: ignore[arg-type]  # answers before it comes back

    def do_GET(self) -> None:  # noqa: N802
        if self.path != READY:
            super().do_GET()
            return
        ready = self.is_ready()
        self.send_response(HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE)
        self.end_headers()
        self.wfile.write(b"ready\n" if ready else b"not all pods and nodes have been listed yet\n")
