"""`levee plan` and `levee` itself: whatever a user gets wrong is answered in words, never with a traceback."""

from dataclasses import replace
from pathlib import Path

import pytest

from levee.cli.plan_run import Tools
from levee.planning.case import Case, Found, Kind, Strategy
from levee.planning.result import Stop
from levee.planning.strategies import STRATEGIES, verified
from tests.cli.stage import BARGAINS, PIPELINE, ROOT, levee, process

MISTAKES = {
    "an unknown command": (2, ("paln",), "There is no command 'paln'. Did you mean 'plan'?"),
    "an unknown flag": (2, ("plan", "--frontir"), "No such option '--frontir'"),
    "no file": (2, ("plan",), "Missing option '-f' / '--file'"),
    "a missing file": (2, ("plan", "-f", "nope.yaml"), "Cannot read nope.yaml: No such file or directory."),
    "a directory without topologies": (2, ("plan", "-f", "operator"), "this directory holds no .yaml, .yml, .json"),
    "another format": (2, ("plan", "-f", PIPELINE, "-o", "jsn"), "there is no 'jsn'. Did you mean 'json'?"),
    "another failure model": (2, ("plan", "-f", PIPELINE, "--failures", "nodes"), "Did you mean 'node'?"),
    "another strategy": (2, ("plan", "-f", PIPELINE, "--strategy", "compleetness"), "use 'completeness'."),
    "too much completeness": (2, ("plan", "-f", PIPELINE, "--target", "1.5"), "1.5 is not between 0 and 1"),
    "another target": (2, ("plan", "-f", PIPELINE, "--target", "fidelty=0.9"), "Did you mean 'fidelity'?"),
    "two targets": (2, ("plan", "-f", PIPELINE, "--target", "fidelity=0.9,budget=3"), "exactly one of completeness, fidelity and budget"),
    "a target beside the strategy": (2, ("plan", "-f", PIPELINE, "--strategy", "fidelity"), "add --target fidelity=0.9"),
    "a penalty on a budget": (2, ("plan", "-f", PIPELINE, "--target", "budget=1", "--penalty", "1m"), "no completeness is asked for"),
    "a time without a unit": (2, ("plan", "-f", PIPELINE, "--time-limit", "soon"), "'soon' is not a duration"),
    "no nodes": (2, ("plan", "-f", PIPELINE, "--nodes", "0"), "0 is not between 1 and 1000"),
    "fewer than no nodes": (2, ("plan", "-f", PIPELINE, "--nodes", "-1"), "-1 is not between 1 and 1000"),
    "nodes by no number": (2, ("plan", "-f", PIPELINE, "--nodes", "abc"), "'abc' is neither a number of nodes nor a file that exists"),
    "nodes by nothing": (2, ("plan", "-f", PIPELINE, "--nodes", ""), "names no nodes"),
    "a decimal comma": (2, ("plan", "-f", PIPELINE, "--target", "0,5"), "Did you mean 0.5?"),
    "a decimal comma after a name": (2, ("plan", "-f", PIPELINE, "--target", "fidelity=0,5"), "Did you mean fidelity=0.5?"),
    "a sink that fails": (1, ("plan", "-f", PIPELINE, "--fail", "results"), "always has a standby. Fix: use 'pe2', which it reads."),
    "an unknown source that fails": (1, ("plan", "-f", PIPELINE, "--fail", "reading"), "source or task 'reading'. Fix: use 'readings'."),
    "a task of another name that fails": (1, ("plan", "-f", PIPELINE, "--fail", "pe1-0"), "use 'pe1/0'."),
    "an unknown zone that fails": (1, ("plan", "-f", BARGAINS, "--fail", "eats"), "use 'east'."),
    "nothing that fails": (1, ("plan", "-f", PIPELINE, "--fail", ""), "use one of node-1, node-2, pe1, pe2, readings, pe1/0"),
    "a node twice": (1, ("plan", "-f", BARGAINS, "--nodes", "a=1,a=2"), "node 'a' is named twice"),
    "a node without room": (1, ("plan", "-f", BARGAINS, "--nodes", "a=x"), "capacity 'x' is not a number of CPU cores"),
    "nodes that replicas are assigned to": (1, ("plan", "-f", PIPELINE, "--nodes", "node-1=1,node-3=1"), "names node 'node-2'"),
    "an unknown node that fails": (1, ("plan", "-f", PIPELINE, "--fail", "nod-2"), "use 'node-2'."),
    "a picture of two": (2, ("plan", "-f", PIPELINE, "-f", BARGAINS, "-o", "svg"), "a picture shows one"),
    "no folder to write to": (1, ("plan", "-f", PIPELINE, "--output-file", "/nope/plan.txt"), "there is no such folder"),
    "ft-search for nodes": (
        2,
        ("plan", "-f", PIPELINE, "--strategy", "ft-search", "--failures", "node"),
        "pessimistic failures only",
    ),
    "levels of one plan": (
        2,
        ("plan", "-f", PIPELINE, "--frontier", "--strategy", "static"),
        "static makes one plan, which has no levels. Fix: use --strategy completeness.",
    ),
    "levels that fall short": (
        2,
        ("plan", "-f", PIPELINE, "--frontier", "--target", "0.5", "--penalty", "1m"),
        "each level is reached, so nothing falls short",
    ),
    "two questions at once": (2, ("plan", "-f", PIPELINE, "--frontier", "--fail", "node-1"), "cannot be combined"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_with_what_to_do(name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    code, args, told = MISTAKES[name]
    ended = levee(capsys, *args)
    assert (ended.code, ended.out) == (code, "")
    assert told in " ".join(ended.err.split())
    assert "Traceback" not in ended.err


def test_all_mistakes_of_all_files_are_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    paths = []
    for name, text in (("one", "kind: Deployment"), ("two", "[1, 2]")):
        path = tmp_path / f"{name}.yaml"
        path.write_text(text)
        paths += ["-f", str(path)]
    ended = levee(capsys, "plan", *paths)
    assert ended.code == 1
    assert "one.yaml" in ended.err
    assert "two.yaml" in ended.err


BAD = {
    "nothing": b"",
    "noise": bytes(range(256)),
    "a list": b"- 1\n- 2\n",
    "deep": b"[" * 5000,
    "no YAML": b"a: b: c",
    "an alias bomb": b"a: &a [x,x,x]\nb: &b [*a,*a,*a]\nc: [*b,*b,*b]\n",
    "half a topology": Path(PIPELINE).read_bytes()[:600],
}


@pytest.mark.parametrize("name", ["nothing", "noise", "half a topology"])
def test_what_is_piped_in_may_be_anything(name: str) -> None:
    """As a process of its own: nothing may reach the end of it unhandled."""
    ended = process("plan", "-f", "-", given=BAD[name])
    assert (ended.code, ended.out) == (1, "")
    assert ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("name", BAD)
def test_a_file_may_hold_anything(name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "topology.yaml"
    path.write_bytes(BAD[name])
    ended = levee(capsys, "plan", "-f", str(path))
    assert (ended.code, ended.out) == (1, "")
    assert "topology.yaml" in ended.err or "FaultTolerantTopology" in ended.err


def test_a_topology_may_be_piped_in() -> None:
    ended = process("plan", "-f", "-", "--quiet", given=Path(PIPELINE).read_bytes())
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("Plan for pipeline\n")


def test_our_own_mistake_is_called_one(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LEVEE_DEBUG", raising=False)

    def broken() -> float:
        raise ZeroDivisionError("one by none")

    ended = levee(capsys, "plan", "-f", PIPELINE, tools=Tools(now=broken))
    assert ended.code == 70
    assert "internal error: ZeroDivisionError: one by none" in ended.err
    assert "Traceback" not in ended.err


def test_a_plan_that_its_verifier_objects_to_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    def lie(case: Case, stop: Stop) -> Found:
        honest = STRATEGIES["completeness"].solve(case, stop)
        assert honest.result.objective is not None
        return verified(case, replace(honest.result, objective=honest.result.objective / 2), case.goal)

    strategies = {"completeness": Strategy("completeness", "lies about its cost", Kind.COMPLETENESS, lie)}
    ended = levee(capsys, "plan", "-f", PIPELINE, tools=Tools(now=lambda: 0.0, strategies=strategies))
    assert (ended.code, ended.out) == (70, "")
    assert "result.objective: is said to be 0.8" in ended.err
