"""How a dry run of edited functions is told what to try, and where it answers."""

import json
import sys
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from levee_spark.check import finding, trying
from levee_spark.check.edits import Edited, EditOrder
from levee_spark.check.finding import Finding, Weight

WRONG = Finding("total", Weight.WRONG, "the state has other columns", "say `state: discard`", detail="line 7")


def order(place: Path) -> EditOrder:
    return EditOrder("topology.yaml", str(place), "uid-1", Edited(("total",), ("index",)))


def test_in_a_pod_it_is_told_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEVEE_ORDER", json.dumps(asdict(order(tmp_path))))
    monkeypatch.setattr(sys, "argv", ["trying"])
    assert trying.asked() == order(tmp_path)


def test_elsewhere_it_is_told_by_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "order.json").write_text(json.dumps(asdict(order(tmp_path))))
    monkeypatch.setattr(sys, "argv", ["trying", str(tmp_path / "order.json")])
    assert trying.asked() == order(tmp_path)


def test_it_answers_in_full_or_in_as_many_bytes_as_are_kept_of_last_words(tmp_path: Path) -> None:
    long = replace(WRONG, detail="d" * 100_000)
    trying.tell(order(tmp_path), [long])
    assert finding.read(tmp_path / "findings.json") == (long,)
    said = tmp_path / "last-words"
    trying.tell(replace(order(tmp_path), answer=str(said)), [long])
    [found] = finding.parse(said.read_text())
    assert said.stat().st_size <= trying.KEPT_BYTES
    assert (found.wrong, found.fix) == (long.wrong, long.fix)
