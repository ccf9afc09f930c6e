"""`levee simulate` shows what would happen, and says of every mistake where it is and what to do."""

import json
from pathlib import Path

import pytest

from tests.cli.stage import BARGAINS, PIPELINE, levee

SHORT = ("simulate", "-f", PIPELINE, "--trace", "20:low,40:high,20:low", "-q")


def simulated(capsys: pytest.CaptureFixture[str], *args: str) -> dict[str, object]:
    ended = levee(capsys, *SHORT, "-o", "json", *args)
    assert ended.code == 0, ended.err
    document = json.loads(ended.out)
    assert isinstance(document, dict)
    return document


def test_a_peak_is_shown_with_what_was_promised_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    ended = levee(capsys, *SHORT)
    assert ended.code == 0
    assert "high" in ended.out
    assert "The promise was kept." in ended.out


def test_a_plan_that_promises_less_than_was_asked_for_keeps_only_that(capsys: pytest.CaptureFixture[str]) -> None:
    ended = levee(capsys, *SHORT, "--target", "0.99")
    assert ended.code == 0, ended.err
    told = " ".join(ended.out.split())
    assert "This plan promises completeness 0.6666, and is not what was asked for (completeness 0.99); what it promises was kept." in told
    assert "The promise was kept." not in told
    assert "above" not in told  # no plan is printed here
    document = simulated(capsys, "--target", "0.99")
    assert (document["verdict"], document["kept"], document["met"]) == ("belowTarget", True, False)


def test_machines_are_told_whether_the_promise_was_kept(capsys: pytest.CaptureFixture[str]) -> None:
    kept, broken = simulated(capsys), simulated(capsys, "--strategy", "static", "--fail", "node-1@30", "--fail", "node-2@30")
    assert (kept["verdict"], kept["met"], kept["shortcomings"]) == ("kept", True, [])
    assert (broken["verdict"], broken["kept"]) == ("broken", False)


def test_the_same_seed_prints_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert simulated(capsys) == simulated(capsys)
    assert simulated(capsys) != simulated(capsys, "--seed", "2")


def test_the_document_holds_the_whole_course(capsys: pytest.CaptureFixture[str]) -> None:
    document = simulated(capsys, "--fail", "node-1@25+16s")
    assert document["kind"] == "Simulation"
    assert document["failed"] == ["node-1@25+16s"]
    assert document["seconds"] == pytest.approx(80)
    points = document["points"]
    assert isinstance(points, list)
    assert len(points) >= 78
    happenings = document["happenings"]
    assert isinstance(happenings, list)
    assert [one["text"] for one in happenings if one["subject"] == "node-1"] == ["crashed", "is back"]


def test_static_replication_is_shown_to_lose_rows_at_the_peak(capsys: pytest.CaptureFixture[str]) -> None:
    found = simulated(capsys, "--strategy", "static")
    assert isinstance(found["lostRows"], float)
    assert found["lostRows"] > 10
    assert found["shortcomings"]


def test_worst_leaves_of_each_task_the_least_active_replica_which_takes_over(capsys: pytest.CaptureFixture[str]) -> None:
    found = simulated(capsys, "--fail", "worst@30")
    assert isinstance(found["completeness"], float)
    assert 0.5 < found["completeness"] < 1


def test_it_is_drawn_the_same_each_time(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        simulated(capsys, "--plot", str(tmp_path / name))
    assert (tmp_path / "a.svg").read_text().startswith("<?xml")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_a_measured_trace_comes_from_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    trace = tmp_path / "friday.csv"
    trace.write_text("time_s,readings\n100,4\n130,9.5\n150,3\n160,3\n")
    found = simulated(capsys, "--trace", str(trace))
    assert found["seconds"] == pytest.approx(70)
    assert found["beyondSeconds"] == pytest.approx(20)  # 9.5 rows/s are more than was ever declared
    configurations = found["configurations"]
    assert isinstance(configurations, list)
    assert {one["name"]: round(one["seconds"]) for one in configurations} == {"low": 50, "high": 20}


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--trace", "60"), ("'60' is not a time and a configuration", "write 60:calm,30:peak")),
        (("--trace", "60:lo"), ("there is no configuration 'lo'", "use 'low'")),
        (("--trace", "x:low"), ("'x' is not a duration", "write seconds")),
        (("--trace", "0:low"), ("'0' is not a duration", "write seconds")),
        (("--trace", "25h:low"), ("lasts 90000 s", "simulate at most")),
        (("--trace", "nowhere.csv"), ("cannot read 'nowhere.csv'", "name a CSV file")),
        (("--fail", "node-9"), ("nothing is called 'node-9'", "use one of node-1, node-2")),
        (("--fail", "node-1@x"), ("'x' is not a time", "write node-2@2m+16s")),
        (("--fail", "worst@5+0s"), ("it fails for no time at all, which is no failure", "say for how long, as in +16s")),
        (("--fail", "node-1+0"), ("it fails for no time at all",)),
        (("--fail", "node-1@5m"), ("it fails at 300 s, and the trace lasts 80 s", "let it fail earlier")),
        (("--plot", "picture"), ("its name says no kind of picture", "name it .svg or .png")),
        (("--plot", "nowhere/picture.svg"), ("there is no such folder", "name a file in a folder that exists")),
        (("--strategy", "statik"), ("levee simulate:", "use 'static'")),
        (("--seed", "-1"), ("-1 is not in the range",)),
    ],
)
def test_what_is_wrong_is_told_with_a_remedy(capsys: pytest.CaptureFixture[str], args: tuple[str, ...], said: tuple[str, ...]) -> None:
    ended = levee(capsys, *SHORT, *args)
    assert ended.code == 2
    for words in said:
        assert words in ended.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("time_s,reading\n0,1\n1,1\n", "no column 'readings'"),
        ("time_s,readings,more\n0,1,1\n1,1,1\n", "there is no source 'more'"),
        ("time_s,readings,more,most\n0,1,1,1\n", "no source 'more' or 'most'.\n    Fix: name the columns time_s,readings."),
        ("time,reading\n0,1\n1,1\n", "no column 'time_s' and 'readings'"),
        ("time_s,readings\n0,1\n", "holds 1 line of rates"),
        ("time_s,readings\n0,1\n0,2\n", "line 3: time_s does not rise"),
        ("time_s,readings\n0,1\n1\n", "line 3: has 1 cells"),
        ("time_s,readings\n0,1\n1,many\n", "'many' is not a number"),
        ("time_s,readings\n0,1\n1,-1\n", "-1 is no rate and no time"),
        ("time_s,readings\n0,1\n1,nan\n", "nan is no rate and no time"),
    ],
)
def test_a_trace_that_makes_no_sense_is_refused_with_its_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, said: str
) -> None:
    trace = tmp_path / "trace.csv"
    trace.write_text(text)
    ended = levee(capsys, *SHORT, "--trace", str(trace))
    assert ended.code == 2
    assert said in ended.err
    assert "Fix:" in ended.err


def test_the_usual_trace_has_each_configuration_for_its_share(capsys: pytest.CaptureFixture[str]) -> None:
    ended = levee(capsys, "simulate", "-f", BARGAINS, "-q", "-o", "json")
    found = json.loads(ended.out)
    assert [round(one["seconds"]) for one in found["configurations"]] == [270, 30]
