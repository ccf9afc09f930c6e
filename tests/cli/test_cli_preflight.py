"""What is refused before anything is started: code and formats that are not there, folders that cannot be used."""

from pathlib import Path

import pytest

from levee.cli.local.preflight import spec_of
from levee.cli.main import run as levee
from levee.plans.ending import Exit
from levee.worlds.local.folder import Folder
from levee.worlds.local.table import RunTable

TOPOLOGY = """
apiVersion: levee.dev/v1alpha1
kind: FaultTolerantTopology
metadata: {name: shop}
spec:
  store: {uri: "file:///nowhere"}
  sources: [{name: market, configurations: [{rate: 10}], spark: {format: replay, options: {generator: "rows_of_shop:rows"}}}]
  operators: [{name: vwap, function: "code_of_shop:vwap", inputs: [{from: market, cost: 1us}]}]
  sinks: [{name: out, from: vwap, spark: {format: parquet, options: {path: /nowhere/out}}}]
  faultTolerance: {target: {completeness: 1.0}}
  placement: {nodes: [{name: node-1}, {name: node-2}]}
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "code_of_shop.py").write_text("raise SystemExit('nobody may import this')\nif True:\n    def vwap(inputs): ...\n")
    (tmp_path / "rows_of_shop.py").write_text("from code_of_shop import vwap as rows\n")
    (tmp_path / "shop.yaml").write_text(TOPOLOGY)
    return tmp_path


@pytest.mark.parametrize("command", ["run", "check", "validate"])
@pytest.mark.parametrize(
    ("was", "now", "told"),
    [
        (
            "code_of_shop:vwap",
            "code_of_shop:wvap",
            "spec.operators[0].function: {place}/code_of_shop.py has no 'wvap'.\n    Fix: use 'vwap'.",
        ),
        ("code_of_shop:vwap", "codes:vwap", "spec.operators[0].function: there is no module 'codes' (looked in {place}"),
        ("code_of_shop:vwap", "code_of_shop.parts:vwap", "there is no module 'code_of_shop.parts'"),
        ("rows_of_shop:rows", "rows_of_shop:nothing", "spec.sources[0].spark.options.generator: {place}/rows_of_shop.py has no 'nothing'"),
        ('{generator: "rows_of_shop:rows"}', "{}", "spec.sources[0].spark.options: a replayed source names no generator"),
        ('rows"}', 'rows", epochs: "many"}', "spec.sources[0].spark.options.epochs: 'many' is no number of epochs"),
        ('rows"}', 'rows", epochs: "-3"}', "spec.sources[0].spark.options.epochs: '-3' is no number of epochs"),
        ("format: parquet", "format: parkett", "spec.sinks[0].spark.format: 'parkett' is no format"),
        ("format: replay", "format: kafak", "Fix: use 'kafka', or the full name of a connector's class."),
    ],
)
def test_code_and_formats_that_are_not_there_are_refused_before_anything_starts(
    command: str, was: str, now: str, told: str, shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop / "shop.yaml").write_text(TOPOLOGY.replace(was, now))
    assert levee([command, "-f", "shop.yaml"]) == Exit.REFUSED
    assert told.format(place=shop) in capsys.readouterr().err
    assert not (shop / ".levee").exists()


OURS = "levee_spark.examples.market:rows"


@pytest.mark.parametrize("command", ["run", "check", "validate"])
@pytest.mark.parametrize(
    ("options", "told"),
    [
        ('ratePerSec: "60"', f".ratePerSec: {OURS} takes no option 'ratePerSec'.\n    Fix: use 'ratePerS'."),
        (
            'users: "60"',
            f".users: {OURS} takes no option 'users'.\n    Fix: use one of seed, ratePerS, periodMs, symbols, generator, epochs.",
        ),
        ('ratePerS: "sixty"', ".ratePerS: 'sixty' is no number that it can be.\n    Fix: write a whole number, from 1, or leave it out."),
        ('symbols: "0"', ".symbols: '0' is no number that it can be."),
        ('seed: "1.5"', ".seed: '1.5' is no number that it can be.\n    Fix: write a whole number, or leave it out."),
    ],
)
def test_options_that_our_own_generators_do_not_take_are_refused(
    command: str, options: str, told: str, shop: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop / "shop.yaml").write_text(TOPOLOGY.replace('"rows_of_shop:rows"', f'"{OURS}", {options}'))
    assert levee([command, "-f", "shop.yaml"]) == Exit.REFUSED
    assert f"spec.sources[0].spark.options{told}" in capsys.readouterr().err


def test_what_our_own_generators_take_is_valid_and_others_may_take_anything(shop: Path) -> None:
    (shop / "shop.yaml").write_text(TOPOLOGY.replace('"rows_of_shop:rows"', f'"{OURS}", seed: "-3", ratePerS: "60", epochs: "9"'))
    assert levee(["validate", "-f", "shop.yaml"]) == Exit.OK
    (shop / "shop.yaml").write_text(TOPOLOGY.replace('rows"}', 'rows", ratePerSec: "sixty"}'))
    assert levee(["validate", "-f", "shop.yaml"]) == Exit.OK


def test_code_that_may_be_in_an_image_is_not_judged_here_and_formats_are(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cluster = TOPOLOGY.replace("file:///nowhere", "s3://bucket/shop").replace("code_of_shop:vwap", "codes:vwap")
    (shop / "shop.yaml").write_text(cluster)
    assert levee(["validate", "-f", "shop.yaml"]) == Exit.OK
    assert capsys.readouterr().out.startswith("default/shop: valid")
    (shop / "shop.yaml").write_text(cluster.replace("format: parquet", "format: jsonx"))
    assert levee(["validate", "-f", "shop.yaml"]) == Exit.REFUSED
    assert "spec.sinks[0].spark.format: 'jsonx' is no format that is known here" in capsys.readouterr().err


def test_a_module_that_does_not_parse_is_told_with_its_line(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (shop / "code_of_shop.py").write_text("def vwap(inputs):\n    return (\n")
    assert levee(["run", "-f", "shop.yaml"]) == Exit.REFUSED
    assert f"spec.operators[0].function: {shop}/code_of_shop.py:2: " in capsys.readouterr().err


@pytest.mark.parametrize("place", ["/proc/levee", "a-file"])
def test_a_folder_that_cannot_be_made_is_refused_with_its_path(place: str, shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (shop / "a-file").touch()
    assert levee(["run", "-f", "shop.yaml", "--anyway", "--directory", place]) == Exit.REFUSED
    told = capsys.readouterr().err
    assert f"--directory: {Path(place).absolute()} cannot be used: " in told
    assert "Fix: name a folder that can be written" in told


@pytest.mark.usefixtures("shop")
def test_what_the_planner_refuses_is_told_by_the_command_that_was_called(capsys: pytest.CaptureFixture[str]) -> None:
    assert levee(["run", "-f", "shop.yaml", "--nodes", "x"]) == Exit.USAGE
    assert capsys.readouterr().err.startswith("levee run: the nodes cannot be used.")


def test_of_several_runs_that_are_over_status_lists_all(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one", "two"):
        (shop / ".levee" / name).mkdir(parents=True)
        table = RunTable(f"shop/{name}", "uid", "memory://", None, ended="ended by Ctrl-C at noon")
        Folder(shop / ".levee" / name).write(table.document())
    assert levee(["status"]) == Exit.REFUSED
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"shop/one in {shop}/.levee/one: ended by Ctrl-C at noon")
    assert second.endswith(f"levee status --directory {shop}/.levee/two")


def test_a_module_in_folders_without_init_is_found(tmp_path: Path) -> None:
    """As tests of a project often are."""
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    (inner / "mine.py").write_text("def f(inputs): ...\n")
    found = spec_of("outer.inner.mine", [str(tmp_path)])
    assert found is not None
    assert found.origin == str(inner / "mine.py")
    assert spec_of("outer.inner.other", [str(tmp_path)]) is None
