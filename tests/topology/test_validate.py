"""`levee validate` and `levee crds`: output, exit codes, and that no input whatever makes them stumble."""

import json
import random
from copy import deepcopy
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from levee.cli.main import run
from levee.topology.crd import NAME, crd_text
from levee.topology.load import Loaded, load, load_bytes
from tests.topology.shop import CLICKS, CLICKS_TEXT, EXAMPLES, changed, put


@pytest.fixture
def clicks(tmp_path: Path) -> Path:
    """With the code that it names."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "__init__.py").touch()
    (tmp_path / "shop" / "clicks.py").write_text("orders = joined = totals = print")
    path = tmp_path / "clicks.yaml"
    path.write_text(CLICKS_TEXT)
    return path


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "broken.yaml"
    path.write_text(yaml.safe_dump(changed(put("suspend", 3), put("operators.1.inputs.0.from", "ordres"))))
    return path


def test_a_valid_topology_is_summed_up_in_one_line(clicks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", "-f", str(clicks)]) == 0
    assert capsys.readouterr() == ("shop/clicks: valid (2 sources, 3 operators, 5 tasks, 2 configurations)\n", "")


def test_every_mistake_goes_to_stderr_in_one_block(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", "-f", str(broken)]) == 1
    expected = (
        f"FaultTolerantTopology shop/clicks ({broken}) is not valid: 2 mistakes.\n"
        "  spec.suspend: is 3, but must be true or false.\n"
        "    Fix: write true or false, without quotes.\n"
        "  spec.operators[1].inputs[0]: reads stream 'ordres', which nothing emits.\n"
        "    Fix: use 'orders', or add an operator that emits 'ordres'.\n"
    )
    assert capsys.readouterr() == ("", expected)


def test_several_files_are_judged_each_for_itself(clicks: Path, broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken.write_text(broken.read_text().replace("name: clicks", "name: broken"))
    assert run(["validate", "-f", str(broken), "-f", str(clicks)]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("shop/clicks: valid")
    assert err.startswith("FaultTolerantTopology shop/broken (")


def test_the_files_of_a_directory_are_taken_together(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", "-f", str(EXAMPLES)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(list(EXAMPLES.glob("*.yaml")))


def test_a_dash_reads_what_is_piped_in(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(CLICKS_TEXT.encode())))
    assert run(["validate", "-f", "-"]) == 0
    assert "shop/clicks: valid" in capsys.readouterr().out


def test_machines_get_json(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", "-o", "json", "-f", str(broken)]) == 1
    (one,) = json.loads(capsys.readouterr().out)
    assert (one["name"], one["valid"], one["origin"]) == ("shop/clicks", False, str(broken))
    assert one["complaints"][0] == {
        "where": "spec.suspend",
        "wrong": "is 3, but must be true or false",
        "fix": "write true or false, without quotes",
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Name at least one file"),
        (["-f", "missing.yaml"], "Cannot read missing.yaml: No such file or directory."),
        (["-f", "zero\0byte.yaml"], "Cannot read zero"),
    ],
)
def test_files_that_cannot_be_read_are_a_mistake_of_use(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_an_empty_directory_is_a_mistake_of_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", "-f", str(tmp_path)]) == 2
    assert "this directory holds no .yaml, .yml, .json" in capsys.readouterr().err


def test_crds_writes_what_check_then_finds_current(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["crds", "--output", str(tmp_path), "--check"]) == 1
    assert "does not exist" in capsys.readouterr().err
    assert run(["crds", "--output", str(tmp_path)]) == 0
    assert (tmp_path / f"{NAME}.yaml").read_text(encoding="utf-8") == crd_text()
    assert run(["crds", "--output", str(tmp_path), "--check"]) == 0
    (tmp_path / f"{NAME}.yaml").write_text("kind: Other\n")
    assert run(["crds", "--output", str(tmp_path), "--check"]) == 1
    assert "differs from the models" in capsys.readouterr().err


def sound(loaded: tuple[Loaded, ...]) -> bool:
    """Every document is a topology or has complaints in words, and never both."""
    words = [complaint for one in loaded for complaint in one.complaints]
    whole = all(c.where and c.wrong and c.fix and "Traceback" not in c.wrong for c in words)
    return bool(loaded) and whole and all((one.topology is None) == bool(one.complaints) for one in loaded)


@given(st.binary(max_size=300))
def test_no_bytes_make_it_stumble(data: bytes) -> None:
    assert sound(load_bytes(data, origin="noise"))


@given(st.text(alphabet="-:[]{}&*!|>'\"%@,#? \t\nab01.~<=", max_size=80))
def test_no_yaml_makes_it_stumble(text: str) -> None:
    assert sound(load(text, origin="noise"))


@given(st.integers(0, len(CLICKS_TEXT) - 1), st.binary(max_size=5), st.integers(0, 40))
def test_no_damage_to_a_valid_file_makes_it_stumble(place: int, noise: bytes, gone: int) -> None:
    data = CLICKS_TEXT.encode()
    assert sound(load_bytes(data[:place] + noise + data[place + gone :], origin="damaged"))


LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["", "on", "web", "orders", "12us", "x:y", "\u0000", "a" * 70])
)
TREES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "from", "rate", "x"]), inner), max_leaves=5
)


def places(tree: Any) -> list[tuple[Any, Any]]:
    """Every item of every mapping and list, as its holder and its key."""
    keys = list(tree) if isinstance(tree, dict) else list(range(len(tree))) if isinstance(tree, list) else []
    return [(tree, key) for key in keys] + [place for key in keys for place in places(tree[key])]


@given(st.integers(0, 2**32), st.lists(st.tuples(st.sampled_from(["set", "drop", "rename", "swap"]), TREES), min_size=1, max_size=4))
def test_no_change_to_a_valid_tree_makes_it_stumble(seed: int, changes: list[tuple[str, Any]]) -> None:
    tree, chance = deepcopy(CLICKS), random.Random(seed)
    for kind, value in changes:
        holder, key = chance.choice(places(tree) or [(tree, "spec")])
        match kind:
            case "drop":
                holder.pop(key, None) if isinstance(holder, dict) else holder.pop(key)
            case "rename" if isinstance(holder, dict):
                holder[f"{key}s"] = holder.pop(key, None)
            case "swap":
                other, place = chance.choice(places(tree) or [(tree, "spec")])
                holder[key] = deepcopy(other[place]) if not (isinstance(other, dict) and place not in other) else value
            case _:
                holder[key] = value
    assert sound(load(json.dumps(tree), origin="changed"))
