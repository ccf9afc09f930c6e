"""From a source as it is declared to what ingests it, or to a complaint that says what to do.

Why: what cannot work is refused when the worker starts, not when the first epoch is due.
Called by: workers.
"""

from collections.abc import Mapping

from levee_spark.ingest.function import CannotIngest
from levee_spark.ingest.ingestion import Ingestion
from levee_spark.ingest.replay import Replay


def open_ingestion(source: str, form: str, options: Mapping[str, str], *, task: int, tasks: int) -> Ingestion:
    """`task` of `tasks`: which share of the source's rows is wanted."""
    if form == "replay":
        return open_replay(source, options, task, tasks)
    raise CannotIngest(f"source {source!r}", f"has the format {form!r}", "use replay")


def open_replay(source: str, options: Mapping[str, str], task: int, tasks: int) -> Replay:
    where = f"source {source!r}"
    if "generator" not in options:
        raise CannotIngest(where, "names no generator", "write options: {generator: 'module:function'}")
    if not options.get("epochs", "0").isdecimal():
        raise CannotIngest(where, f"has {options['epochs']!r} epochs", "write their number, or leave it out")
    return Replay.of(options, task, tasks)
