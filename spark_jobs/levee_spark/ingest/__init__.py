"""From what lies outside to epochs: the `replay` source, and every streaming source of Spark.

Why: an ingestor of the log asks for "epoch e, from where the one before ended"; here is who can answer that.
Called by: workers, one `Ingestion` for each replica of a source's task (`opening.open_ingestion`).
"""
