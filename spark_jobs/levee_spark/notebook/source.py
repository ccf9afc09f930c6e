"""The Spark data source `levee`, as a notebook knows it.

Called by: Spark, in Python processes of its own; `register`, by users.
"""

import os
import sys

from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, DataSourceStreamWriter
from pyspark.sql.types import StructType

from levee_spark.notebook.asked import LATEST, READING, WHERE, WRITING, Asked, asked
from levee_spark.notebook.look import Look
from levee_spark.notebook.parts import Reading
from levee_spark.notebook.reading import BatchReader, StreamReader
from levee_spark.notebook.rows import schema_of
from levee_spark.notebook.trouble import CannotUse
from levee_spark.notebook.writing import StreamWriter

NAME = "levee"


class Streams(DataSource):
    @classmethod
    def name(cls) -> str:
        return NAME

    def asked(self) -> Asked:
        return asked(dict(self.options), READING)

    def schema(self) -> StructType:
        look = Look.at(self.asked())
        return schema_of(look, look.tasks())

    def reading(self, schema: StructType) -> Reading:
        return Reading(self.asked(), schema, Look.at(self.asked()).tasks())

    def reader(self, schema: StructType) -> DataSourceReader:
        return BatchReader(self.reading(schema))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802  (Spark's names)
        if self.asked().ending is not None:
            raise CannotUse(WHERE, f"a streaming query has no endingEpoch but {LATEST}", "leave it out, or read a batch: spark.read")
        return StreamReader(self.reading(schema))

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamWriter:  # noqa: N802
        told = asked(dict(self.options), WRITING)
        if told.uid is None:
            raise CannotUse(told.where, "has no uid, under which it will lie", '.option("uid", "any name that no topology has")')
        if overwrite:
            raise CannotUse(told.where, "each batch would replace what was written before, and epochs never change", 'outputMode("append")')
        return StreamWriter(told, schema)


def register(spark: SparkSession) -> None:
    """Once for each session; then `format("levee")` is there."""
    use_this_python(spark)
    spark.dataSource.register(Streams)


def use_this_python(spark: SparkSession) -> None:
    """Unless told, Spark starts the first python3 on the PATH, which need not have Levee. On other machines Python lies elsewhere."""
    context = spark.sparkContext
    if "PYSPARK_PYTHON" not in os.environ and str(context.master).startswith("local"):
        os.environ["PYSPARK_PYTHON"] = context.pythonExec = sys.executable
