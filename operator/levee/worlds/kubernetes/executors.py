"""Executors as pods: what Spark's scheduler makes them from, and what their driver, the worker, is told and allowed for that.

Why: Spark asks the API server itself, so a driver alone of all workers holds credentials; its executors hold none, not even the store's,
and what their pods may do is decided here as for workers.
Called by: world, for every worker that is to start.
"""

from levee.control.actions import StartWorker
from levee.control.names import operator_of, task_of
from levee.worlds.kubernetes import names
from levee.worlds.kubernetes.pods import CONTAINER, RESTRICTED, Birth, Driver, Manifest, PodTerms, laid_over, priority, tolerations

SERVER = "https://kubernetes.default.svc"
COMMAND = ("/usr/bin/tini", "--", "python3", "-m", "levee_spark.spark.executor")
NEAR = 100  # of the weights that Kubernetes knows, the heaviest


def driver_of(start: StartWorker, terms: PodTerms, birth: Birth) -> Driver | None:
    """None: the worker computes by itself."""
    if all(operator_of(task_of(replica)) not in terms.drivers for replica in start.replicas):
        return None
    name = names.pod_name(terms.owner, start, birth.number)
    told = {
        "server": SERVER,
        "namespace": terms.owner.namespace,
        "pod": name,
        "address": "$(POD_IP)",
        "image": terms.image,
        "template": template(start, terms, name),
    }
    return Driver(terms.driver_account, told, replica_labels(start))


def replica_labels(start: StartWorker) -> dict[str, str]:
    """By which the pods of one replica are told from those of another."""
    task, _, number = start.replicas[0].rpartition("/")
    return {names.TASK: names.fitted(task.replace("/", "-")), names.REPLICA: number}


def template(start: StartWorker, terms: PodTerms, driver: str) -> Manifest:
    """Without the label of topologies: the controller looks after workers, and executors are their driver's."""
    labels = names.labels(terms.owner, "executor") | replica_labels(start) | {names.DRIVER: driver}
    del labels[names.TOPOLOGY]
    made: Manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": labels}, "spec": spec(start, terms)}
    wanted = laid_over(made, terms.template)
    wanted["metadata"]["labels"] |= labels
    wanted["metadata"]["labels"].pop(names.TOPOLOGY, None)
    return wanted


def spec(start: StartWorker, terms: PodTerms) -> Manifest:
    found: Manifest = {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "securityContext": {"runAsNonRoot": True, "seccompProfile": dict(RESTRICTED["seccompProfile"])},
        "nodeSelector": dict(terms.node_selector),
        "affinity": affinity(start),
        "tolerations": tolerations(terms.tolerate_s),
        "containers": [
            {
                "name": CONTAINER,
                "command": list(COMMAND),
                "workingDir": "/tmp",  # noqa: S108  (the pod's own)
                "securityContext": dict(RESTRICTED),
                "terminationMessagePolicy": "FallbackToLogsOnError",
                "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}],  # noqa: S108
            }
        ],
        "volumes": [{"name": "tmp", "emptyDir": {}}],
    }
    return found | ({"serviceAccountName": terms.service_account} if terms.service_account else {}) | priority(terms)


def affinity(start: StartWorker) -> Manifest:
    """Beside their driver while there is room; never on a node of another replica of the task, or both would fail with it."""
    labels = replica_labels(start)
    own = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [start.node]}]}
    others = [
        {"key": names.TASK, "operator": "In", "values": [labels[names.TASK]]},
        {"key": names.REPLICA, "operator": "NotIn", "values": [labels[names.REPLICA]]},
    ]
    apart = {"labelSelector": {"matchExpressions": others}, "topologyKey": names.HOSTNAME}
    return {
        "nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": NEAR, "preference": own}]},
        "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]},
    }
