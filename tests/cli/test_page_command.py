"""`levee page` and the flags of `levee run` that are about the page."""

import json
import os
import socket
import urllib.error
import urllib.request
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from levee.cli.local.paged import page_of
from levee.control.actions import Decision, Reason
from levee.control.names import Instant
from levee.page.serving import LOOPBACK
from levee.plans.ending import Exit, Refused
from levee.worlds.local import processes
from levee.worlds.local.folder import Folder
from levee.worlds.local.run import Turn
from levee.worlds.local.table import NodeEntry, WorkerEntry
from tests.cli.stage import levee
from tests.page.views import RESOURCE, SECRET, SEEN, TABLE


class Picture(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.inside, self.text = False, ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = dict(attrs).get("id") == "picture"

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        self.text += data if self.inside else ""


def picture_in(text: str) -> Any:
    found = Picture()
    found.feed(text)
    return json.loads(found.text)


def written(place: Path, ended: str = "completed at noon") -> Folder:
    """As a run leaves it."""
    folder = Folder(place)
    workers = tuple(WorkerEntry(one.worker, "i", one.node, one.replicas, 1, None, place, one.phase, one.states) for one in SEEN.workers)
    nodes = tuple(NodeEntry(one.node, one.alive, None) for one in SEEN.nodes)
    folder.write(replace(TABLE, ended=ended, workers=workers, nodes=nodes).document())
    folder.resource.write_text(RESOURCE)
    return folder


def test_a_run_that_is_over_is_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path)
    out = tmp_path / "run.html"
    assert levee(capsys, "page", "--directory", str(tmp_path), "--out", str(out)).code == Exit.OK
    text = out.read_text(encoding="utf-8")
    one = picture_in(text)["shown"]
    assert (one["name"], one["state"]) == ("shop/clicks", "completed at noon")
    assert one["rates"] == {"market": 500.0}
    assert {each["mark"] for part in one["boxes"] for task in part["tasks"] for each in task["replicas"]} >= {
        "primary",
        "secondary",
        "failed",
    }
    assert SECRET not in text


def test_where_it_cannot_be_written_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path)
    ended = levee(capsys, "page", "--directory", str(tmp_path), "--out", str(tmp_path / "nowhere" / "run.html"))
    assert ended.code == Exit.REFUSED
    assert "cannot write" in ended.err
    assert "name a file in a folder that exists" in ended.err


def test_where_nothing_has_run_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ended = levee(capsys, "page", "--directory", str(tmp_path), "--out", str(tmp_path / "run.html"))
    assert ended.code == Exit.USAGE
    assert "nothing has run in" in ended.err


def run_of(turn: Turn | None) -> Any:
    blank = replace(TABLE, controller=processes.identify(os.getpid()))
    return SimpleNamespace(blank=blank, last=turn, world=SimpleNamespace(wanted=None))


def asked(where: str, topology: str = "") -> Any:
    with urllib.request.urlopen(f"{where}picture.json?topology={topology}", timeout=10) as found:  # noqa: S310
        return json.loads(found.read())


def test_a_run_says_where_its_page_is_and_the_page_follows_it(capsys: pytest.CaptureFixture[str]) -> None:
    with page_of(RESOURCE.encode(), 0) as page:
        assert asked(page.where)["shown"] is None
        run = run_of(None)
        with page.following(run):
            assert capsys.readouterr().out == f"shop/clicks: shown at {page.where}\n"
            assert asked(page.where)["shown"]["state"] == "running"
            assert asked(page.where)["shown"]["nodes"] == []
            assert asked(page.where, "shop/clicks")["shown"]["name"] == "shop/clicks"
            with pytest.raises(urllib.error.HTTPError, match="404") as refused:
                asked(page.where, "shop/orders")
            assert "There is no topology 'shop/orders' here. There is shop/clicks." in json.loads(refused.value.read())["wrong"]
            run.last = Turn(Instant(0), SEEN, Decision(Reason.SETTLED), TABLE, (), ())
            assert len(asked(page.where)["shown"]["nodes"]) == 3
    with pytest.raises(OSError, match="refused"):
        asked(page.where)


def test_without_a_page_nothing_is_served_or_said(capsys: pytest.CaptureFixture[str]) -> None:
    with page_of(RESOURCE.encode(), None) as page, page.following(run_of(None)):
        assert page.where == ""
    assert capsys.readouterr().out == ""


def test_a_port_that_is_taken_is_refused_before_anything_is_started() -> None:
    with socket.create_server((LOOPBACK, 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Refused, match="it cannot run") as refused, page_of(RESOURCE.encode(), port):
            raise AssertionError("it was served")
    assert f"--page-port: 127.0.0.1:{port} cannot be listened on" in refused.value.text
    assert refused.value.code == Exit.USAGE


def test_the_flags_are_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    told = levee(capsys, "run", "--help").out
    assert "--page-port" in told
    assert "--no-page" in told
