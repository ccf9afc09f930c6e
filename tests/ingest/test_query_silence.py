"""A source that does not answer: Spark waits for it in silence, and Levee says so."""

import threading
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from py4j.protocol import Py4JError

from levee_spark.ingest.query import Ended, Query, with_remedy
from levee_spark.ingest.silence import Silence

SILENT = "its source has not answered for 3 s; see that it can be reached"


@dataclass
class Handover:
    """It asks for so many seconds in vain, then the query fails."""

    in_vain: int
    asked: int = 0

    def compute(self, *_told: Any) -> bool:
        self.asked += 1
        if self.asked > self.in_vain:
            raise Py4JError("the broker is back, and has lost its rows")
        return False


@dataclass
class Told:
    words: list[str] = field(default_factory=list)

    def asking(self, folder: Path, handover: Handover) -> Query:
        running: Any = SimpleNamespace(_jsq=None, exception=lambda: None)
        return Query(folder / "q", threading.Event(), running, handover, pa.schema([]), silence=Silence(3.0, self.words.append))


@pytest.mark.parametrize(("in_vain", "told"), [(2, []), (3, [SILENT, ""]), (60, [SILENT, ""])])
def test_a_source_that_does_not_answer_for_long_is_told_once_and_that_it_is_over(in_vain: int, told: list[str], tmp_path: Path) -> None:
    people = Told()
    with pytest.raises(Ended, match="lost its rows"):
        people.asking(tmp_path, Handover(in_vain)).next_batch()
    assert people.words == told


def test_who_is_stopped_meanwhile_says_that_it_is_over_too(tmp_path: Path) -> None:
    people = Told()
    query = people.asking(tmp_path, Handover(60))
    with pytest.raises(Ended, match="stopped"):
        query.next_batch(looks=5)
    assert people.words == [SILENT, ""]


def test_a_connector_that_is_missing_is_told_with_where_to_name_it() -> None:
    spark = "Failed to find data source: kafka. Please deploy the application as per the deployment section of Kafka Integration Guide."
    assert "spec.sparkConf: {spark.jars: ...}" in with_remedy(spark)
    assert with_remedy("the broker is away") == "the broker is away"
