"""The same job without Levee: Spark Structured Streaming, files to Parquet, in one pod: `python3 plain_job.py FOLDER PERIOD_MS`.

Why: it is what a restarted pod is compared with. The two functions are those of the topology. Its session is the one that Levee's workers
have, which starts sooner, and does a small batch sooner, than with Spark's defaults: nothing is slow on purpose.
Called by: plain, in a container of its own.
"""

import sys

from levee_spark.examples.bargains import aggregator, trade_filter
from levee_spark.spark.session import open_session
from levee_spark.spark.settings import Size

SCHEMA = "key long, time timestamp, symbol string, type string, price_cents long, volume long, ask_cents long, ask_size long"


def main(folder: str, period_ms: str) -> None:
    spark, _ = open_session(Size(), {"spark.sql.streaming.queryEvolution.enableSourceEvolution": "false"})
    market = spark.readStream.schema(SCHEMA).parquet(f"{folder}/in")
    averages = aggregator({"trade-filter": trade_filter({"market": market})})
    writer = averages.writeStream.format("parquet").option("path", f"{folder}/out").option("checkpointLocation", f"{folder}/checkpoint")
    writer.trigger(processingTime=f"{period_ms} milliseconds").start().awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
