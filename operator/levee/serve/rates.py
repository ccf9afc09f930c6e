"""Whether rates come from a Prometheus, and from which: as the chart says, by the environment.

Called by: app.
"""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Event, Thread

from levee.serve.metrics import Metrics
from levee.worlds.measuring import Measuring
from levee.worlds.prometheus.asking import Address, Prometheus
from levee.worlds.prometheus.following import Following, measuring

WINDOW_S, INTERVAL_S = 60, 15


@dataclass(frozen=True, slots=True)
class RatesFrom:
    address: Address
    window_s: int = WINDOW_S
    interval_s: int = INTERVAL_S
    labels: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def read() -> "RatesFrom | None":
        """None: workers say what is offered to them."""
        uri, secrets = os.environ.get("LEVEE_PROMETHEUS"), os.environ.get("LEVEE_PROMETHEUS_SECRETS")
        if not uri:
            return None
        window_s = int(os.environ.get("LEVEE_PROMETHEUS_WINDOW_S") or WINDOW_S)
        interval_s = int(os.environ.get("LEVEE_PROMETHEUS_INTERVAL_S") or INTERVAL_S)
        labels, headers = (json.loads(os.environ.get(f"LEVEE_PROMETHEUS_{what}") or "{}") for what in ("LABELS", "HEADERS"))
        return RatesFrom(Address(uri, Path(secrets) if secrets else None, headers), window_s, interval_s, labels)


def measuring_by(origin: RatesFrom, metrics: Metrics, leads: Callable[[], bool]) -> Callable[[str], Measuring]:
    """Of each topology. All are asked for together, beside everything else, as long as this operator acts."""
    prometheus = Prometheus(origin.address, origin.window_s, labels=origin.labels)
    following = Following(prometheus.ask, origin.interval_s, heard=lambda outcome: metrics.answers.labels(outcome).inc())
    Thread(target=following.follow, args=(Event(), leads), name="rates", daemon=True).start()
    return partial(measuring, following=following)
