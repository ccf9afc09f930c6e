"""On somebody else's cluster nothing is tried that only the test cluster has, and it is said what is left out, and why."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ELSEWHERE = "/somebody/else/kubeconfig"


@pytest.fixture(scope="module")
def told() -> str:
    return asked("--collect-only", "-q")


def asked(*words: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LEVEE_", "PYTEST_"))}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-m", "e2e", *words, "tests/e2e/cluster"]
    done = subprocess.run(
        command, cwd=ROOT, env=environment | {"KUBECONFIG": ELSEWHERE}, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}, done.stdout + done.stderr
    return done.stdout


def left_out(told: str) -> dict[str, str]:
    section = told.partition(f"left out on the cluster of {ELSEWHERE}")[2]
    return dict(line.split(": ", 1) for line in section.splitlines() if line.startswith("tests/"))


def kept(told: str) -> list[str]:
    before = told.partition(f"left out on the cluster of {ELSEWHERE}")[0]
    return [line for line in before.splitlines() if line.startswith("tests/")]


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("executors", "its store is that of the test cluster"),
        ("upgrade", "its store, and nodes into which older images can be put"),
        ("readme", "its store is that of the test cluster"),
        ("operator", "its store is that of the test cluster"),
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


def test_no_file_of_which_something_is_kept_reads_the_test_clusters_store(told: str) -> None:
    """By the names under which tests know it."""
    for path in {ROOT / test.partition("::")[0] for test in kept(told)} - {ROOT / "tests/e2e/cluster/test_e2e_release.py"}:
        assert not {"Trades", "KEYS", "SECRET_KEY"} & set(path.read_text(encoding="utf-8").replace(",", " ").split()), path
