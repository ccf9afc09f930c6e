"""Experiments on the fake API server of `plant`: a topology that runs, an operator's turns, and Jobs whose pods do as a test says.

Called by: tests of the operator's experiments.
"""

import copy
import json
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from levee.experiments.checks.around import Permits
from levee.serve.experiments.following import Following
from levee.serve.experiments.ground import Ground
from levee.serve.experiments.release import Release
from levee.worlds.kubernetes.api import Object
from levee.worlds.kubernetes.experiments import Purpose
from tests.experiments.texts import changed
from tests.serve.plant import PATH, PODS, Operator, Plant, operator, stamp, topology

EXPERIMENTS = "/apis/levee.dev/v1alpha1/namespaces/shop/faultexperiments"
JOBS = "/apis/batch/v1/namespaces/shop/jobs"
RELEASE = Release(Permits(True, ("shop",), True), "levee/chaos:test", "levee-chaos", "levee-system")
PASSED = {"phase": "Passed", "reason": "Survived", "message": "it has", "undone": True, "figures": {"faults": 1, "gapSeconds": 0.5}}
STEPS = [{"action": "crash_replica", "arguments": {"operator": "count", "role": "primary"}}]


@dataclass
class Trials:
    plant: Plant = field(default_factory=Plant)
    release: Release = RELEASE
    operator: Operator = field(init=False)
    following: Following = field(init=False)

    def __post_init__(self) -> None:
        self.restart()

    def restart(self, dies_at: tuple[int, bool] | None = None) -> None:
        """Another operator, that knows nothing."""
        self.operator = operator(self.plant, dies_at)
        self.following = Following(Ground(self.operator.shop, self.release), lambda: True)
        for path, thing in self.plant.things.items():
            if path.startswith(EXPERIMENTS):
                self.following.seen(copy.deepcopy(thing))

    def has_topology(self, store: Any, state: str = "running", name: str = "clicks") -> None:
        told = topology(store)
        metadata = {"name": name, "namespace": "shop", "uid": uuid4().hex, "generation": 1, "creationTimestamp": stamp()}
        self.plant.put(PATH.replace("clicks", name), {**told, "metadata": metadata, "status": {"state": state}})

    def apply(self, name: str = "crash", **spec: Any) -> None:
        """As a user does it."""
        metadata = {"name": name, "namespace": "shop", "uid": uuid4().hex, "generation": 1, "creationTimestamp": stamp()}
        told = changed(**({"steps": STEPS} | spec))
        self.following.seen(self.plant.put(f"{EXPERIMENTS}/{name}", {**told, "metadata": metadata}))

    def delete(self, name: str = "crash") -> None:
        thing = copy.deepcopy(self.plant.things[f"{EXPERIMENTS}/{name}"])
        thing["metadata"]["deletionTimestamp"] = stamp()
        if thing["metadata"].get("finalizers"):
            self.plant.put(f"{EXPERIMENTS}/{name}", thing)
        else:
            self.plant.remove(f"{EXPERIMENTS}/{name}")

    def turn(self, times: int = 1) -> None:
        for _ in range(times):
            for one in self.following.known.values():
                one.turn()

    # ---- what there is

    def status(self, name: str = "crash") -> Any:
        return self.plant.things[f"{EXPERIMENTS}/{name}"].get("status") or {}

    def phase(self, name: str = "crash") -> tuple[str, str]:
        return self.status(name).get("phase"), self.status(name).get("reason")

    def condition(self, kind: str, name: str = "crash") -> tuple[str, str]:
        [one] = [one for one in self.status(name)["conditions"] if one["type"] == kind]
        return one["status"], one["reason"]

    def is_there(self, name: str = "crash") -> bool:
        return f"{EXPERIMENTS}/{name}" in self.plant.things

    def jobs(self, purpose: Purpose = Purpose.RUN) -> list[Object]:
        found = [thing for path, thing in self.plant.things.items() if path.startswith(JOBS)]
        return [one for one in found if one["spec"]["template"]["metadata"]["labels"]["levee.dev/purpose"] == purpose]

    def container(self, purpose: Purpose = Purpose.RUN) -> Any:
        [job] = self.jobs(purpose)
        return job["spec"]["template"]["spec"]["containers"][0]

    def reports(self) -> list[Any]:
        return [thing["data"] for path, thing in self.plant.things.items() if "-report-" in path]

    # ---- the Job's controller and the kubelet

    def begin(self, purpose: Purpose = Purpose.RUN) -> str:
        """The name of the pod, which works from now on."""
        [job] = self.jobs(purpose)
        name = f"{job['metadata']['name']}-abcde"
        template = copy.deepcopy(job["spec"]["template"])
        labels = template["metadata"]["labels"] | {"batch.kubernetes.io/job-name": job["metadata"]["name"]}
        metadata = {"name": name, "namespace": "shop", "uid": uuid4().hex, "labels": labels, "creationTimestamp": stamp()}
        status = {"phase": "Running", "containerStatuses": [{"name": "experiment", "state": {"running": {}}}]}
        pod = {"metadata": metadata, "spec": template["spec"] | {"nodeName": "node-1"}, "status": status}
        self.plant.put(f"{PODS}/{name}", pod)
        return name

    def end(self, verdict: Any = None, *, purpose: Purpose = Purpose.RUN, output: str = "") -> None:
        """With its last words; none: it was killed."""
        [job] = self.jobs(purpose)
        path = f"{PODS}/{job['metadata']['name']}-abcde"
        pod = copy.deepcopy(self.plant.things[path])
        words = {"message": json.dumps(verdict)} if verdict is not None else {"reason": "OOMKilled"}
        ended = {"terminated": {"exitCode": 0 if verdict is not None else 137, **words}}
        pod["metadata"]["annotations"] = {"output": output}
        pod["status"] = {
            "phase": "Succeeded" if verdict is not None else "Failed",
            "containerStatuses": [{"name": "experiment", "state": ended}],
        }
        self.plant.put(path, pod)
        kind = "Complete" if verdict is not None else "Failed"
        self.plant.put(f"{JOBS}/{job['metadata']['name']}", job | {"status": {"conditions": [{"type": kind, "status": "True"}]}})

    def lose(self, purpose: Purpose = Purpose.RUN) -> None:
        """As the garbage collector does after its Job was deleted."""
        for path in [one for one, thing in self.plant.things.items() if one.startswith(PODS) and is_for(thing, purpose)]:
            self.plant.things.pop(path)


def is_for(pod: Object, purpose: Purpose) -> bool:
    return bool(pod["metadata"].get("labels", {}).get("levee.dev/purpose") == purpose)
