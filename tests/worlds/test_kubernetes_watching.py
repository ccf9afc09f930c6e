"""Watches of pods and nodes: nothing that is there is missed, and nothing that is gone stays."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from msgspec.json import Decoder

from levee.worlds.kubernetes import names
from levee.worlds.kubernetes.api import Denied, Object
from levee.worlds.kubernetes.cluster import Cluster
from levee.worlds.kubernetes.listeners import NodeListener, PodListener
from levee.worlds.kubernetes.reading import NODES, PODS
from levee.worlds.kubernetes.watching import Watch

KEY = ("shop", "clicks")


def pod(uid: str, version: int, namespace: str = "shop") -> Object:
    metadata = {"name": uid, "namespace": namespace, "uid": uid, "resourceVersion": str(version), "labels": {names.TOPOLOGY: "clicks"}}
    return {"metadata": metadata, "spec": {}, "status": {}}


def node(name: str, ready: str = "True") -> Object:
    return {"metadata": {"name": name, "resourceVersion": "1"}, "status": {"conditions": [{"type": "Ready", "status": ready}]}}


@dataclass
class Server:
    """Pages of lists, and rounds of events; after the last round the watch is stopped."""

    pages: list[list[Object]]
    rounds: list[Any]
    asked: list[Mapping[str, str]] = field(default_factory=list)

    def ask(self, verb: str, path: str, *, query: Mapping[str, str], reads: Decoder[Any]) -> Object:
        self.asked.append(dict(query))
        number = int(query.get("continue", "0"))
        more = {"continue": str(number + 1)} if number + 1 < len(self.pages) else {}
        return told({"items": self.pages[number], "metadata": {"resourceVersion": "100", **more}}, reads)

    def watch(self, path: str, query: Mapping[str, str], silent_s: float, reads: Decoder[Any]) -> Iterator[Object]:
        self.asked.append(dict(query))
        events = self.rounds.pop(0)
        if isinstance(events, Exception):
            raise events
        yield from (told(one, reads) for one in events)

    def follow(self, listener: Any) -> None:
        shape = PODS if isinstance(listener, PodListener) else NODES
        Watch(self, "/api/v1/pods", listener, names.TOPOLOGY, shape, lambda: not self.rounds).follow()  # type: ignore[arg-type]


def told(thing: Object, reads: Decoder[Any]) -> Object:
    """As it comes over the network."""
    found: Object = reads.decode(json.dumps(thing))
    return found


def event(kind: str, thing: Object) -> Object:
    return {"type": kind, "object": thing}


def uids(cluster: Cluster) -> set[str]:
    return {one["metadata"]["uid"] for one in cluster.pods(*KEY)}


def follow(cluster: Cluster, pages: list[list[Object]], rounds: list[Any]) -> tuple[Server, list[Any]]:
    told: list[Any] = []
    server = Server(pages, rounds)
    server.follow(PodListener(cluster, "", told.append))
    return server, told


def test_all_pages_of_a_list_are_read_before_anything_is_told() -> None:
    cluster = Cluster()
    _, told = follow(cluster, [[pod("a", 1)], [pod("b", 2)]], [[]])
    assert uids(cluster) == {"a", "b"}
    assert told == [frozenset({KEY})]


def test_a_pod_that_went_while_nobody_watched_is_forgotten() -> None:
    cluster = Cluster()
    cluster.keep_pod(pod("gone", 50))
    follow(cluster, [[pod("a", 1)]], [[]])
    assert uids(cluster) == {"a"}


def test_a_pod_that_was_made_after_the_list_is_kept() -> None:
    cluster = Cluster()
    cluster.keep_pod(pod("new", 101))
    follow(cluster, [[pod("a", 1)]], [[]])
    assert uids(cluster) == {"a", "new"}


def test_a_list_of_one_namespace_says_nothing_of_another() -> None:
    cluster = Cluster()
    cluster.keep_pod(pod("other", 5, "elsewhere"))
    cluster.keep_all_pods([], "shop", 100)
    assert [one["metadata"]["uid"] for one in cluster.pods("elsewhere", "clicks")] == ["other"]


def test_changes_are_heard_and_the_next_round_goes_on_from_the_last_version() -> None:
    cluster = Cluster()
    rounds = [[event("ADDED", pod("b", 101)), event("BOOKMARK", pod("", 140))], [event("DELETED", pod("b", 150))]]
    server, _ = follow(cluster, [[pod("a", 1)]], rounds)
    assert uids(cluster) == {"a"}
    assert [query["resourceVersion"] for query in server.asked if "resourceVersion" in query] == ["100", "140"]


@pytest.mark.parametrize("lost", [Denied(410, "Expired", "too old"), [event("ERROR", {"code": 410})]])
def test_whose_thread_is_lost_lists_everything_anew(lost: Any) -> None:
    server, _ = follow(Cluster(), [[pod("a", 1)]], [lost, []])
    assert [("resourceVersion" in query) for query in server.asked] == [False, True, False, True]


def test_who_loses_the_thread_again_and_again_takes_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each time all is listed: of ten thousand pods that is too much to do without a pause."""
    pauses: list[float] = []
    monkeypatch.setattr("levee.worlds.kubernetes.watching.threading.Event.wait", lambda _, seconds: pauses.append(seconds))
    lost = [event("ERROR", {"code": 410})]
    follow(Cluster(), [[pod("a", 1)]], [lost, lost, lost, lost, [], lost, []])
    assert pauses == [4.0, 8.0, 16.0]


def test_only_what_matters_of_a_node_is_news() -> None:
    cluster, told = Cluster(), []
    listener = NodeListener(cluster, lambda: told.append("news"))
    listener.listed([node("one"), node("two")], 1)
    version = cluster.nodes_version
    listener.changed(node("one"))
    assert (len(told), cluster.nodes_version) == (1, version)
    listener.changed(node("one", "False"))
    listener.listed([node("one", "False")], 2)
    assert len(told) == 3
    assert [one["metadata"]["name"] for one in cluster.nodes()] == ["one"]


def test_of_pods_only_those_that_have_changed_are_news() -> None:
    cluster = Cluster()
    for uid in ("a", "b"):
        cluster.keep_pod(pod(uid, 1))
    assert {uid for uid, _ in cluster.news(*KEY)} == {"a", "b"}
    cluster.keep_pod(pod("a", 1))
    assert not cluster.news(*KEY)
    cluster.keep_pod(pod("a", 2))
    cluster.forget(*KEY, "b")
    assert {uid: found is None for uid, found in cluster.news(*KEY)} == {"a": False, "b": True}
    assert {uid for uid, _ in cluster.news(*KEY, everything=True)} == {"a"}
