"""Texts of earlier resources, deleted when nobody reads them any more.

Why: a ConfigMap never changes under a pod that has it, so every edit leaves one, and a topology that lives for years would leave hundreds.
It is not urgent and must not be wrong: a pod whose text is gone cannot start. So it is done long after the last change, by what the API
server says then, and never to what has just been made.
Called by: life, in turns in which a topology runs and nothing has changed.
"""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from levee.control.names import Instant
from levee.serve.ground import Ground
from levee.serve.recorded import instant
from levee.serve.shop import is_of
from levee.worlds.kubernetes import companions, names
from levee.worlds.kubernetes.api import Conflict, Denied, Unreachable

log = logging.getLogger("levee")
SETTLED_MS = 600_000
PAGE = 500


@dataclass(slots=True)
class Sweeping:
    ground: Ground
    in_force: str = ""  # the name of the text that was in force last
    due: Instant | None = None

    def is_due(self, now: Instant) -> bool:
        """Once after another text came in force, and once after this process began."""
        world = self.ground.world
        if world is not None and world.terms.config_map != self.in_force:
            self.in_force, self.due = world.terms.config_map, Instant(now + SETTLED_MS)
        return world is not None and self.due is not None and now >= self.due

    def sweep(self, now: Instant) -> None:
        """What cannot be done is left for another time: nothing depends on it."""
        try:
            done = self.swept()
        except (Unreachable, Conflict):
            done = False
        except Denied as denied:
            done = True  # until there is another text, or another operator
            log.warning("%s: texts of its earlier resources stay until it goes: %s", self.ground.owner.key, denied)
        self.due = None if done else Instant(now + SETTLED_MS)

    def swept(self) -> bool:
        """Whether nothing is left that nobody reads."""
        texts = [one for one in self.listed("configmaps") if is_of(one, self.ground.owner)]
        needed = self.needed() if len(texts) > 1 else {one["metadata"]["name"] for one in texts}
        idle = [one for one in texts if one["metadata"]["name"] not in needed]
        done = [self.delete(one) for one in idle]
        return all(done)

    def needed(self) -> set[str]:
        """By pods, whatever has become of them, by the plan in force, and by whoever tries or plans the resource as it is now."""
        mounted = (volume for pod in self.listed("pods") for volume in pod["spec"].get("volumes") or ())
        used = {volume["configMap"]["name"] for volume in mounted if "configMap" in volume}
        ground = self.ground
        return {*used, self.in_force, companions.config_map_name(ground.owner, ground.resource)}

    def delete(self, text: Mapping[str, Any]) -> bool:
        metadata, shop = text["metadata"], self.ground.shop
        if shop.wall_ms() - instant(metadata["creationTimestamp"]) < SETTLED_MS or not shop.leads():
            return False
        shop.api.delete(f"{self.path('configmaps')}/{metadata['name']}", uid=metadata["uid"], version=metadata["resourceVersion"])
        return True

    def listed(self, kind: str) -> Iterator[Mapping[str, Any]]:
        """Page by page, and only what bears the topology's name."""
        query = {"labelSelector": f"{names.TOPOLOGY}={names.fitted(self.ground.owner.name)}", "limit": str(PAGE)}
        while (page := self.ground.shop.api.get(self.path(kind), **query)) is not None:
            yield from page["items"]
            if not page["metadata"].get("continue"):
                return
            query["continue"] = page["metadata"]["continue"]

    def path(self, kind: str) -> str:
        return f"/api/v1/namespaces/{self.ground.owner.namespace}/{kind}"
