"""What a worker is told, how it finds the user's function, and how it refuses what it cannot run."""

import io
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import pytest

from levee.cli.local.start import environment
from levee.topology.names import TaskId
from levee_spark.spark.gateway import Jvm
from levee_spark.spark.settings import Size
from levee_spark.worker.function import NoFunction, load
from levee_spark.worker.logs import Log
from levee_spark.worker.main import BROKEN, Spark, main, wait_for_end
from levee_spark.worker.order import BadOrder, Order, ReplicaName, read
from tests.worker.topologies import TEXT

ORDER = {"resource": "t.yaml", "uid": "u", "worker": "w", "node": "n", "directory": "d", "replicas": ["vwap/1/0", "out/0/1"]}
JOB = "def transform(inputs):\n    return inputs['{}']\n\nnumber = 7\n"


@pytest.fixture(autouse=True)
def _untouched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths and modules are as before after each test."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setenv("PYTHONPATH", os.environ.get("PYTHONPATH", ""))
    for name in ("job_of_tests", "broken_of_tests"):
        sys.modules.pop(name, None)


def written(place: Path, **changes: object) -> Path:
    path = place / "order.json"
    path.write_text(json.dumps({name: value for name, value in {**ORDER, **changes}.items() if value is not None}))
    return path


def test_an_order_names_replicas_by_task_and_number(tmp_path: Path) -> None:
    names = (ReplicaName(TaskId("vwap/1"), 0), ReplicaName(TaskId("out/0"), 1))
    assert read(written(tmp_path)) == Order(Path("t.yaml"), "u", "w", "n", Path("d"), names)
    assert [str(name) for name in names] == ORDER["replicas"]
    assert read(written(tmp_path, port=8080, attempt=3)).attempt == 3


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"uid": None}, "KeyError: 'uid'"),
        ({"replicas": 7}, "TypeError: "),
        ({"replicas": ["vwap"]}, "'vwap' names no replica; write task/number, such as vwap/1/0"),
        ({"replicas": ["vwap/x"]}, "'vwap/x' names no replica"),
    ],
)
def test_what_is_no_order_is_refused_with_what_is_wrong(tmp_path: Path, changes: dict[str, object], told: str) -> None:
    with pytest.raises(BadOrder, match=told):
        read(written(tmp_path, **changes))


def test_an_order_that_is_not_there_or_is_no_json_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadOrder, match="No such file"):
        read(tmp_path / "order.json")
    (tmp_path / "order.json").write_text("resource: t.yaml")
    with pytest.raises(BadOrder, match="JSONDecodeError"):
        read(tmp_path / "order.json")


def test_a_worker_that_is_told_nonsense_says_so_and_ends_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "two.yaml").write_text("\n---\n".join([TEXT.format(epoch="{}", store="memory:///x")] * 2))
    assert main([]) == 2
    assert "usage: python -m levee_spark.worker ORDER.json" in capsys.readouterr().err
    assert main([str(tmp_path / "nothing.json")]) == 2
    assert "nothing.json: No such file" in capsys.readouterr().err
    assert main([str(written(tmp_path, resource=str(tmp_path / "two.yaml")))]) == 2
    assert "holds 2 valid topologies, a worker runs one. Fix: levee validate -f" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["job_of_tests:transform", "job_of_tests.py:transform"])
def test_a_function_is_found_in_a_file_beside_the_topology(tmp_path: Path, name: str) -> None:
    (tmp_path / "job_of_tests.py").write_text(JOB.format("a"))
    assert load(name, tmp_path)({"a": 1}) == 1  # type: ignore[dict-item,comparison-overlap]


def test_spark_s_own_processes_find_it_there_too(tmp_path: Path) -> None:
    (tmp_path / "job_of_tests.py").write_text(JOB.format("a"))
    load("job_of_tests:transform", tmp_path)
    assert os.environ["PYTHONPATH"].split(os.pathsep)[0] == str(tmp_path)


def test_a_function_is_found_in_an_installed_module(tmp_path: Path) -> None:
    assert load("levee_spark.examples.pipeline:clean", tmp_path).__name__ == "clean"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("job_of_tests:transfrom", "module 'job_of_tests' has no 'transfrom'"),
        ("job_of_tests:number", "is int, no function. Fix: name a function of one argument"),
        ("nowhere_to_be_found:transform", "importing 'nowhere_to_be_found' raised ModuleNotFoundError"),
        ("broken_of_tests:transform", "importing 'broken_of_tests' raised ZeroDivisionError"),
    ],
)
def test_a_function_that_cannot_be_found_is_told_with_a_remedy(tmp_path: Path, name: str, told: str) -> None:
    (tmp_path / "job_of_tests.py").write_text(JOB.format("a"))
    (tmp_path / "broken_of_tests.py").write_text("1 / 0")
    with pytest.raises(NoFunction, match=f"(?s){told}.*") as raised:
        load(name, tmp_path)
    assert "Fix: " in str(raised.value)


def test_workers_of_a_run_look_beside_the_file_that_was_named_and_only_then_where_the_user_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are given a copy of the file, elsewhere."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "deep").mkdir()
    places = environment("deep/topology.yaml")["PYTHONPATH"].split(os.pathsep)
    assert places[:2] == [str(tmp_path / "deep"), str(tmp_path)]
    assert environment("-")["PYTHONPATH"].split(os.pathsep)[0] == str(tmp_path)


@dataclass
class Process:
    """It lives for so many looks."""

    looks: int
    returncode: int = 9

    def poll(self) -> int | None:
        self.looks -= 1
        return None if self.looks >= 0 else self.returncode


def test_a_worker_whose_jvm_is_gone_ends_so_that_another_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("levee_spark.worker.main.LOOK_S", 0.001)
    out = io.StringIO()
    order = Order(Path("t.yaml"), "u", "w", "n", tmp_path, ())
    spark = Spark(Size(), tmp_path / "spark.log", order, (), jvm=Jvm(Process(3), 0, ""))  # type: ignore[arg-type]
    assert wait_for_end(Event(), spark, Log("shop/clicks", "w", out)) == BROKEN
    said = json.loads(out.getvalue())
    assert (said["event"], said["code"], said["level"]) == ("Spark's JVM ended", 9, "error")
    asked_to = Event()
    asked_to.set()
    assert wait_for_end(asked_to, spark, Log("shop/clicks", "w", out)) == 0
