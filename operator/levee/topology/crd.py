"""CustomResourceDefinitions, made from the models that also validate and plan.

Why: the cluster, the validator and the planner then agree on every field; nothing is written down twice.
Called by: levee crds; experiments.crd, for another kind.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import yaml
from pydantic import BaseModel

from levee.topology.crd_rules import TOPOLOGIES, Besides
from levee.topology.crd_schema import Schema, structural
from levee.topology.spec import GROUP, KIND, VERSION, Spec
from levee.topology.status import Status

PLURAL = "faulttoleranttopologies"
NAME = f"{PLURAL}.{GROUP}"
HEADER = "# Made by `levee crds` from the models in operator/levee/topology; do not edit.\n"

Column: TypeAlias = tuple[str, str, str, str]  # name, type, description, path

# What `kubectl get ftt` shows.
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


@dataclass(frozen=True, slots=True)
class Definition:
    """One kind of resource."""

    kind: str
    plural: str
    short: str
    description: str
    spec: type[BaseModel]
    status: type[BaseModel]
    besides: Besides
    columns: Sequence[Column]
    wide: Sequence[Column]

    @property
    def name(self) -> str:
        return f"{self.plural}.{GROUP}"


TOPOLOGY = Definition(
    *(KIND, PLURAL, "ftt", "A Spark streaming topology with exactly as much fault tolerance as it needs.", Spec, Status, TOPOLOGIES),
    *(COLUMNS, WIDE),
)


def crd_text(one: Definition = TOPOLOGY) -> str:
    """As it stands in crds/."""
    return HEADER + yaml.dump(crd(one), Dumper=_Dumper, sort_keys=False, width=140, allow_unicode=True)


def crd(one: Definition = TOPOLOGY) -> dict[str, Any]:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": one.name},
        "spec": {"group": GROUP, "scope": "Namespaced", "names": _names(one), "versions": [_version(one)]},
    }


def _names(one: Definition) -> dict[str, Any]:
    names = {"kind": one.kind, "listKind": f"{one.kind}List", "plural": one.plural, "singular": one.kind.lower()}
    return names | {"shortNames": [one.short], "categories": ["levee"]}


def _version(one: Definition) -> dict[str, Any]:
    schema = {"openAPIV3Schema": _schema(one)}
    version = {"name": VERSION, "served": True, "storage": True, "schema": schema}
    return version | {"subresources": {"status": {}}, "additionalPrinterColumns": _columns(one)}


def _schema(one: Definition) -> Schema:
    return {
        "description": one.description,
        "type": "object",
        "required": ["spec"],
        "properties": {
            "apiVersion": {"description": f"{GROUP}/{VERSION}", "type": "string"},
            "kind": {"description": one.kind, "type": "string"},
            "metadata": {"type": "object"},  # more may not be said of it
            "spec": {"description": "What is wanted."} | structural(one.spec, "spec", one.besides),
            "status": {"description": "What is, written by the operator."} | structural(one.status, "status", one.besides),
        },
        "x-kubernetes-validations": [{"rule": rule.cel, "message": rule.message} for rule in one.besides.rules[""]],
    }


def _columns(one: Definition) -> list[dict[str, Any]]:
    always = [{"name": name, "type": kind, "description": text, "jsonPath": path} for name, kind, text, path in one.columns]
    wide = [{"name": name, "type": kind, "description": text, "jsonPath": path, "priority": 1} for name, kind, text, path in one.wide]
    return always[:-1] + wide + always[-1:]  # Age comes last, as everywhere in Kubernetes.


class _Dumper(yaml.SafeDumper):
    """Writes equal parts out each time: an anchor in a CustomResourceDefinition would puzzle its readers."""

    def ignore_aliases(self, data: object) -> bool:  # the signature is PyYAML's
        return True
