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


def crd_text() -> str:
    """As it stands in crds/."""
    return HEADER + yaml.dump(crd(), Dumper=_Dumper, sort_keys=False, width=140, allow_unicode=True)


def crd() -> dict[str, Any]:
    names = {
        "kind": KIND,
        "listKind": f"{KIND}List",
        "plural": PLURAL,
        "singular": KIND.lower(),
        "shortNames": ["ftt"],
        "categories": ["levee"],
    }
    version = {
        "name": VERSION,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": _schema()},
        "subresources": {"status": {}},
        "additionalPrinterColumns": _columns(),
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": NAME},
        "spec": {"group": GROUP, "scope": "Namespaced", "names": names, "versions": [version]},
    }


def _schema() -> Schema:
    return {
        "description": "A Spark streaming topology with exactly as much fault tolerance as it needs.",
        "type": "object",
        "required": ["spec"],
        "properties": {
            "apiVersion": {"description": f"{GROUP}/{VERSION}", "type": "string"},
            "kind": {"description": KIND, "type": "string"},
            "metadata": {"description": "Name, namespace, labels and annotations.", "type": "object"},
            "spec": {"description": "What is wanted."} | structural(Spec, "spec"),
            "status": {"description": "What is, written by the operator."} | structural(Status, "status"),
        },
        "x-kubernetes-validations": [{"rule": rule.cel, "message": rule.message} for rule in RULES[""]],
    }


def _columns() -> list[dict[str, Any]]:
    """What `kubectl get ftt` shows; priority 1 only with -o wide."""
    met = '.status.conditions[?(@.type=="GuaranteeMet")].status'
    return [
        {"name": "State", "type": "string", "description": "Where it is in its life.", "jsonPath": ".status.state"},
        {"name": "Met", "type": "string", "description": "Whether the guarantee is met now.", "jsonPath": met},
        {"name": "Active", "type": "integer", "description": "Active replicas.", "jsonPath": ".status.replicas.active"},
        {"name": "Desired", "type": "integer", "description": "Replicas that should be active.", "jsonPath": ".status.replicas.desired"},
        {"name": "Lag", "type": "integer", "description": "Epochs by which the slowest sink is behind.", "jsonPath": ".status.lagEpochs"},
        {
            "name": "Configuration",
            "type": "string",
            "description": "Source rates in force.",
            "jsonPath": ".status.configuration",
            "priority": 1,
        },
        {
            "name": "Guarantee",
            "type": "number",
            "description": "What the plan guarantees.",
            "jsonPath": ".status.plan.guarantee",
            "priority": 1,
        },
        {"name": "Cost", "type": "number", "description": "CPU seconds per window.", "jsonPath": ".status.plan.cost", "priority": 1},
        {"name": "Age", "type": "date", "description": "Since when it exists.", "jsonPath": ".metadata.creationTimestamp"},
    ]


class _Dumper(yaml.SafeDumper):
    """Writes equal parts out each time: an anchor in a CustomResourceDefinition would puzzle its readers."""

    def ignore_aliases(self, data: object) -> bool:  # the signature is PyYAML's
        return True
