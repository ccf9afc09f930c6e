"""The probe that asks a Prometheus."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from levee_chaos import probes
from levee_chaos.refusals import Refused
from tests.cli.served_cluster import Served, serving

QUERY = "levee_lag_epochs"


@pytest.fixture
def prometheus(tmp_path: Path) -> Iterator[Served]:
    with serving(Served(tmp_path)) as served:
        yield served


def address(served: Served) -> str:
    return str(yaml.safe_load(served.kubeconfig.read_text())["clusters"][0]["cluster"]["server"])


def finds(served: Served, *values: str) -> None:
    result = [{"metric": {}, "value": [1.0, value]} for value in values]
    served.things["/api/v1/query"] = {"status": "success", "data": {"resultType": "vector", "result": result}}


def test_all_that_a_query_finds_must_compare(prometheus: Served) -> None:
    finds(prometheus, "3", "4.5")
    assert probes.prometheus(address(prometheus), QUERY, "< 5")
    assert probes.prometheus(address(prometheus), QUERY, ">= 3")
    assert not probes.prometheus(address(prometheus), QUERY, "<4")
    finds(prometheus, "NaN")
    assert not probes.prometheus(address(prometheus), QUERY, "< 5")


def test_a_scalar_is_one_value(prometheus: Served) -> None:
    prometheus.things["/api/v1/query"] = {"status": "success", "data": {"resultType": "scalar", "result": [1.0, "2"]}}
    assert probes.prometheus(address(prometheus), "scalar(x)", "== 2")


def test_what_is_not_measured_is_no_sign_of_health(prometheus: Served) -> None:
    finds(prometheus)
    with pytest.raises(Refused, match="finds nothing: levee_lag_epochs"):
        probes.prometheus(address(prometheus), QUERY, "< 5")


def test_what_cannot_be_told_fails_with_the_reason(prometheus: Served) -> None:
    with pytest.raises(Refused, match=r"'under 5' is no comparison[\s\S]*write < 0.5"):
        probes.prometheus(address(prometheus), QUERY, "under 5")
    prometheus.refuses["/api/v1/query"] = (400, "", "parse error")
    with pytest.raises(Refused, match="it answers 400"):
        probes.prometheus(address(prometheus), QUERY, "< 5")
    with pytest.raises(Refused, match=r"Prometheus at http://127\.0\.0\.1:1"):
        probes.prometheus("http://127.0.0.1:1", QUERY, "< 5")
