"""Fidelity over several configurations: equation 4 with the rates of each, weighing by the rows that reach the sinks."""

import json
from pathlib import Path

import pytest

from tests.cli.stage import levee

SHIFTING = """
apiVersion: levee.dev/v1alpha1
kind: FaultTolerantTopology
metadata: {name: shifting}
spec:
  store: {uri: "file:///tmp/levee/shifting"}
  sources:
  - {name: few, late: skip, spark: {format: rate}, configurations: [{rate: 10, probability: 0.5}, {rate: 90, probability: 0.5}]}
  - {name: many, late: skip, spark: {format: rate}, configurations: [{rate: 30, probability: 0.5}, {rate: 10, probability: 0.5}]}
  operators:
  - name: both
    late: skip
    function: shop.clicks:count
    inputs: [{from: few, selectivity: 0.1, cost: 1us}, {from: many, selectivity: 1.0, cost: 1us}]
  sinks: [{name: out, from: both, spark: {format: parquet, options: {path: /nowhere}}}]
  configurations:
  - {name: calm, probability: 0.5, rates: {few: 10, many: 30}}
  - {name: peak, probability: 0.5, rates: {few: 90, many: 10}}
  faultTolerance: {target: {budget: 2}, strategy: fidelity}
  placement: {capacity: "1", nodes: [{name: node-1}, {name: node-2}]}
"""


@pytest.mark.parametrize(
    ("strategy", "fidelity"),
    [
        ("fidelity", (31 * 0.25 + 19 * 0.9) / 50),  # `both` and `few`: 10 of 40 rows in the one, 90 of 100 in the other; 31 and 19 come out
        ("static", 1.0),
    ],
)
def test_fidelity_weighs_configurations_by_the_rows_that_reach_the_sinks(
    strategy: str, fidelity: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "shifting.yaml"
    file.write_text(SHIFTING)
    found = json.loads(levee(capsys, "plan", "-f", str(file), "--strategy", strategy, "-o", "json").out)
    assert found["guarantee"]["fidelity"] == pytest.approx(fidelity)
