"""When a disturbance has its effect: by what the workers concerned have felt, and by whether they can be asked."""

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from levee.control.names import WorkerName
from levee.topology.names import NodeName
from levee.worlds.local import asking, processes
from levee.worlds.local.folder import Folder
from levee.worlds.local.table import RunTable, WorkerEntry
from levee_chaos.aim import Aimed
from levee_chaos.disturbed import worker
from levee_chaos.disturbed.parts import Parts, parts_of
from levee_chaos.disturbed.place import Felt, Place
from levee_chaos.disturbed.values import Disturbance, Way
from levee_chaos.fault import Fault, Kind, Whom
from levee_chaos.worlds.local import disturbing
from levee_chaos.worlds.local.disturbing import Disturbing
from levee_chaos.worlds.local.run import Run
from levee_spark.store.blobs import Trouble
from levee_spark.store.driver import monotonic_ms
from levee_spark.worker import main, serve

ME = processes.identify(os.getpid())


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Its one worker is this process."""
    worker = WorkerEntry(WorkerName("node-1-0"), "node-1-0.1.1", NodeName("node-1"), (), 1, ME, tmp_path / "workers" / "it")
    assert ME is not None
    Place(tmp_path).open(ME)
    return Run(Folder(tmp_path), RunTable("tests/toy", "u", "file:///nowhere", ME, workers=(worker,)))


def made(run: Run, kind: Kind, node: str = "node-1", **how: object) -> Disturbing:
    nodes = (NodeName(node),) if node else ()
    return disturbing.disturb(run, Fault(kind, Whom(), 1_000, how), Aimed("it", None, nodes, (), ()))


def felt(deed: Disturbing, times: int, answered: int = 0, took_ms: float = 0.0) -> None:
    deed.place.feel(deed.disturbance.name, Felt(times, answered, took_ms))


def test_a_delay_is_there_when_requests_take_that_long(run: Run) -> None:
    deed = made(run, Kind.DELAY_NETWORK, ms=100, jitter_ms=20)
    deed.do()
    assert deed.lacking() == ["worker node-1-0"]
    felt(deed, 5, 5, 60.0)
    assert deed.lacking() == ["worker node-1-0"]
    felt(deed, 9, 9, 101.0)
    assert deed.lacking() == []


def test_everything_else_is_there_when_it_has_happened(run: Run) -> None:
    deed = made(run, Kind.FAIL_STORE, "", share=0.1)
    deed.do()
    assert deed.lacking() == ["worker node-1-0"]
    felt(deed, 1)
    assert deed.lacking() == []


def test_who_is_cut_off_can_neither_ask_nor_be_asked(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[object] = [{}]
    monkeypatch.setattr(asking, "port_of", lambda _: 80)
    monkeypatch.setattr(asking, "state_of", lambda *_, **__: answers[0])
    deed = made(run, Kind.PARTITION_NODE, peer="")
    deed.do()
    felt(deed, 1)
    assert deed.lacking() == ["worker node-1-0"]
    answers[0] = None
    assert deed.lacking() == []
    assert made(run, Kind.PARTITION_NODE, peer="operator").lacking() == []


def test_workers_of_other_nodes_are_not_concerned_and_what_ends_leaves_nothing(run: Run) -> None:
    assert made(run, Kind.DELAY_NETWORK, "node-2", ms=1, jitter_ms=0).workers == ()
    deed = made(run, Kind.FILL_DISK, "")
    assert list(deed.without_means()) == []
    deed.do()
    deed.do()
    felt(deed, 1)
    disturbing.end(deed.undo.how)
    disturbing.end(deed.undo.how)
    assert list(deed.place.folder.iterdir()) == []
    assert deed.place.felt(deed.disturbance.name) == {}


def test_who_has_written_that_the_run_obeys_must_be_who_runs_it(run: Run) -> None:
    Place(run.folder).starter.write_text('[1, "0"]')
    [complaint] = made(run, Kind.FILL_DISK, "").without_means()
    assert "levee-chaos run" in complaint.fix


# ---- a real worker is given these parts


def test_a_worker_is_made_of_the_parts_that_any_other_has_but_for_these(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((main, "open_store"), (serve, "answer"), (time, "monotonic_ns")):
        monkeypatch.setattr(module, name, getattr(module, name))  # put back afterwards; and it must be there
    (tmp_path / "order.json").write_text(json.dumps({"directory": str(tmp_path / "workers" / "node-1-0.1.1"), "node": "node-1"}))
    parts = parts_of(tmp_path / "order.json")
    worker.put_in(parts)
    assert (parts.node, parts.place.run) == ("node-1", tmp_path)
    store = vars(main)["open_store"](tmp_path.as_uri())
    assert store.create("a/b", b"x")
    parts.place.folder.mkdir(parents=True)
    parts.place.begin(Disturbance(Way.FULL, "node-1"))
    with pytest.raises(Trouble, match="No space left"):
        store.create("a/c", b"x")
    parts.place.begin(Disturbance(Way.CLOCK, "node-1", ms=3_600_000))
    assert monotonic_ms() > time.monotonic() * 1_000 + 3_000_000


def test_who_asks_a_worker_that_is_cut_off_hears_nothing_until_that_is_over(tmp_path: Path) -> None:
    place, cut = Place(tmp_path), Disturbance(Way.PARTITION, "node-1")
    place.folder.mkdir(parents=True)
    answer = Parts(place, "node-1").silenced(lambda word: f"{word}!")
    assert answer("a") == "a!"
    place.begin(cut)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(answer, "b")
        with pytest.raises(TimeoutError):
            asked.result(0.2)
        place.end(cut.name)
        assert asked.result(60) == "b!"
    assert Parts(place, "node-2").silenced(lambda: "c")() == "c"


def test_whom_a_node_of_this_machine_does_not_speak_to_is_refused_with_whom_it_does(run: Run) -> None:
    assert list(made(run, Kind.DELAY_NETWORK, ms=100, peer="store").without_means()) == []
    assert list(made(run, Kind.PARTITION_NODE, peer="operator").without_means()) == []
    [complaint] = made(run, Kind.DELAY_NETWORK, ms=100, peer="operator").without_means()
    assert "can be cut off from each other, no more" in complaint.wrong
    [complaint] = made(run, Kind.LOSE_PACKETS, peer="node-2", share=0.1).without_means()
    assert "'node-2' is nobody whom a node of this machine speaks to" in complaint.wrong


def test_what_several_threads_of_a_worker_feel_at_once_can_always_be_read(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.folder.mkdir(parents=True)
    (place.folder / "slow.json").touch()

    def feel(times: int) -> None:
        for _ in range(200):
            place.feel("slow", Felt(times, times, 0.5))

    with ThreadPoolExecutor(4) as pool:
        feeling = [pool.submit(feel, 10**digits) for digits in (0, 4, 8, 12)]
        while not all(one.done() for one in feeling):
            place.felt("slow")
        for one in feeling:
            one.result()
    assert list(place.felt("slow")) == [os.getpid()]
