"""A topology with every way of wiring tasks.

Called by: the tests of workers.
"""

from levee.topology.load import load
from levee.topology.spec import Resource

TEXT = """
apiVersion: levee.dev/v1alpha1
kind: FaultTolerantTopology
metadata: {{name: wired, namespace: tests}}
spec:
  store: {{uri: "{store}"}}
  epoch: {epoch}
  sources:
  - name: market
    parallelism: 2
    spark: {{format: replay, options: {{generator: "levee_spark.examples.market:rows"}}}}
    configurations: [{{rate: 10}}]
  operators:
  - {{name: same, parallelism: 2, function: "job.py:transform", inputs: [{{from: market, cost: 1us}}]}}
  - {{name: spread, parallelism: 4, shares: [0.1, 0.3, 0.3, 0.3], function: "job:transform", inputs: [{{from: same, cost: 1us}}]}}
  - name: keyed
    parallelism: 3
    function: job:transform
    onError: skip
    inputs: [{{from: spread, partitionBy: [symbol], cost: 1us}}, {{from: market, partitionBy: [symbol, price], cost: 1us}}]
  - {{name: united, onDivergence: fail, late: skip, function: "job:transform", inputs: [{{from: keyed, cost: 1us}}]}}
  sinks:
  - {{name: out, from: united, spark: {{format: json, options: {{path: /nowhere}}}}}}
  - {{name: raw, from: market, spark: {{format: console}}}}
  faultTolerance: {{strategy: static, checkpoint: {{every: 20, keep: 2}}, failureTimeout: 9s}}
  placement: {{nodes: [{{name: node-1}}, {{name: node-2}}]}}
"""


def resource(epoch: str = "{}", store: str = "memory:///levee") -> Resource:
    [loaded] = load(TEXT.format(epoch=epoch, store=store), origin="wired.yaml")
    assert loaded.resource is not None, loaded.complaints
    return loaded.resource
