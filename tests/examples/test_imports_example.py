"""The example of imports: the importer reads what the exporter emits, from the store that both have."""

from pathlib import Path

from levee.topology.load import load_bytes
from levee.topology.spec import Resource
from levee_spark.worker.imports import imports_in, wanted_of

FOLDER = Path(__file__).parents[2] / "examples" / "imports"


def resource(name: str) -> Resource:
    [one] = load_bytes((FOLDER / f"{name}.yaml").read_bytes(), origin=name)
    assert one.resource is not None, one.complaints
    return one.resource


def test_the_importer_names_a_stream_of_the_exporter_in_the_store_of_both() -> None:
    exporter, importer = resource("trades"), resource("averages")
    [(source, said)] = imports_in(importer).items()
    wanted = wanted_of(importer, source)
    assert wanted.topology == f"{exporter.metadata.namespace}/{exporter.metadata.name}"
    assert wanted.stream in {stream.name for stream in exporter.spec.streams}
    assert exporter.spec.store == importer.spec.store
    assert said.lease == 600


def test_the_importers_operators_find_the_names_that_their_functions_ask_for() -> None:
    importer = resource("averages")
    assert [(one.function, one.inputs[0].origin) for one in importer.spec.operators] == [
        ("levee_spark.examples.bargains:aggregator", "trade-filter"),
        ("levee_spark.examples.bargains:vwap", "aggregator"),
    ]
