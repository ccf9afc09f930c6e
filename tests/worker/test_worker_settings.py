"""What users set in Spark reaches it, beside what is Levee's own."""

from pathlib import Path

from levee_spark.spark.settings import EXTENSIONS, SETTINGS, Size, settings
from levee_spark.worker import main as worker
from levee_spark.worker.order import Order


def test_what_a_user_sets_wins_over_what_is_only_a_choice_of_levees() -> None:
    assert settings(Size(), {"spark.sql.adaptive.enabled": "true"})["spark.sql.adaptive.enabled"] == "true"


def test_extensions_of_a_user_come_beside_levees() -> None:
    assert settings(Size(), {})[EXTENSIONS] == SETTINGS[EXTENSIONS]
    assert settings(Size(), {EXTENSIONS: "io.delta.Extension"})[EXTENSIONS] == f"io.delta.Extension,{SETTINGS[EXTENSIONS]}"


def test_a_worker_sets_what_its_topology_says(tmp_path: Path) -> None:
    order = Order(tmp_path / "topology.yaml", "u1", "w", "node-1", tmp_path, ())
    spark = worker.Spark(Size(), tmp_path / "log", order, (), wanted={"spark.jars": "/jars/mine.jar"})
    assert spark.extra() == {"spark.jars": "/jars/mine.jar"}
