"""All experiments that this operator looks after, in one thread and one after another.

Why: experiments are few and slow; one thread that takes them in turn can never begin two of them at once.
Called by: app, with what the watch sees.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from levee.experiments.status import Phase
from levee.serve.experiments.ground import Ground
from levee.serve.experiments.turning import Turning
from levee.worlds.kubernetes.api import Conflict, Denied, Object, Unreachable
from levee.worlds.kubernetes.names import Owner

log = logging.getLogger("levee")
TURN_S = 2.0


@dataclass(slots=True)
class Following:
    ground: Ground
    leads: Callable[[], bool]
    known: dict[str, Turning] = field(default_factory=dict)  # by UID

    def seen(self, resource: Object) -> None:
        metadata = resource["metadata"]
        if metadata["uid"] not in self.known:
            owner = Owner(metadata["namespace"], metadata["name"], metadata["uid"])
            self.known[metadata["uid"]] = Turning(self.ground, owner, resource)
        self.known[metadata["uid"]].resource = resource

    def gone(self, resource: Object) -> None:
        self.known.pop(resource["metadata"]["uid"], None)

    async def follow(self, synced: asyncio.Event) -> None:
        """What is asked of nodes means nothing before all of them are known."""
        await synced.wait()
        while True:
            if self.leads():
                for one in list(self.known.values()):
                    if needs_a_turn(one.resource):
                        await asyncio.to_thread(self.turned, one)
            await asyncio.sleep(TURN_S)

    def turned(self, one: Turning) -> None:
        """Trouble of one is told, and keeps no other waiting."""
        try:
            one.turn()
        except (Unreachable, Conflict, Denied) as why:
            log.warning("experiment %s: %s", one.owner.key, why)
        except Exception as mistake:
            self.ground.shop.metrics.mistakes.labels(type(mistake).__name__).inc()
            log.exception("experiment %s: this is a bug in Levee", one.owner.key)


def needs_a_turn(resource: Object) -> bool:
    """Who has ended rests, until he is deleted or his time to live is over."""
    phase = (resource.get("status") or {}).get("phase")
    is_over = phase is not None and Phase(phase).is_final
    return not is_over or resource["metadata"].get("deletionTimestamp") is not None or resource["spec"].get("ttl") is not None
