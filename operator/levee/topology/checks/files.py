"""Sinks that Levee writes as files: what they must be told, and the options that there are.

Why: a sink without a path, or with an option that nobody knows, fails in a worker that took a minute to start; all of it stands here.
Called by: topology.check; levee_spark.deliver, for the options.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from levee.topology.complaint import Complaint
from levee.topology.spec import Resource
from levee.topology.streams import Sink
from levee.topology.wording import close_to, listed, shortened

PATH: Final = "path"
FLAG: Final = ("true", "false")
ANY: Final = ()
TEXT_CODECS: Final = ("none", "gzip")
PARQUET_CODECS: Final = ("snappy", "zstd", "gzip", "none")
OPTIONS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {  # beside the path, with the values that each may have
    "parquet": {"compression": PARQUET_CODECS},
    "json": {"compression": TEXT_CODECS, "ignoreNullFields": FLAG},
    "csv": {"compression": TEXT_CODECS, "header": FLAG, "sep": ANY},
}
SAME: Final = {"s3a": "s3", "s3n": "s3", "abfs": "az", "abfss": "az", "wasbs": "az"}  # of the same places, by Spark's names


def options(resource: Resource) -> Iterator[Complaint]:
    for index, sink in enumerate(resource.spec.sinks):
        if sink.spark.format in OPTIONS:
            yield from of_sink(f"spec.sinks[{index}].spark.options", sink)


def of_sink(where: str, sink: Sink) -> Iterator[Complaint]:
    given, known = sink.spark.options, OPTIONS[sink.spark.format]
    if not given.get(PATH):
        yield Complaint(
            where, f"name no path for {sink.spark.format} files", "name a folder or a bucket: options: {path: s3://bucket/folder}"
        )
    for name, value in given.items():
        if name != PATH and name not in known:
            meant = close_to(name, (PATH, *known))
            fix = f"use '{meant}'" if meant else f"use {listed((PATH, *known))}"
            yield Complaint(where, f"{sink.spark.format} files know no option '{shortened(name)}'", fix)
        elif known.get(name) and value.lower() not in known[name]:
            yield Complaint(f"{where}.{name}", f"'{shortened(value)}' is none of its values", f"use {listed(known[name])}")


def shared_paths(resource: Resource) -> Iterator[Complaint]:
    """Files are named by epochs, and all sinks count the same."""
    first: dict[str, str] = {}
    for index, sink in enumerate(resource.spec.sinks):
        path = sink.spark.options.get(PATH, "") if sink.spark.format in OPTIONS else ""
        place = place_of(path)
        if path and place in first:
            wrong = f"'{shortened(path)}' is where '{first[place]}' writes already, and a folder belongs to one sink"
            yield Complaint(f"spec.sinks[{index}].spark.options.{PATH}", wrong, "name a folder of its own")
        first.setdefault(place, sink.name)


def place_of(path: str) -> str:
    """However it is written."""
    scheme, apart, rest = path.partition("://")
    if not apart or scheme == "file":
        return (rest if apart else path).rstrip("/")
    return f"{SAME.get(scheme, scheme)}://{rest.rstrip('/')}"
