"""Start, kill, restart and end one server.

Why: tests kill servers on purpose, and must find the same data behind the same port afterwards.
Called by: s3, toxiproxy, kafka.
"""

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from servers.commands import last_lines
from servers.trouble import ServerTrouble

KEEPER = Path(__file__).with_name("keeper.py")
PATIENCE_S = 120.0  # a server that needs longer is broken, however busy the machine
PAUSE_S = 0.02


class EndedEarly(ServerTrouble):
    """The server ended before it answered."""


@dataclass(frozen=True, slots=True)
class Launch:
    """How a server is started; `ready` asks it whether it answers."""

    name: str
    command: Sequence[str | Path]
    ready: Callable[[], bool]
    extra: Mapping[str, str]  # of its environment


def new_folder(name: str) -> Path:
    return Path(tempfile.mkdtemp(prefix=f"levee-{name}-"))


class Server:
    """A server that runs until `close`, or until the process that started it is gone."""

    def __init__(self, launch: Launch, folder: Path) -> None:
        self.launch, self.folder = launch, folder
        self.keeper = subprocess.Popen(
            [sys.executable, "-I", KEEPER, folder, *launch.command],
            env={**os.environ, **launch.extra},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is for us; the keeper learns of our end from its standard input
        )
        self.pid = 0

    def start(self) -> Self:
        """Wait until it answers; a server that does not is ended."""
        try:
            self.pid = self._next_pid()
            self._await_ready()
        except BaseException:
            self.close()
            raise
        return self

    def kill(self) -> None:
        """As by kill -9; its folder and its port stay as they are."""
        if is_alive(self.pid):
            os.kill(self.pid, signal.SIGKILL)
        await_until(lambda: not is_alive(self.pid), f"{self.launch.name} does not die")

    def restart(self) -> None:
        assert self.keeper.stdin is not None
        self.keeper.stdin.write("\n")
        self.keeper.stdin.flush()
        self.start()

    def close(self) -> None:
        self.keeper.communicate()  # closes its standard input: the end of the server and of its folder

    def _next_pid(self) -> int:
        assert self.keeper.stdout is not None
        answer = self.keeper.stdout.readline()
        if not answer:
            raise ServerTrouble(f"{self.launch.name} cannot be started: {self.launch.command[0]}")
        return int(answer)

    def _await_ready(self) -> None:
        await_until(lambda: self.launch.ready() or self._has_ended(), f"{self.launch.name} does not answer")
        if self._has_ended():  # asked again: the answer may have come from somebody else on the same port
            log = (self.folder / "log").read_text(encoding="utf-8", errors="replace")
            raise EndedEarly(f"{self.launch.name} ended before it answered; its last words:\n{last_lines(log)}")

    def _has_ended(self) -> bool:
        return not is_alive(self.pid)


def await_until(holds: Callable[[], bool], complaint: str) -> None:
    deadline_s = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > deadline_s:
            raise ServerTrouble(f"{complaint} within {PATIENCE_S:.0f} s")
        time.sleep(PAUSE_S)


def is_alive(pid: int) -> bool:
    """Of any process, ours or not; a zombie is not alive."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return False
    try:
        return not select.select([handle], [], [], 0)[0]
    finally:
        os.close(handle)
