"""Every alert fires when it should and is quiet when all is well, as promtool says; and every one has its runbook."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

import chart_values
from servers.install import installed
from servers.trouble import ServerTrouble

pytestmark = pytest.mark.e2e
RULES = chart_values.CHART / "files" / "rules" / "levee.yaml"
TASK = 'topology="shop/clicks", task="vwap/0", replica="vwap/0/0"'
IDLE = 'topology="shop/clicks", task="vwap/0", replica="vwap/0/1"'
CLICKS = 'topology="shop/clicks"'
Series = dict[str, str]

# alert -> what makes it fire after 20 minutes, and what only looks like that
CASES: list[tuple[str, Series, Series]] = [
    (
        "LeveeGuaranteeNotMet",
        {f"levee_operator_guarantee_met{{{CLICKS}}}": "1x5 0x30"},
        {f"levee_operator_guarantee_met{{{CLICKS}}}": "1x14 0x3 1x30"},
    ),
    (
        "LeveeLagGrows",
        {f"levee_lag_epochs{{{TASK}}}": "0+20x40", f"levee_lag_epochs{{{IDLE}}}": "0x40"}
        | {f"levee_active{{{TASK}}}": "1x40", f"levee_active{{{IDLE}}}": "0x40"},
        {f"levee_lag_epochs{{{TASK}}}": "900-20x40", f"levee_active{{{TASK}}}": "1x40"},
    ),
    ("LeveeDivergence", {f"levee_divergences_total{{{TASK}}}": "0x10 1x30"}, {f"levee_divergences_total{{{TASK}}}": "3x40"}),
    (
        "LeveeReplicaFlapping",
        {f"levee_active{{{TASK}}}": "0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0"},
        {f"levee_active{{{TASK}}}": "0 1x40"},
    ),
    (
        "LeveeReplicaFlapping",
        {f'levee_operator_decisions_total{{{CLICKS}, reason="WorkerLost"}}': "0+1x40"},
        {f'levee_operator_decisions_total{{{CLICKS}, reason="RatesChanged"}}': "0+1x40"},
    ),
    (
        "LeveeInputAboveContract",
        {f"levee_operator_input_above_contract{{{CLICKS}}}": "0x5 1x30"},
        {f"levee_operator_input_above_contract{{{CLICKS}}}": "0x40"},
    ),
    (
        "LeveeControlLogStalled",
        {f"levee_operator_control_records_wanted_total{{{CLICKS}}}": "0+30x40", f"levee_operator_control_record{{{CLICKS}}}": "7x40"},
        {f"levee_operator_control_records_wanted_total{{{CLICKS}}}": "0+3x40", f"levee_operator_control_record{{{CLICKS}}}": "7+3x40"},
    ),
    (
        "LeveeControlLogStalled",
        {f"levee_operator_store_silent{{{CLICKS}}}": "0x10 1x30"},
        {f"levee_operator_store_silent{{{CLICKS}}}": "0x18 1x30"},
    ),
    (
        "LeveeOperatorNotReconciling",
        {"levee_operator_leads": "1x5 0x30", "levee_operator_turn_seconds_count": "0+9x40"},
        {'levee_operator_leads{pod="a"}': "1x40", 'levee_operator_leads{pod="b"}': "0x40", "levee_operator_turn_seconds_count": "0+9x40"},
    ),
    (
        "LeveeOperatorNotReconciling",
        {"levee_operator_leads": "1x40", "levee_operator_turn_seconds_count": "9x40", 'levee_operator_topologies{state="running"}': "2x40"},
        {"levee_operator_leads": "1x40", "levee_operator_turn_seconds_count": "9x40", 'levee_operator_topologies{state="running"}': "0x40"},
    ),
    ("LeveeOperatorNotReconciling", {"up": "0x40"}, {"levee_operator_leads": "1x40"}),
]


@pytest.fixture(scope="session")
def promtool() -> Path:
    try:
        return installed("promtool")
    except ServerTrouble as trouble:
        pytest.skip(str(trouble))


def alerts() -> dict[str, dict[str, Any]]:
    groups = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
    return {rule["alert"]: rule for group in groups for rule in group["rules"] if "alert" in rule}


def said(promtool: Path, folder: Path, alert: str, series: Series, *, fires: bool) -> str:
    """Of `promtool test rules`; empty: it is as expected."""
    asked = {
        "expr": f'count(ALERTS{{alertname="{alert}", alertstate="firing"}}) or vector(0)',
        "eval_time": "20m",
        "exp_samples": [{"labels": "{}", "value": int(fires)}],
    }
    given = [{"series": name, "values": values} for name, values in series.items()]
    test = {
        "rule_files": [str(RULES)],
        "evaluation_interval": "1m",
        "tests": [{"interval": "1m", "input_series": given, "promql_expr_test": [asked]}],
    }
    (folder / "test.yaml").write_text(yaml.safe_dump(test), encoding="utf-8")
    done = subprocess.run([promtool, "test", "rules", folder / "test.yaml"], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_the_rules_are_sound(promtool: Path) -> None:
    done = subprocess.run([promtool, "check", "rules", "--lint=all", "--lint-fatal", RULES], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("alert", "ill", "well"), CASES, ids=[f"{alert}-{number}" for number, (alert, _, _) in enumerate(CASES)])
def test_an_alert_fires_when_it_should_and_only_then(promtool: Path, tmp_path: Path, alert: str, ill: Series, well: Series) -> None:
    assert said(promtool, tmp_path, alert, ill, fires=True) == ""
    assert said(promtool, tmp_path, alert, well, fires=False) == ""


def test_every_alert_has_a_case() -> None:
    assert {alert for alert, _, _ in CASES} == alerts().keys()
