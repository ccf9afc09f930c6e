"""From a source that imports a stream of another topology to what ingests it.

Called by: assembly, for each replica of such a source.
"""

from collections.abc import Callable

from levee.topology.imports import StartingEpoch
from levee.topology.names import OperatorName, TaskId
from levee.topology.spec import Resource
from levee.topology.streams import Source
from levee_spark.ingest.importing import Importing, Terms
from levee_spark.log.wiring import Wiring
from levee_spark.store.driver import StoreDriver
from levee_spark.worker import imports


def importing_of(
    resource: Resource, source: Source, wiring: Wiring, task: TaskId, holder: str, driver: StoreDriver, tell: Callable[[str], None]
) -> Importing:
    said = source.import_
    assert said is not None
    terms = Terms(
        wiring=wiring,
        importer=imports.importer_of(resource, wiring, task),
        wanted=imports.wanted_of(resource, OperatorName(source.name)),
        holder=f"{holder} reads",
        lease_ms=imports.lease_ms(said),
        rows_max=resource.spec.epoch.max_rows,
        at_the_end=said.starting_epoch is StartingEpoch.LATEST,
        fails_on_loss=said.fail_on_data_loss,
        task=int(task.rpartition("/")[2]),
        tasks=source.parallelism,
    )
    return Importing(terms, driver, tell)
