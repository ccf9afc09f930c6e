"""A topology that needs no Spark, and its wiring.

Called by: the tests of the local world, and the toy worker that stands in for Spark's.
"""

from levee.topology.names import OperatorName, TaskId, task_id
from levee.topology.spec import Resource
from levee.topology.timing import deadline_s, period_s
from levee_spark.log.keys import Layout
from levee_spark.log.rank import Times
from levee_spark.log.wiring import TaskWiring, Wiring


def wiring_of(resource: Resource, uid: str) -> Wiring:
    """Of a topology without parallel tasks."""
    spec = resource.spec
    every = spec.fault_tolerance.checkpoint.every
    tasks = [TaskWiring(one(source.name), OperatorName(source.name)) for source in spec.sources]
    for operator in spec.operators:
        inputs = tuple(one(edge.origin) for edge in operator.inputs)
        tasks.append(TaskWiring(one(operator.name), OperatorName(operator.name), inputs, checkpoint_every=every))
    for sink in spec.sinks:
        tasks += [TaskWiring(one(sink.name), OperatorName(sink.name), (one(sink.origin),), checkpoint_every=every, sink=True)]
    return Wiring(Layout("topologies", uid), times_of(resource), {wired.task: wired for wired in tasks})


def one(name: str) -> TaskId:
    return task_id(OperatorName(name), 0)


def times_of(resource: Resource) -> Times:
    spec = resource.spec
    period_ms = int(1_000 * period_s(spec))
    return Times(
        period_ms=period_ms,
        hold_ms=int(1_000 * spec.epoch.hold),
        deadline_ms=int(1_000 * deadline_s(spec, None)),
        failure_timeout_ms=int(1_000 * spec.fault_tolerance.failure_timeout),
        retention_ms=int(1_000 * spec.epoch.retention),
        poll_ms=20,
        pin_ms=60_000,
        lead=int(1_000 * spec.epoch.backlog) // period_ms,
        backlog=int(1_000 * spec.epoch.backlog) // period_ms,
    )


def toy(store: str, *, rest: str = "") -> str:
    return f"""
apiVersion: levee.dev/v1alpha1
kind: FaultTolerantTopology
metadata: {{name: toy, namespace: tests}}
spec:
  store: {{uri: "{store}?durable=false"}}
  epoch: {{period: 100ms, hold: 50ms}}
  sources:
  - name: numbers
    spark: {{format: replay}}
    configurations: [{{name: calm, rate: 30, probability: 0.8}}, {{name: peak, rate: 60, probability: 0.2}}]
  operators:
  - {{name: double, function: "tests.toy:double", inputs: [{{from: numbers, cost: 1us}}]}}
  - {{name: total, function: "tests.toy:total", inputs: [{{from: double, cost: 1us}}]}}
  sinks: [{{name: out, from: total, spark: {{format: json}}}}]
  faultTolerance: {{target: {{completeness: 1.0}}, checkpoint: {{every: 5}}, failureTimeout: 2s{rest}}}
  placement:
    nodes: [{{name: node-1}}, {{name: node-2}}, {{name: node-3}}]
"""
