"""A function that goes wrong is told so in its own words, and leaves the state as it was."""

import ctypes
import errno
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from levee_spark.lane.blame import judged
from levee_spark.lane.query import Function, Keyed
from levee_spark.lane.trouble import Crashed, Failed, Trouble, explained, own_lines_dumped
from tests.lane.lanes import Inputs, Lanes, drive, table, values

LIMIT_S = 3.0
GONE = "Python worker exited unexpectedly (crashed)"
DUMPED = """Thread 0x00007f4a709bdb80 (most recent call first):
  File "/home/me/more.py", line 7 in wait
  File "/usr/lib/python3.11/site-packages/pyspark/util.py", line 158 in wrapper

Current thread 0x00007f4a70a0cb80 (most recent call first):
  File "/home/me/mine.py", line 23 in <lambda>
  File "/home/me/mine.py", line 5 in labelled
  File "/usr/lib/python3.11/site-packages/pyspark/worker.py", line 2884 in <listcomp>
  File "/opt/levee/levee_spark/spark/daemon.py", line 19 in <module>
  File "<frozen runpy>", line 88 in _run_code

Caused by: java.io.EOFException
"""


def picky(inputs: Inputs) -> DataFrame:
    """Sums up, and cannot stand negative numbers."""

    def refuse(value: int) -> int:
        if value < 0:
            raise ValueError(f"no price is negative: {value}")
        return value

    return (
        inputs["rows"]
        .select(f.udf(lambda value: refuse(value) + 0, "long")("value").alias("value"))
        .groupBy(f.lit("all").alias("all"))
        .agg(f.sum("value"))
    )


def test_a_function_that_raises_leaves_the_state_at_the_epoch_before_and_goes_on(lanes: Lanes) -> None:
    lane = lanes(picky)
    drive(lane, [1, 2], lambda epoch: [table(value=[epoch])])
    with pytest.raises(Failed):
        lane.compute(3, 3_000, [table(value=[3, -1])])
    with pytest.raises(Failed) as raised:  # and again: it was no accident of the first time
        lane.compute(3, 3_000, [table(value=[3, -1])])
    words, *lines = str(raised.value).splitlines()
    assert words == "ValueError: no price is negative: -1"
    assert lines[-1].endswith('in refuse: raise ValueError(f"no price is negative: {value}")')
    assert all(f"{Path(__file__).name}:" in line for line in lines)  # nothing of Spark's
    assert lane.epoch == 2
    assert values(lane.compute(3, 3_000, [table(value=[4])])) == [("all", 7)]


def test_a_function_that_raises_in_its_first_epoch_may_begin_again(lanes: Lanes) -> None:
    lane = lanes(picky)
    with pytest.raises(Failed, match="no price is negative"):
        lane.compute(1, 0, [table(value=[-1])])
    assert values(lane.compute(1, 0, [table(value=[5])])) == [("all", 5)]


def test_columns_that_change_are_named(lanes: Lanes) -> None:
    lane = lanes(lambda inputs: inputs["prices"].select("value"), "prices")
    lane.compute(1, 0, [table(value=[1])])
    with pytest.raises(Failed, match=r"(?s)the schema of 'prices' has changed from\nvalue: int64\nto\nvalue: double"):
        lane.compute(2, 0, [table(value=[1.5])])
    assert values(lane.compute(2, 0, [table(value=[2])])) == [(2,)]


def raises(_: Inputs) -> DataFrame:
    raise KeyError("nothing of that name")


def no_frame(_: Inputs) -> DataFrame:
    return 7  # type: ignore[return-value]


def no_stream(inputs: Inputs) -> DataFrame:
    return inputs["rows"].sparkSession.range(3).toDF("value")


def no_column(inputs: Inputs) -> DataFrame:
    return inputs["rows"].select("prise")


def leaves(_: Inputs) -> DataFrame:
    sys.exit("enough")


