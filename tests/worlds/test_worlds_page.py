"""The page of a run: what a browser would be told while processes come and go."""

import json
import urllib.request
from pathlib import Path
from typing import Any

from levee.cli.local.paged import from_outside, graph_in, page_of
from levee.control.actions import Reason
from levee.page.picture.whole import picture
from levee.worlds.local.faults import Fault, Kind, aim, kill
from levee.worlds.local.opening import running
from levee.worlds.local.table import read_table
from tests.worlds.toy import play, setup


def shown(where: str) -> Any:
    with urllib.request.urlopen(f"{where}picture.json", timeout=10) as answer:  # noqa: S310
        return json.loads(answer.read())["shown"]


def replicas(one: Any) -> list[Any]:
    return [each for box in one["boxes"] for task in box["tasks"] for each in task["replicas"]]


def test_the_page_follows_a_run_through_the_loss_of_a_node(tmp_path: Path) -> None:
    asked = setup(tmp_path)
    with page_of(asked.resource, 0) as page, running(asked) as run, page.following(run):
        play(run, lambda turn: turn.table.ready)
        one = shown(page.where)
        assert [box["name"] for box in one["boxes"]] == ["numbers", "double", "total", "out"]
        assert (one["name"], one["state"], one["ready"], one["configuration"] in {"calm", "peak"}) == ("tests/toy", "running", True, True)
        assert {each["mark"] for each in replicas(one)} <= {"primary", "secondary", "deliverer", "idle"}
        assert all(each["epoch"] > 0 for each in replicas(one) if each["active"])
        kill(aim(Fault(Kind.KILL_NODE, "node-2"), run.table(), {}))
        play(run, lambda turn: turn.decision.reason is Reason.NODE_LOST)
        after = shown(page.where)
        assert [node["alive"] for node in after["nodes"]].count(False) == 1
        assert any(event["grave"] for event in after["events"])
        play(run, lambda turn: turn.decision.reason is Reason.SETTLED and turn.seen.rates is not None)
        assert shown(page.where)["rates"]["numbers"] > 0
        table = read_table(run.folder)
        assert table is not None
        beside = picture("now", from_outside(table, graph_in(asked.resource)))["shown"]
        assert len(replicas(beside)) == len(replicas(shown(page.where)))
        assert beside["rates"]["numbers"] > 0
