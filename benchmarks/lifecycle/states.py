"""Which topology is in which state, as the API server tells it: by a watch.

Why: whoever lists hundreds of topologies again and again takes from the API server what is to be measured.
Called by: jobs, exports.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Thread

from benchmarks.cluster.namespace import Namespace
from levee.worlds.kubernetes.api import Object
from levee.worlds.kubernetes.watching import Watch


@dataclass(frozen=True, slots=True)
class State:
    name: str
    uid: str
    state: str


@dataclass(slots=True)
class States:
    """A listener: the thread of the watch writes, others read."""

    by_name: dict[str, State] = field(default_factory=dict)
    over: bool = False

    def listed(self, things: list[Object], version: int) -> None:
        self.by_name = {}
        for thing in things:
            self.changed(thing)

    def changed(self, thing: Object) -> None:
        name = thing["metadata"]["name"]
        self.by_name[name] = State(name, thing["metadata"]["uid"], (thing.get("status") or {}).get("state", ""))

    def gone(self, thing: Object) -> None:
        self.by_name.pop(thing["metadata"]["name"], None)

    def running(self) -> list[State]:
        return [one for one in tuple(self.by_name.values()) if one.state == "running"]


@contextmanager
def followed(namespace: Namespace) -> Iterator[States]:
    states = States()
    watch = Watch(namespace.api, namespace.topologies(), states, stopping=lambda: states.over)
    Thread(target=watch.follow, daemon=True).start()  # it ends with the server's patience, or with this process
    try:
        yield states
    finally:
        states.over = True
