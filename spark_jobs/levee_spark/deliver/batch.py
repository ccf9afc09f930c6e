"""Every other format: Spark's batch writer is given each final epoch, with its number as the column `_epoch`.

Why: whatever Spark can write, a sink can be. Spark does not say whether a write that failed was carried out in part, so it is done
again: at least once, unless the target takes the number in the same transaction and refuses what it has.
Called by: `opening`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from levee_spark.deliver.delivery import CannotDeliver, Counters, Persistence, done, has_rows, table_of
from levee_spark.log.requests import Deliver, Done
from levee_spark.store.driver import monotonic_ms

EPOCH = "_epoch"
UNKNOWN = "[DATA_SOURCE_NOT_FOUND]"  # of Spark's errors the one that comes as a bare exception of Java's
CLASS = re.compile(r"^(: )?(caused by: )?[\w.$]+(Exception|Error): ")


class NotNow(Exception):
    """The write failed; it may work later."""


@dataclass(slots=True)
class Batches:
    sink: str
    form: str
    options: Mapping[str, str]
    spark: SparkSession
    persistence: Persistence

    @property
    def counters(self) -> Counters:
        return self.persistence.counters

    def deliver(self, request: Deliver) -> Done:
        began_ms = monotonic_ms()
        if has_rows(request):
            self.persistence.until_done(lambda: self.try_to_write(request), (NotNow,))
            self.counters.delivered_epochs += 1
            self.counters.delivered_rows += request.epoch.manifest.rows
        return done(began_ms)

    def try_to_write(self, request: Deliver) -> None:
        try:
            self.write(request)
        except (PySparkException, Py4JError) as error:
            wrong = reason(error)
            if isinstance(error, AnalysisException) or UNKNOWN in wrong:  # time will not mend it
                raise CannotDeliver(f"sink {self.sink!r}", wrong, "mend the format and its options, or select other columns") from error
            raise NotNow(f"sink {self.sink!r}: {wrong}") from error

    def write(self, request: Deliver) -> None:
        rows = self.spark.createDataFrame(table_of(request))
        frame = rows.withColumn(EPOCH, f.lit(request.epoch.manifest.epoch).cast("bigint"))
        if self.form == "kafka":
            frame = messages(frame)
        frame.write.format(self.form).options(**self.options).mode("append").save()

    def stop(self) -> None:
        self.persistence.stopping.set()


def messages(frame: DataFrame) -> DataFrame:
    """A stream that has no column `value` is sent as JSON, its epoch within."""
    if "value" in frame.columns:
        return frame
    sent = [name for name in ("key", "topic", "headers", "partition") if name in frame.columns]
    return frame.select(*sent, f.to_json(f.struct("*")).alias("value"))


def reason(error: Exception) -> str:
    """The line that says it, without the classes and the stacks around it."""
    lines = [line for line in str(error).splitlines() if not line.startswith(("An error occurred", "\tat"))]
    return CLASS.sub("", lines[0]) if lines else type(error).__name__
