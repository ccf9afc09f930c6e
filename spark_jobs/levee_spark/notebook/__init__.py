"""Streams of a topology as a data source of anybody's Spark, and streams that anybody's Spark writes: the format `levee`.

Why: what a topology computes is of use outside it, in a notebook or a job; its epochs lie in the store, complete and numbered, so they
are read from there and no worker is asked.
Called by: users: `register(spark)`, then `spark.readStream.format("levee")`, `spark.read` and `frame.writeStream`.
"""

from levee_spark.notebook.source import register

__all__ = ["register"]