def aggregates_twice(inputs: Inputs) -> DataFrame:
    once = inputs["rows"].groupBy("value").count()
    return once.groupBy("count").agg(f.max("value"))


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (raises, "KeyError: 'nothing of that name'"),
        (no_frame, "the function returned int, not a DataFrame"),
        (no_stream, "not computed from its inputs"),
        (no_column, "`prise` cannot be resolved"),
        (leaves, "SystemExit: enough"),
        (aggregates_twice, "possible 'correctness' issue"),
    ],
)
def test_a_function_that_cannot_be_used_says_why(lanes: Lanes, function: Callable[[Inputs], DataFrame], told: str) -> None:
    with pytest.raises(Failed) as raised:
        lanes(function).compute(1, 0, [table(value=[1])])
    assert told in str(raised.value)
    assert "StreamingRelation" not in str(raised.value)  # a plan says nothing to who wrote the function
    assert "site-packages" not in str(raised.value)


def test_what_a_function_raises_is_told_with_its_own_line(lanes: Lanes) -> None:
    with pytest.raises(Failed) as raised:
        lanes(no_column).compute(1, 0, [table(value=[1])])
    assert str(raised.value).splitlines()[-1].endswith('in no_column: return inputs["rows"].select("prise")')


def test_a_key_that_is_no_column_is_named_with_the_columns_there_are(lanes: Lanes) -> None:
    with pytest.raises(Failed, match="partitionBy names symbl, but 'rows' has only symbol, value"):
        lanes(lambda inputs: inputs["rows"], keyed=Keyed(("symbl",), 0, 2)).compute(1, 0, [table(symbol=["a"], value=[1])])


