"""The lane with one thing changed: each says what it would be like without a setting, or with one that is not there.

Called by: compare.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Variant:
    settings: Mapping[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()  # later ones win


STATE = "spark.sql.streaming.stateStore"
RETAINED = ("ui.retainedJobs", "ui.retainedStages", "ui.retainedTasks", "sql.ui.retainedExecutions", "sql.streaming.ui.retainedQueries")
PROVIDER = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"

VARIANTS: Mapping[str, Variant] = {
    "as it is": Variant(),
    "hdfs state": Variant({f"{STATE}.providerClass": PROVIDER}),
    "no changelog": Variant({f"{STATE}.rocksdb.changelogCheckpointing.enabled": "false"}),
    "format 2": Variant({f"{STATE}.checkpointFormatVersion": "2"}),
    "c2": Variant(flags=("-XX:TieredStopAtLevel=4",)),
    "parallel gc": Variant(flags=("-XX:-UseSerialGC", "-XX:+UseParallelGC")),
    "tcp sockets": Variant({"spark.python.unix.domain.socket.enabled": "false"}),
    "metrics": Variant({"spark.sql.streaming.metricsEnabled": "true"}),
    "few updates": Variant({"spark.sql.streaming.numRecentProgressUpdates": "0"}),
    "local[1]": Variant({"spark.master": "local[1]"}),
    "no codegen": Variant({"spark.sql.codegen.wholeStage": "false"}),
    "shuffles": Variant({"spark.sql.extensions": ""}),
    "compiled projections": Variant({"spark.sql.codegen.factoryMode": "FALLBACK"}),
    "rows not counted": Variant({f"{STATE}.rocksdb.trackTotalNumberOfRows": "false"}),
    "commits not validated": Variant({f"{STATE}.commitValidation.enabled": "false"}),
    "few retained": Variant({f"spark.{name}": "5" for name in RETAINED}),
    "no source evolution": Variant({"spark.sql.streaming.queryEvolution.enableSourceEvolution": "false"}),
    "retain 100": Variant({"spark.sql.streaming.minBatchesToRetain": "100"}),
    "async progress": Variant({"spark.sql.streaming.asyncProgressTrackingEnabled": "true"}),
    "checksummed file system": Variant({"spark.hadoop.fs.file.impl": "org.apache.hadoop.fs.LocalFileSystem"}),
    "small young": Variant(flags=("-Xmn64m", "-XX:MinHeapFreeRatio=10", "-XX:MaxHeapFreeRatio=30")),
}
