"""What has been listed: before that nobody knows which pods there are, and whoever does not know would start them again.

Why: a namespace that may not be looked into, or is gone, keeps nobody waiting but its own topologies.
Called by: app, which follows pods and nodes; hub, before a topology's first turn.
"""

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field

ALL, NODES = "", "nodes of the cluster"  # beside the names of namespaces


@dataclass(slots=True)
class Knowing:
    events: dict[str, asyncio.Event] = field(default_factory=lambda: defaultdict(asyncio.Event))

    def listed(self, where: str) -> None:
        """The pods of a namespace, or of all of them, or the nodes."""
        self.events[where].set()

    async def of(self, namespace: str) -> None:
        """Until its pods and all nodes are known."""
        places = [asyncio.create_task(self.events[where].wait()) for where in (ALL, namespace)]
        await asyncio.wait(places, return_when=asyncio.FIRST_COMPLETED)
        for one in places:
            one.cancel()
        await self.events[NODES].wait()
