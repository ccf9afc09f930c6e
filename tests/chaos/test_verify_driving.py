"""What a run of `levee verify` is of: the user's topology at the rates of a configuration, with places of its own."""

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from levee.plans.ending import Refused
from levee.topology.graph import Configuration
from levee.topology.load import load_bytes
from levee.topology.names import ConfigurationName, OperatorName
from levee.worlds.local.folder import Folder
from levee_chaos.verifying import steady
from levee_chaos.verifying.driving import NotDrivable, Place, driven, rates_at
from levee_chaos.verifying.running import empty
from levee_spark.examples import market

EXAMPLES = Path(__file__).parents[2] / "examples"
MARKET = "levee_spark.examples.market:rows"


def span(_options: Mapping[str, str], _rows: float, _tasks: int) -> int:
    return 2


def bargains() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((EXAMPLES / "bargain-discovery.yaml").read_text())
    return found


def configuration(name: str, **rates: float) -> Configuration:
    return Configuration(ConfigurationName(name), 0.5, {OperatorName(source): rate for source, rate in rates.items()})


def test_it_has_a_store_and_files_of_its_own_and_keeps_its_epochs_and_its_functions(tmp_path: Path) -> None:
    before = bargains()
    found = driven(before, {OperatorName("market"): 300.0}, Place(tmp_path, 0.25), span)
    assert found["spec"]["store"] == {"uri": (tmp_path / "store").as_uri()}
    assert found["spec"]["epoch"]["period"] == "250ms"
    assert found["spec"]["sinks"][0]["spark"]["options"]["path"] == str(tmp_path / "out" / "bargains")
    [source] = found["spec"]["sources"]
    options = source["spark"]["options"]
    assert options == {"generator": steady.NAME, "steadyGenerator": MARKET, "steadyRows": "75", "steadySpan": "2", "seed": "1"}
    assert found["spec"]["operators"] == before["spec"]["operators"]
    assert before == bargains()  # the user's own is left as it is
    [loaded] = load_bytes(yaml.safe_dump(found).encode(), origin="driven")
    assert loaded.topology is not None, loaded.complaints


def test_with_one_configuration_sources_stay_as_they_are_but_do_not_end(tmp_path: Path) -> None:
    document = bargains()
    document["spec"]["sources"][0]["spark"]["options"]["epochs"] = "60"
    [source] = driven(document, {}, Place(tmp_path, 0.25), span)["spec"]["sources"]
    assert source["spark"]["options"] == {"generator": MARKET, "seed": "1"}


def test_what_is_delivered_to_others_is_delivered_to_nobody(tmp_path: Path) -> None:
    document = bargains()
    document["spec"]["sinks"][0]["spark"] = {"format": "kafka", "options": {"topic": "orders"}}
    assert driven(document, {}, Place(tmp_path, 0.25), span)["spec"]["sinks"][0]["spark"] == {"format": "noop"}


def test_a_rate_source_gets_its_rate_and_a_source_that_is_not_ours_is_refused_with_the_reason(tmp_path: Path) -> None:
    document, rates = bargains(), {OperatorName("market"): 300.0}
    document["spec"]["sources"][0]["spark"] = {"format": "rate", "options": {"rowsPerSecond": "7"}}
    [source] = driven(document, rates, Place(tmp_path, 0.25), span)["spec"]["sources"]
    assert source["spark"]["options"] == {"rowsPerSecond": "300"}
    document["spec"]["sources"][0]["spark"] = {"format": "kafka", "options": {}}
    with pytest.raises(NotDrivable, match="source market is of format kafka, whose rate is not ours to set"):
        driven(document, rates, Place(tmp_path, 0.25), span)
    del document["spec"]["sources"][0]["spark"]
    with pytest.raises(NotDrivable, match="imports the stream of another topology"):
        driven(document, rates, Place(tmp_path, 0.25), span)


def test_the_rates_that_are_offered_are_below_those_of_their_configuration_and_of_no_other() -> None:
    calm, peak, near = configuration("calm", market=300), configuration("peak", market=2200), configuration("near", market=310)
    assert rates_at((calm, peak), calm) == {"market": 270}
    assert rates_at((calm, peak), peak) == {"market": 1980}
    assert rates_at((calm, near), near) == {"market": pytest.approx(303.8)}


def test_a_configuration_that_is_as_near_as_another_one_is_not_to_be_had() -> None:
    one, same = configuration("one", market=300), configuration("same", market=300)
    assert rates_at((one, same), one)
    with pytest.raises(NotDrivable, match="another configuration is as near"):
        rates_at((one, same), same)


# ---- the same rows at another pace


def counted(epoch: int, options: Mapping[str, str], task: int, tasks: int) -> pa.Table:
    """Rows that say where they come from; so many an epoch, by turns."""
    rows = [int(one) for one in options["rows"].split()]
    return pa.table({"epoch": [epoch] * rows[epoch % len(rows)], "task": [task % tasks] * rows[epoch % len(rows)]})


@given(st.lists(st.integers(0, 9), min_size=1, max_size=4).filter(any), st.floats(0.3, 30), st.integers(1, 3))
def test_every_epoch_gets_its_rows_in_their_order_and_none_twice(rows: list[int], per_epoch: float, tasks: int) -> None:
    own = {"rows": " ".join(map(str, rows))}
    try:
        wide = steady.span_for(counted, own, per_epoch, tasks)
    except steady.TooFew:
        return
    told = own | {steady.GENERATOR: f"{__name__}:counted", steady.ROWS: str(per_epoch), steady.SPAN: str(wide)}
    for task in range(tasks):
        tables = [steady.rows(epoch, told, task, tasks) for epoch in range(1, 9)]
        assert [one.num_rows for one in tables] == [steady.share(epoch, per_epoch, task, tasks) for epoch in range(1, 9)]
        origins = [one["epoch"].to_pylist() for one in tables]
        flat = [one for each in origins for one in each]
        assert flat == sorted(flat)
        assert not any({*one} & {*other} for one, other in pairwise(origins))
    assert sum(steady.share(1, per_epoch, task, tasks) for task in range(tasks)) == int(per_epoch)


def test_the_bursts_of_the_market_are_levelled() -> None:
    own = {"seed": "1", "periodMs": "250"}
    wide = steady.span_for(market.rows, own, 70.0, 1)
    told = own | {steady.GENERATOR: MARKET, steady.ROWS: "70.0", steady.SPAN: str(wide)}
    assert {steady.rows(epoch, told, 0, 1).num_rows for epoch in range(1, 100)} == {70}


def test_a_generator_that_makes_too_few_rows_is_refused() -> None:
    with pytest.raises(steady.TooFew, match="64 of its epochs together have fewer than 10 rows"):
        steady.span_for(counted, {"rows": "0"}, 10.0, 1)


def test_only_a_folder_of_its_own_is_emptied(tmp_path: Path) -> None:
    place = tmp_path / "calm"
    empty(place)
    (place / "store").mkdir()
    empty(place)
    assert not (place / "store").exists()
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(Refused, match="cannot run") as refused:
        empty(tmp_path)
    assert "holds something that is not of levee verify" in refused.value.text
    with Folder(place / "run").held(), pytest.raises(Refused) as occupied:
        empty(place)
    assert "another levee verify runs in" in occupied.value.text
