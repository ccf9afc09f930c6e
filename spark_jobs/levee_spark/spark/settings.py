"""What Levee sets in Spark and in the JVM, each with what it is worth.

Why: with Spark's defaults an epoch of 100 rows takes 150 ms, with these some 15; every line has to keep earning its place.
Called by: gateway (flags, and settings that must be known at the start), session.
"""

from collections.abc import Mapping
from dataclasses import dataclass

MIB = 1 << 20
C1_ROWS = 10_000  # epochs up to about this size are done sooner by the quick compiler than by the thorough one


@dataclass(frozen=True, slots=True)
class Size:
    """Of one worker's JVM."""

    heap_mib: int = 256
    cores: int = 2
    large_epochs: bool = False  # at the declared rates; the thorough compiler: twice the throughput, slower to warm up


# What the modules of Java that Spark reflects on must open; the list that Spark's own launcher passes.
OPENED = (
    "java.base/java.lang",
    "java.base/java.lang.invoke",
    "java.base/java.lang.reflect",
    "java.base/java.io",
    "java.base/java.net",
    "java.base/java.nio",
    "java.base/java.util",
    "java.base/java.util.concurrent",
    "java.base/java.util.concurrent.atomic",
    "java.base/jdk.internal.ref",
    "java.base/sun.nio.ch",
    "java.base/sun.nio.cs",
    "java.base/sun.security.action",
    "java.base/sun.util.calendar",
)


def flags(size: Size) -> list[str]:
    quick = [] if size.large_epochs else ["-XX:TieredStopAtLevel=1"]  # 36 -> 21 ms for small epochs
    return [
        f"-Xmx{size.heap_mib}m",
        "-Xss1m",  # half of it is too little for Spark's own patterns
        "-XX:+UseSerialGC",  # the others start threads per core and keep memory for themselves
        "-XX:ReservedCodeCacheSize=96m",
        "-XX:MaxDirectMemorySize=96m",
        "-XX:-UsePerfData",  # no file per JVM in /tmp
        "-XX:+IgnoreUnrecognizedVMOptions",
        "-Djdk.reflect.useDirectMethodHandle=false",
        "-Dio.netty.tryReflectionSetAccessible=true",
        "--sun-misc-unsafe-memory-access=allow",  # else Arrow finds no memory from Java 24 on; older ones are told to overlook it
        "--enable-native-access=ALL-UNNAMED",
        *quick,
        *(f"--add-opens={module}=ALL-UNNAMED" for module in OPENED),
    ]


def settings(size: Size, extra: Mapping[str, str]) -> dict[str, str]:
    """`extra` wins: users may know better. Extensions of Spark come beside Levee's."""
    small = {} if size.large_epochs else SMALL_EPOCHS
    found = {**SETTINGS, **small, "spark.master": f"local[{size.cores}]", **extra}
    return {**found, EXTENSIONS: f"{extra[EXTENSIONS]},{SETTINGS[EXTENSIONS]}"} if EXTENSIONS in extra else found


SMALL_EPOCHS: Mapping[str, str] = {
    # Else Spark compiles a class for each watermark, which a few rows never repay: with a window 0.9 of the time, 0.86 of the CPU.
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
EXTENSIONS = "spark.sql.extensions"
SETTINGS: Mapping[str, str] = {
    "spark.app.name": "levee",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.log.level": "ERROR",
    "spark.ui.enabled": "false",  # Levee has its own
    "spark.ui.showConsoleProgress": "false",
    "spark.testing.memory": str(450 * MIB),  # lets the heap be smaller than Spark thinks wise
    "spark.memory.offHeap.enabled": "false",
    "spark.scheduler.mode": "FAIR",  # a pool per replica: one big epoch must not delay all
    "spark.sql.session.timeZone": "UTC",  # replicas on two continents must compute the same
    "spark.sql.shuffle.partitions": "1",  # a task is one slice already; 200 partitions: 1075 ms an epoch
    "spark.default.parallelism": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.cache.maxEntries": "200",
    EXTENSIONS: "dev.levee.spark.OnePart$Extension",  # no shuffle for small epochs: a fifth of the time of those with state
    "spark.python.unix.domain.socket.enabled": "true",  # 80 -> 36 ms
    "spark.python.daemon.module": "levee_spark.spark.daemon",
    "spark.python.worker.faulthandler.enabled": "true",  # a process that hangs or dies says where: see `hanging`
    "spark.sql.execution.pyspark.udf.faulthandler.enabled": "true",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",  # else batch ids and epochs part ways
    "spark.sql.streaming.queryEvolution.enableSourceEvolution": "true",  # from the first batch on, so that inputs can be added later
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"  # no checksum files, no listings
    ),
    # For small state the HDFS-backed store took 0.75 of the time (0.64-0.87, in turns, busy machine), but it keeps all state in the heap.
    "spark.sql.streaming.stateStore.providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.streaming.minBatchesToRetain": "20",  # deeper than any local restart; what is older is forked from published checkpoints
    "spark.sql.streaming.numRecentProgressUpdates": "2",
    "spark.hadoop.fs.file.impl": "dev.levee.spark.LocalFiles",  # no checksum files, and no `chmod` process for each file
}
