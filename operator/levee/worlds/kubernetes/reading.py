"""Pods and nodes as the API server tells them, without what nobody here reads, which is most of it.

Why: of ten thousand pods whatever is read costs time before anything can be decided, and memory after; what is not named here is skipped
as the bytes are read, and never made.
Called by: watching, for every list and every event; api, for all other answers; cluster, for what it keeps.
"""

from dataclasses import dataclass
from typing import Any, TypedDict

from msgspec.json import Decoder


class Metadata(TypedDict, total=False):
    name: Any
    namespace: Any
    uid: Any
    resourceVersion: Any
    creationTimestamp: Any
    deletionTimestamp: Any
    labels: Any
    annotations: Any
    ownerReferences: Any


class PodSpec(TypedDict, total=False):
    nodeName: Any
    affinity: Any


class Container(TypedDict, total=False):
    name: Any
    started: Any
    state: Any


class PodStatus(TypedDict, total=False):
    phase: Any
    podIP: Any
    reason: Any
    message: Any
    conditions: Any
    containerStatuses: list[Container] | None


class Pod(TypedDict, total=False):
    metadata: Metadata
    spec: PodSpec
    status: PodStatus | str  # of what has gone wrong with a watch


class NodeSpec(TypedDict, total=False):
    unschedulable: Any
    taints: Any


class NodeStatus(TypedDict, total=False):
    allocatable: Any
    conditions: Any


class Node(TypedDict, total=False):
    metadata: Metadata
    spec: NodeSpec
    status: NodeStatus | str


class PodList(TypedDict):
    metadata: Any
    items: list[Pod]


class PodEvent(TypedDict):
    type: str
    object: Pod


class NodeList(TypedDict):
    metadata: Any
    items: list[Node]


class NodeEvent(TypedDict):
    type: str
    object: Node


@dataclass(frozen=True, slots=True)
class Shape:
    """What is read of a page of things, and of what has become of one."""

    page: Decoder[Any]
    event: Decoder[Any]


EVERYTHING = Decoder[Any]()
WHOLE = Shape(EVERYTHING, EVERYTHING)
PODS = Shape(Decoder(PodList), Decoder(PodEvent))
NODES = Shape(Decoder(NodeList), Decoder(NodeEvent))
