"""The CustomResourceDefinition, made from the models that also validate and plan.

Why: the cluster, the validator and the planner then agree on every field; nothing is written down twice.
Called by: levee crds.
"""

from typing import Any

import yaml

from levee.topology.crd_rules import RULES
from levee.topology.crd_schema import Schema, structural
from levee.topology.spec import GROUP, KIND, VERSION, Spec
from levee.topology.status import Status

PLURAL = "faulttoleranttopologies"
NAME = f"{PLURAL}.{GROUP}"
HEADER = "# Made by `levee crds` from the models in operator/levee/topology; do not edit.\n"

# What `kubectl get ftt` shows: name, type, description, path.
COLUMNS = (
    ("State", "string", "Where it is in its life.", ".status.state"),
    ("Ready", "string", "Whether every planned replica works.", '.status.conditions[?(@.type=="Ready")].status'),
    ("Met", "string", "Whether the guarantee is met now.", '.status.conditions[?(@.type=="GuaranteeMet")].status'),
    ("Active", "integer", "Active replicas.", ".status.replicas.active"),
    ("Desired", "integer", "Replicas that should be active.", ".status.replicas.desired"),
    ("Lag", "integer", "Epochs by which the slowest sink is behind.", ".status.lagEpochs"),
    ("Age", "date", "Since when it exists.", ".metadata.creationTimestamp"),
)
WIDE = (  # with -o wide only
    ("Health", "string", "What is being done about it.", '.status.conditions[?(@.type=="Healthy")].reason'),
    ("Configuration", "string", "Source rates in force.", ".status.configuration"),
    ("Guarantee", "number", "What the plan guarantees.", ".status.plan.guarantee"),
    ("Cost", "number", "CPU seconds per window.", ".status.plan.cost"),
)


def crd_text() -> str:
    """As it stands in crds/."""
    return HEADER + yaml.dump(crd(), Dumper=_Dumper, sort_keys=False, width=140, allow_unicode=True)


def crd() -> dict[str, Any]:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": NAME},
        "spec": {"group": GROUP, "scope": "Namespaced", "names": _names(), "versions": [_version()]},
    }


def _names() -> dict[str, Any]:
    names = {"kind": KIND, "listKind": f"{KIND}List", "plural": PLURAL, "singular": KIND.lower()}
    return names | {"shortNames": ["ftt"], "categories": ["levee"]}


def _version() -> dict[str, Any]:
    schema = {"openAPIV3Schema": _schema()}
    version = {"name": VERSION, "served": True, "storage": True, "schema": schema}
    return version | {"subresources": {"status": {}}, "additionalPrinterColumns": _columns()}


def _schema() -> Schema:
    return {
        "description": "A Spark streaming topology with exactly as much fault tolerance as it needs.",
        "type": "object",
        "required": ["spec"],
        "properties": {
            "apiVersion": {"description": f"{GROUP}/{VERSION}", "type": "string"},
            "kind": {"description": KIND, "type": "string"},
            "metadata": {"type": "object"},  # more may not be said of it
            "spec": {"description": "What is wanted."} | structural(Spec, "spec"),
            "status": {"description": "What is, written by the operator."} | structural(Status, "status"),
        },
        "x-kubernetes-validations": [{"rule": rule.cel, "message": rule.message} for rule in RULES[""]],
    }


def _columns() -> list[dict[str, Any]]:
    always = [{"name": name, "type": kind, "description": text, "jsonPath": path} for name, kind, text, path in COLUMNS]
    wide = [{"name": name, "type": kind, "description": text, "jsonPath": path, "priority": 1} for name, kind, text, path in WIDE]
    return always[:-1] + wide + always[-1:]  # Age comes last, as everywhere in Kubernetes.


class _Dumper(yaml.SafeDumper):
    """Writes equal parts out each time: an anchor in a CustomResourceDefinition would puzzle its readers."""

    def ignore_aliases(self, data: object) -> bool:  # the signature is PyYAML's
        return True
