"""On somebody else's cluster nothing is tried that only the test cluster has, and it is said what is left out, and why; with a store that
its user names, topologies run there."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cluster.homes import takes_pods
from tests.e2e.cluster.store import NO_STORE, TEST_CLUSTERS, TOLD_BY, Store, named, store_of_tests

ROOT = Path(__file__).parents[2]
ELSEWHERE = "/somebody/else/kubeconfig"
SECRET = {"AWS_ACCESS_KEY_ID": "levee", "AWS_SECRET_ACCESS_KEY": "hidden"}
RUN_TOPOLOGIES = (
    *("bargains", "data", "executors", "experiment", "fit", "namespace", "operator", "packing", "rates", "readme", "release", "verify"),
)


@pytest.fixture(scope="module")
def told() -> str:
    return asked("--collect-only", "-q")


@pytest.fixture(scope="module")
def told_with_a_store() -> str:
    return asked("--collect-only", "-q", **{TOLD_BY: json.dumps({"uri": "s3://theirs"} | SECRET)})


def asked(*words: str, **settings: str) -> str:
    done = collected(*words, **settings)
    assert done.returncode in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}, done.stdout + done.stderr
    return done.stdout


def collected(*words: str, **settings: str) -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LEVEE_", "PYTEST_"))}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-m", "e2e", *words, "tests/e2e/cluster"]
    environment |= {"KUBECONFIG": ELSEWHERE} | settings
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300)


def left_out(told: str) -> dict[str, str]:
    section = told.partition(f"left out on the cluster of {ELSEWHERE}")[2]
    return dict(line.split(": ", 1) for line in section.splitlines() if line.startswith("tests/"))


def kept(told: str) -> list[str]:
    before = told.partition(f"left out on the cluster of {ELSEWHERE}")[0]
    return [line for line in before.splitlines() if line.startswith("tests/")]


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("executors", NO_STORE),
        ("upgrade", "older images are put into its nodes"),
        ("readme", NO_STORE),
        ("operator", NO_STORE),
        ("nodes", "it breaks nodes, and those of somebody else's cluster are not for us to break"),
    ],
)
def test_a_file_that_needs_the_test_cluster_is_left_out_as_a_whole_with_the_reason(told: str, file: str, why: str) -> None:
    path = f"tests/e2e/cluster/test_e2e_{file}.py"
    assert {reason for test, reason in left_out(told).items() if test.startswith(path)} == {why}
    assert not any(test.startswith(path) for test in kept(told))


def test_what_is_left_out_is_said_by_several_processes_as_by_one(told: str) -> None:
    assert left_out(asked("-n", "2", "-k", "readme or breaks_nodes")) == left_out(told)


def test_what_can_run_anywhere_is_kept(told: str) -> None:
    assert any("test_it_is_installed_upgraded_and_removed" in test for test in kept(told))


def test_no_file_of_which_something_is_kept_reads_a_store(told: str) -> None:
    """By the names under which tests know it."""
    names = {"Trades", "living", "tests.e2e.cluster.store", "SECRET_KEY"}
    for path in {ROOT / test.partition("::")[0] for test in kept(told)} - {ROOT / "tests/e2e/cluster/test_e2e_release.py"}:
        assert not names & set(path.read_text(encoding="utf-8").replace(",", " ").split()), path


# ---- with a store


@pytest.mark.parametrize("file", RUN_TOPOLOGIES)
def test_with_a_store_that_is_named_topologies_run_there_too(told: str, told_with_a_store: str, file: str) -> None:
    path = f"tests/e2e/cluster/test_e2e_{file}.py"
    assert NO_STORE in {reason for test, reason in left_out(told).items() if test.startswith(path)}
    assert not any(test.startswith(path) for test in left_out(told_with_a_store))
    assert any(test.startswith(path) for test in kept(told_with_a_store))


def test_a_store_changes_nothing_for_what_needs_the_test_cluster_for_another_reason(told: str, told_with_a_store: str) -> None:
    assert left_out(told_with_a_store) == {test: why for test, why in left_out(told).items() if why != NO_STORE}


def test_nothing_is_begun_with_a_store_that_is_named_wrongly() -> None:
    done = collected("-n", "2", **{TOLD_BY: "s3://theirs"})
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert done.stderr.startswith(f"ERROR: {TOLD_BY} is no JSON: ")


@pytest.mark.parametrize(
    ("told", "wrong"),
    [
        ("s3://theirs", "is no JSON"),
        ('["s3://theirs"]', "is no JSON object of texts"),
        (json.dumps({"uri": "s3://theirs", "AWS_ACCESS_KEY_ID": 7}), "is no JSON object of texts"),
        (json.dumps({"AWS_ACCESS_KEY_ID": "levee"}), "lacks uri, AWS_SECRET_ACCESS_KEY"),
        (json.dumps({"uri": "gs://theirs"} | SECRET), "names 'gs://theirs', which is no s3://bucket"),
        (json.dumps({"uri": "s3:///prefix"} | SECRET), "names 's3:///prefix', which is no s3://bucket"),
        (json.dumps({"uri": "s3://theirs", "endpoint": "http://hidden"} | SECRET), "has endpoint, which no client of S3 knows"),
    ],
)
def test_what_names_no_store_is_refused_without_its_secrets(told: str, wrong: str) -> None:
    with pytest.raises(pytest.UsageError) as refused:
        named(told)
    assert f"{TOLD_BY} {wrong}" in str(refused.value)
    assert 'Fix: write it like {"uri": "s3://bucket/prefix", ' in str(refused.value)
    assert "hidden" not in str(refused.value)


def test_the_store_of_the_tests_is_that_of_the_test_cluster_unless_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOLD_BY, raising=False)
    assert store_of_tests() == TEST_CLUSTERS
    monkeypatch.setenv(TOLD_BY, json.dumps({"uri": "s3://theirs/prefix/"} | SECRET))
    assert store_of_tests() == Store("s3://theirs/prefix", SECRET)


# ---- with its nodes


def node(*, ready: str = "True", **spec: Any) -> Any:
    return {"spec": spec, "status": {"conditions": [{"type": "Ready", "status": ready}]}}


def test_pods_are_put_on_nodes_that_take_them() -> None:
    assert takes_pods(node())
    assert takes_pods(node(taints=[{"key": "busy", "effect": "PreferNoSchedule"}]))
    assert not takes_pods(node(taints=[{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]))
    assert not takes_pods(node(unschedulable=True))
    assert not takes_pods(node(ready="Unknown"))
