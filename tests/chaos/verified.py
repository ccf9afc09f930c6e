"""A small topology whose plan leaves one task with a standby only, for `levee verify`; it needs no Spark.

Called by: the tests of verify.
"""

from pathlib import Path

from levee_chaos.verifying.asked import Asked
from tests.worlds.toy import WORKER

TOPOLOGY = """
apiVersion: levee.dev/v1alpha1
kind: FaultTolerantTopology
metadata: {name: toy, namespace: tests}
spec:
  store: {uri: "file:///nowhere?durable=false"}
  epoch: {period: 100ms, hold: 50ms}
  sources:
  - name: numbers
    spark: {format: replay, options: {generator: "tests.worlds.toy:numbers"}}
    configurations: [{rate: 30}]
  operators:
  - {name: double, function: "tests.worlds.toy:double", deadline: 8s, inputs: [{from: numbers, cost: 1us}]}
  - {name: total, function: "tests.worlds.toy:total", deadline: 8s, inputs: [{from: double, cost: 1us}]}
  sinks: [{name: out, from: total, spark: {format: json, options: {path: /nowhere}}}]
  faultTolerance: {target: {completeness: 0.5}, checkpoint: {every: 5}, failureTimeout: 20s}
  placement:
    nodes: [{name: node-1}, {name: node-2}, {name: node-3}]
"""

ZONED = (
    TOPOLOGY.replace("{rate: 30}", "{name: calm, rate: 30, probability: 0.8}, {name: peak, rate: 60, probability: 0.2}")
    .replace("tests.worlds.toy:numbers", "levee_spark.examples.market:rows")  # one that has rows; the toy makes its own
    .replace("{target: {completeness: 0.5},", "{target: {completeness: 0.5}, failures: zone,")
    .replace(
        "[{name: node-1}, {name: node-2}, {name: node-3}]",
        "[{name: a-1, zone: a}, {name: a-2, zone: a}, {name: b-1, zone: b}]",
    )
)


def asked(place: Path, *only: str, text: str = TOPOLOGY, **more: object) -> Asked:
    file = place / "toy.yaml"
    file.write_text(text)
    flags: dict[str, object] = {"only": only, "place": str(place / "verify"), "command": WORKER, "for_s": 4.0, "before_s": 3.0} | more
    return Asked(str(file), **flags)  # type: ignore[arg-type]
