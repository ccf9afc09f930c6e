"""A sink that prints does so in a worker; whoever runs it here is told where the rows are."""

import pytest

from levee.cli.local.runnable import check_runnable
from levee.topology.load import load_bytes

TEXT = """
apiVersion: levee.dev/v1alpha1
kind: FaultTolerantTopology
metadata: {name: chain, namespace: tests}
spec:
  store: {uri: "file:///tmp/levee-store"}
  sources:
  - name: numbers
    spark: {format: rate, options: {rowsPerSecond: "10"}}
    configurations: [{name: calm, rate: 10, probability: 1}]
  operators:
  - {name: doubled, function: "mine:doubled", inputs: [{from: numbers, cost: 1us}]}
  sinks:
  - {name: kept, from: doubled, spark: {format: json, options: {path: /tmp/levee/out}}}
  - {name: shown, from: doubled, spark: {format: console}}
  faultTolerance: {strategy: static}
  placement: {nodes: [{name: node-1}, {name: node-2}]}
"""


def test_where_a_console_sink_prints_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    [loaded] = load_bytes(TEXT.encode(), origin="chain.yaml")
    assert loaded.resource is not None, loaded
    check_runnable(loaded.resource)
    told = "spec.sinks[1]: 'shown' prints into the logs of its workers; levee tail doubled --follow shows the same rows.\n"
    assert capsys.readouterr() == ("", told)
