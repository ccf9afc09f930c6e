"""What can be said of recording rules and alerts without Prometheus: their words, their runbooks, and the metrics they are made of."""

import re
from typing import Any

import pytest
import yaml

import chart_values

ROOT = chart_values.CHART.parents[1]
GROUPS = yaml.safe_load((chart_values.CHART / "files" / "rules" / "levee.yaml").read_text(encoding="utf-8"))["groups"]
RULES: list[dict[str, Any]] = [rule for group in GROUPS for rule in group["rules"]]
ALERTS = [rule for rule in RULES if "alert" in rule]
RECORDED = {rule["record"]: rule for rule in RULES if "record" in rule}
SECTION = re.compile(r"^## (\w+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
SERIES = re.compile(r"\b(?:\w+:)*levee_\w+(?::\w+)*")
SUFFIX = re.compile(r"_(bucket|count|sum)$")


def named(rule: dict[str, Any]) -> str:
    return str(rule["alert"])


def runbooks() -> dict[str, str]:
    return dict(SECTION.findall((ROOT / "docs" / "runbooks" / "README.md").read_text(encoding="utf-8")))


@pytest.mark.parametrize("alert", ALERTS, ids=named)
def test_an_alert_says_how_grave_it_is_and_what_to_do(alert: dict[str, Any]) -> None:
    assert alert["labels"]["severity"] in {"critical", "warning"}
    assert {"summary", "description", "runbook_url"} == alert["annotations"].keys()
    assert alert["annotations"]["runbook_url"] == f"docs/runbooks/README.md#{alert['alert'].lower()}"


@pytest.mark.parametrize("alert", ALERTS, ids=named)
def test_a_runbook_says_what_an_alert_means_what_to_look_at_and_what_to_do(alert: dict[str, Any]) -> None:
    section = runbooks()[alert["alert"]]
    assert all(f"**{part}**" in section for part in ("It means", "Look at", "Do"))


def test_there_is_no_runbook_without_an_alert() -> None:
    assert runbooks().keys() == set(map(named, ALERTS))


@pytest.mark.parametrize("alert", ALERTS, ids=named)
def test_an_alert_looks_at_recorded_series_only(alert: dict[str, Any]) -> None:
    assert set(SERIES.findall(alert["expr"])) <= RECORDED.keys()


@pytest.mark.parametrize("record", RECORDED)
def test_what_is_recorded_is_made_of_metrics_on_the_page(record: str) -> None:
    page = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    known = set(re.findall(r"^\| `(levee_\w+)` \|", page, re.MULTILINE))
    asked = {SUFFIX.sub("", name) for name in SERIES.findall(RECORDED[record]["expr"])}
    assert asked
    assert asked <= known


def test_the_page_lists_all_alerts_with_their_severity() -> None:
    page = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `(Levee\w+)` \| (\w+) \|", page, re.MULTILINE))
    assert listed == {alert["alert"]: alert["labels"]["severity"] for alert in ALERTS}
