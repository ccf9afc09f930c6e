"""Follow the pods or the nodes of a cluster: all of them first, then each change, and all of them again where the thread was lost.

Why: a turn that does not know all pods would start some of them twice; what has gone while nobody watched is told by no event, only by a
list; and of ten thousand pods each event must cost no more than reading it.
Called by: serve.app, in a thread for each; serve.health, which looks at when they heard something last.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Protocol

from levee.worlds.kubernetes.api import Api, Denied, Object, Unreachable
from levee.worlds.kubernetes.reading import WHOLE, Shape

log = logging.getLogger("levee")
PAGE, AGAIN_S, DOUBLED_MAX = 500, 2.0, 4
SERVER_TIMEOUT_S, CLIENT_TIMEOUT_S = 60, 75  # a watch that stalls is noticed, and begun anew
SUSPECT_S = 3 * CLIENT_TIMEOUT_S  # who has heard nothing for so long will not by beginning anew


class Listener(Protocol):
    """Hears of things in the thread of the watch."""

    def listed(self, things: list[Object], version: int) -> None: ...

    def changed(self, thing: Object) -> None: ...

    def gone(self, thing: Object) -> None: ...


@dataclass(slots=True)
class Watch:
    api: Api
    path: str
    listener: Listener
    selector: str = ""  # of labels
    shape: Shape = WHOLE  # what is read of them
    stopping: Callable[[], bool] = lambda: False
    synced: Callable[[], object] = lambda: None  # called when all were listed
    refused: Callable[[], object] = lambda: None  # called when they may not be
    heard_s: float = field(default_factory=time.monotonic)  # the server's last word, or the beginning
    misses: int = 0  # rounds in a row that ended by a mistake

    def follow(self) -> None:
        """Whatever happens: who stops watching leaves a picture that never changes."""
        while not self.stopping():
            try:
                self.go_on()
                return
            except Lost:
                if not self.misses:
                    self.misses = 1
                    continue  # at once: it happens now and then, and not twice in a row
                log.warning("%s has lost its thread again before the end of a round", self.path)
            except Denied as refused:
                log.warning("%s may not be watched, and is tried again: %s", self.path, refused)
                self.heard_s = time.monotonic()  # a word: another process would hear the same
                self.refused()
            except Unreachable as trouble:
                log.warning("%s cannot be watched, and is tried again: %s", self.path, trouble)
            except Exception:
                log.exception("%s is watched anew: this is a bug in Levee", self.path)
            threading.Event().wait(AGAIN_S * 2**self.misses)
            self.misses = min(self.misses + 1, DOUBLED_MAX)

    def go_on(self) -> None:
        version = self.list_all()
        self.synced()
        while not self.stopping():
            version = self.hear(version)
            self.heard_s, self.misses = time.monotonic(), 0

    def list_all(self) -> str:
        """Page by page; the version of the first is that of all."""
        things: list[Object] = []
        query = {"labelSelector": self.selector, "limit": str(PAGE)}
        while True:
            page = self.api.ask("GET", self.path, query=query, reads=self.shape.page)
            things += page["items"]
            if not page["metadata"].get("continue"):
                version: str = page["metadata"]["resourceVersion"]
                self.listener.listed(things, int(version))
                self.heard_s = time.monotonic()
                return version
            query |= {"continue": page["metadata"]["continue"]}

    def hear(self, version: str) -> str:
        """Until the server ends it, as it does every minute; whoever goes on from that version misses nothing."""
        query = {"labelSelector": self.selector, "resourceVersion": version, "allowWatchBookmarks": "true"}
        try:
            words = {**query, "timeoutSeconds": str(SERVER_TIMEOUT_S)}
            for event in self.api.watch(self.path, words, CLIENT_TIMEOUT_S, self.shape.event):
                version = self.take(event)
        except Denied as denied:
            if denied.status == HTTPStatus.GONE:
                raise Lost from None
            raise
        return version

    def take(self, event: Object) -> str:
        thing: Object = event["object"]
        match event["type"]:
            case "ADDED" | "MODIFIED":
                self.listener.changed(thing)
            case "DELETED":
                self.listener.gone(thing)
            case "ERROR":
                raise Lost  # most often: what has happened since that version is no longer known
            case _:
                pass  # a bookmark: only its version is news
        version: str = thing["metadata"]["resourceVersion"]
        self.heard_s = time.monotonic()
        return version


class Lost(Exception):
    """The changes since the last version cannot be had."""
