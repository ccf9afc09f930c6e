"""`levee lifecycle`, and the pages and pictures that are made by it."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import jsonschema
import pytest

from levee.cli.main import run
from levee.lifecycle.documents import NAMES, machine, text_of
from levee.topology.documents import read_documents

ROOT = Path(__file__).parent.parent.parent
PICTURES = {"job": "lifecycle.svg", "bounded": "lifecycle-bounded.svg"}


def said(capfdbinary: pytest.CaptureFixture[bytes], *arguments: str) -> str:
    assert run(["lifecycle", *arguments]) == 0
    return capfdbinary.readouterr().out.decode()


@pytest.mark.parametrize("name", NAMES)
def test_the_picture_in_docs_is_the_documents(name: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    drawn = said(capfdbinary, "--document", name, "--format", "svg")
    kept = (ROOT / "docs" / "images" / PICTURES[name]).read_text(encoding="utf-8")
    assert kept == drawn, f"run levee lifecycle --document {name} --format svg --output-file docs/images/{PICTURES[name]}"


@pytest.mark.parametrize("name", NAMES)
def test_the_table_in_docs_is_the_documents(name: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    table = said(capfdbinary, "--document", name, "--format", "table")
    page = (ROOT / "docs" / "lifecycle.md").read_text(encoding="utf-8")
    rows = table.splitlines() if name == "job" else [row for row in table.splitlines() if row.startswith("| `completing`")]
    assert all(row in page.splitlines() for row in rows), f"run levee lifecycle --document {name} --format table"


@pytest.mark.parametrize("name", NAMES)
def test_every_state_and_transition_is_drawn(name: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    drawn = said(capfdbinary, "--document", name, "--format", "svg")
    texts = [one.text for one in ET.fromstring(drawn).iter()]  # noqa: S314  # our own
    for state in machine(name).states:
        assert state in texts
    for one in machine(name).transitions:
        assert one.when in texts
    plain = said(capfdbinary, "--document", name)
    assert plain.count(" -> ") == len(machine(name).transitions)


@pytest.mark.parametrize("name", NAMES)
def test_the_schema_takes_our_documents_and_refuses_a_misspelled_field(name: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    schema = json.loads(said(capfdbinary, "--format", "schema"))
    jsonschema.Draft202012Validator.check_schema(schema)
    document = read_documents(text_of(name))[0].value
    jsonschema.validate(document, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document | {"inital": "submitted"}, schema)


def test_other_programs_get_all_of_it(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    whole = json.loads(said(capfdbinary, "--format", "json"))
    assert len(whole["transitions"]) == len(machine("job").transitions)
    assert {one["name"] for one in whole["states"]} == set(machine("job").states)
    drawn = said(capfdbinary, "--format", "dot")
    assert drawn.startswith('digraph "job"') and '"dispatching" -> "running" [label="all_ready"];' in drawn


def test_a_document_of_ones_own_is_checked_and_drawn(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(text_of("job").replace("lifecycle: job", "lifecycle: own"))
    assert said(capfdbinary, "--document", str(file)).startswith("Lifecycle own")
    file.write_text(text_of("job").replace("when: planned, to: instantiating", "when: planed, to: instantiating"))
    assert run(["lifecycle", "--document", str(file)]) == 1
    told = capfdbinary.readouterr().err.decode()
    assert "there is no event 'planed'" in told and "Fix: use 'planned'" in told
    assert run(["lifecycle", "--document", str(tmp_path / "none.yaml")]) == 2
