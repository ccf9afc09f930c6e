"""`levee fit`: what it writes, prints, refuses and ends with."""

import json
from pathlib import Path

import jsonschema
import pytest

from levee.cli.main import run
from levee.fit.augment import augmented
from levee.lifecycle.documents import machine, text_of
from levee.lifecycle.load import load
from levee.worlds.simulated.living import deeds
from tests.fit.texts import DIES, changed, fit

NAME = "dies-before-the-clock-is-set"


def said(capsys: pytest.CaptureFixture[str], *arguments: object, ends: int = 0) -> str:
    assert run(["fit", *map(str, arguments)]) == ends
    return "".join(capsys.readouterr())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    written = tmp_path / "dies.yaml"
    written.write_text(DIES, encoding="utf-8")
    return written


async def nothing(_life: object, _context: object) -> None:
    """A method that forgets what it is to do."""


def test_what_is_generated_can_be_tried(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "all"
    names = said(capsys, "generate", "--lifecycle", "job", "--state", "suspending").split()
    assert f"{len(names)} documents in {folder}" in said(capsys, "generate", "--lifecycle", "job", "--state", "suspending", "-o", folder)
    assert [one.stem for one in sorted(folder.iterdir())] == sorted(names)
    assert f"{len(names)} documents in {len(names)} files are in order" in said(capsys, "check", folder)
    told = said(capsys, "run", *sorted(folder.glob("*stopped*crash_operator.yaml")))
    assert told.splitlines()[-1] == "3 tried with seed 1: 3 passed, 0 failed, 0 inconclusive"


def test_without_a_state_all_documents_of_both_lifecycles_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    names = said(capsys, "generate").split()
    assert len(names) == len(set(names)) > 5_000
    assert {name.partition(".")[0] for name in names} == {"job", "bounded"}


def test_a_failure_ends_with_1_and_prints_the_one_command_that_replays_it(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(deeds.METHODS, "remove_replicas", nothing)
    told = said(capsys, "run", file, "--seed", "7", ends=1)
    assert told.startswith(f"Failed        {NAME}\n")
    assert f"Replay it: levee fit run {file} --seed 7 --log\n" in told
    whole = json.loads(said(capsys, "run", file, "--seed", "7", "-o", "json", ends=1))
    assert (whole["failed"], whole["trials"][0]["replay"]) == (1, f"levee fit run {file} --seed 7 --log")


def test_not_to_know_ends_with_2(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(changed(occurrence="900", state="running", transition="edit", before="replan"), encoding="utf-8")
    told = said(capsys, "run", file, ends=2)
    assert told.startswith(f"Inconclusive  {NAME}\n")
    assert "has not come in 400 s" in told


def test_a_log_tells_the_whole_life(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fit", "run", str(file), "--log"]) == 0
    told = capsys.readouterr()
    assert "crash_operator: dispatching, all_ready: before set_the_clock" in told.err
    assert "dies, in running" in told.err
    assert "running, recover -> running" in told.err
    assert told.out.startswith(f"Passed        {NAME}")


def test_one_mistake_anywhere_and_nothing_is_tried(tmp_path: Path, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "other.yaml").write_text(changed(fit="other", before="set_clock"), encoding="utf-8")
    (tmp_path / "third.yaml").write_text(DIES, encoding="utf-8")
    told = said(capsys, "run", tmp_path, ends=1)
    assert told.startswith("levee fit: refused, and nothing was tried.\n")
    assert f"{tmp_path / 'other.yaml'}: other: before: dispatching, all_ready does not call 'set_clock'" in told
    assert f"{tmp_path / 'third.yaml'}: {NAME}: is the name of a document in {file}, too" in told
    assert "Passed" not in told


@pytest.mark.parametrize("arguments", [["run", "nowhere.yaml"], ["run", "empty"], ["augment", "nowhere.yaml"]])
def test_what_is_not_there_is_told(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    told = said(capsys, *arguments, ends=1)
    assert "refused, and nothing was tried" in told
    assert "Fix: " in told


@pytest.mark.parametrize(("flag", "given", "meant"), [("--state", "runing", "running"), ("--lifecycle", "jobs", "job")])
def test_a_misspelled_word_is_told_with_what_was_meant(flag: str, given: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"Did you mean '{meant}'?" in said(capsys, "generate", flag, given, ends=2)


def test_a_campaign_that_was_ended_goes_on_where_it_was(tmp_path: Path, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = tmp_path / "journal.jsonl"
    first = said(capsys, "run", file, "--journal", journal)
    (line,) = journal.read_text(encoding="utf-8").splitlines()
    known = json.loads(line) | {"verdict": "Inconclusive", "why": "as the journal says"}
    journal.write_text(json.dumps(known) + "\n" + line[:40], encoding="utf-8")  # and whoever wrote it was killed
    assert "as the journal says" in said(capsys, "run", file, "--journal", journal, ends=2)
    assert said(capsys, "run", file, "--journal", journal, "--seed", "2") == first.replace("seed 1", "seed 2")
    assert [len(one) > 40 for one in journal.read_text(encoding="utf-8").splitlines()] == [True, False, True]
    assert said(capsys, "run", file, "--journal", journal, "--seed", "2") == first.replace("seed 1", "seed 2")
    journal.write_text("{}\n", encoding="utf-8")
    assert "journal.jsonl, line 1: is no verdict" in said(capsys, "run", file, "--journal", journal, ends=1)


def test_the_augmented_lifecycle_is_a_document_like_any_other(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "augment", file)
    assert load(text).machine == augmented(machine("job"), [fit()])


def test_a_lifecycle_of_ones_own_can_be_tried(tmp_path: Path, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = tmp_path / "own.lifecycle"
    own.write_text(text_of("job").replace("lifecycle: job", "lifecycle: own"), encoding="utf-8")
    file.write_text(changed(lifecycle="own"), encoding="utf-8")
    assert said(capsys, "run", file, "--document", own).startswith(f"Passed        {NAME}")
    assert "there is no lifecycle 'own'" in said(capsys, "run", file, ends=1)
    own.write_text(text_of("job").replace("write_plan", "write_a_plan"), encoding="utf-8")
    assert "methods.write_a_plan: has no handler" in said(capsys, "run", file, "--document", own, ends=1)


def test_the_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(said(capsys, "schema")))
