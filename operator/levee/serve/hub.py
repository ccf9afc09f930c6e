"""All topologies that this operator looks after: each has a task of its own, which is woken by whatever concerns it.

Why: a slow store of one topology must not delay another, and ten events at once are one reason to look.
Called by: app, with what the watches see.
"""

import asyncio
import logging
from dataclasses import dataclass, field

from levee.lifecycle.runner import Foreign
from levee.serve.life import Life
from levee.serve.metrics import Standing
from levee.serve.shop import Shop
from levee.worlds.kubernetes import names
from levee.worlds.kubernetes.api import Denied, Object
from levee.worlds.kubernetes.names import Owner

log = logging.getLogger("levee")
AFTER_A_MISTAKE_S = 5.0


@dataclass(slots=True)
class Entry:
    life: Life
    news: asyncio.Event
    task: "asyncio.Task[None] | None" = None


@dataclass(slots=True)
class Hub:
    shop: Shop
    at_once: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(16))
    entries: dict[str, Entry] = field(default_factory=dict)  # by UID

    def resource_seen(self, resource: Object) -> None:
        metadata = resource["metadata"]
        if metadata["uid"] not in self.entries:
            owner = Owner(metadata["namespace"], metadata["name"], metadata["uid"])
            entry = Entry(Life(self.shop, owner, resource), asyncio.Event())
            entry.task = asyncio.create_task(self.follow(entry), name=owner.key)
            self.entries[metadata["uid"]] = entry
        entry = self.entries[metadata["uid"]]
        if concerns(entry.life.resource, resource):
            entry.news.set()
        entry.life.renew(resource)

    def resource_gone(self, resource: Object) -> None:
        entry = self.entries.pop(resource["metadata"]["uid"], None)
        if entry is not None and entry.task is not None:
            entry.task.cancel()
            entry.life.deeds.close()

    def pod_seen(self, key: tuple[str, str] | None) -> None:
        for entry in self.entries.values():
            if key == (entry.life.owner.namespace, names.fitted(entry.life.owner.name)):
                entry.news.set()

    def all_concerned(self) -> None:
        for entry in self.entries.values():
            entry.news.set()

    async def follow(self, entry: Entry) -> None:
        while not entry.life.over:
            entry.news.clear()
            rest_s = await self.turn(entry)
            try:
                async with asyncio.timeout(rest_s):
                    await entry.news.wait()
            except TimeoutError:
                continue

    async def turn(self, entry: Entry) -> float:
        """A mistake in one topology's life is told, and takes no other along."""
        metrics = self.shop.metrics
        async with self.at_once:
            try:
                with metrics.turns.time():
                    return await entry.life.turn()
            except (Denied, Foreign) as refused:
                metrics.mistakes.labels(type(refused).__name__).inc()
                log.error("%s: %s", entry.life.owner.key, refused)
            except asyncio.CancelledError:
                raise
            except BaseException as mistake:  # the loop must go on, also after a panic of what is written in Rust
                metrics.mistakes.labels(type(mistake).__name__).inc()
                log.exception("%s: this is a bug in Levee", entry.life.owner.key)
        return AFTER_A_MISTAKE_S

    def standings(self) -> list[Standing]:
        return [entry.life.standing() for entry in list(self.entries.values())]


def concerns(before: Object, after: Object) -> bool:
    """Our own writing of the status is no news."""
    one, other = before["metadata"], after["metadata"]
    parts = ("generation", "deletionTimestamp", "annotations")
    return any(one.get(part) != other.get(part) for part in parts)
