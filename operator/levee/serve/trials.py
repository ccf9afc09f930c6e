"""A dry run of edited functions, before an edit is taken up.

Why: an edit that cannot go on with the state that is there must be refused before anything has changed. It takes a JVM and many seconds,
so a pod does it; its name follows from the resource's generation, so that whoever takes over finds it and asks nobody twice.
Called by: edits, when a changed resource has a plan.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from levee.control.events import Event
from levee.lifecycle.handlers import GoesOn
from levee.serve.recorded import instant
from levee.serve.shop import Shop
from levee.topology.complaint import Complaint
from levee.worlds.kubernetes import companions, seen, trial
from levee.worlds.kubernetes.names import Owner
from levee.worlds.kubernetes.pods import PodTerms
from levee.worlds.kubernetes.trial import Broken, Trial
from levee.worlds.local import editing
from levee_spark.check.edits import Edited

Object: TypeAlias = Mapping[str, Any]

START_MS = 600_000  # a pod that has not begun by then finds no node, or no image


@dataclass(slots=True)
class Trials:
    shop: Shop
    owner: Owner
    tell: Callable[[Event], None]

    def complaints(self, resource: Object, operators: Edited, terms: PodTerms) -> tuple[Complaint, ...]:
        """GoesOn, until it is known; Broken, where the trial itself has failed, and the next call tries it again."""
        name = trial.pod_name(self.owner, int(resource["metadata"]["generation"]))
        self.clear(but=name if operators.all else "")
        if not operators.all:
            return ()
        found = next((pod for pod in self.pods() if pod["metadata"]["name"] == name), None)
        if found is None:
            self.start(resource, operators, terms)
        verdict = None if found is None else self.verdict(found)
        if verdict is None:
            raise GoesOn(f"pod {name} tries the new function of {', '.join(operators.all)} on what is there")
        return tuple(editing.complaint(one, operators) for one in verdict)

    def start(self, resource: Object, operators: Edited, terms: PodTerms) -> None:
        self.shop.ensure(companions.config_map(self.owner, terms.config_map, resource))
        selector = (resource["spec"].get("placement") or {}).get("nodeSelector") or {}
        made = trial.pod(Trial(int(resource["metadata"]["generation"]), operators, selector), terms)
        created = self.shop.api.create(f"/api/v1/namespaces/{self.owner.namespace}/pods", made)
        if created is not None:
            self.shop.cluster.keep_pod(created)
            self.tell(Event("DryRun", f"pod {made['metadata']['name']} tries the new function of {', '.join(operators.all)}"))

    def verdict(self, pod: Object) -> Any:
        try:
            found = trial.verdict(pod)
            if found is None and self.waits_too_long(pod):
                raise Broken(seen.why_not_started(pod, {}) or "its pod did not begin")
        except Broken:
            self.shop.remove_pod(self.owner, pod)
            raise
        return found

    def waits_too_long(self, pod: Object) -> bool:
        created = pod["metadata"].get("creationTimestamp")
        begun = pod.get("status", {}).get("phase") == "Running"
        return created is not None and not begun and self.shop.wall_ms() - instant(created) > START_MS

    def clear(self, but: str = "") -> None:
        for pod in self.pods():
            if pod["metadata"]["name"] != but:
                self.shop.remove_pod(self.owner, pod)

    def pods(self) -> Iterator[Object]:
        return (pod for pod in self.shop.pods(self.owner) if trial.is_trial(pod))
