"""The store that the chart may bring: whether it is a topology's, and what is to be said of that.

Why: it is one process on one volume. A plan survives the loss of nodes, and not that of the store that it stands on; whoever reads what
the plan guarantees has to read this beside it.
Called by: serve, which knows the address of both; `kubectl levee plan`, which repeats what the operator has said.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

SAYS = (
    "its store is the one that the chart brings, a single point of failure: "
    "while the pod, the node or the volume of that is away, all of the topology stands still"
)


def is_at(address: str | None, secret: Mapping[str, str]) -> bool:
    """`address`: of the store that the chart brings; None: it brings none."""
    endpoints = (value for name, value in secret.items() if "ENDPOINT" in name.upper() and value)
    return address is not None and any(service(endpoint) == service(address) for endpoint in endpoints)


def service(address: str) -> tuple[str, int | None]:
    """A Service has several names: with the domain of the cluster, and without."""
    try:
        parts = urlsplit(address.strip())
        labels, port = (parts.hostname or "").rstrip(".").split("."), parts.port
    except ValueError:  # what is no address is no Service's
        return address, None
    within = len(labels) > 2 and labels[2] == "svc"
    return ".".join(labels[:2] if within else labels), port


def said_of(resource: Mapping[str, Any]) -> bool:
    """By the operator, in a condition."""
    return any(SAYS in str(one.get("message")) for one in (resource.get("status") or {}).get("conditions") or ())
