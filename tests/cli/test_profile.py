"""`levee profile`: a descriptor of what has passed, printed to be pasted or written into the file."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from levee.cli.local import profiling
from levee.cli.local.runnable import check_runnable
from levee.planning.measured.counts import Spent
from levee.topology.load import load
from levee.topology.names import OperatorName, TaskId
from levee.worlds.local.folder import Folder
from levee.worlds.local.table import RunTable
from levee_spark.log import ask
from levee_spark.log.requests import PutIfAbsent
from levee_spark.log.values import EpochObject, Kind, Manifest
from levee_spark.store.address import open_store
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver
from levee_spark.worker.wiring import wiring_of
from tests.cli.stage import levee
from tests.worlds.toy import toy

EPOCHS = 400  # 20 s
UID = "uid"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """With streams of 20 s: numbers brings 60 rows/s, and 120 in the last quarter; double keeps two thirds, total emits a row an epoch."""
    uri = (tmp_path_factory.mktemp("streams") / "store").as_uri()
    commit(uri, EPOCHS)
    return uri


@pytest.fixture
def place(tmp_path: Path, store: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where toy.yaml is, as if `levee run` had run it there."""
    monkeypatch.chdir(tmp_path)
    Path("toy.yaml").write_text(toy(store))
    return tmp_path


def ran(place: Path) -> None:
    text = (place / "toy.yaml").read_text()
    [loaded] = load(text, origin="toy")
    assert loaded.resource is not None
    folder = Folder(place / ".levee" / "toy")
    folder.path.mkdir(parents=True)
    folder.resource.write_text(text)
    folder.write(RunTable("tests/toy", UID, loaded.resource.spec.store.uri, None, ended="stopped").document())


def commit(uri: str, epochs: int) -> None:
    [loaded] = load(toy(uri), origin="toy")
    assert loaded.resource is not None
    wiring, driver = wiring_of(loaded.resource, UID), StoreDriver(open_store(loaded.resource.spec.store.uri))
    for epoch in range(1, epochs + 1):
        high = epoch > 3 * epochs // 4
        for stream, rows in (("numbers", 6 if high else 3), ("double", 4 if high else 2), ("total", 1)):
            manifest = Manifest(epoch, Kind.FINAL, rows, "digest", "lineage", 1, "writer")
            key = wiring.layout.epoch(TaskId(f"{stream}/0"), epoch)
            drive(ask.persistently(PutIfAbsent(key, EpochObject(manifest, None))), driver)
    driver.close()


def spends(_table: RunTable, _for_s: float) -> tuple[Mapping[OperatorName, tuple[Spent, ...]], tuple[str, ...]]:
    return {OperatorName("double"): tuple(Spent(0.001, {OperatorName("numbers"): 10.0}) for _ in range(10))}, ()


