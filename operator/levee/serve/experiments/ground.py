"""What is around an experiment: its release, its topology, the cluster's nodes, its Jobs and the experiments beside it.

Called by: turning, which decides by it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from levee.experiments.catalog import Reach, reach_of
from levee.experiments.checks.around import NodeFacts, of_nodes, of_permits, of_topology
from levee.experiments.load import of_resource
from levee.experiments.spec import PLURAL, Experiment
from levee.experiments.status import Phase
from levee.serve.experiments.decide import PATIENCE
from levee.serve.experiments.release import Release
from levee.serve.experiments.scene import Other
from levee.serve.records import path as topology_path
from levee.serve.shop import Shop
from levee.topology.complaint import Complaint
from levee.topology.load import load_bytes
from levee.topology.spec import API_VERSION
from levee.worlds.kubernetes import companions, names
from levee.worlds.kubernetes.api import Denied, Object
from levee.worlds.kubernetes.experiments import EXPERIMENT, Purpose, Terms, job_name
from levee.worlds.kubernetes.jobs import JobSeen, job_seen
from levee.worlds.kubernetes.names import Owner
from levee.worlds.kubernetes.seen import condition

LIVING = {"dispatching", "running", "updating", "reshaping", "reverting", "completing"}
CONTROL = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")
OUTPUT_LINES = "5000"
JOB_NAME = "batch.kubernetes.io/job-name"  # a label that Kubernetes gives the pods of a Job
ACCOUNTS: Mapping[Reach, str] = {Reach.LOOKS: "looks", Reach.PODS: "pods", Reach.NODES: "nodes"}


def path_of(namespace: str, name: str = "") -> str:
    return f"/apis/{API_VERSION}/namespaces/{namespace}/{PLURAL}" + (f"/{name}" if name else "")


def jobs_path(namespace: str, name: str = "") -> str:
    return f"/apis/batch/v1/namespaces/{namespace}/jobs" + (f"/{name}" if name else "")


@dataclass(frozen=True, slots=True)
class Ground:
    shop: Shop
    release: Release

    # ---- what is wrong with it

    def judged(self, resource: Object, now: datetime) -> tuple[Experiment | None, Sequence[Complaint], str]:
        """The experiment, why nothing of it may happen, and why it cannot begin yet."""
        experiment, complaints = of_resource(resource)
        if experiment is None or complaints:
            return None, complaints, ""
        if wrong := [*of_permits(experiment, self.release.permits), *of_nodes(experiment, self.nodes())]:
            return experiment, wrong, ""
        topology = self.shop.api.get(topology_path(Owner(experiment.metadata.namespace, experiment.spec.topology, "")))
        if topology is None:
            is_new = now - datetime.fromisoformat(resource["metadata"]["creationTimestamp"]) < PATIENCE
            missing = no_topology(experiment)
            return experiment, () if is_new else (missing,), missing.wrong
        return experiment, tuple(within(experiment, topology)), not_yet(topology)

    def nodes(self) -> dict[str, NodeFacts]:
        return {one["metadata"]["name"]: facts(one) for one in self.shop.cluster.nodes()}

    def terms(self, experiment: Experiment) -> Terms:
        avoided = {str(step.arguments["node"]) for step in experiment.spec.steps if step.action and step.arguments.get("node")}
        return Terms(self.release.image, f"{self.release.account}-{ACCOUNTS[reach(experiment)]}", sorted(avoided))

    def namespaces(self, experiment: Experiment) -> tuple[str, ...]:
        more = (self.release.helpers,) if reach(experiment) is Reach.NODES and self.release.helpers else ()
        return tuple(dict.fromkeys((experiment.metadata.namespace, *more)))

    # ---- what there is

    def jobs(self, owner: Owner) -> dict[Purpose, JobSeen | None]:
        pods = self.listed(f"/api/v1/namespaces/{owner.namespace}/pods", f"{EXPERIMENT}={names.fitted(owner.name)}")
        return {purpose: self.job(owner, purpose, pods) for purpose in Purpose}

    def job(self, owner: Owner, purpose: Purpose, pods: Sequence[Object]) -> JobSeen | None:
        """A namesake's is none of ours: names of Jobs end with the UID of their experiment."""
        name = job_name(owner, purpose)
        mine = [pod for pod in pods if names.labels_of(pod).get(JOB_NAME) == name]
        return job_seen(self.shop.api.get(jobs_path(owner.namespace, name)), mine, self.shop.lives)

    def others(self, owner: Owner, topology: str) -> Iterator[Other]:
        for one in self.listed(path_of(owner.namespace)):
            phase = (one.get("status") or {}).get("phase")
            if one["metadata"]["uid"] == owner.uid or one["spec"].get("topology") != topology or (phase and Phase(phase).is_final):
                continue
            if phase == Phase.RUNNING or one["metadata"].get("deletionTimestamp") is None:
                created = datetime.fromisoformat(one["metadata"]["creationTimestamp"])
                yield Other(one["metadata"]["name"], created, runs=phase == Phase.RUNNING)

    def listed(self, path: str, selector: str = "") -> list[Object]:
        query = {"labelSelector": selector, "limit": "500"} if selector else {}
        found = self.shop.api.get(path, **query)
        return [] if found is None else list(found["items"])

    def output(self, namespace: str, pod: str) -> str:
        """None of it, where it cannot be had: then the pod's last words are all there is."""
        try:
            return self.shop.api.text(f"/api/v1/namespaces/{namespace}/pods/{pod}/log", {"tailLines": OUTPUT_LINES})
        except Denied as denied:
            return f"the output could not be read: {denied}"


def reach(experiment: Experiment) -> Reach:
    return max(reach_of(step.action, step.arguments) for step in experiment.spec.steps)


def facts(node: Mapping[str, Any]) -> NodeFacts:
    ready = condition(node, "Ready").get("status") == "True"
    return NodeFacts(ready, any(label in (node["metadata"].get("labels") or {}) for label in CONTROL))


def no_topology(experiment: Experiment) -> Complaint:
    wrong = f"there is no topology '{experiment.spec.topology}' in namespace {experiment.metadata.namespace}"
    return Complaint("spec.topology", wrong, "name one that there is (kubectl get ftt), or make it first")


def within(experiment: Experiment, topology: Object) -> Iterator[Complaint]:
    """A topology that is not valid does not run either."""
    metadata = topology["metadata"]
    text = companions.text(Owner(metadata["namespace"], metadata["name"], metadata["uid"]), topology)
    [loaded] = load_bytes(text.encode(), origin=metadata["name"])
    if loaded.topology is not None:
        yield from of_topology(experiment, loaded.topology)


def not_yet(topology: Object) -> str:
    state = str((topology.get("status") or {}).get("state") or "submitted")
    return "" if state in LIVING else f"{topology['metadata']['name']} is {state}; it has to run first"
