"""What a source says of the stream that it imports, and a topology of who may import its own."""

from typing import Any

import pytest
import yaml

from levee.topology.imports import Exports, StartingEpoch
from levee.topology.load import Loaded, load
from tests.topology.shop import CLICKS


def importing(**said: Any) -> Loaded:
    source = CLICKS["spec"]["sources"][0]
    changed = {name: value for name, value in source.items() if name != "spark"} | {"import": {"topology": "other", "stream": "s"} | said}
    spec = CLICKS["spec"] | {"sources": [changed, *CLICKS["spec"]["sources"][1:]]}
    (one,) = load(yaml.safe_dump(CLICKS | {"spec": spec}), origin="clicks.yaml")
    return one


def test_an_import_needs_no_more_than_a_topology_and_a_stream() -> None:
    found = importing().resource
    assert found is not None
    said = found.spec.sources[0].import_
    assert said is not None
    assert (said.namespace, said.uid, said.starting_epoch, said.lease, said.fail_on_data_loss) == (
        None,
        None,
        StartingEpoch.EARLIEST,
        3600,
        True,
    )


@pytest.mark.parametrize(("namespace", "is_itself"), [(None, True), ("shop", True), ("elsewhere", False)])
def test_a_topology_of_the_same_name_in_another_namespace_is_another_one(namespace: str | None, is_itself: bool) -> None:
    found = importing(topology="clicks", **({"namespace": namespace} if namespace else {}))
    assert [one.where for one in found.complaints] == (["spec.sources[0].import.topology"] if is_itself else [])


def test_a_lease_must_outlive_a_failure() -> None:
    [wrong] = importing(lease="2s").complaints
    assert wrong.where == "spec.sources[0].import.lease"
    assert "only after failureTimeout" in wrong.wrong


def test_other_namespaces_are_let_in_by_name_or_all_at_once() -> None:
    assert not Exports().allow("shop")
    assert Exports(namespaces=["shop"]).allow("shop")
    assert not Exports(namespaces=["shop"]).allow("other")
    assert Exports(namespaces=["*"]).allow("other")
