"""Sources that import streams of other topologies, from how they are declared.

Why: controllers look for the exporters first, and have no Spark; what ingests is made in `importing`.
Called by: assembly and importing, for each replica of such a source; controllers.
"""

from levee.topology.imports import Import
from levee.topology.names import OperatorName, TaskId
from levee.topology.spec import Resource
from levee_spark.log.imports import Keeper
from levee_spark.log.registration import Importer
from levee_spark.log.values import Imported
from levee_spark.log.wiring import Wiring


def imports_in(resource: Resource) -> dict[OperatorName, Import]:
    """By source."""
    return {OperatorName(one.name): one.import_ for one in resource.spec.sources if one.import_ is not None}


def wanted_of(resource: Resource, source: OperatorName) -> Imported:
    """The UID is empty where it is to be found."""
    said = imports_in(resource)[source]
    topology = f"{said.namespace or resource.metadata.namespace}/{said.topology}"
    return Imported(source, topology, said.uid or "", OperatorName(said.stream))


def importer_of(resource: Resource, wiring: Wiring, task: TaskId) -> Importer:
    return Importer(wiring.layout, f"{resource.metadata.namespace}/{resource.metadata.name}", task)


def lease_ms(said: Import) -> int:
    return round(1_000 * said.lease)


def keepers_of(resource: Resource, wiring: Wiring, task: TaskId, holder: str) -> list[Keeper]:
    """Beside an ingestor: what it has yet to import is kept, also while it may not seal or another replica leads."""
    name = wiring.tasks[task].operator
    said = imports_in(resource).get(name)
    if said is None:
        return []
    return [Keeper(wiring, importer_of(resource, wiring, task), wanted_of(resource, name), f"{holder} keeps", lease_ms(said))]
