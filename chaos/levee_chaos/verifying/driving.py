"""What a run of `levee verify` is of: the user's topology, its sources at the rates of a configuration, and with places of its own.

Why: what is verified must be the user's plan and functions, and must not write into their store or deliver to whoever reads their output.
Called by: running.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from levee.control.space import Space
from levee.topology.graph import Configuration
from levee.topology.names import OperatorName
from levee_chaos.verifying import steady

SHARES = (0.9, 0.95, 0.98, 1.0)  # of the declared rate: below it, so that what is measured is not above
FILES = ("csv", "json", "orc", "parquet", "text", "avro", "xml")
RATED = {"rate": "rowsPerSecond", "rate-micro-batch": "rowsPerBatch"}

Document = dict[str, Any]
Span = Callable[[Mapping[str, str], float, int], int]  # of a replayed source's options, its rows of an epoch, and its tasks


class NotDrivable(Exception):
    """A configuration that the sources cannot be brought to; why."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run has its own store and output, and how long an epoch is."""

    path: Path
    period_s: float


def rates_at(configurations: tuple[Configuration, ...], wanted: Configuration) -> Mapping[OperatorName, float]:
    """What to offer so that this configuration, and no other, is the one in force."""
    space = Space(configurations)
    for share in SHARES:
        rates = {name: share * rate for name, rate in wanted.rows_per_s.items()}
        if space.nearest(rates) is wanted:
            return rates
    raise NotDrivable("another configuration is as near to its rates")


def driven(document: Document, rates: Mapping[OperatorName, float], place: Place, span_of: Span) -> Document:
    """`rates`: none where there is only one configuration, which is in force at any rate."""
    found = deepcopy(document)
    spec = found["spec"]
    spec["store"] = {"uri": (place.path / "store").as_uri()}
    spec["epoch"] = {**spec.get("epoch", {}), "period": f"{round(1000 * place.period_s)}ms"}  # the default depends on the store
    spec["suspend"] = False
    for source in spec["sources"]:
        endless(source)
        if rates:
            source["spark"] = at_rate(source, rates[source["name"]], place.period_s, span_of)
    for sink in spec.get("sinks", []):
        sink["spark"] = delivered_here(sink, place.path)
    return found


def endless(source: Document) -> None:
    """A replayed source that ends would end in the middle of it all."""
    if is_replayed(source):
        source["spark"]["options"].pop("epochs", None)


def is_replayed(source: Document) -> bool:
    return bool(source.get("spark", {}).get("format") == "replay")


def at_rate(source: Document, rate: float, period_s: float, span_of: Span) -> Document:
    spark, per_epoch = source.get("spark"), rate * period_s
    if spark is None:
        raise NotDrivable(f"source {source['name']} imports the stream of another topology, whose rate is not ours")
    options = dict(spark.get("options", {}))
    if is_replayed(source):
        tasks = int(source.get("parallelism", 1))
        span = span_of(options, per_epoch, tasks)
        told = {steady.GENERATOR: options.pop("generator"), steady.ROWS: f"{per_epoch:.6g}", steady.SPAN: str(span)}
        return {**spark, "options": {"generator": steady.NAME, **told, **options}}
    if spark["format"] in RATED:
        rows = rate if spark["format"] == "rate" else per_epoch
        return {**spark, "options": {**options, RATED[spark["format"]]: str(max(1, round(rows)))}}
    raise NotDrivable(f"source {source['name']} is of format {spark['format']}, whose rate is not ours to set; replay and rate are")


def delivered_here(sink: Document, path: Path) -> Document:
    spark = sink["spark"]
    if spark["format"].lower() not in FILES:
        return {"format": "noop"}
    return {**spark, "options": {**spark.get("options", {}), "path": str(path / "out" / sink["name"])}}
