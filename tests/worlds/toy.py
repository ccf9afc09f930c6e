"""A topology that needs no Spark.

Called by: the tests of the local world; run by the toy worker, which stands in for Spark's.
"""


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
