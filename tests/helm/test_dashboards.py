"""The dashboards that are shipped are those of the generator, and every panel says what it shows."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

import chart_values
from dashboards.written import FOLDER, texts

ROOT = chart_values.CHART.parents[1]
TEXTS = texts()
SUFFIX = re.compile(r"_(bucket|count|sum)$")
each = pytest.mark.parametrize("name", TEXTS)


def panels(name: str) -> Iterator[dict[str, Any]]:
    yield from (one for one in json.loads(TEXTS[name])["panels"] if one["type"] != "row")


def test_the_files_are_what_the_generator_writes() -> None:
    assert {file.name: file.read_text(encoding="utf-8") for file in FOLDER.glob("*.json")} == TEXTS, "run: make dashboards"


@each
def test_every_panel_says_what_it_shows_and_asks_the_chosen_prometheus(name: str) -> None:
    for panel in panels(name):
        assert panel["title"]
        assert panel["description"]
        assert panel["targets"]
        assert {one["datasource"]["uid"] for one in [panel, *panel["targets"]]} == {"${datasource}"}


@each
def test_no_panel_lies_upon_another(name: str) -> None:
    taken: set[tuple[int, int]] = set()
    for panel in json.loads(TEXTS[name])["panels"]:
        at = panel["gridPos"]
        cells = {(at.get("x", 0) + x, at.get("y", 0) + y) for x in range(at["w"]) for y in range(at["h"])}
        assert not cells & taken, panel["title"]
        assert at.get("x", 0) + at["w"] <= 24
        taken |= cells


@each
def test_every_query_is_made_of_metrics_on_the_page(name: str) -> None:
    page = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    known = set(re.findall(r"^\| `(levee_\w+)` \|", page, re.MULTILINE))
    asked = {SUFFIX.sub("", found) for panel in panels(name) for one in panel["targets"] for found in re.findall(r"levee_\w+", one["expr"])}
    assert asked
    assert asked <= known
