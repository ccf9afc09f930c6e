"""A Structured Streaming job as people have it today: readings of sensors -> averages per sensor and ten seconds -> Parquet.

It runs by itself, `python job.py`; and README.md says how Levee runs its function `transform` twice, on two nodes.
"""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f


def transform(inputs: dict[str, DataFrame]) -> DataFrame:
    ticks = inputs["ticks"].withWatermark("timestamp", "5 seconds")
    readings = ticks.select("timestamp", (f.col("value") % 20).alias("sensor"), (f.col("value") % 400).alias("tenths"))
    averages = readings.groupBy(f.window("timestamp", "10 seconds"), "sensor").agg((f.avg("tenths") / 10).alias("celsius"))
    return averages.select(f.col("window.start").alias("since"), "sensor", "celsius")


def main() -> None:
    spark = SparkSession.builder.appName("one-job").getOrCreate()
    ticks = spark.readStream.format("rate").option("rowsPerSecond", 100).load()
    writer = transform({"ticks": ticks}).writeStream.format("parquet").option("path", "averages")
    writer.option("checkpointLocation", "checkpoint").start().awaitTermination()


if __name__ == "__main__":
    main()
