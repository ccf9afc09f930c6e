"""A small valid experiment as a tree, and what the validator says once something in it has been changed."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import yaml

from levee.experiments.load import judged
from levee.experiments.spec import Experiment
from levee.topology.documents import read_documents
from levee.topology.wording import complaint_text, tidied

Tree = dict[str, Any]
Change = Callable[[Tree], object]

CRASH: Tree = {
    "apiVersion": "levee.dev/v1alpha1",
    "kind": "FaultExperiment",
    "metadata": {"name": "crash", "namespace": "shop"},
    "spec": {
        "topology": "clicks",
        "steps": [{"action": "crash_replica", "arguments": {"operator": "orders", "role": "primary"}, "when": {"after": "10s"}}],
    },
}


def changed(**spec: Any) -> Tree:
    """With other parts of its spec."""
    tree = deepcopy(CRASH)
    tree["spec"] |= spec
    return tree


def step(action: str = "crash_replica", when: Any = None, **arguments: Any) -> Tree:
    return {"action": action, "arguments": arguments} | ({"when": when} if when is not None else {})


def said(tree: Tree) -> list[str]:
    """The complaints as users read them."""
    [document] = read_documents(yaml.safe_dump(tree))
    return [complaint_text(tidied(one)) for one in judged(document)[1]]


def experiment(**spec: Any) -> Experiment:
    [document] = read_documents(yaml.safe_dump(changed(**spec)))
    found, complaints = judged(document)
    assert found is not None, complaints
    assert not complaints, [complaint_text(one) for one in complaints]
    return found
