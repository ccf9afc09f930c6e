"""What watches see, kept in the cluster's picture; and who is told that it has changed.

Called by: serve.app, which gives them to watches.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from levee.worlds.kubernetes.api import Object
from levee.worlds.kubernetes.cluster import Cluster, Key, key_of


@dataclass(frozen=True, slots=True)
class PodListener:
    cluster: Cluster
    namespace: str  # "": all of them
    tell: Callable[[Collection[Key]], object]  # whose pods have changed

    def listed(self, things: list[Object], version: int) -> None:
        self.tell(self.cluster.keep_all_pods(things, self.namespace, version))

    def changed(self, thing: Object) -> None:
        if (key := self.cluster.keep_pod(thing)) is not None:
            self.tell((key,))

    def gone(self, thing: Object) -> None:
        key = key_of(thing)
        self.cluster.forget(*key, thing["metadata"]["uid"])
        self.tell((key,))


@dataclass(frozen=True, slots=True)
class NodeListener:
    cluster: Cluster
    tell: Callable[[], object]

    def listed(self, things: list[Object], version: int) -> None:
        if self.cluster.keep_all_nodes(things):
            self.tell()

    def changed(self, thing: Object) -> None:
        if self.cluster.keep_node(thing):
            self.tell()

    def gone(self, thing: Object) -> None:
        self.cluster.forget_node(thing["metadata"]["name"])
        self.tell()
