"""From a document to an experiment, or to everything that is wrong with it.

Why: the command line and the operator must say the same.
Called by: `levee validate`, `levee fx`; serve, for each resource.
"""

from typing import Any

from pydantic import ValidationError

from levee.experiments.checks.alone import complaints
from levee.experiments.spec import KIND, Experiment
from levee.topology.complaint import Complaint
from levee.topology.documents import Document
from levee.topology.load import without_nulls
from levee.topology.paths import shown_path
from levee.topology.repair import repair
from levee.topology.shape import shape_mistakes
from levee.topology.spec import API_VERSION
from levee.topology.wording import tidied


def judged(document: Document) -> tuple[Experiment | None, tuple[Complaint, ...]]:
    """The experiment where it has the right shape, and everything that is wrong."""
    value = {**without_nulls(document.value), "apiVersion": API_VERSION}
    try:
        experiment = Experiment.model_validate(value)
    except ValidationError as error:
        return None, document.complaints + shape_mistakes(Experiment, error, document.written) + meaning(value, document)
    return experiment, document.complaints + tuple(complaints(experiment))


def meaning(value: Any, document: Document) -> tuple[Complaint, ...]:
    """What can be said about the rest of a document whose shape has mistakes."""
    repaired = repair(Experiment, value, document.written)
    if repaired is None:
        return ()
    ours = tuple(map(shown_path, repaired[1]))
    return tuple(one for one in complaints(repaired[0]) if not one.where.startswith(ours))


def of_resource(resource: dict[str, Any]) -> tuple[Experiment | None, tuple[Complaint, ...]]:
    """As the API server has it: without what it and others have added."""
    metadata = {name: resource["metadata"][name] for name in ("name", "namespace")}
    value = {"apiVersion": API_VERSION, "kind": KIND, "metadata": metadata, "spec": resource["spec"]}
    experiment, found = judged(Document(1, value))
    return experiment, tuple(map(tidied, found))
