"""All topologies that this operator looks after: each has a task of its own, which is woken by whatever concerns it.

Why: a slow store of one topology must not delay another, and ten events at once are one reason to look.
Called by: app, with what the watches see.
"""

import asyncio
import logging
import time
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field

from levee.lifecycle.runner import Foreign
from levee.serve.knowing import Knowing
from levee.serve.life import TURN_S, Life
from levee.serve.shop import Shop
from levee.serve.standing import Standing
from levee.worlds.kubernetes import names
from levee.worlds.kubernetes.api import Denied, Object
from levee.worlds.kubernetes.cluster import Key
from levee.worlds.kubernetes.names import Owner

log = logging.getLogger("levee")
AFTER_A_MISTAKE_S = 5.0
TOGETHER_S = 0.05  # news come in flocks
TURNS_PER_S, IDLE_TIMES, LONG_S = 25, 4, 1.0  # of turns that nothing but the time has called for
AT_ONCE, SLOW_AT_ONCE = 16, 192
THREADS = SLOW_AT_ONCE + 64  # so that who only waits, for a store that is silent, leaves some to the others


@dataclass(slots=True)
class Entry:
    life: Life
    news: asyncio.Event
    task: "asyncio.Task[None] | None" = None
    slow: bool = False  # its last turn took long


@dataclass(slots=True)
class Hub:
    shop: Shop
    at_once: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    slow_at_once: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(SLOW_AT_ONCE))
    entries: dict[str, Entry] = field(default_factory=dict)  # by UID
    of_key: dict[Key, dict[str, Entry]] = field(default_factory=dict)  # by namespace and label, then by UID
    synced: asyncio.Event = field(default_factory=asyncio.Event)  # all that may be listed has been
    knowing: Knowing = field(default_factory=Knowing)

    def resource_seen(self, resource: Object) -> None:
        metadata = resource["metadata"]
        if metadata["uid"] not in self.entries:
            owner = Owner(metadata["namespace"], metadata["name"], metadata["uid"])
            entry = Entry(Life(self.shop, owner, resource), asyncio.Event())
            entry.task = asyncio.create_task(self.follow(entry), name=owner.key)
            self.entries[metadata["uid"]] = self.of_key.setdefault(key_of(owner), {})[metadata["uid"]] = entry
        entry = self.entries[metadata["uid"]]
        if concerns(entry.life.resource, resource):
            entry.life.look_at_whole()
            entry.news.set()
        entry.life.renew(resource)

    def resource_gone(self, resource: Object) -> None:
        entry = self.entries.pop(resource["metadata"]["uid"], None)
        if entry is not None:
            self.of_key[key_of(entry.life.owner)].pop(entry.life.owner.uid)
        if entry is not None and entry.task is not None:
            entry.task.cancel()
            entry.life.ground.access.close()

    def pods_seen(self, keys: Iterable[Key]) -> None:
        for key in keys:
            for entry in self.of_key.get(key, {}).values():
                entry.news.set()

    def all_concerned(self) -> None:
        for entry in self.entries.values():
            entry.news.set()

    async def follow(self, entry: Entry) -> None:
        await self.knowing.of(entry.life.owner.namespace)
        while not entry.life.over:
            entry.news.clear()
            began_s = time.monotonic()
            rest_s = self.rested(await self.turn(entry), time.monotonic() - began_s)
            try:
                async with asyncio.timeout(rest_s):
                    await entry.news.wait()
                    await asyncio.sleep(TOGETHER_S)
            except TimeoutError:
                continue

    def rested(self, asked_s: float, took_s: float) -> float:
        """However many topologies there are and however large they are, looking at them by the clock leaves time for what happens."""
        if asked_s < TURN_S:
            return asked_s
        return max(asked_s, len(self.entries) / TURNS_PER_S, IDLE_TIMES * min(took_s, LONG_S))

    async def turn(self, entry: Entry) -> float:
        """Who takes long waits for somebody, and makes room for others meanwhile; the next time he begins among his like."""
        async with self.slow_at_once if entry.slow else nullcontext():
            async with self.at_once:
                turning = asyncio.create_task(self.turned(entry.life))
                try:
                    done, _ = await asyncio.wait({turning}, timeout=LONG_S)
                except asyncio.CancelledError:
                    turning.cancel()
                    raise
            entry.slow = not done
            return await turning

    async def turned(self, life: Life) -> float:
        """A mistake in one topology's life is told, and takes no other along."""
        metrics = self.shop.metrics
        try:
            with metrics.turns.time():
                return await life.turn()
        except (Denied, Foreign) as refused:
            metrics.mistakes.labels(type(refused).__name__).inc()
            log.error("%s: %s", life.owner.key, refused)
        except asyncio.CancelledError:
            raise
        except BaseException as mistake:  # the loop must go on, also after a panic of what is written in Rust
            metrics.mistakes.labels(type(mistake).__name__).inc()
            log.exception("%s: this is a bug in Levee", life.owner.key)
        return AFTER_A_MISTAKE_S

    def lives(self) -> list[Life]:
        return [entry.life for entry in list(self.entries.values())]

    def standings(self) -> list[Standing]:
        return [life.standing() for life in self.lives()]


def key_of(owner: Owner) -> Key:
    return owner.namespace, names.fitted(owner.name)


def concerns(before: Object, after: Object) -> bool:
    """Our own writing of the status is no news."""
    one, other = before["metadata"], after["metadata"]
    parts = ("generation", "deletionTimestamp", "annotations")
    return any(one.get(part) != other.get(part) for part in parts)
