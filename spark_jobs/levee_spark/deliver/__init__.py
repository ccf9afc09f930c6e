"""From epochs to what lies outside: files of Levee's own, the console, and every batch writer of Spark.

Why: a sink of the log says "deliver epoch e of input i"; here is who does it, and with which guarantee (docs/sources-and-sinks.md).
Called by: workers, one `Delivery` for each replica of a sink (`opening.open_delivery`).
"""
