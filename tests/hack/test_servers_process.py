"""A server lives as long as whoever asked for it, and can be killed and come back meanwhile."""

import json
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from servers.kafka import Kafka, configuration
from servers.ports import HOST, free_ports, start_on_free_ports
from servers.process import EndedEarly, Launch, Server, await_until, is_alive, new_folder
from servers.s3 import S3
from servers.trouble import ServerTrouble

HACK = Path(__file__).parents[2] / "hack"
CALLER = """
import os, signal
from servers.process import Launch, Server, new_folder
server = Server(Launch("sleeper", ["sleep", "1000"], lambda: True, {}), new_folder("test")).start()
print(server.pid, server.folder, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def sleeper(ready: Callable[[], bool] = lambda: True) -> Server:
    return Server(Launch("sleeper", ["sleep", "1000"], ready, {}), new_folder("test"))


def test_a_closed_server_is_gone_and_so_is_its_folder() -> None:
    server = sleeper().start()
    assert is_alive(server.pid)
    server.close()
    assert not is_alive(server.pid)
    assert not server.folder.exists()
    server.close()  # once more does no harm: a restart that failed has closed it already


def test_kill_9_of_the_caller_takes_the_server_and_its_folder_along() -> None:
    caller = subprocess.run([sys.executable, "-c", CALLER], cwd=HACK, capture_output=True, text=True, check=False)
    pid, folder = caller.stdout.split()
    await_until(lambda: not is_alive(int(pid)) and not Path(folder).exists(), "server and folder outlive their caller")


def test_kill_9_of_the_keeper_takes_the_server_along() -> None:
    server = sleeper().start()
    server.keeper.kill()
    await_until(lambda: not is_alive(server.pid), "the server outlives its keeper")
    server.close()
    (server.folder / "log").unlink()
    server.folder.rmdir()


def test_a_killed_server_comes_back_with_its_folder() -> None:
    server = sleeper().start()
    killed = server.pid
    (server.folder / "data").write_text("kept")
    server.kill()
    assert not is_alive(killed)
    server.restart()
    assert server.pid != killed and is_alive(server.pid)
    assert (server.folder / "data").read_text() == "kept"
    server.close()


def test_a_server_that_ends_at_once_is_reported_with_its_last_words() -> None:
    server = Server(Launch("liar", ["sh", "-c", "echo no disk; exit 3"], lambda: False, {}), new_folder("test"))
    with pytest.raises(EndedEarly, match="liar ended before it answered; its last words:\n  no disk"):
        server.start()
    assert not server.folder.exists()


def test_an_answer_from_somebody_else_is_not_taken_for_that_of_a_dead_server() -> None:
    server = Server(Launch("liar", ["true"], lambda: not is_alive(server.pid), {}), new_folder("test"))
    with pytest.raises(EndedEarly):
        server.start()


def test_a_program_that_is_not_there_is_reported() -> None:
    server = Server(Launch("absent", ["/no/such/program"], lambda: True, {}), new_folder("test"))
    with pytest.raises(ServerTrouble, match="absent cannot be started: /no/such/program"):
        server.start()
    assert not server.folder.exists()


def test_who_loses_a_port_takes_another() -> None:
    taken: list[int] = []

    def make(ports: list[int]) -> Server:
        taken.extend(ports)
        command = ["false"] if len(taken) == 1 else ["sleep", "1000"]
        return Server(Launch("late", command, lambda: len(taken) > 1, {}), new_folder("test"))

    server, ports = start_on_free_ports(1, make)
    server.close()
    assert ports == taken[1:]


def test_free_ports_are_distinct_and_free() -> None:
    ports = free_ports(20)
    assert len(set(ports)) == 20
    for port in ports:
        socket.create_server((HOST, port)).close()


def test_what_tests_are_told_of_a_server_reads_back() -> None:
    s3 = S3("s3://levee", "http://127.0.0.1:1", "key", "secret")
    assert S3.from_json(s3.to_json()) == s3
    assert set(json.loads(s3.to_json())) == {"uri", "endpoint", "access_key", "secret_key"}
    kafka = Kafka("127.0.0.1:1", ("/a.jar", "/b.jar"))
    assert Kafka.from_json(kafka.to_json()) == kafka


def test_the_broker_listens_on_loopback_only() -> None:
    settings = dict(line.split("=", 1) for line in configuration(1001, 1002, Path("/data")).splitlines())
    assert settings["listeners"] == "PLAINTEXT://127.0.0.1:1001,CONTROLLER://127.0.0.1:1002"
    assert settings["log.dirs"] == "/data"