def stuck_in_rows(inputs: Inputs) -> DataFrame:
    def search(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for frame in frames:
            while (frame["value"] < 0).any():
                time.sleep(0.01)
            yield frame[["value"]]

    return inputs["rows"].mapInPandas(search, "value long")


def stuck_in_c(inputs: Inputs) -> DataFrame:
    """No signal that Python itself handles would come through."""

    def search(value: int) -> int:
        return value if value >= 0 else len(re.findall(r"(a+)+$", "a" * 60 + "b"))

    return inputs["rows"].select(f.udf(lambda value: search(value) + 0, "long")("value").alias("value"))  # hints would choose another kind


def stuck_in_endless_rows(inputs: Inputs) -> DataFrame:
    def search(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for frame in frames:
            yield frame
            while (frame["value"] < 0).any():
                yield frame.where(frame["value"] > 0).dropna()

    return inputs["rows"].select("value").mapInPandas(search, "value long")


@pytest.mark.parametrize(
    ("function", "where"),
    [
        (stuck_in_rows, r"search"),
        (stuck_in_c, r"search"),
        (stuck_in_endless_rows, r"search|stuck_in_endless_rows"),  # between two of its rows Spark is at work, and the generator on no stack
    ],
)
def test_a_function_that_never_returns_is_ended_tells_where_it_was_and_its_epoch_stays_to_be_done(
    lanes: Lanes, function: Function, where: str
) -> None:
    lane = lanes(function)
    lane.compute(1, 0, [table(value=[1])])
    lane.limit_s = LIMIT_S
    lane.restore(0, ())  # the query that follows knows the limit
    lane.compute(1, 0, [table(value=[1])])
    with pytest.raises(Failed) as raised:
        lane.compute(2, 0, [table(value=[-1])])
    words, *lines = str(raised.value).splitlines()
    assert words == "the function has not returned within 3 s, so it was cancelled; the epoch stays to be done"
    assert all(f"{Path(__file__).name}:" in line for line in lines)  # nothing of Spark's
    assert re.search(rf" in ({where})(: |$)", lines[-1])
    assert values(lane.compute(2, 0, [table(value=[2])])) == [(2,)]


def process(inputs: Inputs) -> DataFrame:
    return inputs["rows"].select(f.udf(lambda _: os.getpid() + 0, "long")("value").alias("pid"))


def test_a_limit_is_of_one_epoch_and_not_of_the_process_that_computes_one_after_another(lanes: Lanes) -> None:
    lanes(process).compute(1, 0, [table(value=[1])])
    lane = lanes(process, limit_s=LIMIT_S)
    lane.compute(1, 0, [table(value=[1])])
    before_s = time.clock_gettime(time.CLOCK_BOOTTIME)
    time.sleep(LIMIT_S + 0.5)
    [(pid,)] = values(lane.compute(2, 0, [table(value=[2])]))
    assert started_s(pid) < before_s, "one of those that were there: Spark may have several that wait"


def started_s(pid: object) -> float:
    """Since the machine was booted."""
    ticks = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[19]
    return int(ticks) / os.sysconf("SC_CLK_TCK")


def stuck_in_java(inputs: Inputs) -> DataFrame:
    waits = f.expr("case when value < 0 then reflect('java.lang.Thread', 'sleep', 600000L) end")
    return inputs["rows"].select("value", waits.alias("waits"))


def test_a_query_that_never_returns_is_cancelled_too(lanes: Lanes) -> None:
    lane = lanes(stuck_in_java)
    lane.compute(1, 0, [table(value=[1])])
    lane.limit_s = LIMIT_S
    with pytest.raises(Failed, match="has not returned within 3 s, so it was cancelled") as raised:
        lane.compute(2, 0, [table(value=[-1])])
    assert str(raised.value).splitlines()[-1].endswith(" in stuck_in_java")
    assert values(lane.compute(2, 0, [table(value=[2])])) == [(2, None)]


def test_a_process_that_dies_in_the_function_says_where(lanes: Lanes) -> None:
    def crashes(value: int) -> int:
        return ctypes.string_at(0)[value]

    with pytest.raises(Crashed) as raised:
        lanes(lambda inputs: inputs["rows"].select(f.udf(lambda one: crashes(one) + 0, "long")("value"))).compute(1, 0, [table(value=[1])])
    words, *lines = str(raised.value).splitlines()
    assert words == f"{GONE}: Fatal Python error: Segmentation fault"
    assert lines[-1].endswith("in crashes: return ctypes.string_at(0)[value]")
    assert all(f"{Path(__file__).name}:" in line for line in lines)


def test_a_definition_that_never_returns_is_ended(lanes: Lanes) -> None:
    rounds = [0]

    def searches(_: Inputs) -> DataFrame:
        while True:
            rounds[0] += 1
            time.sleep(0.01)

    with pytest.raises(Failed, match=r"has not returned within 0\.2 s"):
        lanes(searches, limit_s=0.2).compute(1, 0, [table(value=[1])])
    time.sleep(0.2)
    ended_at = rounds[0]
    time.sleep(0.2)
    assert rounds[0] == ended_at


def test_a_query_that_spark_refuses_later_is_told_too(lanes: Lanes) -> None:
    """By the JVM: there are no lines of Python in it."""
    lane = lanes(lambda inputs: inputs["rows"].select(f.expr("assert_true(value < 3, 'too many')").alias("no"), "value"))
    with pytest.raises(Failed, match="too many"):
        lane.compute(1, 0, [table(value=[3])])


def test_a_dump_of_a_process_is_shortened_to_the_users_lines_with_the_innermost_of_its_first_thread_last() -> None:
    shortened = ["  /home/me/more.py:7 in wait", "  /home/me/mine.py:5 in labelled", "  /home/me/mine.py:23 in <lambda>"]
    assert own_lines_dumped(DUMPED) == shortened
    assert own_lines_dumped(f"Driver stacktrace:\n{DUMPED}Caused by: {DUMPED}") == shortened  # Spark says it several times


def test_an_exception_without_words_is_told_by_its_name() -> None:
    assert explained(StopIteration()) == "StopIteration"


def test_tables_and_sessions_are_untouched_by_what_went_wrong(lanes: Lanes, spark: SparkSession) -> None:
    with pytest.raises(Failed):
        lanes(raises).compute(1, 0, [pa.table({"value": [1]})])
    assert values(lanes(lambda inputs: inputs["rows"]).compute(1, 0, [table(value=[1])])) == [(1,)]
    assert spark.range(2).count() == 2


# ---- the machine is at fault


def killed(inputs: Inputs) -> DataFrame:
    """Sums up; a negative number is the out-of-memory killer, another one below it the function's own."""

    def sent(value: int) -> int:
        if value == -1:
            os.kill(os.getpid(), signal.SIGKILL)
        if value == -2:
            os._exit(0)
        if value == -3:
            raise OSError(errno.ENOSPC, "No space left on device")
        if value == -4:
            raise MemoryError
        return value

    sums = f.udf(lambda value: sent(value) + 0, "long")("value").alias("value")  # hints would choose another kind of udf
    return inputs["rows"].select(sums).groupBy(f.lit("all").alias("all")).agg(f.sum("value"))


@pytest.mark.parametrize(("value", "kind"), [(-1, Crashed), (-2, Crashed), (-3, Trouble), (-4, Crashed)])
def test_a_process_that_is_gone_is_no_fault_of_the_function_and_the_state_stays(lanes: Lanes, value: int, kind: type[Trouble]) -> None:
    lane = lanes(killed)
    lane.compute(1, 0, [table(value=[1])])
    with pytest.raises(Trouble) as raised:
        lane.compute(2, 0, [table(value=[value])])
    assert type(raised.value) is kind
    assert values(lane.compute(2, 0, [table(value=[2])])) == [("all", 3)]


def test_a_disk_that_fails_is_no_fault_of_the_function_and_the_state_stays(lanes: Lanes) -> None:
    lane = lanes(killed)
    drive(lane, [1, 2], lambda epoch: [table(value=[epoch])])
    lane.wait_for_commit()
    planned = lane.folder.path / "offsets"
    planned.rename(planned.with_name("away"))
    planned.write_text("a file, where Spark wants its folder")
    with pytest.raises(Trouble) as raised:
        lane.compute(3, 0, [table(value=[3])])
    assert type(raised.value) is Trouble
    planned = lane.folder.path / "offsets"
    planned.unlink()
    planned.with_name("away").rename(planned)
    assert values(lane.compute(3, 0, [table(value=[3])])) == [("all", 6)]


def from_java(spark: SparkSession, name: str, text: str) -> Exception:
    """In two layers of Spark's, as PySpark raises it."""
    jvm = spark._jvm
    assert jvm is not None
    one = jvm
    for part in name.split("."):
        one = getattr(one, part)
    wrapped = jvm.org.apache.spark.SparkException("Job aborted", jvm.org.apache.spark.SparkException("Task failed", one(text)))
    error: Exception = Py4JJavaError("it broke", wrapped)
    return error


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("java.io.IOException", "No space left on device", Trouble),
        ("java.nio.file.FileSystemException", "No space left on device", Trouble),
        ("java.net.SocketException", "Connection reset", Trouble),
        ("java.lang.OutOfMemoryError", "Java heap space", Crashed),
        ("org.apache.spark.SparkException", GONE, Crashed),
        ("org.apache.spark.SparkException", "Lost task 0.3 in stage 1.0: ExecutorLostFailure (executor 1 exited)", Trouble),
        ("org.apache.spark.SparkException", f"{GONE}: {DUMPED}", Failed),
        ("org.apache.spark.SparkException", f"{GONE}: Fatal Python error: Bus error\n\n{DUMPED}", Crashed),
        ("java.net.MalformedURLException", "no protocol", Failed),
        ("java.io.NotSerializableException", "Thing", Failed),
        ("java.lang.IllegalStateException", "too many", Failed),
    ],
)
def test_what_java_raises_is_blamed_on_the_machine_or_on_the_function(spark: SparkSession, name: str, text: str, kind: type) -> None:
    assert type(judged(from_java(spark, name, text), LIMIT_S)) is kind


def test_what_hangs_in_nobodys_own_lines_is_told_with_the_place_of_the_function(spark: SparkSession) -> None:
    """An endless generator is on no stack while Spark converts what it has yielded."""
    dumped = "\n".join(line for line in DUMPED.splitlines() if "/home/me" not in line)
    error = from_java(spark, "org.apache.spark.SparkException", f"{GONE}: {dumped}")
    told = str(judged(error, LIMIT_S, "\n  /home/me/mine.py:3 in labelled")).splitlines()
    assert told[1:] == ["  /home/me/mine.py:3 in labelled"]


@pytest.mark.parametrize(
    ("error", "kind"), [(OSError(errno.ENOSPC, "full"), Trouble), (MemoryError(), Crashed), (OSError(errno.ENOENT, "none"), Failed)]
)
def test_what_a_definition_raises_is_blamed_likewise(lanes: Lanes, error: Exception, kind: type[Exception]) -> None:
    def defines(_: Inputs) -> DataFrame:
        raise error

    with pytest.raises((Failed, Trouble)) as raised:
        lanes(defines).compute(1, 0, [table(value=[1])])
    assert type(raised.value) is kind
