"""What the chart tells the operator by its environment, and what becomes of it."""

from pathlib import Path
from typing import Any

import pytest

from levee.serve.app import Settings, shop_of
from levee.serve.leader import Leader
from levee.serve.metrics import Metrics
from levee.serve.shop import Shop
from tests.serve.plant import Plant, operator, topology

NOBODY: Any = None


def shop(monkeypatch: pytest.MonkeyPatch, **environment: str) -> Shop:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    made = shop_of(Settings.read(), NOBODY, Leader(NOBODY, "levee", "one"), "one", Metrics())
    made.planner.close()
    return made


def test_what_is_empty_is_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    made = shop(monkeypatch, LEVEE_WORKER_PRIORITY_CLASS="", LEVEE_WORKER_SERVICE_ACCOUNT="")
    assert (made.priority_class, made.service_account) == (None, None)


def test_the_priority_of_workers_reaches_their_pods(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plant = Plant()
    plant.apply(topology(tmp_path / "store"))
    one = operator(plant)
    one.shop.priority_class = shop(monkeypatch, LEVEE_WORKER_PRIORITY_CLASS="streams").priority_class
    one.run("running")
    assert {pod["spec"]["priorityClassName"] for pod in plant.pods()} == {"streams"}
