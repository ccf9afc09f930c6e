"""From a source as it is declared to what ingests it, or to a complaint that says what to do.

Why: what cannot work is refused when the worker starts, not when the first epoch is due.
Called by: workers.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from levee_spark.ingest import formats
from levee_spark.ingest.backlog import Backlog, OffsetsWaiting, RowsDue
from levee_spark.ingest.function import CannotIngest
from levee_spark.ingest.ingestion import Ingestion
from levee_spark.ingest.notes import FileNotes, Notes, PlainNotes
from levee_spark.ingest.replay import Replay
from levee_spark.ingest.shelf import StoreShelf
from levee_spark.ingest.silence import Silence
from levee_spark.ingest.streaming import Streaming, own_session
from levee_spark.ingest.waiting import FilesWaiting, listing
from levee_spark.store.blobs import Blobs
from levee_spark.store.driver import monotonic_ms

KEEP_EPOCHS = 10_000  # more than any stream keeps; see `seen`
DAY_MS = 86_400_000
UNITS_MS = {"": 1, "ms": 1, "s": 1_000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": DAY_MS}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a Spark source runs, and what it may use."""

    spark: Callable[[], SparkSession]  # called only if the source needs it
    folder: Path  # on this machine, of this replica alone; what is in it may go at any time
    blobs: Blobs  # the topology's store
    keys: str  # of a folder in it that all replicas of this task share, and nobody else
    max_rows: int  # of an epoch
    keep_epochs: int = KEEP_EPOCHS
    period_ms: int | None = None
    silence: Silence = field(default_factory=Silence)


def open_ingestion(source: str, form: str, options: Mapping[str, str], place: Place, *, task: int = 0, tasks: int = 1) -> Ingestion:
    """`task` of `tasks`: which share of the source's rows is wanted."""
    if form == "replay":
        return open_replay(source, with_period(options, place.period_ms), task, tasks)
    if wrong := formats.wrong_with(source, form, options):
        raise CannotIngest(wrong.where, wrong.wrong, wrong.fix)
    return open_streaming(form, options, place, task, tasks)


def open_streaming(form: str, options: Mapping[str, str], place: Place, task: int, tasks: int) -> Streaming:
    given = formats.effective(form, options, place.max_rows, tasks)

    def frame(spark: SparkSession) -> DataFrame:
        return formats.share(formats.load(spark, form, given, options.get("schema")), form, task, tasks)

    spark, notes = own_session(place.spark()), notes_of(form, options, place)
    look = listing(spark, form, given, options.get("schema"))
    return Streaming(
        spark,
        frame,
        place.folder,
        notes,
        remembers=form not in formats.FORGETFUL,
        backlog=FilesWaiting(look, notes) if isinstance(notes, FileNotes) else backlog_of(form, options, task, tasks),
        warms=form in formats.WARMS,
        bounded=options.get(formats.BOUNDED, "false").lower() == "true",
        silence=place.silence,
    )


def backlog_of(form: str, options: Mapping[str, str], task: int, tasks: int) -> Backlog | None:
    if form == "kafka":
        return OffsetsWaiting(task, tasks)
    told = {name.lower(): value for name, value in options.items()}
    rate = told.get("rowspersecond", "1")
    steady = form == "rate" and "rampuptime" not in told and rate.isdecimal()  # else Spark says what is wrong
    return RowsDue(int(rate) / tasks, monotonic_ms) if steady else None


def notes_of(form: str, options: Mapping[str, str], place: Place) -> Notes:
    if form not in formats.FILES:
        return PlainNotes()
    return FileNotes(StoreShelf(place.blobs, place.keys), age_ms(options), place.keep_epochs)


def age_ms(options: Mapping[str, str]) -> int | None:
    """From which age on Spark passes over a file that it does not know: never, where it reads the newest first."""
    if options.get("latestFirst", "false").lower() == "true":
        return None
    told = re.fullmatch(r"(\d+)\s*([a-z]*)", options.get("maxFileAge", "7d").lower())
    return int(told[1]) * UNITS_MS[told[2]] if told and told[2] in UNITS_MS else None


def with_period(options: Mapping[str, str], period_ms: int | None) -> dict[str, str]:
    """A generator that makes rows at a rate must know how long an epoch is."""
    return ({} if period_ms is None else {"periodMs": str(period_ms)}) | dict(options)


def open_replay(source: str, options: Mapping[str, str], task: int, tasks: int) -> Replay:
    where = f"source {source!r}"
    if "generator" not in options:
        raise CannotIngest(where, "names no generator", "write options: {generator: 'module:function'}")
    if not options.get("epochs", "0").isdecimal():
        raise CannotIngest(where, f"has {options['epochs']!r} epochs", "write their number, or leave it out")
    return Replay.of(options, task, tasks)
