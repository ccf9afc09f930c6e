"""The page in a real browser: what is drawn, what is asked, and what cannot be done by what a picture says."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from levee.page.document import page
from levee.page.picture.view import Brief
from levee.page.picture.whole import picture
from levee.page.serving import LOOPBACK, Sources, address, serve
from servers.browser import Browser, Tab, browser_server
from servers.trouble import ServerTrouble
from tests.e2e.conftest import or_skip
from tests.page.views import AT, NASTY, SEEN, TABLE, shown, view

pytestmark = pytest.mark.e2e


@dataclass
class Told:
    """A controller whose topology changes when a test says so."""

    now: Any = field(default_factory=lambda: picture(AT, view()))
    of_name: dict[str, Any] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def picture(self, asked: str) -> Any:
        self.asked.append(asked)
        return self.of_name.get(asked, self.now)

    @contextmanager
    def served(self, port: int = 0) -> Iterator[ThreadingHTTPServer]:
        server = serve(Sources(self.picture), LOOPBACK, port)
        try:
            yield server
        finally:
            server.shutdown()
            server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with or_skip(browser_server()) as running:
        yield running


@pytest.fixture
def tab(browser: Browser) -> Iterator[Tab]:
    with browser.tab() as opened:
        yield opened


def count(tab: Tab, selector: str) -> int:
    return int(tab.ask(f"document.querySelectorAll({json.dumps(selector)}).length"))


def text(tab: Tab, selector: str) -> str:
    return str(tab.ask(f"document.querySelector({json.dumps(selector)}).textContent"))


def complaints(tab: Tab) -> list[str]:
    """Of the browser: of the policy, and of mistakes in the script."""
    logged = [one["entry"]["text"] for one in tab.happened("Log.entryAdded")]
    thrown = [one["exceptionDetails"]["text"] for one in tab.happened("Runtime.exceptionThrown")]
    return [one for one in logged if "ERR_CONNECTION" not in one] + thrown


def test_boxes_replicas_streams_rates_nodes_and_events_are_drawn(tab: Tab) -> None:
    with Told().served() as server:
        tab.open(address(server))
        assert count(tab, "[data-box]") == 4
        assert count(tab, "svg [data-replica]") == 9
        kinds = ("primary", "secondary", "deliverer", "idle", "failed")
        marks = {one: count(tab, f"svg [data-replica][data-mark={one}]") for one in kinds}
        assert marks == {"primary": 3, "secondary": 2, "deliverer": 1, "idle": 1, "failed": 2}
        assert count(tab, "[data-stream]") == 3
        assert count(tab, "[data-stream='total out'] path.tentative") == 1
        assert "500 rows/s" in text(tab, "[data-stream='market total']")
        assert [text(tab, f"[data-rate={name}]") for name in ("market", "total")] == ["500 rows/s", "50 rows/s"]
        assert "epoch 41" in text(tab, "[data-replica='total/0/0']")
        assert "node lost" in text(tab, "[data-replica='out/0/1']")
        assert "calm300 rows/s90 % of the time, in force, exceeded" in text(tab, "#rates")
        assert "offered now500 rows/s" in text(tab, "#measured")
        assert count(tab, "ul.nodes li.bad") == 1
        assert count(tab, "#events li.grave") == 2
        assert "Degraded: out/0/1 cannot work" in text(tab, "#reason")
        assert text(tab, "title") == "shop/clicks: running · Levee"
    assert complaints(tab) == []


def test_boxes_stand_from_left_to_right_and_none_on_another(tab: Tab) -> None:
    with Told().served() as server:
        tab.open(address(server))
        places = tab.ask(
            "Object.fromEntries([...document.querySelectorAll('[data-box]')].map(box => "
            "{ const at = box.querySelector('.frame').getBoundingClientRect(); "
            "return [box.dataset.box, [at.left, at.top, at.right, at.bottom]]; }))"
        )
    assert places["market"][2] < places["total"][0] < places["total"][2] < places["out"][0]
    boxes = list(places.values())
    for number, (left, top, right, bottom) in enumerate(boxes):
        for other in boxes[:number]:
            assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top


def test_markup_in_a_text_is_shown_and_does_nothing(tab: Tab) -> None:
    named = replace(TABLE, topology=f"shop/{NASTY}", reason=NASTY, text="<img src=x onerror=alert(1)>")
    with Told(picture(AT, view(table=named, state=NASTY))).served() as server:
        tab.open(address(server))
        assert NASTY in text(tab, "#events")
        assert NASTY in text(tab, "h1")
        assert tab.ask("document.scripts.length") == 1
        assert count(tab, "img") == 0
        assert tab.ask("document.title") != "owned"
    assert complaints(tab) == []


def test_whatever_came_in_nothing_but_the_page_s_own_script_could_run(tab: Tab) -> None:
    with Told().served() as server:
        tab.open(address(server))
        with pytest.raises(ServerTrouble, match="TrustedHTML"):
            tab.ask(f"document.body.innerHTML = {json.dumps(NASTY)}")
        with pytest.raises(ServerTrouble, match="TrustedScript"):
            tab.ask("{ const one = document.createElement('script'); one.textContent = 'window.owned = 1'; document.body.append(one); }")
        assert tab.ask("window.owned === undefined")
        with pytest.raises(ServerTrouble, match="fetch"):
            tab.ask("fetch('http://127.0.0.1:9/').then(() => 1)")
    assert any("Content Security Policy" in one for one in complaints(tab))


def test_a_change_shows_without_a_reload_and_leaves_the_focus_where_it_was(tab: Tab) -> None:
    told = Told()
    with told.served() as server:
        tab.open(address(server))
        tab.ask("window.same = document.querySelector(\"[data-box='total']\"); window.same.focus(); 1")
        first = replace(SEEN.workers[0].states[1], epoch=43)
        states = (SEEN.workers[0].states[0], first, *SEEN.workers[0].states[2:])
        seen = replace(SEEN, workers=(replace(SEEN.workers[0], states=states), *SEEN.workers[1:]))
        event = replace(TABLE.events[0], text="is back", grave=False)
        told.now = picture(AT, view(seen=seen, table=replace(TABLE, events=(*TABLE.events, event))))
        tab.until("document.querySelector(\"[data-replica='total/0/0']\").textContent.includes('epoch 43')")
        assert tab.ask("document.activeElement === window.same && window.same.isConnected")
        assert count(tab, "#events li") == 3
        assert "is back" in text(tab, "#events li")
    assert complaints(tab) == []


def test_a_server_that_does_not_answer_is_told_and_one_that_answers_again_is_followed(tab: Tab) -> None:
    told = Told()
    with told.served() as server:
        port = server.server_port
        tab.open(address(server))
        tab.until("document.querySelector('#message').textContent === ''")
    tab.until("/^No answer since \\d\\d:\\d\\d:\\d\\d: /.test(document.querySelector('#message').textContent)")
    assert count(tab, "[data-box]") == 4
    told.now = picture(AT, view(state="completing"))
    with told.served(port):
        tab.until("document.querySelector('#state').textContent === 'completing'")
        assert text(tab, "#message") == ""


def test_nothing_is_asked_of_anybody_else(tab: Tab) -> None:
    told = Told()
    with told.served() as server:
        tab.open(address(server))
        enough = len(told.asked) + 3
        while len(told.asked) < enough:
            tab.ask("new Promise(done => setTimeout(done, 100))")
        urls = {one["request"]["url"] for one in tab.happened("Network.requestWillBeSent")}
        assert {url.partition(",")[0] for url in urls} <= {address(server), f"{address(server)}picture.json", "data:"}


def test_a_saved_page_shows_its_last_picture_without_a_server(tab: Tab, tmp_path: Path) -> None:
    with Told().served() as server:
        tab.open(address(server))
        saved = tab.ask("'<!doctype html>\\n' + document.documentElement.outerHTML")
    (tmp_path / "saved.html").write_text(saved, encoding="utf-8")
    (tmp_path / "written.html").write_bytes(page(picture(AT, view())))
    for file in ("saved.html", "written.html"):
        tab.open((tmp_path / file).as_uri())
        assert text(tab, "#message").startswith("As it was at ")
        assert (count(tab, "[data-box]"), count(tab, "svg [data-replica]"), count(tab, "#events li")) == (4, 9, 2)
        assert count(tab, "button") == 0
        assert NASTY in text(tab, "#events")
    assert complaints(tab) == []


def test_a_topology_that_is_not_there_is_told_with_those_that_are(tab: Tab) -> None:
    told = Told(of_name={"shop/klicks": picture(AT, None, [Brief("shop/clicks", "running", True)], asked="shop/klicks")})
    with told.served() as server:
        tab.open(f"{address(server)}#shop/klicks")
        tab.until("document.querySelector('[data-key=wrong]') !== null")
        assert text(tab, "[data-key=wrong]") == "There is no topology 'shop/klicks' here. Did you mean 'shop/clicks'?"
        assert text(tab, "#message") == ""  # it was answered
        tab.ask("document.querySelector('#topologies a').click()")
        tab.until("document.querySelectorAll('[data-box]').length === 4")


def test_of_several_topologies_there_is_a_list_and_each_behind_its_name(tab: Tab) -> None:
    briefs = [Brief("shop/clicks", "running", True, True, "calm", 3, 4, 1), Brief("shop/orders", "failed")]
    told = Told(picture(AT, None, briefs, count=2), {"shop/clicks": picture(AT, view(), count=2)})
    with told.served() as server:
        tab.open(address(server))
        assert count(tab, "#topologies tbody tr") == 2
        tab.ask("document.querySelector('#topologies a').click()")
        tab.until("document.querySelectorAll('[data-box]').length === 4")
        assert tab.ask("location.hash") == "#shop/clicks"
        assert "shop/clicks" in told.asked
        tab.ask("document.querySelector('header a').click()")
        tab.until("document.querySelectorAll('#topologies tbody tr').length === 2")
        tab.open(f"{address(server)}#shop/clicks")
        tab.until("document.querySelectorAll('[data-box]').length === 4")
    assert complaints(tab) == []


def test_it_is_light_or_dark_as_the_reader_wants(tab: Tab) -> None:
    with Told().served() as server:
        tab.open(address(server))
        papers = []
        for scheme in ("light", "dark"):
            tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            papers.append(tab.ask("getComputedStyle(document.body).backgroundColor"))
    assert papers[0] != papers[1]


def test_all_of_it_can_be_reached_by_keyboard_and_has_a_name(tab: Tab) -> None:
    with Told().served() as server:
        tab.open(address(server))
        named = "one => (one.getAttribute('aria-label') || one.textContent).trim()"
        assert tab.ask(f"[...document.querySelectorAll('[tabindex], [role=img], button, a')].every({named}) ? 1 : 0") == 1
        assert tab.ask("[...document.querySelectorAll('svg [data-replica]')].every(one => one.querySelector('title').textContent)")
        reached = set()
        for _ in range(12):
            for kind in ("keyDown", "keyUp"):
                tab.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
            reached.add(tab.ask("document.activeElement.dataset.box ?? document.activeElement.dataset.do ?? ''"))
        assert {"market", "total", "out", "raw", "save"} <= reached


def test_many_tasks_are_folded_until_they_are_wanted(tab: Tab) -> None:
    one = shown()
    box = one["boxes"][1]
    box["tasks"] = [{"task": f"total/{n}", "replicas": []} for n in range(30)]
    box["tasksLeftOut"] = 5
    told = picture(AT, view()) | {"shown": one}
    with Told(told).served() as server:
        tab.open(address(server))
        assert "and 27 more tasks" in text(tab, "[data-box='total']")
        tab.ask("document.querySelector('[data-do=open]').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
        tab.until("document.querySelector(\"[data-box='total']\").textContent.includes('and 5 more tasks')")
