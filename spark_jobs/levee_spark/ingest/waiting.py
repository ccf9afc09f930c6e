"""How many files wait in a source, and how many rows in them, as far as that can be told.

Why: Spark's file source knows which files it has yet to read, and does not tell. So the place is listed once more, by Spark's reader of the
same format with the same options, less what was taken in; seldom and in a thread of its own, since a listing may take long. Of rows
nobody knows before a file is read: as many each as those that were.
Called by: `streaming`; made by `opening`.
"""

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from threading import Thread

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from levee_spark.ingest.notes import FileNotes

PAUSE_S, SHARE = 5.0, 20  # between two looks, or as many times as long as one took

Times = Mapping[str, int]  # when files were written, by their paths; in ms
Look = Callable[[Collection[str], Times], Times]  # what is there, without those that were taken in; and what was known of the others


@dataclass(slots=True)
class FilesWaiting:
    look: Look
    notes: FileNotes  # of the files that were taken in
    rows: int | None = None
    taken_rows: int = 0
    there: Times | None = None  # None: nobody has looked yet
    news: Times | None = None  # from the thread that looks
    looking: Thread | None = None
    next_look_s: float = 0.0

    def growth(self, _query: StreamingQuery | None, rows: int) -> int:
        self.taken_rows += rows
        news, self.news = self.news, None
        known = self.there if news is None else news
        if known is not None:
            self.there = {path: written_ms for path, written_ms in known.items() if path not in self.notes.taken}
        before, self.rows = self.rows, self.estimate()
        self.look_again()
        return 0 if before is None or self.rows is None else self.rows - before

    def estimate(self) -> int | None:
        """None as long as no file was read that would say how many rows one has."""
        if self.there is None:
            return None
        files = sum(written_ms >= self.notes.oldest_ms() for written_ms in self.there.values())
        if files and not self.notes.count:
            return None
        return round(files * self.taken_rows / self.notes.count) if files else 0

    def look_again(self) -> None:
        if (self.looking is None or not self.looking.is_alive()) and time.monotonic() >= self.next_look_s:
            self.looking = Thread(target=self.take_a_look, name="levee-files", daemon=True)
            self.looking.start()

    def take_a_look(self) -> None:
        """What cannot be listed now cannot be read either, and that is told when an epoch is due."""
        began_s = time.monotonic()
        try:
            self.news = self.look(self.notes.taken, self.there or {})
        except (PySparkException, Py4JError):
            return
        finally:
            now_s = time.monotonic()
            self.next_look_s = now_s + max(PAUSE_S, SHARE * (now_s - began_s))


def listing(spark: SparkSession, form: str, options: Mapping[str, str], schema: str | None) -> Look:
    """As Spark's file source does: patterns, partitions and hidden names are its business."""

    def look(taken: Collection[str], known: Times) -> Times:
        reader = spark.read.format(form).options(**options)
        frame = (reader.schema(schema) if schema else reader).load()
        index = frame._jdf.queryExecution().analyzed().collectLeaves().head().relation().location()  # noqa: SLF001
        files = index.allFiles()
        new = [(place, path) for place, path in enumerate(index.inputFiles()) if path not in taken]
        return {path: known[path] if path in known else int(files.apply(place).getModificationTime()) for place, path in new}

    return look