def test_a_descriptor_to_paste(place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    ran(place)
    monkeypatch.setattr(profiling, "spent_in", spends)
    ended = levee(capsys, "profile", "-f", "toy.yaml")
    found = yaml.safe_load(ended.out)
    assert ended.code == 0
    assert found["sources"] == [
        {
            "name": "numbers",
            "configurations": [{"name": "calm", "rate": 60, "probability": 0.75}, {"name": "peak", "rate": 120, "probability": 0.25}],
        }
    ]
    [double, total] = found["operators"]
    assert double["inputs"] == [{"from": "numbers", "selectivity": 0.667, "cost": "100us"}]
    assert total["inputs"][0]["cost"] == "1us"  # nobody has told another
    assert "cost not measured" in ended.out and "selectivity 0.667 to 0.667" in ended.out


def test_of_a_run_that_is_over_there_is_no_cost(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran(place)
    ended = levee(capsys, "profile", "-f", "toy.yaml")
    assert ended.code == 0 and "its workers are gone" in ended.err
    assert yaml.safe_load(ended.out)["operators"][0]["inputs"][0]["cost"] == "1us"


def test_written_into_the_file_it_is_a_valid_topology_with_its_comments(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = place / "toy.yaml"
    file.write_text("# mine\n" + file.read_text())
    ran(place)
    ended = levee(capsys, "profile", "-f", "toy.yaml", "--write")
    assert ended.code == 0 and "toy.yaml: 6 values written" in ended.err
    after = file.read_text()
    assert after.startswith("# mine\n")
    assert "{name: calm, rate: 60, probability: 0.75}, {name: peak, rate: 120, probability: 0.25}]" in after
    assert "inputs: [{from: numbers, selectivity: 0.667, cost: 1us}]}" in after
    assert levee(capsys, "validate", "-f", "toy.yaml").code == 0


@pytest.mark.usefixtures("place")
def test_into_stdin_nothing_is_written_and_nothing_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    ended = levee(capsys, "profile", "-f", "-", "--write")
    assert ended.code == 2 and "--write: there is no file to write into" in ended.err


def test_what_cannot_be_written_in_place_is_printed_and_the_file_stays(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = place / "toy.yaml"
    text = re.sub(r"(configurations: ).*", r"\1 # guessed\n    - {name: calm, rate: 60}", file.read_text())
    file.write_text(text)
    ran(place)
    ended = levee(capsys, "profile", "-f", "toy.yaml", "--write")
    assert ended.code == 1 and file.read_text() == text
    assert "the file is as it was; what was measured is printed, to be pasted" in ended.err
    assert "spec.sources[0].configurations: has comments in it, which would be lost (line 11)" in ended.err
    assert [one["rate"] for one in yaml.safe_load(ended.out)["sources"][0]["configurations"]] == [60, 120]


def test_another_number_of_levels_takes_no_name_away(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = place / "toy.yaml"
    declared = "[{name: calm, rate: 61, probability: 0.9}, {name: gone, rate: 9, probability: 0.05}, {rate: 1, probability: 0.05}]"
    file.write_text(re.sub(r"(configurations: ).*", rf"\1{declared}", file.read_text()))
    ran(place)
    ended = levee(capsys, "profile", "-f", "toy.yaml", "--write")
    assert ended.code == 0, ended.err
    levels = "[{name: calm, rate: 60, probability: 0.75}, {name: high, rate: 120, probability: 0.25}]"
    assert f"configurations: {levels}" in file.read_text()


def test_machines_get_all_of_it(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran(place)
    ended = levee(capsys, "profile", "-f", "toy.yaml", "-o", "json")
    assert yaml.safe_load(ended.out)["kind"] == "Descriptor"


@pytest.mark.usefixtures("place")
def test_what_has_never_run_is_told_with_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    ended = levee(capsys, "profile", "-f", "toy.yaml")
    assert ended.code == 1
    assert "tests/toy: has not run on this machine" in ended.err and "levee run -f toy.yaml" in ended.err


def test_too_few_epochs_tell_nothing(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = (place / "few").as_uri()
    commit(few, 7)
    Path("toy.yaml").write_text(toy(few))
    ran(place)
    ended = levee(capsys, "profile", "-f", "toy.yaml")
    assert ended.code == 1
    assert "has 7 epochs that all of its streams have, and 200 are the least" in ended.err


def test_a_run_of_another_topology_is_refused(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran(place)
    Path("other.yaml").write_text(Path("toy.yaml").read_text().replace("name: toy,", "name: other,"))
    ended = levee(capsys, "profile", "-f", "other.yaml", "--directory", ".levee/toy")
    assert ended.code == 2 and "is a run of tests/toy, not of tests/other" in ended.err


def test_a_look_back_that_is_too_short_is_wrong_usage(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran(place)
    ended = levee(capsys, "profile", "-f", "toy.yaml", "--epochs", "1")
    assert ended.code == 2 and "--epochs: is 1, and" in ended.err


def test_another_graph_than_that_which_has_run_is_refused(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran(place)
    text = Path("toy.yaml").read_text()
    Path("toy.yaml").write_text(text.replace("- name: numbers", "- name: numbers\n    parallelism: 2"))
    ended = levee(capsys, "profile", "-f", "toy.yaml")
    assert ended.code == 1 and "its graph is another one" in ended.err


@pytest.mark.usefixtures("place")
def test_a_file_that_is_not_there_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    ended = levee(capsys, "profile", "-f", "nowhere.yaml")
    assert ended.code == 2 and "cannot read 'nowhere.yaml'" in ended.err


def test_a_run_says_that_it_keeps_its_plan_where_another_is_asked_for(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (place / "toy.yaml").read_text().replace("  placement:", "  adaptation: {policy: apply}\n  placement:")
    [loaded] = load(text, origin="toy")
    assert loaded.resource is not None
    check_runnable(loaded.resource)
    assert "spec.adaptation: a run on this machine keeps its plan" in capsys.readouterr().err
