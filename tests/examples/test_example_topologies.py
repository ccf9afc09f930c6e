"""What the topologies in `examples/` name is there, and fits together: each operator finds the columns that it reads."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from levee_spark.lane.rows import EPOCH, EPOCH_TIME

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_operators_of_a_topology_fit_together(path: Path, spark: "SparkSession", tmp_path: Path) -> None:
    spec = yaml.safe_load(path.read_text())["spec"]
    streams = {source["name"]: opened(spark, source, tmp_path) for source in spec["sources"]}
    for operator in spec["operators"]:
        inputs = {edge["from"]: stamped(streams[edge["from"]]) for edge in operator["inputs"]}
        for edge in operator["inputs"]:
            assert set(edge.get("partitionBy", [])) <= set(inputs[edge["from"]].columns)
        streams[operator["name"]] = named(operator["function"])(inputs)
    assert {sink["from"] for sink in spec["sinks"]} <= set(streams)
    assert all(frame.isStreaming for frame in streams.values())


def opened(spark: "SparkSession", source: dict[str, Any], folder: Path) -> "DataFrame":
    reader = spark.readStream.name(source["name"].replace("-", "_"))
    options = source["spark"].get("options", {})
    if source["spark"]["format"] != "replay":
        return reader.format(source["spark"]["format"]).load(**options)
    rows = named(options["generator"])(1, options, 0, source.get("parallelism", 1))
    return reader.schema(spark.createDataFrame(rows.slice(0, 1)).schema).parquet(str(folder))


def named(name: str) -> Callable[..., Any]:
    module, function = name.split(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found


def stamped(frame: "DataFrame") -> "DataFrame":
    from pyspark.sql import functions as f

    return frame.withColumns({EPOCH: f.lit(1).cast("long"), EPOCH_TIME: f.timestamp_millis(f.lit(0))})
