"""A command runs while the servers run, is told where they are, and its verdict is ours."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from servers import main
from servers.process import await_until, is_alive
from servers.trouble import ServerTrouble

HACK = Path(__file__).parents[2] / "hack"
RUNNER = """
import contextlib
from servers import main
main.stack = lambda _: contextlib.nullcontext({})
raise SystemExit(main.run("any", ["sh", "-c", "echo $$; exec sleep 1000"]))
"""


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """No servers, but a note when they would have ended; and the signals of the test run as they were."""
    notes: list[str] = []

    @contextmanager
    def no_servers(s3_kind: str) -> Iterator[dict[str, str]]:
        yield {"LEVEE_TEST_S3": s3_kind}
        notes.append(s3_kind)

    monkeypatch.setattr(main, "stack", no_servers)
    monkeypatch.setattr(main, "install", lambda _: None)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield notes
    for number, handler in before.items():
        signal.signal(number, handler)


def test_the_command_is_told_of_the_servers_and_they_end_after_it(ended: list[str]) -> None:
    assert main.main(["run", "--s3", "minio", "--", "sh", "-c", 'test "$LEVEE_TEST_S3" = minio']) == 0
    assert ended == ["minio"]


@pytest.mark.parametrize(("script", "code"), [("exit 3", 3), ("kill -9 $$", 137)])
def test_the_verdict_of_the_command_is_passed_on(ended: list[str], script: str, code: int) -> None:
    assert main.main(["run", "--", "sh", "-c", script]) == code
    assert ended == ["versitygw"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_command_does_not_outlive_a_runner_that_is_killed(number: signal.Signals) -> None:
    runner = subprocess.Popen([sys.executable, "-c", RUNNER], cwd=HACK, stdout=subprocess.PIPE, text=True)
    assert runner.stdout is not None
    command = int(runner.stdout.readline())
    runner.send_signal(number)
    assert runner.wait() in {-number, 128 + number}  # by the signal itself, or by what it did to the command
    runner.stdout.close()
    await_until(lambda: not is_alive(command), "the command does not end")


def test_what_cannot_be_installed_is_said_in_words(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def refuse(_: object) -> None:
        raise ServerTrouble("No Java 17 or newer was found")

    monkeypatch.setattr(main, "install", refuse)
    assert main.main(["install"]) == 1
    assert capsys.readouterr().err == "No Java 17 or newer was found\n"


def test_an_unknown_server_is_refused_with_the_names_of_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["install", "nonsense"]) == 1
    assert (
        capsys.readouterr().err
        == "There is no server nonsense; there are toxiproxy, versitygw, minio, prometheus, promtool, kafka, spark-kafka, chromium.\n"
    )
