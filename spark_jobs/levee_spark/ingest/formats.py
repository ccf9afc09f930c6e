"""What is particular to a format: how its epochs are bounded, which options would lose rows, how a source's tasks share it.

Why: Spark takes as much as there is, Kafka's connector reads what was aborted, and a file source may delete what it has read before
anyone has committed it. What a user has set is kept, save what cannot be right.
Called by: `opening`, `streaming`.
"""

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f

from levee.topology.complaint import Complaint
from levee_spark.ingest import checkpoint
from levee_spark.lane.rows import row_hash

FILES = frozenset({"csv", "json", "orc", "parquet", "text", "xml", "avro", "binaryFile"})
WARMS = FILES | {"kafka", "rate", "rate-micro-batch"}  # whoever else reads from them takes nothing away
FORGETFUL = frozenset({"socket"})  # they cannot go back: whoever comes next begins with what comes then
BOUNDED = "bounded"
OWN = frozenset({"schema", BOUNDED})  # of the options those that are not Spark's
ROW_BYTES = 100  # of a row in a file, as a guess: files are bounded in bytes
LIMITS = ("maxFilesPerTrigger", "maxBytesPerTrigger", "maxOffsetsPerTrigger")
KAFKA = {"kafka.isolation.level": "read_committed"}


def wrong_with(source: str, form: str, options: Mapping[str, str]) -> Complaint | None:
    where = f"source {source!r}"
    if form in FILES and options.get("cleanSource", "off").lower() != "off":
        wrong = "cleanSource removes files that Spark has read, before the epoch that holds them is committed: their rows would be lost"
        return Complaint(where, wrong, "leave cleanSource out, and remove old files yourself")
    if form in FILES - {"text", "binaryFile"} and "schema" not in options:
        return Complaint(where, f"says nothing of its columns, and {form} files that are still to come cannot be asked", SCHEMA_FIX)
    if (bounded := options.get(BOUNDED)) is not None:
        return wrong_bound(where, form, bounded)
    return None


def wrong_bound(where: str, form: str, told: str) -> Complaint | None:
    if form not in FILES:
        return Complaint(where, f"is bounded, but {form} does not tell that there is no more", "leave it out; files and replay can end")
    if told.lower() not in {"true", "false"}:
        return Complaint(where, f"says bounded: {told!r}", "write 'true' or 'false'")
    return None


SCHEMA_FIX = "write options: {schema: 'symbol STRING, price DOUBLE'}"


def effective(form: str, options: Mapping[str, str], max_rows: int, tasks: int) -> dict[str, str]:
    """Each task reads all of the source and keeps its share, so that it may read as many times more."""
    rest = {name: value for name, value in options.items() if name not in OWN}
    limited = any(name.lower() in {limit.lower() for limit in LIMITS} for name in rest)
    if form == "kafka":
        return {**KAFKA, **({} if limited else {"maxOffsetsPerTrigger": str(max_rows * tasks)}), **rest}
    if form in FILES and not limited:
        return {"maxBytesPerTrigger": str(max_rows * tasks * ROW_BYTES), **rest}
    return rest


def load(spark: SparkSession, form: str, options: Mapping[str, str], schema: str | None) -> DataFrame:
    reader = spark.readStream.format(form).options(**options)
    return (reader.schema(schema) if schema else reader).name(checkpoint.SOURCE).load()


def share(frame: DataFrame, form: str, task: int, tasks: int) -> DataFrame:
    """Whole partitions of Kafka, whose order is worth something; else rows by their hash."""
    number: Column = f.col("partition") if form == "kafka" else row_hash(frame, tasks)
    return frame if tasks == 1 else frame.where(f.pmod(number, f.lit(tasks)) == task)
